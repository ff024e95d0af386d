"""Who waits for a driver that starts up is told what for, and for how long already."""

import time
from pathlib import Path

import pytest

from core.machine.telemetry.detect import told_meanwhile, waiting_words, waits_for_driver
from tests.patience import wait_for


def test_a_quick_answer_is_not_commented() -> None:
    waits_s: list[float] = []
    with told_meanwhile(waits_s.append, after_s=60.0):
        pass
    assert waits_s == []


def test_a_wait_is_reported_again_and_again_until_it_is_over() -> None:
    waits_s: list[float] = []
    with told_meanwhile(waits_s.append, after_s=0.05, every_s=0.02):
        wait_for(lambda: len(waits_s) >= 3, "what is told meanwhile")
    count = len(waits_s)
    assert waits_s[0] >= 0.05
    assert waits_s == sorted(waits_s)
    time.sleep(0.1)
    assert len(waits_s) == count, "nothing is said once the wait is over"


def test_an_error_passes_through() -> None:
    with pytest.raises(ValueError, match="no"), told_meanwhile(lambda _: None, after_s=60.0):
        raise ValueError("no")


@pytest.mark.parametrize("loaded", [True, False])
def test_the_driver_is_named_only_where_it_is_loaded(tmp_path: Path, *, loaded: bool) -> None:
    driver = tmp_path / "nvidia"
    if loaded:
        driver.mkdir()
    assert waits_for_driver(driver) is loaded
    words = waiting_words(12.3, for_driver=loaded)
    assert "12 s" in words
    assert ("NVIDIA" in words, "persistence mode" in words) == (loaded, loaded)
