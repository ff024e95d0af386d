"""What the search leaves out it may leave out: bounds hold of complete machines, rules of what they read."""

from itertools import islice

import pytest

from core.find.bounds import BEST_EFFICIENCY, Bounds
from core.find.machine import Machines, base_build
from core.find.quiet import BARE_CARDS_DB
from core.find.search import ORDER
from core.find.tables import EARLY, STRICT, Tables, categories_read, is_about_slots, is_failed
from core.parts.vocabulary import CaseKind, Category
from core.plan.build import Build
from core.predict.conditions import LoadCase
from core.predict.power import CONTINUOUS_SHARE
from core.predict.prediction import predict
from core.rules.context import RuleContext
from core.rules.registry import BY_ID, RULES
from tests.find.tiny import every_machine, small
from tests.rules.machines import good_build

SEEDS = (2, 4, 5)


def some_machines(seed: int, step: int, most: int):
    wish, among = small(seed)
    yield from islice(every_machine(wish, among), 0, step * most, step)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_beginning_costs_no_more_than_what_it_becomes(seed: int) -> None:
    wish, among = small(seed)
    bounds = Bounds(among.choices, wish, base_build(wish))
    every = (1 << len(among.choices[Category.PSU])) - 1
    for choices in some_machines(seed, 37, 20):
        whole = dict(zip(ORDER, choices, strict=True))
        board, cpu = whole[Category.MOTHERBOARD].spec, whole[Category.CPU].spec
        if cpu.socket != board.socket or not bounds.is_fed(whole[Category.PSU], *bounds.drawn(whole)):
            continue
        if not bounds.has_seats(whole[Category.MOTHERBOARD], whole[Category.GPU]):
            continue
        for count in range(1, len(ORDER)):
            rest = sum(choice.cents for choice in choices[count:])
            chosen = dict(zip(ORDER[:count], choices, strict=False))
            assert bounds.rest_cents(chosen, every) <= rest, ORDER[count - 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_speed_and_noise_of_a_beginning_are_on_the_good_side(seed: int) -> None:
    wish, _ = small(seed)
    machines = Machines(wish, base_build(wish))
    for choices in some_machines(seed, 101, 6):
        whole = dict(zip(ORDER, choices, strict=True))
        cards = machines.seated(whole)
        if cards is None:
            continue
        prediction = predict(machines.build(whole, cards), wish.conditions)
        rate, noise = machines.rate(prediction), prediction.noise_load.high
        few = {category: whole[category] for category in ORDER[:3]}
        early = machines.seated(few)
        assert early is not None
        assert machines.alone(whole[Category.GPU]) >= rate * (1 - 1e-9)
        assert machines.cool(whole, cards) >= rate * (1 - 1e-9)
        assert machines.warm(few, early) >= rate * 0.995
        if whole[Category.CASE].spec.kind is not CaseKind.RACK:
            assert machines.warm({category: whole[category] for category in ORDER[:2]}, cards) >= rate * 0.995
        assert machines.noise(few, early) <= noise + 1e-9
        assert machines.noise({Category.GPU: whole[Category.GPU]}, None) - BARE_CARDS_DB <= noise


def test_the_watts_of_parts_add_up_to_those_of_the_machine() -> None:
    wish, _ = small(2)
    machines = Machines(wish, base_build(wish))
    for choices in some_machines(2, 301, 3):
        whole = dict(zip(ORDER, choices, strict=True))
        bounds = Bounds({}, wish, base_build(wish))
        limits = predict(machines.build(whole)).limits
        training_w, worst_w = bounds.drawn(whole)
        assert training_w == pytest.approx(limits.dc_w[LoadCase.TRAINING].expected)
        assert worst_w == pytest.approx(limits.dc_w[LoadCase.EVERYTHING].expected)
        assert worst_w / BEST_EFFICIENCY <= limits.wall_w[LoadCase.EVERYTHING].expected


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rule_says_of_the_parts_that_it_reads_what_it_says_of_the_machine(seed: int) -> None:
    wish, among = small(seed)
    base = base_build(wish)
    tables, machines = Tables(among.choices, base, open_questions=False), Machines(wish, base)
    for choices in some_machines(seed, 211, 4):
        whole = dict(zip(ORDER, choices, strict=True))
        cards = machines.seated(whole)
        context = RuleContext(machines.build(whole, cards))
        for rule in (one for one in RULES if (one.can_fail or one.id in STRICT) and not one.predicted):
            reads = categories_read(rule)
            if reads and cards is not None:
                assert tables.fails(rule, reads, whole, cards) == is_failed(rule, context), rule.id


@pytest.mark.parametrize("rule_id", EARLY)
def test_what_two_lines_cannot_feed_they_cannot_feed_beside_others(rule_id: str) -> None:
    rule, early = BY_ID[rule_id], EARLY[rule_id]
    for seed in SEEDS:
        wish, _ = small(seed)
        machines = Machines(wish, base_build(wish))
        for choices in some_machines(seed, 97, 8):
            whole = dict(zip(ORDER, choices, strict=True))
            pair = machines.build({category: whole[category] for category in ORDER if category in early})
            if is_failed(rule, RuleContext(pair)):
                assert is_failed(rule, RuleContext(machines.build(whole, machines.seated(whole))))


def test_no_rule_stands_against_a_good_machine_and_one_against_a_bad_one() -> None:
    build = good_build()
    assert [rule.id for rule in RULES if is_failed(rule, RuleContext(build))] == []
    bare = Build("x", tuple(line for line in build.lines if line.part.category is not Category.MOTHERBOARD))
    assert not any(is_failed(rule, RuleContext(bare)) for rule in RULES if is_about_slots(rule))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lines_that_feed_a_machine_are_those_of_which_each_by_itself_does(seed: int) -> None:
    wish, among = small(seed)
    bounds = Bounds(among.choices, wish, base_build(wish))
    outputs = {bounds.output_w(line) for line in among.choices[Category.PSU]}
    for output in outputs | {0.0, 9999.0}:
        for training_w, worst_w in (
            (output, 0.0),
            (0.0, output),
            (CONTINUOUS_SHARE * output, output),
            (0.79 * output, output),
        ):
            each = [bounds.is_fed(line, training_w, worst_w) for line in among.choices[Category.PSU]]
            assert bounds.feeding(training_w, worst_w) == sum(1 << place for place, fed in enumerate(each) if fed)
