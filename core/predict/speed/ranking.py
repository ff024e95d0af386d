"""Which GPU suits which kind of network: an order by the expected speed, with its reasons in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core.parts.chips import one_chip
from core.parts.compute import GpuSpec
from core.parts.part import Part, Price, Source
from core.parts.price_estimate import Estimate
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.predict.band import Band, union
from core.predict.speed.card_speed import CardRate, card_rate
from core.predict.speed.memory_fit import Fits, MemoryFit, memory_fit
from core.predict.speed.networks import Network, Triple
from core.predict.speed.peaks import Peaks, RateFigure, gpu_spec, peaks_of
from core.words import Message, Worded, joined, listed, plain, tr


@dataclass(frozen=True, slots=True)
class Ranked:
    """A GPU and its place, 1 the best."""

    place: int
    part: Part
    score: Band
    """1 is an RTX 3090."""
    rate: CardRate
    price: Price | Estimate | None
    """That of today in the currency in which all are compared, else in its own; None where there is none."""
    past: Price | None
    """What the maker asked for a card that is no longer sold, in that currency: no price of today."""
    per_price: Band | None
    """Reference samples per second for 1000 of that currency; None where the price or the speed is unknown."""
    memory: MemoryFit | None
    """Of the model that was asked about."""
    reasons: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Figures that score and speed had to do without."""
        return union((self.score.missing, self.rate.missing))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        listed_price, price = self.part.price, self.price
        return {
            "place": self.place,
            "part": self.part.id,
            "title": self.part.title,
            "score": self.score.as_dict(),
            "precision": self.rate.precision.value,
            "rate": self.rate.rate.as_dict() if self.rate.rate else None,
            "price": listed_price.model_dump(mode="json") if listed_price else None,
            "compared_price": {"amount": round(price.amount, 2), "currency": price.currency} if price else None,
            "price_estimate": price.as_dict() if isinstance(price, Estimate) else None,
            "per_price": self.per_price.as_dict() if self.per_price else None,
            "memory": self.memory.as_dict() if self.memory else None,
            "reasons": list(self.reasons),
            "missing": list(self.missing),
        }


def rank_gpus(
    parts: Iterable[Part], network: Network, parameters: float | None = None, guide: PriceGuide = NO_GUIDE
) -> tuple[Ranked, ...]:
    """The GPUs in the order in which they suit the network; equal ones by their id. Pure.

    With `parameters` those whose memory holds a model of that size by itself come first. GPUs whose score cannot be
    reckoned for lack of figures are left out.
    """
    cards = [ranked for part in parts if (ranked := _ranked(part, network, parameters, guide))]
    cards.sort(key=lambda one: (_misfit(one), -one.score.expected, one.part.id))
    return _placed(cards)


def by_price(ranked: Iterable[Ranked]) -> tuple[Ranked, ...]:
    """The same GPUs in the order of speed for their price, those of unknown price or speed last.

    All are in one currency, but for those without a rate, which come behind.
    """
    ranked = list(ranked)
    currencies = Counter(one.price.currency for one in ranked if one.price)
    usual = max(sorted(currencies), key=lambda code: currencies[code], default="")
    return _placed(sorted(ranked, key=lambda one: (_misfit(one), one.per_price is None, *_price_order(one, usual))))


def one_per_product(parts: Iterable[Part], guide: PriceGuide = NO_GUIDE) -> tuple[Part, ...]:
    """Of each chip and memory size the board with most of the figures that count, then the cheapest, then by id."""
    best: dict[tuple[str, float | None], Part] = {}
    for part in sorted(parts, key=lambda part: _stands_for(part, guide)):
        spec = part.spec
        if isinstance(spec, GpuSpec):
            best.setdefault((spec.product, spec.memory_gb), part)
    return tuple(best.values())


def _ranked(part: Part, network: Network, parameters: float | None, guide: PriceGuide) -> Ranked | None:
    chip, chips = one_chip(part), gpu_spec(part).chips
    peaks = peaks_of(chip)
    by_criterion = dict(figures(peaks))
    size = by_criterion[RankingCriterion.MEMORY] or RateFigure(UNKNOWN_MEMORY, (f"{part.id}.memory_gb",))
    by_criterion[RankingCriterion.MEMORY] = size
    rate = card_rate(chip, network)
    if rate.rate and chips > 1:
        rate = replace(rate, rate=rate.rate.times(chips))
    score = score_of(rate.rate, size, network)
    if score is None:
        return None
    price = guide.compared(part)
    per_price = None
    if rate.rate and price:
        per_price = rate.rate.times(1000 / price.amount).measured_in(
            tr("{unit} per 1000 {currency}", unit=network.unit, currency=price.currency)
        )
    memory = memory_fit(parameters, peaks.memory_gb) if parameters else None
    sentences = reasons(by_criterion, score, network, peaks.has_tensor_cores, memory)
    return Ranked(0, part, score, rate, price, guide.past(part), per_price, memory, sentences)


def _misfit(ranked: Ranked) -> int:
    return ranked.memory.fits.order if ranked.memory else 0


def _price_order(ranked: Ranked, usual: str) -> tuple[str, float, str]:
    price, worth = ranked.price, ranked.per_price
    return (
        price.currency if price and price.currency != usual else "",
        -worth.expected if worth else 0.0,
        ranked.part.id,
    )


def _placed(in_order: Iterable[Ranked]) -> tuple[Ranked, ...]:
    return tuple(replace(one, place=place) for place, one in enumerate(in_order, 1))


def _stands_for(part: Part, guide: PriceGuide) -> tuple[int, int, float, str]:
    peaks, price = peaks_of(part), guide.compared(part)
    derived = sum(len(figure.missing) for figure in figures(peaks).values() if figure)
    return len(peaks.missing), derived, price.amount if price else float("inf"), part.id


WHY: dict[Network, str] = {
    Network.CNN: tr(
        "Convolutions reuse what they load: they are large multiplications, so tensor cores "
        "count most, then plain FLOPS, then memory bandwidth, then FP16. Fast cards wait for "
        "their memory and their host: the ranking follows the expected speed, which counts that."
    ),
    Network.LSTM: tr(
        "Each step of a recurrent net multiplies small matrices and loads its weights again, so memory bandwidth and "
        "memory size count most, then FP16, which halves the traffic, then tensor cores, then FLOPS."
    ),
    Network.TRANSFORMER: tr(
        "Transformers are between convolution and recurrent nets: weights, optimiser and activations must fit and be "
        "moved, so memory size and bandwidth count first, then tensor cores, FP16 and FLOPS."
    ),
}
REMARKABLE = 1.25
"""Factor over the score at which a figure is said to carry a card, or below its inverse to hold it back."""


def reasons(
    by_criterion: Mapping[RankingCriterion, RateFigure | None],
    score: Band,
    network: Network,
    has_tensor_cores: bool,
    memory: MemoryFit | None,
) -> tuple[str, ...]:
    """What counts first, what carries the card beyond its score, what holds it back, and whether a model fits.

    Figures that are unknown and cannot be derived are no reason.
    """
    weights = WEIGHTS[network]
    figures = {c: _figure(c, figure.values[1]) for c in weights if (figure := by_criterion[c])}
    words = {c: plain("{criterion} {figure}", criterion=c.label, figure=figure) for c, figure in figures.items()}
    if not has_tensor_cores and words.keys() >= {RankingCriterion.TENSOR, RankingCriterion.FLOPS}:
        words[RankingCriterion.TENSOR] = tr(
            "no tensor cores (matrices at {rate})", rate=figures[RankingCriterion.FLOPS]
        )
    over = {c: figure.values[1] / YARDSTICK[c] for c in weights if (figure := by_criterion[c])}
    first = listed([plain("{figure} ({over:.2g} x RTX 3090)", figure=words[c], over=over[c]) for c in list(words)[:2]])
    up = [words[c] for c in words if over[c] > REMARKABLE * score.expected]
    down = [words[c] for c in words if over[c] * REMARKABLE < score.expected]
    return (
        tr("What counts first: {first}.", first=first),
        *((tr("Helped by {up}.", up=listed(up)),) if up else ()),
        *((tr("Held back by {down}.", down=listed(down)),) if down else ()),
        *((_fit_words(memory),) if memory else ()),
    )


def _figure(criterion: RankingCriterion, value: float) -> Message:
    unit = UNITS.get(criterion, "TFLOPS")
    if value < 1000:
        return plain("{value:.3g} {unit}", value=value, unit=unit)
    return plain("{value:.0f} {unit}", value=value, unit=unit)


def _fit_words(memory: MemoryFit) -> str:
    need = memory.needed_gb
    fields = {"billions": memory.parameters / 1e9, "low": need.low, "high": need.high}
    if memory.memory_gb is None or memory.rule_of_thumb is None:
        return tr(
            "A model of {billions:.3g} billion parameters needs {low:.0f} to {high:.0f} GB to train; the "
            "card's memory is unknown.",
            **fields,
        )
    answer = tr(
        "A model of {billions:.3g} billion parameters needs {low:.0f} to {high:.0f} GB to train: {verdict}.",
        verdict=_verdict(memory),
        **fields,
    )
    rule = tr(
        "By the old rule of thumb {memory_gb:g} GB holds {billions:.2g} billion in FP32 with "
        "momentum, twice that in 16 bit, without activations.",
        memory_gb=memory.memory_gb,
        billions=memory.rule_of_thumb / 1e9,
    )
    return joined([answer, rule])


def _verdict(memory: MemoryFit) -> str:
    match memory.fits:
        case Fits.YES:
            return tr("it fits")
        case Fits.TIGHT:
            return tr("at best, it fits with activations recomputed")
    if memory.fewest_cards is None:
        return tr("its activations alone do not fit")
    return tr("it fits when sharded over {cards} such cards", cards=memory.fewest_cards)


# The figures that count for each kind of network, their order, and the score that ranks cards.
#
# The score is the expected speed over that of an RTX 3090: it knows how often a card waits for its memory and its host,
# which no list of peak rates does. Memory size counts beside it where the advice has it: a model must fit.
#
# The order of the figures, for the reasons, is established advice: convolution nets ask for tensor cores, then FLOPS,
# then memory bandwidth, then FP16; recurrent ones for memory bandwidth and size, then FP16, then tensor cores, then
# FLOPS; transformers are between the two, memory size and bandwidth first. The weights are ours: each rank counts half
# of the one before, and figures of one rank share; a transformer's later ranks count more, being between the two.


class RankingCriterion(Worded):
    """A figure that ranks GPUs."""

    TENSOR = "tensor cores", tr("tensor cores")
    FLOPS = "FP32 rate", tr("FP32 rate")
    BANDWIDTH = "memory bandwidth", tr("memory bandwidth")
    MEMORY = "memory size", tr("memory size")
    FP16 = "FP16 rate", tr("FP16 rate")


WEIGHTS: dict[Network, dict[RankingCriterion, float]] = {
    Network.CNN: {
        RankingCriterion.TENSOR: 8 / 15,
        RankingCriterion.FLOPS: 4 / 15,
        RankingCriterion.BANDWIDTH: 2 / 15,
        RankingCriterion.FP16: 1 / 15,
    },
    Network.LSTM: {
        RankingCriterion.BANDWIDTH: 12 / 31,
        RankingCriterion.MEMORY: 12 / 31,
        RankingCriterion.FP16: 4 / 31,
        RankingCriterion.TENSOR: 2 / 31,
        RankingCriterion.FLOPS: 1 / 31,
    },
    Network.TRANSFORMER: {
        RankingCriterion.MEMORY: 0.30,
        RankingCriterion.BANDWIDTH: 0.30,
        RankingCriterion.TENSOR: 0.25,
        RankingCriterion.FP16: 0.10,
        RankingCriterion.FLOPS: 0.05,
    },
}
YARDSTICK: dict[RankingCriterion, float] = {
    RankingCriterion.TENSOR: 71.2,
    RankingCriterion.FLOPS: 35.6,
    RankingCriterion.BANDWIDTH: 936.0,
    RankingCriterion.MEMORY: 24.0,
    RankingCriterion.FP16: 35.6,
}
"""An RTX 3090: its score is 1."""
UNITS = {RankingCriterion.BANDWIDTH: "GB/s", RankingCriterion.MEMORY: "GB"}
UNKNOWN_MEMORY: Triple = (8.0, 16.0, 32.0)


def figures(peaks: Peaks) -> Mapping[RankingCriterion, RateFigure | None]:
    """What ranks a card. One without tensor cores multiplies matrices at its FP32 rate."""
    memory = peaks.memory_gb
    return {
        RankingCriterion.TENSOR: peaks.tensor if peaks.has_tensor_cores else peaks.products,
        RankingCriterion.FLOPS: peaks.fp32,
        RankingCriterion.BANDWIDTH: peaks.bandwidth,
        RankingCriterion.MEMORY: RateFigure((memory, memory, memory)) if memory else None,
        RankingCriterion.FP16: peaks.fp16,
    }


def score_of(rate: Band | None, memory: RateFigure, network: Network) -> Band | None:
    """The expected speed over the yardstick's, and the memory's size over its as far as that counts for the network.

    A weighted geometric mean; slow software is held against slow, fast against fast, for the software is the same on
    both cards. None without a speed.
    """
    if rate is None:
        return None
    of_size, own = WEIGHTS[network].get(RankingCriterion.MEMORY, 0.0), yardstick_rate(network)
    speeds = (rate.low / own.low, rate.expected / own.expected, rate.high / own.high)
    sizes = [value / YARDSTICK[RankingCriterion.MEMORY] for value in memory.values]
    low, expected, high = (speed ** (1 - of_size) * size**of_size for speed, size in zip(speeds, sizes, strict=True))
    missing = tuple(dict.fromkeys((*rate.missing, *(memory.missing if of_size else ()))))
    return Band(min(low, expected), expected, max(expected, high), "", (), missing)


@lru_cache(maxsize=len(Network))
def yardstick_rate(network: Network) -> Band:
    """Samples per second of the RTX 3090."""
    spec = GpuSpec(
        product="GeForce RTX 3090",
        compute_capability="8.6",
        fp16_tensor_tflops=YARDSTICK[RankingCriterion.TENSOR],
        fp32_tflops=YARDSTICK[RankingCriterion.FLOPS],
        fp16_tflops=YARDSTICK[RankingCriterion.FP16],
        memory_bandwidth_gbps=YARDSTICK[RankingCriterion.BANDWIDTH],
        memory_gb=YARDSTICK[RankingCriterion.MEMORY],
    )
    part = Part(id="yardstick", maker="NVIDIA", name="RTX 3090", spec=spec, sources=(Source(title="its figures"),))
    rate = card_rate(part, network).rate
    assert rate is not None
    return rate
