"""Calls the command as a user does: with its words, in a data folder of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

import pytest

from core.cli.app import main
from tests.patience import PATIENCE_S

Run = Callable[..., subprocess.CompletedProcess[str]]
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def environment(data: Path, display: str | None = None) -> dict[str, str]:
    """Without a display unless one is given."""
    inherited = {name: value for name, value in os.environ.items() if name not in SCREENS}
    return inherited | {"RIGWRIGHT_DATA_DIR": str(data)} | ({"DISPLAY": display} if display else {})


@pytest.fixture
def rigwright(data_dir: Path) -> Run:
    """Calls `rigwright WORDS...` in `folder`, inside this process: what it prints and ends with is the same."""

    def run(*words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in range(2))
        with (
            patch.dict(os.environ, environment(data_dir), clear=True),
            patch.object(sys, "argv", ["rigwright", *words]),
            chdir(folder or Path.cwd()),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = main()
        return subprocess.CompletedProcess(words, int(code), *(_text(stream) for stream in (out, err)))

    return run


def _text(stream: TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, BytesIO)
    return stream.buffer.getvalue().decode()


@pytest.fixture
def process(data_dir: Path) -> Run:
    """Calls `rigwright WORDS...` in a process of its own, which takes seconds; for what only a process can show."""

    def run(*words: str, display: str | None = None, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "core.cli", *words],
            cwd=folder, env=environment(data_dir, display), stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip

    return run
