"""Laundering: each way to a better certificate than a run earned is found, or SECURITY.md does not promise it."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import astuple, replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from core.burnin.profile.file import ProfileOrigin, find_profile, title_of
from core.burnin.profile.profile import Criteria, Profile
from core.burnin.record.reader import FILE
from core.burnin.record.rows import RunDevice
from core.burnin.record.run_facts import FACT_NAMES, MOST_LETTERS
from core.burnin.record.store import RunStore
from core.burnin.sealing import SealState, check_run, is_relabelled, seal_run
from core.cli.commands.seals import checked_file, checked_run
from core.platform.errors import ExitCode
from core.present.certificate.certificate import read_certificate
from core.present.certificate.layout import TEMPLATE, certificate_values, sealed_certificate, write_certificate
from core.present.certificate.letterhead import Letterhead
from core.present.certificate.reading import html_page, pdf_page
from core.present.certificate.rma import CERTIFICATE, write_rma
from core.present.report.pdf import set_pdf
from core.present.report.run_report import run_document
from core.present.report.run_seal import RecordChanged, read_run_seal
from core.present.report.statement import PaperKind
from core.present.report.write import html_bytes, json_bytes, write_report
from core.seal.keys import sign, signing_key
from tests.burnin.begun_run import begun
from tests.present.report.recorded import UUIDS, device
from tests.seal.conftest import FAILED, PASSED, PASSES


@pytest.fixture
def folder(two_runs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(two_runs, tmp_path / "data"))


@pytest.fixture
def store(folder: Path) -> Iterator[RunStore]:
    with closing(RunStore(folder)) as opened:
        yield opened


# -- edited rows of a finished run ---------------------------------------------------------------------------------

EDITS = {
    "verdict on the machine": "UPDATE verdicts SET outcome = 'PASS' WHERE run_id = 1 AND device_id = ''",
    "verdicts on all": "UPDATE verdicts SET outcome = 'PASS', reasons = '[]' WHERE run_id = 1",
    "verdict on a card": f"UPDATE verdicts SET outcome = 'PASS' WHERE run_id = 1 AND device_id = '{UUIDS[1]}'",
    "said to be interrupted": "UPDATE verdicts SET outcome = 'PASS'; UPDATE runs SET status = 'interrupted'",
    "said to go on": "UPDATE verdicts SET outcome = 'PASS'; UPDATE runs SET status = 'running'",
    "verdict on a card deleted": f"DELETE FROM verdicts WHERE run_id = 1 AND device_id = '{UUIDS[1]}'",
    "reasons made milder": "UPDATE verdicts SET reasons = replace(reasons, 'FAIL', 'PASS') WHERE run_id = 1",
    "simulated as measured": "UPDATE runs SET simulated = 0 WHERE id = 1",
    "words of the simulation": "UPDATE runs SET simulate = 'none', simulated = 0 WHERE id = 1",
    "devices as measured": "UPDATE devices SET info = json_set(info, '$.simulated', json('false')) WHERE run_id = 1",
    "serial of a card": "UPDATE devices SET info = json_set(info, '$.serial', '0815') WHERE run_id = 1",
    "result": "UPDATE results SET status = 'passed', reason = 'all well' WHERE run_id = 1 AND status = 'failed'",
    "evidence": "UPDATE results SET evidence = '{}' WHERE run_id = 1 AND status = 'failed'",
    "result deleted": "DELETE FROM results WHERE run_id = 1 AND status = 'failed'",
    "event": "UPDATE events SET message = 'all well', level = 'info' WHERE run_id = 1 AND kind = 'mismatch'",
    "event deleted": "DELETE FROM events WHERE run_id = 1 AND kind = 'mismatch'",
    "event added": "INSERT INTO events (run_id, time_s, at, level, kind, message)"
    " VALUES (1, 1, '', 'info', 'x', 'PASSED')",
    "interruption": "UPDATE interruptions SET kind = 'shortened' WHERE run_id = 1",
    "interruption deleted": "DELETE FROM interruptions WHERE run_id = 1",
    "length of a stage": "UPDATE stages SET seconds = 86400, title = 'Training, 24 h' WHERE run_id = 1 AND number = 3",
    "start of a stage": "UPDATE stages SET started_s = -80000 WHERE run_id = 1 AND number = 2",
    "stage deleted": "DELETE FROM stages WHERE run_id = 1 AND number = 3",
    "samples": "UPDATE chunks SET data = (SELECT data FROM chunks WHERE run_id = 1 AND metric = 'loss')"
    " WHERE run_id = 1 AND metric = 'temperature_c'",
    "samples deleted": "DELETE FROM chunks WHERE run_id = 1 AND metric = 'temperature_c'",
    "criteria": "UPDATE runs SET profile = json_set(profile, '$.criteria.max_errors', 99) WHERE id = 1",
    "name of the profile": "UPDATE runs SET profile = json_set(profile, '$.name', 'acceptance') WHERE id = 1",
    "title of the run": "UPDATE runs SET title = 'Acceptance PASSED' WHERE id = 1",
    "date": "UPDATE runs SET started_at = '2031-01-01T00:00:00.000+00:00' WHERE id = 1",
    "machine": "UPDATE runs SET machine = 'another (Linux)' WHERE id = 1",
    "program": "UPDATE runs SET version = '99.0' WHERE id = 1",
    "a link": "UPDATE links SET detail = x'' WHERE run_id = 1 AND number = 20",
    "links of the verdict deleted": "DELETE FROM links WHERE run_id = 1 AND kind = 'verdict'",
    "all links deleted": "DELETE FROM links WHERE run_id = 1",
    "links of another run": "DELETE FROM links WHERE run_id = 1; UPDATE links SET run_id = 1 WHERE run_id = 2",
    "seal of another run": "UPDATE seals SET seal = (SELECT seal FROM seals WHERE run_id = 2) WHERE run_id = 1",
    "seal that is none": "UPDATE seals SET seal = 'abc' WHERE run_id = 1",
}  # fmt: skip


def edit(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        for sql in statements:
            assert db.execute(sql).rowcount >= 1


@pytest.mark.parametrize("sql", EDITS.values(), ids=EDITS)
def test_no_paper_of_an_edited_run_has_a_verdict(store: RunStore, folder: Path, tmp_path: Path, sql: str) -> None:
    edit(folder, *sql.split("; "))
    assert check_run(store, FAILED).state is SealState.CHANGED
    assert checked_run(folder, FAILED).exit_code is ExitCode.FAIL
    document = run_document(store, FAILED)
    assert document.badge is not None
    assert document.badge.word == "CHANGED"
    values = json.loads(json_bytes(document))
    assert (values["outcome"], values["verdicts"], values["causes"]) == ("CHANGED", [], [])
    assert (values["seal"]["qr"], values["seal"]["qr_svg"]) == (None, None)
    assert not [word for word in ("PASS", "FAIL", "<svg") if word in json_bytes(document).decode()]
    page = html_page(html_bytes(document))
    assert not [word for word in ("PASS", "FAIL", "Training", "all well") if word in page.text]
    with pytest.raises(RecordChanged) as told_so:
        write_report(document, tmp_path / "report.html")
    assert told_so.value.exit_code is ExitCode.FAIL
    assert checked_file(folder, tmp_path / "report.html").exit_code is ExitCode.FAIL


def test_certificate_and_pack_of_an_edited_run_say_changed_and_nothing_else(
    store: RunStore, folder: Path, tmp_path: Path
) -> None:
    edit(folder, EDITS["verdicts on all"], EDITS["simulated as measured"])
    for language, word in (("en", "CHANGED"), ("de", None), ("zh_CN", None)):
        with pytest.raises(RecordChanged):
            write_certificate(store, FAILED, tmp_path / f"{language}.pdf", language=language, annex=True)
        page = pdf_page((tmp_path / f"{language}.pdf").read_bytes())
        assert word is None or word in page.heading
        assert "PASS" not in page.text
        assert checked_file(folder, tmp_path / f"{language}.pdf").exit_code is ExitCode.FAIL
    assert "SIMULATED" in pdf_page((tmp_path / "en.pdf").read_bytes()).text  # the seal says so
    with pytest.raises(RecordChanged):
        write_rma(store, FAILED, "1", tmp_path / "pack.zip")
    with ZipFile(tmp_path / "pack.zip") as pack:
        assert sorted(pack.namelist()) == ["README.txt", CERTIFICATE]
        assert "CHANGED" in pdf_page(pack.read(CERTIFICATE)).heading
    assert checked_file(folder, tmp_path / "pack.zip").exit_code is ExitCode.FAIL


def test_a_list_of_runs_holds_verdict_and_simulation_against_the_seal(store: RunStore, folder: Path) -> None:
    assert not is_relabelled(store, FAILED)
    edit(folder, EDITS["verdict on the machine"])
    edit(folder, "UPDATE runs SET simulated = 1 WHERE id = 2")
    assert is_relabelled(store, FAILED)
    assert is_relabelled(store, PASSED)


@pytest.mark.parametrize(
    "statements",
    [
        ["DELETE FROM links", "DELETE FROM seals", "UPDATE verdicts SET outcome = 'PASS', reasons = '[]'"],
        ["DELETE FROM seals"],
    ],
    ids=["chain and seal torn out", "seal torn out"],
)
def test_what_has_no_seal_any_more_proves_nothing(
    store: RunStore, folder: Path, tmp_path: Path, statements: list[str]
) -> None:
    edit(folder, *statements)
    path = write_certificate(store, FAILED, tmp_path / "c.pdf")
    assert "NOT PROVEN" in pdf_page(path.read_bytes()).text
    assert checked_file(folder, path).exit_code is ExitCode.INCOMPLETE


@pytest.mark.parametrize("letters", [MOST_LETTERS, 50_000])
def test_no_text_and_no_number_of_cards_pushes_the_statement_off_page_1(
    store: RunStore, folder: Path, letters: int
) -> None:
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.executemany(
            "INSERT INTO facts (run_id, at, name, value) VALUES (?, '2026-01-01T00:00:00.000+00:00', ?, ?)",
            [(FAILED, name, "W " * (letters // 2)) for name in FACT_NAMES if name != "room_temperature_c"],
        )
    paper = read_certificate(store, FAILED)
    assert max(map(len, astuple(paper.facts))) == MOST_LETTERS
    page = pdf_page(
        set_pdf(TEMPLATE, "certificate", certificate_values(replace(paper, cards=paper.cards * 20), Letterhead()))
    )
    assert page.holds(paper.statement.line)
    assert "FAILED" in page.heading


# -- earlier versions and own profiles ---


def test_a_run_that_an_earlier_version_sealed_is_intact(store: RunStore, folder: Path) -> None:
    check = check_run(store, FAILED)
    assert check.seal is not None
    later = {"version", "profile_digest", "profile_origin", "planned_s", "ran_s"}
    first = {name: value for name, value in check.seal.statement.items() if name not in later}
    store.set_seal(FAILED, sign(first, signing_key(folder)).word)
    assert check_run(store, FAILED).state is SealState.INTACT
    store.set_seal(FAILED, sign(first | {"version": 2}, signing_key(folder)).word)
    assert check_run(store, FAILED).state is SealState.CHANGED
    store.set_seal(FAILED, sign(first | {"outcome": "PASS"}, signing_key(folder)).word)
    assert check_run(store, FAILED).state is SealState.CHANGED


def test_a_sealed_run_stays_intact_where_another_version_ships_another_profile(store: RunStore, folder: Path) -> None:
    check = check_run(store, FAILED)
    assert check.seal is not None
    then = dict(check.seal.statement) | {"profile_origin": "shipped", "profile_digest": "ab" * 32}
    store.set_seal(FAILED, sign(then, signing_key(folder)).word)
    assert check_run(store, FAILED).state is SealState.INTACT
    statement = read_run_seal(store, FAILED).statement(PaperKind.REPORT)
    assert (statement.profile_origin, statement.profile_digest) == (ProfileOrigin.SHIPPED, "ab" * 32)


# -- own profiles --------------------------------------------------------------------------------------------------


def run_of(store: RunStore, profile: Profile) -> int:
    """A run that passed at once."""
    devices = [RunDevice(device(position, simulated=False), position, True) for position in range(2)]
    titles = [title_of(stage) for stage in profile.stages]
    run_id = begun(store, devices=devices, profile=profile, stage_titles=titles, version="0.1.0")
    store.finish(run_id, PASSES)
    seal_run(store, run_id)
    return run_id


def test_an_own_profile_with_name_and_title_of_a_shipped_one_says_so_on_page_1(tmp_path: Path) -> None:
    shipped = find_profile("acceptance")
    lax = shipped.model_copy(update={"criteria": Criteria(slower_than_best_fail_pct=99, slower_than_best_warn_pct=99)})
    shortened = shipped.model_copy(
        update={"stages": tuple(one.model_copy(update={"seconds": 1.0}) for one in shipped.stages)}
    )
    words = {}
    with closing(RunStore(tmp_path)) as store:
        for name, profile in (("own", lax), ("shortened", shortened), ("shipped", shipped)):
            run_id = run_of(store, profile)
            path = write_certificate(store, run_id, tmp_path / "c.pdf")
            words[name] = " ".join(pdf_page(path.read_bytes()).text.split())
            assert checked_file(tmp_path, path).exit_code is ExitCode.PASS
            report = " ".join(html_page(html_bytes(run_document(store, run_id))).text.split())
            assert ("OWN FILE" in report) is (name == "own")
    assert "Acceptance, OWN FILE" in words["own"]
    assert "Acceptance, shipped profile, changed by the user" in words["shortened"]
    assert "Acceptance, shipped profile" in words["shipped"]
    assert "changed by the user" not in words["shipped"]
    assert "OWN FILE" not in words["shortened"] + words["shipped"]


def test_the_certificate_of_an_intact_run_has_its_code(store: RunStore) -> None:
    assert read_run_seal(store, PASSED).code is not None
    assert b"RIGWRIGHT" in sealed_certificate(store, PASSED)[0]
