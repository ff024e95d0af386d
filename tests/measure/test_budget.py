"""One budget of time for all parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.measure.measurement import TITLES, WISHES, Budget, Wish


class Clock:
    """Stands still but for what is spent."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_enough_time_grants_every_wish_and_no_more() -> None:
    clock = Clock()
    budget = Budget(1000.0, {"a": Wish(100, 10), "b": Wish(50, 10)}, clock=clock)
    assert budget.grant("a") == 100
    clock.now_s += 100
    assert budget.grant("b") == 50


def test_short_time_cuts_all_alike_and_what_is_left_over_goes_on() -> None:
    clock = Clock()
    budget = Budget(100.0, {"a": Wish(100, 10), "b": Wish(100, 10)}, clock=clock)
    assert budget.grant("a") == pytest.approx(50)
    clock.now_s += 20  # it ended early
    assert budget.grant("b") == pytest.approx(80)


def test_a_part_that_overruns_takes_from_those_after_it_until_they_are_not_worth_starting() -> None:
    clock = Clock()
    budget = Budget(100.0, {"a": Wish(60, 10), "b": Wish(60, 30), "c": Wish(20, 20)}, clock=clock)
    budget.grant("a")
    clock.now_s += 65
    assert budget.grant("b") == 30
    clock.now_s += 30
    assert budget.grant("c") is None


@given(
    total_s=st.floats(1, 1000),
    wishes=st.lists(st.tuples(st.floats(1, 300), st.floats(0.1, 1), st.floats(0, 1)), min_size=1, max_size=6),
)
def test_parts_that_keep_their_time_never_overrun_the_whole(
    total_s: float, wishes: list[tuple[float, float, float]]
) -> None:
    clock = Clock()
    named = {str(place): Wish(most, most * share) for place, (most, share, _) in enumerate(wishes)}
    budget = Budget(total_s, named, clock=clock)
    for place, (_, _, used) in enumerate(wishes):
        granted = budget.grant(str(place))
        if granted is not None:
            assert named[str(place)].least_s <= granted * (1 + 1e-9)
            assert granted <= budget.left_s * (1 + 1e-9)
            clock.now_s += granted * used
    assert clock.now_s <= 1000.0 + total_s * (1 + 1e-9)


def test_every_part_has_its_time_and_title() -> None:
    assert WISHES.keys() == TITLES.keys()
    assert all(wish.least_s < wish.most_s for wish in WISHES.values())
