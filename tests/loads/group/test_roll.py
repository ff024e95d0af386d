"""The roll of a group: who came, who left, and who is gone without a word."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from core.loads.group.rank_process import Roll


def test_who_has_not_come_is_absent(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "meeting", 3)
    assert roll.absent() == [0, 1, 2]
    roll.enter(1, os.getpid())
    assert roll.absent() == [0, 2]
    assert roll.gone() == {}


def test_who_left_says_why_and_who_is_done_is_not_missed(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "meeting", 3)
    for rank in range(3):
        roll.enter(rank, os.getpid())
    roll.leave(0, "Stopped.", done=False)
    roll.leave(1, "All right.", done=True)
    assert Roll(tmp_path / "meeting", 3).gone() == {0: "Stopped."}
    assert roll.absent() == []


def test_a_process_that_vanished_is_gone(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "meeting", 2)
    process = psutil.Popen(["sleep", "600"])
    roll.enter(1, process.pid)
    assert roll.gone() == {}
    process.kill()
    process.wait()
    assert roll.gone() == {1: f"its process {process.pid} is gone"}


def test_a_zombie_is_gone_as_well(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "meeting", 1)
    process = psutil.Popen(["true"])
    roll.enter(0, process.pid)
    while process.status() != psutil.STATUS_ZOMBIE:
        pass
    assert list(roll.gone()) == [0]
    process.wait()
