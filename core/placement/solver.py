"""Finds the best arrangement with OR-Tools CP-SAT, where trying every one would take too long.

The question as constraints over whole numbers. Imported when it is needed: OR-Tools takes long to load.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from ortools.sat.python import cp_model
from ortools.sat.python.cp_model import CpModel, IntVar, LinearExpr

from core.parts.specs import GpuSpec, Slot
from core.placement.candidates import BridgeKind, Piece, PlacementProblem
from core.placement.population import Width, width_by
from core.placement.score import PlacementScore, Seating, score

FASTEST_MBPS = 1_000_000
"""More than any link carries."""


def total(terms: Iterable[LinearExpr]) -> LinearExpr:
    """The sum, an expression also where there is nothing to add."""
    added: LinearExpr = LinearExpr.sum(list(terms))
    return added


class PlacementModel:
    """`sits[piece, position]` are the decisions; the goals are those of `Score`, in its order."""

    def __init__(self, problem: PlacementProblem) -> None:
        self.problem = problem
        self.cp = CpModel()
        self.sits: dict[tuple[int, int], IntVar] = {
            (index, at): self.cp.new_bool_var(f"{index}@{at}")
            for index, piece in enumerate(problem.pieces)
            for at in piece.seats
        }
        self._placed = [total(self._of(index).values()) for index in range(len(problem.pieces))]
        self._seat_once()
        self._keep_apart()
        self._filled = {at: self._is_filled(at) for at in problem.slots}
        self._speeds = self._link_speeds()

    def goals(self) -> Iterable[LinearExpr]:
        """What to maximise, one after the other; several steps of the score in one where they cannot mix."""
        count = len(self.problem.pieces) + 1
        gpus = [self._placed[index] for index in self._gpus()]
        yield (total(self._placed) * count + total(gpus)) * count - total(self._overhanging())
        if gpus:
            yield self._worst(gpus)
        yield total(self._speeds)
        lowest = count * max(self.problem.slots) + 1
        pairs = count * count
        chipset = total(sits for (index, at), sits in self._gpu_seats() if self.problem.on_chipset(at))
        kept = -chipset * count - total(self._stifled())
        top = total(at * sits for (_, at), sits in self._gpu_seats())
        everything = total(at * sits for (_, at), sits in self.sits.items())
        linked = (kept * count + self._joined()) * pairs - self._apart()
        if self.problem.roots:
            yield linked
            yield self._on_one_root()
            linked = total([])
        yield (linked * lowest - top) * lowest - (everything - top)

    def keep(self, goal: LinearExpr, reached: int, seating: Mapping[int, int]) -> None:
        """Holds a goal at what it reached while the next is pursued, and starts the search from there."""
        self.cp.add(goal >= reached)
        self.cp.clear_hints()  # type: ignore[no-untyped-call]
        for (index, at), sits in self.sits.items():
            self.cp.add_hint(sits, seating.get(index) == at)

    def _of(self, index: int) -> dict[int, IntVar]:
        return {at: self.sits[index, at] for at in self.problem.pieces[index].seats}

    def _gpus(self) -> list[int]:
        return [index for index, piece in enumerate(self.problem.pieces) if piece.is_gpu]

    def _gpu_seats(self) -> Iterable[tuple[tuple[int, int], IntVar]]:
        return ((key, sits) for key, sits in self.sits.items() if self.problem.pieces[key[0]].is_gpu)

    def _seat_once(self) -> None:
        pieces = self.problem.pieces
        for index, piece in enumerate(pieces):
            self.cp.add(self._placed[index] <= 1)
            if piece.pinned:
                self.cp.add(self._placed[index] == 1)
        for (one, first), (other, second) in pairwise(enumerate(pieces)):
            if first.key[0] == second.key[0] and not second.pinned:
                self.cp.add(self._placed[one] >= self._placed[other])
        self._order_alike()

    def _order_alike(self) -> None:
        """Interchangeable cards sit in the order of their numbers: without it the search tries every exchange."""
        last: dict[int, int] = {}
        for index, piece in enumerate(self.problem.pieces):
            if piece.pinned or not piece.seats:
                continue
            if piece.kind in last:
                above = total(at * sits for at, sits in self._of(last[piece.kind]).items())
                own = total(at * sits for at, sits in self._of(index).items())
                absent = 1 - self._placed[index]
                self.cp.add(above + 1 <= own + absent * (max(piece.seats) + 1))
            last[piece.kind] = index

    def _keep_apart(self) -> None:
        pieces = self.problem.pieces
        fixed = {under for piece in pieces if piece.pinned for under in piece.covered(piece.seats[0])}
        covering: dict[int, list[IntVar]] = {}
        for (index, at), sits in self.sits.items():
            if not pieces[index].pinned:
                for under in pieces[index].covered(at):
                    covering.setdefault(under, []).append(sits)
        for under, several in covering.items():
            self.cp.add(total(several) <= (0 if under in fixed else 1))

    def _is_filled(self, at: int) -> IntVar:
        filled = self.cp.new_bool_var(f"filled {at}")
        here = [self.sits[index, at] for index, piece in enumerate(self.problem.pieces) if at in piece.seats]
        self.cp.add_max_equality(filled, [*here, int(at in self.problem.linker.population.carried)])
        return filled

    def _link_speeds(self) -> list[LinearExpr]:
        """MB/s of each piece, 0 where it is not placed."""
        speeds: list[list[LinearExpr]] = [[] for _ in self.problem.pieces]
        for at, slot in self.problem.slots.items():
            cases = self._width_cases(slot)
            for index, piece in enumerate(self.problem.pieces):
                if at in piece.seats:
                    speeds[index] += self._speeds_here(index, at, cases)
        return [total(terms) for terms in speeds]

    def _width_cases(self, slot: Slot) -> list[tuple[LinearExpr | None, Width]]:
        """The widths that the slot can have, each with the literal that it holds; None where there is but one."""
        population = self.problem.linker.population
        rows = population.rows_of(slot)
        full = Width(int(slot.lanes))
        if not rows:
            return [(None, full)]
        cases: list[tuple[LinearExpr | None, Width]] = []
        before: list[LinearExpr] = []
        for row in rows:
            holds = self._all([self._filled[at] for at in population.needed(row)])
            first = self._all([holds, *(1 - other for other in before)])
            cases.append((first, width_by(row, slot)))
            before.append(holds)
        cases.append((self._all([1 - other for other in before]), full))
        return cases

    def _speeds_here(self, index: int, at: int, cases: list[tuple[LinearExpr | None, Width]]) -> Iterable[LinearExpr]:
        piece, sits = self.problem.pieces[index], self.sits[index, at]
        for holds, width in cases:
            both = sits if holds is None else self._all([sits, holds])
            if width.lanes == 0 and not piece.pinned:
                self.cp.add(both == 0)
            else:
                yield self.problem.mbps(piece, at, width) * both

    def _all(self, literals: list[LinearExpr]) -> IntVar:
        """A literal that holds exactly when all of these do."""
        both = self.cp.new_bool_var("")
        self.cp.add_min_equality(both, [*literals, 1])
        return both

    def _worst(self, gpus: Iterable[LinearExpr]) -> IntVar:
        worst = self.cp.new_int_var(0, FASTEST_MBPS, "worst")
        for index in self._gpus():
            self.cp.add(worst <= self._speeds[index] + FASTEST_MBPS * (1 - self._placed[index]))
        self.cp.add(worst <= FASTEST_MBPS * total(gpus))
        return worst

    def _overhanging(self) -> Iterable[IntVar]:
        for (index, at), sits in self._gpu_seats():
            piece = self.problem.pieces[index]
            if self.problem.overhangs(piece, at):
                yield sits

    def _stifled(self) -> Iterable[IntVar]:
        """One literal for each card that could want air: at least 1 where the next card follows at once."""
        pieces = self.problem.pieces
        standing: dict[int, list[IntVar]] = {}
        for (index, at), sits in self._gpu_seats():
            if not pieces[index].on_riser:
                standing.setdefault(at, []).append(sits)
        for index in self._gpus():
            if not pieces[index].breathes:
                continue
            lacking = self.cp.new_bool_var(f"no air {index}")
            for at, sits in self._of(index).items():
                for below in pieces[index].covered(at + 1):
                    self.cp.add(lacking >= sits + total(standing.get(below, [])) - 1)
            yield lacking

    def _joined(self) -> LinearExpr:
        used: dict[int, list[IntVar]] = {}
        joined: list[IntVar] = []
        for number, bridge in enumerate(self.problem.bridges):
            kind = [pair for product in bridge.needed for pair in self._pairs(number, bridge, product, used)]
            self.cp.add(total(need * pair for need, pair in kind) <= bridge.quantity)
            joined += [pair for _, pair in kind]
        for several in used.values():
            self.cp.add(total(several) <= 1)
        return total(joined)

    def _pairs(
        self, number: int, bridge: BridgeKind, product: str, used: dict[int, list[IntVar]]
    ) -> Iterable[tuple[int, IntVar]]:
        here = self._standing(product)
        for at in here:
            if at + bridge.spacing in here:
                pair = self.cp.new_bool_var(f"bridge {number} at {at}")
                for end in (at, at + bridge.spacing):
                    self.cp.add(pair <= total(here[end]))
                    used.setdefault(end, []).append(pair)
                yield bridge.needed[product], pair

    def _standing(self, product: str) -> dict[int, list[IntVar]]:
        here: dict[int, list[IntVar]] = {}
        for (index, at), sits in self._gpu_seats():
            piece = self.problem.pieces[index]
            if not piece.on_riser and _product(piece) == product:
                here.setdefault(at, []).append(sits)
        return here

    def _apart(self) -> LinearExpr:
        """Pairs of GPUs on different CPUs."""
        second = [sits for (_, at), sits in self._gpu_seats() if self._on_second(at)]
        first = [sits for (_, at), sits in self._gpu_seats() if not self._on_second(at)]
        if not second or not first:
            return total([])
        count = len(self.problem.pieces)
        apart = self.cp.new_int_var(0, count * count, "apart")
        self.cp.add_multiplication_equality(apart, [total(first), total(second)])
        return apart

    def _on_one_root(self) -> LinearExpr:
        """Whether all GPUs that work, two at least, sit on one root complex."""
        working: list[IntVar] = []
        crowds: dict[tuple[int, str], list[IntVar]] = {}
        for (index, at), sits in self._gpu_seats():
            if self.problem.pieces[index].works:
                working.append(sits)
                if at in self.problem.roots:
                    crowds.setdefault(self.problem.roots[at], []).append(sits)
        return total(self._all_of(crowd, working) for crowd in crowds.values())

    def _all_of(self, crowd: list[IntVar], working: list[IntVar]) -> IntVar:
        all_there = self.cp.new_bool_var("all on one root")
        self.cp.add(total(crowd) == total(working)).only_enforce_if(all_there)
        self.cp.add(total(crowd) >= 2).only_enforce_if(all_there)
        return all_there

    def _on_second(self, at: int) -> bool:
        return self.problem.slots[at].cpu == 1 and not self.problem.on_chipset(at)


def _product(piece: Piece) -> str | None:
    return piece.part.spec.product if isinstance(piece.part.spec, GpuSpec) else None


EFFORT_PER_GOAL = 2.0
"""Deterministic seconds of search for each goal: the answer does not depend on how busy the machine is."""


def solve(problem: PlacementProblem) -> tuple[Seating, PlacementScore, bool]:
    """The best arrangement, its score, and whether it is proved best. Deterministic: one worker, a fixed seed."""
    model = PlacementModel(problem)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = EFFORT_PER_GOAL
    seating: dict[int, int] = {}
    proved = True
    for goal in model.goals():
        model.cp.maximize(goal)
        status = solver.solve(model.cp)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return seating, _scored(problem, seating), False
        proved = proved and status == cp_model.OPTIMAL
        seating = {index: at for (index, at), sits in model.sits.items() if solver.value(sits)}
        model.keep(goal, round(solver.objective_value), seating)
    return seating, _scored(problem, seating), proved


def _scored(problem: PlacementProblem, seating: Seating) -> PlacementScore:
    found = score(problem, seating)
    assert found is not None, "the model allows no slot that is switched off"
    return found
