"""A stand-in for the NVIDIA driver's library, built once, and the processes that talk to it."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from core.platform.protocol import decode
from tests.fake_nvml.stand_in import FakeDriver, build


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    return build(tmp_path_factory.mktemp("driver"))


@pytest.fixture(scope="session")
def old_driver(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    return build(tmp_path_factory.mktemp("old_driver"), "-DOLD_DRIVER")


class SamplerProcess:
    """A running sampler, spoken to as the runner does."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "core.machine.telemetry.sampler", *arguments],
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
            message = decode(line)
            if message is not None and message["type"] == type_:
                return dict(message)
        raise AssertionError(f"the sampler ended without {type_}: {self.process.communicate()[1]}")

    def tell(self, message: dict[str, Any] | str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self.process.stdin.flush()

    def hang_up(self) -> None:
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
