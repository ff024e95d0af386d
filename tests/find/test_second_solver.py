"""Another method finds the same cheapest machine (minutes: CP-SAT needs a round for each conflict)."""

from pathlib import Path

import pytest

from core.find.candidates import Offers, candidates
from core.find.search import Objective, search
from tests.find.second_solver import SecondSolver
from tests.find.tiny import key_by_itself, small
from tests.find.wishes import offers_in, twenty_wishes

ROUNDS = 150


@pytest.fixture(scope="module")
def offers(module_data_dir: Path) -> Offers:
    return offers_in(module_data_dir)


@pytest.mark.parametrize("seed", [2, 3, 4, 14, 17])
def test_both_find_the_same_in_tiny_catalogues(seed: int) -> None:
    wish, among = small(seed)
    wish = wish.without("noise_dba")
    best, other = search(wish, among, Objective.CHEAPEST).best, SecondSolver(wish, among).cheapest(ROUNDS)
    assert other.cents == (None if best is None else best.cents)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(20))
def test_both_find_the_same_of_all_parts(offers: Offers, number: int) -> None:
    """Without a limit of noise, which only shows in whole machines: the solver would try them one by one."""
    wish = twenty_wishes()[number].wish
    wish = wish if wish.noise_dba is None else wish.without("noise_dba")
    among = candidates(wish, offers)
    outcome = search(wish, among, Objective.CHEAPEST)
    other = SecondSolver(wish, among).cheapest(ROUNDS)
    if outcome.best is None:
        assert other.cents is None
    else:
        assert key_by_itself(wish, outcome.best.choices, Objective.CHEAPEST) is not None
        assert other.cents == outcome.best.cents or not outcome.proven
        assert other.cents is not None
        assert other.cents <= outcome.best.cents
