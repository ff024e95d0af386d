"""What feeds what: policy by example, and what must hold for every machine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.parts.vocabulary import PowerConnector
from core.plan.build import Build
from core.plan.line import Line
from core.plan.wiring.sentences import wiring_words
from core.plan.wiring.wire import wire
from core.plan.wiring.wiring import BOXED, Wiring
from tests.plan.wiring.parts import BOARD, EIGHT, FULL, OWN, adapter, build_of, gpu, pigtails, psu_of, riser
from tests.rules.machines import good_build, part

TWO_8 = gpu((EIGHT, 2))
ONE_8 = gpu((EIGHT, 1))
ONE_16 = gpu(("12v_2x6", 1), limit_w=450)
EPS = gpu(("eps_8pin", 1), limit_w=250)


def shape(wiring: Wiring) -> list[tuple[int, str, int]]:
    """PSU, part and number of each socket that is fed."""
    return [(feed.psu, feed.socket.part_id, feed.socket.number) for feed in wiring.feeds]


def test_every_socket_gets_a_cable_of_its_own_while_there_are_enough() -> None:
    wiring = wire(build_of((TWO_8, 2), psu_of((EIGHT, 4, 2))))
    assert (len(wiring.feeds), pigtails(wiring), wiring.unfed) == (4, 0, ())
    assert len({plug.cable for feed in wiring.feeds for plug in feed.plugs}) == 4


def test_second_plugs_are_a_way_out_and_go_to_the_lightest_sockets() -> None:
    heavy, light = gpu((EIGHT, 2), limit_w=350), gpu((EIGHT, 1), suffix="-light", limit_w=150)
    wiring = wire(build_of(heavy, light, psu_of((EIGHT, 2, 2))))
    assert [feed.socket.part_id for feed in wiring.feeds if feed.pigtail] == ["gpu-light"]
    assert wiring.unfed == ()


def test_a_native_16_pin_cable_goes_before_an_adapter_and_to_the_card_whose_adapter_takes_most() -> None:
    small = gpu(("12v_2x6", 1), suffix="-small", limit_w=285)
    wiring = wire(build_of(ONE_16, small, psu_of(("12vhpwr", 1), (EIGHT, 2))))
    assert [(feed.socket.part_id, feed.adapter, len(feed.plugs)) for feed in wiring.feeds] == [
        ("gpu", None, 1),
        ("gpu-small", BOXED, 2),
    ]


def test_an_adapter_of_the_build_spares_plugs_and_a_weak_one_is_left_in_the_drawer() -> None:
    strong = adapter(EIGHT, 2, "12vhpwr", "-strong", 600)
    weak = adapter(EIGHT, 2, "12vhpwr", "-weak", 300)
    assert wire(build_of(ONE_16, strong, psu_of((EIGHT, 2)))).feeds[0].adapter == "cable-strong"
    assert wire(build_of(ONE_16, weak, psu_of((EIGHT, 3)))).feeds[0].adapter == BOXED
    assert wire(build_of(ONE_16, weak, psu_of((EIGHT, 2)))).feeds[0].adapter == "cable-weak"


def test_a_cable_for_the_sockets_of_its_makers_psus_goes_into_no_other() -> None:
    """600 W from two sockets come not through PCIe plugs, but from the PSU itself, wired as its maker does."""
    own = adapter(EIGHT, 2, "12vhpwr", rated_w=600)
    psu = psu_of((EIGHT, 3), power_w=1000)
    strange = psu.model_copy(update={"id": "psu-strange", "maker": "Other"})
    assert [feed.adapter for feed in wire(build_of(ONE_16, own, psu)).feeds] == ["cable"]
    assert [feed.adapter for feed in wire(build_of(ONE_16, own, strange)).feeds] == [BOXED]
    both = wire(build_of((ONE_16, 2), (own, 2), psu, strange))
    assert [(feed.psu, feed.adapter) for feed in both.feeds] == [(1, "cable"), (2, BOXED)]
    plain = adapter(EIGHT, 2, "12vhpwr", rated_w=300)
    assert [feed.adapter for feed in wire(build_of(gpu(("12v_2x6", 1)), plain, strange)).feeds] == ["cable"]


def test_a_cable_in_the_sockets_of_a_psu_takes_whole_cables_out_with_all_their_plugs() -> None:
    own = adapter(EIGHT, 2, "12vhpwr", rated_w=600)
    assert wire(build_of((ONE_16, 2), (own, 2), psu_of((EIGHT, 4, 2)))).unfed == ()
    hungry = gpu(("12v_2x6", 1), limit_w=575)
    lacking = wire(build_of((hungry, 2), own, psu_of((EIGHT, 3, 2))))
    assert len(lacking.unfed) == 1, "one cable with two plugs is left, the box's adapter takes four"
    fed = wire(build_of(ONE_16, gpu((EIGHT, 2), suffix="-two"), own, psu_of((EIGHT, 3, 2))))
    assert fed.unfed == ()
    numbers = {feed.socket.part_id: {plug.cable.number for plug in feed.plugs} for feed in fed.feeds}
    assert (numbers, pigtails(fed)) == ({"gpu": {1, 2}, "gpu-two": {3}}, 1)


def test_such_a_cable_goes_into_any_socket_that_pcie_and_eps_cables_have_in_common() -> None:
    """Ten sockets feed five cards by two each where no board takes some; eight PCIe cables feed four."""
    own, cables = adapter(EIGHT, 2, "12vhpwr", rated_w=600), (("eps_8pin", 2), (EIGHT, 6), (EIGHT, 2, 2))
    lacking = wire(build_of((gpu(("12v_2x6", 1), limit_w=575), 5), (own, 5), psu_of(*cables)))
    assert len(lacking.unfed) == 1
    fed = wire(build_of((ONE_16, 5), (own, 5), psu_of(*cables, cable_sockets=10)))
    assert (fed.unfed, fed.left, {feed.adapter for feed in fed.feeds}) == ((), (), {"cable"})
    spare = wire(build_of((ONE_16, 5), (own, 5), psu_of((EIGHT, 4), cable_sockets=10)))
    assert (spare.unfed, {feed.adapter for feed in spare.feeds}) == ((), {"cable"})


def test_seven_cards_are_shared_out_by_the_sockets_of_the_psus() -> None:
    """Three beside the board overload its PSU; two and five do not, and five take ten sockets."""
    own, card = adapter(EIGHT, 2, "12vhpwr", rated_w=600), gpu(("12v_2x6", 1), limit_w=350)
    psu = psu_of(("atx_24pin", 1), ("eps_8pin", 2), (EIGHT, 6), (EIGHT, 2, 2), power_w=1600, cable_sockets=10)
    wiring = wire(build_of((card, 7), (own, 7), (part("cpu", sustained_power_w=400), 1), BOARD, (psu, 2)))
    assert [round(100 * (psu.share or 0)) for psu in wiring.psus] == [86, 97]
    assert (wiring.unfed, wiring.cut_short) == ((), False)


def test_a_cable_coded_for_less_than_the_card_is_used_only_when_nothing_better_is_left() -> None:
    psu = psu_of(("12vhpwr", 1, 1, 300), ("12v_2x6", 1, 1, 600))
    assert [feed.rated_w for feed in wire(build_of(ONE_16, psu)).feeds] == [600]
    assert sorted(feed.rated_w or 0 for feed in wire(build_of((ONE_16, 2), psu)).feeds) == [300, 600]


def test_eps_and_pcie_plugs_are_never_exchanged() -> None:
    assert wire(build_of(EPS, psu_of((EIGHT, 8)))).feeds == ()
    assert wire(build_of(TWO_8, psu_of(("eps_8pin", 8)))).feeds == ()
    assert wire(build_of(EPS, psu_of((EIGHT, 2)), adapter(EIGHT, 2, "eps_8pin"))).unfed == ()


def test_an_adapter_that_comes_with_the_card_is_used_as_the_card_says() -> None:
    card = gpu(("eps_8pin", 1), boxed_adapter=[{"kind": EIGHT, "count": 2}])
    assert [(feed.adapter, len(feed.plugs)) for feed in wire(build_of(card, psu_of((EIGHT, 2)))).feeds] == [(BOXED, 2)]
    none = gpu(("12vhpwr", 1), boxed_adapter=[])
    assert wire(build_of(none, psu_of((EIGHT, 4)))).feeds == ()


def test_sata_and_molex_adapters_are_never_used() -> None:
    six = gpu(("pcie_6pin", 1))
    for source in ("sata", "molex"):
        assert wire(build_of(six, psu_of((source, 4, 4)), adapter(source, 2, "pcie_6pin"))).feeds == ()


def test_sixteen_cards_of_four_kinds_on_too_few_unlike_psus_leave_as_few_sockets_unfed_as_can_be() -> None:
    cards = [(gpu((EIGHT, 2), suffix=f"-{n}", limit_w=200 + n), 4) for n in range(4)]
    psus = [psu_of((EIGHT, plugs), ("12vhpwr", plugs), ("pcie_6pin", 1), suffix=f"-{plugs}") for plugs in (3, 5, 7)]
    wiring = wire(build_of(*cards, *psus))
    assert len(wiring.unfed) == 32 - (3 + 5 + 7)


def test_all_sockets_of_a_card_hang_on_one_psu() -> None:
    assert len(wire(build_of(TWO_8, (psu_of((EIGHT, 1)), 2))).unfed) == 1
    wiring = wire(build_of((TWO_8, 4), (psu_of((EIGHT, 4), power_w=1000), 2)))
    assert wiring.unfed == ()
    assert all(len({feed.psu for feed in wiring.of("gpu", number)}) == 1 for number in range(1, 5))


def test_a_powered_riser_hangs_on_the_psu_of_its_card() -> None:
    powered = riser(power_inputs=({"kind": "pcie_6pin", "count": 1},))
    lines = (Line(TWO_8, 2, (1, 3), (1, 3)), Line(powered, 2), Line(psu_of((EIGHT, 3)), 2))
    wiring = wire(Build(lines=lines))
    assert wiring.unfed == ()
    by_slot = {
        feed.socket.slot: {f.psu for f in wiring.feeds if f.socket.slot == feed.socket.slot} for feed in wiring.feeds
    }
    assert sorted(len(psus) for psus in by_slot.values()) == [1, 1]
    unknown = wire(Build(lines=(*lines[:1], Line(riser(), 2), lines[2])))
    assert shape(unknown) == shape(wiring), "with unknown inputs it has one of 6 pins, as nearly all have"


def test_the_board_hangs_on_the_first_psu_and_the_loads_stay_even() -> None:
    wiring = wire(build_of((TWO_8, 6), part("cpu"), BOARD, (psu_of(*FULL, power_w=1600), 2)))
    assert wiring.board_psu == 1
    shares = [psu.share or 0 for psu in wiring.psus]
    assert max(shares) <= 0.8
    assert max(shares) - min(shares) < 0.2


def test_no_psu_is_overloaded_where_the_cards_can_be_shared_out_better() -> None:
    """The heaviest first to the PSU with the lowest load would put 450 W too much on one."""
    cards = [gpu((EIGHT, 3), suffix=f"-{watts}-{n}", limit_w=watts) for n, watts in enumerate((350, 350, 450, 575))]
    psus = [psu_of(*FULL, (EIGHT, 4), suffix=f"-{watts}", power_w=watts) for watts in (1200, 1000)]
    wiring = wire(build_of(*cards, part("cpu"), BOARD, *psus))
    assert max(psu.share or 0 for psu in wiring.psus) < 0.95


def test_a_psu_bears_what_it_gives_at_the_mains_of_the_build() -> None:
    """At 120 V the stronger of two PSUs may be the weaker one."""
    limits = [{"from_v": 90, "to_v": 180, "power_w": 900}, {"from_v": 180, "to_v": 264, "power_w": 1600}]
    psus = (psu_of(*FULL, suffix="-a", power_w=1600, input_limits=limits), psu_of(*FULL, suffix="-b", power_w=1200))
    build = build_of((TWO_8, 5), part("cpu"), BOARD, *psus)
    at_120_v = wire(replace(build, region="us-120v-20a"))
    assert [psu.power_w for psu in at_120_v.psus] == [900, 1200]
    assert max(psu.share or 0 for psu in at_120_v.psus) < 1
    assert [psu.power_w for psu in wire(build).psus] == [1600, 1200]


def test_five_of_seven_cards_hang_on_the_psu_that_does_not_feed_the_board() -> None:
    """Three beside the board load it to 103 %, where two leave both below 90 % with the plugs there are."""
    card = gpu((EIGHT, 2), suffix="-3090", limit_w=350)
    psu = psu_of(("atx_24pin", 1), ("eps_8pin", 2), (EIGHT, 6), (EIGHT, 2, 2), power_w=1600)
    wiring = wire(build_of((card, 7), (part("cpu", sustained_power_w=280), 1), part("ram"), BOARD, (psu, 2)))
    assert [round(100 * (psu.share or 0)) for psu in wiring.psus] == [89, 88]
    assert (wiring.unfed, pigtails(wiring)) == ((), 2)


def test_the_board_goes_to_the_psu_that_has_its_plugs() -> None:
    breakout = psu_of((EIGHT, 8), suffix="-server", power_w=2400)
    wiring = wire(build_of(TWO_8, BOARD, breakout, psu_of(*FULL, power_w=850)))
    assert wiring.board_psu == 2
    assert wiring.unfed == ()


def test_a_board_without_inputs_is_fed_by_all_psus_that_its_chassis_takes() -> None:
    """The plugs of breakout boards feed cards alone; without a PSU that starts a board they share it by rating."""
    board, cpu = part("motherboard", power_inputs=[]), part("cpu", sustained_power_w=400)
    big, small = (psu_of((EIGHT, 4), suffix=name, power_w=watts) for name, watts in (("-a", 2000), ("-b", 1000)))
    fed = wire(build_of(board, cpu, big, small))
    assert fed.board_psu is None
    assert fed.psus[0].load_w == pytest.approx(2 * fed.psus[1].load_w)
    module = psu_of(suffix="-c", cables=[], power_w=800)
    mixed = wire(build_of(TWO_8, board, cpu, big, module))
    assert [feed.psu for feed in mixed.feeds] == [1, 1]
    assert mixed.psus[1].load_w > 400 > mixed.psus[0].load_w


def test_a_card_takes_an_eps_plug_before_the_second_input_of_the_board_but_not_before_its_first() -> None:
    board, psu = BOARD, psu_of(("atx_24pin", 1), ("eps_8pin", 2))
    assert [(s.category, s.needed) for s in wire(build_of(EPS, board, psu)).unfed] == [("motherboard", False)]
    assert len(wire(build_of((EPS, 2), board, psu)).unfed) == 2


def test_modules_without_cables_are_fed_by_their_chassis() -> None:
    wiring = wire(build_of((EPS, 4), (psu_of(cables=[]), 2)))
    assert wiring.by_chassis
    assert wiring_words(build_of(), wiring) == ("The chassis powers board and cards from its own distribution board.",)


@pytest.mark.parametrize("kind", ["tower", "open_frame"])
def test_modules_without_cables_need_a_breakout_board_where_no_chassis_takes_them(kind: str) -> None:
    build = build_of((EPS, 4), (psu_of(cables=[]), 2), part("case", kind=kind))
    assert wiring_words(build, wire(build)) == (
        "The PSUs have no cables: a breakout board must provide plugs for board and cards.",
    )


def test_plugs_that_are_only_counted_feed_but_are_not_called_independent() -> None:
    counted = psu_of(cables=[{"kind": EIGHT, "total_plugs": 2}])
    wiring = wire(build_of(TWO_8, counted))
    assert wiring.unfed == ()
    assert [plug.cable.independent for feed in wiring.feeds for plug in feed.plugs] == [False, False]
    assert wiring.lacking == ()


def test_16_pin_and_24_pin_plugs_have_cables_of_their_own_even_where_only_plugs_were_counted() -> None:
    rows = [
        {"kind": "12vhpwr", "total_plugs": 2},
        {"kind": "atx_24pin", "total_plugs": 1},
        {"kind": "eps_8pin", "total_plugs": 2},
    ]
    wiring = wire(build_of((ONE_16, 2), BOARD, psu_of(cables=rows)))
    assert wiring.unfed == ()
    assert {(plug.cable.kind.value, plug.cable.independent) for feed in wiring.feeds for plug in feed.plugs} == {
        ("12vhpwr", True),
        ("atx_24pin", True),
        ("eps_8pin", False),
    }
    assert wiring.lacking == ()


def test_no_psu_leaves_everything_unfed() -> None:
    assert len(wire(build_of(TWO_8, BOARD)).unfed) == 5
    assert wire(Build()) == Wiring()


def test_each_feed_is_said_in_one_line() -> None:
    build = Build(lines=(Line(ONE_16, 1, (5,)), Line(EPS_CARD, 2), Line(psu_of((EIGHT, 3), ("eps_8pin", 1, 2)))))
    assert wiring_words(build, wire(build)) == (
        "PSU 1, EPS 8-pin cable 1 -> Test GPU-EPS number 1, EPS 8-pin socket 1",
        "PSU 1, EPS 8-pin cable 1 (plug 2) -> Test GPU-EPS number 2, EPS 8-pin socket 1",
        "PSU 1, PCIe 8-pin cables 1, 2 and 3, through the adapter from the card's box -> "
        "Test GPU in slot 5, 16-pin socket 1",
    )


def test_an_adapter_of_the_build_is_called_by_its_title() -> None:
    build = build_of(ONE_16, adapter(EIGHT, 2, "12vhpwr", "-strong", 600), psu_of((EIGHT, 2)))
    assert wiring_words(build, wire(build)) == (
        "PSU 1, PCIe 8-pin cables 1 and 2, through Test CABLE-STRONG -> Test GPU, 16-pin socket 1",
    )


def test_plugs_that_are_only_counted_are_called_plugs() -> None:
    build = build_of(ONE_8, psu_of(cables=[{"kind": EIGHT, "total_plugs": 2}]))
    assert wiring_words(build, wire(build)) == ("PSU 1, PCIe 8-pin plug 1 -> Test GPU, PCIe 8-pin socket 1",)


def test_a_socket_that_nothing_feeds_is_told_apart_from_one_of_which_it_is_unknown() -> None:
    unfed, unknown = build_of(ONE_8), build_of(ONE_8, psu_of(cables=None))
    assert wiring_words(unfed, wire(unfed)) == ("Nothing -> Test GPU, PCIe 8-pin socket 1",)
    assert wiring_words(unknown, wire(unknown)) == ("Not known -> Test GPU, PCIe 8-pin socket 1",)


EPS_CARD = gpu(("eps_8pin", 1), suffix="-eps")


@pytest.mark.parametrize("count", [1, 4, 8])
def test_the_good_machine_is_wired_whole(count: int) -> None:
    build = good_build()
    lines = tuple(replace(line, quantity=count, slots=()) if line.part.id == "gpu" else line for line in build.lines)
    wiring = wire(build.with_lines(lines))
    assert [s.part_id for s in wiring.unfed] == ["gpu"] * max(0, 2 * count - 8)


def test_whole_cables_taken_out_of_rows_of_one_and_two_plugs_take_their_second_plugs_with_them() -> None:
    """Four of six cables are taken out: two are left, at most one of them with a second plug."""
    cards = ((gpu(("12v_2x6", 1), limit_w=450), 2), (gpu((EIGHT, 1), suffix="-one"), 5))
    wiring = wire(build_of(*cards, (OWN, 2), psu_of((EIGHT, 3), (EIGHT, 3, 2))))
    assert len(wiring.unfed) == 1
    assert all(feed.plugs for feed in wiring.feeds)


def test_a_makers_own_cable_may_take_the_place_of_one_cable_with_one_plug_and_one_with_two() -> None:
    wiring = wire(build_of(gpu(("12v_2x6", 1), limit_w=450), OWN, psu_of((EIGHT, 1), (EIGHT, 1, 2))))
    assert (wiring.unfed, [(len(feed.plugs), feed.adapter) for feed in wiring.feeds], wiring.left) == (
        (),
        [(2, "cable")],
        (),
    )


def test_a_plug_of_6_pins_behind_one_of_8_feeds_what_takes_6_and_shares_its_cable() -> None:
    psu = psu_of((EIGHT, 2, 2))
    rows = [row.model_copy(update={"further_kind": PowerConnector.PCIE_6PIN}) for row in psu.spec.cables or ()]
    mixed = psu.model_copy(update={"spec": psu.spec.model_copy(update={"cables": tuple(rows)})})
    fed = wire(build_of(gpu((EIGHT, 2)), gpu(("pcie_6pin", 1), suffix="-six"), mixed))
    assert fed.unfed == ()
    assert [(feed.socket.part_id, feed.pigtail) for feed in fed.feeds if feed.pigtail] == [("gpu-six", True)]
    assert [plug.kind for plug in fed.left] == ["pcie_6pin"]
    assert len(wire(build_of(gpu((EIGHT, 3)), mixed)).unfed) == 1
