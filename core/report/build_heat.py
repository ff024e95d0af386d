"""The temperatures of a build report: each card, air, coolant and processor in steady training, and in which room."""

from __future__ import annotations

from collections.abc import Iterator

from core.predict.band import Band
from core.predict.conditions import Conditions
from core.predict.prediction import Prediction
from core.predict.thermal.heat import THROTTLED, CardHeat
from core.report.document import Block, Cell, Column, Heading, KeyValues, Paragraph, table
from core.report.words import band_text, quantity, span_text

_COLUMNS = (
    Column("Card", 3.4),
    Column("Slot", 0.7),
    Column("Chip", 1.7, numeric=True),
    Column("Air or coolant before it", 1.9, numeric=True),
    Column("Fan, of full speed", 1.6, numeric=True),
    Column("Power", 1.9, numeric=True),
)


def heat_blocks(prediction: Prediction) -> Iterator[Block]:
    """How warm it gets; nothing for a build without cards and processors."""
    heat = prediction.heat
    if not (heat.cards or heat.unknown or prediction.cpu_busy_c):
        return
    yield Heading("Temperatures, predicted")
    yield KeyValues(tuple(_facts(prediction)))
    if heat.cards:
        yield table(_COLUMNS, list(_rows(heat.cards)))
    if heat.unknown:
        yield Paragraph("\n".join(("Not predicted:", *heat.unknown)))


def room_text(given: Conditions) -> str:
    """ "25 °C, 1500 m above the sea"; the height only where it counts."""
    high = f", {quantity(given.altitude_m, 'm', decimals=0)} above the sea" if given.altitude_m else ""
    return f"{quantity(given.room_c, '°C')}{high}"


def _facts(prediction: Prediction) -> Iterator[tuple[str, str]]:
    heat = prediction.heat
    yield "Room", room_text(prediction.conditions)
    yield "Before the cards", _celsius(heat.case_air_c)
    if heat.coolant_c is not None:
        yield "Coolant", _celsius(heat.coolant_c)
    if heat.cpu_c is not None:
        yield "CPU, in training", _celsius(heat.cpu_c)
    if prediction.cpu_busy_c is not None:
        yield "CPU, all cores", _celsius(prediction.cpu_busy_c)
    if heat.air.through_m3h is not None:
        yield "Air through the case", band_text(heat.air.through_m3h)


def _rows(cards: tuple[CardHeat, ...]) -> Iterator[tuple[Cell, ...]]:
    """Cards that are alike in everything but their number are one row."""
    alike: dict[tuple[str, ...], int] = {}
    for card in cards:
        row = (card.title, *_cells(card))
        alike[row] = alike.get(row, 0) + 1
    for (title, *cells), count in alike.items():
        yield (f"{count} x {title}" if count > 1 else title, *cells)


def _cells(card: CardHeat) -> tuple[str, ...]:
    kept = f"\n{100 * card.kept_share:.0f}\N{NO-BREAK SPACE}% of its own" if card.kept_share < THROTTLED else ""
    return (
        str(card.slot) if card.slot is not None else "",
        _celsius(card.temperature_c),
        _celsius(card.inlet_c),
        _per_cent(card.fan_share) if card.fan_share.high else "",
        f"{band_text(card.power_w)}{kept}",
    )


def _celsius(band: Band) -> str:
    return band_text(band.measured_in("°C"))


def _per_cent(share: Band) -> str:
    low, expected, high = (100 * value for value in (share.low, share.expected, share.high))
    return f"{expected:.0f}\N{NO-BREAK SPACE}% {span_text(low, high)}"
