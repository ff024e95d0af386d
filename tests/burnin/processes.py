"""What the tests with real processes share: short profiles, and the processes of a run as the system sees them."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import psutil

from core.burnin.record.rows import MACHINE, Outcome, RunStatus
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, start_run
from tests.patience import PATIENCE_S, gone

Start = Callable[..., int]
WriteProfile = Callable[..., str]
Case = TypeVar("Case")
View = Callable[..., "Viewer"]
TINY_GPT = {"layers": 2, "width": 64, "heads": 2, "context": 32, "batch": 4}
SHORT = (("preflight", 1.0, {}), ("gemm", 2.0, {"size": 128}), ("transformer", 2.0, TINY_GPT))
LONG = (("preflight", 1.0, {}), ("gemm", 60.0, {"size": 128}))


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(inner)}" for name, inner in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')


def profile_in(folder: Path, *stages: tuple[str, float, dict[str, Any]], **guards: Any) -> str:
    """The path of a profile of (kind, seconds, params) stages, written into a folder."""
    text = 'name = "short"\ntitle = "Short"\n'
    for kind, seconds, params in stages:
        text += f'[[stages]]\nkind = "{kind}"\nseconds = {seconds}\nparams = {_toml(params)}\n'
    path = folder / "short.toml"
    path.write_text("\n".join([text, "[guards]", *(f"{name} = {_toml(guards[name])}" for name in guards)]), "utf-8")
    return str(path)


@contextlib.contextmanager
def burning_in(folder: Path, order: BurnOrder) -> Iterator[tuple[RunStore, int]]:
    """A run in a folder of its own, of which nothing is left in the end, whatever became of it."""
    with contextlib.closing(RunStore(folder)) as store:
        run_id = start_run(folder, order)
        try:
            yield store, run_id
        finally:
            for process in family(store, run_id):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()


def check_at_once(folder: Path, cases: Sequence[Case], wrong: Callable[[Path, Case], str | None]) -> None:
    """All cases at the same time, each in a thread and a folder of its own; `wrong` tells what is not as it must be."""
    folders = [folder / str(number) for number in range(len(cases))]
    for place in folders:
        place.mkdir()
    with ThreadPoolExecutor(len(cases)) as pool:
        texts = list(pool.map(wrong, folders, cases))
    assert {case: text for case, text in zip(cases, texts, strict=True) if text} == {}


@dataclass
class Viewer:
    """A command of the program in a terminal of its own."""

    process: subprocess.Popen[bytes]
    output: Path

    @property
    def words(self) -> str:
        """All that it has printed so far, whatever the width of the terminal."""
        return " ".join(self.output.read_text("utf-8").split())

    def ended(self) -> int:
        """Its exit code, which is waited for."""
        return self.process.wait(PATIENCE_S)


def family(store: RunStore, run_id: int) -> list[psutil.Process]:
    """The runner of a run, if it lives, and its children; it may end while it is asked."""
    pid = store.run(run_id).runner_pid
    if pid is None:
        return []
    try:
        runner = psutil.Process(pid)
        return [runner, *runner.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def child(store: RunStore, run_id: int, module: str, word: str = "") -> psutil.Process | None:
    """The child of a run that runs a module, with `word` among its arguments."""
    for process in family(store, run_id)[1:]:
        with contextlib.suppress(psutil.NoSuchProcess):
            if module in process.cmdline() and (not word or word in process.cmdline()):
                return process
    return None


def finished(store: RunStore, run_id: int) -> bool:
    return store.run(run_id).status is RunStatus.FINISHED


def burning(store: RunStore, run_id: int, devices: int) -> bool:
    """Whether all devices report throughput."""
    rows = [row.device.id for row in store.devices(run_id) if row.burned]
    rates = [store.samples(run_id, device_id)[:, COLUMN["throughput_tflops"]] for device_id in rows]
    return sum(bool((rate > 0).any()) for rate in rates) == devices


def outcome(store: RunStore, run_id: int, device_id: str = MACHINE) -> Outcome:
    return next(verdict.outcome for verdict in store.verdicts(run_id) if verdict.device_id == device_id)


def log_text(store: RunStore, run_id: int) -> str:
    return "\n".join(event.message for event in store.events(run_id))


def burned(store: RunStore, run_id: int) -> list[str]:
    """Ids of the devices that carry loads."""
    return [row.device.id for row in store.devices(run_id) if row.burned]


def running(process: psutil.Process) -> bool:
    """Whether a process still lives."""
    return not gone(process)
