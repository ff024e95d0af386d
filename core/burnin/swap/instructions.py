"""A swap test in sentences, step by step: how far it has come, what to do next, and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.burnin.record.reader import RunReader
from core.burnin.record.store import RunStore
from core.burnin.run.order import start_run
from core.burnin.swap.reasoning import Conclusion, Diagnosis, SlotFeed, Suspect, slot_name
from core.burnin.swap.session import (
    SwapTest,
    begin,
    feeds_after,
    finding_of,
    keep_test,
    not_moved,
    read_test,
    short_order,
)
from core.machine.telemetry.detect import detect_devices
from core.platform.errors import BadInput
from core.words import joined, listed, tr

REPLACE = {
    Suspect.CARD: tr("Replace the card."),
    Suspect.CABLE: tr("Replace the cable."),
    Suspect.PSU: tr("Replace the PSU, or reduce its load."),
    Suspect.SLOT: tr("Use another slot; clean it and look for bent contacts, or replace the board or riser."),
}

REPLACE_ALL = tr("Replace these cables.")
NOT_INTERCHANGEABLE = tr(
    "Cables of different PSUs are not interchangeable: leave them in their PSU and try others that came with it."
)


def answer_words(finding: Diagnosis) -> str:
    """The deciding thing first."""
    match finding.answer:
        case Conclusion.FOUND:
            if len(finding.parts) > 1:
                cables = listed([name for _, name in finding.parts])
                return joined([tr("The fault follows the cables of one card: {cables}.", cables=cables), REPLACE_ALL])
            ((part, name),) = finding.parts
            follows = {
                Suspect.CARD: tr("The fault follows the card {name}.", name=name),
                Suspect.SLOT: tr("The fault follows the slot {name}.", name=name),
            }
            return joined([follows.get(part, tr("The fault follows the {name}.", name=name)), REPLACE[part]])
        case Conclusion.OPEN:
            *others, last = [_thing(part, name) for part, name in finding.parts]
            return tr("The fault comes from {others} or {last}.", others=joined(others, ", "), last=last)
        case Conclusion.GONE:
            return tr(
                "The fault did not come back: it was a bad contact of card or cable, or it is intermittent. Run longer."
            )
        case Conclusion.SEVERAL:
            return tr("No single part explains what failed: more than one is at fault, or the fault is intermittent.")
        case Conclusion.UNTESTED:
            return tr("The two cards have no verdict yet: run the stages to their end.")


def _thing(part: Suspect, name: str) -> str:
    if part is Suspect.CARD:
        return tr("the card {name}", name=name)
    return tr("the slot {name}", name=name) if part is Suspect.SLOT else tr("the {name}", name=name)


def next_part(test: SwapTest, finding: Diagnosis) -> Suspect | None:
    """What is to be moved now: first the card; None where the test has its answer."""
    return finding.next_move if test.steps else Suspect.CARD


def instruction(store: RunReader, test: SwapTest, finding: Diagnosis) -> str:
    """What to do next in the terminal; "" where the test has its answer."""
    part = next_part(test, finding)
    todo = what_to_move(store, test, part) if part else ""
    if not (part and todo):
        return ""
    then = tr("Then: {command}", command=f"rigwright swap-test --moved {part.value}")
    return joined([todo, then])


def what_to_move(store: RunReader, test: SwapTest, part: Suspect) -> str:
    """In a sentence or two; "" where one of the two cards is in no run."""
    devices = {row.device.id: row.device for row in store.devices(test.steps[-1].run if test.steps else test.base)}
    as_built = store.as_built(test.steps[-1].run if test.steps else test.base)
    suspect, partner = devices.get(test.suspect), devices.get(test.partner or "")
    if suspect is None or partner is None:
        return ""
    here, there = slot_name(suspect, as_built), slot_name(partner, as_built)
    match part:
        case Suspect.CARD:
            name = suspect.name
            if suspect.serial:
                name = tr("{name}, serial number {serial}", name=name, serial=suspect.serial)
            fields = {"suspect": suspect.label, "name": name, "here": here, "partner": partner.label, "there": there}
            return tr(
                "Switch off, pull the mains plug, swap {suspect} ({name}) in {here} with {partner} in "
                "{there}. Leave cables and risers at their slots.",
                **fields,
            )
        case _:
            return _feed_to_move(feeds_after(store, test), here, there, at_psu=part is not Suspect.CABLE)


def _feed_to_move(feeds: Mapping[str, SlotFeed], here: str, there: str, *, at_psu: bool) -> str:
    """Cables at the cards of two slots, or `at_psu`; by their names where the plan tells them."""
    one, other = feeds.get(here), feeds.get(there)
    planned = one is not None and other is not None and one.planned and other.planned
    if not planned and at_psu:
        return tr(
            "Switch off, pull the mains plug, connect the cables of {here} and {there} to each "
            "other's PSU. Leave everything else in place.",
            here=here,
            there=there,
        )
    if one is None or other is None or not planned:
        return tr(
            "Switch off, pull the mains plug, swap the power cables of {here} and {there}. Leave the cards in place.",
            here=here,
            there=there,
        )
    if at_psu and one.psu_part != other.psu_part:
        return NOT_INTERCHANGEABLE
    cables = {"cables": listed(one.cables), "others": listed(other.cables)}
    if at_psu:
        return tr(
            "Switch off, pull the mains plug, swap {cables} and {others} at the PSUs. Leave everything else in place.",
            **cables,
        )
    return tr(
        "Switch off, pull the mains plug, plug {cables} into the card in {there}, {others} into the card in {here}. "
        "Leave the cards in their slots and the cables in their PSU.",
        here=here,
        there=there,
        **cables,
    )


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
