"""On a machine whose system speaks another language every sentence is still in ours alone."""

import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.platform.errors import reason_of
from core.platform.processes import foreign_environment
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parent.parent
SYSTEM_SPEAKS = "Le système parle"
ANOTHER_LANGUAGE = rf"""
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
char *strerror(int number) {{
    static char said[64];
    snprintf(said, sizeof said, "{SYSTEM_SPEAKS} %d", number);
    return said;
}}
"""
WINDOW = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from gui.shell.main_window import MainWindow
from gui.widgets import messages

application = QApplication([])
messages.tell = lambda parent, sentence, detail="": print(sentence)
window = MainWindow(Path(sys.argv[1]))
window.open(Path(sys.argv[2]))
"""


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.ENOENT, "Aucun fichier"), "there is no such file or folder"),
        (OSError(errno.EACCES, "Permission non accordée"), "permission denied"),
        (OSError(errno.EISDIR, "est un dossier"), "it is a folder"),
        (OSError(errno.ENOSPC, "Aucun espace"), "the disk is full"),
        (OSError(errno.EPROTO, "Erreur de protocole"), "the system says EPROTO"),
        (OSError(987_654, "Inconnu"), "the system says errno 987654"),
        (shutil.Error("a and b are the same file."), "a and b are the same file"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_a_reason_is_in_our_words_whatever_the_system_speaks(error: OSError, reason: str) -> None:
    assert reason_of(error) == reason


@pytest.mark.parametrize("package", ["core", "gui"])
def test_no_sentence_takes_the_words_of_the_system(package: str) -> None:
    taken = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\bstrerror\b", line)
    ]
    assert not taken, "core.platform.errors.reason_of says it in every language of the system"


def test_programs_of_others_answer_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "fr")
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    monkeypatch.setenv("KEPT", "as it is")
    environment = foreign_environment()
    assert (environment["LC_ALL"], environment["KEPT"]) == ("C", "as it is")
    assert "LANGUAGE" not in environment


@pytest.fixture(scope="module")
def abroad(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a system whose every error is told in another language, whichever are installed."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("there is no C compiler, which makes a system of another language (on Debian: apt install gcc)")
    folder = tmp_path_factory.mktemp("abroad")
    (folder / "strerror.c").write_text(ANOTHER_LANGUAGE, encoding="utf-8")
    library = folder / "strerror.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, folder / "strerror.c"], check=True, timeout=PATIENCE_S)
    environment = os.environ | {"LD_PRELOAD": str(library), "PYTHONUTF8": "1"}
    spoken = _ended([sys.executable, "-c", "open('/nowhere')"], environment)
    assert SYSTEM_SPEAKS in spoken.stderr, "the stand-in for another language is not heard"
    return environment


def _ended(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("parts", "categories", "--data-dir", "{tmp}/file/data"), 3, "part of its path is not a folder"),
        (("check", "{tmp}/folder.rig.json"), 2, "it is a folder"),
        (("check", "digits-devbox", "--json", "--data-dir", "/proc/nobody"), 3, "there is no such file or folder"),
        (("report", "digits-devbox", "-o", "{tmp}/file/report.html"), 3, "part of its path is not a folder"),
    ],
)
def test_the_command_line_speaks_one_language(
    abroad: dict[str, str], data_dir: Path, tmp_path: Path, words: tuple[str, ...], code: int, sentence: str
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.rig.json").mkdir()
    own = [word.format(tmp=tmp_path) for word in words]
    environment = abroad | {"RIGWRIGHT_DATA_DIR": str(data_dir)}
    ended = _ended([sys.executable, "-m", "core.cli", *own], environment)
    assert ended.returncode == code, ended.stderr
    assert sentence in " ".join(ended.stderr.split())
    assert SYSTEM_SPEAKS not in ended.stderr


def test_the_window_speaks_one_language(abroad: dict[str, str], data_dir: Path, tmp_path: Path) -> None:
    build = tmp_path / "folder.rig.json"
    build.mkdir()
    ended = _ended([sys.executable, "-c", WINDOW, str(data_dir), str(build)], abroad | {"QT_QPA_PLATFORM": "offscreen"})
    assert "it is a folder" in ended.stdout, ended.stderr
    assert SYSTEM_SPEAKS not in ended.stdout + ended.stderr
