"""The command that imports a log of another tool, and what the other commands say of it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli.app import app
from core.platform.errors import BadInput, RigwrightError

LOGS = Path(__file__).parent.parent / "machine" / "telemetry" / "tool_logs"


def run(folder: Path, *words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(app, [*words, "--data-dir", str(folder)])
    return ended.exit_code, ended.output


def test_a_log_becomes_a_run_that_is_listed_as_not_judged(tmp_path: Path) -> None:
    code, text = run(tmp_path, "import-log", str(LOGS / "smi-identities.csv"))
    assert (code, "imported, not judged" in text, "GPU 1" in text) == (0, True, True)
    code, text = run(tmp_path, "runs")
    assert (code, "imported" in text, "not judged" in text) == (0, True, True)
    listed = json.loads(run(tmp_path, "runs", "--json")[1])[0]
    assert (listed["status"], listed["imported"], listed["verdicts"]) == ("imported", True, [])


def test_json_tells_what_was_read_and_assumed(tmp_path: Path) -> None:
    code, text = run(tmp_path, "import-log", str(LOGS / "dmon-plain.txt"), "--interval", "30", "--json")
    answer = json.loads(text)
    assert (code, answer["run"], answer["tool"], answer["seconds"]) == (0, 1, "nvidia-smi dmon", 240)
    assert (answer["started_at"], answer["remarks"]) == (None, [])
    assert "temperature_c" in answer["devices"][0]["metrics"]


@pytest.mark.parametrize(
    "words",
    [
        ("report", "1", "-o", "a.pdf"),
        ("certificate", "1", "-o", "a.pdf"),
        ("verify", "1"),
        ("seal", "1"),
        ("rma", "1", "--gpu", "0", "-o", "a.zip"),
        ("close", "1"),
        ("burn", "--resume", "1"),
        ("references", "add", "1"),
    ],
)
def test_commands_about_verdicts_refuse_it_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    run(tmp_path, "import-log", str(LOGS / "smi-identities.csv"))
    ended = CliRunner().invoke(app, [*words, "--data-dir", str(tmp_path)])
    assert isinstance(ended.exception, RigwrightError)
    assert "imported, not judged" in str(ended.exception)
    assert not list(tmp_path.glob("a.*"))


def test_what_was_logged_can_be_written_as_a_table(tmp_path: Path) -> None:
    run(tmp_path, "import-log", str(LOGS / "smi-identities.csv"))
    table = tmp_path / "table.csv"
    assert run(tmp_path, "telemetry", "1", "-o", str(table))[0] == 0
    assert "348.5" in table.read_text(encoding="utf-8")


def test_what_is_no_log_exits_with_bad_input(tmp_path: Path) -> None:
    no_log = tmp_path / "notes.txt"
    no_log.write_text("nothing\n", encoding="utf-8")
    ended = CliRunner().invoke(app, ["import-log", str(no_log), "--data-dir", str(tmp_path)])
    assert isinstance(ended.exception, BadInput)
