"""What a run met is presented once: terminal, HTML, PDF, JSON, certificate, RMA pack and window say the same of it."""

import gzip
import json
import re
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from rich.console import Console

from core.burnin.record.reader import FILE
from core.burnin.record.rows import Outcome, RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower
from core.present.certificate.layout import sealed_certificate
from core.present.certificate.reading import squeezed
from core.present.certificate.rma import rma_pack
from core.present.report.document import Document
from core.present.report.pdf import pdf_bytes
from core.present.report.recorded_run import RecordedRun, RunCard
from core.present.report.run_list import RunLine
from core.present.report.run_report import run_document
from core.present.report.run_verdict import brief_blocks, reason_figures
from core.present.report.terminal import print_blocks
from core.present.report.write import html_bytes
from core.words.units import quantity
from gui.burnin.recording import WATCHED, Recording, run_plan
from gui.burnin.run.verdict_banner import VerdictBanner
from gui.widgets.text import plain
from tests.golden.outputs import RECORDINGS, RUNS, pdf_text, visible_text
from tests.present.report.recorded import record_run

PACK = ("certificate.pdf", "card.json", "steps-to-repeat.txt")


def banner_text(qtbot: Any, store: RunStore, run_id: int) -> str:
    """All that the window's banner says of a run that does not go on."""
    follower = Follower(store, run_id, WATCHED)
    update = follower.poll()
    recording = Recording(update.run, follower.devices, run_plan(update.run, store.as_built(run_id), follower.devices))
    recording.apply(update)
    banner = VerdictBanner()
    qtbot.addWidget(banner)
    banner.set_recording(recording)
    return "\n".join((banner.title.text(), banner.brief.text(), banner.causes.text(), plain(banner.reasons.text())))


def texts_of(qtbot: Any, store: RunStore, record: RecordedRun, document: Document) -> dict[str, str]:
    """What is written of a run, by who writes it, without spaces: pages break where they must."""
    screen = Console(file=StringIO(), width=10_000)
    print_blocks(screen, brief_blocks(record))
    texts = {
        "terminal": screen.file.getvalue(),  # type: ignore[attr-defined]
        "HTML": visible_text(html_bytes(document).decode()),
        "PDF": pdf_text(pdf_bytes(document)),
        "certificate": pdf_text(sealed_certificate(store, record.run.id)[0]),
        "window": banner_text(qtbot, store, record.run.id),
    }
    return {name: squeezed(text) for name, text in texts.items()}


def pack_of(store: RunStore, run_id: int, card: RunCard) -> tuple[str, dict[str, Any], str]:
    """Page, data and steps of the RMA pack of a card."""
    with ZipFile(BytesIO(rma_pack(store, run_id, card.device.id))) as archive:
        page, data, steps = map(archive.read, PACK)
    return squeezed(pdf_text(page)), json.loads(data), squeezed(steps.decode())


def expected(record: RecordedRun) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words and figures that decide, and who writes them."""
    everywhere = ("terminal", "HTML", "PDF", "certificate", "window")
    if record.outcome is not None:
        yield record.outcome.label, ("terminal", "HTML", "PDF", "window")
        yield record.outcome.stamp, ("certificate",)
    places = {card.device.id: card.where for card in record.cards}
    for cause in record.causes if record.outcome else ():
        yield cause.text, everywhere
        yield cause.action, everywhere
        if len(cause.devices) == 1:
            yield places[cause.devices[0]], everywhere
    for verdict in record.verdicts:
        for reason in verdict.own_reasons:
            if reason.outcome is not Outcome.PASS:
                yield reason.text, ("HTML", "PDF", "window")
                yield reason_figures(reason), ("window",)
                for figure in (reason.measured, reason.limit):
                    yield quantity(figure, reason.unit, missing=""), ("HTML", "PDF", "window")
    for card in record.cards if record.outcome else ():
        assert card.outcome is not None
        yield f"{card.outcome.label} {card.device.label}", ("terminal",)
        yield quantity(record.hottest_c(card.device.id), "°C", decimals=0, missing=""), ("certificate",)


def contradictions(qtbot: Any, store: RunStore, run_id: int) -> list[str]:
    """What one of them says otherwise."""
    record, document = RecordedRun.read(store, run_id), run_document(store, run_id)
    texts = texts_of(qtbot, store, record, document)
    missing = [
        f"{name}: {words}" for words, names in expected(record) for name in names if squeezed(words) not in texts[name]
    ]
    badge = RunLine.read(store, record.run).badge
    assert document.badge == badge, "the list of runs has the word of the report"
    assert squeezed(badge.word) in texts["window"] or record.run.status is RunStatus.RUNNING, texts["window"]
    missing += _in_data(record, document)
    for card in record.cards if record.outcome else ():
        assert card.outcome is not None
        alike = rf"{squeezed(card.device.label)}(,GPU\d+)*{card.outcome.label}"  # those alike are told together
        missing += [] if re.search(alike, texts["window"]) else [f"window: {alike}"]
        missing += _in_pack(record, card, *pack_of(store, run_id, card))
    return missing


def _in_data(record: RecordedRun, document: Document) -> Iterator[str]:
    data = document.data
    outcomes = {one["device_id"] or "": one["outcome"] for one in data["verdicts"]}
    if outcomes != {one.device_id: one.outcome.value for one in record.verdicts}:
        yield f"JSON: {outcomes}"
    if [(one["text"], one["action"]) for one in data["causes"]] != [(one.text, one.action) for one in record.causes]:
        yield "JSON: causes"
    figures = [(one["text"], one["measured"], one["limit"]) for v in data["verdicts"] for one in v["reasons"]]
    if figures != [(one.text, one.measured, one.limit) for verdict in record.verdicts for one in verdict.reasons]:
        yield "JSON: reasons"
    for device in data["devices"]:
        heat = device["statistics"]["temperature_c"] if device["burned"] else None
        if heat and heat["highest"] != record.hottest_c(device["id"]):
            yield f"JSON: {heat['highest']} °C"


def _in_pack(record: RecordedRun, card: RunCard, page: str, data: dict[str, Any], steps: str) -> Iterator[str]:
    assert card.outcome is not None
    words = [card.outcome.stamp, quantity(record.hottest_c(card.device.id), "°C", decimals=0, missing="")]
    for cause in record.causes:
        if cause.devices == (card.device.id,):
            words += [cause.text, card.where]
            if squeezed(f"{cause.text} {cause.action}") not in steps:
                yield f"steps: {cause.text}"
    yield from (f"RMA page: {one}" for one in words if squeezed(one) not in page)
    written = (data["verdict"], data["card"]["errors"], data["card"]["hottest_c"])
    if written != (card.outcome, card.errors, record.hottest_c(card.device.id)):
        yield f"RMA data: {written}"


@pytest.mark.parametrize("name", RUNS)
def test_a_recorded_run_is_written_alike_everywhere(name: str, tmp_path: Path, qtbot: Any) -> None:
    (tmp_path / FILE).write_bytes(gzip.decompress((RECORDINGS / f"{name}.sqlite.gz").read_bytes()))
    with closing(RunStore(tmp_path)) as store:
        assert contradictions(qtbot, store, 1) == []


def test_a_run_with_faults_is_written_alike_everywhere(tmp_path: Path, qtbot: Any) -> None:
    with closing(RunStore(tmp_path)) as store:
        run_id = record_run(store)
        assert sum(1 for _ in expected(RecordedRun.read(store, run_id))) > 10
        assert contradictions(qtbot, store, run_id) == []
