"""Laundering: each way to a better certificate than a run earned is found, or SECURITY.md does not promise it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from core.burnin.profile.criteria import Criteria
from core.burnin.profile.file import ProfileOrigin, find_profile, title_of
from core.burnin.profile.profile import Profile
from core.burnin.record.reader import FILE
from core.burnin.record.rows import MACHINE, InterruptionKind, Outcome, Reason, RunDevice, Verdict
from core.burnin.record.store import RunStore
from core.burnin.sealing import SealState, check_run, is_relabelled, seal_run
from core.certificate.certificate import read_certificate
from core.certificate.layout import certificate_values
from core.certificate.letterhead import Letterhead
from core.certificate.rma import CARD, CERTIFICATE, rma_pack, write_rma
from core.certificate.write import TEMPLATE, certificate_pdf, write_certificate
from core.cli.commands.seals import Checked, checked_file, checked_run
from core.errors import ExitCode
from core.language import spoken
from core.report.changed_run import RecordChanged
from core.report.html import html_bytes
from core.report.pdf import set_pdf
from core.report.run_report import run_document
from core.report.run_seal import read_run_seal
from core.report.statement import PaperKind, Statement
from core.report.write import json_bytes, write_report
from core.seal.keys import SigningKey, signing_key
from core.seal.seal import sign
from core.seal.sealed_file import sealed, sealed_lines
from core.seal.visible_text import html_page, pdf_page
from tests.report.recorded import UUIDS, device, record_run, verdicts

FAILED, PASSED = 1, 2
"""Two sealed runs: one simulated, killed in between and failed, one measured and passed."""
PASSES = [Verdict(device_id, Outcome.PASS, (Reason(Outcome.PASS, "All well."),)) for device_id in (MACHINE, *UUIDS)]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    with closing(RunStore(folder)) as store:
        assert record_run(store, verdict=False) == FAILED
        store.add_interruption(FAILED, InterruptionKind.KILLED, 50.0, "Its runner was killed.")
        store.finish(FAILED, verdicts(simulated=True))
        assert record_run(store, simulated=False, verdict=False) == PASSED
        store.finish(PASSED, PASSES)
        for number in (FAILED, PASSED):
            seal_run(store, number)
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "data"))


@pytest.fixture
def store(folder: Path) -> Iterator[RunStore]:
    with closing(RunStore(folder)) as opened:
        yield opened


# -- edited rows of a finished run ---------------------------------------------------------------------------------

EDITS = {
    "verdict on the machine": "UPDATE verdicts SET outcome = 'PASS' WHERE run_id = 1 AND device_id = ''",
    "verdicts on all": "UPDATE verdicts SET outcome = 'PASS', reasons = '[]' WHERE run_id = 1",
    "verdict on a card": f"UPDATE verdicts SET outcome = 'PASS' WHERE run_id = 1 AND device_id = '{UUIDS[1]}'",
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
    told = json.loads(json_bytes(document))
    assert (told["outcome"], told["verdicts"], told["causes"]) == ("CHANGED", [], [])
    assert (told["seal"]["qr"], told["seal"]["qr_svg"]) == (None, None)
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


# -- files that say something else than their seal -----------------------------------------------------------------


@dataclass(frozen=True)
class Papers:
    """What a forger has: pages without a seal, statements, and a program that signs whatever it is given."""

    key: SigningKey
    pages: dict[str, bytes]
    statements: dict[str, Statement]

    def sealed(self, page: str | bytes, statement: str | Statement, **changes: Any) -> bytes:
        content = self.pages[page] if isinstance(page, str) else page
        said = self.statements[statement] if isinstance(statement, str) else statement
        return sealed(content, said.signed() | changes, self.key)


@pytest.fixture(scope="module")
def papers(original: Path) -> Papers:
    pages: dict[str, bytes] = {}
    statements: dict[str, Statement] = {}
    with closing(RunStore(original)) as store:
        for name, run_id in (("failed", FAILED), ("passed", PASSED)):
            certificate, document = read_certificate(store, run_id), run_document(store, run_id)
            pages[f"{name}.pdf"] = set_pdf(TEMPLATE, "certificate", certificate_values(certificate, Letterhead()))
            pages[f"{name}.html"] = html_bytes(document)
            pages[f"{name}.json"] = json_bytes(document)
            seal = read_run_seal(store, run_id)
            statements[name] = certificate.statement
            statements[f"{name} report"] = seal.statement(PaperKind.REPORT)
            statements[f"{name} telemetry"] = seal.statement(PaperKind.TELEMETRY)
        pages["pack.zip"] = rma_pack(store, FAILED, "1")
        with ZipFile(BytesIO(pages["pack.zip"])) as archive:
            line = json.loads(archive.read(CARD))["statement"]
        statements["pack"] = seal_of_pack(statements["failed"])
        assert line == statements["pack"].line
        with spoken("de"):
            german = read_certificate(store, FAILED)
            pages["german.pdf"] = set_pdf(TEMPLATE, "certificate", certificate_values(german, Letterhead()))
            statements["german"] = german.statement
    return Papers(signing_key(original), pages, statements)


def seal_of_pack(statement: Statement) -> Statement:
    return statement.model_copy(update={"kind": PaperKind.RMA, "card": UUIDS[1], "outcome": Outcome.FAIL})


def repacked(content: bytes, changes: dict[str, bytes]) -> bytes:
    with ZipFile(BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()} | changes
    stream = BytesIO()
    with ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


def card_of(papers: Papers, **changes: object) -> bytes:
    with ZipFile(BytesIO(papers.pages["pack.zip"])) as archive:
        return json.dumps(json.loads(archive.read(CARD)) | changes).encode()


def twice(content: bytes, key: str, value: str) -> bytes:
    """A JSON file in which a key stands twice; many readers take the last."""
    return content.replace(b"{\n", f'{{\n "{key}": {value},\n'.encode(), 1)


def passed_after(content: bytes, place: bytes) -> bytes:
    """The first verdict after that place turned to PASS."""
    before, _, after = content.partition(place)
    return before + place + after.replace(b'"FAIL"', b'"PASS"', 1)


def telemetry(papers: Papers, simulated: bool) -> bytes:
    line = {"time_s": 0.0, "type": "devices", "run": FAILED, "simulated": simulated, "devices": []}
    said = papers.statements["failed telemetry"].signed()
    return b"".join(sealed_lines([json.dumps(line).encode() + b"\n"], said, papers.key))


Forgery = Callable[[Papers], bytes]
FORGERIES: dict[str, Forgery] = {
    "a verdict in the PDF": lambda p: p.sealed("failed.pdf", "failed", outcome="PASS"),
    "a certificate under the seal of another run": lambda p: p.sealed("failed.pdf", "passed"),
    "a certificate of a run that passed under the number of another": lambda p: p.sealed("passed.pdf", "failed"),
    "simulated signed as measured": lambda p: p.sealed("failed.pdf", "failed", simulated=False),
    "measured shown, simulated signed": lambda p: p.sealed("passed.pdf", "passed", simulated=True),
    "digest of another run": lambda p: p.sealed("failed.pdf", "failed", digest=p.statements["passed"].digest),
    "own file signed as shipped": lambda p: p.sealed("failed.pdf", "failed", profile_origin="shipped"),
    "another profile": lambda p: p.sealed("failed.pdf", "failed", profile="acceptance"),
    "another digest of the profile": lambda p: p.sealed("failed.pdf", "failed", profile_digest="0" * 64),
    "a day planned": lambda p: p.sealed("failed.pdf", "failed", planned_s=86400.0),
    "a day run": lambda p: p.sealed("failed.pdf", "failed", ran_s=86400.0),
    "no interruption signed": lambda p: p.sealed("failed.pdf", "failed", interruptions=[]),
    "a report's statement in a certificate": lambda p: p.sealed("failed.pdf", "failed report"),
    "a certificate's statement in a report": lambda p: p.sealed("failed.html", "failed"),
    "another language": lambda p: p.sealed("german.pdf", "german", language="zh_CN"),
    "a changed record signed as intact": lambda p: p.sealed("failed.pdf", "failed", record="changed"),
    "a statement without sense": lambda p: p.sealed("failed.pdf", "failed", outcome="SPLENDID"),
    "a verdict in the HTML": lambda p: p.sealed(
        p.pages["failed.html"].replace(b"\xef\xb8\x8e</span> FAIL", b"\xef\xb8\x8e</span> PASS", 1)
        .replace(b"&#xFE0E;</span> FAIL", b"&#xFE0E;</span> PASS", 1), "failed report"
    ),
    "a line of the HTML hidden in a script": lambda p: p.sealed(
        p.pages["failed.html"].replace(b'<p class="statement">', b"<script>"),
        "failed report",
    ),
    "a second line in the HTML": lambda p: p.sealed(
        p.pages["failed.html"].replace(b"<main>", b"<main>" + p.statements["passed report"].line.encode()),
        "failed report",
    ),
    "a verdict in the JSON": lambda p: p.sealed(
        p.pages["failed.json"].replace(b'"outcome": "FAIL"', b'"outcome": "PASS"', 1), "failed report"
    ),
    "the verdict on the machine in the JSON": lambda p: p.sealed(
        passed_after(p.pages["failed.json"], b'"subject": "machine"'), "failed report"
    ),
    "a key twice in the JSON": lambda p: p.sealed(
        twice(p.pages["failed.json"], "outcome", '"PASS"'), "failed report"
    ),
    "simulated in the JSON": lambda p: p.sealed(
        p.pages["failed.json"].replace(b'"simulated": true', b'"simulated": false'), "failed report"
    ),
    "no JSON at all": lambda p: p.sealed(b"{\n]\n}\n", "failed report"),
    "a certificate of another run in the pack": lambda p: p.sealed(
        repacked(p.pages["pack.zip"], {CERTIFICATE: p.pages["passed.pdf"]}), "pack"
    ),
    "a card file in the pack": lambda p: p.sealed(
        repacked(p.pages["pack.zip"], {CARD: card_of(p, verdict="PASS")}), "pack"
    ),
    "one more file in the pack": lambda p: p.sealed(
        repacked(p.pages["pack.zip"], {"PASSED.txt": b"PASSED"}), "pack"
    ),
    "telemetry of a simulation as measured": lambda p: telemetry(p, False),
    # what the bytes alone tell
    "a byte": lambda p: p.sealed("failed.pdf", "failed").replace(b"/Title", b"/title", 1),
    "text after the seal": lambda p: p.sealed("failed.html", "failed report") + b"<style>main{display:none}</style>",
    "script after the seal": lambda p: p.sealed("failed.html", "failed report") + b"<script>0</script>\n",
    "the same seal once more": lambda p: (made := p.sealed("failed.html", "failed report"))
    + made[made.rindex(b"<!-- rigwright-seal") :],
    "the seal object of a PDF once more": lambda p: (made := p.sealed("failed.pdf", "failed"))
    + made[len(p.pages["failed.pdf"]) :],
    "the seal of another file": lambda p: p.pages["failed.html"]
    + (made := p.sealed("passed.html", "passed report"))[made.rindex(b"<!-- rigwright-seal") :],
    "the seal of a run": lambda p: p.pages["failed.html"]
    + b"<!-- rigwright-seal:" + sign({"of": "run", "outcome": "PASS"}, p.key).word.encode() + b"; -->\n",
    "half of a pack": lambda p: (made := p.sealed(repacked(p.pages["pack.zip"], {}), "pack"))[: len(made) // 2]
    + made[-2000:],
}  # fmt: skip


def checked(content: bytes, original: Path, tmp_path: Path) -> Checked:
    path = tmp_path / "given"
    path.write_bytes(content)
    return checked_file(original, path)


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_a_file_that_says_something_else_than_its_seal_is_found(
    papers: Papers, original: Path, tmp_path: Path, forgery: Forgery
) -> None:
    found = checked(forgery(papers), original, tmp_path)
    assert found.exit_code is ExitCode.FAIL
    assert found.lines or found.verdict[0].startswith("CHANGED")
    assert not [line for line in found.verdict if line.startswith("Verdict")]


@pytest.mark.parametrize(
    ("page", "statement"),
    [
        ("failed.pdf", "failed"), ("passed.pdf", "passed"), ("german.pdf", "german"), ("failed.html", "failed report"),
        ("passed.html", "passed report"), ("failed.json", "failed report"), ("passed.json", "passed report"),
    ],
)  # fmt: skip
def test_what_the_program_made_of_the_runs_agrees(
    papers: Papers, original: Path, tmp_path: Path, page: str, statement: str
) -> None:
    found = checked(papers.sealed(page, statement), original, tmp_path)
    failed = not page.startswith("passed")
    told = ["Verdict: FAIL", "SIMULATED: no hardware was measured."] if failed else ["Verdict: PASS"]
    assert (found.exit_code, found.lines, found.verdict) == (ExitCode.PASS, [], told)


def test_a_pack_and_telemetry_agree(papers: Papers, original: Path, tmp_path: Path) -> None:
    for content in (papers.pages["pack.zip"], telemetry(papers, True)):
        found = checked(content, original, tmp_path)
        assert (found.exit_code, found.lines) == (ExitCode.PASS, [])


@pytest.mark.parametrize("language", ["en", "de", "zh_CN", "zh_TW"])
@pytest.mark.parametrize("outcome", Outcome)
def test_the_verdict_is_read_in_every_language(tmp_path: Path, language: str, outcome: Outcome) -> None:
    with closing(RunStore(tmp_path)) as store:
        run_id = record_run(store, verdict=False)
        store.finish(run_id, [Verdict(MACHINE, outcome, (Reason(outcome, "For a reason."),))])
        seal_run(store, run_id)
        path = write_certificate(store, run_id, tmp_path / "c.pdf", language=language)
        with spoken(language):
            report = write_report(run_document(store, run_id), tmp_path / "r.html")
        for made in (path, report):
            found = checked_file(tmp_path, made)
            assert (found.exit_code, found.lines) == (ExitCode.PASS, [])


# -- earlier versions ----------------------------------------------------------------------------------------------


def test_a_file_of_an_earlier_version_is_verified_and_says_nothing_of_its_verdict(
    papers: Papers, original: Path, tmp_path: Path
) -> None:
    old = {"run": FAILED, "digest": papers.statements["failed"].digest}
    found = checked(sealed(papers.pages["failed.pdf"], old | {"record": "intact"}, papers.key), original, tmp_path)
    assert found.exit_code is ExitCode.PASS
    assert "older version" in found.verdict[0]
    found = checked(sealed(papers.pages["failed.pdf"], old | {"record": "changed"}, papers.key), original, tmp_path)
    assert found.exit_code is ExitCode.FAIL


def test_a_file_of_a_later_version_proves_nothing_here(papers: Papers, original: Path, tmp_path: Path) -> None:
    found = checked(papers.sealed("failed.pdf", "failed", version=3), original, tmp_path)
    assert found.exit_code is ExitCode.INCOMPLETE


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
    run_id = store.create_run(
        title=profile.title,
        profile=profile,
        devices=[RunDevice(device(position, simulated=False), position, True) for position in range(2)],
        stage_titles=[title_of(stage) for stage in profile.stages],
        boot_id="boot-1",
        machine="tower-7 (Linux 6.1, x86_64)",
        version="0.1.0",
    )
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
    assert b"RIGWRIGHT" in certificate_pdf(store, PASSED)
