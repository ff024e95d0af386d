"""A fixed piece of pure Python, timed beside what is measured: a slow or busy machine slows both alike.

A budget in milliseconds is one of the machine on which the piece takes its nominal time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

NOMINAL_S = 0.002
"""What one run of the piece takes on the machine that budgets are given for."""
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    value: float
    place: tuple[int, ...]


def piece() -> float:
    """Makes, hashes, sorts and formats small values, as rules and predictions do."""
    items = [_Item(f"part-{n * 7919 % 1009}", n * 0.37, (n % 7, n % 11)) for n in range(1600)]
    by_place: dict[tuple[int, ...], list[_Item]] = {}
    for item in items:
        by_place.setdefault(item.place, []).append(item)
    total = 0.0
    for _, group in sorted(by_place.items()):
        group.sort(key=lambda item: (-item.value, item.name))
        total += max(item.value for item in group) + len(f"{total:.2f} {group[0].name}")
        total += sum(isinstance(item.value, float) and item.value > 100 for item in group)
    return total


def fastest_s(job: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The shortest of several runs, s of this process: what others run meanwhile does not count."""
    found = []
    for _ in range(rounds):
        start = process_time()
        job()
        found.append(process_time() - start)
    return min(found)


def nominal_s(job: Callable[[], object], rounds: int = ROUNDS) -> float:
    """What a run of the job would take on the machine that budgets are given for, s.

    Job and reference take turns, so that both see the same machine.
    """
    piece()
    pairs = [(fastest_s(piece, 3), fastest_s(job, 1)) for _ in range(rounds)]
    return NOMINAL_S * min(taken for _, taken in pairs) / min(reference for reference, _ in pairs)
