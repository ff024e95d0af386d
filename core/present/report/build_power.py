"""What a planned machine draws: by load and by part, in peaks, over days, and what PSUs and circuits make of it."""

from __future__ import annotations

from collections.abc import Iterator

from core.assessment import Assessment
from core.plan.build import Build
from core.predict.band import Band, exact
from core.predict.components import Component
from core.predict.conditions import LoadCase
from core.predict.cost import COP_ASSUMPTION, HOURS_PER_MONTH, ROOM_ASSUMPTION
from core.predict.excursions import Excursions, Window
from core.predict.power import AT_LIMITS, Electrical, box_words, left_of_circuits_w, supplied_w
from core.predict.prediction import Prediction
from core.present.report.chart import bars_illustration
from core.present.report.document import (
    BandBar,
    Block,
    Cell,
    Figure,
    Heading,
    KeyValues,
    Paragraph,
    ReportColumn,
    Table,
    Tone,
    Words,
    figures_column,
    table,
)
from core.present.report.formatting import band_text, bullets, counted_title, percent
from core.words import joined, tr
from core.words.units import UNKNOWN, number, quantity

WHAT_FOR = tr(
    "Each load is a steady state with the temperatures, fans and noise below. PSUs, cables "
    "and circuits are checked against the worst case, with no power saved by throttling."
)
LOADS = tr("Power by load")
"""The table whose rows can be chosen, for the table by part."""
_NO_PSU = tr("There is no PSU, or one of unknown power.")


def power_blocks(
    assessment: Assessment, load: LoadCase = LoadCase.TRAINING, *, at_limits: bool = False
) -> Iterator[Block]:
    """What the machine draws by load, and under one load by part; `at_limits`: with nothing held back by heat."""
    prediction = assessment.prediction
    yield Heading(tr("Power, predicted"))
    yield Paragraph(_lead(assessment.build, prediction))
    yield _loads(assessment.build, prediction)
    yield Paragraph(WHAT_FOR, quiet=True)
    yield from throttled_blocks(prediction)
    yield KeyValues(tuple(_supply_facts(assessment.build, prediction)))
    yield from _part_blocks(prediction, load, at_limits)
    yield from _peak_blocks(prediction.excursions)


def throttled_blocks(prediction: Prediction) -> Iterator[Block]:
    """The cards that heat holds back, and the speed that is left of them."""
    if prediction.throttled:
        lines = [tr("{sentence} ({part}).", sentence=one.sentence, part=one.title) for one in prediction.throttled]
        yield Paragraph(joined(lines, "\n"), Tone.WARN)


def energy_blocks(assessment: Assessment) -> Iterator[Block]:
    """What the load of the conditions takes and costs without a break, and leaves behind as heat."""
    energy, load = assessment.prediction.energy, assessment.prediction.conditions.load
    yield Heading(tr("Energy and cost"), 2)
    yield Paragraph(tr("{load}, 24/7: {energy} a day.", load=load.label, energy=band_text(energy.kwh(24))))
    columns = (
        ReportColumn(tr("24/7"), 2.0),
        figures_column(tr("Energy"), "kWh"),
        figures_column(tr("Cost"), about=tr("In the currency of the price of one kWh")),
    )
    periods = ((tr("an hour"), 1.0), (tr("a day"), 24.0), (tr("a month"), HOURS_PER_MONTH))
    rows = [(title, Figure(energy.kwh(hours)), _cost(energy.cost(hours))) for title, hours in periods]
    yield table(columns, rows, name=tr("Energy and cost"))
    heat = (
        (tr("Heat given off to the room"), energy.heat_btu_h),
        (tr("Air-conditioning draws on top"), energy.cooling_w),
        (tr("A closed room without it gets warmer by"), energy.room_rise_k),
    )
    yield Heading(tr("Heat into the room"), 2)
    of_heat = (ReportColumn(tr("Under that load"), 4.0), figures_column(tr("Figure")))
    yield table(of_heat, [(title, Figure(band)) for title, band in heat], name=tr("Heat"))
    yield Paragraph(joined((COP_ASSUMPTION, ROOM_ASSUMPTION), "\n"), quiet=True)


def _cost(cost: Band | None) -> Cell:
    return Figure(cost) if cost else Words(tr("no tariff"), about=tr("The price of one kWh is not given."))


def _lead(build: Build, prediction: Prediction) -> str:
    load, limit_w, worst = prediction.conditions.load, left_of_circuits_w(build), prediction.worst_case.wall_w
    words = tr(
        "{load}: {power} from the wall; {circuit} has {limit} W left for the machine.",
        load=load.label,
        power=band_text(prediction.wall_w[load]),
        limit=number(limit_w, 0),
        circuit=build.circuit.title,
    )
    fields = {"words": words, "power": band_text(worst)}
    words = tr("{words} Electrical worst case, CPU and GPU at their limits at once: {power}.", **fields)
    if worst.low > limit_w:
        return tr("{words} That exceeds the circuit.", words=words)
    return tr("{words} At the high end that exceeds the circuit.", words=words) if worst.high > limit_w else words


def _loads(build: Build, prediction: Prediction) -> Table:
    """One row a load; its key is the load, and whether nothing is held back there."""
    columns = (
        ReportColumn(tr("Load"), 1.4),
        figures_column(tr("From the PSUs"), "W"),
        figures_column(tr("At the wall"), "W"),
        figures_column(tr("Current"), "A"),
        figures_column(tr("Apparent power"), "VA", tr("Volts times amperes: what a UPS must carry")),
        figures_column(tr("Circuit load"), "%", tr("Of its continuous rating")),
        figures_column(tr("PSU load"), "%", tr("Of what they deliver at these mains")),
    )
    free = tr("Nothing throttles: what PSUs, cables and circuits are checked against.")
    states: list[tuple[tuple[LoadCase, bool], Words, Electrical]] = []
    for load in LoadCase:
        point = prediction.at(load)
        drawn = Electrical(point.dc_w, point.wall_w, point.apparent_va, point.current_a)
        states.append(((load, False), Words(load.label, about=load.meaning), drawn))
    for load, drawn in prediction.at_limits.items():
        states.append(((load, True), Words(AT_LIMITS[load].name, AT_LIMITS[load].parts, free), drawn))
    rows = [(title, *_electrical(build, drawn)) for _, title, drawn in states]
    return table(columns, rows, name=LOADS, keys=[key for key, _, _ in states])


def _electrical(build: Build, drawn: Electrical) -> tuple[Cell, ...]:
    left_w, supply_w = left_of_circuits_w(build), supplied_w(build)
    return (
        Figure(drawn.dc_w),
        Figure(drawn.wall_w, tone=Tone.FAIL if drawn.wall_w.low > left_w else Tone.PLAIN),
        Figure(drawn.current_a),
        Figure(drawn.apparent_va),
        percent(drawn.wall_w.times(1 / left_w)) if left_w else Words(tr("none left")),
        percent(drawn.dc_w.times(1 / supply_w) if supply_w else None, about=_NO_PSU),
    )


def _supply_facts(build: Build, prediction: Prediction) -> Iterator[tuple[str, str]]:
    circuit = build.circuit
    allowed = tr("{power} continuous", power=quantity(circuit.continuous_w, "W"))
    source = tr("{circuit}, {allowed}; {source}", circuit=circuit.title, allowed=allowed, source=circuit.source)
    yield tr("Circuit"), source
    left_w = quantity(left_of_circuits_w(build), "W", decimals=0)
    yield tr("Machine may draw"), tr("{power} continuous", power=left_w)
    yield tr("Circuit load"), prediction.circuit_load.words
    yield tr("PSUs together"), quantity(supplied_w(build), "W")
    yield tr("PSU load"), prediction.psu_load.words if prediction.psu_load else UNKNOWN
    for drawn in prediction.limits.boxes:
        yield tr("External box"), box_words(drawn)


def _part_blocks(prediction: Prediction, load: LoadCase, at_limits: bool) -> Iterator[Block]:
    """The parts that draw something under a load, the hungriest first."""
    components = prediction.limits.components if at_limits else prediction.components

    def by_power(part: Component) -> tuple[float, str]:
        return -part.dc_w[load].expected, part.title

    parts = sorted((part for part in components if part.dc_w[load].high > 0), key=by_power)
    if not parts:
        return
    state = AT_LIMITS[load].name if at_limits else load.label
    yield Heading(tr("By part: {load}", load=state), 2)
    most_w = max(part.dc_w[load].high for part in parts)
    columns = (
        ReportColumn(tr("Part"), 4.0),
        figures_column(tr("Qty"), share=0.7),
        ReportColumn(tr("Low to high")),
        figures_column(tr("From the PSUs"), "W"),
    )
    drawn = [(part, part.dc_w[load]) for part in parts]
    rows = [(part.title, str(part.count), BandBar.of(dc_w, most_w), Figure(dc_w)) for part, dc_w in drawn]
    shown = table(columns, rows, name=tr("Power by part"), keys=[part.part_id for part in parts])
    bars = [(counted_title(part.count, part.title), dc_w) for part, dc_w in drawn]
    yield bars_illustration(tr("Power by part"), bars, tr("{load}: DC power, W", load=state), shown)


def _peak_blocks(excursions: Excursions) -> Iterator[Block]:
    """What is asked for in each window of time, against what the PSUs must bear."""
    if not excursions.loaded_windows:
        return
    yield Heading(tr("Peaks against PSU capability"), 2, "psu-capability")
    columns = (
        ReportColumn(tr("Peaks of"), 1.6),
        figures_column(tr("Peak demand"), "W", tr("From the PSUs at once, everything at its limit")),
        figures_column(tr("PSU capability"), "W", tr("What the PSUs can deliver for that long")),
        figures_column(tr("Used"), "%", tr("Demand over PSU capability")),
        figures_column(tr("For at most"), about=tr("Share of time in which they must deliver it")),
    )
    rows = [_peak_row(window) for window in excursions.loaded_windows]
    yield table(columns, rows, name=tr("Peaks of power"), keys=[window.title for window in excursions.loaded_windows])
    if excursions.tightest is not None:
        yield Paragraph(tr("Closest to PSU capability: {window}.", window=excursions.tightest.title))
    if assumptions := peak_assumptions(excursions):
        yield Paragraph(bullets(assumptions), quiet=True)


def peak_assumptions(excursions: Excursions) -> tuple[str, ...]:
    """What stands under the peaks; nothing where none are told."""
    return excursions.assumptions if excursions.loaded_windows else ()


def _peak_row(window: Window) -> tuple[Cell, ...]:
    share, allowed_w = window.share, window.allowed_w
    tone = Tone.FAIL if share and share.expected > 1 else Tone.WARN if share and share.high > 1 else Tone.PLAIN
    return (
        window.title,
        Figure(window.demand_w),
        Figure(exact(allowed_w, "W") if allowed_w else None, _NO_PSU),
        percent(share, about=_NO_PSU, tone=tone),
        tr("{share:g}\N{NO-BREAK SPACE}% of the time", share=100 * window.duty),
    )
