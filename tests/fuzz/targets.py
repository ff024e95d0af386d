"""What is fuzzed: every reader, the command line, requests, the recording and the text that the window shows.

A target takes any bytes and ends, or raises an error that the program knows. Whatever else happens is a finding.
"""

import json
import queue
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from contextlib import chdir, closing, suppress
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, patch

from core.burnin.children.device_under_test import DeviceUnderTest
from core.burnin.children.sensors import Sensors
from core.burnin.profile.file import PROFILES, read_profile
from core.burnin.record.patient_store import PatientStore
from core.burnin.record.store import RunStore
from core.burnin.references import own_references
from core.burnin.run.run_setup import OpenedRun
from core.burnin.run.supervision import Supervision
from core.cli.app import main
from core.lab.calibrate.measurements import read_measurements
from core.lab.opendb.files import raw_files
from core.lab.opendb.rows import parsed, part_of
from core.lab.validation.cases import read_cases
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.simulated.replay import ReplaySource
from core.machine.telemetry.simulated.simulation import RecordedReplay
from core.parts.catalogue import Catalogue
from core.parts.identity import Identities
from core.parts.money import FILE as MONEY
from core.parts.money import read_terms
from core.parts.own import read_parts, write_parts
from core.parts.price_list import ListTerms, read_price_lists, write_aside, write_price_list
from core.parts.query import Query
from core.parts.shipped import CATALOGUE
from core.plan.file import dump_build, load_build, parse_build
from core.platform.child_reports import read_report
from core.platform.errors import RigwrightError
from core.platform.foreign import Unreadable, read_json, read_toml
from core.platform.paths import ASSETS
from core.rules.engine import check
from tests.burnin.begun_run import CARD, PROFILE, begun
from tests.fuzz.foreign_targets import FOREIGN
from tests.fuzz.mutate import words
from tests.fuzz.target import Target
from tests.fuzz.world_targets import WORLD
from tests.gui.burnin.fake_run import finished_run
from tests.shipped import parts_by_id

MEASURED = {
    "format": "rigwright-measurements", "version": 1, "on": "2026-03-01", "by": "Ada", "room_c": 24.5, "minutes": 50,
    "cards": [{"slot": 1, "temperature_c": 71, "power_w": 345, "drift_k": 0.2, "fan_share": 0.66}],
    "cpu": {"power_w": 90, "temperature_c": 62},
    "sound": [{"level_dba": 41.2, "distance_m": 1.0, "background_dba": 29}],
}  # fmt: skip
OPENDB = {"metadata": {"manufacturer": "Maker", "name": "Card 3090", "releaseYear": 2020}, "memory": 24, "length": 300}
COMMANDS = (
    "check", "predict", "parts", "search", "show", "fits", "runs", "report", "note", "place", "export", "import",
    "--json", "--help", "--data-dir", "gpu", "1", "-1", "x.rig.json", "status", "stop", "--limit", "take",
)  # fmt: skip
QUIET = ASSETS / "templates" / "six-rtx-3090-quiet.rig.json"


@cache
def _builds() -> tuple[bytes, ...]:
    return tuple(dump_build(load_build(path, parts_by_id().get)).encode() for path in [QUIET])


def _file(content: bytes, folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def _written(write: Callable[[Path, Any], object]) -> bytes:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        write(Path(folder, "good"), list(parts_by_id().values())[:20])
        return Path(folder, "good").read_bytes()


def _build(content: bytes, _folder: Path) -> None:
    parse_build(content.decode("utf-8", "replace"), parts_by_id().get)


def _judged(content: bytes, _folder: Path) -> None:
    check(parse_build(content.decode("utf-8", "replace"), parts_by_id().get))


def _foreign(content: bytes, _folder: Path) -> None:
    for read in (read_json, read_toml):
        try:
            read(content.decode("utf-8", "replace"))
        except Unreadable:
            continue


def _replay(content: bytes, folder: Path) -> None:
    source = ReplaySource(RecordedReplay(_file(content, folder, "run.jsonl"), 1e6))
    for _ in range(10):
        source.read()
    source.close()


def _good_replay() -> tuple[bytes, ...]:
    card = Device("GPU-1", DeviceKind.GPU, "Card").as_dict()
    lines: list[dict[str, Any]] = [
        {"type": "devices", "devices": [card]},
        {"type": "samples", "time_s": 1.0, "samples": {"GPU-1": {"temperature_c": 50.0}}},
        {"type": "xid", "time_s": 2.5, "device": "GPU-1", "xid": 48, "text": "Xid 48"},
        {"type": "lost", "time_s": 3.5, "device": "GPU-1", "reason": "fallen off"},
    ]
    return ("\n".join(map(json.dumps, lines)).encode(),)


def _dataset(content: bytes, folder: Path) -> None:
    path = folder / "set.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("open-db/GPU/00000000-0000-4000-8000-000000000001.json", content)
    for file in raw_files(path):
        if isinstance(raw := parsed(file), dict):
            part_of(file, raw)


def _archive(content: bytes, folder: Path) -> None:
    for _ in raw_files(_file(content, folder, "set.zip")):
        pass


@cache
def _good_archive() -> tuple[bytes, ...]:
    from io import BytesIO

    with zipfile.ZipFile(stream := BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"open-db/GPU/{number}.json", json.dumps(OPENDB))
    return (stream.getvalue(),)


def _command(content: bytes, folder: Path) -> None:
    arguments = words(int.from_bytes(content[:8], "big"), COMMANDS)
    if {"--help"} & set(arguments):
        return
    # No window: it would stay until somebody closes it. A folder that an option names is made where the command runs.
    with (
        chdir(folder),
        patch.object(sys, "argv", ["rigwright", "--data-dir", str(folder / "data"), *arguments]),
        patch("core.cli.app.open_window", return_value=0),
    ):
        code = main()
    logs = list(folder.rglob("bug-*.log"))
    assert code in {0, 1, 2, 3, 4, 5}
    assert not logs, logs[0].read_text(encoding="utf-8")


@cache
def _recording(folder: Path) -> Path:
    home = folder / "recorded"
    home.mkdir()
    finished_run(home)
    return home


def _recorded(content: bytes, folder: Path) -> None:
    """A value of the recording, or a request, that no Rigwright wrote."""
    home = _recording(folder)
    table, column = _COLUMNS[content[0] % len(_COLUMNS)] if content else _COLUMNS[0]
    with closing(sqlite3.connect(home / "runs.sqlite", isolation_level=None)) as raw:
        raw.execute("BEGIN")
        try:
            raw.execute(f"UPDATE {table} SET {column} = CAST(? AS TEXT)", (content[1:],))
            raw.execute(
                "INSERT INTO requests (run_id, kind, argument, at) VALUES (1, 'mark', CAST(? AS TEXT), '')", (content,)
            )
        except sqlite3.Error:
            raw.execute("ROLLBACK")
            return
        raw.execute("COMMIT")
    with closing(RunStore(home)) as store:
        store.pending_requests(1)
        for run in store.runs():
            store.stages(run.id), store.events(run.id), store.verdicts(run.id), store.devices(run.id)
    with closing(sqlite3.connect(home / "runs.sqlite")) as raw, raw:
        raw.execute("DELETE FROM requests")


_ASK = "INSERT INTO requests (run_id, kind, argument, at) VALUES (1, 'mark', CAST(? AS TEXT), '')"
_COLUMNS = (("runs", "title"), ("runs", "note"), ("runs", "profile"), ("events", "message"), ("stages", "title"),
            ("verdicts", "reasons"), ("devices", "info"))  # fmt: skip


def _message(content: bytes, _folder: Path) -> None:
    read_report(content.decode("utf-8", "replace"))


_REPORTS: tuple[dict[str, Any], ...] = (
    {"type": "ready", "name": "Card", "backend": "cuda", "detail": {"torch": "2"}},
    {"type": "progress", "fraction": 0.5, "metrics": {"checks": 4, "errors": 0, "rate": 1.5}},
    {"type": "fault", "kind": "mismatch", "message": "it differs", "count": 1},
    {"type": "done", "status": "passed", "reason": "", "evidence": {"rate": 3.0}, "spent": False},
    {"type": "samples", "samples": {"GPU-1": {"temperature_c": 50.0, "power_w": None}}, "cost_ms": 1.0},
    {"type": "counts", "counts": {"GPU-1": {"ecc_uncorrected": 2.0, "remap_failed": None}}},
    {"type": "lost", "device": "GPU-1", "reason": "fallen off"},
    {"type": "xid", "device": "GPU-1", "xid": 48, "text": "Xid 48", "source": "nvml"},
    {"type": "aer", "device": "GPU-1", "severity": "fatal", "text": "lost", "source": "kernel"},
    {"type": "mce", "device": "cpu", "text": "an error", "source": "kernel"},
    {"type": "overdue", "seconds": 2.5, "waiting_for": "the driver"},
    {"type": "cost", "cpu_pct": 0.5, "tick_p50_ms": 1.0, "tick_p99_ms": 2.0, "slowest": "power"},
)


def _supervised(content: bytes, folder: Path) -> None:
    """A line of a worker and of the sampler, taken by a run that goes on, and what it puts on record."""
    burn, store, worker = _run(folder)
    message = read_report(content.decode("utf-8", "replace"))
    if message is not None:
        device = burn.devices[CARD.id]
        device.loading = True
        for child in (worker, burn.sensors.sampler):
            burn._inbox.put((child, message))
            burn.turn()
        burn.note_cost()
        store.events(1)


@cache
def _run(folder: Path) -> tuple[Supervision, PatientStore, Any]:
    """A run whose children are no processes."""
    home = folder / "supervised"
    home.mkdir()
    store, inbox = PatientStore(home), queue.SimpleQueue[Any]()
    worker: Any = MagicMock(exit_code=0, stopping=False, mark=None, abandoned=True, frozen=False)
    worker.ending.return_value = "exit code 0"
    device = DeviceUnderTest(CARD, inbox=inbox, log_dir=home)
    device.worker = worker
    patch("core.burnin.children.device_under_test.Child", return_value=worker).start()  # those in its place, too
    with patch.object(Sensors, "_start", return_value=worker):
        sensors = Sensors(None, inbox=inbox, log=home / "sampler.log")
    sensors.sampler = MagicMock(stopping=False, mark=None)
    sensors.replace = lambda: False  # type: ignore[method-assign]
    burn = Supervision(home, store, OpenedRun(begun(store), PROFILE, [CARD], [CARD], [], home), sensors, inbox)
    burn.devices[CARD.id] = device
    return burn, store, worker


@cache
def _catalogue_on_disk(folder: Path) -> Path:
    """The catalogue of two files of parts."""
    home = folder / "catalogue"
    shipped = home / "shipped" / "gpu"
    shipped.mkdir(parents=True)
    for path in sorted((CATALOGUE / "gpu").glob("*.toml"))[:2]:
        (shipped / path.name).write_bytes(path.read_bytes())
    Catalogue(home, shipped=shipped.parent).close()
    return home


_PART_COLUMNS = ("part", "origin", "category", "title", "summary", "price", "part_numbers", "words", "id", "maker")


def _catalogue(content: bytes, folder: Path) -> None:
    """A row of the catalogue that no Rigwright wrote."""
    home = _catalogue_on_disk(folder)
    with closing(sqlite3.connect(home / "catalogue.sqlite", isolation_level=None)) as raw:
        number = raw.execute("SELECT min(number) FROM parts").fetchone()[0]
        column = _PART_COLUMNS[content[0] % len(_PART_COLUMNS)] if content else "part"
        before = raw.execute(f"SELECT {column} FROM parts WHERE number = ?", (number,)).fetchone()[0]
        try:
            raw.execute(f"UPDATE parts SET {column} = CAST(? AS TEXT) WHERE number = ?", (content[1:], number))
        except sqlite3.Error:
            return
        try:
            _use_catalogue(home)
        finally:
            raw.execute(f"UPDATE parts SET {column} = ? WHERE number = ?", (before, number))


def _use_catalogue(home: Path) -> None:
    with closing(Catalogue(home, shipped=home / "shipped")) as catalogue:
        jobs: tuple[Callable[[], object], ...] = (
            lambda: [catalogue.part(hit.id) for hit in catalogue.search("rtx")],
            lambda: list(catalogue.parts()),
            catalogue.counts,
            lambda: catalogue.facets(Query()),
            catalogue.corrections,
        )
        for job in jobs:
            with suppress(RigwrightError):
                job()


def _good_row() -> tuple[bytes, ...]:
    part = next(part for part in parts_by_id().values() if part.category == "gpu")
    return (b"\x00" + part.model_dump_json().encode(), b"\x03a title")


def _text(content: bytes, _folder: Path) -> None:
    from PySide6.QtGui import Qt

    from gui.widgets.text import escaped, tip

    text = content.decode("utf-8", "surrogateescape")
    assert "<" not in escaped(text)
    shown = tip(text)
    assert not Qt.mightBeRichText(shown) or "<" not in shown.removeprefix("<span>").removesuffix("</span>").replace(
        "<br>", ""
    )


def _settings(content: bytes, folder: Path) -> None:
    from gui.settings import FILE_NAME, Settings

    _file(content, folder, FILE_NAME)
    settings = Settings(folder)
    settings.recent_files(), settings.conditions, settings.theme, settings.layout("window"), settings.flag("x", False)


def _prices(content: bytes, folder: Path) -> None:
    """Of parts that have the numbers in it, and of none."""
    identities = Identities.of((parts_by_id()["asus-turbo-rtx-3090-24g"],))
    lists = read_price_lists(_file(content, folder, "p.csv"), identities, ListTerms(date(2026, 1, 1), "USD"))
    write_aside(folder / "aside.csv", lists.bad)


_PRICES = b'[{"mpn": "MPN-1", "price": {"amount": 1999.5, "currency": "EUR"}, "updated": "2026-01-01"}]'
_TERMS = b'{"currency": "EUR", "rates": {"USD": {"value": 0.9, "as_of": "2026-01-01"}}, "vat_pct": 19}'


def _own(content: bytes, folder: Path) -> None:
    _file(content, folder, "references.json")
    own_references(folder)


_RATES = b'[{"product": "x", "stage": "gemm", "name": "x", "rate": 1, "unit": "T", "source": "x"}]'
_INI = (
    b'[General]\ntheme=dark\nrecent="[\\"/tmp/x\\"]"\nroom="{\\"room_c\\": 25.0}"\n[layout]\nwindow=@ByteArray(abc)\n'
)


def _once(content: bytes) -> Callable[[], tuple[bytes, ...]]:
    return lambda: (content,)


TARGETS = (
    Target("json and toml", _foreign, _once(json.dumps(MEASURED).encode())),
    Target("build", _build, _builds, share=2),
    Target("judged build", _judged, _builds, share=3),
    Target("parts", lambda c, f: read_parts(_file(c, f, "p.json")), lambda: (_written(write_parts),)),
    Target("prices", _prices, lambda: (_written(write_price_list), _PRICES)),
    Target("money", lambda c, f: read_terms(_file(c, f, MONEY).parent), _once(_TERMS)),
    Target("profile", lambda c, f: read_profile(_file(c, f, "p.toml")),
           lambda: tuple(path.read_bytes() for path in PROFILES.glob("*.toml"))),
    Target("measurements", lambda c, f: read_measurements(_file(c, f, "m.json")), _once(json.dumps(MEASURED).encode())),
    Target("cases", lambda c, f: read_cases(_file(c, f, "c.csv")),
           lambda: ((ASSETS / "measurements" / "cases.csv").read_bytes()[:6000],)),
    Target("references", _own, _once(_RATES)),
    Target("replay", _replay, _good_replay),
    Target("data set", _dataset, _once(json.dumps(OPENDB).encode())),
    Target("archive", _archive, _good_archive),
    Target("messages", _message, _once(b'{"type": "sample", "time_s": 1.0}')),
    Target("recording", _recorded, _once(b"\x00a title"), share=3),
    Target("supervision", _supervised, lambda: tuple(json.dumps(one).encode() for one in _REPORTS), share=3),
    Target("catalogue", _catalogue, _good_row, share=3),
    Target("command line", _command, _once(b"12345678"), share=3),
    Target("text", _text, _once(b"a <b>name</b> &lt; \xe2\x80\xae")),
    Target("settings", _settings, _once(_INI)),
    *FOREIGN,
    *WORLD,
)  # fmt: skip
