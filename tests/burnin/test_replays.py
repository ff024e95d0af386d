"""Hashes of the same training on several devices: who differs from most has failed; two alone are to be looked at."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.rows import Outcome
from core.burnin.stages.replay import compare_replays
from core.loads.training.contract import ReplayedTraining

FAIL, WARN = Outcome.FAIL, Outcome.WARN


HASHES = {"loss_hash", "weight_hash"}
ALIKE = [one.name for one in fields(ReplayedTraining) if one.name not in HASHES]


def replay(weights: str, *, losses: str = "l", **other: Any) -> ReplayedTraining:
    alike = dict.fromkeys(ALIKE, "same") | {"shape": {"layers": 8}} | other
    return ReplayedTraining(**alike, loss_hash=losses, weight_hash=weights)


@pytest.mark.parametrize(
    ("weights", "outcomes"),
    [
        ("a", {}),
        ("aa", {}),
        ("aaaaaaaa", {}),
        ("ab", {0: WARN, 1: WARN}),
        ("aab", {2: FAIL}),
        ("baa", {0: FAIL}),
        ("abc", {0: WARN, 1: WARN, 2: WARN}),
        ("aabb", {0: WARN, 1: WARN, 2: WARN, 3: WARN}),
        ("aaabb", {3: FAIL, 4: FAIL}),
        ("aaabc", {3: FAIL, 4: FAIL}),
    ],
)
def test_the_minority_has_failed(weights: str, outcomes: dict[int, Outcome]) -> None:
    reasons = compare_replays({str(place): replay(letter) for place, letter in enumerate(weights)})
    assert {int(device): reason.outcome for device, reason in reasons.items()} == outcomes


def test_the_losses_count_as_the_weights_do() -> None:
    reasons = compare_replays({"0": replay("a"), "1": replay("a"), "2": replay("a", losses="other")})
    assert list(reasons) == ["2"]
    assert "different bits than on 2 of 3 devices" in reasons["2"].text


@pytest.mark.parametrize("field", ALIKE)
def test_what_was_not_the_same_training_is_not_compared(field: str) -> None:
    assert compare_replays({"0": replay("a"), "1": replay("b", **{field: "another"})}) == {}


def test_each_model_votes_for_itself() -> None:
    found = {"0": replay("a"), "1": replay("a"), "2": replay("b", device="other"), "3": replay("c", device="other")}
    reasons = compare_replays(found)
    assert set(reasons) == {"2", "3"}
    assert {reason.outcome for reason in reasons.values()} == {WARN}
    assert "which of them is wrong" in reasons["2"].text


@given(st.lists(st.sampled_from("abc"), max_size=9))
def test_the_majority_is_never_accused(letters: list[str]) -> None:
    reasons = compare_replays({str(place): replay(letter) for place, letter in enumerate(letters)})
    for letter in set(letters):
        if 2 * letters.count(letter) > len(letters) >= 3:
            accused = [int(device) for device in reasons]
            assert all(letters[place] != letter for place in accused)
    if any(reason.outcome is FAIL for reason in reasons.values()):
        assert len(letters) >= 3
