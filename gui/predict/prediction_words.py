"""Bands as cells and sentences: the expected figure, the band below it, and what both rest on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.build.build import Build
from core.language import joined, plain, tr
from core.predict.band import Band
from core.predict.noise.acoustics import SERVER, words
from core.predict.speed.memory_fit import Fits, MemoryFit
from core.rules.figure_names import figure_phrase
from gui.figures import DASH, middle, span
from gui.predict.figures_model import FigureCell
from gui.units import here, unit_here

MARK = "?"
"""Behind a band in which defaults stand in for unknown figures."""


def band_cell(build: Build, band: Band | None, *, tone: str = "", about: str = "") -> FigureCell:
    """A figure with its band; what it assumes and lacks is in the tooltip. None is unknown."""
    if band is None:
        return unknown_cell(about)
    return FigureCell(middle(here(band)), span_words(band), tip_of(build, band, about), tone, order=band.expected)


def percent_cell(build: Build, band: Band | None, *, tone: str = "", about: str = "") -> FigureCell:
    """A share as per cents."""
    return band_cell(build, band.times(100).measured_in("%") if band else None, tone=tone, about=about)


def unknown_cell(about: str = "") -> FigureCell:
    """For what nobody can say; never a zero."""
    return FigureCell(tr("unknown"), tip=about, tone="muted")


def nothing_cell(about: str = "") -> FigureCell:
    """For what a row does not have."""
    return FigureCell(DASH, tip=about, tone="muted")


def bar_cell(band: Band, most: float) -> FigureCell:
    """The band as a bar; `most` is the whole width."""
    whole = most or 1.0
    return FigureCell("", bar=(band.low / whole, band.expected / whole, band.high / whole), order=band.expected)


def span_words(band: Band) -> str:
    """The two ends, with a mark where defaults stand in for unknown figures."""
    return f"{span(here(band))} {MARK}" if band.missing else span(here(band))


def figure(band: Band, unit: str = "") -> str:
    """In a sentence: "2 377 W (2 020–2 770)". `unit` is what the band's own is called there."""
    shown = here(band)
    return f"{middle(shown)} {unit_here(unit or band.unit)} ({span(shown)})"


def tip_of(build: Build, band: Band, about: str = "") -> str:
    """What a figure rests on, a sentence a line."""
    lines = [about] if about else []
    lines += band.assumptions
    if band.missing:
        lines.append(lacking_words(build, band.missing))
    return joined(lines, "\n")


def lacking_words(build: Build, missing: Sequence[str]) -> str:
    """Which figures are unknown."""
    return tr("Unknown, replaced by wide defaults: {figures}", figures=figure_phrase(build, missing))


def mark_words(bands: Iterable[Band | None]) -> str:
    """What the mark means; empty where no band carries it."""
    if not any(band.missing for band in bands if band is not None):
        return ""
    return tr("{mark}  Wide defaults replace unknown figures; the Basis section lists them.", mark=MARK)


def place_words(slot: int | None, number_of: int) -> str:
    """Where a card sits, else which of its line it is."""
    if slot is not None:
        return tr("slot {slot}", slot=slot)
    return tr("card {number}, no slot", number=number_of)


def loudness(level_dba: float) -> str:
    """A word for a level at the ear."""
    word = words(level_dba)
    return tr("as loud as a server") if word is SERVER else word


def listed(lines: Iterable[str]) -> str:
    """Sentences as a list."""
    return joined((plain("•  {line}", line=line) for line in lines), "\n")


def fit_words(memory: MemoryFit) -> str:
    """Whether a model fits cards of one size."""
    if memory.fits is Fits.NO and memory.fewest_cards:
        return tr("across {count} cards", count=memory.fewest_cards)
    return memory.fits.label
