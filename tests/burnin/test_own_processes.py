"""Whether a process that the kernel names is one of the run's: by number, in a container by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.burnin.run.own_processes import is_of_run


@pytest.mark.parametrize(
    ("namespace", "pid", "program", "ours"),
    [
        ("pid:[4026531836]", 42, "python3", True),
        ("pid:[4026531836]", 43, "python3", False),
        ("pid:[4026531836]", 43, "plasmashell", False),
        ("pid:[4026532999]", 43, "python3", True),
        ("pid:[4026532999]", 43, "pt_main_thread", True),
        ("pid:[4026532999]", 43, "plasmashell", False),
    ],
)
def test_numbers_count_where_they_are_the_kernels(
    tmp_path: Path, namespace: str, pid: int, program: str, ours: bool
) -> None:
    (tmp_path / "ns").mkdir()
    (tmp_path / "ns" / "pid").symlink_to(namespace)
    assert is_of_run(pid, program, [42], tmp_path) is ours


def test_the_runner_is_one_of_them(tmp_path: Path) -> None:
    assert is_of_run(os.getpid(), "any", [], tmp_path)
