"""Facts, seals and keys on the command line."""

import json
import os
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from core.burnin.record.run_facts import FACT_NAMES
from core.burnin.record.store import RunStore
from core.burnin.sealing import seal_run
from core.cli.commands.facts import TITLES
from core.platform.errors import ExitCode
from core.platform.processes import PASSPHRASE_VARIABLE
from core.seal.keys import set_passphrase
from tests.cli.conftest import Run
from tests.present.report.recorded import record_run


def recorded(folder: Path) -> None:
    with closing(RunStore(folder)) as store:
        seal_run(store, record_run(store))


def test_facts_are_entered_and_shown(rigwright: Run, data_dir: Path) -> None:
    recorded(data_dir)
    rigwright("facts", "1", "--tester", "Ada", "--circuit", "230 V, 16 A")
    document = json.loads(rigwright("facts", "1", "--json").stdout)
    assert document["facts"]["tester"] == "Ada"
    assert [change["name"] for change in document["changes"]] == ["tester", "circuit"]
    assert tuple(TITLES) == FACT_NAMES


def test_a_file_is_verified_elsewhere_by_the_public_key_alone(rigwright: Run, data_dir: Path, tmp_path: Path) -> None:
    recorded(data_dir)
    report, key, elsewhere = tmp_path / "report.json", tmp_path / "key.pem", tmp_path / "elsewhere"
    assert rigwright("report", "1", "-o", str(report)).returncode == 0
    assert rigwright("key", "--export", str(key)).returncode == 0
    assert rigwright("verify", str(report)).returncode == ExitCode.PASS
    unknown = rigwright("verify", str(report), "--data-dir", str(elsewhere))
    assert (unknown.returncode, "key is unknown here" in unknown.stdout) == (ExitCode.INCOMPLETE, True)
    with_key = rigwright("verify", str(report), "--data-dir", str(elsewhere), "--key", str(key), "--json")
    assert (with_key.returncode, json.loads(with_key.stdout)["state"]) == (ExitCode.PASS, "intact")
    report.write_bytes(report.read_bytes().replace(b'"FAIL"', b'"PASS"'))
    changed = rigwright("verify", str(report))
    assert changed.returncode == ExitCode.FAIL
    assert "(verdicts[0].outcome)" in changed.stdout


def test_no_command_gives_a_verdict_of_a_run_that_was_changed(rigwright: Run, data_dir: Path, tmp_path: Path) -> None:
    recorded(data_dir)
    with closing(RunStore(data_dir)) as store, store.one_commit():
        store._db.execute("UPDATE verdicts SET outcome = 'PASS', reasons = '[]'")
        store._db.execute("UPDATE runs SET simulated = 0")
    files = [str(tmp_path / name) for name in ("r.html", "r.pdf", "r.json")]
    calls = [
        ("verify", "1"), ("watch", "1"), ("watch", "1", "--json"), ("certificate", "1", "-o", str(tmp_path / "c.pdf")),
        ("rma", "1", "--gpu", "1", "-o", str(tmp_path / "p.zip")), ("telemetry", "1", "-o", str(tmp_path / "t.jsonl")),
        ("report", "1", *(word for file in files for word in ("-o", file))),
    ]  # fmt: skip
    for words in calls:
        done = rigwright(*words)
        assert done.returncode == ExitCode.FAIL, words
        assert "PASS" not in done.stdout + done.stderr
        assert "CHANGED" in done.stdout + done.stderr or '"changed": true' in done.stdout
    assert all(Path(file).is_file() for file in files)
    for file in (*files, str(tmp_path / "c.pdf"), str(tmp_path / "p.zip")):
        done = rigwright("verify", file)
        assert (done.returncode, done.stdout.startswith("CHANGED")) == (ExitCode.FAIL, True), file
    done = rigwright("verify", str(tmp_path / "t.jsonl"))
    assert (done.returncode, "Field simulated" in done.stdout) == (ExitCode.FAIL, True)  # the run's seal knows
    for words in (("runs",), ("status",)):
        assert "CHANGED" in rigwright(*words).stdout
        assert "PASS" not in rigwright(*words).stdout


def test_verify_says_the_verdict_first(rigwright: Run, data_dir: Path, tmp_path: Path) -> None:
    recorded(data_dir)
    assert rigwright("certificate", "1", "-o", str(tmp_path / "c.pdf")).returncode == 0
    for subject in ("1", str(tmp_path / "c.pdf")):
        done = rigwright("verify", subject)
        assert done.stdout.startswith("Verdict: FAIL\nSIMULATED: no hardware was measured.\n")
        assert done.returncode == ExitCode.PASS  # the seal is intact, whatever it says
        statement = json.loads(rigwright("verify", subject, "--json").stdout)["statement"]
        assert (statement["outcome"], statement["simulated"], statement["profile_origin"]) == ("FAIL", True, "own file")


def test_what_cannot_be_verified_is_reported_in_a_sentence(rigwright: Run, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("hello", "utf-8")
    assert rigwright("verify", str(tmp_path / "plain.txt")).returncode == ExitCode.INCOMPLETE
    assert "There is no run 7." in rigwright("verify", "7").stderr
    assert "cannot be read" in rigwright("verify", str(tmp_path / "none.pdf")).stderr
    assert "not a public key" in rigwright("verify", "7", "--key", str(tmp_path / "plain.txt")).stderr


@pytest.mark.process
def test_the_viewer_says_that_a_run_is_not_signed_and_what_to_do(rigwright: Run, data_dir: Path) -> None:
    """The runner ends without the passphrase; whoever starts the next one gives it."""
    short = ("burn", "--simulate", "1x3090", "--stage", "idle", "--minutes", "0.05")
    set_passphrase(data_dir, "secret")
    unsigned = rigwright(*short)
    assert "Run 1 is not signed: This installation's key has a passphrase." in unsigned.stdout
    assert "rigwright seal 1" in unsigned.stdout
    with patch.dict(os.environ, {PASSPHRASE_VARIABLE: "secret"}):
        assert "not signed" not in rigwright(*short).stdout
        assert rigwright("verify", "2").returncode == ExitCode.PASS
        assert "Sealed: run 1" in rigwright("seal", "1").stdout


def test_what_is_no_sealed_file_is_refused_at_once(rigwright: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(10_000_000_000)
    for path, sentence in (
        (tmp_path / "pipe", "is a pipe, a socket or a device"),
        (Path("/dev/zero"), "is a pipe, a socket or a device"),
        (tmp_path, "it is a folder"),
        (tmp_path / "sparse", "is larger than 2000 MB"),
    ):
        for words in (["verify", str(path)], ["verify", "1", "--key", str(path)]):
            refused = rigwright(*words)
            assert refused.returncode == ExitCode.USAGE
            assert sentence in refused.stderr or (words[1] == "1" and "is larger than 10 kB" in refused.stderr)
