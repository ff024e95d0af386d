"""A calibration in rows and sentences: what is stored with a build, and what a fit came to. Qt-free but for
translation."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication

from core.build.build import Build
from core.build.calibration import Factor, Offset
from core.calibrate.outcome import Fit, Outcome, Quantity
from core.calibrate.replaced import only_in_the_old
from gui.planner.figures import DASH
from gui.predict.figures_model import Cell, Row

translate = QCoreApplication.translate


def stored_rows(build: Build) -> Iterator[Row]:
    """What is corrected, by how much, and how sure that is."""
    kept = build.calibration
    for part_id, factor in kept.resistance:
        words = translate("Calibration", "Thermal resistance of {part}").format(part=_title(build, part_id))
        yield _row(f"resistance {part_id}", words, factor, "")
    for part_id, factor in kept.blocks:
        words = translate("Calibration", "Thermal resistance of {part}").format(part=_title(build, part_id))
        yield _row(f"block {part_id}", words, factor, "")
    for part_id, factor in kept.radiators:
        words = translate("Calibration", "Conductance of {part}").format(part=_title(build, part_id))
        yield _row(f"radiator {part_id}", words, factor, "")
    for part_id, offset in kept.fans_later_k:
        words = translate("Calibration", "Fans of {part} speed up later").format(part=_title(build, part_id))
        yield _row(f"fans {part_id}", words, offset, "K")
    for name, words, correction, unit in (
        ("coupling", translate("Calibration", "Warming by neighbours"), kept.coupling, ""),
        ("flow", translate("Calibration", "Flow through the case"), kept.flow, ""),
        ("level", translate("Calibration", "Level in training"), kept.level_db, "dB"),
        ("slope", translate("Calibration", "Cards' level over fan speed"), kept.fan_slope_db, "dB"),
    ):
        if correction is not None:
            yield _row(name, words, correction, unit)


def quantity_row(quantity: Quantity) -> Row:
    """A measured figure, and the model's before and after."""
    unit = quantity.unit.replace("C", "°C") if quantity.unit == "C" else quantity.unit
    before, after = (
        Cell(f"{band.expected:.1f}", _range(f"{band.low:.1f}", f"{band.high:.1f}"))
        for band in (quantity.before, quantity.after)
    )
    return Row(quantity.title, (Cell(quantity.title), Cell(unit), Cell(f"{quantity.measured:.1f}"), before, after))


def fit_row(fit: Fit) -> Row:
    """A fitted parameter, with what the model knew of it."""
    low, expected, high = fit.parameter.old
    new_low, new, new_high = fit.new
    cells = (
        Cell(fit.parameter.title),
        Cell(fit.parameter.unit or DASH),
        Cell(f"{expected:.3g}", _range(f"{low:.3g}", f"{high:.3g}")),
        Cell(f"{new:.3g}", _range(f"{new_low:.3g}", f"{new_high:.3g}")),
        Cell(f"{fit.error:.2g}"),
    )
    return Row(fit.parameter.title, cells)


def in_window(sentence: str) -> str:
    """A sentence of the command with the names of the fields in the place of its options."""
    for option, words in (
        ("--slots", translate("Calibration", "the slots")),
        ("--coolant", translate("Calibration", "the water before the blocks")),
        ("--case-air", translate("Calibration", "the intake air of the cards")),
        ("--room", translate("Calibration", "the room temperature")),
        ("--sound", translate("Calibration", "the sound level")),
        ("--distance", translate("Calibration", "its distance")),
        ("--background", translate("Calibration", "the background")),
    ):
        sentence = sentence.replace(option, f"\N{LEFT DOUBLE QUOTATION MARK}{words}\N{RIGHT DOUBLE QUOTATION MARK}")
    return sentence


def outcome_words(build: Build, outcome: Outcome) -> str:
    """What came of it, and which calibration of the build it would take the place of."""
    new, old = outcome.calibration, build.calibration
    if not new:
        return translate("Calibration", "Nothing could be fitted; the predictions stay as they are.")
    words = translate("Calibration", "Fitted by {source}, measured {where}: {count} of the model's figures.").format(
        source=new.source, where=new.circumstances, count=len(outcome.fits)
    )
    if not old:
        return words
    replaced = translate("Calibration", "{words} Kept, it takes the place of the calibration by {source}.").format(
        words=words, source=old.source
    )
    lost = ", ".join(only_in_the_old(build, new))
    if not lost:
        return replaced
    return translate("Calibration", "{words} What that one corrected and this one does not: {lost}.").format(
        words=replaced, lost=lost
    )


def _row(key: str, words: str, correction: Factor | Offset, unit: str) -> Row:
    if isinstance(correction, Factor):
        low, value, high = correction.of(1.0)
        cells = (Cell(words), Cell(f"× {value:.2f}"), Cell(_range(f"{low:.2f}", f"{high:.2f}")))
    else:
        low, value, high = correction.of(0.0)
        cells = (Cell(words), Cell(f"{value:+.1f} {unit}"), Cell(_range(f"{low:+.1f}", f"{high:+.1f}")))
    return Row(key, cells)


def _range(low: str, high: str) -> str:
    """Offsets may be below zero, where a dash would be read as a minus."""
    return translate("Calibration", "{low} to {high}").format(low=low, high=high)


def _title(build: Build, part_id: str) -> str:
    line = build.line(part_id)
    return line.part.title if line else part_id
