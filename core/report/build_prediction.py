"""The predictions of a build report: power, mains, heat, temperatures, noise; each a band with what it assumes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from core.build.build import Build
from core.predict.band import Band
from core.predict.conditions import Conditions, LoadCase
from core.predict.excursions import Excursions, Window
from core.predict.power import WORST_CASE_TITLE, left_of_circuits_w, supplied_w
from core.predict.prediction import Prediction
from core.predict.thermal.heat import THROTTLED, CardHeat
from core.report.chart import Bar, draw_bars
from core.report.document import Block, Cell, Column, Figure, Heading, KeyValues, Paragraph, Tone, table
from core.report.formatting import band_text, span_text
from core.rules.figure_names import figures_by_part
from core.units import UNKNOWN, number, quantity

_LOAD_TITLES: dict[LoadCase, str] = {
    LoadCase.IDLE: "Idle",
    LoadCase.TRAINING: "Training",
    LoadCase.ALL_CORE: "CPUs alone",
    LoadCase.EVERYTHING: "CPUs and GPUs",
}
WHAT_FOR = (
    "Each load is one steady state with the temperatures, fans and noise below. PSUs, cables and circuits are held "
    "against the worst case, from which heat takes nothing."
)
_PREDICTED = "Predicted, not measured. Whisker: lowest to highest."


def power_blocks(build: Build, prediction: Prediction) -> Iterator[Block]:
    """What the machine draws, and what circuit and PSUs make of it."""
    yield Heading("Power, predicted")
    columns = (
        Column("Load", 1.3),
        Column("From the PSUs", 2.1, numeric=True),
        Column("At the wall", 2.1, numeric=True),
        Column("Current", 1.9, numeric=True),
        Column("Of the circuit", 1.9, numeric=True),
        Column("Of the PSUs", 1.9, numeric=True),
    )
    worst = prediction.worst_case
    rows = [_row(build, _LOAD_TITLES[load], _at(prediction, load)) for load in LoadCase]
    yield table(columns, [*rows, _row(build, WORST_CASE_TITLE, (worst.dc_w, worst.wall_w, worst.current_a))])
    yield Paragraph(WHAT_FOR)
    if prediction.throttled:
        yield Paragraph("\n".join(f"{held.sentence} ({held.title})." for held in prediction.throttled), Tone.WARN)
    circuit = build.circuit
    allowed = f"{quantity(circuit.continuous_w, 'W')} for hours"
    evidence = "" if circuit.confirmed or "not confirmed" in circuit.source else " (unconfirmed)"
    cost, when = prediction.energy_cost_per_day, prediction.conditions.load.words
    yield KeyValues(
        (
            ("Circuit", f"{circuit.title}, {allowed}; {circuit.source}{evidence}"),
            ("Machine may draw", f"{quantity(left_of_circuits_w(build), 'W', decimals=0)} for hours"),
            ("PSUs together", quantity(supplied_w(build), "W")),
            (f"Heat {when}", band_text(prediction.heat_btu_h)),
            ("Energy per day", f"{band_text(prediction.energy_kwh_per_day)}, 24/7 {when}"),
            ("Cost per day", f"{number(cost, 2)} in the tariff's currency" if cost is not None else "no tariff given"),
        )
    )
    yield from _power_figure(prediction)
    yield from _peak_blocks(prediction.excursions)


def noise_blocks(prediction: Prediction) -> Iterator[Block]:
    """How loud it is and what makes the noise."""
    yield Heading("Noise, predicted")
    given = prediction.conditions
    yield KeyValues(
        (
            ("Idle", f"{band_text(prediction.noise_idle)}, {prediction.noise_idle_word}"),
            ("Training", f"{band_text(prediction.noise_load)}, {prediction.noise_load_word}"),
            ("Idle in the room", band_text(prediction.noise_idle_in_room)),
            ("Training in the room", band_text(prediction.noise_load_in_room)),
            ("Listener", f"at {quantity(given.distance_m, 'm')}, background {quantity(given.background_dba, 'dBA')}"),
        )
    )
    columns = (
        Column("Source", 4.0),
        Column("Qty", 0.7, numeric=True),
        Column("Idle", 1.8, numeric=True),
        Column("Training", 1.8, numeric=True),
    )
    rows = [
        (source.title, str(source.count), band_text(source.idle), band_text(source.load))
        for source in prediction.sources
    ]
    yield table(columns, rows, empty="Nothing in this build makes noise.")
    bars = [_bar(source.title, source.count, source.load) for source in prediction.sources]
    if bars:
        unit = "dBA"
        draw = partial(draw_bars, bars, axis_title=f"Level in training at {given.distance_m:g} m, {unit}", unit=unit)
        yield Figure("Noise by source", draw, _PREDICTED, _alt("Noise in training", bars, unit))


def assumption_blocks(build: Build, prediction: Prediction) -> Iterator[Block]:
    """What the predictions rest on, and the figures they lacked."""
    yield Heading("What the predictions assume", 2)
    yield Paragraph("\n".join(prediction.assumptions) or "Nothing.")
    if prediction.missing:
        yield Paragraph("Wide defaults stand in for these unknown figures:")
        columns = (Column("Part", 2.2), Column("Unknown figures", 5.0))
        yield table(columns, figures_by_part(build, prediction.missing))


def _at(prediction: Prediction, load: LoadCase) -> tuple[Band, Band, Band]:
    return prediction.dc_w[load], prediction.wall_w[load], prediction.current_a[load]


def _row(build: Build, title: str, figures: tuple[Band, Band, Band]) -> tuple[Cell, ...]:
    (dc, wall, current), left_w = figures, left_of_circuits_w(build)
    return (
        title,
        band_text(dc),
        band_text(wall),
        band_text(current),
        _share_text(wall, left_w) if left_w else "nothing is left",
        _share_text(dc, supplied_w(build)),
    )


def _peak_blocks(excursions: Excursions) -> Iterator[Block]:
    """What is asked for in each window of time, against what the supplies must bear."""
    yield Heading("Peaks, predicted", 2)
    columns = (
        Column("Peaks of", 1.4),
        Column("Peak demand", 2.1, numeric=True),
        Column("PSU capability", 1.5, numeric=True),
        Column("Used", 1.7, numeric=True),
        Column("For at most", 1.5, numeric=True),
    )
    yield table(columns, [_peak_row(window) for window in excursions.windows])
    tightest = excursions.tightest
    if tightest is not None:
        yield Paragraph(f"Nearest to the PSU capability: {tightest.title}.")


def _peak_row(window: Window) -> tuple[Cell, ...]:
    return (
        window.title,
        band_text(window.demand_w),
        quantity(window.allowed_w, "W", decimals=0),
        _share_text(window.demand_w, window.allowed_w),
        f"{100 * window.duty:g}\N{NO-BREAK SPACE}% of the time",
    )


def _share_text(band: Band, whole: float | None) -> str:
    if not whole:
        return UNKNOWN
    low, expected, high = (100 * value / whole for value in (band.low, band.expected, band.high))
    return f"{expected:.0f}\N{NO-BREAK SPACE}% {span_text(low, high)}"


def _power_figure(prediction: Prediction) -> Iterator[Figure]:
    parts = sorted(prediction.components, key=lambda part: -part.dc_w[LoadCase.TRAINING].expected)
    bars = [_bar(part.title, part.count, band) for part in parts if (band := part.dc_w[LoadCase.TRAINING]).high > 0]
    if bars:
        draw = partial(draw_bars, bars, axis_title="DC power in training, W", unit="W")
        yield Figure("Power by part", draw, _PREDICTED, _alt("DC power in training", bars, "W"))


def _bar(title: str, count: int, band: Band) -> Bar:
    return Bar(f"{count} × {title}" if count > 1 else title, band.expected, band.low, band.high)


def _alt(title: str, bars: list[Bar], unit: str) -> str:
    return f"{title}: {'; '.join(f'{bar.label} {quantity(bar.value, unit)}' for bar in bars)}."


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
    return band_text(band)


def _per_cent(share: Band) -> str:
    low, expected, high = (100 * value for value in (share.low, share.expected, share.high))
    return f"{expected:.0f}\N{NO-BREAK SPACE}% {span_text(low, high)}"
