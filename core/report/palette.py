"""Colours, icons and dashes of reports. Colour is never the only cue: a word, an icon or a dash goes with it.

Text colours keep a contrast of at least 4.5 : 1 on white (WCAG 2.1, 1.4.3), curves at least 3 : 1 (1.4.11). Series are
the Okabe-Ito set (Okabe and Ito 2008, "Color Universal Design"), its light hues darkened for white paper.
"""

from __future__ import annotations

from core.burnin.record import EventLevel, Outcome, ResultStatus, StageStatus
from core.report.document import Badge, Tone

INK = "#1a1e23"
MUTED = "#59636e"
GRID = "#e4e7eb"
ACCENT = "#0b65a8"
STAGE_BAND = "#eef1f4"

TONE_COLOUR: dict[Tone, str] = {
    Tone.PLAIN: INK,
    Tone.PASS: "#00745a",
    Tone.NOTE: ACCENT,
    Tone.WARN: "#9a5b00",
    Tone.FAIL: "#b8321a",
    Tone.UNKNOWN: "#7d4b8f",
}

TONE_ICON: dict[Tone, str] = {
    Tone.PLAIN: "",
    Tone.PASS: "✓",
    Tone.NOTE: "ℹ",
    Tone.WARN: "⚠",
    Tone.FAIL: "✗",
    Tone.UNKNOWN: "?",
}
"""Text characters, all in the font that the PDF writer brings along."""

SERIES_COLOURS = ("#0072b2", "#d55e00", "#00875f", "#b4518a", "#a87000", "#2b8cc4", "#857b00", "#1a1e23")
SERIES_DASHES = ("-", "--", "-.", ":", (0, (6, 1.5)), (0, (3, 1, 1, 1, 1, 1)))


def series_style(position: int) -> tuple[str, str | tuple[int, tuple[float, ...]]]:
    """Colour and dash of the n-th device: 24 different pairs (the least common multiple of 8 and 6)."""
    return SERIES_COLOURS[position % len(SERIES_COLOURS)], SERIES_DASHES[position % len(SERIES_DASHES)]


_OUTCOME_TONE: dict[Outcome, Tone] = {
    Outcome.PASS: Tone.PASS,
    Outcome.WARN: Tone.WARN,
    Outcome.FAIL: Tone.FAIL,
    Outcome.INCOMPLETE: Tone.UNKNOWN,
}

_RESULT_BADGE: dict[ResultStatus, Badge] = {
    ResultStatus.PASSED: Badge("PASSED", Tone.PASS),
    ResultStatus.FAILED: Badge("FAILED", Tone.FAIL),
    ResultStatus.STOPPED: Badge("STOPPED", Tone.UNKNOWN),
    ResultStatus.NOT_RUN: Badge("NOT RUN", Tone.UNKNOWN),
    ResultStatus.DIED: Badge("DIED", Tone.FAIL),
}

_STAGE_BADGE: dict[StageStatus, Badge] = {
    StageStatus.PENDING: Badge("NOT REACHED", Tone.UNKNOWN),
    StageStatus.RUNNING: Badge("NOT ENDED", Tone.UNKNOWN),
    StageStatus.DONE: Badge("NO RESULT", Tone.UNKNOWN),
    StageStatus.SKIPPED: Badge("SKIPPED", Tone.UNKNOWN),
}

_EVENT_TONE: dict[EventLevel, Tone] = {
    EventLevel.INFO: Tone.PLAIN,
    EventLevel.WARN: Tone.WARN,
    EventLevel.ERROR: Tone.FAIL,
}


def outcome_badge(outcome: Outcome) -> Badge:
    """A verdict's or reason's word."""
    return Badge(outcome.value, _OUTCOME_TONE[outcome])


def result_badge(status: ResultStatus) -> Badge:
    """How a stage ended on a device."""
    return _RESULT_BADGE[status]


def stage_badge(status: StageStatus) -> Badge:
    """What is said of a device for which a stage has no result."""
    return _STAGE_BADGE[status]


def event_badge(level: EventLevel) -> Badge:
    """How loud an event is."""
    return Badge(level.value, _EVENT_TONE[level])
