"""How fast a planned machine trains each kind of network and why no faster; and the catalogue's GPUs in that order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from core.assessment import Assessment
from core.parts.part import Part, Price
from core.parts.price_estimate import Basis, Estimate
from core.parts.price_guide import today_words
from core.parts.price_today import dated_words, full_words, uncounted
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.band import Band, exact
from core.predict.curves import over_limits, whys_faster
from core.predict.llm.memory import ModelMemory
from core.predict.speed.memory_fit import Fits, MemoryFit
from core.predict.speed.networks import Network
from core.predict.speed.ranking import Ranked
from core.predict.speed.speed import CardSpeed, NetworkSpeed
from core.present.report.build_heat import slots_text
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
from core.present.report.formatting import band_text, bullets, counted_title, percent
from core.words import joined, plain, tr, trc
from core.words.units import number

NETWORKS = tr("Speed by network")
"""The table whose rows can be chosen, for the table by card."""
FULL_POWER = 0.995
"""Share of a card's own limit from which on it is not marked."""


def speed_blocks(assessment: Assessment, network: Network | None = None) -> Iterator[Block]:
    """How fast it trains; without a card that does work no more than a sentence, for the network that is asked for.

    With a network, card by card for it and why no faster; else the reasons of all, and where heat holds cards back
    also why a lower power limit is faster, if one is.
    """
    speed = assessment.speed
    networks = [one for one in speed.networks if one.cards]
    if not networks:
        if network is not None:
            yield Paragraph(_lead(speed.of(network)))
        return
    yield Heading(tr("Speed, predicted"))
    yield Paragraph(_lead(speed.of(network or Network.CNN)))
    yield _networks(networks)
    if network is None:
        reasons = list(speed.reasons)
        if assessment.prediction.throttled:
            reasons += whys_faster(over_limits(assessment.build, assessment.conditions))
    else:
        chosen = speed.of(network)
        reasons = list(chosen.reasons)
        yield Heading(tr("{network}: each card alone, {unit}", network=network.label, unit=network.unit), 2)
        yield _cards(assessment.build, chosen)
    if reasons:
        yield Heading(tr("Why"), 2)
        yield Paragraph(bullets(reasons))
    if network is not None:
        if chosen.memory is not None:
            yield Paragraph(_memory_sentence(chosen.memory))
        yield Paragraph(joined(speed.assumptions, "\n"), quiet=True)


def fit_words(memory: MemoryFit | ModelMemory) -> str:
    """Whether a model fits cards of one size."""
    if memory.fits is Fits.NO and memory.fewest_cards:
        return tr("across {count} cards", count=memory.fewest_cards)
    return memory.fits.label


def _lead(speed: NetworkSpeed) -> str:
    network = speed.network
    if speed.rate is None:
        return tr(
            "{network}: the speed of all cards cannot be predicted: figures of a card are unknown.",
            network=network.label,
        )
    fields = {"network": network.label, "label": network.reference, "speed": band_text(speed.rate)}
    return tr("{network} ({label}): the machine trains {speed}.", **fields)


def _networks(networks: list[NetworkSpeed]) -> Table:
    currency = next((speed.per_price.currency for speed in networks if speed.per_price), "")
    of_gpus = tr("Per 1000 {currency} of GPUs", currency=currency) if currency else tr("Per 1000 of GPUs")
    of_all = tr("Per 1000 {currency} of all", currency=currency) if currency else tr("Per 1000 of all")
    columns = (
        ReportColumn(tr("All cards train"), 2.1),
        figures_column(tr("Speed"), about=tr("All GPUs of this placement on one model"), share=2.9),
        figures_column(tr("Of the cards' sum"), "%", tr("All together, relative to the sum of each alone"), share=1.5),
        figures_column(tr("Exchange"), "ms", tr("Summing gradients, once a step"), share=1.9),
        figures_column(of_gpus, about=tr("Speed per 1000 of their price"), share=2.3),
        figures_column(of_all, about=tr("Speed per 1000 of the whole machine's price"), share=2.3),
        ReportColumn(tr("Memory of one card"), 1.8),
    )
    rows = [_network_row(speed) for speed in networks]
    return table(columns, rows, name=NETWORKS, keys=[speed.network for speed in networks])


def _network_row(speed: NetworkSpeed) -> tuple[Cell, ...]:
    link_lacks = tr("A figure of a card, or the link between two cards, is unknown.")
    price_lacks = tr("Its price or its speed is unknown.")
    alone = len(speed.cards) == 1
    rate = speed.rate or (speed.cards[0].rate if alone else None)
    together: tuple[Cell, ...] = (percent(speed.efficiency, link_lacks), Figure(speed.exchange_ms, link_lacks))
    unit, price, memory = speed.network.unit, speed.per_price, speed.memory
    of_all = price.build if price else None
    return (
        Words(speed.network.label, speed.network.reference),
        Figure(rate, link_lacks),
        *((Nothing(tr("One card")),) * 2 if alone else together),
        Figure(price.gpus.measured_in(unit) if price else None, price_lacks),
        Figure(of_all.measured_in(unit) if of_all else None, price_lacks),
        Words(memory.fits.label, band_text(memory.needed_gb)) if memory else Nothing(),
    )


def _cards(build: Build, speed: NetworkSpeed) -> Table:
    """Cards that agree in everything but their number are one row."""
    columns = (
        ReportColumn(tr("Card"), 3.4),
        figures_column(tr("Alone")),
        figures_column(trc("figure", "Power"), "%", tr("Of its default limit; the set limit and heat lower it")),
        figures_column(tr("Computing"), "%", tr("Of its time; the rest moves data to and from its memory")),
        ReportColumn(tr("Precision"), 1.5),
    )
    alike: dict[CardSpeed, list[int]] = {}
    for card in speed.cards:
        numbers = alike.setdefault(replace(card, number=0, chip=0), [])
        numbers += [card.number] if card.number not in numbers else []
    keys = [(card.part_id, tuple(numbers)) for card, numbers in alike.items()]
    rows = [_card_row(build, card, numbers) for card, numbers in alike.items()]
    return table(columns, rows, name=tr("Speed of each card"), keys=keys)


def _card_row(build: Build, card: CardSpeed, numbers: list[int]) -> tuple[Cell, ...]:
    line = build.line(card.part_id)
    slots = line.slots if line else ()
    places = tuple(slots[number - 1] if number <= len(slots) else None for number in numbers)
    lacks = tr("Its peak rate or its memory's bandwidth is unknown.")
    return (
        Words(counted_title(len(numbers), card.title), slots_text(places)),
        Figure(card.rate, lacks),
        percent(exact(card.power_share), tone=Tone.WARN if card.power_share < FULL_POWER else Tone.PLAIN),
        percent(exact(card.compute_part) if card.rate else None, lacks),
        card.precision.label,
    )


def _memory_sentence(memory: MemoryFit) -> str:
    if memory.memory_gb is None:
        return tr("Memory: the size of a card's memory is unknown.")
    fields = {"need": band_text(memory.needed_gb), "size": number(memory.memory_gb), "verdict": fit_words(memory)}
    return tr("Memory: training it takes {need} of the {size} GB of a card, at a small batch: {verdict}.", **fields)


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
