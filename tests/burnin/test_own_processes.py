"""Whether a process that the kernel names is one of the run's: by number and parents, or else by its name."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from core.burnin.run.machine import is_of_run

KERNELS, CONTAINERS = "pid:[4026531836]", "pid:[4026532999]"
GONE = 2**31 - 1


@pytest.fixture
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    (tmp_path / "ns").mkdir()
    (tmp_path / "ns" / "pid").symlink_to(request.param)
    return tmp_path


@pytest.mark.parametrize("root", [KERNELS, CONTAINERS], indirect=True)
def test_the_runner_and_its_workers_are_ours_whatever_they_are_called(root: Path) -> None:
    assert is_of_run(os.getpid(), "any", [], root)
    assert is_of_run(42, "any", [42], root)


@pytest.mark.parametrize("root", [KERNELS], indirect=True)
def test_a_living_process_is_ours_by_its_parents_alone(root: Path) -> None:
    parent = psutil.Process().parent()
    assert parent is not None
    assert not is_of_run(parent.pid, "python3", [], root), "what started us is none of ours"
    above = [process.pid for process in psutil.Process(parent.pid).parents()]
    assert is_of_run(parent.pid, "plasmashell", above[:1], root) is bool(above)


@pytest.mark.parametrize(
    ("root", "pid"), [(KERNELS, GONE), (CONTAINERS, GONE), (CONTAINERS, os.getppid())], indirect=["root"]
)
@pytest.mark.parametrize(
    ("program", "ours"), [("python3", True), ("pt_main_thread", True), ("plasmashell", False), ("", True)]
)
def test_the_name_decides_where_the_number_says_nothing(root: Path, pid: int, program: str, ours: bool) -> None:
    assert is_of_run(pid, program, [], root) is ours
