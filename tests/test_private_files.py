"""What a run leaves on the disk is its owner's alone, whatever the umask."""

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import platformdirs
import pytest

from core.burnin.record.rows import RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, start_run
from core.platform.errors import EnvironmentProblem
from core.platform.paths import data_dir, runtime_dir, usual_data_dir
from core.platform.whole_file import write_whole
from gui.shell.single_instance import FirstInstance, socket_name

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rights as POSIX knows them")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """The most careless of all users."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """The name of a socket has 107 bytes at most (unix(7))."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_usual_data_folder_is_closed_and_one_that_stood_open_is_closed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda _name: str(tmp_path / "usual"))
    assert rights(data_dir()) == 0o700
    usual_data_dir().chmod(0o755)
    assert rights(data_dir()) == 0o700


def test_a_folder_that_was_chosen_is_made_closed_and_left_as_it_is_afterwards(tmp_path: Path) -> None:
    chosen = data_dir(tmp_path / "chosen")
    assert rights(chosen) == 0o700
    chosen.chmod(0o750)
    assert rights(data_dir(chosen)) == 0o750, "shared on purpose"


@pytest.mark.process
def test_everything_that_a_run_writes_is_its_owners_alone(tmp_path: Path) -> None:
    folder = data_dir(tmp_path / "data")
    profile = tmp_path / "short.toml"
    profile.write_text('name = "short"\ntitle = "Short"\n[[stages]]\nkind = "idle"\nseconds = 20\n', "utf-8")
    with closing(RunStore(folder)) as store:
        run_id = start_run(folder, BurnOrder(profile=str(profile), simulate="1x3090"))
        while store.last_time_s(run_id) < 1.5:
            assert store.run(run_id).status is RunStatus.RUNNING
        entries = {str(path.relative_to(folder)): path.lstat() for path in folder.rglob("*")}
        store.request(run_id, "stop")
        while store.run(run_id).status is RunStatus.RUNNING:
            pass
    assert {"runs.sqlite", "runs.sqlite-wal", "runner.lock", "logs/runner.log", "logs/sampler.log"} <= set(entries)
    files = {name: oct(one.st_mode) for name, one in entries.items() if stat.S_ISREG(one.st_mode)}
    assert {name: mode for name, mode in files.items() if int(mode, 8) & 0o077} == {}
    folders = {name: oct(one.st_mode) for name, one in entries.items() if stat.S_ISDIR(one.st_mode)}
    assert {name: mode for name, mode in folders.items() if int(mode, 8) & 0o022} == {}, "nobody can put a file there"


def test_a_database_that_stood_open_is_closed_again(tmp_path: Path) -> None:
    RunStore(tmp_path).close()
    (tmp_path / "runs.sqlite").chmod(0o666)
    with closing(RunStore(tmp_path)):
        assert rights(tmp_path / "runs.sqlite") == 0o600


def test_sockets_and_locks_lie_in_a_folder_that_nobody_else_can_enter(
    short_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: object
) -> None:
    for runtime in (short_path / "run", None):
        if runtime is None:
            monkeypatch.delenv("XDG_RUNTIME_DIR")
            monkeypatch.setattr(platformdirs, "user_state_dir", lambda _name: str(short_path / "state"))
        else:
            runtime.mkdir(mode=0o700)
            monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
        assert rights(runtime_dir()) == 0o700
        data = short_path / f"data-{runtime is None}"
        data.mkdir()
        first = FirstInstance(data)
        assert first.claim()
        assert Path(socket_name(data)).parent == runtime_dir()
        assert rights(Path(socket_name(data))) & 0o077 == 0
        first.release()


def test_a_long_home_leaves_room_for_the_socket(
    short_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: object
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(platformdirs, "user_state_dir", lambda _name: str(short_path / ("home" * 50) / "state"))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(short_path))
    first = FirstInstance(short_path)
    assert first.claim()
    path = Path(socket_name(short_path))
    assert path.is_socket()
    assert rights(path.parent) == 0o700
    first.release()
    (short_path / "elsewhere").mkdir()
    path.parent.rename(short_path / "aside")
    path.parent.symlink_to(short_path / "elsewhere")
    with pytest.raises(EnvironmentProblem, match="is a link"):
        socket_name(short_path)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(short_path / ("t" * 100)))
    with pytest.raises(EnvironmentProblem, match=r"is too long for a socket.*Set XDG_RUNTIME_DIR"):
        socket_name(short_path)


def test_a_file_that_is_written_for_the_user_obeys_the_umask(tmp_path: Path) -> None:
    os.umask(0o027)
    write_whole(tmp_path / "report.html", b"x")
    assert rights(tmp_path / "report.html") == 0o640
