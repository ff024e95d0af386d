"""The text that orders a simulation or a replay: cards, scripted faults, and what the room is like.

6x3090                      six cards
2x3090,1xa100               of several models
4x3090,fault=ecc@2:30s      a fault on card 2 (they count from 0) after 30 s; time in s, m or h
4x3090,fault=slow20@all     on all cards, with a number: 20 per cent
8xh100,fault=psu:1m         a fault of the machine names no card
4x3090,room=35,seed=7       air at 35 C; other noise and other coolers
replay:run.jsonl            a recorded run; replay:run.jsonl@10x ten times as fast
cards:{"cards": [...], "script": "fault=ecc@2:30s"}
                            cards that are described whole, as programs write it
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from core.machine.telemetry.simulated.card import Model, find_model, known_models
from core.platform.errors import BadInput
from core.words import tr, trn

CARDS = "cards:"
MOST_CARDS = 16
ROOM_C = 24.0
_ROOM_RANGE_C = (-10.0, 60.0)
_SPEED_RANGE = (0.1, 1000.0)

_MODELS = TypeAdapter(list[Model])
_CARDS = re.compile(r"(?:(\d{1,9})\s*[x×*]\s*)?(.+)")
_FAULT = re.compile(r"(?P<word>[a-z]+)(?P<number>\d{1,4})?(?:@(?P<card>[a-z0-9]+))?(?::(?P<time>.+))?")
_TIME = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*([smh]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
_REPLAY = re.compile(r"replay:(?P<path>.+?)(?:@(?P<speed>\d{1,6}(?:\.\d{1,3})?)x)?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Simulation:
    """Cards side by side, and what happens to them."""

    models: tuple[Model, ...]
    faults: tuple[ScriptedFault, ...] = ()
    room_c: float = ROOM_C
    seed: int = 0


@dataclass(frozen=True, slots=True)
class RecordedReplay:
    """A file of recorded telemetry, and how many times as fast as it was recorded it is played."""

    path: Path
    speed: float = 1.0


def parse_simulation(text: str) -> Simulation | RecordedReplay:
    """What the text orders. Raises BadInput with what is known, and how to write it."""
    if match := _REPLAY.fullmatch(text.strip()):
        return _replay(match)
    models, items = _described(text) if text.startswith(CARDS) else ([], text.split(","))
    faults: list[str] = []
    numbers: dict[str, float] = {}
    for item in items:
        key, is_setting, value = item.strip().lower().partition("=")
        match key if is_setting else "":
            case "fault":
                faults.append(value)
            case "room":
                numbers["room_c"] = _number(item, value, *_ROOM_RANGE_C)
            case "seed":
                numbers["seed"] = _number(item, value, 0, 2**31)
            case "" if not text.startswith(CARDS):
                models += _cards(item.strip(), text)
            case _:
                raise BadInput(
                    tr("{item!r} is not a simulation option. Write fault=, room= or seed=.", item=item.strip())
                )
    if not 1 <= len(models) <= MOST_CARDS:
        raise BadInput(
            tr(
                "{text!r} asks for {cards} simulated GPUs; 1 to {most} can be simulated.",
                text=text,
                cards=len(models),
                most=MOST_CARDS,
            )
        )
    return Simulation(
        tuple(models),
        tuple(_fault(words.strip(), len(models)) for words in faults),
        numbers.get("room_c", ROOM_C),
        int(numbers.get("seed", 0)),
    )


def described_simulation(models: Sequence[Model], script: str) -> str:
    """The order of these cards, with faults and settings such as "fault=ecc@2:30s,room=30" or none."""
    cards = json.loads(_MODELS.dump_json(list(models), exclude_defaults=True))
    return CARDS + json.dumps({"cards": cards, "script": script}, separators=(",", ":"))


def _described(text: str) -> tuple[list[Model], list[str]]:
    try:
        order = json.loads(text.removeprefix(CARDS))
        models, script = _MODELS.validate_python(order["cards"]), str(order["script"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInput(
            tr("The description of the simulated cards is incomplete. Give them by name, such as 6x3090.")
        ) from error
    return models, [item for item in script.split(",") if item.strip()]


def absolute_simulation(text: str | None) -> str | None:
    """The same order as another working directory understands it too."""
    match = _REPLAY.fullmatch(text.strip()) if text is not None else None
    if match is None:
        return text
    speed = f"@{match['speed']}x" if match["speed"] else ""
    return f"replay:{Path(match['path']).expanduser().resolve()}{speed}"


def _cards(item: str, text: str) -> list[Model]:
    match = _CARDS.fullmatch(item)
    model = find_model(match[2]) if match else None
    if match is None or model is None:
        name = match[2] if match else item
        raise BadInput(
            tr(
                "{text!r} cannot be simulated: {name!r} is not a known GPU. Write 6x3090; known: {known}.",
                text=text,
                name=name,
                known=known_models(),
            )
        )
    return [model] * min(int(match[1] or 1), MOST_CARDS + 1)


def _fault(words: str, cards: int) -> ScriptedFault:
    match = _FAULT.fullmatch(words)
    kind = BY_WORD.get(match["word"]) if match else None
    if match is None or kind is None:
        kinds = ", ".join(kind.word for kind in FAULT_KINDS)
        raise BadInput(
            tr("fault={words} cannot be simulated. Write fault=ecc@2:30s; known: {known}.", words=words, known=kinds)
        )
    value = kind.usual if match["number"] is None else int(match["number"])
    if match["number"] is not None and not kind.value:
        raise BadInput(tr("fault={words}: {word} takes no number. Write fault={word}@0.", words=words, word=kind.word))
    if kind.value and value is None:
        raise BadInput(
            tr(
                "fault={words}: {word} takes a number ({what}). Write fault={word}79@0.",
                words=words,
                word=kind.word,
                what=kind.value,
            )
        )
    if match["time"] is not None and not kind.timed:
        raise BadInput(tr("fault={words}: {word} holds from the start and takes no time.", words=words, word=kind.word))
    at_s = 0.0 if match["time"] is None else _seconds(words, match["time"])
    return ScriptedFault(kind, _place(words, match["card"], cards, of_machine=kind.of_machine), at_s, value)


def _place(words: str, card: str | None, cards: int, *, of_machine: bool) -> int | None:
    """The card's number; None for all of them and for the machine."""
    if of_machine:
        if card is not None:
            raise BadInput(tr("fault={words} is a fault of the machine: leave out @{card}.", words=words, card=card))
        return None
    if card is None:
        raise BadInput(
            tr(
                "fault={words} names no card. Write fault={fault}@0, or @all.",
                words=words,
                fault=words.partition(":")[0],
            )
        )
    if card == "all":
        return None
    if not card.isdecimal() or int(card) >= cards:
        raise BadInput(
            trn(
                "fault={words}: there is one card, 0, not {card}.",
                "fault={words}: there are {count} cards, 0 to {last}, not {card}.",
                words=words,
                count=cards,
                last=cards - 1,
                card=card,
            )
        )
    return int(card)


def _seconds(words: str, time: str) -> float:
    match = _TIME.fullmatch(time.strip())
    if match is None:
        raise BadInput(tr("fault={words}: {time!r} is not a time. Write 30s, 5m or 1h.", words=words, time=time))
    return float(match[1]) * _SECONDS[match[2]]


def _number(item: str, text: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        raise BadInput(
            tr(
                "{item!r}: {text!r} is not a number from {low:g} to {high:g}.",
                item=item.strip(),
                text=text,
                low=low,
                high=high,
            )
        )
    return value


def _replay(match: re.Match[str]) -> RecordedReplay:
    speed = float(match["speed"] or 1)
    if not _SPEED_RANGE[0] <= speed <= _SPEED_RANGE[1]:
        raise BadInput(
            tr(
                "A recording plays at {slowest:g} to {fastest:g} times its speed, not {speed:g}.",
                slowest=_SPEED_RANGE[0],
                fastest=_SPEED_RANGE[1],
                speed=speed,
            )
        )
    path = Path(match["path"]).expanduser()
    if not path.is_file():
        raise BadInput(
            tr(
                "There is no recording {path}. Write one with: {rigwright telemetry} RUN -o {name}",
                path=path,
                name=path.name,
            )
        )
    return RecordedReplay(path.resolve(), speed)


@dataclass(frozen=True, slots=True)
class ScriptedFaultKind:
    """`value` is what its number says, "" where it takes none; `usual` stands in for a number that is not given."""

    word: str
    meaning: str
    value: str = ""
    usual: int | None = None
    of_machine: bool = False
    timed: bool = True
    """False: it is there from the start, since the load learns of it once."""


FAULT_KINDS: tuple[ScriptedFaultKind, ...] = (
    ScriptedFaultKind("ecc", tr("an uncorrectable memory error: Xid 48, and a row waiting to be replaced")),
    ScriptedFaultKind("corrected", tr("a corrected memory error every two seconds")),
    ScriptedFaultKind("xid", tr("the driver reports the Xid with that number, such as xid79"), value=tr("Xid number")),
    ScriptedFaultKind("lost", tr("the card falls off the bus: Xid 79, and it no longer answers")),
    ScriptedFaultKind("hang", tr("the driver never answers again: every reading hangs")),
    ScriptedFaultKind("slow", tr("it computes slower by that many per cent"), tr("per cent"), 30, timed=False),
    ScriptedFaultKind(
        "paste", tr("the resistance between core and heat sink rises by that many per cent"), tr("per cent"), 150
    ),
    ScriptedFaultKind("fan", tr("its fans stop, although they are told to spin")),
    ScriptedFaultKind("throttle", tr("the hardware holds its clocks down as if it were too hot")),
    ScriptedFaultKind("brake", tr("PSU or chassis asserts its power brake")),
    ScriptedFaultKind("link", tr("its PCIe link drops to that many lanes"), tr("lanes"), 4),
    ScriptedFaultKind("aer", tr("its PCIe link is disturbed: corrected errors, resent packets")),
    ScriptedFaultKind("frozen", tr("its sensors freeze")),
    ScriptedFaultKind("psu", tr("the PSU shuts down as soon as all cards are under load together"), of_machine=True),
)
BY_WORD = {kind.word: kind for kind in FAULT_KINDS}


@dataclass(frozen=True, slots=True)
class ScriptedFault:
    """A fault that begins `at_s` seconds after the cards were opened."""

    kind: ScriptedFaultKind
    card: int | None
    """Place of the card; None for all of them, or for the machine."""
    at_s: float = 0.0
    value: int | None = None

    @property
    def words(self) -> str:
        """As it is ordered, without its card: "ecc:30s"."""
        number = "" if self.value is None else str(self.value)
        return f"{self.kind.word}{number}:{self.at_s:g}s"
