"""The RMA pack of one card: what a warranty desk needs, and nothing of other cards or of whose the machine is."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Event, ResultStatus
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import NAMES
from core.platform.errors import BadInput
from core.platform.spreadsheet import csv_text
from core.present.certificate.certificate import Certificate, of_one_card, read_certificate, system_of
from core.present.certificate.layout import PAGE_WORDS, TEMPLATE, certificate_values
from core.present.certificate.letterhead import Letterhead, read_letterhead
from core.present.report.formatting import clock, commas
from core.present.report.pdf import pdf_bytes, set_pdf
from core.present.report.recorded_run import RecordedRun
from core.present.report.run_seal import changed_document, read_run_seal
from core.present.report.statement import PaperKind, Statement
from core.present.report.write import write_paper
from core.words import english, spoken, tr

_STAMP = (1980, 1, 1, 0, 0, 0)
"""Of the files in the archive: equal packs are equal bytes."""
STAGE = "stage"
"""Kind of the events that say which stage began."""
_BAD = (ResultStatus.FAILED, ResultStatus.DIED, ResultStatus.STOPPED)
READ, CERTIFICATE, CARD = "README.txt", "certificate.pdf", "card.json"
_TEXTS = ("curves.csv", "events.txt", "driver-and-kernel.txt", "steps-to-repeat.txt")
CHANGED_READ_ME = """The recording of this run was CHANGED after the run. This pack proves nothing: certificate.pdf says
what was changed.
"""
READ_ME = """What is in this pack, all of it about one card:

certificate.pdf       verdict, cause, curves and reasons of this card
card.json             its identity, versions, verdict, and what each stage counted
curves.csv            everything that was measured of it, by seconds since the start of the run
events.txt            what happened to it in the run
driver-and-kernel.txt what driver and kernel told of it, word for word
steps-to-repeat.txt   how to see the fault again

The archive is sealed: rigwright verify FILE says whether it is as it was made.
"""


def write_rma(store: RunReader, run_id: int, device_word: str, path: Path) -> Path:
    """Writes the pack as `write_paper` does; `device_word` is an index, an id or its beginning.

    Raises BadInput for a run or card that does not exist.
    """
    if path.suffix.lower() != ".zip":
        raise BadInput(tr("{path}: the pack is an archive. Give the file a name that ends in .zip.", path=path))
    return write_paper(path, *_pack(store, run_id, device_word))


def rma_pack(store: RunReader, run_id: int, device_word: str) -> bytes:
    """The archive, sealed where the installation's key can be used; in English, as warranty desks everywhere read.

    Raises BadInput.
    """
    return _pack(store, run_id, device_word)[0]


def _pack(store: RunReader, run_id: int, device_word: str) -> tuple[bytes, Statement]:
    """The archive, and what is signed into it."""
    device = _chosen(store, run_id, device_word)
    head = read_letterhead(None, store.path.parent)
    with spoken("en"):
        seal = read_run_seal(store, run_id)
        if seal.changed:
            statement = seal.statement(PaperKind.RMA)
            page = changed_document(run_id, seal, PaperKind.RMA, PAGE_WORDS["title"], store.path.parent)
            files = {READ: CHANGED_READ_ME.encode(), CERTIFICATE: pdf_bytes(page)}
        else:
            certificate = of_one_card(read_certificate(store, run_id, seal), device)
            statement, files = certificate.statement, _files(certificate, device, head)
    sealed = seal.sealed(statement)
    return _archive(files) if sealed is None else sealed(_archive(files)), statement


def members(statement: Statement) -> tuple[str, ...]:
    """The names of the files in a pack that says this."""
    return (READ, CERTIFICATE) if statement.changed else (READ, CERTIFICATE, CARD, *_TEXTS)


def _files(certificate: Certificate, device: Device, head: Letterhead) -> dict[str, bytes]:
    """Content by name, without a word of the other cards."""
    texts = {
        READ: READ_ME,
        CARD: json.dumps(english(_identity(certificate, device)), ensure_ascii=False, indent=1) + "\n",
        "curves.csv": _curves(certificate.record, device),
        "events.txt": "".join(_events(certificate.record, device)) or "Nothing was recorded.\n",
        "driver-and-kernel.txt": "".join(_incidents(certificate.record, device)) or "Nothing was told.\n",
        "steps-to-repeat.txt": "".join(_steps(certificate, device)),
    }
    others = _names_of_others(certificate.record, device)
    files = {name: _without(text, others).encode("utf-8", "backslashreplace") for name, text in texts.items()}
    page = certificate_values(certificate, head)
    files[CERTIFICATE] = set_pdf(TEMPLATE, "certificate", json.loads(_without(json.dumps(page), others)))
    return files


def _chosen(store: RunReader, run_id: int, word: str) -> Device:
    store.run(run_id)
    burned = [row.device for row in store.devices(run_id) if row.burned]
    exact = [one for one in burned if word in (one.id, str(one.index))]
    fits = exact or [one for one in burned if one.id.startswith(word)]
    if len(fits) != 1:
        fields = {"word": word, "run": run_id, "cards": commas(one.id for one in burned)}
        raise BadInput(tr("{word!r} matches no card of run {run}. Burned in: {cards}.", **fields))
    return fits[0]


def _identity(certificate: Certificate, device: Device) -> dict[str, object]:
    record = certificate.record
    results = [
        {"stage": stage.title, "status": result.status.value, "reason": result.reason, "evidence": result.evidence}
        for stage in record.stages
        if (result := record.results.get((stage.number, device.id))) is not None
    ]
    [card] = certificate.cards
    return {
        "statement": certificate.statement.line,
        "simulated": record.run.simulated,
        "card": {
            "device_id": device.id,
            "label": device.label,
            **{
                name: getattr(card, name)
                for name in ("slot", "model", "serial", "vbios", "errors", "outcome", "passed")
            },
            "address": device.bus_id,
            "hottest_c": record.hottest_c(device.id),
            "driver": device.driver,
            "bus_id": device.bus_id,
        },
        "system": system_of(record.run.machine),
        "versions": asdict(certificate.versions),
        "profile": record.run.profile.name,
        "started_at": record.run.started_at,
        "verdict": card.outcome,
        "reasons": [asdict(reason) for reason in card.verdict.reasons] if card.verdict else [],
        "results": results,
    }


def _curves(record: RecordedRun, device: Device) -> str:
    block = record.store.samples(record.run.id, device.id)
    measured = np.flatnonzero(np.isfinite(block[:, 1:]).any(axis=0))
    rows = [["time_s", *(NAMES[place] for place in measured)]]
    for row in block:
        values = row[1:][measured]
        rows.append([f"{row[0]:.3f}", *("" if np.isnan(value) else f"{value:.7g}" for value in values)])
    return csv_text(rows)


def _events(record: RecordedRun, device: Device) -> Iterator[str]:
    """Of this card, under the stages that it went through; others of the machine as a whole may name other cards."""
    events = (event for event in record.events if event.device_id == device.id or event.kind == STAGE)
    return (_line(event, english(event.message)) for event in events)


def _incidents(record: RecordedRun, device: Device) -> Iterator[str]:
    for event in record.events:
        if event.device_id == device.id and event.incident is not None:
            yield _line(event, f"[{event.incident.source}] {event.incident.text}")


def _line(event: Event, text: str) -> str:
    return f"{clock(event.time_s)}  {event.at}  {event.level.value:<5}  {text}\n"


def _steps(certificate: Certificate, device: Device) -> Iterator[str]:
    """The same stages on the same card: first those that failed alone, then the whole run."""
    record = certificate.record
    results = {number: one for (number, device_id), one in record.results.items() if device_id == device.id}
    failed = [stage for stage in record.stages if (one := results.get(stage.number)) and one.status in _BAD]
    card = shlex.quote(device.id)
    simulate = f" --simulate {shlex.quote(record.run.simulate)}" if record.run.simulate else ""
    if record.run.simulated:
        yield "SIMULATED: this card does not exist.\n\n"
    yield f"System: {system_of(record.run.machine)}; driver {certificate.versions.driver or 'not read'};"
    yield f" Rigwright {certificate.versions.program}.\n\n"
    number = 0
    for kind in dict.fromkeys(stage.kind for stage in failed):
        number += 1
        yield f"{number}. rigwright burn --stage {kind} --devices {card}{simulate}\n"
    name = record.run.profile.name
    yield f"{number + 1}. rigwright burn --profile {shlex.quote(name)} --devices {card}{simulate}\n"
    for cause in certificate.causes:
        yield f"\nSeen in this run: {english(cause.text)} {english(cause.action)}\n"


def _names_of_others(record: RecordedRun, device: Device) -> list[str]:
    """What tells the other cards of the machine from any other: ids, serial numbers, places; longest first."""
    others = [row.device for row in record.devices if row.device.id != device.id and row.device.kind is DeviceKind.GPU]
    built = [record.as_built.card(one.id) for one in others] if record.as_built else []
    names = [name for one in others for name in (one.id, one.serial, one.bus_id)]
    names += [name for card in built if card for name in (card.serial, card.uuid, card.pci_address)]
    names.append(record.run.machine.rpartition(" (")[0])  # the machine's own name
    own = {device.id, device.serial, device.bus_id}
    return sorted({name for name in names if name and name not in own}, key=len, reverse=True)


def _without(text: str, names: list[str]) -> str:
    for name in names:
        text = text.replace(name, "[left out]")
    return text


def _archive(files: dict[str, bytes]) -> bytes:
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(ZipInfo(name, _STAMP), content, ZIP_DEFLATED)
    return stream.getvalue()
