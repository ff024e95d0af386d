"""Faults from outside: a bit flips in the memory of a running worker, at the address of a tensor, and the load fails.

Not by the product's own injector: see flipper.py. One flip of most kinds runs with the other tests, two hundred by
`make soak`.
"""

import itertools
import json
import queue
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import psutil
import pytest

from tests.loads.conftest import WorkerProcess
from tests.patience import PATIENCE_S, wait_for

pytestmark = [pytest.mark.process, pytest.mark.timeout(3600)]
FLIPPER = Path(__file__).with_name("flipper.py")
CPU = ("--device", "cpu", "--kind", "cpu", "--threads", "1")
FLIPS, FLIPS_IN_RANKS = 22, 6
"""Of each stage in the soak: together two hundred. Ranks take seconds to start."""
LONG_S = 3600.0
"""Of a load that is stopped as soon as it has told what it found."""
FOUND_WITHIN_S = 10.0
"""Of computing, however long the machine takes to give so much of it to the load."""
ATTEMPTS = 4
WARM_CHECKS = 3


@dataclass(frozen=True, slots=True)
class Stage:
    """A load, in which of its tensors a bit flips and in which process, and how the load names what it found."""

    load: str
    kind: str
    names: str
    params: dict[str, Any] = field(default_factory=dict)
    where: str = "worker"
    least: int = 8
    """Elements of the tensor: small tables of a load may be read once a minute."""

    def __str__(self) -> str:
        return f"{self.load}-{self.kind}"


GEMM = {"size": 256, "dtypes": "float32", "check_every": 1}
ANSWERS = {"size": 128, "dtypes": "int8", "iterations": 1_000_000}
"""In a floating-point sum of whole numbers the last bits of one of them are rounded away: no answer is wrong then."""
REPLAY = {"steps": 12, "runs": 1000}
SUMS = {"largest_mib": 1, "sustained_mib": 1, "warm_up": 0, "repeats": 1}
REPLICAS = {"networks": "transformer", "batch": 2, "hash_every": 10}
PLACE = r"row \d+, column \d+"
RUN = r"diverged from the first at step|but not its|not a number"
ALIKE = r"replicas differ|ran away|The loss is"
STAGES = (
    Stage("gemm", "rest", PLACE, GEMM),
    Stage("transients", "rest", PLACE, {"dtype": "float32", "periods_s": "0.1"}),
    Stage("known_answer", "rest", "known answer", ANSWERS, least=2**15),
    Stage("vram", "rest", r"block \d+, byte 0x", {"host_mib": 32}, least=2**17),
    Stage("host_link", "rest", "first at byte 0x", {"buffer_mib": 1, "transfers": 1}),
    Stage("replay", "rest", f"changed in memory|{RUN}", REPLAY),
    Stage("replay", "trained", RUN, REPLAY),
    Stage("replay", "moments", RUN, REPLAY),
    Stage("collectives", "rest", "sums are wrong, because 1 of the numbers it adds changed", SUMS, "rank-1"),
    Stage("data_parallel", "trained", ALIKE, REPLICAS, "rank-0"),
    Stage("data_parallel", "moments", ALIKE, REPLICAS, "rank-1"),
    Stage("data_parallel", "rest", f"changed in memory|{ALIKE}", REPLICAS, "rank-1"),
)
QUICK = STAGES[:-2]


@dataclass
class Flipped:
    """A worker in whose memory bits can be flipped."""

    process: WorkerProcess
    folder: Path
    meetings: Iterator[int] = field(default_factory=itertools.count)

    def start(self, stage: Stage) -> None:
        """Starts the load, and waits until it compares results; its ranks wait for that by themselves."""
        group = {"rank": 0, "size": 1, "meeting": str(self.folder / f"m{next(self.meetings)}"), "devices": ["cpu"]}
        place = {} if stage.where == "worker" else {"group": group}
        self.process.send("start", load=stage.load, seconds=LONG_S, params=stage.params, **place)
        before = self.checks()
        while stage.load != "data_parallel" and self.checks() <= before + WARM_CHECKS:
            pass

    def checks(self) -> int:
        return int(self.process.next("progress")["metrics"]["checks"])

    def ask(self, stage: Stage, kind: str, seed: int = 0) -> dict[str, Any]:
        """What the flipper answers: where it flipped a bit."""
        order, answer = self.folder / f"order-{stage.where}", self.folder / f"told-{stage.where}"
        answer.unlink(missing_ok=True)
        draft = self.folder / "draft"
        fields = {"kind": kind, "seed": seed, "together": stage.load == "data_parallel", "least": stage.least}
        draft.write_text(json.dumps(fields), encoding="utf-8")
        draft.replace(order)
        wait_for(answer.exists, f"somebody who flips something: {self.process.errors}")
        place: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        return place

    def fault(self) -> str | None:
        """The first fault that the load tells; None where it tells none."""
        enough_s, deadline = self._computed_s() + FOUND_WITHIN_S, monotonic() + PATIENCE_S
        while self._computed_s() < enough_s and monotonic() < deadline:
            with suppress(queue.Empty):
                return str(self.process.next("fault", within_s=1.0)["message"])
        return None

    def _computed_s(self) -> float:
        """Processor time so far, of the worker and of its ranks."""
        worker = psutil.Process(self.process.process.pid)
        computed_s = 0.0
        for one in (worker, *worker.children()):
            with suppress(psutil.NoSuchProcess):
                computed_s += sum(one.cpu_times()[:2])
        return computed_s

    def ended(self) -> dict[str, Any]:
        self.process.send("stop")
        return self.process.next("done")


@pytest.fixture(scope="module")
def flipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flipped]:
    folder = tmp_path_factory.mktemp("flips")
    worker = WorkerProcess(str(folder), "worker", *CPU, program=FLIPPER)
    worker.next("ready")
    yield Flipped(worker, folder)
    worker.end()


def flip_once(flipped: Flipped, stage: Stage, seed: int) -> None:
    """One bit, found."""
    flipped.start(stage)
    try:
        place, fault = first_found(flipped, stage, seed)
    finally:
        ending = flipped.ended()
    context = f"{stage}, seed {seed}: {place}: {fault or ending['reason']}"
    assert fault, context
    assert re.search(stage.names, fault), context
    assert ending["status"] == "failed", context


def first_found(flipped: Flipped, stage: Stage, seed: int) -> tuple[Any, str | None]:
    """Where a bit was flipped and what the load tells of it.

    Room that is written anew before it is read holds no fault: then another place is tried.
    """
    place, fault = None, None
    for attempt in range(ATTEMPTS):
        place = flipped.ask(stage, stage.kind, seed + 1000 * attempt)
        fault = flipped.fault()
        if fault or stage.kind != "rest" or flipped.ask(stage, "look")["still"]:
            break
    return place, fault


@pytest.mark.parametrize("stage", QUICK, ids=str)
def test_a_flipped_bit_is_found_in_every_stage(flipped: Flipped, stage: Stage) -> None:
    flip_once(flipped, stage, 1)


@pytest.mark.soak
@pytest.mark.parametrize("stage", STAGES, ids=str)
def test_every_flipped_bit_is_found(flipped: Flipped, stage: Stage) -> None:
    for seed in range(2, 2 + (FLIPS if stage.where == "worker" else FLIPS_IN_RANKS)):
        flip_once(flipped, stage, seed)


def test_plain_training_vouches_for_the_loss_alone(flipped: Flipped) -> None:
    """It may see the bit or not, and says so."""
    training = Stage("transformer", "trained", "")
    flipped.start(training)
    flipped.ask(training, "trained", 3)
    assert flipped.ended()["evidence"]["vouches_for"] == ["loss"]
