"""What is fuzzed: every reader, the command line, requests, the recording and the text that the window shows.

A target takes any bytes and ends, or raises an error that the program knows. Whatever else happens is a finding.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from core.build.file import dump_build, load_build, parse_build
from core.burnin.profile_file import PROFILES, read_profile
from core.burnin.references import own_references
from core.burnin.store import RunStore
from core.calibrate.measurements_file import read_measurements
from core.cli.app import main
from core.foreign import Unreadable, read_json, read_toml
from core.parts.opendb.files import raw_files
from core.parts.opendb.rows import parsed, part_of
from core.parts.own_file import read_parts, write_parts
from core.parts.price_list import read_price_list, write_price_list
from core.parts.shipped import shipped_parts
from core.paths import ASSETS
from core.protocol import decode
from core.rules.engine import check
from core.telemetry.device import Device, DeviceKind
from core.telemetry.simulated.replay import ReplaySource
from core.telemetry.simulated.words import Replay
from core.validation.cases import read_cases
from tests.fuzz.mutate import words
from tests.gui.burnin.fake_run import finished_run

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


@dataclass(frozen=True, slots=True)
class Target:
    """A reader, and what it reads when all is well."""

    name: str
    run: Callable[[bytes, Path], object]
    good: Callable[[], tuple[bytes, ...]]


@cache
def _shelf() -> dict[str, Any]:
    return {part.id: part for part in shipped_parts()}


@cache
def _builds() -> tuple[bytes, ...]:
    return tuple(dump_build(load_build(path, _shelf().get)).encode() for path in [QUIET])


def _file(content: bytes, folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def _written(write: Callable[[Path, Any], object]) -> bytes:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        write(Path(folder, "good"), list(_shelf().values())[:20])
        return Path(folder, "good").read_bytes()


def _build(content: bytes, _folder: Path) -> None:
    parse_build(content.decode("utf-8", "replace"), _shelf().get)


def _judged(content: bytes, _folder: Path) -> None:
    check(parse_build(content.decode("utf-8", "replace"), _shelf().get))


def _foreign(content: bytes, _folder: Path) -> None:
    for read in (read_json, read_toml):
        try:
            read(content.decode("utf-8", "replace"))
        except Unreadable:
            continue


def _replay(content: bytes, folder: Path) -> None:
    source = ReplaySource(Replay(_file(content, folder, "run.jsonl"), 1e6))
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
    with patch.object(sys, "argv", ["rigwright", "--data-dir", str(folder / "data"), *arguments]):
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
    decode(content.decode("utf-8", "replace"))


def _text(content: bytes, _folder: Path) -> None:
    from PySide6.QtGui import Qt

    from gui.widgets.text import escaped, tip

    text = content.decode("utf-8", "surrogateescape")
    assert "<" not in escaped(text)
    told = tip(text)
    assert not Qt.mightBeRichText(told) or "<" not in told.removeprefix("<span>").removesuffix("</span>").replace(
        "<br>", ""
    )


def _settings(content: bytes, folder: Path) -> None:
    from gui.settings import FILE_NAME, Settings

    _file(content, folder, FILE_NAME)
    settings = Settings(folder)
    settings.recent_files(), settings.conditions, settings.theme, settings.layout("window"), settings.flag("x", False)


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
    Target("build", _build, _builds),
    Target("judged build", _judged, _builds),
    Target("parts", lambda c, f: read_parts(_file(c, f, "p.json")), lambda: (_written(write_parts),)),
    Target("prices", lambda c, f: read_price_list(_file(c, f, "p.csv"), lambda *_: None, date(2026, 1, 1)),
           lambda: (_written(write_price_list),)),
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
    Target("recording", _recorded, _once(b"\x00a title")),
    Target("command line", _command, _once(b"12345678")),
    Target("text", _text, _once(b"a <b>name</b> &lt; \xe2\x80\xae")),
    Target("settings", _settings, _once(_INI)),
)  # fmt: skip
