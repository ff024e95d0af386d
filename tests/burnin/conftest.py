"""What the tests of burning in share: short profiles, waiting for a condition, a store in a fresh folder."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, start_run
from core.platform.processes import own_python
from tests.burnin.processes import View, Viewer, WriteProfile, family, profile_in


@pytest.fixture
def write_profile(tmp_path: Path) -> WriteProfile:
    """Writes a profile of (kind, seconds, params) stages and returns its path."""
    return partial(profile_in, tmp_path)


@pytest.fixture
def start(tmp_path: Path, store: RunStore) -> Iterator[Callable[..., int]]:
    """Starts a run and, when the test is over, makes sure that nothing of it is left."""
    started: list[int] = []

    def go(profile: str, **order: Any) -> int:
        run_id = start_run(tmp_path, BurnOrder(profile=profile, **order))
        started.append(run_id)
        return run_id

    yield go
    for run_id in started:
        for process in family(store, run_id):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


@pytest.fixture
def view(tmp_path: Path) -> Iterator[View]:
    """Starts commands of the program; none is left in the end."""
    viewers: list[Viewer] = []

    def go(*words: str, folder: Path = tmp_path) -> Viewer:
        output = tmp_path / f"viewer-{len(viewers)}"
        env = os.environ | {"RIGWRIGHT_DATA_DIR": str(folder), "COLUMNS": "400"}
        command = own_python("-m", "core.cli", *words)
        with output.open("wb") as stream:
            viewers.append(Viewer(subprocess.Popen(command, env=env, stdout=stream, stderr=stream), output))
        return viewers[-1]

    yield go
    for viewer in viewers:
        viewer.process.kill()
        viewer.process.wait()


@pytest.fixture
def sabotage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Runs some code at the start of every Python process that is started from now on."""

    def at_every_start(code: str) -> None:
        (tmp_path / "sitecustomize.py").write_text(code, encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)

    return at_every_start
