"""External boxes with a PSU of their own: in the wall power and on the circuit, not on the PSUs nor in the case."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line
from core.plan.psus import boxes, in_boxes
from core.plan.seats import SlotNumber
from core.predict.conditions import LoadCase
from core.predict.power import box_load, left_of_circuits_w
from core.predict.prediction import Prediction, predict
from core.rules.engine import check
from core.rules.finding import Status
from tests.rules.machines import good_build, part, with_line

TRAINING, WORST = LoadCase.TRAINING, LoadCase.EVERYTHING


def machine(inside: int, boxed: int, limit_w: float = 300, **figures: object) -> Build:
    """Cards in slots 1, 3, 5 and in boxes, each with one."""
    slots = [*(1, 3, 5)[:inside], *(SlotNumber.on_carrier(number, 1) for number in range(1, boxed + 1))]
    build = with_line(good_build(), part("gpu", power_limit_w=limit_w), inside + boxed, tuple(slots))
    spec = {"kind": "external_box", "psu_w": 650, "seats": [{"number": 1, "lanes": 4}], **figures}
    box = Line(part("carrier", **spec), max(boxed, 1), hosts=((7,),) * max(boxed, 1))
    return build.with_lines((*build.lines, box)) if boxed else build


def dc_w(prediction: Prediction, load: LoadCase) -> float:
    return prediction.limits.dc_w[load].expected


def test_the_psu_load_is_that_without_the_box() -> None:
    without, beside = predict(machine(2, 0)), predict(machine(2, 1))
    for load in (TRAINING, WORST):
        assert dc_w(beside, load) == pytest.approx(dc_w(without, load))
        assert beside.dc_w[load].expected == pytest.approx(without.dc_w[load].expected)
    assert [window.demand_w for window in beside.excursions.windows[-1:]] == [
        window.demand_w for window in without.excursions.windows[-1:]
    ]


def test_wall_power_and_circuit_load_include_the_box() -> None:
    without, beside = predict(machine(2, 0)), predict(machine(2, 1))
    (drawn,) = beside.limits.boxes
    added = beside.limits.wall_w[WORST].expected - without.limits.wall_w[WORST].expected
    assert added == pytest.approx(drawn.wall_w[WORST].expected)
    assert 300 < added < 300 / 0.8
    assert beside.wall_w[TRAINING].expected - without.wall_w[TRAINING].expected > 290
    assert beside.circuit_load.worst.expected > without.circuit_load.worst.expected + 300


def test_the_box_is_judged_by_its_own_rating() -> None:
    load = box_load(predict(machine(1, 1)).limits.boxes[0])
    assert load.words == "unthrottled training 45 %, worst case 46 %"
    assert box_load(predict(machine(1, 1, psu_w=None)).limits.boxes[0]) is None


def test_a_card_with_a_radiator_in_a_box_asks_no_room_for_it_in_the_case() -> None:
    def statuses(inside: int, boxed: int) -> set[Status]:
        build = machine(inside, boxed)
        hybrid = part("gpu", power_limit_w=300, cooling="hybrid", radiator_mm=240)
        lines = (line if line.part.category is not Category.GPU else replace(line, part=hybrid) for line in build.lines)
        build = build.with_lines(tuple(lines))
        return {row.status for row in check(build, predict(build)) if row.rule == "radiator-mounts"}

    assert statuses(0, 3) <= {Status.PASS}
    assert Status.FAIL in statuses(3, 0)


def test_its_heat_and_noise_stay_out_of_the_case() -> None:
    without, beside = predict(machine(1, 0)), predict(machine(1, 1))
    assert beside.heat.case_air_c == without.heat.case_air_c
    assert [card.temperature_c for card in beside.heat.cards] == [card.temperature_c for card in without.heat.cards]
    assert beside.noise_load == without.noise_load
    assert any("external box" in words for words in beside.heat.unknown)
    assert any("noise excludes the external box" in words for words in beside.assumptions)


def test_a_dock_for_a_psu_of_the_builder_is_no_box() -> None:
    build = machine(1, 1, psu_w=None, psu_included=False)
    assert boxes(build) == ()
    assert dc_w(predict(build), WORST) == pytest.approx(dc_w(predict(machine(2, 0)), WORST))


def test_boxes_take_the_circuits_after_the_psus() -> None:
    """One PSU of 2200 W and one box of 650: on two circuits the box has one of its own."""
    both = replace(machine(1, 1), other_loads_w=(0.0, 0.0))
    rated_w = next(both.psus())[1].power_w or 0.0
    assert left_of_circuits_w(both) == pytest.approx(both.circuit.continuous_w * (rated_w + 650) / rated_w)


@given(st.integers(0, 3), st.integers(0, 3), st.sampled_from([75.0, 300.0, 450.0]))
def test_psus_and_boxes_share_out_all_cards(inside: int, boxed: int, limit_w: float) -> None:
    if not inside + boxed:
        return
    build = machine(inside, boxed, limit_w)
    prediction = predict(build)
    given_w = sum(drawn.dc_w[WORST].expected for drawn in prediction.limits.boxes)
    assert in_boxes(build) == ({"gpu": boxed} if boxed else {})
    assert given_w == pytest.approx(boxed * limit_w)
    (gpus,) = [one for one in prediction.limits.components if one.part_id == "gpu"]
    assert gpus.from_psus(WORST).expected == pytest.approx(inside * limit_w)
