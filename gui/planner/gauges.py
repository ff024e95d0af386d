"""What the gauges under the plan show: each one figure with its band, its limit, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from core.assessment import Assessment
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.band import Band
from core.predict.budget import BudgetState, BudgetUse, budget_words
from core.predict.conditions import LoadCase
from core.predict.llm.prediction import ModelPrediction
from core.predict.noise.acoustics import words
from core.predict.power import SupplyLoad, box_words, left_of_circuits_w, supplied_w
from core.predict.power_limit import ThrottledLine
from core.predict.prediction import Prediction
from core.predict.price import CurrencyTotal, PriceTotal
from core.predict.speed.memory_fit import Fits
from core.predict.thermal.heat import THROTTLED
from core.rules.finding import Status, figure_phrase
from core.rules.rule import for_hours, oldest, within_rating
from core.words import joined, plain, tr, trc
from gui.planner.dials import (
    HOTTEST_GPU,
    INFERENCE,
    NOISE_IDLE,
    NOISE_TRAINING,
    PRICE,
    PSU_LOAD,
    WALL_IDLE,
    WALL_TRAINING,
    DialRow,
    Gauge,
)
from gui.planner.document import PlanDocument
from gui.widgets.figures import DASH, middle, money, number, span
from gui.widgets.units import here

PRICE_SECTION = "price"
"""What the gauge of the price opens: the lines whose prices decide about the budget, else energy and cost."""
_TONES = {Status.FAIL: "fail", Status.WARN: "warn", Status.NOTE: "note", Status.PASS: "pass"}
SECTIONS = ("power", "power", "power", "temperature", "noise", "noise", "models", PRICE_SECTION)
"""Where each gauge, in its order, is told in full."""
WARM_C = 83.0
"""Where GeForce cards begin to throttle."""


def gauges(assessment: Assessment) -> tuple[Gauge, ...]:
    """All gauges, in their fixed order."""
    build, prediction = assessment.build, assessment.prediction
    shown = (
        _wall(build, prediction, LoadCase.IDLE, WALL_IDLE),
        _wall(build, prediction, LoadCase.TRAINING, WALL_TRAINING),
        _psu(build, prediction),
        _temperature(prediction),
        _noise(build, prediction, LoadCase.IDLE, NOISE_IDLE),
        _noise(build, prediction, LoadCase.TRAINING, NOISE_TRAINING),
        _inference(assessment),
        price_gauge(build, assessment.price, assessment.budget),
    )
    pairs = zip(shown, SECTIONS, strict=True)
    return tuple(replace(gauge, section=section, lacking=_lacking(build, gauge.missing)) for gauge, section in pairs)


def _lacking(build: Build, missing: tuple[str, ...]) -> str:
    if not missing:
        return ""
    return tr("Unknown figures, replaced by wide defaults: {figures}", figures=figure_phrase(build, missing))


def _wall(build: Build, prediction: Prediction, load: LoadCase, title: str) -> Gauge:
    if not build.lines:
        return Gauge(title, DASH, details=(tr("Wall power, and what the circuit carries continuously."),))
    band, limit_w = prediction.wall_w[load], left_of_circuits_w(build)
    circuit = tr(
        "{circuits}: {limit} W continuous are left for the machine. {source}.",
        circuits=_circuit_words(build),
        limit=number(limit_w),
        source=build.circuit.source,
    )
    held = map(held_words, prediction.throttled) if load is LoadCase.TRAINING else ()
    gauge = _scaled(
        title,
        band,
        _Scale(0.0, 1.25 * max(limit_w, 1.0), limit_w),
        tone=_TONES[_over_hours(prediction, load, limit_w)],
        foot=tr("{band} of {limit} W", band=span(band), limit=number(limit_w)),
        details=(circuit, _worst_words(prediction), *held),
    )
    return replace(gauge, short=f"{span(band)} W")


def _worst_words(prediction: Prediction) -> str:
    load = prediction.circuit_load
    worst = load.worst
    words = tr(
        "Circuit load: {load}. Electrical worst case, CPU and GPU at their limits at once: {worst} W ({band}).",
        load=load.words,
        worst=middle(worst),
        band=span(worst),
    )
    if worst.expected <= load.limit:
        return words
    return tr("{told} That is more than the circuit carries continuously.", told=words)


def _circuit_words(build: Build) -> str:
    count = len(build.other_loads_w)
    return f"{count} × {build.circuit.title}" if count > 1 else build.circuit.title


def _psu(build: Build, prediction: Prediction) -> Gauge:
    output_w = supplied_w(build)
    if output_w is None:
        about = (tr("DC power as a share of what the PSUs can deliver."),)
        if not build.count(Category.PSU):
            return Gauge(PSU_LOAD, DASH, foot=tr("no PSU yet") if build.lines else "", details=about)
        unknown, short = tr("PSU capability unknown"), tr("power unknown")
        return Gauge(PSU_LOAD, DASH, foot=unknown, short=short, details=about)
    old = oldest(spec.before_atx3 for _, spec in build.psus())
    load = prediction.psu_load
    assert load is not None, "all PSUs have a power"
    percent = load.training.times(100 / output_w).measured_in("%")
    at_limits = tr(
        "Unthrottled training takes {training} W ({training_band}) of {output} W, "
        "CPU and GPU at their limits at once {worst} W ({band}).",
        training=middle(load.training),
        training_band=span(load.training),
        output=number(output_w),
        worst=middle(load.worst),
        band=span(load.worst),
    )
    usual = tr("Up to 80 % in training is common practice for 24/7 use.")
    gauge = _scaled(
        PSU_LOAD,
        percent,
        _Scale(0.0, 125.0, 100.0),
        tone=_TONES[within_rating(load, old=old)],
        foot=load.words,
        details=(usual, at_limits, *map(box_words, prediction.limits.boxes)),
    )
    return replace(gauge, short=tr("worst case {worst:.0f} %", worst=100 * load.worst_share))


def _temperature(prediction: Prediction) -> Gauge:
    about: str = tr("In training, at {room} °C intake air.", room=number(prediction.conditions.room_c))
    hottest = prediction.heat.hottest
    if hottest is None:
        unknown = prediction.heat.unknown
        foot = tr("cannot be predicted") if unknown else ""
        return Gauge(HOTTEST_GPU, DASH, foot=foot, details=(*unknown, about))
    kept_percent, band = round(100 * hottest.kept_share), hottest.temperature_c
    warm = here(band)
    words: str = plain("{band} {unit}", band=span(warm), unit=warm.unit)
    if hottest.kept_share < THROTTLED:
        words = tr("{band}, {kept} % power", band=words, kept=kept_percent)
        about = joined((about, *map(held_words, prediction.throttled)))
    where = tr("{title}, slot {slot}.", title=hottest.title, slot=hottest.slot or DASH)
    tone = "warn" if hottest.kept_share < THROTTLED else "note" if band.high > WARM_C else "pass"
    gauge = _scaled(HOTTEST_GPU, band, TEMPERATURE_SCALE, tone=tone, foot=words, details=(where, about))
    held = tr("{kept} % power", kept=kept_percent) if hottest.kept_share < THROTTLED else ""
    return replace(gauge, short=held)


def _noise(build: Build, prediction: Prediction, load: LoadCase, title: str) -> Gauge:
    band = prediction.noise_idle if load is LoadCase.IDLE else prediction.noise_load
    word = words(band.expected)
    about = tr("The machine alone at {distance} m, free field.", distance=number(prediction.conditions.distance_m))
    if not build.lines:
        return Gauge(title, DASH, details=(about,))
    if not prediction.sources:
        return Gauge(title, DASH, foot=tr("no fan or pump yet"), details=(about,))
    tone = "pass" if band.expected <= 34 else "note" if band.expected <= 40 else "warn"
    foot = tr("{band} dBA, {word}", band=span(band), word=word)
    gauge = _scaled(title, band, NOISE_SCALE, tone=tone, foot=foot, details=(about,))
    return replace(gauge, short=f"{span(band)} dBA")


def _answer(prediction: ModelPrediction) -> str:
    rate = prediction.rate
    return prediction.hindrance or (plain("{band} {unit}", band=span(rate), unit=rate.unit) if rate else "")


def _inference(assessment: Assessment) -> Gauge:
    """The smallest of the usual models answers so fast; the largest that fits is named."""
    first, *larger = assessment.usual_models
    about = tr("One user, {words}.", words=first.workload.words)
    if not any(assessment.build.workers()):
        return Gauge(INFERENCE, DASH, foot=tr("no GPU yet") if assessment.build.lines else "", details=(about,))
    rows = tuple(plain("{model}: {answer}", model=one.workload.model.title, answer=_answer(one)) for one in larger)
    holds = [one.workload.model.title for one in (first, *larger) if one.fits is Fits.YES and not one.unfit]
    largest = tr("holds {model}", model=holds[-1]) if holds else first.hindrance
    if first.rate is None:
        return Gauge(INFERENCE, DASH, foot=largest, details=(about, *first.unfit, *rows), missing=first.missing)
    gauge = Gauge(INFERENCE, middle(first.rate), first.rate.unit, foot=largest, details=(about, *rows))
    return replace(gauge, short=span(first.rate), missing=first.rate.missing)


@dataclass(frozen=True, slots=True)
class _Scale:
    """What a bar spans and where its limit is, in the unit of the band."""

    start: float
    end: float
    limit: float | None = None

    def share(self, value: float) -> float:
        return min(max((value - self.start) / (self.end - self.start), 0.0), 1.0)


def _scaled(title: str, band: Band, scale: _Scale, *, tone: str, foot: str, details: tuple[str, ...]) -> Gauge:
    shown = here(band)
    low, expected, high = map(scale.share, (band.low, band.expected, band.high))
    limit = None if scale.limit is None else scale.share(scale.limit)
    gauge = Gauge(title, middle(shown), shown.unit, foot, "", tone, low, expected, high, limit)
    return replace(gauge, details=(*details, *band.assumptions), missing=band.missing)


NOISE_SCALE = _Scale(15.0, 60.0)
"""dBA, from practically inaudible to a server room."""
TEMPERATURE_SCALE = _Scale(25.0, 100.0)


def _over_hours(prediction: Prediction, load: LoadCase, limit_w: float) -> Status:
    """As the rules judge: with cards at their limits, and the worst case beside them."""
    band = prediction.limits.wall_w[load]
    return for_hours(prediction.circuit_load if load is LoadCase.TRAINING else SupplyLoad(band, band, limit_w))


def held_words(held: ThrottledLine) -> str:
    """ "450 W cards run at 320 W here: 91 % of their speed."."""
    return tr("{sentence}.", sentence=held.sentence)


_USE_TONES = {BudgetState.WITHIN: "pass", BudgetState.OPEN: "note", BudgetState.DOUBT: "warn", BudgetState.OVER: "fail"}
PRICE_SCALE = 1.25
"""The bar goes so far beyond the budget, or to the total where that is more."""
MOST_TOLD = 2
"""Of what the total rests on, so much has room in the smallest window."""
THOUSANDS, TENS_OF_THOUSANDS = 1_000, 10_000
"""From these amounts on a range is in thousands with a decimal, and in whole ones: it would not fit otherwise."""


def price_gauge(build: Build, total: PriceTotal, use: BudgetUse | None = None) -> Gauge:
    """The range of the first currency beside the budget; the foot names what is not known."""
    basis = list(_foot(total)) if build.lines else []
    foot, short = joined(basis, ", "), joined(basis[:MOST_TOLD], ", ")
    details = (*filter(None, (budget_words(use, build.budget),)), *_details(build, total))
    if not total.totals:
        return Gauge(PRICE, DASH, foot=foot, details=details)
    first, *others = total.totals
    value, unit = _range(first)
    more = "".join(f"+ {money(row.range[1], row.currency)}, " for row in others)
    title = joined((PRICE, first.currency), ", ")
    gauge = Gauge(title, value, unit, foot=f"{more}{foot}", short=short, tone="note", details=details)
    return _beside(gauge, use) if use else gauge


def _beside(gauge: Gauge, use: BudgetUse) -> Gauge:
    """With the budget as its limit: the colour is that of the expected total, and of a doubt about it."""
    end = PRICE_SCALE * max(use.budget, use.high / PRICE_SCALE)
    of_budget = tr("of {budget}", budget=money(use.budget, use.currency))
    low, expected, high, limit = (amount / end for amount in (use.low, use.expected, use.high, use.budget))
    gauge = replace(gauge, foot=joined((of_budget, gauge.foot), ", "), short=of_budget, tone=_USE_TONES[use.state])
    return replace(gauge, low=low, expected=expected, high=high, limit=limit)


def range_words(total: CurrencyTotal) -> str:
    """ "12 600–13 700 USD", one figure where nothing is estimated."""
    low, high = (number(round(amount)) for amount in total.range)
    return f"{low} {total.currency}" if low == high else f"{low}{DASH}{high} {total.currency}"


def _range(total: CurrencyTotal) -> tuple[str, str]:
    """One exact amount or, of estimates, a range in thousands where it would not fit otherwise; and the unit."""
    low, high = total.range
    if low == high or high < THOUSANDS:
        places, unit, shown = 0, "", (low, high)
    else:
        places, unit, shown = int(high < TENS_OF_THOUSANDS), trc("thousands", "k"), (low / 1000, high / 1000)
    low_words, high_words = (number(round(amount, places)) for amount in shown)
    return low_words if low_words == high_words else f"{low_words}{DASH}{high_words}", unit


def _foot(total: PriceTotal) -> Iterator[str]:
    """What the total rests on, the most important first."""
    if total.estimated:
        share = total.estimated_percent
        yield tr("≈ {share} %", share=share) if total.unpriced else tr("{share} % estimated", share=share)
    if total.unpriced:
        yield tr("{count} unpriced", count=number(total.unpriced))
    if total.used:
        yield tr("{count} used", count=number(total.used))
    if total.owned:
        yield tr("{count} owned", count=number(total.owned))
    if not (total.estimated or total.unpriced or total.used or total.owned):
        yield tr("all parts priced")


def _details(build: Build, total: PriceTotal) -> Iterator[str]:
    for row in total.totals:
        if row.estimated:
            yield tr(
                "{range}: {known} counted, the rest estimated ({share} %).",
                range=range_words(row),
                known=money(row.amount, row.currency),
                share=row.estimated_percent,
            )
    yield from total.basis
    titles = {line.part.id: line.part.title for line in build.lines}
    for part_id, estimate in total.estimates:
        yield f"{titles[part_id]}: {estimate.words}"
    if total.unpriced_ids:
        names = joined((title for part_id, title in titles.items() if part_id in total.unpriced_ids), ", ")
        yield tr("Without a price: {parts}", parts=names)
    if len(total.totals) > 1:
        yield tr("Currencies without a rate are totalled separately: see Currency and VAT in the Parts menu.")


class GaugeStrip(DialRow):
    """All gauges of the document, always up to date."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(gauges(document.assessment), parent)
        self._document = document
        document.changed.connect(self._refresh)

    @Slot()
    def _refresh(self) -> None:
        self.show_gauges(gauges(self._document.assessment))
