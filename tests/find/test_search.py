"""The search finds what trying every machine finds, and says so of nothing else."""

from dataclasses import replace
from random import Random

import pytest
from pydantic import TypeAdapter

from core.find.candidates import Candidates, Choice, Offer, Offers, candidates
from core.find.machine import Key, Reached, key_of, speed_step
from core.find.search import ORDER, Objective, Outcome, search
from core.find.wish import Place, Wish
from core.parts.part import Price
from core.parts.specs import Slot
from core.parts.vocabulary import Category, Socket
from core.predict.prediction import predict
from core.rules.engine import check, is_incomplete
from core.rules.finding import Status
from tests.find.tiny import HALF_DB, best_by_trying, offers_of, small, wish_of
from tests.rules.machines import slot

SEEDS = range(10)
ANSWERED = (2, 4, 14)
"""Seeds whose wish has an answer."""


def key(outcome: Outcome, objective: Objective) -> Key | None:
    """What the answer is compared by."""
    best = outcome.best
    if best is None:
        return None
    primary = {
        Objective.FASTEST: -speed_step(best.rate),
        Objective.CHEAPEST: 0,
        Objective.QUIETEST: int((best.noise_dba or 0.0) / HALF_DB),
    }
    return key_of(primary[objective], best.cents, best.choices)


def equals_trying(seed: int) -> None:
    wish, among = small(seed)
    objective = list(Objective)[seed % 3]
    outcome = search(wish, among, objective)
    assert outcome.proven
    assert key(outcome, objective) == best_by_trying(wish, among, objective)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_answer_is_that_of_trying_every_machine(seed: int) -> None:
    equals_trying(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(len(SEEDS), 200))
def test_so_it_is_in_many_catalogues(seed: int) -> None:
    equals_trying(seed)


@pytest.mark.parametrize("seed", ANSWERED)
@pytest.mark.parametrize("objective", Objective)
def test_every_answer_passes_the_rules_and_is_what_was_wished(seed: int, objective: Objective) -> None:
    wish, among = small(seed)
    best = search(wish, among, objective).best
    assert best is not None
    prediction = predict(best.build, wish.conditions)
    findings = check(best.build, prediction)
    assert not is_incomplete(findings)
    assert not [finding for finding in findings if finding.status is Status.FAIL]
    assert prediction.psu_load is not None
    assert prediction.psu_load.worst_share <= 1
    assert prediction.psu_load.training_share <= 0.8
    assert best.cents <= 100 * (wish.money or 1e9)
    assert best.rate >= (wish.rate or 0.0)
    assert prediction.noise_load.high <= (wish.noise_dba or 1e9)
    assert all(card.slot is not None for card in best.build.cards())


@pytest.mark.parametrize("seed", ANSWERED)
def test_the_order_of_the_catalogue_decides_nothing(seed: int) -> None:
    wish, offers = wish_of(seed), offers_of(seed)
    mixed = {category: tuple(Random(7).sample(group, len(group))) for category, group in offers.by_category.items()}
    shuffled = replace(offers, by_category=dict(reversed(mixed.items())))
    one, other = (search(wish, candidates(wish, source), Objective.CHEAPEST) for source in (offers, shuffled))
    assert one.best is not None
    assert other.best is not None
    assert one.best.choices == other.best.choices


@pytest.mark.parametrize("seed", ANSWERED[:2])
def test_a_dearer_twin_never_appears(seed: int) -> None:
    wish, offers = wish_of(seed), offers_of(seed)
    twins = {}
    for category, group in offers.by_category.items():
        dearer = []
        for offer in group:
            assert isinstance(offer.price, Price)
            part = offer.part.model_copy(update={"id": f"a-{offer.part.id}"})
            dearer.append(replace(offer, part=part, price=offer.price.times(1.01, "USD")))
        twins[category] = (*dearer, *group)
    more, objective = candidates(wish, replace(offers, by_category=twins)), list(Objective)[seed % 3]
    assert same(search(wish, more, objective).best, search(wish, candidates(wish, offers), objective).best)


def same(one: Reached | None, other: Reached | None) -> bool:
    return (one and one.choices) == (other and other.choices)


@pytest.mark.parametrize("seed", ANSWERED)
@pytest.mark.parametrize("objective", [Objective.FASTEST, Objective.CHEAPEST])
def test_a_part_less_never_betters_the_answer(seed: int, objective: Objective) -> None:
    wish, among = small(seed)
    best = search(wish, among, objective)
    assert best.best is not None
    for gone in best.best.choices:
        fewer = without(among, gone)
        after = key(search(wish, fewer, objective), objective)
        assert after is None or after[:2] >= (key(best, objective) or after)[:2], gone.label


def without(among: Candidates, gone: Choice) -> Candidates:
    """Without any number of a part."""
    choices = {
        category: tuple(choice for choice in group if choice.part.id != gone.part.id)
        for category, group in among.choices.items()
    }
    return replace(among, choices=choices)


@pytest.mark.parametrize(
    "more", [{"noise_dba": 45}, {"rate": 900}, {"memory_gb": 48}, {"ram_gb": 100}, {"cores_per_card": 8}, {"ecc": True}]
)
def test_a_wish_more_never_betters_the_answer(more: dict[str, object]) -> None:
    for seed in ANSWERED:
        wish, offers = wish_of(seed), offers_of(seed)
        narrower = Wish.model_validate(wish.model_dump() | more)
        if any(getattr(wish, name) not in (None, False, 0.0, 2.0, 12, 24, 36) for name in more):
            continue
        one, other = (search(w, candidates(w, offers), Objective.CHEAPEST).best for w in (wish, narrower))
        assert one is not None
        assert other is None or other.cents >= one.cents


def stopped_at(seed: int, question: int) -> tuple[Outcome, int]:
    """What a search ends with that is called off when it asks for so many times, and how often it asked."""
    wish, among = small(seed)
    questions = 0

    def cancelled() -> bool:
        nonlocal questions
        questions += 1
        return questions > question

    return search(wish, among, Objective.FASTEST, cancelled=cancelled), questions


@pytest.mark.parametrize("seed", ANSWERED)
def test_a_search_that_is_stopped_proves_nothing(seed: int) -> None:
    whole, often = stopped_at(seed, 10**9)
    assert whole.proven
    assert whole.best is not None
    assert often >= whole.nodes
    for question in (0, 1, often // 2, often - 1):
        outcome, questions = stopped_at(seed, question)
        assert questions == question + 1, "it stops at once"
        assert not outcome.proven
        assert outcome.nodes <= question
        assert outcome.gap is None or outcome.gap >= 0
        assert outcome.best is None or outcome.best.rate <= whole.best.rate * 1.01


def test_nothing_is_proven_to_exist_where_a_category_has_no_part() -> None:
    wish, offers = wish_of(1), offers_of(1)
    by_category = {**offers.by_category, Category.PSU: ()}
    outcome = search(wish, candidates(wish, replace(offers, by_category=by_category)), Objective.CHEAPEST)
    assert (outcome.best, outcome.proven) == (None, True)


def test_parts_are_chosen_of_every_category_once() -> None:
    assert len({*ORDER}) == len(ORDER) == len(offers_of(0).by_category)


def two_sockets(offers: Offers) -> Offers:
    """The same catalogue with two sockets on each board, and a slot of each CPU; boards and CPUs fit each other."""
    slots = tuple(TypeAdapter(Slot).validate_python(slot(position, cpu=cpu)) for position, cpu in ((1, 0), (4, 1)))

    def doubled(offer: Offer) -> Offer:
        figures: dict[str, object] = {"max_sockets": 2, "cores": 8, "socket": Socket.SP3, "sustained_power_w": 65}
        if offer.part.category is Category.MOTHERBOARD:
            figures = {"cpu_sockets": 2, "socket": Socket.SP3, "slots": slots, "ram_slots": 16, "places_assumed": False}
        spec = offer.part.spec.model_copy(update=figures)
        return replace(offer, part=offer.part.model_copy(update={"spec": spec}))

    changed = {
        category: tuple(doubled(offer) for offer in group)
        if category in (Category.MOTHERBOARD, Category.CPU)
        else group
        for category, group in offers.by_category.items()
    }
    return replace(offers, by_category=changed)


@pytest.mark.parametrize("seed", [2, 4])
@pytest.mark.parametrize("cards", [1, 2])
def test_a_second_cpu_is_bought_where_the_slots_of_the_cards_need_it(seed: int, cards: int) -> None:
    wish = Wish(cards=cards, drive_gb=1000, place=Place.OPEN_FRAME)
    among = candidates(wish, two_sockets(offers_of(seed)))
    outcome = search(wish, among, Objective.CHEAPEST)
    assert outcome.best is not None
    assert outcome.best.build.count(Category.CPU) == outcome.best.build.count(Category.CPU_COOLER) == cards
    assert key(outcome, Objective.CHEAPEST) == best_by_trying(wish, among, Objective.CHEAPEST)
