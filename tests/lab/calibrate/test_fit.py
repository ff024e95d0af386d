"""Fits to measurements that the model itself made with known factors."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.lab.calibrate.fit import calibrate
from core.lab.calibrate.heat_fit import CONTRADICTED
from core.lab.calibrate.measurements import MeasuredCpu, Measurements
from core.lab.calibrate.outcome import CalibrationOutcome, Fit, ParameterKind
from core.plan.build import Build
from core.plan.calibration import Factor
from core.plan.site_edits import SetCalibration
from core.predict.conditions import Conditions
from core.predict.prediction import predict
from core.predict.thermal.calibrated import heat_notes
from tests.lab.calibrate.benches import CLOSE, ROOM_C, machine, measured, settled, truth, with_cards
from tests.noise import noisy

ERRORS = 2.5
"""Standard errors within which a fitted value lies in 99 of 100 cases."""


COOL_W = (105, 90, 110)
"""No inlet is so warm that the cap on its warming hides what neighbours do."""


def fit(outcome: CalibrationOutcome, kind: ParameterKind) -> Fit:
    return next(one for one in outcome.fits if one.parameter.kind is kind)


def factor(outcome: CalibrationOutcome, kind: ParameterKind) -> tuple[float, float]:
    """Fitted value over the expected one, and its error."""
    one = fit(outcome, kind)
    return one.new[1] / one.parameter.old[1], one.error / one.parameter.old[1]


@settings(deadline=None, max_examples=25)
@given(st.floats(0.8, 1.25), st.floats(-4, 4), st.floats(0.45, 1.8), st.floats(0.6, 1.6))
def test_known_factors_are_found_within_their_errors(r: float, later_k: float, coupling: float, flow: float) -> None:
    build = machine()
    outcome = calibrate(build, measured(build, truth(r, later_k, coupling, flow), COOL_W))
    real = {ParameterKind.RESISTANCE: r, ParameterKind.COUPLING: coupling, ParameterKind.FLOW: flow}
    kinds = {one.parameter.kind for one in outcome.fits}
    assert {ParameterKind.RESISTANCE, ParameterKind.FLOW} <= kinds
    assert ParameterKind.COUPLING in kinds or coupling > 1.3, "only where much warming meets its cap it may be refused"
    for kind in kinds & set(real):
        value, error = factor(outcome, kind)
        assert abs(value - real[kind]) <= ERRORS * error, kind
    if ParameterKind.FANS in kinds:
        later = fit(outcome, ParameterKind.FANS)
        assert abs(later.new[1] - later_k) <= ERRORS * later.error


@settings(deadline=None, max_examples=15)
@given(st.floats(0.87, 1.2), st.floats(0.5, 1.8))
def test_under_the_cap_on_an_inlets_warming_coupling_is_found_or_refused(r: float, coupling: float) -> None:
    """Two explanations may fit alike: much warming that is capped, and little with a worse cooler."""
    build = machine()
    outcome = calibrate(build, measured(build, truth(r, 0, coupling), (180, 150, 190)))
    if outcome.calibration.coupling is None:
        assert any(sentence.startswith("The coupling of adjacent cards is not fitted") for sentence in outcome.refusals)
    else:
        value, error = factor(outcome, ParameterKind.COUPLING)
        assert abs(value - coupling) <= ERRORS * error


def test_noise_moves_what_is_found_by_about_its_error() -> None:
    build, real = machine(), truth(1.12, 2.0, 0.6, 1.2)
    random = Random(7)
    off: list[float] = []
    for _ in range(12):
        exact = measured(build, real, (180, 150, 190))
        cards = tuple(
            replace(card, temperature_c=card.temperature_c + random.gauss(0, 1.5), fan_share=(card.fan_share or 0))
            for card in exact.cards
        )
        outcome = calibrate(build, replace(exact, cards=cards))
        for kind, true in ((ParameterKind.RESISTANCE, 1.12), (ParameterKind.COUPLING, 0.6), (ParameterKind.FLOW, 1.2)):
            value, error = factor(outcome, kind)
            off.append(abs(value - true) / error)
    assert sum(one <= 2 for one in off) >= 0.85 * len(off)
    assert max(off) < 4


def test_the_prediction_comes_nearer_and_its_band_narrower() -> None:
    build = machine()
    outcome = calibrate(build, measured(build, truth(1.15, 3.0, 0.6, 1.3)))
    for row in outcome.quantities:
        if "watts" not in row.title:
            assert row.after.width < row.before.width, row.title
            assert row.after.low <= row.measured <= row.after.high, row.title
    chips = [row for row in outcome.quantities if row.title.endswith("chip")]
    before, after = (
        sum(abs(getattr(row, when).expected - row.measured) for row in chips) for when in ("before", "after")
    )
    assert after < 0.3 * before
    assert all(abs(row.after.expected - row.measured) < 1.5 for row in chips)


def test_the_calibrated_build_predicts_so_without_the_measured_watts() -> None:
    build = machine((1, 5), power_limit_w=220)
    real = truth(0.85, -2.0, 1.0, 1.4)
    outcome = calibrate(build, measured(build, real, (214, 214)))
    after = SetCalibration(outcome.calibration).apply(build)
    conditions = Conditions(room_c=ROOM_C)
    old, new = predict(build, conditions).heat, predict(after, conditions).heat
    for card, state, stale in zip(new.cards, settled(build, real, (213.4, 213.4)).cards, old.cards, strict=True):
        assert card.temperature_c.expected == pytest.approx(state.chip_c, abs=1.5)
        assert card.temperature_c.width < stale.temperature_c.width
    sentence = heat_notes(after)[0]
    assert "calibrated by run 7 of 2026-03-01" in sentence
    assert sentence in predict(after).assumptions
    assert not heat_notes(build)


def test_a_measured_resistance_is_no_missing_figure_any_more() -> None:
    build = machine((1,))
    outcome = calibrate(build, measured(build, truth(1.1), (290,)))
    assert "gpu.thermal_resistance_k_per_w" in predict(build).missing
    assert "gpu.thermal_resistance_k_per_w" not in predict(SetCalibration(outcome.calibration).apply(build)).missing


def test_cards_of_two_products_have_a_resistance_each() -> None:
    from core.plan.edits import AddPart, PlaceCards
    from tests.rules.machines import part

    other = part("gpu", suffix="-b", cooling="open_air", thermal_resistance_k_per_w=None, power_limit_w=200)
    build = PlaceCards(other.id, (6,)).apply(AddPart(other).apply(machine((1, 3))))
    real = replace(truth(), resistance=(("gpu", Factor(1.15, 0)), (other.id, Factor(0.9, 0))))
    outcome = calibrate(build, measured(build, real, (200, 190, 195)))
    resistances = dict(outcome.calibration.resistance)
    assert resistances["gpu"].value == pytest.approx(1.15, rel=0.06)
    assert resistances[other.id].value == pytest.approx(0.9, rel=0.06)


def test_cards_of_unknown_slots_tell_their_resistance_by_their_mean() -> None:
    build = machine()
    outcome = calibrate(build, with_cards(measured(build, truth(1.15)), slot=None))
    assert factor(outcome, ParameterKind.RESISTANCE)[0] == pytest.approx(1.15, rel=0.06)
    assert outcome.calibration.coupling is None


def test_a_stated_resistance_that_is_wrong_gives_way() -> None:
    build = machine((1,), thermal_resistance_k_per_w=0.14)
    outcome = calibrate(build, measured(build, truth(1.35), (280,)))
    assert factor(outcome, ParameterKind.RESISTANCE)[0] == pytest.approx(1.35, rel=0.12)
    assert any("outside the range" in remark for remark in outcome.remarks)


def test_the_processors_cooler_is_fitted_where_its_watts_and_degrees_were_measured() -> None:
    build = machine((1,))
    exact = measured(build, truth(), (290,))
    with_cpu = replace(exact, cpu=MeasuredCpu(180, 68))
    outcome = calibrate(build, with_cpu)
    row = next(row for row in outcome.quantities if row.title == "Processor")
    assert abs(row.after.expected - 68) < abs(row.before.expected - 68)
    assert outcome.calibration.resistance_of("cpu-cooler") is not None
    with noisy(in_place_of_english=True):
        assert calibrate(build, with_cpu).calibration == outcome.calibration, "whatever the figures are called"


def test_a_flow_holds_for_its_own_case_alone() -> None:
    build = machine()
    calibration = calibrate(build, measured(build, truth(flow=1.5))).calibration
    assert calibration.flow_in("case") is not None
    assert calibration.flow_in("another-case") is None


def test_a_card_in_the_wrong_slot_is_remarked_upon() -> None:
    build = machine(CLOSE)
    exact = measured(build, truth(coupling=1.6), (200, 200, 200))
    first, second, third = exact.cards
    swapped = (replace(second, slot=first.slot), replace(third, slot=second.slot), replace(first, slot=third.slot))
    remarks = calibrate(build, replace(exact, cards=swapped)).remarks
    assert any("Is the card in that slot" in remark for remark in remarks)
    assert CONTRADICTED in remarks


def test_an_earlier_calibration_does_not_count() -> None:
    build = machine()
    measurements = measured(build, truth(1.15, 3.0, 0.6, 1.3))
    once = calibrate(build, measurements)
    again = calibrate(SetCalibration(once.calibration).apply(build), measurements)
    assert again.calibration == replace(once.calibration, replaces="run 7 of 2026-03-01")


@pytest.mark.parametrize("slots", [(1,), (1, 5), CLOSE])
def test_a_machine_as_the_model_expects_keeps_its_figures(slots: tuple[int, ...]) -> None:
    build = machine(slots)
    outcome = calibrate(build, measured(build, watts=[200.0] * len(slots)))
    for one in outcome.fits:
        assert one.new[1] == pytest.approx(one.parameter.old[1], rel=0.02, abs=0.1)


def fits_of(build: Build, measurements: Measurements) -> set[ParameterKind]:
    return {one.parameter.kind for one in calibrate(build, measurements).fits}


def test_air_before_the_cards_tells_the_flow() -> None:
    build = machine()
    exact = measured(build)
    assert ParameterKind.FLOW in fits_of(build, exact)
    assert ParameterKind.FLOW not in fits_of(build, replace(exact, case_air_c=None))
