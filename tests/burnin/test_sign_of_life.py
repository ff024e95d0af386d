"""How long the workers went without a sign of life, as the runner asks it after it stood still."""

from __future__ import annotations

import time

import pytest

from core.burnin.children.sign_of_life import SignOfLife


def test_a_stop_is_noticed_even_before_the_thread_that_gives_the_signs_has_woken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    signs = SignOfLife(lambda: (), lambda: now_s[0], unwatched_s=10.0)
    now_s[0] += 0.25
    assert signs.take_longest_s() == pytest.approx(0.25)
    now_s[0] += 3.0  # the process was stopped; the thread that gives the signs is not started, or has not woken
    assert signs.take_longest_s() == pytest.approx(3.0)
    assert signs.take_longest_s() == 0.0, "told once"
