"""Which GPUs are ranked at all: those with enough memory that fit and cost no more than asked; and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.parts.price_guide import PriceGuide
from core.words import joined, trn


class LeftOut(StrEnum):
    """Why a GPU is not ranked; the nearest to being ranked comes last."""

    MEMORY = "memory"
    """Less than asked for, or unknown."""
    FIT = "fit"
    UNPRICED = "unpriced"
    DEAR = "dear"

    def words(self, count: int) -> str:
        """So many products, and why."""
        match self:
            case LeftOut.MEMORY:
                return trn("{count} with less memory", "{count} with less memory", count=count)
            case LeftOut.FIT:
                return trn("{count} that does not fit", "{count} that do not fit", count=count)
            case LeftOut.UNPRICED:
                return trn("{count} without a price of today", "{count} without a price of today", count=count)
            case LeftOut.DEAR:
                return trn("{count} that costs more", "{count} that cost more", count=count)


_ORDER = tuple(LeftOut)


@dataclass(frozen=True, slots=True)
class ShortlistLimits:
    """What a GPU must keep to; None where nobody asks. A price is in the currency in which all are compared."""

    price: float | None = None
    memory_gb: float | None = None


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The boards that keep to the limits, and how many products have none."""

    parts: tuple[Part, ...]
    left_out: Mapping[LeftOut, int] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """ "12 with less memory, 3 that do not fit"; empty where nothing is left out."""
        return joined((why.words(self.left_out[why]) for why in _ORDER if why in self.left_out), ", ")


def shortlist(
    parts: Iterable[Part], limits: ShortlistLimits, guide: PriceGuide, fails: Callable[[Part], bool] | None = None
) -> Shortlist:
    """Of each product the boards that keep to the limits: another one may be shorter or cheaper. `fails` says whether a
    part would make the build fail; None: nobody asks."""
    chosen: list[Part] = []
    seen: set[object] = set()
    nearest: dict[object, LeftOut] = {}
    for part in parts:
        if not isinstance(part.spec, GpuSpec):
            continue
        product = part.spec.product, part.spec.memory_gb
        why = _why_not(part, part.spec, limits, guide, fails)
        if why is None:
            chosen.append(part)
            seen.add(product)
        else:
            nearest[product] = max(why, nearest.get(product, why), key=_ORDER.index)
    return Shortlist(tuple(chosen), Counter(why for product, why in nearest.items() if product not in seen))


def _why_not(
    part: Part, spec: GpuSpec, limits: ShortlistLimits, guide: PriceGuide, fails: Callable[[Part], bool] | None
) -> LeftOut | None:
    if limits.memory_gb is not None and (spec.memory_gb is None or spec.memory_gb < limits.memory_gb):
        return LeftOut.MEMORY
    if fails is not None and fails(part):
        return LeftOut.FIT
    if limits.price is None:
        return None
    price = guide.compared(part)
    if price is None or price.currency != guide.terms.common:
        return LeftOut.UNPRICED
    return LeftOut.DEAR if price.amount > limits.price else None
