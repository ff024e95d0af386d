"""What every load of the table keeps, in all that the frame promises: it is not passed before it ran, its checks are
tried, it gets smaller, and a fault that was ordered proves something only where it was injected and found.

Those of a group run as real ranks in tests/loads/group.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from core.loads.backend import make_load
from core.loads.evidence import Injected, RunEvidence
from core.loads.findings import SEEN_BY_OTHERS, Drill, Findings, proven
from core.loads.load import Ending, Load, LoadStatus, RankGroup, StepReport
from core.loads.machine import disk, processors
from core.loads.machine import load as machine
from core.loads.machine.disk import Disk
from core.loads.params import LoadParams
from core.loads.table import LOADS, load_entry, open_simulated
from core.loads.training import sizes
from core.loads.verified_load import VerifiedLoad
from tests.loads.conftest import MemoryChannel, OverTheLink, driven
from tests.patience import PATIENCE_S, given_time

CPU = torch.device("cpu")
MIB = 2**20
NEVER = 10**9
TINY_MODEL = {"layers": 2, "width": 32, "heads": 2, "vocabulary": 64, "context": 24, "generated": 8}
TINY_GPT = {"layers": 2, "width": 32, "heads": 2, "context": 16, "batch": 4, "vocabulary": 64}
SMALL: dict[str, dict[str, Any]] = {
    "known_answer": {"size": 128, "iterations": 3, "dtypes": "float32"},
    "vram": {"host_mib": 4, "block_mib": 1, "passes": 1},
    "bandwidth": {"buffer_mib": 4},
    "host_link": {"buffer_mib": 1, "transfers": 2},
    "functional_units": {"elements": 4096, "copy_mib": 1},
    "gemm": {"size": 128, "dtypes": "float32"},
    "transients": {"periods_s": "0.05", "steps_pct": "100"},
    "resnet": {"image": 32, "width": 4, "classes": 10, "batch": 4},
    "lstm": {"layers": 2, "width": 16, "length": 6, "vocabulary": 32, "batch": 4, "learning_rate": 0.02},
    "transformer": TINY_GPT,
    "inference": TINY_MODEL,
    "own_module": {"module": "drilled_module:factory"},
    "replay": {"steps": 8, "runs": 2},
    "machine": {"memory_share_pct": 0.1, "disk_mib": 16},
}
"""Parameters of loads that a CPU runs alone, small enough for a test."""
MODULE = """
import torch
from torch import nn

def factory(device):
    network = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    answers = torch.arange(10) % 4
    return network, lambda: torch.randn(10, 8), lambda network, batch: nn.functional.cross_entropy(
        network(batch), answers)
"""
ALONE = [(name, kind) for name in SMALL for kind in load_entry(name).params.injectable if kind not in SEEN_BY_OTHERS]
SIMULATED = [(entry.name, kind) for entry in LOADS for kind in entry.params.injectable if kind not in SEEN_BY_OTHERS]
SOMETIMES = {"warnings", "injected_on_purpose"}


def tolerant(result: torch.Tensor, golden: torch.Tensor) -> torch.Tensor:
    return torch.count_nonzero((result - golden).abs() > 1e-3)


def nothing(*_: Any) -> torch.Tensor:
    return torch.tensor(0)


BLIND: tuple[tuple[str, str, Any, str], ...] = (
    ("gemm", "products.verify.count_differences", nothing, "bit flip"),
    ("gemm", "products.verify.count_differences", tolerant, "bit flip"),
    ("gemm", "products.verify.count_not_finite", nothing, "NaN"),
    ("gemm", "products.verify.KnownAnswer.problem", lambda *_: None, "repeatable wrong value"),
    ("known_answer", "products.verify.KnownAnswer.problem", lambda *_: None, "repeatable wrong value"),
    ("known_answer", "memory.patterns.unequal", nothing, "stuck address"),
    ("known_answer", "words.Words._counts", lambda *_: iter([torch.tensor(0)]), "corrupted transfer"),
    ("known_answer", "training.judging.fingerprint", lambda _: 0, "diverging replica"),
    ("transients", "products.verify.count_differences", nothing, "bit flip"),
    ("vram", "memory.patterns.unequal", nothing, "stuck bit"),
    ("bandwidth", "words.Words.wrong", nothing, "corrupted transfer"),
    ("host_link", "words.Words._counts", lambda *_: iter([torch.tensor(0)]), "corrupted transfer"),
    ("functional_units", "units.computing.UnitOperation.problem", lambda *_: None, "bit flip"),
    ("machine", "machine.processors.Golden.differs", lambda *_: False, "bit flip"),
    ("transformer", "training.judging.Curve.add", lambda *_: None, "NaN"),
    ("replay", "training.judging.fingerprint", lambda _: 0, "bit flip"),
    ("inference", "products.verify.count_differences", nothing, "bit flip"),
    ("inference", "training.judging.fingerprints", lambda tensors: [0 for _ in tensors], "bit flip"),
    ("inference", "products.verify.count_not_finite", nothing, "NaN"),
    ("inference", "inference.load.difference", lambda *_: 0.0, "repeatable wrong value"),
)
"""Loads, a check of theirs that sees nothing any more, and the kind of fault that is missed then."""
SMALLER: tuple[tuple[str, dict[str, Any], str, list[Any]], ...] = (
    ("gemm", {"size": 1024}, "sizes_tried", [[1024], [1024, 512], [1024, 512, 256]]),
    ("bandwidth", {}, "buffer_bytes", [4 * MIB, 2 * MIB, MIB]),
    ("host_link", {"buffer_mib": 4}, "buffer_bytes", [4 * MIB, 2 * MIB, MIB]),
    ("functional_units", {"elements": 2**16}, "elements", [2**16, 2**15, 2**14]),
    ("resnet", {}, "shape", [4, 2]),
    ("lstm", {}, "shape", [4, 2, 1]),
    ("transformer", {}, "shape", [4, 2, 1]),
    ("replay", {}, "runs", [0]),
    ("inference", {"requests": 4}, "requests", [4, 2, 1, 1]),
    ("inference", {"layers": 4}, "model", [4, 2, 1]),
)
"""Loads with their parameters, and the sizes that they come to one after another."""
CHECKED_LATER = {("transformer", "nan"), ("replay", "bitflip"), ("vram", "bitflip"), ("inference", "weights")}
"""Loads and faults of which the check comes many steps later."""
GROUP = RankGroup(0, 2, "/nowhere", ("SIM-0", "SIM-1"))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(processors, "SIZE", 128)
    monkeypatch.setattr(disk, "IN_MEMORY", frozenset())
    monkeypatch.setattr(sizes, "CPU_GPT", replace(sizes.CPU_GPT, **TINY_GPT))
    (tmp_path / "drilled_module.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)


def made(name: str, folder: Path, **params: Any) -> Load:
    own = {"folder": str(folder)} if name == "machine" else {}
    all_params = {**SMALL[name], **own, **params}
    if name == "host_link":
        return OverTheLink(load_entry(name).params(**all_params), CPU)  # type: ignore[arg-type]
    return make_load(name, all_params, device=CPU)


def injected(ending: Ending) -> Injected:
    fault = ending.evidence.injected_on_purpose
    assert fault is not None
    return fault


def test_every_load_of_the_table_is_here_or_runs_in_a_group() -> None:
    assert set(SMALL) == {entry.name for entry in LOADS if not entry.together}


@pytest.mark.parametrize("name", SMALL)
def test_a_load_that_has_not_run_has_not_passed(name: str, tmp_path: Path) -> None:
    ending = made(name, tmp_path).finish()
    assert (ending.status, ending.evidence.checks, ending.evidence.errors) == (LoadStatus.NOT_RUN, 0, 0)
    assert type(ending.evidence) is load_entry(name).evidence


@pytest.mark.parametrize("name", sorted({*SMALL} - {"replay"}))
def test_the_simulated_one_tells_what_the_real_one_tells(name: str, tmp_path: Path) -> None:
    """Under the same names. That of replays is in test_simulated.py: the real one must have run."""
    real = set(made(name, tmp_path).finish().evidence.as_dict())
    own = {"module": "a:b"} if name == "own_module" else {}
    simulated = set(open_simulated("RTX 3090", device_id="SIM-0").make(name, own).finish().evidence.as_dict())
    assert real - SOMETIMES == simulated - SOMETIMES - {"simulated"}


@pytest.mark.parametrize(("name", "place", "blind", "kind"), BLIND)
def test_a_blind_check_fails_the_self_test(
    name: str, place: str, blind: Any, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever else it computed."""
    monkeypatch.setattr(f"core.loads.{place}", blind)

    def run(seconds: float) -> Ending:
        return driven(made(name, tmp_path), MemoryChannel(), seconds)

    ending = given_time(run, 0.02, lambda one: one.status is not LoadStatus.NOT_RUN)
    assert ending.status is LoadStatus.FAILED
    assert ending.reason.startswith("self-test: the checks missed an injected")
    assert f"an injected {kind} (not seen" in ending.reason
    assert (ending.evidence.self_test or {})[kind].startswith("not seen")


@pytest.mark.parametrize(("name", "params", "figure", "sizes"), SMALLER)
def test_a_load_gets_smaller_down_to_what_is_sensible(
    name: str, params: dict[str, Any], figure: str, sizes: list[Any], tmp_path: Path
) -> None:
    load = made(name, tmp_path, **params)
    figures = [load.finish().evidence.as_dict()[figure]]
    while load.shrink():
        figures.append(load.finish().evidence.as_dict()[figure])
    inner = {"shape": "batch", "model": "layers"}.get(figure)
    assert [one[inner] if inner else one for one in figures] == sizes


@pytest.mark.parametrize(("name", "kind"), ALONE)
def test_a_fault_that_never_struck_is_not_run(name: str, kind: str, channel: Any, tmp_path: Path) -> None:
    def run(seconds: float) -> Ending:
        return driven(made(name, tmp_path, inject=kind, inject_at=NEVER), channel, seconds)

    if kind == "repeatable":
        pytest.skip("is in every result from the first one on")
    ending = given_time(run, 0.02, lambda one: "was never injected" in one.reason)
    assert (ending.status, injected(ending).times) == (LoadStatus.NOT_RUN, 0), ending.reason
    assert f"({kind}, from iteration {NEVER}) was never injected" in ending.reason


@pytest.mark.parametrize(("name", "kind"), ALONE)
def test_a_fault_that_struck_and_was_checked_fails_the_load(name: str, kind: str, channel: Any, tmp_path: Path) -> None:
    def run(seconds: float) -> Ending:
        return driven(made(name, tmp_path, inject=kind), channel, seconds)

    ending = given_time(run, 0.02, lambda one: one.status is not LoadStatus.NOT_RUN)
    fault = injected(ending)
    assert ending.status is LoadStatus.FAILED, ending.reason
    assert "(injected on purpose)" in ending.reason
    assert fault.kind == kind
    assert fault.times
    assert fault.where
    assert fault.found_by
    assert fault.found_by in ending.reason


@pytest.mark.parametrize(("name", "kind"), ALONE)
def test_a_load_that_ends_as_soon_as_the_fault_struck_never_passes(name: str, kind: str, tmp_path: Path) -> None:
    """Where the check comes in the same step it is a failure, else nothing was proven."""
    load = made(name, tmp_path, inject=kind)
    with closing(load.steps(PATIENCE_S)) as steps:  # type: ignore[type-var]
        next(report for report in steps if struck(load))
    ending = load.finish()
    expected = LoadStatus.FAILED if injected(ending).found_by else LoadStatus.NOT_RUN
    assert ending.status is expected, ending.reason
    assert ending.status is LoadStatus.NOT_RUN or (name, kind) not in CHECKED_LATER


def struck(load: Load) -> bool:
    fault = load.finish().evidence.injected_on_purpose
    return fault is not None and bool(fault.times)


def test_a_disk_whose_spoilt_byte_was_not_read_is_not_run(tmp_path: Path) -> None:
    """As it stood: the first quarter of the file was read, and the byte lies in the middle."""
    drilled = Disk(tmp_path, 16 * 2**20, Findings(Drill("disk")), write_at_most=2**30, seed=1)
    with closing(drilled.turns()) as turns:
        next(report for report in turns if drilled.read_bytes)
    assert (drilled.findings.drill.times, drilled.read_bytes, drilled.unread) == (1, 4 * 2**20, True)
    evidence = RunEvidence(injected_on_purpose=drilled.findings.drill.evidence())
    ending = proven(Ending(LoadStatus.PASSED, "40 results checked, none wrong.", evidence))
    assert ending.status is LoadStatus.NOT_RUN
    assert ending.reason.startswith("A fault (disk) was injected (byte 8388608 of the file), but no check found it")


def test_the_machine_load_reads_the_whole_file_after_the_fault_whatever_its_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Bound by work: the time is over in the moment in which the byte is spoilt, and the file is read all the same."""
    load = made("machine", tmp_path, inject="disk", parts="disk")
    real, over = time.monotonic, float("inf")
    monkeypatch.setattr(machine.time, "monotonic", lambda: over if struck(load) else real())
    faults = [fault for report in load.steps(PATIENCE_S) for fault in report.faults]
    ending = load.finish()
    assert "the disk gave 1 wrong byte" in faults[0].message
    assert ending.status is LoadStatus.FAILED
    assert (injected(ending).found_by or "").startswith("the disk gave 1 wrong byte (first at byte 8388608")


@pytest.mark.parametrize(("name", "kind"), SIMULATED)
def test_simulated_drills_end_like_real_ones(name: str, kind: str, channel: Any) -> None:
    def run(at: int) -> Ending:
        bench = open_simulated("RTX 3090", device_id="SIM-0")
        group = GROUP if load_entry(name).together else None
        own = {"module": "a:b"} if name == "own_module" else {}
        return driven(bench.make(name, {**own, "inject": kind, "inject_at": at}, group), channel, 0.2)

    never, now = run(NEVER), run(0)
    assert (never.status, injected(never).times) == (LoadStatus.NOT_RUN, 0)
    assert (now.status, injected(now).kind, bool(injected(now).found_by)) == (LoadStatus.FAILED, kind, True)
    assert now.reason.startswith("SIMULATED")


@pytest.mark.parametrize("kind", ["die", "hang"])
def test_a_simulated_process_that_was_to_fail_and_did_not_is_not_run(kind: str, channel: Any) -> None:
    load = open_simulated("RTX 3090", device_id="SIM-0").make("gemm", {"inject": kind, "inject_at": NEVER})
    assert driven(load, channel, 0.2).status is LoadStatus.NOT_RUN


class Passes(VerifiedLoad[LoadParams]):
    """A load that passes and knows nothing of the fault that it was asked to inject."""

    def _run(self) -> Iterator[StepReport]:
        yield self._findings.right()

    def _evidence(self) -> RunEvidence:
        return RunEvidence()

    def _unfinished(self) -> None:
        return None

    def _passed(self) -> str:
        return "None wrong."


def test_a_load_that_ignores_its_drill_does_not_pass(channel: Any) -> None:
    class Ordered(LoadParams):
        injectable = ("bitflip",)

    ending = driven(Passes(Ordered(inject="bitflip")), channel, 1)
    assert ending.status is LoadStatus.NOT_RUN
    assert "The fault to inject (bitflip, from iteration 0) was never injected" in ending.reason
    assert driven(Passes(LoadParams()), channel, 1).status is LoadStatus.PASSED


def test_what_was_wrong_before_the_fault_struck_is_not_called_injected() -> None:
    findings = Findings(Drill("bitflip", 5))
    assert "on purpose" not in findings.wrong("1 element is wrong").faults[0].message
    assert findings.drill.found_by == ""
    findings.drill.strike("element 3")
    assert "on purpose" in findings.wrong("2 elements are wrong").faults[0].message
    assert findings.drill.found_by == "2 elements are wrong"


def test_what_only_twins_can_see_is_left_to_their_comparison() -> None:
    drill = Drill("deviant")
    never = proven(Ending(LoadStatus.PASSED, "alike", RunEvidence(injected_on_purpose=drill.evidence())))
    drill.strike("the first weights")
    now = proven(Ending(LoadStatus.PASSED, "alike", RunEvidence(injected_on_purpose=drill.evidence())))
    assert (never.status, now.status) == (LoadStatus.NOT_RUN, LoadStatus.PASSED)
