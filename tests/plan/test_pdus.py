"""Which PSU is plugged into which PDU, and which circuit that hangs on."""

from dataclasses import replace

import pytest

from core.plan.build import Build
from core.plan.psus import plugged_pdus
from tests.rules.machines import good_build, part, with_line


def _build(psus: int, circuits: int, *currents_a: float) -> Build:
    build = replace(with_line(good_build(), part("psu"), psus), other_loads_w=(0.0,) * circuits)
    for at, current_a in enumerate(currents_a):
        build = with_line(build, part("pdu", suffix=f"-{at}", current_a=current_a))
    return build


@pytest.mark.parametrize(
    ("psus", "circuits", "currents_a", "plugged"),
    [
        (2, 1, (), []),
        (2, 1, (16,), [(0, (1, 2))]),
        (3, 1, (16, 16), [(0, (1, 3)), (0, (2,))]),
        (4, 2, (16, 16), [(0, (1, 3)), (1, (2, 4))]),
        (4, 2, (16,), [(0, (1, 3))]),
        (6, 2, (16, 16, 16), [(0, (1, 5)), (1, (2, 4, 6)), (0, (3,))]),
        (1, 2, (16, 16), [(0, (1,)), (1, ())]),
    ],
)
def test_pdus_take_the_circuits_in_turn_and_psus_the_pdus_of_their_circuit(
    psus: int, circuits: int, currents_a: tuple[float, ...], plugged: list[tuple[int, tuple[int, ...]]]
) -> None:
    assert [(one.circuit, one.psus) for one in plugged_pdus(_build(psus, circuits, *currents_a))] == plugged


def test_the_strongest_pdu_comes_first() -> None:
    strong, weak = plugged_pdus(_build(2, 2, 16, 30))
    assert (strong.spec.current_a, strong.circuit, weak.spec.current_a, weak.circuit) == (30, 0, 16, 1)
