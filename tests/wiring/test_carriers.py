"""What feeds cards on carriers."""

from __future__ import annotations

from core.build.build import Build
from core.build.line import Line
from core.build.seats import SlotNumber
from core.parts.vocabulary import Category
from core.wiring.demand import demand
from core.wiring.wire import wire
from tests.rules.machines import good_build, part, with_line


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
