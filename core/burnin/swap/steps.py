"""One step of a swap test: how far it has come, in sentences, and the short run after a move."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.burnin.record.store import RunStore
from core.burnin.run.launch import start_run
from core.burnin.swap.instructions import answer_words, next_part, what_to_move
from core.burnin.swap.reasoning import Conclusion, Suspect
from core.burnin.swap.session import SwapTest, begin, finding_of, keep_test, not_moved, read_test, short_order
from core.machine.telemetry.detect import detect_devices
from core.platform.errors import BadInput
from core.words import tr


@dataclass(frozen=True, slots=True)
class SwapState:
    """How far a test has come, in sentences."""

    answer: str
    located: bool
    todo: str
    """What to move next; "" where the test has its answer."""
    part: Suspect | None


def state_of(data_dir: Path, run_id: int, card: str | None = None) -> SwapState:
    """Of the test that this run belongs to, begun with it where there is none: of the failed card, or of one by its id.

    Raises NotOneCard where the card has to be chosen, and other RigwrightErrors.
    """
    with closing(RunStore(data_dir)) as store:
        test = read_test(data_dir)
        other = test is not None and card not in (None, test.suspect) and not test.steps
        if test is None or other or run_id not in (test.base, *(step.run for step in test.steps)):
            test = begin(store, run_id, card)
            keep_test(data_dir, test)
        finding = finding_of(store, test)
        part = next_part(test, finding)
        todo = what_to_move(store, test, part) if part else ""
        answer = answer_words(finding) if test.steps else ""
        return SwapState(answer, finding.answer is Conclusion.FOUND, todo, part if todo else None)


def run_again(data_dir: Path, part: Suspect) -> int:
    """Starts the short run after a move and keeps the step. Raises RigwrightError, also where no test has begun."""
    with closing(RunStore(data_dir)) as store:
        test = read_test(data_dir)
        if test is None:
            raise BadInput(tr("No swap test has begun: open the run that failed."))
        number = start_short_run(store, data_dir, test, part)
    keep_test(data_dir, test.after(part, number))
    return number


def start_short_run(store: RunStore, data_dir: Path, test: SwapTest, part: Suspect, simulate: str | None = None) -> int:
    """The number of the run. Raises BadInput where the card that was to be moved sits where it sat."""
    order = short_order(store, test, simulate)
    if part is Suspect.CARD and (why := not_moved(store, test, detect_devices(order.simulate))):
        raise BadInput(why)
    return start_run(data_dir, order)
