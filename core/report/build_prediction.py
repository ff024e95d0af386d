"""The predictions of a build report: power, mains, heat, temperatures, noise, speed; each a band with its basis."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from core.build.build import Build
from core.language import joined, plain, tr, trc
from core.predict.band import Band
from core.predict.conditions import Conditions, LoadCase
from core.predict.curves import over_limits, whys_faster
from core.predict.excursions import Excursions, Window
from core.predict.power import AT_LIMITS, left_of_circuits_w, supplied_w
from core.predict.prediction import CPU_BUSY_TITLE, CPU_TRAINING_TITLE, Prediction
from core.predict.speed.speed import BuildSpeed, NetworkSpeed
from core.predict.supply import box_words
from core.predict.thermal.heat import THROTTLED, CardHeat
from core.report.chart import Bar, draw_bars
from core.report.document import Block, Cell, Heading, Illustration, KeyValues, Paragraph, ReportColumn, Tone, table
from core.report.formatting import band_text, semicolons, share_text
from core.rules.figure_names import figures_by_part
from core.units import UNKNOWN, number, quantity

WHAT_FOR = tr(
    "Each load is a steady state with the temperatures, fans and noise below. PSUs, cables "
    "and circuits are checked against the worst case, with no power saved by throttling."
)
_PREDICTED = tr("Predicted, not measured. Whisker: lowest to highest.")


def power_blocks(build: Build, prediction: Prediction) -> Iterator[Block]:
    """What the machine draws, and what circuit and PSUs make of it."""
    yield Heading(tr("Power, predicted"))
    columns = (
        ReportColumn(tr("Load"), 1.3),
        ReportColumn(tr("From the PSUs"), 2.1, numeric=True),
        ReportColumn(tr("At the wall"), 2.1, numeric=True),
        ReportColumn(tr("Current"), 1.9, numeric=True),
        ReportColumn(tr("Circuit load"), 1.9, numeric=True),
        ReportColumn(tr("PSU load"), 1.9, numeric=True),
    )
    rows = [_row(build, load.label, _at(prediction, load)) for load in LoadCase]
    for load, asked in prediction.at_limits.items():
        rows.append(_row(build, AT_LIMITS[load].title, (asked.dc_w, asked.wall_w, asked.current_a)))
    yield table(columns, rows)
    yield Paragraph(WHAT_FOR)
    if prediction.throttled:
        held = [tr("{sentence} ({part}).", sentence=one.sentence, part=one.title) for one in prediction.throttled]
        yield Paragraph(joined(held, "\n"), Tone.WARN)
    circuit = build.circuit
    allowed = tr("{power} continuous", power=quantity(circuit.continuous_w, "W"))
    cost, when = prediction.energy_cost_per_day, prediction.conditions.load.phrase
    yield KeyValues(
        (
            (
                tr("Circuit"),
                tr("{circuit}, {allowed}; {source}", circuit=circuit.title, allowed=allowed, source=circuit.source),
            ),
            (
                tr("Machine may draw"),
                tr("{power} continuous", power=quantity(left_of_circuits_w(build), "W", decimals=0)),
            ),
            (tr("Circuit load"), prediction.circuit_load.words),
            (tr("PSUs together"), quantity(supplied_w(build), "W")),
            (tr("PSU load"), prediction.psu_load.words if prediction.psu_load else UNKNOWN),
            *((tr("External box"), box_words(drawn)) for drawn in prediction.limits.boxes),
            (tr("Heat {when}", when=when), band_text(prediction.heat_btu_h)),
            (
                tr("Energy per day"),
                tr("{energy}, 24/7 {when}", energy=band_text(prediction.energy_kwh_per_day), when=when),
            ),
            (
                tr("Cost per day"),
                tr("{amount} in the tariff's currency", amount=number(cost, 2))
                if cost is not None
                else tr("no tariff given"),
            ),
        )
    )
    yield from _power_figure(prediction)
    yield from _peak_blocks(prediction.excursions)


def noise_blocks(prediction: Prediction) -> Iterator[Block]:
    """How loud it is and what makes the noise."""
    yield Heading(tr("Noise, predicted"))
    given = prediction.conditions
    yield KeyValues(
        (
            (tr("Idle"), loudness(prediction.noise_idle, prediction.noise_idle_word)),
            (tr("Training"), loudness(prediction.noise_load, prediction.noise_load_word)),
            (tr("Idle in the room"), band_text(prediction.noise_idle_in_room)),
            (tr("Training in the room"), band_text(prediction.noise_load_in_room)),
            (
                tr("Listener"),
                tr(
                    "at {distance}, background {level}",
                    distance=quantity(given.distance_m, "m"),
                    level=quantity(given.background_dba, "dBA"),
                ),
            ),
        )
    )
    columns = (
        ReportColumn(tr("Source"), 4.0),
        ReportColumn(tr("Qty"), 0.7, numeric=True),
        ReportColumn(tr("Idle"), 1.8, numeric=True),
        ReportColumn(tr("Training"), 1.8, numeric=True),
    )
    rows = [
        (source.title, str(source.count), band_text(source.idle), band_text(source.load))
        for source in prediction.sources
    ]
    yield table(columns, rows, empty=tr("Nothing in this build makes noise."))
    bars = [_bar(source.title, source.count, source.load) for source in prediction.sources]
    if bars:
        unit = "dBA"
        draw = partial(
            draw_bars,
            bars,
            axis_title=tr("Level in training at {distance:g} m, {unit}", distance=given.distance_m, unit=unit),
            unit=unit,
        )
        yield Illustration(tr("Noise by source"), draw, _PREDICTED, _alt(tr("Noise in training"), bars, unit))


def loudness(level: Band, word: str) -> str:
    """A level with what it is like: "43 dBA (40 to 46), audible"."""
    return tr("{level}, {word}", level=band_text(level), word=word)


def assumption_blocks(build: Build, prediction: Prediction) -> Iterator[Block]:
    """What the predictions rest on, and the figures they lacked."""
    yield Heading(tr("What the predictions assume"), 2)
    yield Paragraph(joined(prediction.assumptions, "\n") or tr("Nothing."))
    if prediction.missing:
        yield Paragraph(tr("Wide defaults stand in for these unknown figures:"))
        columns = (ReportColumn(tr("Part"), 2.2), ReportColumn(tr("Unknown figures"), 5.0))
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
        _share_text(wall, left_w) if left_w else tr("none left"),
        _share_text(dc, supplied_w(build)),
    )


def _peak_blocks(excursions: Excursions) -> Iterator[Block]:
    """What is asked for in each window of time, against what the PSUs must bear."""
    if not excursions.asked:
        return
    yield Heading(tr("Peaks, predicted"), 2)
    columns = (
        ReportColumn(tr("Peaks of"), 1.4),
        ReportColumn(tr("Peak demand"), 2.1, numeric=True),
        ReportColumn(tr("PSU capability"), 1.5, numeric=True),
        ReportColumn(tr("Used"), 1.7, numeric=True),
        ReportColumn(tr("For at most"), 1.5, numeric=True),
    )
    yield table(columns, [_peak_row(window) for window in excursions.asked])
    tightest = excursions.tightest
    if tightest is not None:
        yield Paragraph(tr("Closest to PSU capability: {window}.", window=tightest.title))


def _peak_row(window: Window) -> tuple[Cell, ...]:
    return (
        window.title,
        band_text(window.demand_w),
        quantity(window.allowed_w, "W", decimals=0),
        _share_text(window.demand_w, window.allowed_w),
        tr("{share:g}\N{NO-BREAK SPACE}% of the time", share=100 * window.duty),
    )


def _share_text(band: Band, whole: float | None) -> str:
    return share_text(band, whole) if whole else UNKNOWN


def _power_figure(prediction: Prediction) -> Iterator[Illustration]:
    parts = sorted(prediction.components, key=lambda part: -part.dc_w[LoadCase.TRAINING].expected)
    bars = [_bar(part.title, part.count, band) for part in parts if (band := part.dc_w[LoadCase.TRAINING]).high > 0]
    if bars:
        draw = partial(draw_bars, bars, axis_title=tr("DC power in training, W"), unit="W")
        yield Illustration(tr("Power by part"), draw, _PREDICTED, _alt(tr("DC power in training"), bars, "W"))


def _bar(title: str, count: int, band: Band) -> Bar:
    label = plain("{count} × {part}", count=count, part=title) if count > 1 else title
    return Bar(label, band.expected, band.low, band.high)


def _alt(title: str, bars: list[Bar], unit: str) -> str:
    told = semicolons(plain("{part} {figure}", part=bar.label, figure=quantity(bar.value, unit)) for bar in bars)
    return tr("{title}: {figures}.", title=title, figures=told)


_COLUMNS = (
    ReportColumn(tr("Card"), 3.4),
    ReportColumn(tr("Slot"), 0.7),
    ReportColumn(tr("Chip"), 1.7, numeric=True),
    ReportColumn(tr("Intake air or coolant"), 1.9, numeric=True),
    ReportColumn(tr("Fan speed"), 1.6, numeric=True),
    ReportColumn(trc("figure", "Power"), 1.9, numeric=True),
)


def heat_blocks(prediction: Prediction) -> Iterator[Block]:
    """How warm it gets; nothing for a build without cards and processors."""
    heat = prediction.heat
    if not (heat.cards or heat.unknown or prediction.cpu_busy_c):
        return
    yield Heading(tr("Temperatures, predicted"))
    yield KeyValues(tuple(_facts(prediction)))
    if heat.cards:
        yield table(_COLUMNS, list(_rows(heat.cards)))
    if heat.unknown:
        yield Paragraph(joined((tr("Not predicted:"), *heat.unknown), "\n"))


def room_text(given: Conditions) -> str:
    """ "25 °C, 1500 m above the sea"; the height only where it counts."""
    room = quantity(given.room_c, "°C")
    if not given.altitude_m:
        return room
    return tr("{room}, {height} above sea level", room=room, height=quantity(given.altitude_m, "m", decimals=0))


def _facts(prediction: Prediction) -> Iterator[tuple[str, str]]:
    heat = prediction.heat
    yield tr("Room"), room_text(prediction.conditions)
    yield tr("Card intake air"), _celsius(heat.case_air_c)
    if heat.coolant_c is not None:
        yield tr("Coolant"), _celsius(heat.coolant_c)
    if heat.cpu_c is not None:
        yield CPU_TRAINING_TITLE, _celsius(heat.cpu_c)
    if prediction.cpu_busy_c is not None:
        yield CPU_BUSY_TITLE, _celsius(prediction.cpu_busy_c)
    if heat.air.through_m3h is not None:
        yield tr("Air through the case"), band_text(heat.air.through_m3h)


def _rows(cards: tuple[CardHeat, ...]) -> Iterator[tuple[Cell, ...]]:
    """Cards that are alike in everything but their number are one row."""
    alike: dict[tuple[str, ...], int] = {}
    for card in cards:
        row = (card.title, *_cells(card))
        alike[row] = alike.get(row, 0) + 1
    for (title, *cells), count in alike.items():
        yield (plain("{count} x {card}", count=count, card=title) if count > 1 else title, *cells)


def _cells(card: CardHeat) -> tuple[str, ...]:
    power = [band_text(card.power_w)]
    if card.kept_share < THROTTLED:
        power.append(tr("{share:.0f} % of its power", share=100 * card.kept_share))
    return (
        str(card.slot) if card.slot is not None else "",
        _celsius(card.temperature_c),
        _celsius(card.inlet_c),
        share_text(card.fan_share, 1.0) if card.fan_share.high else "",
        joined(power, "\n"),
    )


def _celsius(band: Band) -> str:
    return band_text(band)


_SPEED_COLUMNS = (
    ReportColumn(tr("Training"), 3.4),
    ReportColumn(tr("Speed"), 2.4, numeric=True),
    ReportColumn(tr("Of the cards' sum"), 1.8, numeric=True),
)


def speed_blocks(build: Build, prediction: Prediction, speed: BuildSpeed) -> Iterator[Block]:
    """How fast it trains and why no faster; nothing without a card that does work.

    Where heat holds cards back, also why a lower power limit is faster, if one is.
    """
    networks = [one for one in speed.networks if one.cards]
    if not networks:
        return
    yield Heading(tr("Speed, predicted"))
    yield table(_SPEED_COLUMNS, [_speed_row(one) for one in networks])
    reasons = list(speed.reasons)
    if prediction.throttled:
        reasons += whys_faster(over_limits(build, prediction.conditions))
    yield Paragraph(joined(reasons, "\n"))


def _speed_row(one: NetworkSpeed) -> tuple[Cell, ...]:
    return (
        one.network.reference,
        band_text(one.rate) if one.rate else UNKNOWN,
        share_text(one.efficiency, 1.0) if one.efficiency else "",
    )
