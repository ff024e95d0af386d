"""Holds what a person reads in a sealed file against what is signed into it: page 1, fields, members of an archive.

A seal shows that a file was not changed after it was made. That it says what its maker knew is another question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from core.present.certificate.rma import CARD, CERTIFICATE, members
from core.present.report.palette import TONE_ICON
from core.present.report.statement import CHANGED, LINE, NO_OUTCOME, PaperKind, Statement
from core.seal.sealed_file import PDF_HEAD, ZIP_HEAD
from core.words import LANGUAGES, english, into, spoken, tr
from core.words.catalog import PSEUDO

_BIG_PT = range(16, 21)
"""Points of the title and the verdict of a page; nothing else of it is set so, and a watermark is larger."""
_UNSEEN = ("style", "script", "title", "template")


class NotReadable(ValueError):
    """A file whose text cannot be read as its writer left it."""


@dataclass(frozen=True, slots=True)
class Page:
    """The first page of a PDF, or all of an HTML page. `heading` is what is set large: title and verdict."""

    text: str
    heading: str

    def holds(self, words: str) -> bool:
        """Whether it says that; where lines break does not count."""
        return squeezed(words) in squeezed(self.text)


def squeezed(text: str) -> str:
    """Without what a line break adds or takes away."""
    return re.sub(r"[\s\u00ad\u200b]+", "", text)


def pdf_page(content: bytes) -> Page:
    """The first page. Raises NotReadable."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    large: list[str] = []

    def seen(text: str, _cm: object, _tm: object, _font: object, size: float) -> None:
        if round(size) in _BIG_PT:
            large.append(text)

    try:
        text = PdfReader(BytesIO(content)).pages[0].extract_text(visitor_text=seen)
    except (PyPdfError, LookupError) as error:
        raise NotReadable(str(error)) from error
    return Page(text, "".join(large))


def html_page(content: bytes) -> Page:
    """All that a browser shows of it. Raises NotReadable."""
    reader = _Reader()
    try:
        reader.feed(content.decode())
    except UnicodeDecodeError as error:
        raise NotReadable(str(error)) from error
    reader.close()
    return Page("".join(reader.texts), "".join(reader.large))


def json_fields(content: bytes) -> dict[str, Any]:
    """The object of a file. Raises NotReadable where it is none, or has a key twice."""
    try:
        fields = json.loads(content, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise NotReadable(str(error)) from error
    if not isinstance(fields, dict):
        raise NotReadable(type(fields).__name__)
    return fields


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(fields := dict(pairs)) < len(pairs):
        raise NotReadable("a key stands twice")
    return fields


class _Reader(HTMLParser):
    """Gathers text; that of the badge, which is the verdict of the page, apart too."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.large: list[str] = []
        self._unseen = 0
        self._in_badge = False

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN
        self._in_badge |= tag == "p" and "badge" in (dict(attrs).get("class") or "").split()

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN
        self._in_badge &= tag != "p"

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.texts.append(data)
            if self._in_badge:
                self.large.append(data)


_MOST_BYTES = 64_000_000
"""Of a member of an archive that is read."""


def differences(content: bytes, statement: Statement) -> list[str]:
    """What a whole file says otherwise than the statement that is signed into it, a sentence each; usually nothing."""
    try:
        if content.startswith(PDF_HEAD):
            return list(_of_page(pdf_page(content), statement))
        if content.startswith(ZIP_HEAD):
            return list(_of_pack(content, statement))
        if statement.kind is PaperKind.TELEMETRY:
            return list(_of_fields(json_fields(content.partition(b"\n")[0]), _telemetry(statement)))
        if content.startswith(b"{"):
            return list(_of_report(json_fields(content), statement))
        return list(_of_page(html_page(content), statement))
    except (NotReadable, BadZipFile) as problem:
        return [tr("What the file says cannot be read: {problem}.", problem=str(problem))]


def _of_page(page: Page, statement: Statement) -> Iterator[str]:
    """The line, the large verdict in the language of the page, and the word SIMULATED."""
    if not page.holds(statement.line):
        yield tr("Page 1 does not show what is signed: {line}", line=statement.line)
    if (count := squeezed(page.text).count(squeezed(LINE))) > 1:
        yield tr("Page 1 shows {count} statements; one is signed.", count=count)
    language = statement.language if statement.language in (*LANGUAGES, PSEUDO) else "en"
    with spoken(language):
        signed, simulated = _mark(statement), str(tr("SIMULATED"))
    shown = squeezed(page.heading).replace("\N{VARIATION SELECTOR-15}", "")
    for icon in filter(None, TONE_ICON.values()):
        shown = shown.rpartition(icon)[2]
    if shown != squeezed(signed):
        yield tr("The verdict on page 1 is {shown!r}; signed is {signed!r}.", shown=shown, signed=signed)
    if statement.simulated and not page.holds(simulated):
        yield tr("Page 1 does not say {word}, as is signed.", word=simulated)


def _mark(statement: Statement) -> str:
    """The large word of page 1, in the language that is spoken."""
    if statement.changed:
        return str(into(CHANGED))
    if statement.outcome is None:
        return str(tr("NO VERDICT"))
    is_report = statement.kind is PaperKind.REPORT
    return str(into(statement.outcome.label if is_report else statement.outcome.stamp))


def _of_fields(fields: Mapping[str, Any], signed: Mapping[str, Any]) -> Iterator[str]:
    """`signed` by the path of the field, "run.simulated"."""
    for path, value in signed.items():
        here: Any = fields
        for name in path.split("."):
            here = here.get(name) if isinstance(here, dict) else None
        if here != value:
            yield tr("Field {path} is {shown!r}; signed is {signed!r}.", path=path, shown=here, signed=value)


def _of_report(fields: Mapping[str, Any], statement: Statement) -> Iterator[str]:
    signed: dict[str, Any] = {
        "kind": "run",
        "statement": statement.line,
        "outcome": english(CHANGED) if statement.changed else statement.outcome or NO_OUTCOME,
        "simulated": statement.simulated,
        "run.id": statement.run,
        "seal.state": statement.record,
        "seal.digest": statement.digest,
    }
    if statement.changed:
        yield from _of_fields(fields, signed | {"verdicts": [], "causes": []})
        return
    yield from _of_fields(fields, signed | {"run.simulated": statement.simulated, "profile.name": statement.profile})
    verdicts = [one for one in fields.get("verdicts") or () if isinstance(one, dict)]
    judged = [one.get("outcome") for one in verdicts if one.get("subject") == "machine"]
    if judged != ([statement.outcome] if statement.outcome else []):
        signed_word = str(statement.outcome)
        yield tr("The verdict on the machine is {shown!r}; signed is {signed!r}.", shown=judged, signed=signed_word)


def _telemetry(statement: Statement) -> dict[str, Any]:
    return {"type": "devices", "run": statement.run, "simulated": statement.simulated}


def _of_pack(content: bytes, statement: Statement) -> Iterator[str]:
    with ZipFile(BytesIO(content)) as archive:
        names = archive.namelist()
        if sorted(names) != sorted(members(statement)):
            yield tr("The pack holds {names}, not what is packed.", names=", ".join(names))
            return
        yield from _of_page(pdf_page(_member(archive, CERTIFICATE)), statement)
        if not statement.changed:
            same = {"statement": statement.line, "verdict": statement.outcome, "simulated": statement.simulated}
            yield from _of_fields(json_fields(_member(archive, CARD)), same)


def _member(archive: ZipFile, name: str) -> bytes:
    with archive.open(name) as stream:
        return stream.read(_MOST_BYTES)
