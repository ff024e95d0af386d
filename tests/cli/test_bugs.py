"""A bug ends in one sentence, a log and code 3; streams that are closed or narrow are none."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.cli import window
from core.cli.window import Screen
from core.platform.errors import ExitCode
from tests.patience import PATIENCE_S

COMMAND = f"{sys.executable} -m core.cli"


def _break_the_rules(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("core.assessment.check_in", broken)


@pytest.mark.parametrize(
    "error", [IndexError("a plug that is not there"), RecursionError(), KeyError("x"), OSError(2, "No such file")]
)
def test_a_bug_is_one_sentence_with_a_log_and_never_the_code_of_a_failed_machine(
    rigwright: Any, filled_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    _break_the_rules(monkeypatch, error)
    shutil.copytree(filled_folder, tmp_path / "own")
    ended = rigwright("check", "digits-devbox", "--data-dir", str(tmp_path / "own"))
    (log,) = (tmp_path / "own").glob("bug-*.log")
    assert (ended.returncode, ended.stdout) == (ExitCode.ENVIRONMENT, "")
    assert ended.stderr.startswith(f"Error: This is a bug in Rigwright ({type(error).__name__}).")
    assert str(log) in ended.stderr
    assert "Traceback" not in ended.stderr
    text = log.read_text(encoding="utf-8")
    assert "Traceback" in text and "check.py" in text and "'digits-devbox'" in text


def test_where_no_log_can_be_written_the_sentence_ends_with_the_traceback(
    rigwright: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _break_the_rules(monkeypatch, ZeroDivisionError())
    monkeypatch.setattr("tempfile.mkstemp", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    ended = rigwright("check", "digits-devbox")
    assert ended.returncode == ExitCode.ENVIRONMENT
    assert "no log could be written" in ended.stderr and "ZeroDivisionError" in ended.stderr


def test_a_window_that_ends_by_an_exception_has_no_failed_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window.sys, "executable", str(Path("/bin/false")))
    assert window.open_window(Path("/nowhere"), None, Screen()) == ExitCode.ENVIRONMENT


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_change_no_answer(tmp_path: Path, closed: str) -> None:
    environment = os.environ | {"RIGWRIGHT_DATA_DIR": str(tmp_path)}
    command = f"{COMMAND} runs {closed}"
    ended = subprocess.run(command, shell=True, env=environment, capture_output=True, timeout=PATIENCE_S, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert (tmp_path / "runs.sqlite").read_bytes()[:15] == b"SQLite format 3", "nothing was printed into it"


def test_an_encoding_without_most_letters_shows_their_escapes(data_dir: Path, tmp_path: Path) -> None:
    build = tmp_path / "a.rig.json"
    build.write_text('{"format": "rigwright-build", "version": 2, "name": "Größe 六 \u202e"}', encoding="utf-8")
    environment = os.environ | {"RIGWRIGHT_DATA_DIR": str(data_dir), "PYTHONIOENCODING": "ascii"}
    for words in ((), ("--json",)):
        ended = subprocess.run(
            [sys.executable, "-m", "core.cli", "check", str(build), *words],
            env=environment, capture_output=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert (ended.returncode, ended.stderr) == (4, b""), "nothing is chosen yet"
        if words:
            assert json.loads(ended.stdout)["build"] == "Größe 六 \u202e"
        else:
            assert b"Gr\\xf6\\xdfe" in ended.stdout


BUILD_WITH = '{"format": "rigwright-build", "version": 2, "name": %s}'


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\x9b", "\x1b", "\u200f", "\u061c"])
def test_what_would_turn_or_steer_the_terminal_is_made_visible(rigwright: Any, tmp_path: Path, sign: str) -> None:
    (tmp_path / "a.rig.json").write_text(BUILD_WITH % json.dumps(f"a{sign}b", ensure_ascii=False), encoding="utf-8")
    text = rigwright("check", str(tmp_path / "a.rig.json")).stdout
    assert "a\ufffdb" in text and sign not in text
    printed = rigwright("check", str(tmp_path / "a.rig.json"), "--json").stdout
    assert json.loads(printed)["build"] == f"a{sign}b"
    assert sign not in printed
    assert sign not in rigwright("check", f"nowhere{sign}").stderr
    assert sign not in rigwright("runs", f"--{sign}").stderr


@pytest.mark.parametrize(
    "words",
    [
        ("check", "x" * 100_000),
        ("check", "x y" * 30_000),
        ("runs", "x" * 100_000),
        ("x" * 100_000,),
        ("parts", "show", "x" * 100_000),
        ("burn", "--profile", "x" * 100_000),
        ("burn", "--simulate", "x" * 100_000),
        ("report", "x" * 100_000, "-o", "x.html"),
        ("calibrate", "digits-devbox", "--measurements", "x" * 100_000),
        ("explain", "x" * 100_000),
    ],
)
def test_a_refusal_does_not_repeat_what_was_given_at_any_length(rigwright: Any, words: tuple[str, ...]) -> None:
    ended = rigwright(*words)
    assert ended.returncode == ExitCode.USAGE, ended.stderr[:500]
    assert len(ended.stderr) < 12_000


@pytest.mark.parametrize(
    "words",
    [
        ("note", "1", "\udcff\udcfe"),
        ("mark", "\udcff"),
        ("new", "a.rig.json", "--name", "\udcff"),
        ("parts", "set", "asus-x99-e-ws", "--note", "\udcff"),
        ("parts", "set", "asus-x99-e-ws", "chipset=\udcff"),
        ("parts", "search", "\udcff", "--category", "\udcff"),
        ("check", "\udcff"),
        ("explain", "\udcff"),
        ("burn", "--devices", "\udcff", "--simulate", "\udcff"),
        ("burn", "--profile", "\udcff"),
        ("watch", "\udcff"),
        ("references", "add", "\udcff"),
        ("validate", "\udcff"),
        ("gpus", "--network", "\udcff"),
        ("parts", "search", "3090", "--where", "cooling=\udcff"),
        ("parts", "search", "3090", "--where", "\udcff=1"),
        ("parts", "search", "3090", "--sort", "\udcff"),
        ("parts", "fits", "digits-devbox", "\udcff"),
        ("references", "list", "\udcff"),
    ],
)
def test_words_that_are_no_text_are_no_bug(rigwright: Any, tmp_path: Path, words: tuple[str, ...]) -> None:
    ended = rigwright(*words, folder=tmp_path)
    assert "bug" not in ended.stderr, next((tmp_path / "data").glob("bug-*.log")).read_text(encoding="utf-8")[-1500:]
    assert ended.returncode in (ExitCode.PASS, ExitCode.USAGE)
