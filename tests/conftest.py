"""What all tests share."""

import gc
import os
import shutil
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings
from pytestqt.qtbot import QtBot

from core.burnin.record.store import RunStore
from core.parts.catalogue import Catalogue
from tests.marks import can_be_selected
from tests.patience import PATIENCE_S

BENCHMARKS = Path(__file__).with_name("benchmarks")
"""What holds seconds: for `make bench` alone."""

# Property tests run on busy machines too, where a slow example is no failure. A commit always tries the same examples,
# so that it fails for what it changed; `make soak` tries more, and other ones each time.
settings.register_profile("commit", deadline=None, max_examples=30, derandomize=True)
settings.register_profile("soak", deadline=None, max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "commit"))

# A window waits for what must come as long as any other test does.
for wait in (QtBot.waitActive, QtBot.waitCallback, QtBot.waitExposed, QtBot.waitSignal, QtBot.waitUntil):
    wait.__kwdefaults__["timeout"] = int(1000 * PATIENCE_S)

# A command that prints into a file or pipe takes no heed of a terminal's width, whoever started the tests.
os.environ.pop("COLUMNS", None)

# Tests read English, whatever the language of the machine; those of other languages say which.
os.environ.setdefault("RIGWRIGHT_LANGUAGE", "en")

# Prices are shown in dollars, wherever the machine stands; tests of other currencies say which.
os.environ["LC_ALL"] = "C.UTF-8"

# Locks of devices and sockets of windows are this process's own, beside other tests that burn in the same CPU.
RUNTIME_FOLDER = tempfile.TemporaryDirectory(prefix="rigwright-", ignore_cleanup_errors=True)
os.environ["XDG_RUNTIME_DIR"] = RUNTIME_FOLDER.name

# Hundreds of processes are started, each of which would compile the program anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A test file of which the selection by marks can mean no test is not even imported, nor, usually, a benchmark."""
    if BENCHMARKS in (collection_path, *collection_path.parents):
        return None if config.option.benchmark_enable else True
    selection = config.option.markexpr
    if not selection or not collection_path.name.startswith("test_") or collection_path.suffix != ".py":
        return None
    return None if can_be_selected(collection_path.read_text(encoding="utf-8"), selection) else True


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests are made that all stay to the end: looking for garbage among them takes longer than a test."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    return collected


@pytest.fixture(scope="session")
def filled_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the shipped catalogue, made once for all test processes: copy it, never write to it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "filled"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            being_filled = base / "being-filled"
            being_filled.mkdir()
            Catalogue(being_filled).close()
            being_filled.rename(folder)
    return folder


@pytest.fixture
def data_dir(filled_folder: Path, tmp_path: Path) -> Iterator[Path]:
    """A data folder of the test's own, as it is after the first start."""
    yield from _filled_copy(filled_folder, tmp_path)


@pytest.fixture(scope="module")
def module_data_dir(filled_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The same for all tests of a file."""
    yield from _filled_copy(filled_folder, tmp_path_factory.mktemp("module"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    """A recording in a folder of the test's own."""
    with closing(RunStore(tmp_path)) as opened:
        yield opened


def _filled_copy(filled_folder: Path, place: Path) -> Iterator[Path]:
    """The catalogue goes after the test, since those of all tests would take 5 GB; what the test recorded stays."""
    folder = shutil.copytree(filled_folder, place / "data")
    yield folder
    for file in folder.glob("catalogue.sqlite*"):
        file.unlink(missing_ok=True)


@pytest.fixture
def universal_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine stands where clocks show UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
