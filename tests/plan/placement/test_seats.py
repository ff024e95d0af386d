"""Cards beyond the board's slots: adapters, splitters, switches, host cards, and how they follow edits and files."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.part import Part
from core.plan.build import Build
from core.plan.card_edits import PlugCarriers
from core.plan.edits import AddPart, PlaceCards, RemovePart, SetQuantity, SwapPart
from core.plan.file import dump_build, parse_build
from core.plan.line import Line
from core.plan.placement.best import best_placement
from core.plan.placement.links import LinkLimit, links
from core.plan.placement.topology import Path, pairs, uplink_gbps
from core.plan.seats import SlotNumber
from core.platform.errors import BadInput
from tests.rules.machines import good_build, part, slot, with_line
from tests.shipped import parts_by_id

GEN4_X16 = 31.5
SWITCH_SEATS = [{"number": number, "lanes": 16} for number in (1, 4, 7, 10)]


def seat(carrier: int, number: int) -> SlotNumber:
    return SlotNumber.on_carrier(carrier, number)


def switch(suffix: str = "", **changes: object) -> Part:
    figures = {"kind": "switch", "switched": True, "seats": SWITCH_SEATS, **changes}
    return part("carrier", suffix=suffix, **figures)


def machine(*carriers: Line, at: tuple[int, ...], **board: object) -> Build:
    """GPUs in these slots on the board of the good machine, with carriers."""
    build = with_line(with_line(good_build(), part("motherboard", **board)), part("gpu"), len(at), at)
    return build.with_lines((*build.lines, *carriers))


@pytest.mark.parametrize(("text", "carrier", "number"), [("3", None, 3), ("C1/2", 1, 2), ("c12/24", 12, 24)])
def test_a_slot_number_is_read_and_written(text: str, carrier: int | None, number: int) -> None:
    position = SlotNumber.parse(text)
    assert (position.carrier, position.seat) == (carrier, number)
    assert SlotNumber.parse(str(position)) == position
    assert f"{position}" == text.upper()


@pytest.mark.parametrize("text", ["", "C0/1", "C1/", "x", "C1/2/3"])
def test_what_is_no_slot_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        SlotNumber.parse(text)


def test_four_cards_behind_a_switch_reach_each_other_at_full_rate_and_share_its_uplink() -> None:
    build = machine(Line(switch(), hosts=((1,),)), at=tuple(seat(1, number) for number in (1, 4, 7, 10)))
    placed = links(build)
    assert [round(link.gbps or 0, 1) for link in placed.values()] == [GEN4_X16] * 4
    assert {round(uplink_gbps(link) or 0, 1) for link in placed.values()} == {GEN4_X16}
    assert {(pair.path, round(pair.gbps or 0, 1)) for pair in pairs(build)} == {(Path.PIX, GEN4_X16)}


def test_a_switch_in_an_older_slot_slows_the_way_to_the_cpu_alone() -> None:
    board = {"slots": [slot(1, generation=3, lanes=8), slot(3)]}
    build = machine(Line(switch(), hosts=((1,),)), at=(seat(1, 1), seat(1, 4), 3), **board)
    by_slot = {link.slot.position: link for link in links(build).values()}
    assert round(by_slot[seat(1, 1)].gbps or 0, 1) == GEN4_X16
    assert round(uplink_gbps(by_slot[seat(1, 1)]) or 0, 2) == 7.88
    rates = {(pair.first.slot.position, pair.second.slot.position): pair.gbps for pair in pairs(build)}
    assert round(rates[seat(1, 1), seat(1, 4)] or 0, 1) == GEN4_X16
    assert round(rates[3, seat(1, 1)] or 0, 2) == 7.88


def test_a_split_slot_gives_each_seat_its_part() -> None:
    build = machine(Line(part("carrier"), hosts=((1,),)), at=(seat(1, 1), seat(1, 3)))
    assert [link.lanes for link in links(build).values()] == [8, 8]
    assert [link.limits for link in links(build).values()] == [(LinkLimit.CARRIER,)] * 2


def test_a_carrier_in_a_slot_counts_as_filling_it() -> None:
    rows = [{"filled": ["S3"], "widths": {"S1": 8}}]
    alone = machine(at=(1,), lane_cases=rows)
    beside = machine(Line(switch(), hosts=((3,),)), at=(1,), lane_cases=rows)
    assert [next(iter(links(build).values())).lanes for build in (alone, beside)] == [16, 8]


def test_an_adapter_in_an_m2_socket_has_its_lanes_and_takes_them_from_a_slot() -> None:
    sockets = [{"label": label, "lanes": 4, "generation": 4, "attachment": "cpu"} for label in ("M2_1", "M2_2")]
    rows = [{"filled": ["M2_2"], "widths": {"S1": 8}}]
    adapter = part("carrier", kind="adapter", host="m2", host_lanes=4, seats=[{"number": 1, "lanes": 4}])
    build = machine(Line(adapter, hosts=(("M2_2",),)), at=(1, seat(1, 1)), m2=sockets, lane_cases=rows)
    assert [link.lanes for link in links(build).values()] == [8, 4]


def test_a_device_adapter_takes_two_ports_of_a_host_card() -> None:
    ports = [{"number": number, "kind": "mcio", "mechanical_lanes": 8, "lanes": 8} for number in (1, 2)]
    host = part("carrier", suffix="-a", kind="host_card", seats=ports)
    device = part("carrier", suffix="-b", kind="adapter", host="mcio", seats=[{"number": 1, "lanes": 16}])
    build = AddPart(device).apply(AddPart(host).apply(machine(at=(3,))))
    assert [carrier.hosts for carrier in build.carriers] == [((1),), (seat(1, 1), seat(1, 2))]
    build = PlaceCards("gpu", (seat(2, 1),)).apply(build)
    assert [link.lanes for link in links(build).values()] == [16]


def test_a_plug_over_several_ports_takes_those_of_one_root_complex() -> None:
    """The five MCIO ports of a MZ33-AR1: one x8 on G2, two each on G0 and G3."""
    device = part("carrier", kind="adapter", host="mcio", seats=[{"number": 1, "lanes": 16}])
    build = AddPart(device, 3).apply(Build(lines=(Line(parts_by_id()["gigabyte-mz33-ar1"]), Line(part("gpu"), 2))))
    first, second, third = (carrier.hosts for carrier in build.carriers)
    assert (first, second) == (("U2_P0_G0A", "U2_P0_G0B"), ("U2_P0_G3A", "U2_P0_G3B"))
    assert third == ("U2_P0_G2A",)
    build = PlaceCards("gpu", (seat(1, 1), seat(2, 1))).apply(build)
    assert [(link.lanes, link.slot.root) for link in links(build).values()] == [(16, "G0"), (16, "G3")]


def test_a_switch_on_a_switch_is_no_faster_than_its_own_uplink() -> None:
    outer, inner = switch("-a"), switch("-b", host_lanes=4)
    build = machine(
        Line(outer, hosts=((1,),)), Line(inner, hosts=((seat(1, 10),),)), at=(seat(1, 1), seat(2, 1), seat(2, 4))
    )
    by_word = {pair.word: round(pair.gbps or 0, 2) for pair in pairs(build)}
    assert by_word == {"PXB": 7.88, "PIX": 31.51}


@pytest.mark.parametrize("hosts", [(), ((9,),), (("M2_9",),), ((seat(1, 1),),)])
def test_a_card_on_a_carrier_that_is_not_plugged_has_no_link(hosts: tuple[tuple[int | str, ...], ...]) -> None:
    build = machine(Line(switch(), hosts=hosts), at=(seat(1, 1),))
    assert [(link.lanes, link.limits) for link in links(build).values()] == [(0, (LinkLimit.NOT_PLUGGED,))]


def test_a_carrier_is_plugged_where_there_is_room_and_cards_follow() -> None:
    build = AddPart(switch()).apply(machine(at=(1, 3)))
    assert build.carriers[0].hosts == (5,)
    placement = best_placement(AddPart(part("gpu"), 5).apply(build))
    assert placement.complete
    assert len([at for at in placement.slots["gpu"] if SlotNumber(at).carrier == 1]) == 4


def test_arrange_plugs_a_carrier_that_waited_for_its_board() -> None:
    build = with_line(Build(name="b"), part("gpu"), 2).with_lines((Line(part("gpu"), 2), Line(switch())))
    assert build.carriers[0].hosts == ()
    build = AddPart(part("motherboard", slots=[slot(1)])).apply(build)
    assert build.carriers[0].hosts == (1,)


def test_cards_stay_on_their_carrier_when_another_comes_before_it() -> None:
    build = machine(Line(switch("-b"), hosts=((1,),)), at=(seat(1, 1),))
    build = AddPart(switch("-a")).apply(build)
    assert [carrier.part.id for carrier in build.carriers] == ["carrier-a", "carrier-b"]
    assert build.line("gpu").slots == (seat(2, 1),)  # type: ignore[union-attr]
    build = RemovePart("carrier-a").apply(build)
    assert build.line("gpu").slots == (seat(1, 1),)  # type: ignore[union-attr]
    assert RemovePart("carrier-b").apply(build).line("gpu").slots == ()  # type: ignore[union-attr]


def test_a_carrier_swapped_for_another_keeps_host_and_cards() -> None:
    build = machine(Line(switch("-b"), hosts=((1,),)), at=(seat(1, 1),))
    build = SwapPart("carrier-b", switch("-c")).apply(build)
    assert build.carriers[0].hosts == (1,)
    assert build.line("gpu").slots == (seat(1, 1),)  # type: ignore[union-attr]
    two = SetQuantity("carrier-c", 2).apply(build)
    assert [carrier.hosts for carrier in two.carriers] == [(1,), (2,)]
    assert len(SetQuantity("carrier-c", 1).apply(two).carriers) == 1


def test_a_place_that_is_not_there_is_refused_with_those_that_are() -> None:
    build = machine(Line(switch()), at=(1,))
    with pytest.raises(BadInput, match=r"cannot plug into 12: .* There are 1, 2, .*C1/1.*M2_1"):
        PlugCarriers("carrier", ((12,),)).apply(build)


@given(st.lists(st.sampled_from([(), (1,), (3,), ("M2_1",), (seat(1, 1),), (seat(2, 4),)]), min_size=1, max_size=2))
def test_a_file_keeps_hosts_and_seats(hosts: list[tuple[int | str, ...]]) -> None:
    build = machine(Line(switch(), 2, hosts=tuple(hosts)), at=(seat(1, 1), 2))
    assert parse_build(dump_build(build), {}.get) == build


@given(st.sampled_from([2, 3, 4]), st.sampled_from([4, 8, 16]), st.integers(2, 4))
def test_a_seat_behind_a_switch_is_never_faster_than_its_uplink_to_the_rest(
    generation: int, lanes: int, cards: int
) -> None:
    board = {"slots": [slot(1, generation=generation, lanes=lanes), slot(3), slot(5)]}
    seats = tuple(seat(1, number) for number in (1, 4, 7, 10)[:cards])
    build = machine(Line(switch(), hosts=((1,),)), at=(*seats, 3, 5), **board)
    for one, other in combinations(links(build).values(), 2):
        pair = next(pair for pair in pairs(build) if {pair.first, pair.second} == {one, other})
        uplinks = [uplink_gbps(link) for link in (one, other) if link.card.on_carrier]
        if len(uplinks) == 1:
            assert pair.gbps is not None and uplinks[0] is not None
            assert pair.gbps <= uplinks[0] + 1e-9


def test_shipped_carriers_seat_cards_on_a_shipped_board() -> None:
    parts = parts_by_id()
    build = Build(name="switch", lines=(Line(parts["asrock-rack-romed8-2t"]), Line(parts["amd-epyc-7402"])))
    build = AddPart(parts["c-payne-gen4-switch-5x-x16-pm40100"]).apply(build)
    build = AddPart(parts["nvidia-rtx-a6000"], 4).apply(build)
    build = PlaceCards("nvidia-rtx-a6000", tuple(seat(1, number) for number in (1, 4, 7, 10))).apply(build)
    assert {pair.path for pair in pairs(build)} == {Path.PIX}


def modules_on(*carriers: Line, count: int, at: tuple[int, ...] = (), product: str = "Module") -> Build:
    """SXM2 modules in these seats."""
    module = part("gpu", form="sxm", module_socket="sxm2", product=product, pcie_generation=3)
    build = with_line(good_build(), module, count, at)
    return build.with_lines((*build.lines, *carriers))


def module_carrier(count: int, suffix: str = "", **figures: object) -> Part:
    seats = [{"number": number, "kind": "sxm", "socket": "sxm2", "lanes": 16} for number in range(1, count + 1)]
    return part("carrier", suffix=suffix, **{"kind": "module_carrier", "seats": seats, **figures})


def test_arrange_puts_modules_into_module_sockets_alone() -> None:
    splitter = part("carrier", suffix="-slots")
    build = modules_on(Line(module_carrier(2), hosts=((1,),)), Line(splitter, hosts=((3,),)), count=3)
    placement = best_placement(build)
    placed = placement.edit.apply(build).line("gpu")
    assert placed.slots == (seat(1, 1), seat(1, 2))


def test_a_module_waits_where_the_socket_is_of_another_generation() -> None:
    sxm4 = [{"number": 1, "kind": "sxm", "socket": "sxm4", "lanes": 16}]
    build = modules_on(Line(module_carrier(1, seats=sxm4), hosts=((1,),)), count=1)
    placement = best_placement(build)
    placed = placement.edit.apply(build).line("gpu") if placement else build.line("gpu")
    assert placed.slots == ()


def test_nvlink_of_a_carrier_joins_its_own_modules() -> None:
    fabric = [{"kind": "mesh", "products": ["Module"], "pair_gbps": 50}]
    lines = [Line(module_carrier(2, f"-{n}", nvlink_fabrics=fabric), hosts=((n,),)) for n in (1, 3)]
    build = modules_on(*lines, count=4, at=(seat(1, 1), seat(1, 2), seat(2, 1), seat(2, 2)))
    joined = {(pair.first.card.number, pair.second.card.number): pair.gbps for pair in pairs(build) if pair.nvlink}
    assert joined == {(1, 2): 50, (3, 4): 50}
    other = modules_on(*lines, count=2, at=(seat(1, 1), seat(1, 2)), product="Other")
    assert not any(pair.nvlink for pair in pairs(other))


def test_modules_without_a_carrier_are_no_cards() -> None:
    assert [card for card in modules_on(count=2).cards() if card.part.id == "gpu"] == []


def test_a_module_takes_the_seat_of_another_and_no_card_takes_it() -> None:
    build = modules_on(Line(module_carrier(1), hosts=((1,),)), count=1, at=(seat(1, 1),))
    other = part("gpu", suffix="-other", form="sxm", module_socket="sxm2")
    swapped = SwapPart("gpu", other).apply(build).line("gpu-other")
    card = SwapPart("gpu", part("gpu", suffix="-card")).apply(build).line("gpu-card")
    assert (swapped.slots, card.slots) == ((seat(1, 1),), ())
