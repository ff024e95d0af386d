"""PSUs that the user sets for cards, risers and the board; how far the search looks; what feeds cards on carriers."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from core.parts.vocabulary import Category, PowerConnector
from core.plan.build import Build
from core.plan.line import Line
from core.plan.seats import SlotNumber
from core.plan.wiring.balancer import MOST_STEPS
from core.plan.wiring.demand import demand
from core.plan.wiring.feed_options import MOST_OPTIONS, feed_options
from core.plan.wiring.offer import Pool
from core.plan.wiring.sentences import cut_short_words
from core.plan.wiring.wire import wire
from tests.plan.wiring.parts import EIGHT, adapter, build_of, gpu, psu_of, riser
from tests.rules.machines import good_build, part, with_line

CARD = gpu((EIGHT, 2))
PSU = psu_of(("atx_24pin", 1), ("eps_8pin", 2), (EIGHT, 6), power_w=1600)
BOARD = part("motherboard", power_inputs=[{"kind": "atx_24pin", "count": 1}, {"kind": "eps_8pin", "count": 1}])


def fed_by(build: Build) -> list[tuple[str, int, set[int]]]:
    """Part, number, and the PSUs behind its sockets."""
    by_socket: dict[tuple[str, int], set[int]] = {}
    for feed in wire(build).feeds:
        by_socket.setdefault((feed.socket.part_id, feed.socket.number), set()).add(feed.psu)
    return [(part_id, number, places) for (part_id, number), places in sorted(by_socket.items())]


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


def test_sockets_of_many_kinds_each_keep_the_choice_of_a_plug_or_none() -> None:
    """Nine kinds in two ways are more than the most that are kept of one card: nothing more can be left out."""
    wants = tuple((PowerConnector.PCIE_8PIN, True, float(watts), True) for watts in range(9))
    assert 2 ** len(wants) > MOST_OPTIONS
    feeds, whole = feed_options(wants, 0, (Pool(PowerConnector.PCIE_8PIN, inf),), ())
    assert (len({feed.takes for feed in feeds}), feeds[0].takes, whole) == (10, ((0, 9),), True)


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


# What feeds cards on carriers


def on_carrier(**figures: object) -> Build:
    """One card on a carrier in slot 1."""
    build = with_line(good_build(), part("gpu"), 1, (SlotNumber.on_carrier(1, 1),))
    return build.with_lines((*build.lines, Line(part("carrier", **figures), hosts=((1,),))))


def test_a_powered_carrier_gives_what_its_card_draws_through_the_slot() -> None:
    own, fed = demand(on_carrier(powered=False)), demand(on_carrier(powered=True))
    assert [group.sockets[0].category for group in fed.cards] == [Category.GPU, Category.CARRIER]
    assert round(own.board.load_w - fed.board.load_w, 1) == round(fed.cards[1].load_w, 1) == 60.0


def test_its_own_inputs_are_fed() -> None:
    wiring = wire(on_carrier(power_inputs=[{"kind": "eps_8pin", "count": 1}]))
    feeds = [feed for feed in wiring.feeds if feed.socket.category is Category.CARRIER]
    assert [feed.socket.kind.value for feed in feeds] == ["eps_8pin"]


def test_a_box_with_a_psu_of_its_own_feeds_its_card() -> None:
    assert demand(on_carrier(kind="external_box", psu_w=650)).cards == ()


def test_a_box_whose_psu_the_buyer_brings_is_fed_by_the_build() -> None:
    box = on_carrier(kind="external_box", psu_included=False)
    assert [group.sockets[0].category for group in demand(box).cards] == [Category.GPU, Category.CARRIER]


def test_a_card_on_a_riser_card_in_a_box_is_fed_by_the_box() -> None:
    box, splitter = part("carrier", kind="external_box", psu_w=650), part("carrier", suffix="-inside")
    build = with_line(good_build(), part("gpu"), 1, (SlotNumber.on_carrier(2, 1),))
    inside = Line(splitter, hosts=((SlotNumber.on_carrier(1, 1),),))
    build = build.with_lines((*build.lines, Line(box, hosts=((1,),)), inside))
    assert [carrier.part.id for carrier in build.carriers] == ["carrier", "carrier-inside"]
    assert demand(build).cards == ()


def on_module_carrier(modules: int, **figures: object) -> Build:
    """SXM2 modules on one carrier in slot 1."""
    seats = [{"number": number, "kind": "sxm", "socket": "sxm2", "lanes": 16} for number in range(1, modules + 1)]
    places = tuple(SlotNumber.on_carrier(1, number) for number in range(1, modules + 1))
    build = with_line(good_build(), part("gpu", form="sxm", module_socket="sxm2"), modules, places)
    carrier = part("carrier", kind="module_carrier", seats=seats, **figures)
    return build.with_lines((*build.lines, Line(carrier, hosts=((1,),))))


def test_all_that_modules_draw_comes_through_their_carrier() -> None:
    build = on_module_carrier(2, power_inputs=[{"kind": "pcie_8pin", "count": 4}])
    (group,) = demand(build).cards
    assert group.load_w == 600
    assert [socket.kind.value for socket in group.sockets] == ["pcie_8pin"] * 4
    assert {socket.load_w for socket in group.sockets} == {150}


def test_modules_whose_carrier_has_unknown_inputs_leave_the_wiring_unknown() -> None:
    wiring = wire(on_module_carrier(1))
    assert wiring.without_inputs == "carrier"
    assert wiring.lacking == ("carrier.power_inputs",)
    assert [feed for feed in wiring.feeds if feed.socket.category is Category.CARRIER] == []


def test_a_carrier_without_inputs_draws_from_its_host() -> None:
    none, some = (on_module_carrier(1, power_inputs=rows) for rows in ([], [{"kind": "pcie_8pin", "count": 2}]))
    assert demand(none).cards == ()
    assert round(demand(none).board.load_w - demand(some).board.load_w) == 300
