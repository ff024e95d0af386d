"""What a person sees of a file: the text of a PDF's first page, of an HTML page, the fields of a JSON report."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

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
