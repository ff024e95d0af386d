"""Finds the best arrangement with OR-Tools CP-SAT, where trying every one would take too long."""

from __future__ import annotations

from core.placement.candidates import PlacementProblem
from core.placement.score import PlacementScore, Seating, score

EFFORT_PER_GOAL = 2.0
"""Deterministic seconds of search for each goal: the answer does not depend on how busy the machine is."""


def solve(problem: PlacementProblem) -> tuple[Seating, PlacementScore, bool]:
    """The best arrangement, its score, and whether it is proved best. Deterministic: one worker, a fixed seed."""
    from ortools.sat.python import cp_model

    from core.placement.model import PlacementModel

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
