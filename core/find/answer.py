"""The answer to a wish: the best, the cheapest and the quietest machine, each proven; where there is none, what would
have to give way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from core.find.candidates import Candidates, Choice, Offers, candidates
from core.find.machine import Reached
from core.find.search import NODES, Cancelled, Objective, Outcome, Report, search
from core.find.wish import Place, Wish
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.mains import MAX_CIRCUITS
from core.words import listed, plain, tr, trn
from core.words.units import number

QUIET_NODES = 6_000
"""A search for the quietest machine ends then: bands of noise lie close together, and the proof takes long."""
RELAXED_NODES = 20_000
"""Of each search for what would have to give way."""
LOOSEST: Mapping[str, Any] = {"place": Place.OPEN_FRAME, "circuits": MAX_CIRCUITS, "used": True}
"""Wishes that are not dropped but loosened as far as they go."""
DEMANDS = (
    *("money", "rate", "noise_dba", "memory_gb", "card_memory_gb", "cards", "place", "circuits", "used", "cuda"),
    *("ecc", "bmc", "makers", "not_makers", "must", "must_not", "ram_gb", "drive_gb", "cores_per_card"),
    "channels_share",
)
"""Fields of a wish that exclude machines, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One machine of the answer, or that there is none."""

    objective: Objective
    outcome: Outcome
    wish: Wish

    @property
    def title(self) -> str:
        """What it is called."""
        return self.objective.label

    @property
    def build(self) -> Build | None:
        """An ordinary build, named after what it is; None without one."""
        best = self.outcome.best
        return None if best is None else replace(best.build, name=str(self.title))

    @property
    def proof(self) -> str:
        """What is certain about it, in a sentence."""
        outcome = self.outcome
        fields = {"cards": outcome.heads, "nodes": outcome.nodes}
        if outcome.proven and outcome.best is None:
            return tr(
                "Proven: no machine of parts with a price does it ({nodes} partial machines looked at).", **fields
            )
        if outcome.proven:
            return tr(
                "Proven: of all parts with a price none makes a better one ({cards} choices of cards, {nodes} partial "
                "machines looked at).",
                **fields,
            )
        if outcome.best is None:
            return tr("Nothing so far, after {nodes} partial machines; there may be one.", **fields)
        if outcome.gap is None:
            return tr("The best so far, after {nodes} partial machines; there may be a better one.", **fields)
        return tr(
            "The best so far, after {nodes} partial machines; another may be up to {percent:.0f} % better.",
            percent=100 * outcome.gap,
            **fields,
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why these cards, and what its price rests on, a sentence each."""
        best = self.outcome.best
        return () if best is None else tuple(_reasons(best, self.wish))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        outcome, best = self.outcome, self.outcome.best
        return {
            "objective": self.objective.value,
            "proven": outcome.proven,
            "gap": None if outcome.gap is None else round(outcome.gap, 4),
            "nodes": outcome.nodes,
            "cards_considered": outcome.heads,
            "machine": None if best is None else machine_as_dict(best, self.wish),
        }


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A wish that has an answer once these fields of it give way."""

    dropped: tuple[str, ...]
    proposal: Proposal

    @property
    def words(self) -> str:
        """ "Without noise_dba: 2 x Maker X, 4,100 USD"."""
        best = self.proposal.outcome.best
        assert best is not None
        names = listed([NAMES[name] for name in self.dropped])
        return tr("Without {wishes}: {machine}.", wishes=names, machine=machine_words(best, self.proposal.wish))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"without": list(self.dropped)} | self.proposal.as_dict()


@dataclass(frozen=True, slots=True)
class Answer:
    """All proposals for a wish, and, where none has a machine, the smallest relaxations that do."""

    wish: Wish
    proposals: tuple[Proposal, ...]
    relaxations: tuple[Relaxation, ...]
    unpriced: Mapping[Category, int]
    """Parts that would have been considered, had they a price."""

    @property
    def proven(self) -> bool:
        """Whether there is a machine for each objective, and the proof that none is better."""
        return all(one.outcome.proven and one.outcome.best is not None for one in self.proposals)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "wish": self.wish.model_dump(mode="json"),
            "proven": self.proven,
            "proposals": [one.as_dict() for one in self.proposals],
            "relaxations": [one.as_dict() for one in self.relaxations],
            "without_price": {category.value: count for category, count in self.unpriced.items() if count},
        }


def objectives_of(wish: Wish) -> tuple[Objective, ...]:
    """What can be asked of a wish: the fastest for money, the cheapest and the quietest that reach something."""
    fastest = (Objective.FASTEST,) if wish.money is not None else ()
    return (*fastest, *((Objective.CHEAPEST, Objective.QUIETEST) if wish.suffices else ()))


def find(
    wish: Wish,
    offers: Offers,
    objectives: Iterable[Objective] = (),
    *,
    nodes: int = NODES,
    report: Report | None = None,
    cancelled: Cancelled | None = None,
) -> Answer:
    """The answer to a wish, of `offers` in its currency. Deterministic unless it is cancelled.

    Without `objectives` all that can be asked. Where none has a machine, wishes are dropped one at a time, then in
    pairs. Raises BadInput for a part that the machine must have and nobody offers.
    """
    among = candidates(wish, offers)
    proposals = tuple(
        Proposal(one, search(wish, among, one, nodes=_limit(one, nodes), report=report, cancelled=cancelled), wish)
        for one in objectives or objectives_of(wish)
    )
    stopped = cancelled is not None and cancelled()
    nothing = all(one.outcome.best is None for one in proposals) and any(one.outcome.proven for one in proposals)
    relaxations = tuple(relaxed(wish, offers, cancelled=cancelled)) if nothing and not stopped else ()
    return Answer(wish, proposals, relaxations, among.unpriced)


def _limit(objective: Objective, nodes: int) -> int:
    return min(nodes, QUIET_NODES) if objective is Objective.QUIETEST else nodes


def relaxed(wish: Wish, offers: Offers, *, cancelled: Cancelled | None = None) -> list[Relaxation]:
    """What has an answer once one wish gives way; only if there is none, what has one once two do."""
    demands = [name for name in DEMANDS if _gives_way(wish, (name,)) is not None]
    for count in (1, 2):
        relaxations = []
        for names in combinations(demands, count):
            looser = _gives_way(wish, names)
            if looser is None or (cancelled is not None and cancelled()):
                continue
            among: Candidates = candidates(looser, offers)
            outcome = search(looser, among, Objective.CHEAPEST, nodes=RELAXED_NODES, cancelled=cancelled)
            if outcome.best is not None:
                relaxations.append(Relaxation(names, Proposal(Objective.CHEAPEST, outcome, looser)))
        if relaxations:
            return relaxations
    return []


def _gives_way(wish: Wish, names: tuple[str, ...]) -> Wish | None:
    """The wish without these demands; None where that changes nothing, or nothing is left to ask for."""
    values = wish.model_dump()
    for name in names:
        loose = LOOSEST[name] if name in LOOSEST else _NO_DEMAND.get(name, Wish.model_fields[name].default)
        if values[name] == loose:
            return None
        values[name] = loose
    if values["money"] is None and not (wish.suffices and Wish.model_construct(**values).suffices):
        return None
    return Wish.model_validate(values)


_NO_DEMAND: Mapping[str, Any] = {"cuda": False, "drive_gb": 0.0, "cores_per_card": 0.0, "channels_share": 0.0}
NAMES: Mapping[str, str] = {
    "money": tr("the limit of money"),
    "rate": tr("the rate"),
    "noise_dba": tr("the limit of noise"),
    "memory_gb": tr("the memory of all GPUs"),
    "card_memory_gb": tr("the memory of each card"),
    "cards": tr("the number of cards"),
    "place": tr("the kind of case"),
    "circuits": tr("the number of circuits"),
    "used": tr("new parts only"),
    "cuda": plain("CUDA"),
    "ecc": plain("ECC"),
    "bmc": plain("BMC"),
    "makers": tr("the makers of the cards"),
    "not_makers": tr("the excluded makers"),
    "must": tr("the parts that it must have"),
    "must_not": tr("the excluded parts"),
    "ram_gb": tr("the RAM"),
    "drive_gb": tr("the size of the drive"),
    "cores_per_card": tr("the cores of each card"),
    "channels_share": tr("the filled memory channels"),
}
"""What each demand of a wish is called within a sentence."""


def money_words(cents: int, wish: Wish) -> str:
    """ "4,100 USD"."""
    return plain("{amount} {currency}", amount=number(cents / 100, 0), currency=wish.currency)


def cards_words(best: Reached) -> str:
    """ "2 x Maker X", "2 x Maker X at 280 W"."""
    line = best.build.of(Category.GPU)[0]
    fields = {"count": line.quantity, "card": line.part.title, "watts": line.power_limit_w}
    if line.power_limit_w is not None:
        return tr("{count} x {card} at {watts:.0f} W", **fields)
    return plain("{count} x {card}", **fields)


def machine_words(best: Reached, wish: Wish) -> str:
    """Cards and price in a line."""
    return plain("{cards}, {money}", cards=cards_words(best), money=money_words(best.cents, wish))


def _reasons(best: Reached, wish: Wish) -> Iterator[str]:
    fields = {"cards": cards_words(best), "rate": number(best.rate, 0), "unit": wish.network.unit}
    yield tr("{cards}: {rate} {unit} as expected, as warm as they get here.", **fields)
    if best.noise_dba is not None:
        yield tr("At most {level:.1f} dBA in training, by the high end of the band.", level=best.noise_dba)
    about = [choice for choice in best.choices if choice.estimated]
    if about:
        cents = sum(choice.cents for choice in about)
        yield trn(
            "{money} of the price is the high end of an estimate, for {count} part: {parts}.",
            "{money} of the price is the high end of an estimate, for {count} parts: {parts}.",
            money=money_words(cents, wish),
            count=len(about),
            parts=listed([choice.part.title for choice in about]),
        )
    oldest = min(best.choices, key=lambda choice: (choice.since, choice.part.id))
    yield tr("The oldest price is of {month} ({part}).", month=f"{oldest.since:%Y-%m}", part=oldest.part.title)


def machine_as_dict(best: Reached, wish: Wish) -> dict[str, Any]:
    """For JSON."""
    return {
        "price": {"amount": best.cents / 100, "currency": wish.currency},
        "rate": {"value": round(best.rate, 1), "unit": wish.network.unit, "network": wish.network.value},
        "noise_dba": None if best.noise_dba is None else round(best.noise_dba, 1),
        "parts": [_choice_as_dict(choice) for choice in best.choices],
        "reasons": list(_reasons(best, wish)),
    }


def _choice_as_dict(choice: Choice) -> dict[str, Any]:
    return {
        "category": choice.part.category.value,
        "part": choice.part.id,
        "title": choice.part.title,
        "quantity": choice.line.quantity,
        "power_limit_w": choice.line.power_limit_w,
        "price": choice.cents / 100,
        "estimated": choice.estimated,
        "price_since": choice.since.isoformat(),
        "unknown_figures": choice.unknown,
    }
