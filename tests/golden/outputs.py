"""What the program says of a fixed corpus on a fixed day: templates, recorded runs, and the tables of the window.

Figures are rounded to six digits, since processors differ in the last ones.
"""

import difflib
import gzip
import json
import lzma
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from core.burnin.record.reader import FILE
from core.cli.app import main
from core.platform.paths import ASSETS

HERE = Path(__file__).parent
DAY = datetime(2026, 11, 28, 12, tzinfo=UTC)
TEMPLATES = tuple(sorted(path.name.removesuffix(".rig.json") for path in (ASSETS / "templates").glob("*.rig.json")))
RECORDINGS = HERE.parent / "seal" / "recordings"
RUNS = tuple(sorted(path.name.removesuffix(".sqlite.gz") for path in RECORDINGS.glob("*.sqlite.gz")))
_OF_ENDED = (("watch", "1"), ("runs",), ("status", "--json"))
"""What is said of a run that has not ended depends on the processes of this machine."""
_UNFINISHED = ("running", "killed-unseen", "resumed-running", "stopped-resumed-running")
_SEAL = re.compile(r"rigwright-seal:[\w+/=-]+;")
"""Signed with a key that is made for the moment."""
_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")


def of_template(name: str, folder: Path) -> dict[str, str]:
    """What the commands print and write of a template."""
    commands = (("check",), ("check", "--json"), ("predict",), ("predict", "--json"), ("share",))
    words = {" ".join(command): _output(folder, command[0], name, *command[1:]) for command in commands}
    _output(folder, "report", name, "-o", "report.html", "-o", "report.json")
    _output(folder, "picture", name, "-o", "picture.svg")
    return words | _files(folder)


def of_run(name: str, folder: Path) -> dict[str, str]:
    """What the commands print and write of a recording that an older program made."""
    unpack(name, folder)
    commands = [("verify", "1", "--json"), *(_OF_ENDED if name not in _UNFINISHED else ())]
    words = {" ".join(command): _output(folder, *command) for command in commands}
    _output(folder, "report", "1", "-o", "report.html", "-o", "report.json")
    _output(folder, "certificate", "1", "-o", "certificate.pdf")
    return words | _files(folder)


def unpack(name: str, folder: Path) -> None:
    """Puts a recording into a data folder."""
    with gzip.open(RECORDINGS / f"{name}.sqlite.gz") as packed, (folder / FILE).open("wb") as plain:
        shutil.copyfileobj(packed, plain)


def stored(case: str) -> dict[str, str]:
    """The outputs of a case as they were when last looked at; empty where there are none."""
    path = HERE / "files" / f"{case}.json.xz"
    return json.loads(lzma.decompress(path.read_bytes())) if path.exists() else {}


def differences(case: str, outputs: dict[str, str]) -> Iterator[str]:
    """Lines that are different from those stored, with the output in which they stand."""
    before = stored(case)
    for name in sorted({*before, *outputs}):
        lines = [text.get(name, "").splitlines() for text in (before, outputs)]
        yield from difflib.unified_diff(*lines, f"{case}: {name}, stored", f"{case}: {name}, now", n=1, lineterm="")


def store(case: str, outputs: dict[str, str]) -> None:
    """Takes the outputs as they are now."""
    (HERE / "files").mkdir(exist_ok=True)
    text = json.dumps(outputs, ensure_ascii=False, indent=0, sort_keys=True).encode()
    (HERE / "files" / f"{case}.json.xz").write_bytes(lzma.compress(text))


def _output(folder: Path, *words: str) -> str:
    """The code with which a command ends, and what it prints."""
    plain = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "QT_QPA_PLATFORM")}
    plain |= {"RIGWRIGHT_DATA_DIR": str(folder), "RIGWRIGHT_LANGUAGE": "en", "COLUMNS": "160"}
    out = StringIO()
    with (
        patch.dict(os.environ, plain, clear=True),
        patch.object(sys, "argv", ["rigwright", *words]),
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(out),
    ):
        code = int(main())
    text = out.getvalue()
    return f"{code}\n{_readable(_as_json(text) if '--json' in words else text, folder)}"


def _files(folder: Path) -> dict[str, str]:
    """The files that commands have written, as text."""
    texts: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        match path.suffix:
            case ".html":
                texts[path.name] = _readable(visible_text(path.read_text()), folder)
            case ".json":
                texts[path.name] = _readable(_as_json(path.read_text()), folder)
            case ".svg":
                texts[path.name] = _readable(path.read_text().replace("><", ">\n<"), folder)
            case ".pdf":
                texts[path.name] = _readable(pdf_text(path.read_bytes()), folder)
    return texts


def _as_json(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    except ValueError:
        return text


def _readable(text: str, folder: Path) -> str:
    rounded = _NUMBER.sub(lambda number: f"{float(number[0]):.6g}", text)
    return _SEAL.sub("SEAL", rounded.replace(str(folder), "FOLDER"))


def pdf_text(content: bytes) -> str:
    """The words of all pages of a PDF."""
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(BytesIO(content)).pages)


class _VisibleText(HTMLParser):
    """The words of a page, a line for each element that holds some."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._hidden += tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("style", "script")

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._hidden:
            self.lines.append(" ".join(data.split()))


def visible_text(page: str) -> str:
    """The words of an HTML page."""
    parser = _VisibleText()
    parser.feed(page)
    return "\n".join(parser.lines)
