"""A stand-in for the NVIDIA driver's library, built once, and the processes that talk to it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

SOURCES = Path(__file__).parent.parent / "fake_nvml"


class FakeDriver:
    """Builds environments and runs Python in them, so that the real binding loads the stand-in."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def environment(self, **settings: object) -> dict[str, str]:
        """`init=9` becomes FAKE_NVML_INIT=9; the settings are explained in stand_in.h."""
        told = {f"FAKE_NVML_{name.upper()}": str(value) for name, value in settings.items()}
        return os.environ | {"LD_LIBRARY_PATH": str(self._folder)} | told

    def run(self, program: str, **settings: object) -> Any:
        """Runs a program in a child and returns what it printed as JSON."""
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=self.environment(**settings),
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def _build(folder: Path, *options: str) -> FakeDriver:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler: it builds the stand-in for the NVIDIA driver (on Debian: apt install gcc)")
    strict = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
    target = folder / "libnvidia-ml.so.1"
    subprocess.run([compiler, *strict, *options, "-o", target, *SOURCES.glob("*.c")], check=True, timeout=60)
    return FakeDriver(folder)


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    return _build(tmp_path_factory.mktemp("driver"))


@pytest.fixture(scope="session")
def old_driver(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    return _build(tmp_path_factory.mktemp("old_driver"), "-DOLD_DRIVER")


class SamplerProcess:
    """A running sampler, spoken to as the runner does."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "core.telemetry.sampler", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            text=True,
        )

    def next(self, type_: str) -> dict[str, Any]:
        """The next report of a type; the test's timeout bounds the wait."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if message["type"] == type_:
                return dict(message)
        raise AssertionError(f"the sampler ended without {type_}: {self.process.communicate()[1]}")

    def tell(self, message: dict[str, Any] | str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self.process.stdin.flush()

    def hang_up(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()


@pytest.fixture
def sampler() -> Iterator[Callable[..., SamplerProcess]]:
    running: list[SamplerProcess] = []

    def start(*arguments: str, env: dict[str, str] | None = None) -> SamplerProcess:
        running.append(SamplerProcess(*arguments, env=env))
        return running[-1]

    yield start
    for process in running:
        process.end()
