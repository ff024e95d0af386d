"""Nothing that is read ends in a traceback, hangs, or takes the memory: a few inputs each time, many in `make fuzz`."""

import os
import resource
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from core.platform.errors import RigwrightError
from tests.fuzz.mutate import mutated
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
LONGEST_S, HANGS_S = 2.0, 60.0
"""Of processor time for an input: what `make fuzz` allows, and what only a hang takes on the slowest machine."""
MOST_GROWTH_MB = 300
SECONDS = float(os.environ.get("FUZZ_SECONDS", "300"))
WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
NAMES = [target.name for target in TARGETS]


def feed(target: Target, content: bytes, folder: Path, *, longest_s: float = HANGS_S) -> None:
    """One input. A known error is an answer."""
    begun, before_kb = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with suppress(RigwrightError):
        target.run(content, folder)
    assert time.process_time() - begun < longest_s
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb) / 1024 < MOST_GROWTH_MB


@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
def test_what_is_right_is_read(target: Target, tmp_path: Path) -> None:
    for content in target.good():
        target.run(content, tmp_path)


@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
def test_a_few_hostile_inputs(target: Target, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder, good = tmp_path_factory.mktemp("fuzz"), target.good()

    @settings(max_examples=target.few, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(seed=st.integers(0, 2**32))
    def each(seed: int) -> None:
        feed(target, mutated(seed, good), folder)

    each()


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_what_was_found_once(path: Path, tmp_path: Path) -> None:
    """A file of the corpus is named by its target and a word: build.quantity."""
    target = TARGETS[NAMES.index(path.name.split(".")[0])]
    feed(target, path.read_bytes(), tmp_path)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
def test_many_hostile_inputs(target: Target, tmp_path: Path) -> None:
    """Each target for its part of the time. What fails is kept below the temporary folder, to go into the corpus."""
    share_s = SECONDS * WORKERS * target.share / sum(one.share for one in TARGETS)
    until, count, seed = time.monotonic() + share_s, 0, time.time_ns()
    good = target.good()
    while time.monotonic() < until:
        content = mutated(seed + count, good)
        try:
            feed(target, content, tmp_path, longest_s=LONGEST_S)
        except BaseException:
            failing = tmp_path / f"{target.name}.found"
            failing.write_bytes(content)
            print(f"kept in {failing}")  # noqa: T201 - for whoever runs it
            raise
        count += 1
    print(f"{target.name}: {count} inputs, {count / share_s:.0f} a second")  # noqa: T201
