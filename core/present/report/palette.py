"""Colours, icons and dashes of reports. Colour is never the only cue: a word, an icon or a dash goes with it.

Text colours keep a contrast of at least 4.5 : 1 on white (WCAG 2.1, 1.4.3), curves at least 3 : 1 (1.4.11). Series are
the Okabe-Ito set (Okabe and Ito 2008, "Color Universal Design"), its light hues darkened for white paper.
"""

from __future__ import annotations

from core.burnin.record.rows import EventLevel, Outcome
from core.burnin.verdict.states import BAD, StageState
from core.present.report.document import Badge, Tone

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
SERIES_DASHES = ("", "4 1.8", "7 1.8 1.1 1.8", "1.1 1.8", "7 1.6", "3.3 1.1 1.1 1.1 1.1 1.1")
"""Of SVG, in points."""


def series_style(position: int) -> tuple[str, str]:
    """Colour and dash of the n-th device: 24 different pairs (the least common multiple of 8 and 6)."""
    return SERIES_COLOURS[position % len(SERIES_COLOURS)], SERIES_DASHES[position % len(SERIES_DASHES)]


OUTCOME_BADGE = {
    outcome: Badge(outcome.label, tone)
    for outcome, tone in zip(Outcome, (Tone.PASS, Tone.WARN, Tone.FAIL, Tone.UNKNOWN), strict=True)
}
"""A verdict's or reason's word."""

_STATE_TONE = {
    StageState.PASSED: Tone.PASS,
    StageState.WARNED: Tone.WARN,
    **dict.fromkeys(BAD, Tone.FAIL),
    **dict.fromkeys((StageState.NO_PART, StageState.NOT_JUDGED), Tone.PLAIN),
}
STATE_BADGE = {state: Badge(state.badge, _STATE_TONE.get(state, Tone.UNKNOWN)) for state in StageState}
"""How a stage stands on a device."""

EVENT_BADGE = {
    level: Badge(level.label, tone) for level, tone in zip(EventLevel, (Tone.PLAIN, Tone.WARN, Tone.FAIL), strict=True)
}
"""How loud an event is."""
