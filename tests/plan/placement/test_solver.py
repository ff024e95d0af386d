"""The whole-number program: as good as trying every arrangement, and as CP-SAT where these are too many to try."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from core.plan.build import Build
from core.plan.hosts import with_hosts
from core.plan.line import Line
from core.plan.placement.best import EXHAUSTIVE_LIMIT, placed_by_hand, search
from core.plan.placement.candidates import PlacementProblem, PlacementScore, problem_of, score
from core.plan.placement.solver import PlacementModel, Terms, solve
from tests.plan.placement.boards import machines
from tests.rules.machines import part


@st.composite
def with_carriers(draw: st.DrawFn) -> Build:
    """Machines whose cards are partly placed, with switches and splitters in their slots."""
    kind = draw(st.sampled_from(["switch", "splitter"]))
    build = draw(machines(largest=5, placed=True))
    carriers = Line(part("carrier", kind=kind, switched=kind == "switch"), draw(st.integers(1, 2)))
    return with_hosts(build.with_lines((*build.lines, carriers)))


def test_trying_all_arrangements_finds_none_better() -> None:
    """With cards pinned where they sit and on carriers that lose lanes, too."""
    witnesses = {"pinned": 0, "on a carrier": 0, "left out": 0}

    @given(st.one_of(machines(largest=5), with_carriers()))
    @settings(max_examples=80, deadline=None)
    def compare(build: Build) -> None:
        problem = problem_of(build, placed_by_hand(build))
        if problem.arrangements > 1_000:
            return
        arrangement, reached, proved = solve(problem)
        assert proved
        assert reached == search(problem)[1] == score(problem, arrangement)
        witnesses["pinned"] += any(one.pinned for one in problem.candidates)
        witnesses["on a carrier"] += any(at >= 100 for at in arrangement.values())
        witnesses["left out"] += reached.placed < len(problem.candidates)

    compare()
    assert all(witnesses.values()), witnesses


@given(machines(largest=16, smallest=10))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_cp_sat_finds_none_better_among_too_many_to_try(build: Build) -> None:
    problem = problem_of(build)
    assume(problem.arrangements > EXHAUSTIVE_LIMIT)
    assert solve(problem)[1:] == (second_opinion(problem), True)


def second_opinion(problem: PlacementProblem) -> PlacementScore | None:
    """What CP-SAT reaches with the same goals within the same bounds."""
    from ortools.sat.python import cp_model

    def total(terms: Terms) -> cp_model.LinearExpr:
        return cp_model.LinearExpr.weighted_sum([variables[v] for v in terms], list(terms.values()))

    model, cp, solver = PlacementModel(problem), cp_model.CpModel(), cp_model.CpSolver()
    solver.parameters.num_workers = 1
    goals, variables, bounded = model.goals(), list[cp_model.IntVar](), 0
    goal, chosen = next(goals), set[int]()
    with suppress(StopIteration):
        while True:
            variables += [cp.new_bool_var("") for _ in range(model.program.count - len(variables))]
            for terms, low, high in model.program.rows[bounded:]:
                within = cp_model.Domain(int(max(low, -(10**9))), int(min(high, 10**9)))
                cp.add_linear_expression_in_domain(total(terms), within)
            bounded = len(model.program.rows)
            cp.maximize(total(goal))
            assert solver.solve(cp) == cp_model.OPTIMAL
            cp.add(total(goal) >= round(solver.objective_value))
            chosen = {index for index, variable in enumerate(variables) if solver.value(variable)}
            goal = goals.send(chosen)
    return score(problem, model.arrangement(chosen))


def test_scipy_is_loaded_only_when_it_is_needed_and_pandas_and_or_tools_never() -> None:
    program = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "ortools": raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
import core.plan.placement.best, core.platform.database
assert "scipy" not in sys.modules
import core.plan.placement.solver
core.platform.database.Database(memory=True)["t"].insert({"a": 1})
assert "pandas" not in sys.modules
import pandas
"""
    subprocess.run([sys.executable, "-c", program], check=True)
