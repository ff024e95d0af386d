"""A file of measured cases: CSV in UTF-8 with a header row.

Columns: `id`, `configuration` (what was measured, in words: number, maker and product of the cards, room or case),
`quantity` (one of `outcome.MODELS`), `condition` (in words), `value` (a number, a range, or about a number), `unit`,
`distance_m` (of a microphone, may be empty), `source`, `trust` (A measured with its method told, B measured, C a
snapshot or claim, D unverified), and the columns of `Facts`, which say the same as the words in figures. A file without
any of these is read by its words (`described`): files of other people have a configuration and a condition in words and
no more. Words are written by anybody: a figure that makes no sense counts as not said.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TypeVar

from core.lab.validation.facts import (
    AIR_C,
    DBA,
    FACT_COLUMNS,
    UNSAID,
    WATTS,
    Facts,
    NamedPart,
    NotAFigure,
    Sounding,
    figure,
    read_facts,
)
from core.parts.vocabulary import Category, EfficiencyLevel, GpuCooling
from core.platform.errors import BadInput
from core.platform.foreign import read_text
from core.predict.conditions import LoadCase
from core.predict.speed.networks import ComputePrecision, Network
from core.words import joined, tr

T = TypeVar("T")
Range = tuple[float, float]
Patterns = Sequence[tuple[T, re.Pattern[str]]]

_N = r"\d{1,7}(?:\.\d{1,6})?"
"""A plain figure within a sentence; longer rows of digits are no figure that anybody measured."""
_COUNT = re.compile(r"\b(\d{1,2})\s*x\s")
_OTHERS = re.compile(r"\b\d{1,2}-(?:card|slot) (?:machine|server)")
_NAMED_CARD = re.compile(r"gpu ?\d+ ([^:]+):")
_BOARD_W = re.compile(rf"({_N})\s*w board power")
_RANGE_W = re.compile(rf"~?({_N})\s*-\s*({_N})\s*w\b")
_ANY_W = re.compile(rf"~?({_N})\s*w\b")
_LIMIT_W = re.compile(rf"({_N})\s*w\b")
_BASE_W = re.compile(rf"(?:of|relative to|vs\.?|over)\s+({_N})\s*w\b")
_WINDOW = re.compile(rf"(?:({_N})\s*-\s*)?<?\s*({_N})\s*ms\b")
SHORTEST_MS = 0.001
_FAN = re.compile(rf"fans?\s+({_N})\s*%")
_RPM = re.compile(rf"({_N})(?:/\d+)?\s*rpm")
_INLET = re.compile(rf"inlet\s*~?\s*({_N})")
_ROOM = re.compile(rf"ambient\s*~?\s*({_N})|\b({_N})\+-\d c\b")
_COOLANT = re.compile(rf"(?:coolant|water)\s*~?\s*({_N}) c\b|({_N}) c (?:coolant|water)")
_SLOTS = re.compile(rf"\b({_N})[ -]slot\b")
_BACKGROUND = re.compile(rf"background\s+({_N})\s*dba")
_COOLING: Patterns[GpuCooling] = (
    (GpuCooling.BLOWER, re.compile(r"blower|\bturbo\b|\bax0|a6000|6000 ada|max-q|reference cooler")),
    (GpuCooling.WATER_BLOCK, re.compile(r"water|waterblock|\bek\b")),
    (GpuCooling.PASSIVE, re.compile(r"passive")),
    (GpuCooling.OPEN_AIR, re.compile(r"open-air|axial|strix|gaming|trio|suprim|tuf|gamerock|fan cards?")),
)
_ADJACENT = re.compile(r"adjacent|stacked|directly on|side by side|no gap")
_GAP = re.compile(r"one slot gap|one free slot|slot gap")
_OPEN = re.compile(r"open bench|test bench|open frame|outside|server|rack")
_MAXED = re.compile(r"limits?(?: are)? (?:maxed|raised|at maximum)")
_GAMES = re.compile(r"\bgam(?:es?|ing)\b|metro|cyberpunk|witcher|\baverage\b")
_ALL = re.compile(r"cpu ?\+ ?gpu|gpu ?\+ ?cpu|cpus? and gpus?|gpus? and cpus?")
_CORES = re.compile(r"prime95|stress-ng|all cores")
_CARDS_ALONE = re.compile(r"gpu[-_ ]?burn")
"""Loads that leave processors and memory at rest."""
_SINGLES = re.compile(r"single fans ([\d\-./ ]{1,200}?) dba")
_ONE_OR_TWO = re.compile(rf"\s*({_N})(?:-({_N}))?\s*")
_REMOVED = re.compile(rf"panels removed:? ({_N}) dba")
_MACHINE = re.compile(r"without graphics card|thinkstation|precision")
_NETWORKS: Patterns[Network] = (
    (Network.CNN, re.compile(r"resnet-?50|convolution")),
    (Network.LSTM, re.compile(r"gnmt|lstm")),
    (Network.TRANSFORMER, re.compile(r"gpt-?2 medium")),
)
_PRECISIONS: Patterns[ComputePrecision] = (
    (ComputePrecision.MIXED, re.compile(r"mixed|half precision|fp16|bf16")),
    (ComputePrecision.TF32, re.compile(r"tf32")),
    (ComputePrecision.FP32, re.compile(r"fp32|single precision")),
)
_DC_W = re.compile(rf"({_N}) w dc\b")
_PSU_LOAD = re.compile(rf"({_N}) % load")
_VOLTS = re.compile(r"\b(1\d\d|2\d\d) v\b")
_RATING = re.compile(r"[a-z](\d{3,4})\b")
_LEVEL = re.compile("|".join(EfficiencyLevel))
_RADIATOR = re.compile(r"\b(120|140|240|280|360|420|480)(?:\.(\d))?\b")
_PHRASES = re.compile(r"[,;+:]")
_MANY = re.compile(r"^\s*(\d{1,2})\s*x\s")
_PART_W = re.compile(rf"({_N}) w\b")
_CPU = re.compile(r"\b(?:xeons?|epyc|threadripper|ryzen|core i\d)\b")
_GPU = re.compile(r"\b(?:gpus?|rtx|gtx|titan|tesla|quadro)\b")
_MODULES = re.compile(r"\b\d{1,3} gb\b.*\b(?:ddr\d|r?dimms?)\b")
_SERVER = re.compile(r"server|supermicro|rack|thinkstation|precision")


def described(configuration: str, condition: str) -> Facts:
    """What the words of a case say."""
    set_up, under = configuration.lower(), condition.lower()
    words = f"{set_up} | {under}"
    radiator_fan_mm, radiator_fans = _radiator(set_up)
    return Facts(
        cards=_cards(set_up, words),
        other_cards=bool(_OTHERS.search(words)),
        card=match[1] if (match := _NAMED_CARD.search(under)) else "",
        cooling=_first(_COOLING, set_up),
        cooler_slots=_figure(_SLOTS, set_up, (0.8, 5.0)),
        free_slots=0 if _ADJACENT.search(words) and not _GAP.search(words) else 1,
        in_the_open=bool(_OPEN.search(words)),
        load=_load(under),
        games=bool(_GAMES.search(under)),
        limits_maxed=bool(_MAXED.search(under)),
        card_w=_card_w(words, under),
        limit_w=_figure(_LIMIT_W, under),
        base_limit_w=_figure(_BASE_W, under),
        window_ms=_window_ms(under),
        fan_pct=_figure(_FAN, under, (0.0, 100.0)),
        rpm=_figure(_RPM, under if _RPM.search(under) else set_up, (100.0, 25_000.0)),
        room_c=_figure(_ROOM, words, AIR_C),
        inlet_c=_figure(_INLET, words, AIR_C),
        coolant_c=_figure(_COOLANT, words, AIR_C),
        background_dba=_figure(_BACKGROUND, under, DBA),
        sounding=Sounding.PSU_FAN if "psu fan" in words else Sounding.MACHINE if _MACHINE.search(words) else None,
        fan_levels_dba=_fan_levels(words),
        open_panels_dba=_figure(_REMOVED, words),
        network=_first(_NETWORKS, words),
        precision=_first(_PRECISIONS, words),
        dc_w=_figure(_DC_W, under),
        psu_load_pct=_figure(_PSU_LOAD, under),
        psu_w=_figure(_RATING, set_up),
        psu_level=EfficiencyLevel(level[0]) if (level := _LEVEL.search(words)) else None,
        mains_v=_figure(_VOLTS, words),
        radiator_fan_mm=radiator_fan_mm,
        radiator_fans=radiator_fans,
        parts=tuple(_parts(set_up)),
        ram_modules=_modules(set_up),
        server=bool(_SERVER.search(words)),
        board_power_told="board power" in words,
        cards_alone=bool(_CARDS_ALONE.search(words)),
    )


def _first(patterns: Patterns[T], words: str) -> T | None:
    """The first kind of which the words speak."""
    return next((kind for kind, pattern in patterns if pattern.search(words)), None)


def _figure(pattern: re.Pattern[str], words: str, within: Range = (0.0, 1e9)) -> float | None:
    match = pattern.search(words)
    return _within(next(group for group in match.groups() if group), within) if match else None


def _within(text: str, within: Range) -> float | None:
    low, high = within
    return value if low <= (value := float(text)) <= high else None


def _cards(set_up: str, words: str) -> int:
    match = _COUNT.search(set_up)
    return max(1, int(match[1])) if match else 2 if " sli" in words else 1


def _card_w(words: str, under: str) -> float | None:
    """Stated as board power, else a range or a single figure of the condition."""
    if _BOARD_W.search(words):
        return _figure(_BOARD_W, words, WATTS)
    if match := _RANGE_W.search(under):
        low, high = (_within(end, WATTS) for end in match.groups())
        return None if low is None or high is None else (low + high) / 2
    return _figure(_ANY_W, under, WATTS)


def _window_ms(under: str) -> float | None:
    """The geometric middle of a stated range of durations."""
    match = _WINDOW.search(under)
    if match is None:
        return None
    longest = float(match[2])
    middle = float((float(match[1]) * longest) ** 0.5) if match[1] else longest / 2
    return max(middle, SHORTEST_MS)


def _load(under: str) -> LoadCase:
    if "idle" in under:
        return LoadCase.IDLE
    if _ALL.search(under):
        return LoadCase.EVERYTHING
    return LoadCase.ALL_CORE if _CORES.search(under) else LoadCase.TRAINING


def _fan_levels(words: str) -> tuple[float, ...] | None:
    """Of single fans, each known to half a decibel; empty where one cannot be read."""
    singles = _SINGLES.search(words)
    if singles is None:
        return None
    read = [_ONE_OR_TWO.fullmatch(text) for text in singles[1].split("/")]
    ends = [[float(end) for end in match.groups() if end] for match in read if match]
    return tuple(sum(pair) / len(pair) for pair in ends) if len(ends) == len(read) else ()


def _radiator(set_up: str) -> tuple[float | None, int | None]:
    """Size and number of its fans: "360", or "120.3" for three places of 120 mm."""
    match = _RADIATOR.search(set_up)
    if match is None:
        return None, None
    fan_mm = 140.0 if int(match[1]) % 140 == 0 else 120.0
    return fan_mm, max(1, int(match[2] or round(int(match[1]) / fan_mm)))


def _parts(set_up: str) -> Iterator[NamedPart]:
    """Cards and processors that are named with their watts."""
    for phrase in _PHRASES.split(set_up):
        watts = _figure(_PART_W, phrase, WATTS)
        if watts is None or _MODULES.search(phrase):
            continue
        if _CPU.search(phrase):
            yield NamedPart(Category.CPU, _many(phrase), watts)
        elif _GPU.search(phrase):
            yield NamedPart(Category.GPU, _many(phrase), watts)


def _modules(set_up: str) -> int | None:
    named = [phrase for phrase in _PHRASES.split(set_up) if _MODULES.search(phrase)]
    return _many(named[-1]) if named else None


def _many(phrase: str) -> int:
    count = _MANY.search(phrase)
    return max(1, int(count[1])) if count else 1


COLUMNS = ("id", "configuration", "quantity", "condition", "value", "unit", "distance_m", "source", "trust")
TRUSTED = ("A", "B")


@dataclass(frozen=True, slots=True)
class Measured:
    """One row."""

    id: str
    configuration: str
    quantity: str
    condition: str
    value: float
    unit: str
    distance_m: float | None
    source: str
    trust: str
    facts: Facts = UNSAID
    unread: str = ""
    """Why the row cannot be read; then `value` is 0 and means nothing."""

    @property
    def trusted(self) -> bool:
        """Whether it counts for the share inside the band."""
        return self.trust in TRUSTED


def read_cases(path: Path) -> list[Measured]:
    """All rows, those that cannot be read with the reason. Raises BadInput for a file that is no table of cases."""
    rows = csv.DictReader(StringIO(read_text(path)))
    try:
        missing = sorted(set(COLUMNS) - set(rows.fieldnames or ()))
        if missing:
            names = ", ".join(missing)
            raise BadInput(
                tr("{path} is not a file of measured cases: it lacks the columns {missing}.", path=path, missing=names)
            )
        return list(_rows(rows))
    except csv.Error as error:
        line, reason = rows.line_num, str(error)
        raise BadInput(
            tr("{path}, line {line}: the table cannot be read ({reason}).", path=path, line=line, reason=reason)
        ) from error


def _rows(rows: csv.DictReader[str]) -> Iterator[Measured]:
    before, fact_columns = "", [name for name in FACT_COLUMNS if name in (rows.fieldnames or ())]
    for row in rows:
        texts = {name: (row[name] or "").strip() for name in COLUMNS}
        before = texts["configuration"] = _spelt_out(texts["configuration"], before)
        value, unread = 0.0, ""
        distance_m, facts = None, UNSAID
        try:
            value = _cell("value", texts["value"], texts["unit"])
            distance_m = _distance_m(texts["distance_m"])
            cells = {name: (row[name] or "").strip() for name in fact_columns}
            facts = read_facts(cells) if fact_columns else described(texts["configuration"], texts["condition"])
        except NotAFigure as error:
            unread = tr("line {line}: {reason}", line=rows.line_num, reason=error.args[0])
        texts["trust"] = texts["trust"].upper()
        words = {name: text for name, text in texts.items() if name not in ("value", "distance_m")}
        yield Measured(**words, value=value, distance_m=distance_m, facts=facts, unread=unread)


def _spelt_out(configuration: str, before: str) -> str:
    """ "Maker X, same" means what the row before said of Maker X."""
    name, comma, rest = configuration.partition(",")
    return before if comma and rest.strip().lower() == "same" and before.startswith(name) else configuration


def _cell(column: str, text: str, unit: str) -> float:
    try:
        return figure(text, unit)
    except NotAFigure as error:
        raise NotAFigure(joined([column, error.args[0]])) from error


def _distance_m(text: str) -> float | None:
    if not text:
        return None
    distance_m = _cell("distance_m", text, "m")
    if not 0.01 <= distance_m <= 1000:
        raise NotAFigure(tr("distance_m is {text!r}, where no microphone can be", text=text))
    return distance_m
