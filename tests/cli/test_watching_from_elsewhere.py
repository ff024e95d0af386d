"""A run is watched from two terminals at once, and stopped from a third; both say its verdict."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.process


def start(data: Path, *words: str) -> subprocess.Popen[str]:
    """A command that goes on while the test does."""
    return subprocess.Popen(
        [sys.executable, "-m", "core.cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RIGWRIGHT_DATA_DIR": str(data)},
    )


def test_two_watch_a_third_stops(rigwright: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    burn = start(data, "burn", "--simulate", "6x3090", "--build", "six-rtx-3090-quiet")
    assert burn.stderr is not None
    while "Preflight started" not in burn.stderr.readline():
        assert burn.poll() is None
    watchers = [start(data, "watch"), start(data, "watch", "1", "--json")]
    for watcher in watchers:
        assert watcher.poll() is None
    assert rigwright("stop").returncode == 0
    text, document = (watcher.communicate(timeout=60)[0] for watcher in watchers)
    assert "INCOMPLETE" in text
    assert json.loads(document)["status"] == "finished"
    burn.communicate(timeout=60)
    assert [process.returncode for process in (burn, *watchers)] == [4, 4, 4]
    assert rigwright("watch").returncode == 4  # a finished run shows how it ended

    written = tmp_path / "run.json", tmp_path / "run.html", tmp_path / "run.pdf"
    ended = rigwright("report", "1", *(word for path in written for word in ("-o", str(path))))
    assert ended.returncode == 0, ended.stderr
    assert [path for path in written if str(path) not in ended.stdout] == []
    assert "Six RTX 3090, quiet" in written[0].read_text(encoding="utf-8")
