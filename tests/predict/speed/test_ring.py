"""The slowest edge of the ring through all cards, where they sit."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plan.build import Build
from core.plan.line import Line
from core.predict.speed.networks import Network
from core.predict.speed.scaling import P2P_SHARE, STAGED, STAGED_SHARE, UNPLACED, Ring, reach_each_other, ring_of
from core.predict.speed.speed import predict_speed
from tests.predict.speed.machines import gpu, machine
from tests.rules.machines import part

FULL = 31.5
CHIPSET = {"attachment": "chipset"}
SWITCH = {"attachment": "switch", "switch": "PEX"}
SECOND_CPU = {"cpu": 1}


def _ring(build: Build) -> Ring:
    ring = ring_of(build)
    assert ring is not None
    return ring


def test_one_card_has_no_ring() -> None:
    assert ring_of(machine(gpu(), (1,))) is None


def test_cards_on_the_cpu_get_the_share_of_their_link_that_collectives_reach() -> None:
    ring = _ring(machine(gpu(), (1, 3, 5)))
    assert ring.gbps == pytest.approx([share * FULL for share in P2P_SHARE], rel=0.01)
    assert "31.5 GB/s" in ring.slowest


@pytest.mark.parametrize(
    ("slots", "changes", "times_slower"),
    [
        ((1, 3), {3: {"lanes": 8}}, 2),
        ((1, 3), {3: {"generation": 3, "lanes": 4}}, 8),
        ((1, 3), {3: CHIPSET}, 4),
        ((1, 3, 5), {3: CHIPSET, 5: CHIPSET}, 8),
        ((1, 3, 5), {1: SWITCH, 3: SWITCH, 5: SWITCH}, 1),
    ],
    ids=["x8", "Gen3 x4", "one on the chipset", "two share the chipset", "a switch joins them"],
)
def test_the_slowest_edge_counts(slots: tuple[int, ...], changes: dict[int, dict[str, Any]], times_slower: int) -> None:
    whole, held = _ring(machine(gpu(), slots)), _ring(machine(gpu(), slots, board=changes))
    assert whole.gbps[1] / held.gbps[1] == pytest.approx(times_slower, rel=0.01)


def test_the_way_by_the_host_shares_the_uplink_of_a_switch() -> None:
    consumer = gpu(product="GeForce RTX 4090")
    on_cpu = _ring(machine(consumer, (1, 3)))
    assert on_cpu.gbps == pytest.approx([share * FULL for share in STAGED_SHARE], rel=0.01)
    assert STAGED in on_cpu.notes
    under_switch = _ring(machine(consumer, (1, 3), board={1: SWITCH, 3: SWITCH}))
    assert on_cpu.gbps[1] / under_switch.gbps[1] == pytest.approx(2, rel=0.01)


def test_the_link_between_two_cpus_costs() -> None:
    two = Line(part("cpu", max_sockets=2), 2)
    build = machine(gpu(), (1, 5), board={5: SECOND_CPU})
    build = build.with_lines((*(line for line in build.lines if line.part.id != "cpu"), two))
    apart, together = _ring(build), _ring(machine(gpu(), (1, 5)))
    assert apart.gbps[1] < together.gbps[1]
    assert "across two CPUs" in apart.slowest


ROOTS = st.dictionaries(st.sampled_from([1, 3, 5, 7]), st.sampled_from([None, "00", "40", "80"]), max_size=4)


@given(ROOTS, st.sampled_from(["RTX A6000", "GeForce RTX 4090", "Radeon RX 7900 XTX"]), st.integers(2, 4))
def test_cards_of_one_root_complex_are_never_slower_than_the_same_across(
    roots: dict[int, str | None], product: str, count: int
) -> None:
    at = (1, 3, 5, 7)[:count]
    one = _ring(machine(gpu(product=product), at, board={slot: {"root": "00"} for slot in at}))
    any_way = _ring(machine(gpu(product=product), at, board={slot: {"root": root} for slot, root in roots.items()}))
    assert all(shared >= other for shared, other in zip(one.gbps, any_way.gbps, strict=True))


@pytest.mark.parametrize(("product", "share"), [("RTX A6000", 0.95), ("GeForce RTX 4090", 0.6)])
def test_a_pair_across_two_root_complexes_loses_what_was_measured(product: str, share: float) -> None:
    one, across = (
        _ring(machine(gpu(product=product), (1, 3), board={1: {"root": "00"}, 3: {"root": other}}))
        for other in ("00", "40")
    )
    assert across.gbps[0] == pytest.approx(share * one.gbps[0])
    assert across.gbps[2] == one.gbps[2]
    assert "across two root complexes" in across.slowest


def test_nvlink_joins_two_and_leaves_the_others_to_pcie() -> None:
    card = gpu(nvlink_generation=3, nvlink_links=4, nvlink_gbps=112.5)
    figures = {"fits_products": ["RTX Test"], "generation": 3, "bandwidth_gbps": 112.5}
    bridge = Line(part("nvlink_bridge", **figures), 2)
    pair = _ring(machine(card, (1, 3), bridge))
    assert pair.gbps[1] == pytest.approx(0.76 * 56.25, rel=0.01)
    assert "NVLink" in pair.slowest
    four = _ring(machine(card, (1, 3, 5, 7), bridge))
    assert four.gbps[1] == pytest.approx(P2P_SHARE[1] * FULL, rel=0.01)


def test_modules_have_nvlink_to_each_other() -> None:
    module = gpu(form="sxm", nvlink_gbps=600.0)
    ring = _ring(Build(lines=(Line(module, 8),)))
    assert ring.gbps[1] == pytest.approx(0.76 * 300)
    unknown = _ring(Build(lines=(Line(gpu(form="sxm"), 8),)))
    assert unknown.missing == ("gpu.nvlink_gbps",)
    assert unknown.gbps[2] / unknown.gbps[0] > 4


def test_how_oam_modules_are_joined_is_unknown() -> None:
    """Alone or beside others: no figure for all together, the reason, and what each reaches."""
    module = gpu(form="oam")
    for lines in [(Line(module, 8),), (Line(module, 1), Line(gpu("-2", form="sxm", nvlink_gbps=600.0), 4))]:
        build = Build(lines=lines)
        assert ring_of(build) is None
        together = predict_speed(build).of(Network.CNN)
        assert together.rate is None
        assert all(card.rate for card in together.cards)
        assert any("OAM" in reason for reason in together.reasons)
    assert not any("OAM" in reason for reason in predict_speed(Build(lines=(Line(module, 1),))).of(Network.CNN).reasons)


def test_cards_without_a_slot_have_a_wide_band() -> None:
    ring = _ring(Build(lines=(Line(gpu(), 4),)))
    assert UNPLACED in ring.notes
    assert ring.gbps[2] / ring.gbps[0] > 10


def test_a_link_of_unknown_figures_is_named() -> None:
    ring = _ring(machine(gpu(pcie_generation=None), (1, 3)))
    assert "gpu.pcie_generation" in ring.missing


@pytest.mark.parametrize(
    ("product", "p2p", "answer"),
    [
        ("GeForce RTX 4090", None, False),
        ("GeForce RTX 5090", None, False),
        ("GeForce RTX 3090", None, False),
        ("GeForce RTX 2080 Ti", None, False),
        ("GeForce GTX 1080 Ti", None, True),
        ("Radeon RX 7900 XTX", None, None),
        ("RTX A6000", None, True),
        ("Tesla V100 PCIe 16GB", None, True),
        ("GeForce RTX 3090", True, True),
        ("RTX A6000", False, False),
    ],
)
def test_which_cards_reach_each_other(product: str, p2p: bool | None, answer: bool | None) -> None:
    assert reach_each_other(gpu(product=product, p2p=p2p)) is answer


@given(st.integers(1, 4), st.sampled_from([4, 8, 16]), st.sampled_from([1, 2, 3]))
def test_a_worse_slot_never_makes_the_ring_faster(generation: int, lanes: int, place: int) -> None:
    position = (1, 3, 5)[place - 1]
    worse = machine(gpu(), (1, 3, 5), board={position: {"generation": generation, "lanes": lanes}})
    best, held = _ring(machine(gpu(), (1, 3, 5))), _ring(worse)
    assert all(a <= b * (1 + 1e-9) for a, b in zip(held.gbps, best.gbps, strict=True))
