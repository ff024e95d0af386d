"""Builds the stand-in for the NVIDIA driver's library, and runs Python so that the real binding loads it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE_S

SOURCES = Path(__file__).parent


class FakeDriver:
    """A folder with the library in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def environment(self, **settings: object) -> dict[str, str]:
        """`init=9` becomes FAKE_NVML_INIT=9; the settings are explained in stand_in.h."""
        variables = {f"FAKE_NVML_{name.upper()}": str(value) for name, value in settings.items()}
        return os.environ | {"LD_LIBRARY_PATH": str(self._folder)} | variables

    def run(self, program: str, **settings: object) -> Any:
        """Runs a program in a child and returns what it printed as JSON."""
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=self.environment(**settings),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def build(folder: Path, *options: str) -> FakeDriver:
    """Compiles the library into the folder; skips the test where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler: it builds the stand-in for the NVIDIA driver (on Debian: apt install gcc)")
    strict = ("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
    target = folder / "libnvidia-ml.so.1"
    subprocess.run(
        [compiler, *strict, *options, "-o", target, *SOURCES.glob("*.c"), "-lm"], check=True, timeout=PATIENCE_S
    )
    return FakeDriver(folder)
