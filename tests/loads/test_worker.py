"""The worker as a real process: ready, heartbeats, stops, no orphans, a clean line. How soon: tests/benchmarks."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.loads.worker import NICENESS, environment
from core.machine.telemetry.metrics import LOAD_METRICS
from tests.patience import PATIENCE_S, given_time, gone, wait_for

pytestmark = pytest.mark.process

CPU = ("--device", "cpu", "--kind", "cpu")
SMALL = {"size": 256}
TINY = {"layers": 1, "width": 32, "heads": 2, "context": 16, "batch": 2, "vocabulary": 64}


def test_it_says_what_it_is(start_worker: Callable[..., Any]) -> None:
    worker = start_worker(*CPU, "--threads", "1")
    ready = worker.next("ready")
    assert ready["backend"] == "cpu"
    assert ready["name"]
    assert ready["detail"]["threads"] == "1"


IMPORTS_ARE_TOLD = """
import os, sys

class Finder:
    def find_spec(name, *more):
        if name == "torch":
            print("torch at", os.nice(0), file=sys.stderr, flush=True)

sys.meta_path.insert(0, Finder)
from core.loads.worker import main
main()
"""


def test_it_starts_as_fast_as_any_program_and_gives_way_then(start_worker: Callable[..., Any]) -> None:
    """At the back of the queue the import of torch takes minutes where others compute."""
    worker = start_worker(*CPU, script=IMPORTS_ARE_TOLD)
    worker.next("ready")
    assert f"torch at {os.nice(0)}\n" in worker.errors
    assert psutil.Process(worker.process.pid).nice() == os.nice(0) + NICENESS, "the desktop goes first"


def passed(done: dict[str, Any]) -> bool:
    """A machine with much other work may train too few steps to tell."""
    return done["status"] != "not_run"


@pytest.mark.parametrize(("load", "params"), [("gemm", SMALL), ("gemm", {}), ("transformer", TINY)])
def test_a_load_runs_to_its_end_with_heartbeats(cpu_worker: Any, load: str, params: dict[str, Any]) -> None:
    def beats_in(seconds: float) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        first = len(cpu_worker.lines)
        done = cpu_worker.run(load, seconds, **params)
        reports = [json.loads(line) for _, line in cpu_worker.lines[first:]]
        return done, [report for report in reports if report["type"] == "progress"]

    # A machine that stood still for half of the time gets more of it.
    done, beats = given_time(beats_in, 2.0, lambda run: passed(run[0]) and run[1][0]["fraction"] < 0.5)
    assert done["status"] == "passed", done["reason"]
    fractions = [beat["fraction"] for beat in beats]
    assert fractions == sorted(fractions)
    # The last beat tells the time that was run: less than all of it where the answer kept for the end came fast.
    assert fractions[0] < 0.5 < fractions[-1] <= 1.0
    names = {name for beat in beats for name in beat["metrics"]}
    assert names <= set(LOAD_METRICS)
    assert "throughput_tflops" in names


def test_counts_go_on_from_load_to_load(cpu_worker: Any) -> None:
    cpu_worker.run("gemm", 0.3, **SMALL)
    before = json.loads(cpu_worker.lines[-2][1])["metrics"]
    failed = cpu_worker.run("gemm", 0.3, **SMALL, inject="bitflip", dtypes="float32")
    after = json.loads(cpu_worker.lines[-2][1])["metrics"]
    assert failed["status"] == "failed"
    assert after["checks"] > before["checks"]
    assert after["errors"] == before["errors"] + 1


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ({"load": "dance", "seconds": 1}, "There is no load 'dance'. Choose from "),
        ({"seconds": 1}, "There is no load 'None'"),
        ({"load": "gemm", "seconds": 1, "params": {"sice": 8}}, "The parameter sice of the load cannot be used"),
        ({"load": "gemm", "seconds": 1, "params": {"dtypes": "fp8"}}, "There is no number format 'fp8'"),
        ({"load": "gemm", "seconds": 1, "params": [1]}, "of the load cannot be used"),
        ({"load": "transformer", "seconds": 1, "params": {"heads": 3}}, "A width of 128"),
        ({"load": "gemm", "seconds": 0}, "a positive number of seconds, not 0"),
        ({"load": "gemm", "seconds": "long"}, "a positive number of seconds, not 'long'"),
        ({"load": "gemm"}, "a positive number of seconds, not None"),
    ],
)
def test_what_cannot_be_run_is_not_run_with_a_sentence(cpu_worker: Any, start: dict[str, Any], reason: str) -> None:
    cpu_worker.send("start", **start)
    done = cpu_worker.next("done")
    assert done["status"] == "not_run"
    assert reason in done["reason"]


def test_lines_that_are_no_commands_change_nothing(cpu_worker: Any) -> None:
    cpu_worker.process.stdin.write('garbage\n[]\n{"no": "type"}\n\n')
    cpu_worker.send("stop")
    cpu_worker.send("unheard-of")
    assert cpu_worker.run("gemm", 0.2, **SMALL)["status"] == "passed"


@pytest.mark.parametrize("busy", [True, False])
def test_the_end_of_standard_input_ends_the_process(start_worker: Callable[..., Any], busy: bool) -> None:
    worker = start_worker(*CPU)
    worker.next("ready")
    if busy:
        worker.send("start", load="gemm", seconds=3600, params={"size": 2048})
        worker.next("progress")
        worker.next("progress")
    worker.close_stdin()
    worker.process.wait(PATIENCE_S)


def test_an_interrupt_from_the_terminal_is_left_to_the_runner(cpu_worker: Any) -> None:
    cpu_worker.send("start", load="gemm", seconds=2, params=SMALL)
    cpu_worker.next("progress")
    cpu_worker.process.send_signal(signal.SIGINT)
    assert cpu_worker.next("done")["status"] == "passed"


PARENT = """
import subprocess, sys
with open(sys.argv[1], "w") as out:
    worker = subprocess.Popen([sys.executable, "-m", "core.loads.worker", "--device", "cpu", "--kind", "cpu"],
                              stdin=subprocess.PIPE, stdout=out, text=True)
    worker.stdin.write('{"type": "start", "load": "gemm", "seconds": 3600, "params": {}}' + chr(10))
    worker.stdin.flush()
    print(worker.pid, flush=True)
    worker.wait()
"""


def test_no_orphan_burns_on_when_the_parent_is_killed(tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(reports)], stdout=subprocess.PIPE, text=True)
    with parent:
        orphan = psutil.Process(int(parent.stdout.readline()))
        wait_for(lambda: "throughput" in reports.read_text(), "the load")
        parent.send_signal(signal.SIGKILL)
        parent.wait(PATIENCE_S)
    wait_for(lambda: gone(orphan), "the end of the orphan")


NOISY = """
import os
from core.loads import worker
from core.loads.products.gemm import GemmLoad
quiet = GemmLoad.steps
def noisy(self, seconds):
    for step in quiet(self, seconds):
        print("a library prints")
        os.write(1, b"a C library prints" + bytes([10]))
        os.system("echo a child prints")
        yield step
GemmLoad.steps = noisy
worker.main(["--device", "cpu", "--kind", "cpu"])
"""


def test_printing_libraries_do_not_break_the_line(start_worker: Callable[..., Any]) -> None:
    worker = start_worker(script=NOISY)
    done = worker.run("gemm", 0.5, **SMALL)
    assert done["status"] == "passed"
    assert all(json.loads(line)["type"] for _, line in worker.lines)
    wait_for(lambda: any("a C library prints" in line for line in worker.errors), "what was printed")
    assert any("a child prints" in line for line in worker.errors)


def test_a_gpu_without_cuda_is_not_run(start_worker: Callable[..., Any]) -> None:
    worker = start_worker("--device", "GPU-00000000-0000-0000-0000-000000000000", "--kind", "gpu")
    ready = worker.next("ready")
    done = worker.run("gemm", 1.0)
    assert ready["backend"] == "cuda"
    assert done["status"] == "not_run"
    assert done["reason"] == ready["detail"]["problem"]
    assert "CUDA" in done["reason"]


def test_a_gpu_by_any_name_but_its_uuid_is_not_run(start_worker: Callable[..., Any]) -> None:
    worker = start_worker("--device", "0", "--kind", "gpu")
    assert "not the UUID" in worker.run("gemm", 1.0)["reason"]


def test_a_python_without_torch_says_so(start_worker: Callable[..., Any]) -> None:
    hidden = "import sys; sys.modules['torch'] = None; from core.loads import worker; worker.main(sys.argv[1:])"
    worker = start_worker(*CPU, script=hidden)
    done = worker.run("gemm", 1.0)
    assert done["status"] == "not_run"
    assert "torch cannot be imported by" in done["reason"]


@pytest.mark.parametrize("threads", ["0", "-1", "many"])
def test_a_number_of_threads_that_is_none_is_refused(start_worker: Callable[..., Any], threads: str) -> None:
    worker = start_worker(*CPU, "--threads", threads)
    assert worker.process.wait(PATIENCE_S) == 2


def test_a_gpu_is_chosen_by_uuid_in_the_order_of_the_bus() -> None:
    chosen = environment("GPU-12ab", "gpu")
    assert chosen["CUDA_VISIBLE_DEVICES"] == "GPU-12ab"
    assert chosen["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert chosen["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"
    assert environment("cpu", "cpu")["CUDA_VISIBLE_DEVICES"] == "", "a CPU load opens no GPU"
