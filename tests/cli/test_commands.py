"""Every command: what it prints, in text and JSON, and what it ends with."""

import json
from pathlib import Path
from typing import Any

import pytest

COMMANDS = ("templates", "parts", "check", "predict", "devices", "burn", "runs", "watch", "stop", "report", "doctor")


def test_help_lists_every_command(rigwright: Any) -> None:
    ended = rigwright("--help")
    assert ended.returncode == 0
    assert [name for name in COMMANDS if name not in ended.stdout] == []


NOTHING_WRITTEN = "could not be written: there is no such file or folder. Choose another place."


@pytest.mark.parametrize(
    "words",
    [
        ("templates",),
        ("parts", "search", "3090"),
        ("parts", "categories"),
        ("parts", "show", "asus-x99-e-ws"),
        ("check", "digits-devbox"),
        ("predict", "digits-devbox"),
        ("devices",),
        ("devices", "--simulate", "2x3090"),
        ("runs",),
        ("doctor",),
    ],
)
def test_a_command_answers_in_text_and_in_json(rigwright: Any, words: tuple[str, ...]) -> None:
    text, data = rigwright(*words), rigwright(*words, "--json")
    assert (text.returncode, data.returncode) == (0, 0), text.stderr + data.stderr
    assert text.stdout.strip()
    assert json.loads(data.stdout) is not None


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("check", "nowhere.rig.json"), 2, "cannot be opened"),
        (("parts", "show", "asus-x99-e-w"), 2, "Did you mean asus-x99-e-ws"),
        (("parts", "search", "x", "--category", "gpus"), 2, "There is no category 'gpus'"),
        (("burn", "--profile", "nonsense"), 2, "There is no profile 'nonsense'"),
        (("burn", "--simulate", "6xbanana"), 2, "banana"),
        (("burn", "--minutes", "0.001"), 2, "minutes"),
        (("burn", "--resume", "7"), 2, "There is no run 7"),
        (("stop",), 2, "no run is in progress"),
        (("watch",), 2, "no run yet"),
        (("watch", "9"), 2, "There is no run 9"),
        (("close", "9"), 2, "There is no run 9"),
        (("report", "digits-devbox", "-o", "x.doc"), 2, ".pdf"),
        (("bogus",), 2, "bogus"),
        (("check", ""), 2, "is empty"),
        (("check", "/tmp"), 2, "it is a folder"),
        (("open", "nofile.rig.json"), 2, "no such file"),
        (("open",), 3, "There is no display"),
        (("burn", "--minutes", "inf"), 2, "minutes"),
        (("burn", "--minutes", "nan"), 2, "minutes"),
        (("burn", "--devices", ","), 2, "names no device"),
        (("burn", "--devices", "99"), 2, "'99' matches no device"),
        (("burn", "--build", ""), 2, "is empty"),
        (("burn", "--resume", "1", "--minutes", "3", "--devices", "0"), 2, "leave out --minutes and --devices"),
        (("burn", "--resume", "1", "--profile", "every-check"), 2, "leave out --profile"),
        (("burn", "--profile", "/tmp"), 2, "There is no profile"),
        (("watch", "abc"), 2, "RUN"),
        (("watch", "99999999999999999999"), 2, "RUN"),
        (("close", "99999999999999999999"), 2, "RUN"),
        (("report", "99999999999999999999", "-o", "x.html"), 2, "There is no run 9999"),
        (("report", "²", "-o", "x.html"), 2, "cannot be opened"),
        (("report", "digits-devbox", "-o", "/nowhere/x.html"), 3, "could not be written"),
        (("predict", "six-rtx-3090-quiet", "--plot", "/nowhere/x.svg"), 3, NOTHING_WRITTEN),
        (("as-built", "--simulate", "2x3090", "--save", "/nowhere/x.json"), 3, NOTHING_WRITTEN),
        (("key", "--export", "/nowhere/x.pem"), 3, NOTHING_WRITTEN),
        (("parts", "show", ""), 2, "no part"),
        (("check",), 2, "Missing argument"),
        (("templates", "--data-dir", "/proc/nowhere"), 3, "cannot be used"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_an_exit_code(
    rigwright: Any, words: tuple[str, ...], code: int, says: str
) -> None:
    ended = rigwright(*words)
    assert (ended.returncode, says in ended.stderr) == (code, True), ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_build_that_fails_a_rule_ends_with_one(rigwright: Any) -> None:
    ended = rigwright("check", "six-rtx-3090-first-attempt")
    assert ended.returncode == 1
    assert "overlaps" in ended.stdout


def test_check_shows_what_passed_only_when_asked(rigwright: Any) -> None:
    assert "(cpu-socket)" not in rigwright("check", "digits-devbox").stdout
    assert "(cpu-socket)" in rigwright("check", "digits-devbox", "--all").stdout


@pytest.mark.parametrize("suffix", ["html", "pdf", "json"])
def test_the_report_of_a_build_is_written(rigwright: Any, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"report.{suffix}"
    ended = rigwright("report", "digits-devbox", "-o", str(path))
    assert ended.returncode == 0, ended.stderr
    assert path.stat().st_size > 5000


def test_a_hand_written_build_is_checked(rigwright: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.rig.json"
    path.write_text(
        '{"format": "rigwright-build", "version": 1, "name": "Mine",'
        ' "lines": [{"part": "asus-x99-e-ws"}, {"part": "nvidia-gtx-titan-x-maxwell", "quantity": 2, "slots": [1, 2]}]}'
    )
    ended = rigwright("check", str(path), "--json")
    assert ended.returncode == 1
    failed = [finding["rule"] for finding in json.loads(ended.stdout)["findings"] if finding["status"] == "fail"]
    assert "slot-overlap" in failed


def test_of_several_reports_none_is_written_where_one_has_no_known_ending(rigwright: Any, tmp_path: Path) -> None:
    good, bad = tmp_path / "report.html", tmp_path / "report.doc"
    assert rigwright("report", "digits-devbox", "-o", str(good), "-o", str(bad)).returncode == 2
    assert not good.exists()


@pytest.mark.process
def test_a_simulated_burn_ends_with_its_verdict_and_can_be_reported(rigwright: Any, tmp_path: Path) -> None:
    ended = rigwright("burn", "--simulate", "2x3090", "--minutes", "0.2", "--json")
    assert ended.returncode == 0, ended.stderr
    result = json.loads(ended.stdout)
    assert result["simulated"] is True
    assert result["verdicts"][0]["outcome"] == "PASS"
    assert "SIMULATED" in rigwright("watch").stdout
    assert "SIMULATED" in rigwright("runs").stdout
    page = tmp_path / "run.html"
    assert rigwright("report", str(result["run"]), "-o", str(page)).returncode == 0
    assert "SIMULATED" in page.read_text(encoding="utf-8")


@pytest.mark.process
def test_a_fault_on_this_cpu_makes_burn_end_with_one(process: Any, tmp_path: Path) -> None:
    profile = tmp_path / "faulty.toml"  # named by a relative path below
    profile.write_text(
        'name = "faulty"\ntitle = "Faulty"\n[[stages]]\nkind = "gemm"\nseconds = 2\n'
        'params = { size = 128, inject = "bitflip" }\n'
    )
    ended = process("burn", "--profile", profile.name, "--devices", "cpu", folder=tmp_path)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "FAIL" in ended.stdout


def test_check_ends_with_4_while_parts_are_missing_and_sets_sockets_and_generations(
    rigwright: Any, tmp_path: Path
) -> None:
    file = str(tmp_path / "one.rig.json")
    card = {"part": "nvidia-rtx-4090-founders-edition"}
    Path(file).write_text(json.dumps({"format": "rigwright-build", "version": 2, "name": "One", "lines": [card]}))
    ended = rigwright("check", file)
    assert ended.returncode == 4
    assert "Not in the build yet: CPU" in ended.stdout
    assert rigwright("set", file, "--slot-generation", "1=3").returncode == 0
    assert json.loads(Path(file).read_text())["slot_generations"] == {"1": 3}
    refused = rigwright("set", file, "nvidia-rtx-4090-founders-edition", "--sockets", "M2_1")
    assert refused.returncode == 2
    assert "is not a drive" in refused.stderr
