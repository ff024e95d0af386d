"""Solve all: it ends, never makes more fail, and says what it could not solve."""

from collections import Counter
from itertools import count
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.advise.solve_all import STAYS, Solution, solve_all
from core.advise.trial import TROUBLED
from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import PlaceCards
from core.platform.errors import BadInput
from core.rules.finding import Status
from tests.rotation import examples, share
from tests.rules.machines import changed, good_build, part, slot, with_line
from tests.rules.random_builds import random_build
from tests.shipped import templates

ATTEMPT = templates()["six-rtx-3090-first-attempt"]


@pytest.fixture(scope="module")
def solved(catalogue: Catalogue) -> Solution:
    """The first attempt, solved once: no test changes it."""
    return solve_all(ATTEMPT, catalogue)


def failing(assessment: Assessment) -> Counter[str]:
    return Counter(one.rule for one in assessment.answers if one.status is Status.FAIL)


def assert_it_holds(build: Build, solution: Solution) -> None:
    """Each step, and all of them together, make nothing fail that did not; undo takes them back as one."""
    current = Assessment(build)
    for fix in solution.steps:
        after = Assessment(fix.edit.apply(current.build))
        assert not failing(after) - failing(current), fix.title
        current = after
    assert current.build == solution.after.build == solution.edit.apply(build)
    assert solution.edit.inverse(build).apply(current.build) == build
    assert not failing(current) - failing(solution.before)
    assert set(failing(current)) <= {one.rule for one in solution.unsolved}
    assert {one.status for one in solution.unsolved} <= {*TROUBLED}
    for category in STAYS:
        assert current.build.count(category) >= build.count(category)
    assert (solution.sum is None) is (not solution.steps)


@settings(deadline=None, max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000))
@example(seed=1)
def test_no_machine_fails_more_than_before(catalogue: Catalogue, seed: int) -> None:
    build = random_build(Random(seed))
    assert_it_holds(build, solve_all(build, catalogue))


@pytest.mark.parametrize("name", share(templates(), 3, rest=pytest.mark.soak))
def test_no_template_fails_afterwards_that_did_not(catalogue: Catalogue, name: str) -> None:
    assert_it_holds(templates()[name], solve_all(templates()[name], catalogue))


def test_most_of_a_first_attempt_is_solved(solved: Solution) -> None:
    assert_it_holds(ATTEMPT, solved)
    assert sum(failing(solved.before).values()) >= 5
    assert sum(failing(solved.after).values()) <= 1, "six cards and no board of this socket that seats them"


def test_the_answer_is_always_the_same(catalogue: Catalogue, solved: Solution) -> None:
    again = solve_all(ATTEMPT, catalogue)
    assert len(solved.steps) > 1
    assert again.steps == solved.steps
    assert again.after.build == solved.after.build


def test_the_next_fix_is_that_of_what_the_last_one_left(catalogue: Catalogue) -> None:
    """Cards that overlap, and a PSU that is too weak: two findings, two changes, and the sum names both."""
    build = changed(with_line(good_build(), part("gpu"), 4, (1, 2, 3, 4)), "psu", power_w=1000)
    solution = solve_all(build, catalogue)
    assert_it_holds(build, solution)
    assert not failing(solution.after)
    assert len(solution.steps) >= 2
    assert solution.sum.buys or solution.sum.wall_w


def test_no_step_is_left_that_the_others_make_needless(solved: Solution) -> None:
    """The power limit that made an overheated machine quieter, before its cards were replaced."""
    least = tally(solved.after)
    for left_out in solved.steps[:-1]:
        build = ATTEMPT
        try:
            for fix in solved.steps:
                build = build if fix is left_out else fix.edit.apply(build)
        except BadInput:
            continue
        assert tally(Assessment(build)) > least, left_out.title


def tally(assessment: Assessment) -> tuple[int, ...]:
    return tuple(sum(one.status is status for one in assessment.answers) for status in TROUBLED)


def test_what_cannot_be_solved_is_said_and_nothing_is_taken_out(catalogue: Catalogue) -> None:
    """Three cards on one slot: only going without two of them would do, and that is for a person to decide."""
    build = changed(with_line(good_build(), part("gpu"), 3, (1,)), "motherboard", slots=[slot(1)], socket="LGA775")
    build = changed(build, "cpu", socket="LGA775")
    solution = solve_all(build, catalogue)
    assert_it_holds(build, solution)
    assert "slot-placed" in {one.rule for one in solution.unsolved}
    assert solution.after.build.count(Category.GPU) == 3


def test_a_build_without_trouble_stays(catalogue: Catalogue) -> None:
    build = templates()["researcher-pc"]
    solution = solve_all(build, catalogue)
    assert (solution.steps, solution.sum, solution.unsolved) == ((), None, ())
    assert solution.edit.apply(build) == build


def test_it_ends_when_it_is_told_to(catalogue: Catalogue) -> None:
    calls = count()
    solution = solve_all(ATTEMPT, catalogue, goes_on=lambda: next(calls) < 2)
    assert len(solution.steps) <= 2
    assert_it_holds(ATTEMPT, solution)


def test_cards_that_were_placed_wrongly_get_other_slots_at_no_cost(catalogue: Catalogue) -> None:
    build = PlaceCards("gpu", (1, 2)).apply(with_line(good_build(), part("gpu"), 2, (1, 5)))
    solution = solve_all(build, catalogue)
    assert not failing(solution.after)
    assert solution.sum.buys == ()
