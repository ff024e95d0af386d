"""Feeding a small machine by trying everything: slow, and without a thought shared with `wire`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product
from math import comb

from core.build.build import Build
from core.wiring.demand import Demand

FITS = {
    "pcie_6pin": {"pcie_6pin", "pcie_8pin"},
    "eps_4pin": {"eps_4pin", "eps_8pin"},
}
Plug = tuple[int, str, int, int]
"""PSU, kind, cable, plug on the cable."""
FEW = 5_000


def few_enough(build: Build) -> bool:
    """Whether all ways can be tried in an instant."""
    plugs = _plugs(build)
    wanted = sum(row.count * line.quantity for line, spec in build.gpus() for row in spec.power_connectors or ())
    wanted += sum(row.count for row in build.motherboard[1].power_inputs or ()) if build.motherboard else 0
    most = max((sum(plug[0] == psu for plug in plugs) for psu in {plug[0] for plug in plugs}), default=0)
    return max(comb(most, number) for number in range(wanted + 1)) <= FEW


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
            wanted = [kind for group, where in zip(groups, placed, strict=True) if where == psu for kind in group]
            found = min(_feedings([plug for plug in plugs if plug[0] == psu], tuple(wanted)), default=None)
            if found is None:
                break
            total += found
        else:
            best = total if best is None else min(best, total)
    return best


def lowest_peak(
    build: Build, wanted: Demand, ratings_w: Sequence[float], *, board_on_first: bool = False
) -> float | None:
    """The highest load of a PSU over its rating when board and cards are shared out best and all are fed by plugs of
    their PSU, a cable's second plug included; None if there is no such way. PSUs must stand in their order."""
    plugs = [[plug[1] for plug in _plugs(build) if plug[0] == psu] for psu in range(1, len(ratings_w) + 1)]
    groups = (wanted.board, *wanted.cards)
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
    found: list[Plug] = []
    psu = 0
    for line, spec in build.psus():
        for _ in range(line.quantity):
            psu += 1
            for row_number, row in enumerate(spec.cables or ()):
                for cable in range(row.cables):
                    for plug in range(row.connectors_per_cable):
                        found.append((psu, row.kind.value, 100 * row_number + cable, plug))
    return found


def _feedings(plugs: list[Plug], wanted: tuple[str, ...]) -> Iterator[int]:
    """How many plugs share a cable with another that is in use, for every choice of plugs."""
    for chosen in combinations(plugs, len(wanted)):
        if _matches(tuple(sorted(plug[1] for plug in chosen)), wanted):
            yield len(chosen) - len({plug[:3] for plug in chosen})


@cache
def _matches(kinds: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether each socket finds a plug of its own. Plugs of a kind are alike: one of them is tried."""
    if not wanted:
        return True
    fits = FITS.get(wanted[0], {wanted[0]})
    places = (kinds.index(kind) for kind in fits & set(kinds))
    return any(_matches(kinds[:place] + kinds[place + 1 :], wanted[1:]) for place in places)
