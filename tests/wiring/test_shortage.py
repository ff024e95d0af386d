"""More sockets than plugs, with cables of every kind: each feed is whole, and the rules say what is missing."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.build.build import Build
from core.build.line import Line
from core.parts.vocabulary import PowerConnector
from core.rules.engine import check
from core.rules.finding import Status
from core.wiring.wire import wire
from core.wiring.wiring import Wiring
from tests.wiring.parts import adapter, build_of, gpu, psu_of

EIGHT = "pcie_8pin"
OWN = adapter(EIGHT, 2, "12vhpwr", rated_w=600)
"""Goes into the sockets of its maker's PSUs, in the place of two of their cables."""


def plugs_wanted(wiring: Wiring) -> list[tuple[int, int]]:
    """For each feed through the maker's own cable: the plugs that it has, and those that it takes."""
    return [(len(feed.plugs), 2) for feed in wiring.feeds if feed.adapter == "cable"]


def test_whole_cables_taken_out_of_rows_of_one_and_two_plugs_take_their_second_plugs_with_them() -> None:
    """Four of six cables are taken out: two are left, at most one of them with a second plug."""
    cards = ((gpu(("12v_2x6", 1), limit_w=450), 2), (gpu((EIGHT, 1), suffix="-one"), 5))
    wiring = wire(build_of(*cards, (OWN, 2), psu_of((EIGHT, 3), (EIGHT, 3, 2))))
    assert len(wiring.unfed) == 1
    assert all(feed.plugs for feed in wiring.feeds)


def test_a_makers_own_cable_may_take_the_place_of_one_cable_with_one_plug_and_one_with_two() -> None:
    wiring = wire(build_of(gpu(("12v_2x6", 1), limit_w=450), OWN, psu_of((EIGHT, 1), (EIGHT, 1, 2))))
    assert (wiring.unfed, plugs_wanted(wiring), wiring.left) == ((), [(2, 2)], ())


def test_a_plug_of_6_pins_behind_one_of_8_feeds_what_takes_6_and_shares_its_cable() -> None:
    psu = psu_of((EIGHT, 2, 2))
    rows = [row.model_copy(update={"further_kind": PowerConnector.PCIE_6PIN}) for row in psu.spec.cables or ()]
    mixed = psu.model_copy(update={"spec": psu.spec.model_copy(update={"cables": tuple(rows)})})
    fed = wire(build_of(gpu((EIGHT, 2)), gpu(("pcie_6pin", 1), suffix="-six"), mixed))
    assert fed.unfed == ()
    assert [(feed.socket.part_id, feed.pigtail) for feed in fed.feeds if feed.pigtail] == [("gpu-six", True)]
    assert [plug.kind for plug in fed.left] == ["pcie_6pin"]
    assert len(wire(build_of(gpu((EIGHT, 3)), mixed)).unfed) == 1


KINDS = (EIGHT, "pcie_6pin", "12vhpwr", "eps_8pin")
CABLES = st.lists(
    st.tuples(st.sampled_from((EIGHT, EIGHT, *KINDS)), st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=4
)


@st.composite
def short_of_plugs(draw: st.DrawFn) -> Build:
    """Cards, PSUs whose cables of one kind have one plug or several, and cables of the maker's own."""
    lines = [
        Line(
            gpu(
                *draw(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 2)), min_size=1, max_size=2)), suffix=n
            ),
            draw(st.integers(1, 4)),
        )
        for n in ("-a", "-b")
    ]
    lines += [
        Line(psu_of(*draw(CABLES), suffix=n), draw(st.integers(1, 2))) for n in ("-a", "-b")[: draw(st.integers(1, 2))]
    ]
    lines += [Line(OWN, draw(st.integers(1, 3)))] if draw(st.booleans()) else []
    return Build(lines=tuple(lines))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(short_of_plugs())
def test_each_feed_has_all_its_plugs_and_the_rules_answer(build: Build) -> None:
    wiring = wire(build)
    assert all(feed.plugs for feed in wiring.feeds)
    assert all(has == takes for has, takes in plugs_wanted(wiring))
    used = [plug for feed in wiring.feeds for plug in feed.plugs]
    assert len(used) == len(set(used))
    failed = {finding.rule for finding in check(build) if finding.status is Status.FAIL}
    assert ("gpu-cables" in failed) == bool(wiring.unfed)
