"""What must hold for every machine: no plug feeds twice, nothing is overloaded that need not be, the rules agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from math import comb
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from core.plan.build import Build
from core.plan.line import Line
from core.plan.wiring.balancer import HEAVY_SHARE, STEP
from core.plan.wiring.demand import Demand, demand
from core.plan.wiring.wire import wire
from core.plan.wiring.wiring import PowerSocket, Wiring
from core.rules.engine import check
from core.rules.finding import Status
from tests.plan.wiring.parts import BOARD, EIGHT, FULL, OWN, adapter, build_of, gpu, pigtails, psu_of
from tests.rules.machines import part

QUANTITY = st.integers(1, 2)
KINDS = ("pcie_8pin", "pcie_6pin", "12vhpwr", "eps_8pin")
CARD_SOCKETS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 2)), max_size=2, unique_by=lambda row: row[0])
CABLES = st.lists(
    st.tuples(st.sampled_from((*KINDS, "atx_24pin", "eps_4pin")), st.integers(1, 3), st.integers(1, 2)),
    min_size=1,
    max_size=3,
)


@st.composite
def machines(draw: st.DrawFn, cards: int = 3, adapters: bool = True) -> Build:
    """Up to three kinds of card, two kinds of PSU, sometimes a board, and adapters in the build and in boxes."""
    boxes = {} if adapters else {"boxed_adapter": []}
    lines = [
        Line(
            gpu(*draw(CARD_SOCKETS), suffix=f"-{n}", limit_w=draw(st.sampled_from((150, 300, 450, None))), **boxes),
            draw(QUANTITY),
        )
        for n in range(draw(st.integers(0, cards)))
    ]
    lines += [
        Line(psu_of(*draw(CABLES), suffix=f"-{n}", power_w=draw(st.sampled_from((850, 1600)))), draw(QUANTITY))
        for n in range(draw(st.integers(0, 2)))
    ]
    if draw(st.booleans()):
        inputs = [
            {"kind": "atx_24pin", "count": 1},
            {"kind": draw(st.sampled_from(("eps_8pin", "eps_4pin"))), "count": 1},
        ]
        lines.append(Line(part("motherboard", power_inputs=inputs)))
    if adapters and draw(st.booleans()):
        lines.append(Line(adapter("pcie_8pin", 2, draw(st.sampled_from(("eps_8pin", "12vhpwr")))), draw(QUANTITY)))
    return Build(lines=tuple(lines))


@settings(max_examples=150, deadline=None)
@given(machines())
def test_no_plug_feeds_twice_kinds_match_and_a_card_has_one_psu(build: Build) -> None:
    wiring = wire(build)
    used = [plug for feed in wiring.feeds for plug in feed.plugs]
    assert len(used) == len(set(used))
    assert not set(used) & set(wiring.left)
    fed = [feed.socket for feed in wiring.feeds]
    assert len(fed) == len(set(fed))
    assert not set(fed) & set(wiring.unfed)
    psus: dict[tuple[str, int], set[int]] = {}
    for feed in wiring.feeds:
        psus.setdefault((feed.socket.part_id, feed.socket.number), set()).update(p.cable.psu for p in feed.plugs)
        if feed.adapter is None:
            assert feed.plugs[0].cable.kind.value in FITS.get(feed.socket.kind, {feed.socket.kind})
            assert len(feed.plugs) == 1
    assert all(len(where) == 1 for where in psus.values())


@settings(max_examples=150, deadline=None)
@given(machines(cards=2, adapters=False))
def test_whatever_can_be_fed_is_fed_with_the_fewest_shared_plugs(build: Build) -> None:
    assume(few_enough(build))
    wiring, best = wire(build), fewest_pigtails(build)
    if best is None:
        assert wiring.unfed != ()
    else:
        assert wiring.unfed == ()
        assert pigtails(wiring) == best


@settings(max_examples=100, deadline=None)
@given(machines(adapters=False), st.integers(1, 3))
def test_cables_that_nothing_can_use_change_nothing(build: Build, cables: int) -> None:
    more = {"kind": "eps_8pin", "cables": cables, "connectors_per_cable": 2}
    assume(not any(socket.kind in ("eps_8pin", "eps_4pin") for socket in _sockets(wire(build))))
    lines = tuple(_with_cables(line, more) if line.part.category == "psu" else line for line in build.lines)
    assert len(wire(build.with_lines(lines)).unfed) == len(wire(build).unfed)


def _with_cables(psu: Line, more: dict[str, Any]) -> Line:
    rows = [row.model_dump() for row in psu.part.spec.cables or ()]
    return replace(psu, part=part("psu", suffix=psu.part.id.removeprefix("psu"), cables=[*rows, more]))


def _sockets(wiring: Wiring) -> list[PowerSocket]:
    return [*(feed.socket for feed in wiring.feeds), *wiring.unfed]


@settings(max_examples=100, deadline=None)
@given(machines(), st.randoms(use_true_random=False))
def test_the_order_of_the_lines_does_not_matter(build: Build, shuffling: object) -> None:
    lines = list(build.lines)
    shuffling.shuffle(lines)  # type: ignore[attr-defined]
    assert wire(build.with_lines(tuple(lines))) == wire(build)


@settings(max_examples=100, deadline=None)
@given(machines(), st.integers(0, 5))
def test_a_card_less_never_leaves_more_unfed(build: Build, which: int) -> None:
    cards = [line for line in build.lines if line.part.category == "gpu"]
    if not cards:
        return
    chosen = cards[which % len(cards)]
    fewer = replace(chosen, quantity=chosen.quantity - 1) if chosen.quantity > 1 else None
    lines = tuple(new for line in build.lines if (new := fewer if line is chosen else line))
    before, after = wire(build), wire(build.with_lines(lines))
    assert sum(s.needed for s in after.unfed) <= sum(s.needed for s in before.unfed)
    assert len(after.unfed) <= len(before.unfed)


@given(machines(cards=4))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_one_more_psu_never_leaves_the_fullest_one_fuller_where_it_is_heavily_loaded(build: Build) -> None:
    """Below that cables of their own count more than even loads."""
    before = wire(build)
    more = build.with_lines((*build.lines, Line(psu_of(*FULL, suffix="-more", power_w=2000))))
    after = wire(more)
    assume(before.psus and len(before.unfed) == len(after.unfed) and not (before.cut_short or after.cut_short))
    peak = max(psu.share or 0 for psu in before.psus)
    assert max(psu.share or 0 for psu in after.psus) <= max(peak, HEAVY_SHARE) + STEP


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from((150, 250, 300, 350, 450, 575)), min_size=1, max_size=6),
    st.lists(st.tuples(st.sampled_from((650, 850, 1000, 1300, 1600)), st.integers(1, 5)), min_size=2, max_size=3),
)
def test_no_psu_is_overloaded_while_another_split_feeds_everything(
    limits: list[int], psus: list[tuple[int, int]]
) -> None:
    """The board's share, the CPU and the second plugs of cables count."""
    cards = [gpu((EIGHT, 2), suffix=f"-{n}", limit_w=watts) for n, watts in enumerate(limits)]
    ranked = sorted(psus, key=lambda psu: -psu[0])
    board_plugs = (("atx_24pin", 1), ("eps_8pin", 2))
    units = [
        psu_of(*board_plugs, (EIGHT, cables), (EIGHT, 1, 2), suffix=f"-{n}", power_w=watts)
        for n, (watts, cables) in enumerate(ranked)
    ]
    build = build_of(*cards, part("cpu"), BOARD, *units)
    best = lowest_peak(build, demand(build), [watts for watts, _ in ranked])
    wiring = wire(build)
    assert (best is None) == bool(wiring.unfed)
    if best is not None:
        highest = max(psu.share or 0 for psu in wiring.psus)
        assert highest <= (1 if best <= 1 else best + STEP) + 1e-9


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from((150, 250, 300, 350, 450, 575)), min_size=1, max_size=6),
    st.lists(st.sampled_from((650, 850, 1000, 1300, 1600)), min_size=2, max_size=3),
)
def test_with_plugs_enough_the_highest_load_is_as_low_as_can_be_where_it_is_above_80_percent(
    limits: list[int], ratings: list[int]
) -> None:
    cards = [gpu((EIGHT, 2), suffix=f"-{n}", limit_w=watts) for n, watts in enumerate(limits)]
    ranked = sorted(ratings, reverse=True)
    psus = [psu_of(*FULL, (EIGHT, 4), suffix=f"-{n}", power_w=watts) for n, watts in enumerate(ranked)]
    build = build_of(*cards, part("cpu"), BOARD, *psus)
    best = lowest_peak(build, demand(build), ranked, board_on_first=True)
    assert best is not None
    assert max(psu.share or 0 for psu in wire(build).psus) <= max(0.8, best) + 1e-9


MORE_CABLES = st.lists(
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
        Line(psu_of(*draw(MORE_CABLES), suffix=n), draw(st.integers(1, 2)))
        for n in ("-a", "-b")[: draw(st.integers(1, 2))]
    ]
    lines += [Line(OWN, draw(st.integers(1, 3)))] if draw(st.booleans()) else []
    return Build(lines=tuple(lines))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(short_of_plugs())
def test_each_feed_has_all_its_plugs_and_the_rules_answer(build: Build) -> None:
    wiring = wire(build)
    assert all(feed.plugs for feed in wiring.feeds)
    assert all(len(feed.plugs) == 2 for feed in wiring.feeds if feed.adapter == "cable")
    used = [plug for feed in wiring.feeds for plug in feed.plugs]
    assert len(used) == len(set(used))
    failed = {finding.rule for finding in check(build) if finding.status is Status.FAIL}
    assert ("gpu-cables" in failed) == bool(wiring.unfed)


# Feeding a small machine by trying everything: slow, and without a thought shared with `wire`

FITS = {"pcie_6pin": {"pcie_6pin", "pcie_8pin"}, "eps_4pin": {"eps_4pin", "eps_8pin"}}
Plug = tuple[int, str, int, int]
"""PSU, kind, cable, plug on the cable."""
FEW = 5_000


def few_enough(build: Build) -> bool:
    """Whether all ways can be tried in an instant."""
    plugs = _plugs(build)
    sockets = sum(row.count * line.quantity for line, spec in build.gpus() for row in spec.power_connectors or ())
    sockets += sum(row.count for row in build.motherboard[1].power_inputs or ()) if build.motherboard else 0
    most = max((sum(plug[0] == psu for plug in plugs) for psu in {plug[0] for plug in plugs}), default=0)
    return max(comb(most, number) for number in range(sockets + 1)) <= FEW


def fewest_pigtails(build: Build) -> int | None:
    """Over all ways to feed every socket, each card from one PSU; None if there is no way. No adapters."""
    plugs = _plugs(build)
    groups = [
        [row.kind.value for row in spec.power_connectors or () for _ in range(row.count)]
        for line, spec in build.gpus()
        for _ in range(line.quantity)
    ]
    if board := build.motherboard:
        groups.append([row.kind.value for row in board[1].power_inputs or () for _ in range(row.count)])
    groups = [group for group in groups if group]
    psus = sorted({plug[0] for plug in plugs})
    best: int | None = None
    for placed in product(psus, repeat=len(groups)):
        total = 0
        for psu in psus:
            needs = [kind for group, where in zip(groups, placed, strict=True) if where == psu for kind in group]
            fewest = min(_feedings([plug for plug in plugs if plug[0] == psu], tuple(needs)), default=None)
            if fewest is None:
                break
            total += fewest
        else:
            best = total if best is None else min(best, total)
    return best


def lowest_peak(
    build: Build, needs: Demand, ratings_w: Sequence[float], *, board_on_first: bool = False
) -> float | None:
    """The highest load of a PSU over its rating when board and cards are shared out best and all are fed by plugs of
    their PSU, a cable's second plug included; None if there is no such way. PSUs must stand in their order."""
    plugs = [[plug[1] for plug in _plugs(build) if plug[0] == psu] for psu in range(1, len(ratings_w) + 1)]
    groups = (needs.board, *needs.cards)
    peaks = []
    for placed in product(range(len(ratings_w)), repeat=len(groups)):
        if board_on_first and placed[0]:
            break
        loads, left = [0.0] * len(ratings_w), [Counter(kinds) for kinds in plugs]
        for group, psu in zip(groups, placed, strict=True):
            loads[psu] += group.load_w
            left[psu].subtract(socket.kind.value for socket in group.sockets)
        if all(count >= 0 for kinds in left for count in kinds.values()):
            peaks.append(max(load / rating for load, rating in zip(loads, ratings_w, strict=True)))
    return min(peaks, default=None)


def _plugs(build: Build) -> list[Plug]:
    plugs: list[Plug] = []
    psu = 0
    for line, spec in build.psus():
        for _ in range(line.quantity):
            psu += 1
            for row_number, row in enumerate(spec.cables or ()):
                for cable in range(row.cables):
                    for plug in range(row.connectors_per_cable):
                        plugs.append((psu, row.kind.value, 100 * row_number + cable, plug))
    return plugs


def _feedings(plugs: list[Plug], needs: tuple[str, ...]) -> Iterator[int]:
    """How many plugs share a cable with another that is in use, for every choice of plugs."""
    for chosen in combinations(plugs, len(needs)):
        if _matches(tuple(sorted(plug[1] for plug in chosen)), needs):
            yield len(chosen) - len({plug[:3] for plug in chosen})


@cache
def _matches(kinds: tuple[str, ...], needs: tuple[str, ...]) -> bool:
    """Whether each socket finds a plug of its own. Plugs of a kind are alike: one of them is tried."""
    if not needs:
        return True
    fits = FITS.get(needs[0], {needs[0]})
    places = (kinds.index(kind) for kind in fits & set(kinds))
    return any(_matches(kinds[:place] + kinds[place + 1 :], needs[1:]) for place in places)
