"""Where the text goes: pipes, files, narrow terminals, a reader that has left, a disk that is full."""

import contextlib
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

COMMAND = [sys.executable, "-m", "core.cli"]


@pytest.fixture
def environment(data_dir: Path) -> dict[str, str]:
    surroundings = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR")}
    return surroundings | {"RIGWRIGHT_DATA_DIR": str(data_dir)}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("parts", "search", "--limit", "1000"), 0),
        (("parts", "search", "--limit", "1000", "--json"), 0),
        (("check", "six-rtx-3090-first-attempt"), 1),
        (("--version",), 0),
    ],
)
def test_a_reader_that_leaves_changes_no_exit_code(
    environment: dict[str, str], words: tuple[str, ...], code: int
) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        ended = subprocess.run(
            [*COMMAND, *words], stdout=write, stderr=subprocess.PIPE, env=environment, timeout=PATIENCE_S, check=False
        )
    finally:
        os.close(write)
    assert (ended.returncode, ended.stderr) == (code, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
@pytest.mark.parametrize("bare", [False, True], ids=["as it is", "nothing set"])
def test_a_full_disk_is_said_in_a_sentence(environment: dict[str, str], bare: bool) -> None:
    """Once: what was not written yet is not tried again when the process ends."""
    if bare:
        environment = {
            name: environment[name] for name in ("PATH", "PYTHONPATH", "RIGWRIGHT_DATA_DIR") if name in environment
        }
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*COMMAND, "templates"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment,
            timeout=PATIENCE_S,
            check=False,
        )
    sentence = "Error: The output could not be written: the disk is full. Free some space and try again.\n"
    assert (ended.returncode, ended.stderr.decode()) == (3, sentence)


@pytest.mark.parametrize(
    "words",
    [("parts", "show", b"\xff"), ("note", "1", b"a \xed\xa0\x80"), ("mark", b"\xfe"), ("--data-dir", b"\xff", "runs")],
)
def test_bytes_that_are_no_text_are_refused_wherever_they_stand(
    environment: dict[str, str], words: tuple[str | bytes, ...]
) -> None:
    ended = subprocess.run([*COMMAND, *words], capture_output=True, env=environment, timeout=PATIENCE_S, check=False)
    assert (ended.returncode, ended.stdout) == (2, b"")
    place = next(place for place, word in enumerate(words, 1) if isinstance(word, bytes))
    assert ended.stderr.startswith(b"Error: Argument %d of the command is not UTF-8 text." % place)
    assert b"Traceback" not in ended.stderr


def test_a_row_stays_one_line_without_colour_in_a_pipe(environment: dict[str, str]) -> None:
    ended = _run(environment, "parts", "search", "3090", "blower")
    assert "\x1b" not in ended
    rows = ended.splitlines()[1:]
    assert len(rows) > 1
    assert [row for row in rows if "GPU" not in row or "24 GB" not in row or "…" in row] == []


def test_a_home_that_cannot_be_written_is_no_word_of_a_report(environment: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    abroad = environment | {"HOME": "/proc/nobody"}
    _run(abroad, "report", "digits-devbox", "-o", str(page))
    assert page.stat().st_size > 10_000


def test_a_narrow_terminal_cuts_no_word(environment: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        narrow = environment | {"COLUMNS": "60", "TERM": "xterm"}
        command = [*COMMAND, "parts", "search", "3090", "blower"]
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, env=narrow)
        os.close(theirs)
        text = b""
        with contextlib.suppress(OSError):  # EIO, where nobody writes any more
            while part := terminal.read(65536):
                text += part
        assert running.wait(PATIENCE_S) == 0
    printed = re.sub(r"\x1b\[[\d;]*m|\r", "", text.decode())
    assert max(len(line) for line in printed.splitlines()) <= 60
    assert "asus-turbo-rtx-3090-24g\n" in printed
    assert "…" not in printed
    assert "24 GB, 350 W, 2 slots, 268 mm, blower, discontinued by 2023" in " ".join(printed.split())


def test_chinese_names_and_folders_are_read_and_written(environment: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "整机 方案"
    folder.mkdir()
    build = folder / "六卡.rig.json"
    build.write_text(
        '{"format": "rigwright-build", "version": 1, "name": "六卡工作站", "lines": [{"part": "asus-x99-e-ws"}]}',
        encoding="utf-8",
    )
    assert "六卡工作站" in _run({**environment, "LC_ALL": "C.UTF-8"}, "check", str(build))
    page = folder / "报告.html"
    assert str(page) in _run(environment, "report", str(build), "-o", str(page))
    assert "六卡工作站" in page.read_text(encoding="utf-8")


def _run(environment: dict[str, str], *words: str) -> str:
    ended = subprocess.run(
        [*COMMAND, *words], capture_output=True, env=environment, encoding="utf-8", timeout=PATIENCE_S, check=False
    )
    assert ended.stderr == ""
    return ended.stdout
