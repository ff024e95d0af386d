"""Random machines for the properties of placement: boards of few slots with sharing, cards of several widths."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from core.plan.build import Build
from core.plan.line import Line
from tests.rules.machines import part, slot

PRODUCTS = ("Test 300", "Test 400")


@st.composite
def board_slots(draw: st.DrawFn, cpus: int, largest: int, smallest: int) -> list[dict[str, Any]]:
    positions = sorted(draw(st.sets(st.integers(1, largest), min_size=smallest, max_size=largest)))
    rows = []
    for position in positions:
        attachment = draw(st.sampled_from(["cpu", "cpu", "switch", "chipset", None]))
        rows.append(
            slot(
                position,
                lanes=draw(st.sampled_from([4, 8, 16])),
                mechanical_lanes=draw(st.sampled_from([8, 16, 16, 16])),
                open_ended=draw(st.booleans()),
                generation=draw(st.sampled_from([3, 4])),
                attachment=attachment,
                switch=draw(st.sampled_from("AB")) if attachment == "switch" else None,
                cpu=draw(st.integers(0, cpus - 1)),
                root=draw(st.sampled_from([None, "00", "40"])),
            )
        )
    return rows


@st.composite
def lane_cases(draw: st.DrawFn, labels: list[str]) -> list[dict[str, Any]]:
    rows = draw(
        st.lists(
            st.tuples(
                st.sets(st.sampled_from(labels), max_size=2),
                st.dictionaries(st.sampled_from(labels), st.sampled_from([0, 4, 8, 12]), min_size=1, max_size=2),
                st.sampled_from([None, None, 28]),
            ),
            max_size=3,
        )
    )
    return [{"filled": sorted(filled), "widths": widths, "cpu_lanes": lanes} for filled, widths, lanes in rows]


@st.composite
def machines(draw: st.DrawFn, largest: int = 6, placed: bool = False, smallest: int = 1) -> Build:
    """A board, one or two CPUs, up to two lines of GPUs, perhaps a network card, bridges, risers, blocks and a case."""
    cpus = draw(st.integers(1, 2))
    slots = draw(board_slots(cpus, largest, smallest))
    board = part(
        "motherboard",
        socket=draw(st.sampled_from(["SP3", "AM4", None])),
        cpu_sockets=cpus,
        slots=slots,
        lane_cases=draw(lane_cases([row["label"] for row in slots])),
    )
    lanes = draw(st.sampled_from([16, 28, 128, None]))
    lines = [Line(board), Line(part("cpu", pcie_lanes=lanes, max_sockets=2), draw(st.integers(1, cpus)))]
    positions = [row["position"] for row in slots]
    counts = st.integers(max(1, smallest // 4), max(3, smallest // 2))
    for number in range(draw(st.integers(1, 2))):
        card = part(
            "gpu",
            suffix=f"-{number}",
            product=draw(st.sampled_from(PRODUCTS)),
            width_slots=draw(st.sampled_from([1, 2, 2.7, None])),
            bracket_slots=draw(st.sampled_from([None, 1])),
            cooling=draw(st.sampled_from(["open_air", "blower"])),
            pcie_generation=draw(st.sampled_from([3, 4, 5, None])),
            pcie_lanes=draw(st.sampled_from([8, 16, 16, None])),
        )
        lines.append(_line(draw, card, positions, placed, counts))
    if draw(st.booleans()):
        lines.append(_line(draw, part("nic"), positions, placed, counts))
    if draw(st.booleans()):
        lines.append(Line(part("nvlink_bridge", fits_products=list(PRODUCTS)), draw(st.integers(1, 2))))
    if draw(st.booleans()):
        lines.append(Line(part("riser", lanes=draw(st.sampled_from([1, 16, None]))), draw(st.integers(1, 2))))
    if draw(st.booleans()):
        lines.append(Line(part("water_block"), draw(st.integers(1, 2))))
    if draw(st.booleans()):
        lines.append(Line(part("case", expansion_slots=draw(st.integers(2, 8)))))
    return Build(lines=tuple(lines))


def _line(draw: st.DrawFn, card: Any, positions: list[int], placed: bool, counts: st.SearchStrategy[int]) -> Line:
    quantity = draw(counts)
    if not placed:
        return Line(card, quantity)
    own = tuple(draw(st.permutations(positions)))[: draw(st.integers(0, quantity))]
    risers = tuple(position for position in own if draw(st.booleans()))
    return Line(card, quantity, own, risers)
