"""Files that say something else than what is signed into them, made by a program that signs whatever it is given."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from core.burnin.record.rows import MACHINE, Outcome, Reason, Verdict
from core.burnin.record.store import RunStore
from core.burnin.sealing import seal_run
from core.cli.commands.seals import Checked, checked_file
from core.platform.errors import ExitCode
from core.present.certificate.certificate import read_certificate
from core.present.certificate.layout import TEMPLATE, certificate_values, write_certificate
from core.present.certificate.letterhead import Letterhead
from core.present.certificate.rma import CARD, CERTIFICATE, rma_pack
from core.present.report.pdf import set_pdf
from core.present.report.run_report import run_document
from core.present.report.run_seal import read_run_seal
from core.present.report.statement import PaperKind, Statement
from core.present.report.write import html_bytes, json_bytes, write_report
from core.seal.keys import SigningKey, sign, signing_key
from core.seal.sealed_file import sealed, sealed_lines
from core.words import spoken
from tests.present.report.recorded import UUIDS, record_run
from tests.seal.conftest import FAILED, PASSED

# -- files that say something else than their seal -----------------------------------------------------------------


@dataclass(frozen=True)
class Papers:
    """What a forger has: pages without a seal, statements, and a program that signs whatever it is given."""

    key: SigningKey
    pages: dict[str, bytes]
    statements: dict[str, Statement]

    def sealed(self, page: str | bytes, statement: str | Statement, **changes: Any) -> bytes:
        content = self.pages[page] if isinstance(page, str) else page
        chosen = self.statements[statement] if isinstance(statement, str) else statement
        return sealed(content, chosen.signed() | changes, self.key)


@pytest.fixture(scope="module")
def papers(two_runs: Path) -> Papers:
    pages: dict[str, bytes] = {}
    statements: dict[str, Statement] = {}
    with closing(RunStore(two_runs)) as store:
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
    return Papers(signing_key(two_runs), pages, statements)


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
    statement = papers.statements["failed telemetry"].signed()
    return b"".join(sealed_lines([json.dumps(line).encode() + b"\n"], statement, papers.key))


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


def checked(content: bytes, two_runs: Path, tmp_path: Path) -> Checked:
    path = tmp_path / "given"
    path.write_bytes(content)
    return checked_file(two_runs, path)


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_a_file_that_says_something_else_than_its_seal_is_found(
    papers: Papers, two_runs: Path, tmp_path: Path, forgery: Forgery
) -> None:
    result = checked(forgery(papers), two_runs, tmp_path)
    assert result.exit_code is ExitCode.FAIL
    assert result.lines or result.verdict[0].startswith("CHANGED")
    assert not [line for line in result.verdict if line.startswith("Verdict")]


@pytest.mark.parametrize(
    ("page", "statement"),
    [
        ("failed.pdf", "failed"), ("passed.pdf", "passed"), ("german.pdf", "german"), ("failed.html", "failed report"),
        ("passed.html", "passed report"), ("failed.json", "failed report"), ("passed.json", "passed report"),
    ],
)  # fmt: skip
def test_what_the_program_made_of_the_runs_agrees(
    papers: Papers, two_runs: Path, tmp_path: Path, page: str, statement: str
) -> None:
    result = checked(papers.sealed(page, statement), two_runs, tmp_path)
    failed = not page.startswith("passed")
    verdict = ["Verdict: FAIL", "SIMULATED: no hardware was measured."] if failed else ["Verdict: PASS"]
    assert (result.exit_code, result.lines, result.verdict) == (ExitCode.PASS, [], verdict)


def test_a_pack_and_telemetry_agree(papers: Papers, two_runs: Path, tmp_path: Path) -> None:
    for content in (papers.pages["pack.zip"], telemetry(papers, True)):
        result = checked(content, two_runs, tmp_path)
        assert (result.exit_code, result.lines) == (ExitCode.PASS, [])


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
            result = checked_file(tmp_path, made)
            assert (result.exit_code, result.lines) == (ExitCode.PASS, [])


# -- earlier versions ----------------------------------------------------------------------------------------------


def test_a_file_of_an_earlier_version_is_verified_and_says_nothing_of_its_verdict(
    papers: Papers, two_runs: Path, tmp_path: Path
) -> None:
    old = {"run": FAILED, "digest": papers.statements["failed"].digest}
    result = checked(sealed(papers.pages["failed.pdf"], old | {"record": "intact"}, papers.key), two_runs, tmp_path)
    assert result.exit_code is ExitCode.PASS
    assert "older version" in result.verdict[0]
    result = checked(sealed(papers.pages["failed.pdf"], old | {"record": "changed"}, papers.key), two_runs, tmp_path)
    assert result.exit_code is ExitCode.FAIL


def test_a_file_of_a_later_version_proves_nothing_here(papers: Papers, two_runs: Path, tmp_path: Path) -> None:
    result = checked(papers.sealed("failed.pdf", "failed", version=3), two_runs, tmp_path)
    assert result.exit_code is ExitCode.INCOMPLETE
