"""What another user of the machine, or a prepared folder, can do against a burn-in: nothing.

The other user is `nobody`, which only root can become; elsewhere those tests are skipped and say so.
"""

import ast
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import platformdirs
import pytest

from core.burnin.children.child import open_log
from core.burnin.guards.rounds import RESERVE_BYTES, DiskReserve
from core.burnin.record.rows import RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import end_from_outside
from core.burnin.run.lock import take_device_locks, take_runner_lock
from core.burnin.run.order import BurnOrder, active_run, start_run
from core.burnin.run.recovery import find_interrupted
from core.burnin.sealing import SealState, check_run
from core.machine.telemetry.device import Device, DeviceKind
from core.platform.errors import EnvironmentProblem, RigwrightError
from core.platform.paths import data_dir, private_dir, runtime_dir
from core.platform.processes import (
    PASSPHRASE_VARIABLE,
    able_to_sign,
    english_environment,
    foreign_environment,
    own_environment,
    own_python,
)
from core.platform.search_path import SEARCHED, in_full
from core.platform.whole_file import write_whole
from core.seal.keys import is_locked
from tests.patience import PATIENCE_S, wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="users, locks and sockets as Linux knows them")
ROOT = Path(__file__).parent.parent
NOBODY = 65534
CPU = Device("cpu", DeviceKind.CPU, "A processor")
ONE_STAGE = 'name = "one"\ntitle = "One"\n[[stages]]\nkind = "idle"\nseconds = 60\n'


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The victim's, short enough for the names of sockets, and reachable for everybody as far as its own rights go."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        run = folder / "run"
        run.mkdir(mode=0o700)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(run))
        monkeypatch.setattr(platformdirs, "user_data_dir", lambda _name: str(folder / "data"))
        yield folder


@pytest.fixture
def as_nobody() -> Callable[[str], str]:
    """Runs Python code as another user; returns what it printed or the name of the error that stopped it."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")

    def run(code: str) -> str:
        # A child of this interpreter: the other user may have no right to start it.
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            report = "error"
            try:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
                spoken: list[str] = []
                exec(code, {"say": spoken.append})
                report = " ".join(spoken)
            except BaseException as error:  # noqa: BLE001 - its name is the answer
                report = type(error).__name__
            os.write(writing, report.encode())
            os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        with os.fdopen(reading) as answer:
            return answer.read()

    return run


def test_code_that_lies_in_the_current_folder_is_not_run(home: Path, tmp_path: Path) -> None:
    for module in ("psutil", "platformdirs", "filelock", "typer", "pynvml", "torch", "numpy", "sitecustomize"):
        (tmp_path / f"{module}.py").write_text(f"open({str(home / 'executed')!r}, 'a').write({module!r})\n", "utf-8")
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("raise SystemExit('another core')\n", "utf-8")
    programs = ("core.burnin.run.runner", "core.loads.worker", "core.machine.telemetry.sampler", "core.loads.backend")
    ours = f"import {', '.join(programs)}; print('ours')"
    done = subprocess.run(own_python("-c", ours), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "ours\n", done.stderr
    assert not (home / "executed").exists()
    careless = [sys.executable, "-c", "import psutil"]
    subprocess.run(careless, cwd=tmp_path, capture_output=True, check=True)
    assert (home / "executed").read_text("utf-8") == "psutil", "the attack works where nobody takes care"


EVIL = (
    "platformdirs", "typer", "click", "pydantic", "pydantic_core", "rich", "filelock", "psutil", "tomli", "babel",
    "numpy", "torch", "pynvml", "sqlite_utils", "cryptography", "PySide6", "typst", "pyqtgraph",
    "json", "subprocess", "logging", "dataclasses", "__future__", "platform", "argparse", "pathlib",
)  # fmt: skip
"""Of Python's own library and of others'. What Python loads before the program begins is named in SECURITY.md."""
LISTS = {
    "an empty entry first": ":/opt/x",
    "an empty entry last": "/opt/x:",
    "a dot": ".",
    "a relative folder": "x",
    "nothing but colons": "::",
    "a relative folder among others": "/opt/x:./x:/opt/y",
}


@pytest.fixture
def evil(home: Path, tmp_path: Path) -> Path:
    """A current folder, and one in it, in which every module and program tells that it was run."""
    for folder in (tmp_path, tmp_path / "x"):
        folder.mkdir(exist_ok=True)
        for module in EVIL:
            (folder / f"{module}.py").write_text(f"open({str(home / 'executed')!r}, 'a').write({module!r} + ' ')\n")
        for program in ("journalctl", "dmesg", "nvidia-smi", "systemd-detect-virt", "loginctl"):
            (folder / program).write_text(f"#!/bin/sh\necho {program} >> {home / 'executed'}\n")
            (folder / program).chmod(0o755)
    return tmp_path


COMMAND = [str(Path(sys.executable).with_name("rigwright"))]


def run_in(folder: Path, home: Path, listed: str, command: list[str]) -> subprocess.CompletedProcess[str]:
    """A command, with the same entries in every list of folders; nothing of the folder may have run."""
    lists = {"PYTHONPATH": listed, "LD_LIBRARY_PATH": listed, "PATH": f"{listed}:{os.environ['PATH']}"}
    place = {"RIGWRIGHT_DATA_DIR": str(home / "data"), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        command, cwd=folder, env=os.environ | lists | place, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert not (home / "executed").exists(), (home / "executed").read_text("utf-8")
    return done


@pytest.mark.parametrize("listed", LISTS.values(), ids=LISTS.keys())
def test_no_entry_of_a_list_of_folders_runs_code_of_the_current_one(home: Path, evil: Path, listed: str) -> None:
    done = run_in(evil, home, listed, [*COMMAND, "devices"])
    assert done.returncode == 0, done.stderr
    done = run_in(evil, home, listed, [sys.executable, "-m", "core.cli", "runs"])
    assert done.returncode == 0, done.stderr


@pytest.mark.process
def test_no_process_of_a_run_runs_code_of_the_current_folder(home: Path, evil: Path) -> None:
    """Neither runner, sampler nor worker, nor a program that lies there under the name of one that is asked."""
    words = ["burn", "--simulate", "1x3090", "--stage", "idle", "--minutes", "0.05"]
    done = run_in(evil, home, ":/opt/x:x", [*COMMAND, *words])
    assert done.returncode in (0, 4), done.stderr
    with closing(RunStore(home / "data")) as store:
        assert store.run(1).status is RunStatus.FINISHED


@pytest.mark.parametrize("listed", LISTS.values(), ids=LISTS.keys())
def test_the_window_runs_no_code_of_the_current_folder(home: Path, evil: Path, listed: str) -> None:
    """Nor does it by the way that Python takes to `-m`: that folder first."""
    done = run_in(evil, home, listed, [sys.executable, "-m", "gui", "--help"])
    assert done.returncode == 0, done.stderr
    assert "rigwright" in done.stdout


def test_a_folder_that_is_named_in_full_stays(tmp_path: Path) -> None:
    """It is the user's own word, the current one included; so does the program's own folder."""
    (tmp_path / "mine.py").touch()
    code = "from core.platform.search_path import leave_current_folder as leave; leave(); import mine, core, gui, typer"
    for listed in (f"{tmp_path}:", f".:{tmp_path}"):
        environment = os.environ | {"PYTHONPATH": listed}
        for folder in (tmp_path, ROOT):
            done = subprocess.run(
                [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("before", "after"), [("", None), (":", None), (".", None), ("/a::/b:", "/a:/b"), ("x:/a", "/a"), ("/a", "/a")]
)
@pytest.mark.parametrize("name", SEARCHED)
def test_lists_keep_what_is_named_in_full(name: str, before: str, after: str | None) -> None:
    assert in_full({name: before, "OTHER": ":"}) == {"OTHER": ":"} | ({} if after is None else {name: after})


def test_the_scripts_drop_the_same_entries(tmp_path: Path) -> None:
    script = f'. {ROOT}/packaging/search-path.sh; echo "${{PYTHONPATH-unset}}"'
    for before, after in (("", "unset"), ("::", "unset"), ("x:/a::/b b:.", "/a:/b b")):
        environment = os.environ | {"PYTHONPATH": before}
        command = ["bash", "-euo", "pipefail", "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.stdout.strip() == after, done.stderr


LEAK = """
import os
from torch import nn
import torch

def make(device):
    with open({path!r}, "a") as out:
        out.write(repr(sorted(os.environ)) + "\\n")
    return nn.Linear(2, 2), lambda: torch.ones(3, 2), lambda network, batch: network(batch).square().sum()
"""


@pytest.mark.process
def test_a_module_of_the_user_never_sees_the_passphrase_of_the_key(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runner has it and signs; what it starts has not."""
    (tmp_path / "leak.py").write_text(LEAK.format(path=str(home / "seen")), "utf-8")
    own = f'kind = "own-module"\nseconds = 3\nparams = {{ module = "leak:make", path = "{tmp_path}" }}'
    (home / "one.toml").write_text(f'name = "one"\ntitle = "One"\n[[stages]]\n{own}\n', "utf-8")
    monkeypatch.setenv(PASSPHRASE_VARIABLE, "correct horse")
    folder = data_dir()
    order = BurnOrder(profile=str(home / "one.toml"), devices=("cpu",))
    with closing(RunStore(folder)) as store:
        run_id = start_run(folder, order)
        wait_for(lambda: store.run(run_id).status is not RunStatus.RUNNING, "the end of the run")
        assert check_run(store, run_id).state is SealState.INTACT
    assert is_locked(folder)
    seen = (home / "seen").read_text("utf-8")
    assert "'PATH'" in seen
    assert PASSPHRASE_VARIABLE not in seen


def test_only_what_signs_is_given_the_passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSPHRASE_VARIABLE, "correct horse")
    for environment in (own_environment(), english_environment(), foreign_environment()):
        assert PASSPHRASE_VARIABLE not in environment
        assert able_to_sign(environment)[PASSPHRASE_VARIABLE] == "correct horse"
    monkeypatch.delenv(PASSPHRASE_VARIABLE)
    assert PASSPHRASE_VARIABLE not in able_to_sign(own_environment())


def test_every_process_is_given_an_environment() -> None:
    """None inherits what its parent has: the passphrase, and lists with the current folder."""
    for path in [*(ROOT / "core").rglob("*.py"), *(ROOT / "gui").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            starts = ast.unparse(node.func)
            if starts in ("subprocess.Popen", "subprocess.run", "subprocess.check_output", "subprocess.call"):
                assert "env" in {one.arg for one in node.keywords}, f"{path}:{node.lineno}"
            assert starts not in ("os.system", "os.popen", "os.execv", "os.execvp", "os.spawnv"), (
                f"{path}:{node.lineno}"
            )


SQUAT = """
import os, socket
path = {path!r}
try:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    squatter = socket.socket(socket.AF_UNIX)
    squatter.bind(path)
    say("squatted")
except OSError as error:
    say(type(error).__name__)
"""


def test_the_socket_of_the_window_cannot_be_squatted(home: Path, as_nobody: Callable[[str], str]) -> None:
    from gui.shell.single_instance import socket_name

    assert as_nobody(SQUAT.format(path=socket_name(home / "data"))) == "PermissionError"


def test_the_folder_for_sockets_is_not_taken_from_another_user(
    home: Path, as_nobody: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in a place that everybody can write to, made by another user first, or a link."""
    shared = home / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert as_nobody(f"import os; os.mkdir({str(shared / 'rigwright')!r}, 0o777); say('made')") == "made"
    with pytest.raises(EnvironmentProblem, match="belongs to another user"):
        private_dir(shared / "rigwright")
    (shared / "link").symlink_to(home / "run")
    with pytest.raises(EnvironmentProblem, match="is a link"):
        private_dir(shared / "link")
    os.chown(shared, NOBODY, NOBODY)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(shared))
    monkeypatch.setattr(platformdirs, "user_state_dir", lambda _name: str(home / "state"))
    assert not runtime_dir().is_relative_to(shared)


def test_no_draft_log_or_reserve_is_written_through_a_link(home: Path) -> None:
    """A link to a file of the victim, laid where it will write next, in a folder that others can write to."""
    treasure = home / "treasure"
    treasure.write_bytes(b"gold")
    for name in (f".report.html.{os.getpid()}.draft", "reserve", "runner.log"):
        (home / name).symlink_to(treasure)
    write_whole(home / "report.html", b"report")
    DiskReserve(home).take()
    with pytest.raises(EnvironmentProblem, match=r"runner\.log cannot be written"):
        open_log(home / "runner.log")
    assert treasure.read_bytes() == b"gold"
    assert (home / "reserve").stat().st_size == RESERVE_BYTES
    assert not (home / "reserve").is_symlink()


def test_the_name_of_a_draft_cannot_be_foreseen(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = []
    monkeypatch.setattr(Path, "replace", lambda draft, _to: drafts.append(draft.name))
    for _ in range(20):
        write_whole(home / "report.html", b"x")
    assert len(set(drafts)) == 20
    assert not any(str(os.getpid()) == word for name in drafts for word in name.split("."))


HOLD = """
import fcntl
for path in {paths!r}:
    try:
        fcntl.flock(open(path, "a"), fcntl.LOCK_EX | fcntl.LOCK_NB)
        say("held")
    except OSError as error:
        say(type(error).__name__)
"""


def test_another_users_lock_holds_up_nobody(home: Path, as_nobody: Callable[[str], str]) -> None:
    folder = data_dir()
    RunStore(folder).close()
    with take_runner_lock(folder):
        pass
    for lock in take_device_locks([CPU]):
        lock.release()
    locks = [folder / "runner.lock", folder / "runs.sqlite", *(runtime_dir() / "devices").iterdir()]
    assert len(locks) == 3
    assert as_nobody(HOLD.format(paths=[str(path) for path in locks])) == " ".join(["PermissionError"] * 3)
    folder.chmod(0o755)  # even where the folder stands open, as one that was chosen may
    assert as_nobody(HOLD.format(paths=[str(path) for path in locks])) == " ".join(["PermissionError"] * 3)
    for path in locks:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.fixture
def running(home: Path) -> Iterator[tuple[Path, RunStore, int]]:
    """A run on simulated cards in the usual data folder."""
    folder = data_dir()
    (home / "one.toml").write_text(ONE_STAGE, "utf-8")
    with closing(RunStore(folder)) as store:
        run_id = start_run(folder, BurnOrder(profile=str(home / "one.toml"), simulate="1x3090"))
        yield folder, store, run_id
        end_from_outside(store, run_id)


@pytest.mark.process
def test_a_lock_that_was_deleted_blinds_nobody(home: Path, running: tuple[Path, RunStore, int]) -> None:
    folder, store, run_id = running
    (folder / "runner.lock").unlink()
    assert find_interrupted(store, folder) == []
    assert active_run(folder) == run_id
    with pytest.raises(RigwrightError, match="already running"):
        start_run(folder, BurnOrder(profile=str(home / "one.toml"), simulate="1x3090"))
    store.request(run_id, "stop")
    wait_for(lambda: store.run(run_id).status is RunStatus.FINISHED, "the verdict")


@pytest.mark.process
def test_two_data_folders_do_not_load_the_same_device(home: Path) -> None:
    (home / "one.toml").write_text(ONE_STAGE, "utf-8")
    order = BurnOrder(profile=str(home / "one.toml"), devices=("cpu",))
    first, second = data_dir(home / "first"), data_dir(home / "second")
    with closing(RunStore(first)) as store:
        run_id = start_run(first, order)
        try:
            with pytest.raises(RigwrightError, match="is being burned in by another run"):
                start_run(second, order)
        finally:
            end_from_outside(store, run_id)
    assert active_run(second) is None
