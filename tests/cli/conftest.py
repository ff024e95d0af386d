"""Runs the command as a user does, in a process of its own and a data folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def rigwright(tmp_path: Path) -> Run:
    """Calls `rigwright WORDS...` in `folder`; without a display unless `display` is given."""

    def run(*words: str, display: str | None = None, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
        environment = {name: value for name, value in os.environ.items() if name not in screens}
        environment |= {"RIGWRIGHT_DATA_DIR": str(tmp_path / "data")} | ({"DISPLAY": display} if display else {})
        return subprocess.run(
            [sys.executable, "-m", "core.cli", *words],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=110,
            check=False,
        )  # fmt: skip

    return run
