"""The command of the swap test: a suspect card is moved, burned in again, and what the fault followed is told."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from core.burnin.record.store import RunStore
from core.burnin.swap.instructions import answer_words, instruction, start_short_run
from core.burnin.swap.reasoning import Suspect
from core.burnin.swap.session import NotOneCard, SwapTest, begin, finding_of, keep_test, read_test
from core.cli.asking import devices_awaited
from core.cli.follow import watch_run
from core.cli.options import AsJson, DataDir, say
from core.cli.recorded_run import RunArgument, run_number
from core.platform.errors import BadInput
from core.platform.paths import data_dir
from core.words import joined, tr


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "swap-test",
        help=tr("Find out whether a fault follows the card, the slot, the cable or the PSU: move, run again, compare."),
    )(swap_test)


def swap_test(
    run: RunArgument = None,
    device: Annotated[str | None, typer.Option(help=tr("The suspect card, if several or none failed."))] = None,
    moved: Annotated[
        Suspect | None, typer.Option(help=tr("What was moved: the short stages are run again now."))
    ] = None,
    with_run: Annotated[int | None, typer.Option(help=tr("A run after the move, instead of a new one."), min=1)] = None,
    simulate: Annotated[str | None, typer.Option(help=tr("Simulated cards, as for burn."))] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = data_dir(folder)
    if moved is Suspect.SLOT:
        raise BadInput(tr("A slot cannot be moved: name card, cable or PSU."))
    with closing(RunStore(place)) as store:
        test = read_test(place)
        if moved is not None or with_run is not None:
            test = _go_on(store, place, test, moved or Suspect.CARD, with_run, simulate, quiet=as_json)
        elif test is None or run is not None or device is not None:
            test = _begun(store, run_number(place, run), device)
            keep_test(place, test)
        finding = finding_of(store, test)
        value: dict[str, Any] = test.model_dump(mode="json") | {
            "answer": finding.answer.value,
            "parts": [{"part": part.value, "name": name} for part, name in finding.parts],
        }
        answer = answer_words(finding) if test.steps else ""
        words = joined([answer, instruction(store, test, finding)])
    say(as_json, value | {"words": words}, words)


def _begun(store: RunStore, number: int, device: str | None) -> SwapTest:
    try:
        return begin(store, number, device)
    except NotOneCard as error:
        raise BadInput(tr("{sentence} The option is --device.", sentence=error.sentence)) from error


def _go_on(
    store: RunStore,
    place: Path,
    test: SwapTest | None,
    part: Suspect,
    with_run: int | None,
    simulate: str | None,
    *,
    quiet: bool,
) -> SwapTest:
    """Runs the short stages again, or takes a run that is there."""
    if test is None:
        raise BadInput(
            tr("No swap test has been started. Start one with the run that failed: rigwright swap-test RUN.")
        )
    if with_run is not None:
        store.run(with_run)
        number = with_run
    else:
        with devices_awaited():
            number = start_short_run(store, place, test, part, simulate)
        watch_run(store, place, number, quiet=quiet)
    test = test.after(part, number)
    keep_test(place, test)
    return test
