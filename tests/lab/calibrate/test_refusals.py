"""What a run does not determine is not fitted, and a sentence says why."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from core.lab.calibrate import refusal
from core.lab.calibrate.fit import calibrate
from core.lab.calibrate.measurements import MeasuredCpu, Measurements, SoundReading
from core.lab.calibrate.outcome import ParameterKind as Kind
from core.plan.build import Build
from core.plan.card_edits import PutOnRisers
from tests.lab.calibrate.benches import CLOSE, machine, measured, truth, with_cards
from tests.rules.machines import part, with_line

Change = Callable[[Measurements], Measurements]
LOUD = SoundReading(55, 1.0, 30)
LIKE_SPEEDS = tuple(replace(LOUD, fan_share=share) for share in (0.7, 0.75))
DROWNED = replace(LOUD, background_dba=53)


def same(measurements: Measurements) -> Measurements:
    return measurements


ON_A_FRAME = with_line(machine((1, 3)), part("case", kind="open_frame"))

CASES: list[tuple[str, Build, Change, Kind | None, str]] = [
    ("one card", machine((1,)), same, Kind.COUPLING, refusal.ONE_CARD),
    ("far apart", machine((1, 7)), same, Kind.COUPLING, refusal.NO_NEIGHBOUR),
    ("on a riser", PutOnRisers("gpu", (3,)).apply(machine((1, 3))), same, Kind.COUPLING, refusal.NO_NEIGHBOUR),
    ("slots unknown", machine(), lambda m: with_cards(m, slot=None), Kind.COUPLING, refusal.WHICH_SLOT),
    ("an open frame", ON_A_FRAME, same, Kind.FLOW, refusal.NO_FLOW),
    ("no air before the cards", machine(), lambda m: replace(m, case_air_c=None), Kind.FLOW, "give it with --case-air"),
    ("fans not measured", machine(), lambda m: with_cards(m, fan_share=None), Kind.FANS, "speed was not measured"),
    ("no sound", machine(), same, Kind.LEVEL, refusal.NO_SOUND),
    ("one reading", machine(), lambda m: replace(m, sounds=(LOUD,)), Kind.SLOPE, refusal.NO_SLOPE),
    ("readings at like speeds", machine(), lambda m: replace(m, sounds=LIKE_SPEEDS), Kind.SLOPE, refusal.NO_SLOPE),
    ("drowned", machine(), lambda m: replace(m, sounds=(DROWNED,)), Kind.LEVEL, "less than 3 dB"),
    ("no room", machine(), lambda m: replace(m, room_c=None), None, refusal.NO_ROOM),
    ("too short", machine(), lambda m: replace(m, minutes=8), None, "8 minutes under load"),
    ("still warming", machine(), lambda m: with_cards(m, drift_k=0.6), None, "changed by +0.6 K"),
    ("still cooling", machine(), lambda m: with_cards(m, drift_k=-0.6), None, "changed by -0.6 K"),
    ("coolant without water", machine(), lambda m: replace(m, coolant_c=40), Kind.RADIATORS, refusal.NO_WATER),
    ("no card", machine(), lambda m: replace(m, cards=()), None, refusal.NO_CARDS),
]


@pytest.mark.parametrize(
    ("build", "change", "kind", "sentence"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_it_is_refused_in_a_sentence(build: Build, change: Change, kind: Kind | None, sentence: str) -> None:
    count = len([card for card in build.cards() if card.part.id == "gpu"])
    outcome = calibrate(build, change(measured(build, truth(1.1), [200.0 + 7 * n for n in range(count)])))
    assert any(sentence in refusal_text for refusal_text in outcome.refusals), outcome.refusals
    assert all(refusal_text.endswith(".") for refusal_text in outcome.refusals)
    kinds = {one.parameter.kind for one in outcome.fits}
    if kind is None:
        assert kinds == set()
        assert not outcome.calibration
    else:
        assert kind not in kinds
        assert kinds, "the rest is fitted"


@pytest.mark.parametrize(
    ("colder", "what"),
    [
        (lambda m: with_cards(m, temperature_c=20), "a chip of 20 °C"),
        (lambda m: replace(m, case_air_c=20), "intake air of the cards of 20 °C"),
        (lambda m: replace(m, coolant_c=20), "coolant of 20 °C"),
        (lambda m: replace(m, cpu=MeasuredCpu(90, 20)), "a processor of 20 °C"),
    ],
)
def test_what_is_colder_than_the_room_is_no_measurement(colder: Change, what: str) -> None:
    """It would pass for an excellent cooler."""
    outcome = calibrate(machine(), colder(measured(machine())))
    assert not outcome.calibration
    assert f"{what} in a room at 24 °C is not possible" in outcome.refusals[0]


def test_a_card_pinned_at_its_target_tells_nothing_unless_its_fans_were_measured() -> None:
    build = machine((1,))
    at_target = with_cards(measured(build, watts=(290,)), temperature_c=83.0, target_c=83.0)
    outcome = calibrate(build, with_cards(at_target, fan_share=None))
    assert any("83 °C is the target" in sentence for sentence in outcome.refusals)
    assert not outcome.calibration.resistance
    assert calibrate(build, with_cards(at_target, fan_share=0.86)).calibration.resistance


def test_fans_set_by_hand_leave_the_card_out() -> None:
    build = machine((1,))
    outcome = calibrate(build, with_cards(measured(build, watts=(200,)), temperature_c=50.0, fan_share=1.0))
    assert any("set by hand" in sentence for sentence in outcome.refusals)
    assert not outcome.calibration.resistance


def test_a_card_that_stays_cold_does_not_tell_its_resistance() -> None:
    build = machine((1,))
    outcome = calibrate(build, measured(build, truth(1.2), (20,)))
    assert any(sentence.startswith("Resistance of Test GPU is not fitted") for sentence in outcome.refusals)
    assert not outcome.calibration.resistance


def test_cards_under_water_are_left_out() -> None:
    build = machine((1, 3), "water_block")
    outcome = calibrate(build, measured(build, watts=(250, 250)))
    assert sum("water" in sentence for sentence in outcome.refusals) == 2
    assert not outcome.calibration.resistance


def test_neighbours_that_cannot_be_told_from_resistance_are_refused() -> None:
    """Blowers warm each other so little that no sensor of whole degrees shows it."""
    build = machine((1, 3), "blower")
    outcome = calibrate(build, measured(build, truth(1.1), (100, 100)))
    assert outcome.calibration.coupling is None
    assert any(sentence.startswith("The coupling of adjacent cards is not fitted") for sentence in outcome.refusals)


def test_what_is_refused_stays_as_the_model_has_it() -> None:
    build = machine(CLOSE)
    calibration = calibrate(build, with_cards(measured(build, truth(1.1, coupling=0.5)), slot=None)).calibration
    assert calibration.coupling is None
    assert calibration.resistance
