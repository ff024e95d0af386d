"""Which language models a planned machine runs, how fast and why no faster; and the catalogue's GPUs in that order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from core.assessment import Assessment
from core.parts.vocabulary import Category
from core.predict.band import exact
from core.predict.llm.models import model_named
from core.predict.llm.prediction import CardMemory, ModelPrediction
from core.predict.llm.ranking import RankedForModel
from core.predict.llm.workload import USUAL_MODELS, Method, Workload
from core.predict.speed.memory_fit import GIB, Fits
from core.present.report.build_speed import fit_words, price_cell
from core.present.report.document import (
    Block,
    Cell,
    Figure,
    Heading,
    Nothing,
    Paragraph,
    ReportColumn,
    Table,
    Tone,
    Words,
    figures_column,
    table,
)
from core.present.report.formatting import band_text, bullets, counted_title
from core.words import joined, plain, tr, trn
from core.words.units import number

MODELS = tr("Language models")
"""The table whose rows can be chosen."""
FITS_TONE = {Fits.NO: Tone.WARN, Fits.UNKNOWN: Tone.UNKNOWN}


def model_blocks(assessment: Assessment, workload: Workload | None = None) -> Iterator[Block]:
    """Models of several sizes, in the way that is usual on a desk, or in that of `workload`; nothing without a GPU
    that works.

    With a workload also what it takes of each card, and why it is no faster.
    """
    if not any(assessment.build.workers()):
        return
    chosen = assessment.model(workload) if workload else None
    predictions = [assessment.model(one) for one in _beside(workload)] if workload else assessment.usual_models
    yield Heading(tr("Language models, predicted"))
    yield Paragraph(_lead(chosen) if chosen else _usual_lead(predictions[0].workload))
    if chosen:
        yield _memory(chosen)
        if chosen.unfit or chosen.reasons:
            yield Heading(tr("Why"), 2)
            yield Paragraph(bullets((*chosen.unfit, *chosen.reasons)))
        yield Heading(tr("Other models, asked the same"), 2)
    yield _models(predictions)
    assumptions = dict.fromkeys(sentence for one in (chosen, *predictions) if one for sentence in one.assumptions)
    if assumptions:
        yield Paragraph(joined(assumptions, "\n"), quiet=True)


def answer_words(prediction: ModelPrediction) -> str:
    """What comes of a workload, in a few words: its rate, or why there is none."""
    return prediction.hindrance or (band_text(prediction.rate) if prediction.rate else "")


def _beside(workload: Workload) -> list[Workload]:
    """The usual models in the way of this one, as far as they take it."""
    names = [name for name in USUAL_MODELS if model_named(name).longest_context >= workload.context]
    return [replace(workload, model=model_named(name)) for name in names if name != workload.model.id]


def _usual_lead(workload: Workload) -> str:
    return tr(
        "In {weights}, with {context} tokens of context and one user.",
        weights=workload.weights.label,
        context=number(workload.context),
    )


def _lead(prediction: ModelPrediction) -> str:
    workload = prediction.workload
    fields = {"workload": workload.words, "answer": answer_words(prediction)}
    sentence = tr("{workload}: {answer}.", **fields)
    if workload.method.trains or workload.requests == 1 or prediction.per_request is None:
        return sentence
    together = trn("{count} user at once", "{count} users at once", count=workload.requests)
    each = tr("{users}: {rate} for each.", users=together, rate=band_text(prediction.per_request))
    return joined([sentence, each])


def _models(predictions: Sequence[ModelPrediction]) -> Table:
    columns = (
        ReportColumn(tr("Model"), 2.2),
        figures_column(tr("Weights"), "GB", tr("Of the whole model"), share=1.2),
        figures_column(tr("Of each card"), "GB", tr("What the fullest card must hold, with K and V"), share=2.0),
        ReportColumn(tr("Memory"), 1.6),
        *rate_columns(predictions[0].workload.method.trains),
    )
    rows = [
        (one.workload.model.title, Figure(exact(one.workload.weight_bytes / GIB, "GB")), *prediction_cells(one))
        for one in predictions
    ]
    return table(columns, rows, name=MODELS, keys=[one.workload.model.id for one in predictions])


def rate_columns(trains: bool) -> tuple[ReportColumn, ...]:
    """What a workload is measured by: one column of training, two of inference."""
    if trains:
        return (figures_column(tr("Trains"), about=tr("Tokens of all cards together"), share=2.2),)
    return (
        figures_column(tr("New tokens"), about=tr("Decode: of all users together"), share=2.2),
        figures_column(tr("Prompt"), about=tr("Prefill: tokens of the prompt that are read in"), share=2.4),
    )


def prediction_cells(prediction: ModelPrediction) -> tuple[Cell, ...]:
    """What the fullest card must hold, whether it fits, and the rates."""
    fullest = max(prediction.memory, key=lambda card: card.memory.needed.expected, default=None)
    trains = prediction.workload.method.trains
    rates = (prediction.train,) if trains else (prediction.decode, prediction.prefill)
    why = joined(prediction.unfit) or answer_words(prediction)
    never = bool(prediction.unfit) or prediction.fits is Fits.NO
    return (
        Figure(fullest.memory.needed) if fullest else Nothing(),
        _fits(prediction, fullest),
        *(Nothing(why) if never else Figure(rate, why) for rate in rates),
    )


def _fits(prediction: ModelPrediction, fullest: CardMemory | None) -> Cell:
    if prediction.unfit:
        return Words(tr("not on these GPUs"), about=joined(prediction.unfit), tone=Tone.WARN)
    if fullest is None:
        return Nothing()
    memory = fullest.memory
    if memory.fits is not Fits.NO and prediction.cards < prediction.of_cards:
        words = trn("fits on {count} GPU", "fits on {count} GPUs", count=prediction.cards)
        return Words(words if memory.fits is Fits.YES else memory.fits.label)
    return Words(fit_words(memory), tone=FITS_TONE.get(memory.fits, Tone.PLAIN))


def _memory(prediction: ModelPrediction) -> Table:
    """What lies on each kind of card."""
    trains = prediction.workload.method is not Method.INFERENCE
    columns = (
        ReportColumn(tr("Card"), 3.0),
        figures_column(tr("Weights"), "GB"),
        figures_column(tr("Gradients, optimiser"), "GB") if trains else figures_column(tr("K and V"), "GB"),
        figures_column(tr("Activations"), "GB"),
        figures_column(tr("Framework"), "GB", tr("Driver, libraries, workspaces, fragments")),
        figures_column(tr("All"), "GB"),
        figures_column(tr("Card's memory"), "GB"),
        ReportColumn(tr("Memory"), 1.5),
    )
    rows = []
    for card in prediction.memory:
        memory = card.memory
        rows.append(
            (
                counted_title(card.count, card.title),
                Figure(memory.weights),
                Figure(memory.training_state if trains else memory.cache),
                Figure(memory.activations),
                Figure(memory.framework),
                Figure(memory.needed),
                Figure(exact(memory.memory_gb, "GB") if memory.memory_gb else None),
                Words(fit_words(memory), tone=FITS_TONE.get(memory.fits, Tone.PLAIN)),
            )
        )
    return table(columns, rows, name=tr("Memory of each card"))


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
