"""How warm a planned machine gets in training, how its air flows, and how loud it is."""

from __future__ import annotations

from collections.abc import Iterator

from core.assessment import Assessment
from core.predict.airflow.airflow import Airflow, FanGroup
from core.predict.band import Band, exact
from core.predict.conditions import Conditions
from core.predict.noise.acoustics import SERVER, words
from core.predict.noise.noise import NoiseSource, shares
from core.predict.prediction import CPU_BUSY_TITLE, CPU_TRAINING_TITLE, Prediction
from core.predict.thermal.heat import THROTTLED, CardHeat
from core.present.report.chart import bars_illustration
from core.present.report.document import (
    BandBar,
    Block,
    Cell,
    Figure,
    Heading,
    KeyValues,
    Nothing,
    Paragraph,
    ReportColumn,
    Table,
    Tone,
    Words,
    figures_column,
    table,
)
from core.present.report.formatting import band_text, bullets, counted_title, percent
from core.words import joined, tr, trc, trn
from core.words.units import number, quantity

SILENT_DBA = 0.5
"""A level that is written as none."""


def heat_blocks(assessment: Assessment) -> Iterator[Block]:
    """How warm everything gets; nothing for a build without cards, processors and fans."""
    prediction = assessment.prediction
    heat = prediction.heat
    if not (heat.cards or heat.unknown or prediction.cpu_busy_c or heat.air.groups):
        return
    yield Heading(tr("Temperatures, predicted"))
    yield Paragraph(_lead(prediction))
    yield KeyValues(((tr("Room"), room_text(prediction.conditions)),))
    yield _temperatures(prediction)
    if heat.unknown:
        yield Heading(tr("Not predicted"), 2)
        yield Paragraph(bullets(heat.unknown))
    yield Heading(tr("Air in training"), 2, "intake-air")
    yield _airflow(heat.air)
    if heat.air.notes:
        yield Paragraph(joined(heat.air.notes, "\n"), quiet=True)


def room_text(conditions: Conditions) -> str:
    """ "25 °C, 1500 m above the sea"; the height only where it counts."""
    room = quantity(conditions.room_c, "°C")
    if not conditions.altitude_m:
        return room
    return tr("{room}, {height} above sea level", room=room, height=quantity(conditions.altitude_m, "m", decimals=0))


def slots_text(slots: tuple[int | None, ...]) -> str:
    """Where cards sit: "slots 1, 3", "slot 2, others without a slot"."""
    placed = [str(slot) for slot in slots if slot is not None]
    if not placed:
        return tr("no slot")
    words = trn("slot {slots}", "slots {slots}", slots=joined(placed, ", "), count=len(placed))
    return words if len(placed) == len(slots) else tr("{slots}, others without a slot", slots=words)


def _lead(prediction: Prediction) -> str:
    hottest = prediction.heat.hottest
    if hottest is None:
        return tr("No card's temperature is predicted.")
    return tr(
        "With intake air of {room} °C, {card} ({place}) reaches {temperature}.",
        room=number(prediction.conditions.room_c),
        card=hottest.title,
        place=slots_text((hottest.slot,)),
        temperature=band_text(hottest.temperature_c),
    )


def _temperatures(prediction: Prediction) -> Table:
    columns = (
        ReportColumn(tr("In training"), 3.0),
        figures_column(tr("Intake air or coolant"), "°C", tr("Air at its inlet; coolant, for a card with a block")),
        figures_column(tr("Chip"), "°C"),
        figures_column(tr("Fan speed"), "%", tr("Of full speed")),
        figures_column(trc("figure", "Power"), "W"),
        figures_column(tr("Power kept"), "%", tr("Of its power; throttling takes the rest")),
    )
    rows = [*_surroundings(prediction), *_cards(prediction.heat.cards)]
    return table(columns, rows, name=tr("Temperatures"))


def _surroundings(prediction: Prediction) -> Iterator[tuple[Cell, ...]]:
    heat, no_fan = prediction.heat, (Nothing(), Nothing(), Nothing())
    yield tr("Intake air of the cards"), Figure(heat.case_air_c), Nothing(), *no_fan
    if heat.coolant_c is not None:
        yield tr("Coolant"), Figure(heat.coolant_c), Nothing(), *no_fan
    lack = tr("Needs one kind of CPU cooler whose thermal resistance or size is known.")
    for title, chip_c in ((CPU_TRAINING_TITLE, heat.cpu_c), (CPU_BUSY_TITLE, prediction.cpu_busy_c)):
        yield title, Nothing(), Figure(chip_c, lack), *no_fan


def _cards(cards: tuple[CardHeat, ...]) -> Iterator[tuple[Cell, ...]]:
    """Cards that are alike in everything but their slot are one row."""
    alike: dict[tuple[Cell, ...], list[CardHeat]] = {}
    for card in cards:
        tone = Tone.WARN if card.kept_share < THROTTLED else Tone.PLAIN
        figures: tuple[Cell, ...] = (
            Figure(card.inlet_c),
            Figure(card.temperature_c, tone=tone),
            percent(card.fan_share) if card.fan_share.high else Nothing(tr("It has no fan.")),
            Figure(card.power_w),
            percent(exact(card.kept_share), tone=tone),
        )
        alike.setdefault((card.title, *figures), []).append(card)
    for (_, *shown), same in alike.items():
        title = counted_title(len(same), same[0].title)
        yield Words(title, slots_text(tuple(card.slot for card in same))), *shown


def _airflow(air: Airflow) -> Table:
    columns = (
        ReportColumn(tr("Fans"), 2.6),
        figures_column(tr("Qty"), share=0.7),
        figures_column(tr("Air"), "m³/h", tr("All of them together")),
        figures_column(tr("Pressure"), "Pa", tr("Static, across each fan")),
        figures_column(tr("Fan speed"), "%", tr("Of full speed")),
        figures_column(tr("Speed"), "rpm"),
    )
    rows = [_fans(group) for group in air.groups]
    if air.through_m3h is not None:
        crossing = Figure(air.through_m3h.noting(missing=air.missing))
        rows.append((tr("Through the case"), Nothing(), crossing, Nothing(), Nothing(), Nothing()))
    return table(columns, rows, name=tr("Fan airflow"), empty=tr("No case or radiator fan."))


def _fans(group: FanGroup) -> tuple[Cell, ...]:
    return (
        group.group.label,
        str(group.count),
        Figure(group.flow_m3h),
        Figure(group.pressure_pa),
        percent(group.speed_share),
        Figure(group.rpm, tr("A fan's speed is unknown.")),
    )


def noise_blocks(assessment: Assessment) -> Iterator[Block]:
    """How loud the machine is, alone and in the room, what makes the noise, and what to change first."""
    prediction = assessment.prediction
    yield Heading(tr("Noise, predicted"))
    yield Paragraph(
        tr(
            "In training {level} at {distance} m from the machine: {word}.",
            level=band_text(prediction.noise_load),
            distance=number(prediction.conditions.distance_m),
            word=loudness_words(prediction.noise_load),
        )
    )
    yield _levels(prediction)
    if prediction.sources:
        bars = [(counted_title(source.count, source.title), source.load) for source in prediction.sources]
        axis = tr("Level in training at {distance:g} m, {unit}", distance=prediction.conditions.distance_m, unit="dBA")
        yield bars_illustration(tr("Noise by source"), bars, axis, _sources(prediction.sources))
    else:
        yield Paragraph(tr("Nothing in this build makes noise."))
    for title, lines in (
        (tr("What to change first to get quieter"), prediction.quieter),
        (tr("Tonal noise, more annoying than its level suggests"), prediction.tonal_risks),
    ):
        if lines:
            yield Heading(title, 2)
            yield Paragraph(bullets(lines))


def loudness_words(level: Band) -> str:
    """What a level is like: "very quiet", "as loud as a server"."""
    word = words(level.expected)
    return tr("as loud as a server") if word is SERVER else word


def loudness(level: Band) -> str:
    """A level with what it is like: "43 dBA (40 to 46), audible"."""
    return tr("{level}, {word}", level=band_text(level), word=loudness_words(level))


def _levels(prediction: Prediction) -> Table:
    """Where it is heard, and how loud it is there."""
    conditions = prediction.conditions
    columns = (
        ReportColumn(tr("Where"), 3.0),
        figures_column(tr("Idle"), "dBA"),
        ReportColumn(tr("In words, idle"), 1.4),
        figures_column(tr("Training"), "dBA"),
        ReportColumn(tr("In words, training"), 1.4),
    )
    free = tr("at {distance} m, without reflections", distance=number(conditions.distance_m))
    room = tr("with {background} dBA of background noise", background=number(conditions.background_dba))
    if conditions.room_volume_m3 is not None:
        room = tr("{room} and the reflections of its walls", room=room)
    rows = [
        (Words(title, where), Figure(idle), loudness_words(idle), Figure(load), loudness_words(load))
        for title, where, idle, load in (
            (tr("Free field"), free, prediction.noise_idle, prediction.noise_load),
            (tr("In the room"), room, prediction.noise_idle_in_room, prediction.noise_load_in_room),
        )
    ]
    return table(columns, rows, name=tr("Noise of the machine"))


def _sources(sources: tuple[NoiseSource, ...]) -> Table:
    columns = (
        ReportColumn(tr("Source"), 4.0),
        figures_column(tr("Qty"), share=0.7),
        ReportColumn(tr("Share")),
        figures_column(tr("Share"), "%", tr("Of the sound energy in training")),
        figures_column(tr("Idle"), "dBA"),
        figures_column(tr("Training"), "dBA"),
    )
    rows: list[tuple[Cell, ...]] = []
    for source, share in zip(sources, shares(sources), strict=True):
        part = exact(share)
        levels = (_level(source.idle), _level(source.load))
        rows.append((source.title, str(source.count), BandBar.of(part, 1.0), percent(part), *levels))
    return table(columns, rows, name=tr("Noise by source"))


def _level(level: Band) -> Cell:
    return Figure(level) if level.high >= SILENT_DBA else Nothing(tr("It makes no noise."))
