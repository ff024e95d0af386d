"""A swap test in sentences: what to do next, and what was found."""

from __future__ import annotations

from core.burnin.record.reader import RunReader
from core.burnin.swap.reasoning import Answer, Finding, Part
from core.burnin.swap.session import SwapTest, slot_name

REPLACE = {
    Part.CARD: "Replace the card.",
    Part.CABLE: "Replace the cable.",
    Part.SUPPLY: "Replace the supply, or take load off it.",
    Part.SLOT: "Use another slot; clean it and look for bent contacts, or replace the board or riser.",
}


def answer_words(finding: Finding) -> str:
    """The deciding thing first."""
    match finding.answer:
        case Answer.FOUND:
            ((part, name),) = finding.parts
            return f"The fault follows the {_thing(part, name)}. {REPLACE[part]}"
        case Answer.OPEN:
            *others, last = [f"the {_thing(part, name)}" for part, name in finding.parts]
            return f"The fault comes from {', '.join(others)} or {last}."
        case Answer.GONE:
            return "The fault did not come back: it was the contact of card or cable, or it shows seldom. Run longer."
        case Answer.SEVERAL:
            return "No single part explains what failed: more than one is at fault, or the fault shows seldom."
        case Answer.UNTESTED:
            return "The two cards have no verdict yet: run the stages to their end."


def _thing(part: Part, name: str) -> str:
    if part is Part.CARD:
        return f"card {name}"
    return name if part is not Part.SLOT else f"slot {name}"


def next_part(test: SwapTest, finding: Finding) -> Part | None:
    """What is to be moved now: first the card; None where the test has its answer."""
    return finding.next_move if test.steps else Part.CARD


def instruction(store: RunReader, test: SwapTest, finding: Finding) -> str:
    """What to do next in the terminal; "" where the test has its answer."""
    part = next_part(test, finding)
    todo = what_to_move(store, test, part) if part else ""
    return f"{todo} Then: rigwright swap-test --moved {part.value}" if part and todo else ""


def what_to_move(store: RunReader, test: SwapTest, part: Part) -> str:
    """In a sentence or two; "" where one of the two cards is in no run."""
    devices = {row.device.id: row.device for row in store.devices(test.steps[-1].run if test.steps else test.base)}
    as_built = store.as_built(test.base)
    suspect, partner = devices.get(test.suspect), devices.get(test.partner or "")
    if suspect is None or partner is None:
        return ""
    here, there = slot_name(suspect, as_built), slot_name(partner, as_built)
    serial = f", serial number {suspect.serial}" if suspect.serial else ""
    match part:
        case Part.CARD:
            what = (
                f"let {suspect.label} ({suspect.name}{serial}) in {here} and {partner.label} in {there} change places. "
                "Leave cables and risers at their slots"
            )
        case Part.CABLE:
            what = f"let the power cables of {here} and {there} change places. Leave the cards where they are"
        case _:
            what = f"connect the cables of {here} and {there} to each other's supply. Leave all else where it is"
    return f"Switch off, pull the mains plug, {what}."
