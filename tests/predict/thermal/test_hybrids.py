"""Hybrid cards lose their heat at the radiator, by its size, and are hardly warmed by the card beside them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.parts.specs import GpuSpec
from core.parts.vocabulary import GpuCooling
from core.plan.card_edits import SetPowerLimit
from core.predict.airflow.airflow import CaseAir
from core.predict.band import Band, Corner
from core.predict.thermal.coolers import CoolantLoop, cooler, cooler_of, hybrid_resistance
from core.predict.thermal.heat import NOT_ESTABLISHED
from core.predict.thermal.neighbours import ALONE
from core.predict.thermal.steady import Air, Body, settle
from tests.predict.thermal.test_blowers import cards, tower
from tests.predict.thermal.test_heat import heat, machine
from tests.rules.machines import part, with_line
from tests.shipped import parts_by_id

MEASURED = (("msi-rtx-4090-suprim-liquid-x-24g", 2, 450, 63), ("msi-rtx-5090-suprim-liquid-soc-32g", 1, 600, 60))
"""Two side by side at most; TweakTown, games at up to 600 W."""


@pytest.mark.parametrize(("card", "count", "limit_w", "measured_c"), MEASURED)
def test_hybrids_are_as_warm_as_measured_and_keep_their_power(
    card: str, count: int, limit_w: float, measured_c: float
) -> None:
    for state in cards(tower(card, count, limit_w)):
        assert state.temperature_c.low <= measured_c <= state.temperature_c.high
        assert abs(state.temperature_c.expected - measured_c) <= 4
        assert not state.held


def test_a_hybrid_beside_another_is_hardly_warmer_than_alone() -> None:
    alone, between = (
        max(card.inlet_c.expected for card in heat(machine(slots, "hybrid", radiator_mm=240)).cards)
        for slots in ((1,), (1, 3))
    )
    assert between - alone <= 4


@pytest.mark.parametrize(("kind", "guessed"), [("hybrid", False), ("open_air", True)])
def test_only_cards_that_breathe_beside_each_other_are_said_to_heat_each_other(kind: str, guessed: bool) -> None:
    pair = heat(machine((1, 3), kind)).cards
    assert all((NOT_ESTABLISHED in card.temperature_c.assumptions) is guessed for card in pair)


def test_an_unstated_radiator_widens_the_band_and_is_named() -> None:
    low, _, high = hybrid_resistance(240.0)
    unstated = cooler_of(GpuCooling.HYBRID, 2.0, 450.0)
    assert unstated.resistance[0] < low < high < unstated.resistance[2]
    assert "radiator_mm" in unstated.missing
    spec = parts_by_id()["msi-rtx-4090-suprim-liquid-x-24g"].spec
    assert isinstance(spec, GpuSpec)
    stated = cooler(spec)
    assert stated.resistance == (low, hybrid_resistance(240.0)[1], high)
    assert "radiator_mm" not in stated.missing


@given(mm=st.floats(120, 480), more=st.floats(0, 300))
def test_a_wider_radiator_never_warms_its_card(mm: float, more: float) -> None:
    own, wider = (hybrid_resistance(length) for length in (mm, mm + more))
    assert all(after <= before for before, after in zip(own, wider, strict=True))


KINDS = ["open_air", "flow_through", "blower", "hybrid"]


def warmed_by(own: str, other: str, limits_w: tuple[float, float], slots: tuple[int, int]) -> list[tuple[Band, Band]]:
    """Inlet and chip of a card of 200 W in the first slot while the one in the second may draw so much, then more.

    The neighbour alone is raised: both keep their coolers, the first its limit.
    """
    inlets = []
    for limit_w in limits_w:
        beside = part("gpu", suffix="-2", cooling=other, thermal_resistance_k_per_w=0.1, power_limit_w=500)
        build = with_line(machine(slots[:1], own, power_limit_w=200), beside, 1, slots[1:])
        cards = heat(SetPowerLimit(beside.id, limit_w).apply(build)).cards
        inlets.append(next((card.inlet_c, card.temperature_c) for card in cards if card.slot == slots[0]))
    return inlets


@settings(deadline=None, max_examples=60)
@given(
    own=st.sampled_from(KINDS),
    other=st.sampled_from(KINDS),
    watts=st.floats(100, 450),
    more=st.floats(0, 200),
    slots=st.sampled_from([(1, 3), (1, 4), (3, 1), (4, 1), (1, 7)]),
)
def test_a_cards_heat_never_cools_the_card_beside_it(
    own: str, other: str, watts: float, more: float, slots: tuple[int, int]
) -> None:
    """Of all kinds beside all kinds, before its fans and behind them, in each corner."""
    before, after = warmed_by(own, other, (watts, watts + more), slots)
    for cooler_one, warmer in zip(before, after, strict=True):
        for end in ("low", "expected", "high"):
            assert getattr(warmer, end) >= getattr(cooler_one, end) - 0.1


@settings(deadline=None, max_examples=25)
@given(watts=st.floats(100, 400), more=st.floats(0, 200), wet=st.booleans())
def test_a_cards_heat_never_cools_a_card_of_the_same_loop_or_beside_it(watts: float, more: float, wet: bool) -> None:
    """A block's card warms the coolant of the others, one on air the case that the radiators breathe."""
    states = []
    loop = CoolantLoop((20.0, 25.0, 30.0))
    air = Air(25.0, 0.0, CaseAir((60.0, 90.0, 120.0)), loop, (50.0, 50.0, 50.0))
    for limit_w in (watts, watts + more):
        own, other = (
            Body(cooler_of(GpuCooling.OPEN_AIR, 2.0, 300.0), (drawn,) * 3, ALONE, on_water)
            for drawn, on_water in ((250.0, True), (limit_w, wet))
        )
        states.append([settle([own, other], air, corner).cards[0].chip_c for corner in Corner])
    before, after = states
    assert all(warmer >= cooler_one - 0.1 for cooler_one, warmer in zip(before, after, strict=True))
