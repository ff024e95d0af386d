"""The RMA pack: all about one card, nothing about the others, and sealed."""

import csv
import json
from io import BytesIO, StringIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from core.burnin.record.rows import EventLevel
from core.burnin.record.run_facts import told_facts
from core.burnin.record.store import RunStore
from core.burnin.sealing import seal_run
from core.machine.telemetry.source import Incident
from core.plan.file import dump_build
from core.platform.errors import BadInput
from core.present.certificate.rma import rma_pack, write_rma
from core.seal.sealed_file import FileState, check_file
from tests.present.report.recorded import UUIDS, planned, record_run, verdicts
from tests.present.report.test_write import pdf_text

FILES = {
    "README.txt", "certificate.pdf", "card.json", "curves.csv", "events.txt", "driver-and-kernel.txt",
    "steps-to-repeat.txt",
}  # fmt: skip


@pytest.fixture
def pack(store: RunStore) -> bytes:
    """Of the card that was lost; an event of it names the other one."""
    run_id = record_run(store, build=dump_build(planned()), verdict=False)
    store.add_event(run_id, 20.0, EventLevel.INFO, "stage", "Verified GEMM started.")
    incident = Incident("xid", "NVRM: Xid (PCI:0000:3d:00): 79", "kernel", UUIDS[1], 79)
    store.add_incident(run_id, 79.0, EventLevel.ERROR, "Xid 79: the card fell off the bus.", incident)
    store.add_event(run_id, 81.0, EventLevel.WARN, "peer", f"No answer from {UUIDS[0]}.", device_id=UUIDS[1])
    store.finish(run_id, verdicts(simulated=True))
    store.set_facts(run_id, told_facts(customer="Geheim AG", order="4711", machine_serial="RW-1"))
    seal_run(store, run_id)
    return rma_pack(store, run_id, "1")


def texts(pack: bytes, tmp_path: Path) -> dict[str, str]:
    with ZipFile(BytesIO(pack)) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    pdf = content.pop("certificate.pdf")
    return {name: text.decode() for name, text in content.items()} | {"certificate.pdf": pdf_text(pdf, tmp_path)}


def test_everything_of_the_card_is_in_it(pack: bytes, tmp_path: Path) -> None:
    files = texts(pack, tmp_path)
    assert set(files) == FILES
    assert "NVRM: Xid (PCI:0000:3d:00): 79" in files["driver-and-kernel.txt"]
    assert "fell off the bus" in files["events.txt"]
    assert "Verified GEMM started." in files["events.txt"]
    card = json.loads(files["card.json"])
    assert (card["verdict"], card["card"]["device_id"]) == ("FAIL", UUIDS[1])
    rows = list(csv.DictReader(StringIO(files["curves.csv"])))
    assert len(rows) == 80
    assert float(rows[30]["power_w"]) == 345.5
    assert f"--devices {UUIDS[1]}" in files["steps-to-repeat.txt"]


def test_nothing_of_other_cards_or_customers_is(pack: bytes, tmp_path: Path) -> None:
    together = " ".join(texts(pack, tmp_path).values())
    assert not [name for name in (UUIDS[0], "0000:41:00.0", "Geheim", "4711", "RW-1", "tower-7") if name in together]


def test_its_first_page_passes_for_no_certificate_of_the_machine(pack: bytes, tmp_path: Path) -> None:
    page = texts(pack, tmp_path)["certificate.pdf"]
    assert "Record of one card, not of the machine" in page
    assert "Burn-in certificate" not in page


def test_it_is_sealed_and_a_changed_file_is_named(pack: bytes) -> None:
    assert check_file(pack).state is FileState.WHOLE
    with ZipFile(BytesIO(pack)) as archive:
        at = archive.getinfo("events.txt").header_offset + 45
    changed = check_file(pack[:at] + bytes([pack[at] ^ 1]) + pack[at + 1 :])
    assert (changed.state, changed.parts) == (FileState.CHANGED, ("events.txt",))


def test_a_card_that_is_not_there_is_refused(store: RunStore, tmp_path: Path) -> None:
    run_id = record_run(store)
    with pytest.raises(BadInput, match="matches no card of run 1"):
        rma_pack(store, run_id, "7")
    with pytest.raises(BadInput, match=r"ends in \.zip"):
        write_rma(store, run_id, "0", tmp_path / "x.tar")
