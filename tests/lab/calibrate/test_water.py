"""Cards under water: blocks and radiators are fitted where the run tells them apart, and refused where it does not."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.lab.calibrate.fit import calibrate
from core.lab.calibrate.outcome import CalibrationOutcome, ParameterKind
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.calibration import Calibration, Factor
from core.plan.site_edits import SetCalibration
from core.predict.conditions import Conditions
from core.predict.prediction import predict
from core.predict.thermal.heat import Heat
from tests.lab.calibrate.benches import ROOM_C, machine, measured, wet_machine, with_cards
from tests.rules.machines import part, with_line, without

HERE = Conditions(room_c=ROOM_C)
FULL_W = (290.0, 280.0)


def real(block: float = 1.0, radiators: float = 1.0, block_id: str = "water-block") -> Calibration:
    return Calibration(
        run="the truth", blocks=((block_id, Factor(block, 0)),), radiators=(("radiator", Factor(radiators, 0)),)
    )


def fitted(outcome: CalibrationOutcome) -> dict[ParameterKind, tuple[float, float]]:
    """Fitted values over the expected ones, with their errors."""
    return {
        fit.parameter.kind: (fit.new[1] / fit.parameter.old[1], fit.error / fit.parameter.old[1])
        for fit in outcome.fits
    }


def heat(build: Build) -> Heat:
    return predict(build, HERE).heat


@settings(deadline=None, max_examples=12)
@given(st.floats(0.75, 1.4), st.floats(0.7, 1.4))
def test_with_the_coolant_blocks_and_radiators_are_both_found(block: float, radiators: float) -> None:
    build = wet_machine()
    fits = fitted(calibrate(build, measured(build, real(block, radiators), FULL_W)))
    for kind, true in ((ParameterKind.BLOCK, block), (ParameterKind.RADIATORS, radiators)):
        value, error = fits[kind]
        assert abs(value - true) <= 2.5 * error, kind


def test_the_calibrated_machine_predicts_what_was_measured_and_more_narrowly() -> None:
    build = wet_machine()
    outcome = calibrate(build, measured(build, real(1.3, 0.8), FULL_W))
    truth = replace(build, calibration=real(1.3, 0.8))
    after, exact, before = heat(SetCalibration(outcome.calibration).apply(build)), heat(truth), heat(build)
    for new, true, old in zip(after.cards, exact.cards, before.cards, strict=True):
        assert new.temperature_c.expected == pytest.approx(true.temperature_c.expected, abs=1)
        assert new.temperature_c.width < old.temperature_c.width
    assert after.coolant_c.expected == pytest.approx(exact.coolant_c.expected, abs=0.7)
    assert any("conductance of the radiators" in note for note in after.cards[0].temperature_c.assumptions)


def test_without_the_coolant_chips_do_not_tell_radiators_from_blocks() -> None:
    build = wet_machine()
    outcome = calibrate(build, replace(measured(build, real(1.2, 0.9), FULL_W), coolant_c=None))
    assert ParameterKind.BLOCK in fitted(outcome)
    assert not outcome.calibration.radiators
    (sentence,) = [text for text in outcome.refusals if text.startswith("The radiators' conductance is not fitted")]
    assert "--coolant" in sentence
    chip = next(row for row in outcome.quantities if row.title.endswith("chip"))
    assert chip.after.expected == pytest.approx(chip.measured, abs=1), "the machine is met all the same"


def test_a_block_that_its_maker_states_gives_way_to_the_radiators() -> None:
    build = wet_machine(stated=0.05)
    outcome = calibrate(build, replace(measured(build, real(1.0, 0.75), FULL_W), coolant_c=None))
    value, error = fitted(outcome)[ParameterKind.RADIATORS]
    assert abs(value - 0.75) <= 2.5 * error
    assert not outcome.calibration.blocks
    assert any("the chip temperatures alone cannot separate blocks from radiators" in text for text in outcome.refusals)


def test_cards_at_very_different_watts_tell_the_block_by_themselves() -> None:
    build = wet_machine((1, 3, 5, 7))
    watts = (300.0, 300.0, 30.0, 30.0)
    outcome = calibrate(build, replace(measured(build, real(1.4, 1.0), watts), coolant_c=None))
    value, error = fitted(outcome)[ParameterKind.BLOCK]
    assert abs(value - 1.4) <= 2.5 * error


def test_a_card_that_is_sold_with_a_block_is_fitted_under_its_own_name() -> None:
    build = without(wet_machine(), Category.WATER_BLOCK)
    build = with_line(build, part("gpu", cooling="water_block", thermal_resistance_k_per_w=None))
    outcome = calibrate(build, measured(build, real(1.25, block_id="gpu"), FULL_W))
    assert outcome.calibration.block_of("gpu") is not None
    assert fitted(outcome)[ParameterKind.BLOCK][0] == pytest.approx(1.25, rel=0.1)


def test_a_chip_at_its_target_tells_all_the_same() -> None:
    """Watts are measured: however the driver holds a chip, they and the coolant explain its temperature."""
    build = wet_machine()
    hot = with_cards(measured(build, real(), FULL_W), target_c=60.0, temperature_c=60.0)
    assert calibrate(build, hot).calibration.blocks


def test_without_a_radiator_there_is_nothing_to_fit() -> None:
    build = without(wet_machine(), Category.RADIATOR)
    outcome = calibrate(build, measured(wet_machine(), real(), FULL_W))
    assert not outcome.calibration
    assert sum("has no radiator" in text for text in outcome.refusals) == 2


def test_of_a_line_that_is_half_under_water_one_must_know_which_card_is_which() -> None:
    build = with_line(wet_machine((1, 3)), part("water_block"), 1)
    outcome = calibrate(build, with_cards(measured(wet_machine(), real(), FULL_W), slot=None))
    assert any("some of these cards have a water block" in text for text in outcome.refusals)
    assert not outcome.calibration.blocks


def test_a_mixed_machine_fits_each_card_by_its_own_kind() -> None:
    build = with_line(wet_machine((1, 5)), part("water_block"), 1)
    outcome = calibrate(build, measured(build, real(1.3, 0.9), (280, 200)))
    kinds = {fit.parameter.kind for fit in outcome.fits}
    assert {ParameterKind.BLOCK, ParameterKind.RESISTANCE} <= kinds


def test_other_radiators_keep_what_the_model_expects() -> None:
    build = SetCalibration(real(1.0, 0.6)).apply(wet_machine())
    other = with_line(without(build, Category.RADIATOR), part("radiator", suffix="-b"), 2)
    both = with_line(build, part("radiator", suffix="-b"))
    bare = replace(other, calibration=Calibration())
    assert heat(other).coolant_c == heat(bare).coolant_c
    assert heat(both).coolant_c == heat(replace(both, calibration=Calibration())).coolant_c
    warmer, cooler = heat(build).coolant_c, heat(replace(build, calibration=Calibration())).coolant_c
    assert warmer.expected > cooler.expected + 1


def test_dry_cards_need_no_word_of_water_and_wet_ones_none_of_neighbours() -> None:
    dry, wet = machine(), wet_machine()
    assert not any("water" in text for text in calibrate(dry, measured(dry)).refusals)
    assert not any("adjacent cards" in text for text in calibrate(wet, measured(wet, real(), FULL_W)).refusals)
