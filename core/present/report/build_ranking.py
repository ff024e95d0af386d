"""The catalogue's GPUs in the order of what counts for a kind of network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from core.parts.part import Part, Price
from core.parts.price_estimate import Basis, Estimate
from core.parts.price_guide import today_words
from core.parts.price_today import dated_words, full_words, uncounted
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.predict.band import Band, exact
from core.predict.llm.ranking import RankedForModel
from core.predict.speed.memory_fit import Fits
from core.predict.speed.networks import Network
from core.predict.speed.ranking import Ranked
from core.present.report.build_language_models import prediction_cells, rate_columns
from core.present.report.build_speed import fit_words
from core.present.report.document import Cell, Figure, Nothing, ReportColumn, Table, Tone, Words, figures_column, table
from core.words import plain, tr

GPU, SCORE, SPEED, MEMORY, PRICE, WORTH, MODEL, BUILD = range(8)
"""The columns; the last where it is known what would fail in a build."""


def ranking_table(
    network: Network,
    gpus: Sequence[Ranked],
    worth: Mapping[str, int] | None = None,
    failing: Mapping[str, str] | None = None,
) -> Table:
    """By part id, `worth` has the places by speed for the price, `failing` what would fail in a build."""
    columns = [
        ReportColumn(Category.GPU.label, 4.0, about=tr("In order of what counts for the network")),
        figures_column(tr("Score"), about=tr("1 is an RTX 3090")),
        figures_column(tr("Alone"), network.unit, network.reference),
        figures_column(tr("Memory"), "GB"),
        figures_column(tr("Price")),
        figures_column(tr("Per 1000"), network.unit, about=tr("Speed per 1000 of the price's currency")),
    ]
    rows = [_row(one, (worth or {}).get(one.part.id)) for one in gpus]
    if failing is not None or any(one.memory for one in gpus):
        columns.append(ReportColumn(tr("Model"), 1.5, about=tr("Whether it holds a model of that size")))
        rows = [(*row, _model(one)) for row, one in zip(rows, gpus, strict=True)]
    if failing is not None:
        columns.append(ReportColumn(tr("In this build"), 1.5))
        rows = [(*row, _in_build(failing.get(one.part.id, ""))) for row, one in zip(rows, gpus, strict=True)]
    return table(columns, rows, keys=[one.part.id for one in gpus])


def model_ranking_table(ranked: Sequence[RankedForModel]) -> Table:
    """GPUs for a language model, in their order; what does not run it has no rates."""
    trains = bool(ranked) and ranked[0].prediction.workload.method.trains
    columns = (
        ReportColumn(Category.GPU.label, 4.0),
        figures_column(tr("Of each card"), "GB", tr("What the fullest card must hold, with K and V")),
        ReportColumn(tr("Memory"), 1.6),
        *rate_columns(trains),
        figures_column(tr("Price"), about=tr("Of one card")),
        figures_column(tr("Per 1000"), about=tr("Speed per 1000 of the price's currency")),
    )
    return table(columns, map(_model_row, ranked), keys=[one.part.id for one in ranked])


def _model_row(one: RankedForModel) -> tuple[Cell, ...]:
    prediction, per_price = one.prediction, one.per_price
    lacks = tr("Its price or its speed is unknown.")
    return (
        Words(plain("{place}. {title}", place=one.place, title=one.part.title), order=float(one.place)),
        *prediction_cells(prediction),
        price_cell(one.part, one.price, one.past, date.today()),
        Figure(per_price.measured_in(prediction.rate.unit) if per_price and prediction.rate else None, lacks),
    )


def _row(one: Ranked, worth: int | None) -> tuple[Cell, ...]:
    spec, per_price = one.part.spec, one.per_price
    memory = spec.memory_gb if isinstance(spec, GpuSpec) else None
    value = Figure(
        per_price.measured_in(one.rate.rate.unit) if per_price and one.rate.rate else None,
        per_price.unit if per_price else tr("Its price or its speed is unknown."),
        order=None if worth is None else -float(worth),
    )
    return (
        Words(f"{one.place}. {one.part.title}", order=float(one.place)),
        _score(one.score),
        Figure(one.rate.rate),
        Figure(exact(memory, "GB") if memory else None),
        price_cell(one.part, one.price, one.past, date.today()),
        value,
    )


def _score(score: Band) -> Words:
    span = plain("({low:.2f}\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}{high:.2f})", low=score.low, high=score.high)
    return Words(plain("{score:.2f}", score=score.expected), span if score.width else "", order=score.expected)


def price_cell(part: Part, price: Price | Estimate | None, past: Price | None, today: date) -> Cell:
    """That of today; else what its maker asked, which does not count."""
    listed = part.price
    if price is not None:
        estimate = price if isinstance(price, Estimate) else None
        used = estimate is not None and estimate.basis is Basis.USED_BAND
        about = full_words(listed) if listed and not used else estimate.words if estimate else ""
        return Words(today_words(price, today), about=about, order=price.amount)
    if past is not None:
        return Words(dated_words(past, today), about=uncounted([(part, past)]), tone=Tone.UNKNOWN)
    return Figure(None)


def _model(one: Ranked) -> Cell:
    if one.memory is None:
        return Nothing()
    fits = one.memory.fits
    tone = {Fits.NO: Tone.WARN, Fits.UNKNOWN: Tone.UNKNOWN}.get(fits, Tone.PLAIN)
    return Words(fit_words(one.memory), tone=tone, order=float(fits.order))


def _in_build(fails: str) -> Cell:
    if fails:
        return Words(tr("would fail"), about=fails, tone=Tone.WARN, order=1.0)
    return Words(tr("nothing fails"), order=0.0)
