"""A swap test in sentences: what to do next, and what was found."""

from __future__ import annotations

from collections.abc import Mapping

from core.burnin.record.reader import RunReader
from core.burnin.swap.reasoning import Conclusion, Diagnosis, SlotFeed, Suspect, slot_name
from core.burnin.swap.session import SwapTest, feeds_after
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
