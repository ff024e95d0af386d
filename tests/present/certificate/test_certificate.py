"""The certificate of a run: what its pages say, in each language, and that it is sealed."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import MACHINE, SOFTWARE, EventLevel, Outcome, Reason, ResultStatus, StageResult, Verdict
from core.burnin.record.run_facts import told_facts, told_noise
from core.burnin.record.store import RunStore
from core.burnin.sealing import seal_run
from core.machine.asbuilt.as_built import AsBuilt, BuiltCard, MachineFacts
from core.plan.file import dump_build
from core.platform.errors import BadInput
from core.present.certificate.certificate import Agreement, Certificate, NotRun, read_certificate
from core.present.certificate.layout import _whose, certificate_values, sealed_certificate, write_certificate
from core.present.certificate.letterhead import FILE, Letterhead, read_letterhead
from core.present.report.document import Tone
from core.present.report.palette import TONE_COLOUR
from core.seal.sealed_file import FileState, check_file
from core.words import spoken, tr
from tests.present.report.recorded import UUIDS, planned, record_run, verdicts
from tests.present.report.test_write import pdf_text

LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#036"/></svg>'

RECORDED = 1
"""The run of `recorded`."""


def record_sealed(store: RunStore) -> int:
    """Finished, failed, simulated, with plan and facts, sealed."""
    number = record_run(store, build=dump_build(planned()))
    store.set_facts(number, told_facts(customer="Institut für Akustik", order="4711", room_temperature_c=24.6))
    seal_run(store, number)
    return number


@pytest.fixture
def run_id(store: RunStore) -> int:
    """A sealed run of the test's own."""
    return record_sealed(store)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunStore]:
    """One sealed run, for all tests that only read it."""
    with closing(RunStore(tmp_path_factory.mktemp("recorded"))) as opened:
        assert record_sealed(opened) == RECORDED
        yield opened


@pytest.fixture(scope="module")
def content(recorded: RunStore) -> bytes:
    """The PDF of that run."""
    return sealed_certificate(recorded, RECORDED)[0]


@pytest.fixture
def certificate(recorded: RunStore) -> Certificate:
    """What it says."""
    return read_certificate(recorded, RECORDED)


@pytest.fixture
def values(certificate: Certificate) -> dict[str, Any]:
    """As its pages show it."""
    return certificate_values(certificate, Letterhead())


def values_of(store: RunStore, number: int) -> dict[str, Any]:
    return certificate_values(read_certificate(store, number), Letterhead())


def shown(content: bytes, tmp_path: Path, page: int | None = None) -> str:
    pages = ("-f", str(page), "-l", str(page)) if page else ()
    return " ".join(pdf_text(content, tmp_path, *pages).split())


def test_the_first_page_says_verdict_cause_facts_and_cards(
    certificate: Certificate, content: bytes, tmp_path: Path
) -> None:
    page, cause = shown(content, tmp_path, 1), certificate.causes[0]
    for words in ("FAILED", cause.text, "Institut für Akustik", "4711", "24.6 °C", "RTX 3090", "Tested by, date"):
        assert words in page
    assert page.index("FAILED") < page.index("Institut") < page.index("Sealed record")
    page = shown(content, tmp_path, 3)
    assert page.index("FAIL") < page.index("Passed"), "causes stand before what passed"


def test_it_is_sealed_and_shows_digest_and_key(certificate: Certificate, content: bytes, tmp_path: Path) -> None:
    assert check_file(content).state is FileState.WHOLE
    assert certificate.seal.digest is not None
    assert certificate.seal.digest in shown(content, tmp_path).replace(" ", "")


def test_a_simulated_run_says_so_on_every_page(content: bytes, tmp_path: Path) -> None:
    assert all("SIMULATED" in shown(content, tmp_path, page) for page in (1, 2, 3))
    assert "This proves nothing" in shown(content, tmp_path, 1)


def test_a_measured_run_does_not(store: RunStore, tmp_path: Path) -> None:
    assert "proves nothing" not in shown(sealed_certificate(store, record_run(store, simulated=False))[0], tmp_path)


def test_three_pages_and_the_log_on_request(recorded: RunStore, content: bytes, tmp_path: Path) -> None:
    assert content.count(b"/Type/Page\n") + content.count(b"/Type/Page/") == 3
    assert "Annex" not in shown(content, tmp_path)
    assert "Annex: the log of the run" in shown(sealed_certificate(recorded, RECORDED, annex=True)[0], tmp_path)


@pytest.mark.parametrize(("language", "tag"), [("de", "de"), ("zh_TW", "zh-TW"), ("pseudo", "en")])
def test_it_is_made_in_a_language(recorded: RunStore, language: str, tag: str) -> None:
    with spoken(language):
        assert values_of(recorded, RECORDED)["tag"] == tag


def test_all_that_is_the_programs_own_is_in_the_language(certificate: Certificate) -> None:
    """Of an English program: also what was worded when its modules were loaded."""
    with spoken("pseudo"):
        values = certificate_values(certificate, Letterhead())
    own = [*values["words"].values(), values["verdict"]["text"], *(name for name, _ in values["facts"])]
    tables = [block["columns"] for block in values["reasons"] if block["type"] == "table"]
    numbers, *columns = [column["title"] for columns in tables for column in columns]
    assert numbers == "", "the causes are numbered in a column without a heading"
    own += columns
    own += [row["cells"][0] for row in values["plan"]]
    assert [text for text in own if "⟦" not in text] == ["VBIOS"]


def test_a_stage_that_was_stopped_did_not_run(store: RunStore) -> None:
    number = record_run(store, verdict=False)
    for device_id in UUIDS:
        store.add_result(number, StageResult(1, device_id, ResultStatus.STOPPED, "Stopped by the user."))
    store.finish(number, verdicts(simulated=True))
    stopped = read_certificate(store, number)
    assert "Idle baseline" not in stopped.ran
    assert NotRun("Idle baseline", (), "Stopped by the user.") in stopped.not_run


def test_versions_are_on_the_first_page(store: RunStore, tmp_path: Path) -> None:
    run_id = record_run(store, verdict=False)
    store.add_event(run_id, 1.0, EventLevel.INFO, SOFTWARE, "PyTorch 2.8.0, CUDA 12.8")
    store.finish(run_id, verdicts(simulated=True))
    assert "PyTorch 2.8.0, CUDA 12.8" in shown(sealed_certificate(store, run_id)[0], tmp_path, 1)


def test_what_all_cards_say_alike_is_said_once_with_its_range(store: RunStore, tmp_path: Path) -> None:
    number = record_run(store, verdict=False)
    checks = dict(zip(UUIDS, (1_040, 988), strict=True))
    alike = {
        one: (
            Reason(Outcome.PASS, tr("{stage}: {count} checks.", stage="Known answers", count=count)),
            Reason(Outcome.PASS, f"Only {one[:5]}."),
        )
        for one, count in checks.items()
    }
    store.finish(number, [Verdict(MACHINE, Outcome.PASS, ()), *(Verdict(i, Outcome.PASS, r) for i, r in alike.items())])
    page = shown(sealed_certificate(store, number)[0], tmp_path, 3)
    assert "Known answers: 988–1040 checks. all 2" in page
    assert "Only SIM-0. GPU 0" in page
    assert "Only SIM-1. GPU 1" in page


def test_the_fewest_cards_are_named() -> None:
    every = [f"GPU {number}" for number in range(8)]
    assert _whose(every, every) == "all 8"
    assert _whose(every[:7], every) == "all but GPU 7"
    assert _whose(every[:2], every) == "GPU 0, GPU 1"
    assert _whose(every[:1], every[:1]) == "GPU 0"


def test_stages_that_did_not_run_for_one_reason_are_reported_once(certificate: Certificate) -> None:
    lost = [NotRun(title, ("GPU 1",), "It was lost.") for title in ("Verified GEMM", "Transients")]
    certificate = replace(certificate, not_run=(*lost, NotRun("Cool-down", (), "Stopped.")))
    [sentence, *_] = certificate_values(certificate, Letterhead())["not-run"]
    assert sentence == "Not run or not finished: Verified GEMM, Transients (GPU 1): It was lost; Cool-down: Stopped."


def test_cause_table_and_curves_call_a_card_the_same(certificate: Certificate, values: dict[str, Any]) -> None:
    assert certificate.causes[0].text.startswith("GPU 1")
    assert [card.name for card in certificate.cards] == ["GPU 0, PCI 0000:41:00.0", "GPU 1, PCI 0000:61:00.0"]
    drawn = [figure.draw() for figure in certificate.figures]
    assert drawn
    assert all("GPU 1, PCI 0000:61:00.0" in svg for svg in drawn)
    assert all(">GPU 1</text>" in svg and ">GPU 0</text>" not in svg for svg in drawn), "who failed is marked"
    assert [row["cells"][:2] for row in values["cards"]] == [
        ["GPU 0", "PCI 0000:41:00.0"],
        ["GPU 1", "PCI 0000:61:00.0"],
    ]


def test_the_first_page_names_the_slot_of_the_card_that_failed(store: RunStore, run_id: int) -> None:
    card = BuiltCard(UUIDS[1], "RTX 3090", slot="PCIE5", position=3)
    store.set_as_built(run_id, AsBuilt("2026-01-01T00:00:00+00:00", MachineFacts(), (card,)))
    assert "GPU 1: PCIE5, PCI 0000:61:00.0." in values_of(store, run_id)["cause"]


def test_room_and_plan_are_in_the_language_and_named(recorded: RunStore) -> None:
    with spoken("de"):
        values = values_of(recorded, RECORDED)
    assert ["Raumtemperatur", "24,6\N{NO-BREAK SPACE}°C"] in values["facts"]
    assert values["planned"] == planned().name


def test_a_run_that_passed_says_how_much_was_checked(store: RunStore) -> None:
    number = record_run(store, verdict=False)
    passed = [
        Verdict(one.device_id, Outcome.PASS, (Reason(Outcome.PASS, "Well."),)) for one in verdicts(simulated=True)
    ]
    assert {one.device_id for one in passed} >= {MACHINE}
    store.finish(number, passed)
    unsigned = values_of(store, number)["cause"]
    assert unsigned.startswith("NOT PROVEN: the recording is not signed. All 2 devices passed")
    seal_run(store, number)
    values = values_of(store, number)
    assert values["verdict"]["colour"] == TONE_COLOUR[Tone.PASS]
    assert values["cause"].startswith("All 2 devices passed every stage that ran: ")


def test_a_run_without_a_verdict_says_so(store: RunStore) -> None:
    values = values_of(store, record_run(store, verdict=False))
    assert (values["verdict"]["text"], values["cause"]) == ("NO VERDICT", "The run has no verdict.")
    assert values["seal"]["qr"] is None


def test_what_was_not_measured_is_never_ticked(certificate: Certificate) -> None:
    not_measured = {row.title: row.agreement for row in certificate.plan if row.measured == ""}
    assert not_measured["Noise at 1\N{NO-BREAK SPACE}m"] is Agreement.UNKNOWN


def test_noise_that_was_measured_stands_beside_its_prediction(store: RunStore, tmp_path: Path) -> None:
    number = record_run(store, simulated=False, build=dump_build(planned()))
    store.set_facts(number, told_noise(idle_dba=31.5, load_dba=99.0, distance_m=0.5))
    certificate = read_certificate(store, number)
    [row] = [row for row in certificate.plan if row.title == "Noise at 0.5\N{NO-BREAK SPACE}m"]
    assert (row.measured, row.agreement) == ("99.0\N{NO-BREAK SPACE}dBA", Agreement.DIFFERENT)
    told_later = [change.name for change in certificate.told_later]
    assert told_later == ["noise_idle_dba", "noise_load_dba", "noise_distance_m"]
    page = shown(sealed_certificate(store, number)[0], tmp_path)
    for words in ("noise load, 2", "Noise at 0.5 m", "Noise idle, at 0.5 m", "31.5 dBA"):
        assert words in page
    assert "noise origin" not in page


def test_noise_without_a_plan_is_shown_and_not_ticked(store: RunStore, tmp_path: Path) -> None:
    number = record_run(store, simulated=False)
    store.set_facts(number, told_noise(idle_dba=31.5, load_dba=44.2, distance_m=1.0))
    rows = read_certificate(store, number).plan
    assert [(row.title, row.planned, row.agreement) for row in rows] == [
        ("Noise idle, at 1\N{NO-BREAK SPACE}m", "", Agreement.NOTED),
        ("Noise at 1\N{NO-BREAK SPACE}m", "", Agreement.NOTED),
    ]
    page = shown(sealed_certificate(store, number)[0], tmp_path, 1)
    assert "The run had no plan to compare with." in page
    assert "44.2 dBA" in page


def test_facts_that_were_entered_later_are_marked_as_such(values: dict[str, Any]) -> None:
    assert any("customer" in line for line in values["not-run"])


def test_a_changed_record_is_reported_in_its_certificate(store: RunStore, run_id: int, tmp_path: Path) -> None:
    with store.one_commit():
        store._db.execute("UPDATE verdicts SET outcome = 'PASS' WHERE device_id = ''")
    page = shown(sealed_certificate(store, run_id)[0], tmp_path, 1)
    assert "CHANGED" in page
    assert "The verdict on the machine was changed in outcome." in page
    assert not [word for word in ("PASS", "FAILED", "wrong results", "Verified GEMM") if word in page]


def test_letterhead_of_the_data_folder_is_taken(store: RunStore, run_id: int, tmp_path: Path) -> None:
    (tmp_path / "logo.svg").write_text(LOGO, "utf-8")
    (tmp_path / FILE).write_text('name = "Bench GmbH"\naddress = ["Weg 1", "Ulm"]\nlogo = "logo.svg"\n', "utf-8")
    assert read_letterhead(None, tmp_path).logo_format == "svg"
    page = shown(sealed_certificate(store, run_id)[0], tmp_path, 1)
    assert "Bench GmbH" in page
    assert "Ulm" in page


def test_a_certificate_is_a_pdf(recorded: RunStore, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"ends in \.pdf"):
        write_certificate(recorded, RECORDED, tmp_path / "x.html")
