"""Hybrid cards lose their heat at the radiator, by its size, and are hardly warmed by the card beside them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.parts.specs import GpuSpec
from core.parts.vocabulary import GpuCooling
from core.predict.thermal.coolers import cooler, cooler_of, hybrid_resistance
from core.predict.thermal.heat import NOT_ESTABLISHED
from tests.predict.thermal.test_blowers import cards, tower
from tests.predict.thermal.test_heat import heat, machine
from tests.rules.machines import part, with_line
from tests.shipped import parts_by_id

MEASURED = (
    ("msi-rtx-4090-suprim-liquid-x-24g", 2, 450, 63),
    ("msi-rtx-5090-suprim-liquid-soc-32g", 1, 600, 60),
)
"""Two side by side at most; TweakTown, games at up to 600 W."""


@pytest.mark.parametrize(("card", "count", "limit_w", "measured_c"), MEASURED)
def test_hybrids_are_as_warm_as_measured_and_keep_their_power(
    card: str, count: int, limit_w: float, measured_c: float
) -> None:
    for state in cards(tower(parts_by_id(), card, count, limit_w)):
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
    found = heat(machine((1, 3), kind)).cards
    assert all((NOT_ESTABLISHED in card.temperature_c.assumptions) is guessed for card in found)


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


@settings(deadline=None, max_examples=25)
@given(
    kind=st.sampled_from(["open_air", "blower", "hybrid", "flow_through"]),
    watts=st.floats(100, 500),
    more=st.floats(0, 200),
    beside=st.sampled_from([3, 4]),
)
def test_a_cards_heat_never_cools_the_card_beside_it(kind: str, watts: float, more: float, beside: int) -> None:
    """Degrees of the inlet in each corner: the neighbour alone is raised, the other keeps its own limit."""
    inlets = []
    for limit_w in (watts, watts + more):
        other = part("gpu", suffix="-2", cooling=kind, thermal_resistance_k_per_w=None, power_limit_w=limit_w)
        build = with_line(machine((1,), kind, power_limit_w=200), other, 1, (beside,))
        inlets.append(next(card.inlet_c for card in heat(build).cards if card.slot == 1))
    before, after = inlets
    for end in ("low", "expected", "high"):
        assert getattr(after, end) >= getattr(before, end) - 0.1
