"""A run that was ordered by name goes on without whoever ordered it, is started once, and is told and taken along."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.rows import RunStatus
from core.burnin.record.store import RunStore
from core.burnin.sealing import SealState, check_run
from core.fleet.lines import MachineLine, StateLine, read_line
from core.plan.templates import TEMPLATES
from core.platform.processes import own_python
from core.seal.keys import PublicKey
from tests.burnin.processes import LONG, SHORT, family, profile_in
from tests.patience import PATIENCE_S, wait_for

pytestmark = pytest.mark.process
Command = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def rigwright(tmp_path: Path) -> Command:
    """The command in a process of its own, with a data folder of its own and an input that may be given."""

    def run(*words: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = own_python("-m", "core.cli", *words, "--data-dir", str(tmp_path / "data"))
        return subprocess.run(command, input=text, capture_output=True, timeout=PATIENCE_S, check=False)

    return run


def order(rigwright: Command, profile: str, name: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    return rigwright(
        *("burn", "--profile", profile, "--simulate", "2x3090", "--detach", "--fleet-id", name, "--json"), *words
    )


def test_ordered_twice_at_once_it_is_started_once(rigwright: Command, tmp_path: Path) -> None:
    profile = profile_in(tmp_path, *LONG)
    with ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda _: order(rigwright, profile, "bench-1"), range(2)))
    with closing(RunStore(tmp_path / "data")) as store:
        try:
            assert [answer.returncode for answer in both] == [0, 0], both
            assert [json.loads(answer.stdout)["run"] for answer in both] == [1, 1]
            assert [run.id for run in store.runs()] == [1]
            other = order(rigwright, profile, "bench-2")
            assert other.returncode == 3
            assert b"run 1" in other.stderr
            assert rigwright("stop", "1").returncode == 0
            wait_for(lambda: store.run(1).status is RunStatus.FINISHED, "the end of the run")
            again = json.loads(order(rigwright, profile, "bench-1").stdout)
            assert (again["run"], again["status"]) == (1, "finished"), "it is not started again"
        finally:
            for process in family(store, 1):
                process.kill()


def test_a_machine_tells_its_run_until_its_input_ends_and_hands_over_its_recording(
    rigwright: Command, tmp_path: Path
) -> None:
    profile = profile_in(tmp_path, *SHORT)
    template = next(TEMPLATES.glob("*.rig.json"))
    begun = rigwright(
        *("burn", "--profile", profile, "--simulate", "2x3090", "--detach", "--fleet-id", "a", "--build", "-"),
        text=template.read_bytes(),
    )
    assert begun.returncode == 0, begun.stderr
    data = tmp_path / "data"
    with closing(RunStore(data)) as store:
        wait_for(lambda: store.run(1).status is RunStatus.FINISHED, "the end of the run")
        assert store.run(1).build is not None
    lines = [read_line(line) for line in rigwright("stream").stdout.splitlines()]
    machine, state = lines[0], lines[-1]
    assert isinstance(machine, MachineLine)
    assert isinstance(state, StateLine)
    assert (state.run, state.fleet_id, state.status) == (1, "a", RunStatus.FINISHED)
    later = [read_line(line) for line in rigwright("stream", "--since", state.cursor or "").stdout.splitlines()]
    assert [line.type for line in later] == ["machine", "state"], "what was told is not told again"
    whole = rigwright("pack", "1").stdout
    away = own_python("-m", "core.cli", "unpack", "--data-dir", str(tmp_path / "away"))
    half = subprocess.run(away, input=whole[: len(whole) // 2], capture_output=True, timeout=PATIENCE_S, check=False)
    assert half.returncode == 3
    assert b"rigwright pack 1 --since 0" in half.stderr
    all_of_it = subprocess.run(away, input=whole, capture_output=True, timeout=PATIENCE_S, check=False)
    assert all_of_it.returncode == 0, all_of_it.stderr
    with closing(RunStore(tmp_path / "away")) as store:
        assert check_run(store, 1, [PublicKey(bytes.fromhex(machine.key or ""))]).state is SealState.INTACT


def test_what_cannot_be_taken_along_is_said(rigwright: Command) -> None:
    answer = rigwright("pack", "7")
    assert answer.returncode == 2
    assert b"There is no run 7" in answer.stderr
    answer = rigwright("stream", "--since", "yesterday")
    assert answer.returncode == 2
    assert b"is no cursor" in answer.stderr
