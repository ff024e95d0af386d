"""A machine with CUDA cards that are stand-ins, on which the program burns in through its own command line."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.burnin.record.rows import Outcome, RunStatus, StageResult, Verdict
from core.burnin.record.store import RunStore
from core.burnin.run.follow import end_from_outside
from core.burnin.stages.registry import STAGES
from tests.fake_cuda.stand_in import Card, FakeCuda
from tests.fake_nvml.stand_in import FakeDriver
from tests.patience import PATIENCE_S, wait_for

WITHIN_S = 2 * PATIENCE_S
QUICK: dict[str, tuple[float, str]] = {
    "preflight": (1.5, ""),
    "idle": (1.5, ""),
    "cooldown": (1.5, ""),
    "known-answer": (1, 'size = 64, iterations = 1, dtypes = "float32,float16"'),
    "vram": (240, "passes = 2"),
    "bandwidth": (1, "buffer_mib = 4"),
    "host-link": (3.5, "buffer_mib = 4, transfers = 2"),
    "functional-units": (3, "elements = 4096, copy_mib = 1"),
    "lstm": (3, "layers = 1, width = 16, length = 8, vocabulary = 32, batch = 4"),
    "transformer": (3, "layers = 1, width = 16, heads = 1, context = 8, vocabulary = 32, batch = 4"),
    "inference": (4, "layers = 1, width = 32, heads = 2, vocabulary = 64, context = 16, generated = 4"),
    "resnet": (12, 'precision = "tf32", batch = 2'),
    "data-parallel": (12, 'networks = "lstm,transformer"'),
    "p2p": (4, "mib = 1, repeats = 2"),
    "collectives": (4, "largest_mib = 1, sustained_mib = 1, repeats = 2, warm_up = 1"),
    "gemm": (2, 'size = 64, dtypes = "float32,float16"'),
    "transients": (2, 'periods_s = "0.2", steps_pct = "50", dtype = "float32"'),
    "replay": (3, "steps = 5"),
}
"""Seconds and parameters of stages that are enough on a card whose products are small; 2 s and none of the others.
The patterns end with their passes, which take seconds, or minutes where others compute."""


def uuid(index: int) -> str:
    """Of the GPU with this number, as the stand-in for NVML tells it."""
    return "GPU-11111111-2222-3333-4444-555555555555" if index == 1 else f"GPU-{index:08x}-1111-2222-3333-444444444444"


def profile(folder: Path, kinds: Sequence[str], **seconds: float) -> Path:
    """A profile file with these kinds of stages."""
    all_kinds = {stage.kind for stage in STAGES}
    assert all_kinds >= set(kinds)
    text = 'name = "cards"\ntitle = "Cards"\ndescription = "Seconds."\n'
    for kind in kinds:
        usual_s, params = QUICK.get(kind, (2.0, ""))
        text += f'\n[[stages]]\nkind = "{kind}"\nseconds = {seconds.get(kind.replace("-", "_"), usual_s)}\n'
        text += f"params = {{ {params} }}\n" if params else ""
    text += "\n[criteria]\nclock_above_idle_fail_pct = 0\n"  # the clock of the stand-in never moves
    path = folder / "cards.toml"
    path.write_text(text, encoding="utf-8")
    return path


@dataclass(frozen=True, slots=True)
class BurnIn:
    """What a burn-in said of the cards, by their numbers."""

    code: int
    output: str
    verdicts: dict[str, Verdict]
    results: list[StageResult]
    kinds: dict[int, str]

    def verdict(self, index: int) -> Verdict:
        """On one card."""
        return self.verdicts[uuid(index)]

    def outcome(self, index: int) -> Outcome:
        """Of one card."""
        return self.verdict(index).outcome

    def reasons(self, index: int) -> str:
        """All that speaks against one card, as text."""
        reasons = [
            f"{one.outcome} {one.text}" for one in self.verdict(index).reasons if one.outcome is not Outcome.PASS
        ]
        return "\n".join(reasons)

    def of(self, index: int) -> dict[str, StageResult]:
        """The results of one card by kind of stage."""
        return {self.kinds[one.number]: one for one in self.results if one.device_id == uuid(index)}


@dataclass(frozen=True, slots=True)
class CardMachine:
    """Cards, what their driver says of them (`nvml`, see stand_in.h), and what torch meets (`cuda`)."""

    fake_cuda: FakeCuda
    driver: FakeDriver
    cards: Sequence[Card]
    folder: Path
    nvml: dict[str, object] = field(default_factory=dict)
    cuda: dict[str, Any] = field(default_factory=dict)

    @property
    def script(self) -> Path:
        """What the driver says from now on: lines NAME=VALUE, written while the program runs."""
        return self.folder / "nvml.script"

    def environment(self) -> dict[str, str]:
        """In which the program sees this machine."""
        ledgers = self.folder / "ledgers"
        ledgers.mkdir(exist_ok=True)
        memory = " ".join(f"{index}:{card.memory_mib}" for index, card in enumerate(self.cards))
        settings = {
            "count": len(self.cards),
            "live": ledgers,
            "model": "3090",
            "memory_mib": memory,
            "script": self.script,
        }
        return self.driver.environment(**(settings | self.nvml)) | self.fake_cuda.environment(
            self.cards, ledgers, **self.cuda
        )

    def burn(self, path: Path, *options: str, meanwhile: Callable[[Path], None] | None = None) -> BurnIn:
        """Burns in with a profile; `meanwhile` is called with the folder of the data once the program has begun."""
        data = self.folder / "data"
        command = [sys.executable, "-m", "core.cli", "burn", "--data-dir", str(data), "--profile", str(path), *options]
        # Both streams go into a file: nobody reads a pipe while `meanwhile` waits.
        with (self.folder / "output.txt").open("w+", encoding="utf-8") as output:
            running = subprocess.Popen(command, env=self.environment(), stdout=output, stderr=subprocess.STDOUT)
            try:
                if meanwhile is not None:
                    meanwhile(data)
                code = running.wait(WITHIN_S)
            finally:
                running.kill()
                running.wait()
                _end_what_runs(data)
            output.seek(0)
            printed = output.read()
        store = RunStore(data)
        try:
            assert store.runs(), printed
            run = store.runs()[0]
            verdicts = {one.device_id: one for one in store.verdicts(run.id)}
            kinds = {stage.number: stage.kind for stage in store.stages(run.id)}
            return BurnIn(code, printed, verdicts, store.results(run.id), kinds)
        finally:
            store.close()


def _end_what_runs(data: Path) -> None:
    """The command may have been killed: its run would go on, and hold the cards of the next test."""
    store = RunStore(data)
    try:
        for run in store.runs():
            if run.status is RunStatus.RUNNING:
                end_from_outside(store, run.id)
    finally:
        store.close()


def when_begun(data: Path, kind: str) -> None:
    """Waits until the run that goes on has begun a stage of this kind."""

    def begun() -> bool:
        if not (data / "runs.sqlite").exists():
            return False
        with closing(RunStore(data)) as store:
            stages = [stage for run in store.runs() for stage in store.stages(run.id)]
        return any(stage.kind == kind and stage.started_s is not None for stage in stages)

    wait_for(begun, f"a stage {kind}")
