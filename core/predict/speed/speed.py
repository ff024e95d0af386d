"""The speed of a build: each card alone, all cards in this placement, and what limits them, as bands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, model_serializer

from core.parts.chips import one_chip
from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.plan.build import Build
from core.plan.placement.links import CardLink
from core.plan.placement.risers import CardKey
from core.plan.water_blocks import uncooled
from core.platform.json_value import JsonValue, NotInJson, PartId, Thousandths
from core.predict.band import Band
from core.predict.cost import PerPrice, per_price
from core.predict.speed.card_speed import CardRate, card_rate, power_share
from core.predict.speed.host import Host, Starved, host_of
from core.predict.speed.memory_fit import MemoryFit, memory_fit
from core.predict.speed.networks import REFERENCES, ComputePrecision, Network, Triple, samples_per_step
from core.predict.speed.scaling import WIDE, Ring, Scaled, ring_of, scaled
from core.predict.thermal.heat import Heat
from core.words import plain, tr, trn

DATA_PARALLEL = tr("All cards train one model, each with its own samples; the slowest card sets the pace.")
NO_LOOP = tr("Cards under water have no speed until the build has a radiator for them.")
OAM_UNKNOWN = tr(
    "How fast OAM modules exchange data is unknown: there are figures for each card, none for all together."
)
HELD_BACK = 0.995
"""A card that keeps less of its power than this is said to be held back."""
UNEVEN = 0.95
"""Slowest over fastest card."""


_Milliseconds = Annotated[Triple, PlainSerializer(lambda slow_to_fast: slow_to_fast if any(slow_to_fast) else None)]


@dataclass(frozen=True, slots=True)
class CardSpeed(JsonValue):
    """One GPU of the build that does work, alone. `rate` None: figures that it needs are unknown."""

    part_id: PartId
    title: Annotated[str, NotInJson]
    number: int
    """Of the card within its line, from 1."""
    chip: int
    """Of the GPU on its card, from 1."""
    power_share: Thousandths
    """Of its own limit: the limit that is set, then what heat takes back."""
    precision: ComputePrecision
    rate: Band | None
    compute_part: Thousandths
    """Share of the expected time that is computing; the rest moves data to and from its memory."""
    compute_ms: Annotated[_Milliseconds, Field(serialization_alias="compute_ms_per_1000")] = (0.0, 0.0, 0.0)
    """Slow, expected, fast per 1000 samples; zeros where unknown."""
    memory_ms: Annotated[_Milliseconds, Field(serialization_alias="memory_ms_per_1000")] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class NetworkSpeed(JsonValue):
    """All cards on one reference network. None: unknown for lack of figures, or, with one card, not asked."""

    network: Network
    cards: tuple[CardSpeed, ...]
    rate: Band | None
    efficiency: Band | None
    """All together over the sum of each alone."""
    exchange_ms: Band | None
    memory: MemoryFit | None
    """On the card with the least memory."""
    per_price: PerPrice | None
    starved: Starved | None
    """Where cores or drives feed the cards less than they take."""
    reasons: tuple[str, ...]

    @model_serializer(mode="wrap")
    def _with_words(self, of_fields: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        return {"network": self.network, "label": self.network.reference, "unit": self.network.unit} | of_fields(self)


@dataclass(frozen=True, slots=True)
class BuildSpeed(JsonValue):
    """How fast a build trains each kind of network."""

    networks: tuple[NetworkSpeed, ...]
    assumptions: tuple[str, ...]
    missing: tuple[str, ...]

    def of(self, network: Network) -> NetworkSpeed:
        """One kind of network. Raises KeyError if it was not asked for."""
        for speed in self.networks:
            if speed.network is network:
                return speed
        raise KeyError(network)

    @property
    def reasons(self) -> Iterator[str]:
        """Why no faster: what holds for all kinds of network once, the rest with its kind."""
        rated = [network for network in self.networks if network.cards]
        common = [reason for reason in rated[0].reasons if all(reason in one.reasons for one in rated)] if rated else []
        yield from common
        for one in rated:
            for reason in one.reasons:
                if reason not in common:
                    yield plain("{network}: {reason}", network=one.network.short, reason=reason)


@dataclass(frozen=True, slots=True)
class WorkingGpu:
    """A GPU of a build that does work, as the driver lists it."""

    part: Part
    """One chip, where the card has several."""
    number: int
    chip: int
    share: float
    """Of its own power limit."""
    cooled: bool
    """Whether there is anything that takes its heat; without, it does not run."""


def predict_speed(
    build: Build,
    heat: Heat | None = None,
    networks: Sequence[Network] = tuple(Network),
    *,
    precision: ComputePrecision | None = None,
    card_links: Mapping[CardKey, CardLink] | None = None,
    guide: PriceGuide | None = NO_GUIDE,
) -> BuildSpeed:
    """Pure. Without `heat` cards are taken to stay cool; `card_links` are the build's links, if at hand; `guide` tells
    how prices are shown; None where nobody asks what the speed costs.

    Power limits of the lines and what heat takes back lower the term of computing, not that of memory.
    """
    gpus = working_gpus(build, heat)
    ring, host = ring_of(build, card_links), host_of(build)
    ring = ring.by_ram(host.ram_gbps, host.ram_words) if ring else None
    alike = {(gpu.part.id, gpu.share): gpu for gpu in gpus}
    missing = set(ring.missing if ring else ())
    assumed = {*ring.notes, DATA_PARALLEL} if ring else set()
    assumed |= set() if all(gpu.cooled for gpu in gpus) else {NO_LOOP}
    speeds = []
    for network in networks:
        rates = {key: card_rate(gpu.part, network, gpu.share, precision) for key, gpu in alike.items()}
        missing |= {name for rate in rates.values() for name in rate.missing}
        assumed |= {note for rate in rates.values() if rate.rate for note in rate.rate.assumptions}
        own = ((rates[gpu.part.id, gpu.share], gpu.cooled) for gpu in gpus)
        each = [rate if cooled else _stopped(rate) for rate, cooled in own]
        one = _network(network, gpus, each, ring, host)
        speeds.append(replace(one, per_price=per_price(build, one.rate, guide)) if one.rate and guide else one)
    return BuildSpeed(tuple(speeds), tuple(sorted(assumed)), tuple(sorted(missing)))


def working_gpus(build: Build, heat: Heat | None) -> tuple[WorkingGpu, ...]:
    """All of a build, by the ids of their parts, each with what power limit and heat leave it. Pure."""
    kept_shares = {(card.part_id, card.number): card.kept_share for card in heat.cards} if heat else {}
    dry = uncooled(build) if heat else frozenset()
    return tuple(
        WorkingGpu(
            part,
            number,
            chip,
            power_share(line.limit_w, spec.power_limit_w, kept_shares.get((line.part.id, number), 1.0)),
            (line.part.id, number) not in dry,
        )
        for line, spec in sorted(build.workers(), key=lambda pair: pair[0].part.id)
        for part in (one_chip(line.part),)
        for number in range(1, line.quantity + 1)
        for chip in range(1, spec.chips + 1)
    )


def _stopped(rate: CardRate) -> CardRate:
    zeros = (0.0, 0.0, 0.0)
    return replace(rate, rate=None, compute_ms=zeros, memory_ms=zeros)


def _network(
    network: Network, gpus: Sequence[WorkingGpu], rates: Sequence[CardRate], ring: Ring | None, host: Host
) -> NetworkSpeed:
    cards = tuple(_card(gpu, rate) for gpu, rate in zip(gpus, rates, strict=True))
    singly = [rate.rate for rate in rates if rate.rate]
    scale = _scaled(network, gpus, rates, ring)
    demand = scale.rate if scale else singly[0] if len(rates) == len(singly) == 1 else None
    starved = host.feeds(network, demand) if demand else None
    together = _fed(demand, starved, host.launching) if demand else None
    if scale and together:
        scale = replace(scale, rate=together, efficiency=_waiting(scale, together))
    return NetworkSpeed(
        network=network,
        cards=cards,
        rate=together,
        efficiency=scale.efficiency if scale else None,
        exchange_ms=scale.exchange_ms if scale else None,
        memory=reference_fit(network, _least_memory(gpus), rates[0].precision) if gpus else None,
        per_price=None,
        reasons=(*_reasons(network, cards, scale, ring, starved), *_launching(host)),
        starved=starved,
    )


def _fed(demand: Band, starved: Starved | None, launching: float) -> Band:
    """What the cards would take, where the host lets them. Cards that share a core lose by it at the low end alone."""
    low, expected, high = demand.low * launching, demand.expected, demand.high
    if starved:
        low, expected, high = (min(pair) for pair in zip((low, expected, high), starved.fed, strict=True))
    return replace(demand, low=low, expected=expected, high=high)


def _waiting(scale: Scaled, together: Band) -> Band:
    """The efficiency with what the host takes of the speed."""
    was, sides = scale.rate, ("low", "expected", "high")
    shares = [getattr(together, side) / getattr(was, side) for side in sides]
    return scale.efficiency.times(min(shares), shares[1], max(shares))


def _scaled(
    network: Network, gpus: Sequence[WorkingGpu], rates: Sequence[CardRate], ring: Ring | None
) -> Scaled | None:
    bands = [rate.rate for rate in rates if rate.rate]
    if ring is None or len(bands) < len(rates) or min(ring.gbps) <= 0:
        return None
    precision = rates[0].precision if len({rate.precision for rate in rates}) == 1 else ComputePrecision.FP32
    return scaled(network, precision, bands, ring.gbps, samples_per_step(network, _least_memory(gpus)))


def _card(gpu: WorkingGpu, rate: CardRate) -> CardSpeed:
    terms = (rate.rate, rate.compute_part, rate.compute_ms, rate.memory_ms)
    return CardSpeed(gpu.part.id, gpu.part.title, gpu.number, gpu.chip, gpu.share, rate.precision, *terms)


def reference_fit(network: Network, memory_gb: float | None, precision: ComputePrecision) -> MemoryFit:
    """Whether the reference network fits one card of this memory, at a small batch."""
    reference = REFERENCES[network]
    wide = reference.memory_batch * (1 if precision is ComputePrecision.MIXED else 2)
    low, expected, high = reference.activation_bytes
    return memory_fit(reference.parameters, memory_gb, activations=(low * wide, expected * wide, high * wide))


def _least_memory(gpus: Sequence[WorkingGpu]) -> float | None:
    sizes = [gpu.part.spec.memory_gb for gpu in gpus if isinstance(gpu.part.spec, GpuSpec)]
    stated = [size for size in sizes if size is not None]
    return min(stated) if stated and len(stated) == len(sizes) else None


def _reasons(
    network: Network, cards: Sequence[CardSpeed], scale: Scaled | None, ring: Ring | None, starved: Starved | None
) -> tuple[str, ...]:
    sentences: list[str] = []
    part = next((card.compute_part for card in cards if card.rate), None)
    if part is not None:
        sentences.append(
            tr(
                "A card computes {percent:.0f} % of its time; the rest moves data to and from its memory.",
                percent=100 * part,
            )
        )
    held = [card for card in cards if card.power_share < HELD_BACK]
    if held:
        least = min(held, key=lambda card: card.power_share)
        fields = {"held": len(held), "cards": len(cards), "percent": 100 * least.power_share, "card": least.title}
        sentences.append(
            tr(
                "Power limits and heat hold {held} of {cards} cards below their own limit, the lowest at "
                "{percent:.0f} % of it ({card}): they compute slower, their memory does not.",
                **fields,
            )
        )
    rates = [card.rate.expected for card in cards if card.rate]
    if scale and min(rates) < UNEVEN * max(rates):
        sentences.append(
            tr(
                "The slowest card is {percent:.0f} % as fast as the fastest: all wait for it.",
                percent=100 * min(rates) / max(rates),
            )
        )
    if scale and ring:
        sentences.append(_exchange(network, scale, ring, len(cards)))
    if starved:
        sentences.append(starved.words)
    if scale and scale.narrowed_by:
        sentences.append(scale.narrowed_by.label)
    elif any(card.rate and card.rate.high > WIDE * card.rate.low for card in cards):
        sentences.append(tr("A short run of your own network on one such card would narrow this band most."))
    if ring is None and len(cards) > 1:
        sentences.append(OAM_UNKNOWN)
    return tuple(sentences)


def _launching(host: Host) -> tuple[str, ...]:
    if host.cores is None or host.launching == 1:
        return ()
    return (
        tr(
            "{cores} for {gpus}: at the low end cards wait for the core that launches their work.",
            cores=trn("{count} core", "{count} cores", count=host.cores),
            gpus=trn("{count} GPU", "{count} GPUs", count=host.gpus),
        ),
    )


def _exchange(network: Network, scale: Scaled, ring: Ring, count: int) -> str:
    megabytes = REFERENCES[network].parameters * 4e-6
    efficiency = scale.efficiency
    return tr(
        "{cards} cards reach {low:.0f} to {high:.0f} % of their combined speed. Up to {megabytes:.0f} MB of gradients "
        "per step take {milliseconds:.0f} ms over the slowest link, {edge}.",
        cards=count,
        low=100 * efficiency.low,
        high=100 * efficiency.high,
        megabytes=megabytes,
        milliseconds=scale.exchange_ms.expected,
        edge=ring.slowest,
    )
