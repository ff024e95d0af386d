"""PSUs that the user sets for cards, risers and the board; and how far the search looks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.build.build import Build
from core.build.line import Line
from core.wiring.balancer import MOST_STEPS
from core.wiring.sentences import cut_short_words
from core.wiring.wire import wire
from tests.rules.machines import part
from tests.wiring.parts import adapter, build_of, gpu, psu_of, riser

EIGHT = "pcie_8pin"
CARD = gpu((EIGHT, 2))
PSU = psu_of(("atx_24pin", 1), ("eps_8pin", 2), (EIGHT, 6), power_w=1600)
BOARD = part("motherboard", power_inputs=[{"kind": "atx_24pin", "count": 1}, {"kind": "eps_8pin", "count": 1}])


def fed_by(build: Build) -> list[tuple[str, int, set[int]]]:
    """Part, number, and the PSUs behind its sockets."""
    found: dict[tuple[str, int], set[int]] = {}
    for feed in wire(build).feeds:
        found.setdefault((feed.socket.part_id, feed.socket.number), set()).add(feed.psu)
    return [(part_id, number, places) for (part_id, number), places in sorted(found.items())]


@pytest.mark.parametrize("places", [(1, 1, 1), (2, 2, 2), (2, None, 1), (1, 2, 2), (None, None, 2)])
def test_each_card_hangs_on_the_psu_that_is_set_for_it(places: tuple[int | None, ...]) -> None:
    build = Build(lines=(Line(CARD, 3, psus=places), Line(PSU, 2), Line(BOARD)))
    fed = {number: psus for part_id, number, psus in fed_by(build) if part_id == "gpu"}
    assert wire(build).unfed == ()
    assert all(fed[number] == {place} for number, place in enumerate(places, 1) if place)


def test_the_board_hangs_on_the_psu_that_is_set_for_it() -> None:
    build = Build(lines=(Line(CARD, 2), Line(PSU, 2), Line(BOARD, psus=(2,))))
    assert wire(build).board_psu == 2


def test_an_automatic_card_leaves_the_plugs_to_those_that_must_have_them() -> None:
    light = gpu((EIGHT, 2), suffix="-light", limit_w=150)
    build = Build(lines=(Line(CARD), Line(light, 1, psus=(1,)), Line(psu_of((EIGHT, 2)), 2)))
    assert fed_by(build) == [("gpu", 1, {2}), ("gpu-light", 1, {1})]


def test_a_card_whose_psu_has_no_plug_left_stays_unfed_though_another_has() -> None:
    build = Build(lines=(Line(CARD, 4, psus=(1, 1, 1, 1)), Line(PSU, 2)))
    assert len(wire(build).unfed) == 2


def test_a_riser_follows_its_card_and_hangs_elsewhere_only_where_that_is_set() -> None:
    powered = riser(power_inputs=({"kind": "pcie_6pin", "count": 1},))
    card, psu = Line(CARD, 1, (1,), (1,)), Line(PSU, 2)
    together = Build(lines=(replace(card, psus=(2,)), Line(powered), psu))
    assert fed_by(together) == [("gpu", 1, {2}), ("riser", 1, {2})]
    led = Build(lines=(card, Line(powered, psus=(2,)), psu))
    assert fed_by(led) == [("gpu", 1, {2}), ("riser", 1, {2})]
    apart = Build(lines=(replace(card, psus=(1,)), Line(powered, psus=(2,)), psu))
    assert fed_by(apart) == [("gpu", 1, {1}), ("riser", 1, {2})]
    loads = [round(unit.load_w) for unit in wire(apart).psus]
    assert sum(loads) == round(sum(unit.load_w for unit in wire(together).psus))


def test_a_psu_that_is_set_but_not_there_is_no_wish_to_follow() -> None:
    build = Build(lines=(Line(CARD, 2, psus=(3, 3)), Line(PSU, 2)))
    assert wire(build).unfed == ()


def test_a_machine_on_a_desk_is_searched_whole() -> None:
    cards = [(gpu((EIGHT, 2), suffix=f"-{n}", limit_w=300 + n), 2) for n in range(4)]
    assert not wire(build_of(*cards, BOARD, (PSU, 3))).cut_short


def test_a_search_that_would_not_end_stops_and_says_so() -> None:
    kinds = (EIGHT, "pcie_6pin", "12vhpwr", "eps_8pin")
    cards = [
        (gpu((kinds[n % 4], 1 + n % 3), (kinds[(n + 1) % 4], 1 + n % 2), suffix=f"-{n}", limit_w=200 + 13 * n), 4)
        for n in range(8)
    ]
    rows = [(kind, 2, 1 + n % 3, watts) for n, kind in enumerate(kinds) for watts in (300, 450)]
    psus = [(psu_of(*rows, suffix=f"-{n}", power_w=900 + 50 * n), 4) for n in range(4)]
    adapters = [(adapter(kinds[n % 4], 1 + n % 3, kinds[(n + 2) % 4], f"-{n}", 600), 3) for n in range(10)]
    assert wire(build_of(*cards, *psus, *adapters)).cut_short
    assert cut_short_words() == f"The wiring search was cut short after {MOST_STEPS} steps: a better wiring may exist."
