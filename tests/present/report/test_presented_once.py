"""What a run met is presented once: terminal, HTML, JSON and certificate say the same of it in the same words."""

import gzip
import re
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from core.burnin.record.reader import FILE
from core.burnin.record.rows import Outcome
from core.burnin.record.store import RunStore
from core.present.certificate.certificate import read_certificate
from core.present.certificate.layout import certificate_values
from core.present.certificate.letterhead import Letterhead
from core.present.report.recorded_run import RecordedRun
from core.present.report.run_report import run_document
from core.present.report.run_verdict import brief_blocks
from core.present.report.terminal import print_blocks
from core.present.report.write import html_bytes
from core.words.units import quantity
from tests.golden.outputs import RECORDINGS, RUNS, visible_text
from tests.present.report.recorded import record_run


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def presented(store: RunStore, run_id: int) -> tuple[dict[str, str], dict[str, Any], dict[str, Any]]:
    """The texts of all writers by their name, the data for programs, and the values of the certificate."""
    document = run_document(store, run_id)
    screen = Console(file=StringIO(), width=10_000)
    print_blocks(screen, brief_blocks(RecordedRun.read(store, run_id)))
    values = certificate_values(read_certificate(store, run_id), Letterhead())
    cells = [cell["text"] for block in values["reasons"] for row in block.get("rows", ()) for cell in row]
    texts = {
        "terminal": screen.file.getvalue(),  # type: ignore[attr-defined]
        "HTML": visible_text(html_bytes(document).decode()),
        "certificate": "\n".join([*cells, *(cell for card in values["cards"] for cell in card["cells"])]),
    }
    return {name: in_one_line(text) for name, text in texts.items()}, document.data, values


def contradictions(store: RunStore, run_id: int) -> list[str]:
    """What one of them says otherwise."""
    texts, data, values = presented(store, run_id)
    judged = [one for one in data["verdicts"] if one["subject"] == "device"]
    causes = [cause[part] for cause in data["causes"] for part in ("text", "action")]
    missing = [f"{name}: {cause}" for name, text in texts.items() for cause in causes if in_one_line(cause) not in text]
    record = RecordedRun.read(store, run_id)
    labels = {card.device.id: card.device.label for card in record.cards}
    temperatures = texts["HTML"].partition("Max at Temperature")[2]
    cards = {row["cells"][0]: row for row in values["cards"]}
    for verdict in judged:
        badge, label = Outcome(verdict["outcome"]).badge, labels[verdict["device_id"]]
        missing += [] if f"{badge} {label}" in texts["terminal"] else [f"terminal: {badge} {label}"]
        name = f"{label}: {record.label(verdict['device_id'])}"
        missing += [] if re.search(rf"{re.escape(name)} \W+ {badge} ", texts["HTML"]) else [f"HTML: {badge} {label}"]
        missing += [] if cards[label]["verdict"]["text"] == badge else [f"certificate: {badge} {label}"]
    for device in data["devices"]:
        if device["burned"] and (heat := device["statistics"]["temperature_c"]):
            hottest = quantity(heat["highest"], "°C", decimals=0)
            _, _, _, highest, *_ = temperatures.partition(record.label(device["id"]))[2].split()
            missing += [] if highest == quantity(heat["highest"], "", decimals=0) else [f"HTML: {hottest}"]
            missing += [] if cards[labels[device["id"]]]["cells"][-1] == hottest else [f"certificate: {hottest}"]
    return missing


def test_causes_verdicts_and_temperatures_are_the_same_everywhere(tmp_path: Path) -> None:
    compared = 0
    for name in RUNS:
        (folder := tmp_path / name).mkdir()
        (folder / FILE).write_bytes(gzip.decompress((RECORDINGS / f"{name}.sqlite.gz").read_bytes()))
        with closing(RunStore(folder)) as store:
            assert contradictions(store, 1) == [], name
            compared += len(store.verdicts(1))
    with closing(RunStore(tmp_path)) as store:
        assert contradictions(store, record_run(store)) == []
    assert compared > 10
