"""What is typed behind the options of the commands: lists of numbers, a circuit, a time to add."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TypeVar

from core.plan.mains import Circuit, custom_circuit
from core.plan.seats import SlotNumber
from core.platform.errors import BadInput
from core.words import tr

Kind = TypeVar("Kind", bound=StrEnum)
NONE = "none"
"""Takes a setting away."""
AUTOMATIC = "auto"
_CIRCUIT = re.compile(r"(\d+(?:\.\d+)?)\s*v?\s*x\s*(\d+(?:\.\d+)?)\s*a?(?:\s*x\s*(\d+(?:\.\d+)?))?", re.IGNORECASE)


def numbers(option: str, texts: list[str] | None) -> tuple[int, ...]:
    """`--slot 1,3 --slot 5` as numbers; empty for "none" and where nothing was given. Raises BadInput."""
    words = [word.strip() for one in texts or () for word in one.split(",")]
    if words == [NONE]:
        return ()
    if not all(re.fullmatch(r"[0-9]{1,4}|[Cc][1-9][0-9]?/[0-9]{1,2}", word) for word in words):
        raise BadInput(
            tr(
                "{option} {words!r} is not a list of slots. Write their numbers, like 1,3,C1/2, or {none}.",
                option=option,
                words=",".join(words),
                none=NONE,
            )
        )
    return tuple(map(SlotNumber.parse, words))


def one_of(option: str, kind: type[Kind], text: str, *others: str) -> Kind:
    """The condition of "used", the role of "display"; `others` may be typed, too. Raises BadInput."""
    if text not in set(kind):
        choices = ", ".join((*kind, *others))
        raise BadInput(tr("{option} is {choices}, not {given!r}.", option=option, choices=choices, given=text))
    return kind(text)


def psus(text: str) -> tuple[int | None, ...]:
    """Numbers of PSUs as typed; None for "auto". Raises BadInput."""
    words = [word.strip() for word in text.split(",")]
    if not all(word == AUTOMATIC or re.fullmatch(r"[0-9]{1,4}", word) for word in words):
        raise BadInput(
            tr(
                "--psu {given!r} is not a list of PSUs. Write their numbers, like 1,2,2, or {automatic}.",
                given=text,
                automatic=AUTOMATIC,
            )
        )
    return tuple(None if word == AUTOMATIC else int(word) for word in words)


def sockets(text: str) -> tuple[str | None, ...]:
    """Labels of sockets as typed, one for each drive; None for "auto", empty for "auto" alone."""
    words = [word.strip() for word in text.split(",")]
    if words == [AUTOMATIC]:
        return ()
    return tuple(None if word == AUTOMATIC else word for word in words)


def slot_generations(text: str) -> dict[int, int | None]:
    """Generations that slots are set to, as typed: 1=3,2=auto. Raises BadInput."""
    pairs = [_SLOT_GENERATION.fullmatch(word.strip()) for word in text.split(",")]
    if not all(pairs):
        raise BadInput(
            tr(
                "--slot-generation {given!r} is not a list of slots. Write each with its generation, such as 1=3, or "
                "1={automatic}.",
                given=text,
                automatic=AUTOMATIC,
            )
        )
    typed = [pair.groups() for pair in pairs if pair is not None]
    return {int(slot): None if generation == AUTOMATIC else int(generation) for slot, generation in typed}


def number(option: str, text: str, unit: str) -> float:
    """A figure as typed, with its unit or without. Raises BadInput."""
    try:
        return float(text.strip().removesuffix(unit))
    except ValueError as error:
        raise BadInput(
            tr("{option} {given!r} is not a number of {unit}.", option=option, given=text, unit=unit)
        ) from error


def circuit(text: str) -> Circuit:
    """A circuit as typed: 230x16 is 230 V and 16 A, 120x20x0.8 uses 80 % of it for hours. Raises BadInput."""
    typed = _CIRCUIT.fullmatch(text.strip())
    if typed is None:
        raise BadInput(
            tr(
                "--circuit {given!r} is not a circuit. Write volts and amperes, such as 230x16, or {none}.",
                given=text,
                none=NONE,
            )
        )
    volts, amperes, share = typed.groups()
    try:
        return custom_circuit(float(volts), float(amperes), float(share or 1))
    except ValueError as error:
        raise BadInput(tr("--circuit {given!r} is not possible: {error}.", given=text, error=error)) from error


_SLOT_GENERATION = re.compile(rf"([0-9]{{1,4}})=([0-9]|{AUTOMATIC})")
_OFFSET = re.compile(r"(?P<sign>[+-]?)(?P<number>\d+(\.\d+)?)(?P<unit>h|min|m|s)?")
_SECONDS = {"h": 3600.0, "m": 60.0, "min": 60.0, "s": 1.0, None: 1.0}


def offset_s(text: str) -> float:
    """Seconds of 1h, -90m or 20s. Raises BadInput."""
    matched = _OFFSET.fullmatch(text.strip())
    if matched is None:
        raise BadInput(tr("--offset {text} is no time. Write it like 1h, -90m or 20s.", text=repr(text)))
    seconds = float(matched["number"]) * _SECONDS[matched["unit"]]
    return -seconds if matched["sign"] == "-" else seconds
