"""One state: wall power, temperature, fans, noise and speed of a load belong together."""

from dataclasses import replace
from itertools import pairwise
from math import fsum

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.plan.line import Line
from core.predict.band import Band
from core.predict.conditions import Conditions, LoadCase
from core.predict.noise.noise import noise_sources, total_noise
from core.predict.power import drawn_at_the_wall
from core.predict.prediction import Prediction, predict
from core.predict.speed.card_speed import power_share
from core.predict.speed.networks import Network
from core.predict.speed.speed import predict_speed
from core.predict.thermal.heat import HELD
from tests.rules.machines import good_build, part, slot, with_line

HEATS = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
COOLINGS = ("open_air", "blower", "flow_through", "water_block", "passive", None)
SETTLED_W = 3.0
"""What all cards of a machine may lack to their steady watts when the rounds end."""


@st.composite
def machines(draw: st.DrawFn) -> Build:
    """Up to eight cards of one or two kinds side by side or apart, in a case with more or fewer fans, or on water."""
    board = part("motherboard", slots=[slot(position) for position in range(1, 9)])
    build = with_line(good_build(), board)
    build = build.with_lines(tuple(line for line in build.lines if line.part.id != "gpu"))
    places = draw(st.permutations(range(1, 9)))
    for suffix in draw(st.sampled_from(((""), ("", "-b")))) or ("",):
        count = draw(st.integers(1, 4))
        own, places = tuple(sorted(places[:count])), places[count:]
        card = part(
            "gpu",
            suffix=suffix,
            cooling=draw(st.sampled_from(COOLINGS)),
            width_slots=draw(st.sampled_from((1, 2, 3))),
            bracket_slots=1,
            power_limit_w=draw(st.sampled_from((150, 250, 350, 450, 600))),
        )
        build = build.with_lines((*build.lines, Line(card, count, own)))
    fans = draw(st.sampled_from((0, 1, 3, 6)))
    return with_line(build, part("fan"), fans) if fans else build


@st.composite
def rooms(draw: st.DrawFn) -> Conditions:
    return Conditions(room_c=draw(st.integers(5, 45)), fan_share=draw(st.sampled_from((None, 0.3, 0.6, 1.0))))


@HEATS
@given(machines(), rooms(), st.sampled_from(tuple(LoadCase)))
def test_what_the_wall_delivers_is_what_the_state_draws(build: Build, conditions: Conditions, load: LoadCase) -> None:
    prediction = predict(build, conditions)
    point = prediction.at(load)
    drawn = {part_id: band.expected for part_id, band in point.part_w.items()}
    assert point.dc_w.expected == pytest.approx(fsum(drawn.values()))
    assert point.wall_w == drawn_at_the_wall(build, point.dc_w) == prediction.wall_w[load]
    assert point.psu_load is not None
    for line in build.of(Category.GPU):
        cards = [card for card in point.cards if card.part_id == line.part.id]
        if len(cards) == line.quantity:
            assert drawn[line.part.id] == pytest.approx(fsum(card.power_w.expected for card in cards))
    for card in point.cards:
        if card.kept_share < HELD:
            assert card.temperature_c.expected > 70, "only a card at its target gives up power"


@HEATS
@given(machines(), rooms())
def test_noise_is_that_of_the_fans_in_the_state(build: Build, conditions: Conditions) -> None:
    prediction = predict(build, conditions)
    training = prediction.at(LoadCase.TRAINING)
    dc_w = {LoadCase.IDLE: prediction.at(LoadCase.IDLE).dc_w, LoadCase.TRAINING: training.dc_w}
    idle, busy = total_noise(noise_sources(build, conditions, dc_w, training.heat))
    assert (prediction.noise_idle, prediction.noise_load) == (idle, busy)
    faster = tuple(replace(card, fan_share=_one(min(1.0, 1.3 * card.fan_share.high))) for card in training.cards)
    louder = noise_sources(build, conditions, dc_w, replace(training.heat, cards=faster))
    assert total_noise(louder)[1].expected >= busy.expected


@HEATS
@given(machines(), rooms())
def test_speed_is_that_of_the_watts_in_the_state(build: Build, conditions: Conditions) -> None:
    prediction = predict(build, conditions)
    held = {(card.part_id, card.number): card for card in prediction.at(LoadCase.TRAINING).cards}
    for card in predict_speed(build, prediction.heat, [Network.CNN]).of(Network.CNN).cards:
        own = held.get((card.part_id, card.number))
        share = own.power_w.expected / own.asked_w if own else 1.0
        line = build.line(card.part_id)
        assert card.power_share == pytest.approx(power_share(line.limit_w, line.limit_w, share))


@HEATS
@given(machines(), rooms(), st.sampled_from(((0.3, 0.5), (0.5, 0.8), (0.2, 1.0))))
def test_faster_case_fans_make_nothing_hotter(
    build: Build, conditions: Conditions, speeds: tuple[float, float]
) -> None:
    slow, fast = (predict(build, replace(conditions, fan_share=share)).heat for share in speeds)
    assert fast.case_air_c.expected <= slow.case_air_c.expected + 0.05
    assert _hotness(fast) <= _hotness(slow) + 0.2


@HEATS
@given(machines(), st.integers(5, 40), st.integers(1, 10))
def test_a_warmer_room_cools_no_card_but_one_whose_neighbour_gives_up_power(
    build: Build, room_c: int, warmer_k: int
) -> None:
    cool, warm = (predict(build, Conditions(room_c=at)).heat for at in (room_c, room_c + warmer_k))
    assert fsum(c.power_w.expected for c in warm.cards) <= fsum(c.power_w.expected for c in cool.cards) + SETTLED_W
    assert warm.case_air_c.expected >= cool.case_air_c.expected - 0.05
    if all(card.kept_share >= HELD for card in warm.cards):
        for before, after in zip(cool.cards, warm.cards, strict=True):
            assert after.temperature_c.expected >= before.temperature_c.expected - 0.05


@HEATS
@given(machines(), rooms(), st.lists(st.floats(0.4, 1.3), min_size=2, max_size=2, unique=True))
def test_a_higher_limit_never_lowers_the_power_at_the_wall(
    build: Build, conditions: Conditions, shares: list[float]
) -> None:
    line = build.of(Category.GPU)[0]
    assert line.limit_w is not None
    limits = [round(share * line.limit_w) for share in sorted(shares)]
    assume(limits[0] < limits[1])
    points = [predict(SetPowerLimit(line.part.id, limit).apply(build), conditions) for limit in limits]
    for load in (LoadCase.TRAINING, LoadCase.EVERYTHING):
        low, high = (point.at(load).wall_w.expected for point in points)
        assert high >= low - SETTLED_W


def test_limits_of_all_cards_raise_the_wall_step_by_step() -> None:
    walls = [
        predict(SetPowerLimit("gpu", watts).apply(good_build())).wall_w[LoadCase.TRAINING].expected
        for watts in range(120, 420, 20)
    ]
    assert all(more >= less - 0.5 for less, more in pairwise(walls))


def test_a_processor_that_its_cooler_cannot_hold_draws_less_at_the_wall() -> None:
    weak = with_line(good_build(), part("cpu_cooler", thermal_resistance_k_per_w=0.6))
    weak = with_line(weak, part("cpu", temperature_max_c=95))
    point, limits = predict(weak).at(LoadCase.ALL_CORE), predict(weak).limits
    assert point.heat.cpu_c.expected == pytest.approx(95, abs=0.5)
    assert point.heat.cpu_w.expected < limits.dc_w[LoadCase.ALL_CORE].expected
    assert point.wall_w.expected < limits.wall_w[LoadCase.ALL_CORE].expected - 20


def test_the_worst_case_takes_nothing_off_for_heat() -> None:
    hot, cold = (predict(good_build(), Conditions(room_c=at)) for at in (45, 5))
    assert hot.wall_w[LoadCase.EVERYTHING].expected < cold.wall_w[LoadCase.EVERYTHING].expected
    assert hot.worst_case == cold.worst_case
    assert hot.worst_case.wall_w.expected >= cold.wall_w[LoadCase.EVERYTHING].expected


def test_held_cards_are_reported_in_watts_and_speed() -> None:
    prediction = predict(good_build(), Conditions(room_c=45))
    [held] = prediction.throttled
    worst = min(prediction.heat.cards, key=lambda card: card.kept_share)
    assert held.least_w == worst.power_w.expected
    assert f"{held.limit_w:.0f} W" in held.sentence
    assert f"{100 * held.speed.expected:.0f} %" in held.sentence
    assert not predict(good_build(), Conditions(room_c=0, fan_share=1.0)).throttled


def test_nothing_is_solved_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[LoadCase] = []
    prediction = predict(good_build())
    solve = Prediction.at.__globals__["operating_point"]

    def counted(build: Build, conditions: Conditions, limits: object, load: LoadCase) -> object:
        solved.append(load)
        return solve(build, conditions, limits, load)

    monkeypatch.setattr("core.predict.prediction.operating_point", counted)
    assert prediction.wall_w[LoadCase.TRAINING] == prediction.at(LoadCase.TRAINING).wall_w
    assert solved == [LoadCase.TRAINING]


def _one(value: float) -> Band:
    return Band(value, value, value, "")


def _hotness(heat: object) -> float:
    """Of the card that suffers most: its chip, and beyond its target what the driver takes back."""
    cards = heat.cards
    return max((card.temperature_c.expected + 100 * (1 - card.kept_share) for card in cards), default=0.0)
