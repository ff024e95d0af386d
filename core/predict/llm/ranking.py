"""Which GPUs suit a language model: those whose memory holds it first, then by their expected rate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field, PlainSerializer

from core.parts.part import Part, Price
from core.parts.price_estimate import Estimate
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.platform.json_value import JsonValue, NotInJson
from core.predict.band import Band
from core.predict.llm.prediction import ModelPrediction, predict_card
from core.predict.llm.workload import Workload
from core.words import tr


@dataclass(frozen=True, slots=True)
class RankedForModel(JsonValue):
    """A GPU and its place, 1 the best. `prediction` is of the workload on so many such cards."""

    place: int
    part: Annotated[Part, PlainSerializer(lambda part: part.id)]
    title: str
    prediction: ModelPrediction
    price: Annotated[Price | Estimate | None, NotInJson]
    """Of one card today in the currency in which all are compared; None where there is none."""
    past: Annotated[Price | None, NotInJson]
    """What the maker asked for a card that is no longer sold: no price of today."""
    per_price: Annotated[Band | None, Field(serialization_alias="per_price")]
    """Tokens per second for 1000 of that currency; None where the price or the rate is unknown."""


def rank_for_model(
    parts: Iterable[Part], workload: Workload, count: int = 1, guide: PriceGuide = NO_GUIDE, *, for_price: bool = False
) -> tuple[RankedForModel, ...]:
    """The GPUs in the order in which so many of each suit the workload: those that hold it, the fastest first, or with
    `for_price` the fastest for their price; equal ones by id. Pure.

    GPUs that cannot run it at all, and those whose rate is unknown for lack of figures, come last.
    """
    ranked = [_ranked(part, workload, count, guide) for part in parts]
    ranked.sort(key=lambda one: (*_order(one, for_price), one.part.id))
    return tuple(replace(one, place=place) for place, one in enumerate(ranked, 1))


def _ranked(part: Part, workload: Workload, count: int, guide: PriceGuide) -> RankedForModel:
    prediction, price = predict_card(part, workload, count), guide.compared(part)
    per_price = None
    if prediction.rate and price:
        unit = tr("{unit} per 1000 {currency}", unit=prediction.rate.unit, currency=price.currency)
        per_price = prediction.rate.times(1000 / (price.amount * count)).measured_in(unit)
    return RankedForModel(0, part, part.title, prediction, price, guide.past(part), per_price)


def _order(one: RankedForModel, for_price: bool) -> tuple[bool, int, bool, float]:
    prediction = one.prediction
    worth = one.per_price if for_price else prediction.rate
    return bool(prediction.unfit), prediction.fits.order, worth is None, -worth.expected if worth else 0.0
