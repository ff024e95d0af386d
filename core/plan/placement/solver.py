"""Finds the best arrangement as a whole-number program, by HiGHS, where trying every one would take too long.

Imported when it is needed: SciPy takes long to load.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import suppress
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from core.plan.placement.candidates import Arrangement, Candidate, PlacementProblem, PlacementScore, score

Terms = Mapping[int, int]
"""A sum: the factor of each variable."""


class Choice(NamedTuple):
    """A variable: one candidate of a group sits here while the slot has one of its widths."""

    group: int
    candidate: Candidate
    at: int
    mbps: int


class Program:
    """Variables that are 0 or 1, and sums of them that must stay within bounds."""

    def __init__(self) -> None:
        self.count = 0
        self.rows: list[tuple[Terms, float, float]] = []

    def variables(self, count: int) -> range:
        """So many new ones."""
        self.count += count
        return range(self.count - count, self.count)

    def require(self, terms: Terms, low: float = -np.inf, high: float = np.inf) -> None:
        """Keeps a sum within these bounds."""
        self.rows.append((terms, low, high))

    def maximum(self, goal: Terms, effort: int) -> tuple[set[int] | None, bool]:
        """The variables that are 1 where the goal is highest, None if none were found in so many nodes; and whether
        it is proved that nothing is higher."""
        factors = np.zeros((len(self.rows), self.count))
        for row, (terms, _, _) in enumerate(self.rows):
            factors[row, list(terms)] = list(terms.values())
        aim = np.zeros(self.count)
        aim[list(goal)] = [-factor for factor in goal.values()]
        limits = LinearConstraint(factors, [low for _, low, _ in self.rows], [high for _, _, high in self.rows])
        options = {"node_limit": effort, "mip_rel_gap": 0}
        result = milp(aim, integrality=np.ones(self.count), bounds=Bounds(0, 1), constraints=limits, options=options)
        return None if result.x is None else set(np.flatnonzero(result.x > 0.5).tolist()), result.status == 0


class PlacementModel:
    """The goals are those of `PlacementScore`, in its order. Interchangeable candidates are one group, whose members
    share the positions that are chosen for it; a pinned one is a group of its own."""

    def __init__(self, problem: PlacementProblem) -> None:
        self.problem = problem
        self.program = Program()
        candidates = problem.candidates
        self.groups = [-1 - index if one.pinned else one.kind for index, one in enumerate(candidates)]
        self.placed = self.program.variables(len(candidates))
        self.choices: dict[int, Choice] = {}
        self._choose_positions()
        self._place_in_order()
        self._keep_apart()

    def goals(self) -> Generator[Terms, set[int], None]:
        """What to maximise, one after the other; several steps of the score in one where they cannot mix. Is sent the
        variables that are 1."""
        problem, many = self.problem, len(self.problem.candidates) + 1
        gpus = {v: one for v, one in self.choices.items() if one.candidate.is_gpu}
        placed = {v: many * (many + one.is_gpu) for v, one in zip(self.placed, problem.candidates, strict=True)}
        chosen = yield placed | {v: -1 for v, one in gpus.items() if problem.overhangs(one.candidate, one.at)}
        yield self._slowest(gpus)
        yield {v: one.mbps for v, one in self.choices.items()}
        yield {v: -many for v, one in gpus.items() if problem.on_chipset(one.at)} | self._stifled(gpus)
        yield self._joined(gpus)
        yield self._apart(gpus, len(chosen & gpus.keys())) | self._on_one_root(gpus)
        yield {v: -one.at for v, one in gpus.items()}
        yield {v: -one.at for v, one in self.choices.items() if v not in gpus}
        yield {v: one.at * self.groups.index(one.group) for v, one in self.choices.items()}

    def arrangement(self, chosen: set[int]) -> Arrangement:
        """The positions by index; of interchangeable candidates the first sits at the top."""
        positions: dict[int, list[int]] = defaultdict(list)
        for variable in chosen & self.choices.keys():
            positions[self.choices[variable].group].append(self.choices[variable].at)
        waiting = {group: iter(sorted(at)) for group, at in positions.items()}
        return {index: next(waiting[self.groups[index]]) for index, v in enumerate(self.placed) if v in chosen}

    def _choose_positions(self) -> None:
        """A slot has one of its widths, by which of the slots around it are filled."""
        cases_at = {at: self.problem.linker.population.cases(at) for at in self.problem.slots}
        members = dict(zip(self.groups, self.problem.candidates, strict=True))
        widths_at = {at: self.program.variables(len(cases)) for at, cases in cases_at.items()}
        for at, cases in cases_at.items():
            self.program.require(dict.fromkeys(widths_at[at], 1), 1, 1)
            for v, (_, width) in zip(widths_at[at], cases, strict=True):
                for group, candidate in members.items():
                    if at in candidate.positions and (width.lanes or candidate.pinned):
                        (choice,) = self.program.variables(1)
                        self.choices[choice] = Choice(group, candidate, at, self.problem.mbps(candidate, at, width))
                        self.program.require({choice: 1, v: -1}, high=0)
        filled = {at: self._filled(at) for cases in cases_at.values() for needed, _ in cases for at in needed}
        for at, cases in cases_at.items():
            for index, (needed, _) in enumerate(cases):
                for other in needed:
                    self.program.require({widths_at[at][index]: 1, filled[other]: -1}, high=0)
                this_or_before = dict.fromkeys(widths_at[at][: index + 1], 1)
                self.program.require({filled[other]: -1 for other in needed} | this_or_before, low=1 - len(needed))

    def _filled(self, at: int) -> int:
        """A variable that is 1 where a card or a carrier is in the slot."""
        (filled,) = self.program.variables(1)
        here = {v: -1 for v, one in self.choices.items() if one.at == at}
        if at in self.problem.linker.population.carried:
            self.program.require({filled: 1}, low=1)
        else:
            self.program.require({filled: 1, **here}, high=0)
        for v in here:
            self.program.require({v: 1, filled: -1}, high=0)
        return filled

    def _place_in_order(self) -> None:
        """A group fills as many positions as members are placed; a card of a line only if those before it are."""
        members: dict[int, dict[int, int]] = defaultdict(dict)
        for v, group in zip(self.placed, self.groups, strict=True):
            members[group][v] = -1
        for v, choice in self.choices.items():
            members[choice.group][v] = 1
        for terms in members.values():
            self.program.require(terms, 0, 0)
        lines = groupby(zip(self.placed, self.problem.candidates, strict=True), key=lambda pair: pair[1].key[0])
        for line in (list(pairs) for _, pairs in lines):
            for v, _ in takewhile(lambda pair: pair[1].pinned, line):
                self.program.require({v: 1}, low=1)
            for (before, _), (after, _) in pairwise(line):
                self.program.require({before: 1, after: -1}, low=0)

    def _keep_apart(self) -> None:
        """Pinned candidates stay, even where they overlap each other."""
        covering: dict[int, dict[int, int]] = defaultdict(dict)
        for v, one in self.choices.items():
            if not one.candidate.pinned:
                for under in one.candidate.covered(one.at):
                    covering[under][v] = 1
        for several in covering.values():
            self.program.require(several, high=1)
        for v, candidate in zip(self.placed, self.problem.candidates, strict=True):
            if candidate.pinned:
                for under in candidate.covered(candidate.positions[0]):
                    self.program.require(covering[under] | {v: 1}, high=1)

    def _slowest(self, gpus: Mapping[int, Choice]) -> Terms:
        """One step for each speed above the lowest: reached if no GPU is slower."""
        speeds = sorted({one.mbps for one in gpus.values()})
        steps = self.program.variables(max(0, len(speeds) - 1))
        for step, slower in zip(steps, speeds, strict=False):
            for v, one in gpus.items():
                if one.mbps == slower:
                    self.program.require({step: 1, v: 1}, high=1)
        for lower, higher in pairwise(steps):
            self.program.require({higher: 1, lower: -1}, high=0)
        return dict.fromkeys(steps, 1)

    def _stifled(self, gpus: Mapping[int, Choice]) -> dict[int, int]:
        """One variable for each place of a card that wants air: 1 where the next card follows at once."""
        wanting: dict[tuple[int, int], list[int]] = defaultdict(list)
        for v, one in gpus.items():
            if one.candidate.breathes:
                wanting[one.group, one.at].append(v)
        lacking = self.program.variables(len(wanting))
        for lack, ((_, at), here) in zip(lacking, wanting.items(), strict=True):
            below = self.choices[here[0]].candidate.covered(at + 1)
            for other, one in gpus.items():
                if one.at in below and not one.candidate.on_riser:
                    self.program.require({**dict.fromkeys(here, 1), other: 1, lack: -1}, high=1)
        return dict.fromkeys(lacking, -1)

    def _joined(self, gpus: Mapping[int, Choice]) -> Terms:
        joined: list[int] = []
        for bridge in self.problem.bridges:
            standing: dict[tuple[str | None, int], dict[int, int]] = defaultdict(dict)
            ends: dict[tuple[str | None, int], dict[int, int]] = defaultdict(dict)
            for v, one in gpus.items():
                if not one.candidate.on_riser and one.candidate.product in bridge.needed:
                    standing[one.candidate.product, one.at][v] = -1
            spent: dict[int, int] = {}
            for product, at in standing:
                if (product, at + bridge.spacing) in standing:
                    (pair,) = self.program.variables(1)
                    spent[pair] = bridge.needed[product or ""]
                    for end in ((product, at), (product, at + bridge.spacing)):
                        ends[end][pair] = 1
            for end, pairs in ends.items():
                self.program.require(pairs | standing[end], high=0)
            self.program.require(spent, high=bridge.quantity)
            joined += spent
        return dict.fromkeys(joined, 1)

    def _apart(self, gpus: Mapping[int, Choice], count: int) -> dict[int, int]:
        """Pairs of GPUs on different CPUs, twice: one variable for each number of GPUs on the second."""
        second = {v: -1 for v, one in gpus.items() if self.problem.on_second_cpu(one.at)}
        numbers = self.program.variables(count + 1 if second else 0)
        if second:
            self.program.require(dict.fromkeys(numbers, 1), 1, 1)
            self.program.require(second | {v: number for number, v in enumerate(numbers)}, 0, 0)
        return {v: -2 * number * (count - number) for number, v in enumerate(numbers)}

    def _on_one_root(self, gpus: Mapping[int, Choice]) -> dict[int, int]:
        """One variable for each root complex: 1 where all GPUs that work, two at least, sit on it."""
        working = {v: self.problem.roots.get(one.at) for v, one in gpus.items() if one.candidate.works}
        roots = sorted({root for root in working.values() if root is not None})
        alone = self.program.variables(len(roots))
        for only, root in zip(alone, roots, strict=True):
            self.program.require({only: 2} | {v: -1 for v, at in working.items() if at == root}, high=0)
            for v, at in working.items():
                if at != root:
                    self.program.require({only: 1, v: 1}, high=1)
        return dict.fromkeys(alone, 1)


EFFORT = 20_000
"""Nodes of the search for each goal: the answer does not depend on how busy the machine is."""


def solve(problem: PlacementProblem, effort: int = EFFORT) -> tuple[Arrangement, PlacementScore, bool]:
    """The best arrangement, its score, and whether it is proved best. Deterministic."""
    model = PlacementModel(problem)
    goals = model.goals()
    goal, chosen, proved = next(goals), set[int](), True
    with suppress(StopIteration):
        while True:
            if goal:
                better, is_best = model.program.maximum(goal, effort)
                proved = proved and is_best
                chosen = chosen if better is None else better
                model.program.require(goal, low=sum(goal.get(v, 0) for v in chosen) - 0.5)
            goal = goals.send(chosen)
    arrangement = model.arrangement(chosen)
    reached = score(problem, arrangement)
    assert reached is not None, "the model allows no slot that is switched off"
    return arrangement, reached, proved
