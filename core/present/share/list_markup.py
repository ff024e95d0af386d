"""What stands in a pasted text, row by row: of plain text, Markdown, BBCode, HTML, a quoted mail, a spreadsheet."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

_CELL = "\x1f"
_BAR = "\x1e"
"""A bar that Markdown writes with a backslash, until the cells are apart."""
_UNSEEN = (("<!--", "-->"), ("<script", "</script"), ("<style", "</style"), ("<svg", "</svg"), ("<head>", "</head"))
_BBCODE = r"b|i|u|s|url|img|table|tbody|thead|tr|td|th|list|ul|ol|li|\*|color|size|font|quote|code|spoiler|center|h\d"
_TAG = re.compile(
    rf"<(?P<ends>/?)(?P<html>[a-z][a-z0-9]{{0,15}})(?:[\s/:@][^<>]{{0,2000}})?>"
    rf"|\[(?P<closes>/?)(?P<code>{_BBCODE})(?:=[^\[\]]{{0,500}})?\]",
    re.IGNORECASE,
)
_BLOCKS = frozenset(
    ("p", "br", "div", "li", "*", "ul", "ol", "list", "table", "tbody", "thead", "quote", "blockquote", "hr", "pre")
)
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_IMAGE = re.compile(r"!\[[^\[\]]{0,500}\]\([^()\s]{0,2000}[^()]{0,300}\)")
_LINK = re.compile(
    r"\[((?:[^\[\]]|\[[^\[\]]{0,200}\]){0,500})\]\((?:[^()]|\([^()]{0,200}\)){0,2000}\)(?:\{:[^{}]{0,200}\})?"
)
_REFERENCE = re.compile(r"\[([^\[\]]{2,300})\]\[[^\[\]]{0,80}\]|\[cite[^\[\]]{0,40}\]")
_ADDRESS = re.compile(r"\(?\bhttps?://[^\s|)]+\)?")
_ATTRIBUTES = re.compile(r"\{[:.#%][^{}]{0,200}\}")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]<>#~().+!$-])")
_MARKS = re.compile(r"(?<!\s)\*{1,3}|\*{1,3}(?![\s*]|\d{1,2}$)|__|`|~~")
"""A star between a number and a name, or before the last number, says how many."""
_QUOTE = re.compile(r"^\s*(?:>\s?)+")
_BULLET = re.compile(r"^\s*(?:(?:[-*•·‣▪●◦○–—+✓✔☑➤►]|\d{1,2}[.)]|\[[ xX]\])\s+)+")
_ODD_START = re.compile(r"^[^\w(\[$€£₹¥₩~|\x1e\x1f-]+")
_HEADING = re.compile(r"^\s*#{1,6}\s+")
_LEAST_ROWS = 3
"""Of a table of two columns apart by commas."""
_GAP = re.compile(r"\t|\s{2,}")
_SPACED_HEADS = re.compile(
    r"\s*(?:qty|quantity|item|#|no|pos|menge|part|product|description|artikel|component|type)\b\S*\s{2}", re.I
)
"""How a table begins whose cells are apart by spaces: an invoice, a mail."""
_HYPHENS = str.maketrans("\u2010\u2011\u2012\u00a0", "--- ")
_RULER = frozenset(":-|=+_ \t" + _CELL)
MAX_LINE = 600
"""Letters of a line that are read; no line of a list has more."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list, or one row of a table in it."""

    cells: tuple[str, ...]
    heading: bool = False
    """Above the rows that follow: "## GPUs"."""

    @property
    def text(self) -> str:
        """All of it in one line."""
        return " | ".join(cell for cell in self.cells if cell)


def rows(text: str) -> Iterator[Row | None]:
    """The rows with a letter, in their order; None for an empty line, which ends what a heading stands over."""
    lines = unescape(_without_tags(without_unseen(text))).splitlines()
    table = _comma_table(lines)
    spaced = False
    for line in lines:
        if table and (cells := _comma_cells(line)):
            yield Row(cells)
            continue
        quoted = _QUOTE.sub("", line[:MAX_LINE])
        if _SPACED_HEADS.match(quoted) and len(_GAP.split(quoted.strip())) > 2:
            spaced = True
        elif not quoted.strip():
            spaced = False
        quoted = _GAP.sub(_CELL, quoted.strip()) if spaced else quoted
        heading = bool(_HEADING.match(quoted))
        cells = _cells(_HEADING.sub("", quoted))
        if any(letter.isalpha() or letter in "$€£" for cell in cells for letter in cell):
            yield Row(cells, heading)
        elif not quoted.strip():
            yield None


def without_unseen(text: str) -> str:
    """A page without its programs, styles and comments, which are most of it."""
    for first, last in _UNSEEN:
        pieces: list[str] = []
        at = 0
        while (start := text.find(first, at)) >= 0 and (end := text.find(last, start)) >= 0:
            pieces.append(text[at:start])
            at = text.find(">", end) + 1 or len(text)
        text = "".join((*pieces, text[at:])) if pieces else text
    return text


def _without_tags(text: str) -> str:
    """Tags of HTML and BBCode as line ends and cells; one row of a table is one line, however it is broken."""
    pieces: list[str] = []
    at, in_row, hidden = 0, False, False
    for tag in _TAG.finditer(text):
        between, at = text[at : tag.start()], tag.end()
        if not hidden:
            pieces.append(" ".join(between.split("\n")) if in_row else between)
        name = (tag["html"] or tag["code"]).lower()
        closing = bool(tag["ends"] or tag["closes"])
        hidden = tag["code"] is not None and name == "img" and not closing
        if name == "tr":
            in_row = not closing
            pieces.append("\n")
        elif name in ("td", "th"):
            pieces.append(_CELL if closing else "")
        elif name in _HEADINGS and not closing and not in_row:
            pieces.append("\n# ")
        elif name in _BLOCKS or name in _HEADINGS:
            pieces.append(" " if in_row else "\n")
    return "".join((*pieces, text[at:]))


def _cells(line: str) -> tuple[str, ...]:
    if not set(line) - _RULER:
        return ()
    line = _IMAGE.sub("", line)
    line = _LINK.sub(r"\1", line)
    line = _ADDRESS.sub("", _REFERENCE.sub(lambda link: link[1] or "", line))
    line = _ESCAPED.sub(r"\1", _ATTRIBUTES.sub("", line.replace("\\|", _BAR)))
    line = _BULLET.sub("", line)
    separator = next((one for one in (_CELL, "|", "\t") if one in line), None)
    parts = [_plain(part) for part in (line.split(separator) if separator else [line])]
    if separator == "|" and line.lstrip().startswith("|"):
        parts = parts[1:]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def _plain(cell: str) -> str:
    bare = " ".join(_MARKS.sub("", cell).translate(_HYPHENS).replace(_BAR, "|").split())
    return _ODD_START.sub("", bare).strip()


def _comma_table(lines: list[str]) -> bool:
    """Whether the text is a table whose cells are apart by commas or semicolons: as many in each of its lines."""
    filled = [line for line in lines[:20] if line.strip()]
    widths = {len(_comma_cells(line)) for line in filled}
    spaced = [bool(re.search(r"[,;]\s", line)) for line in filled]
    least = 3 if any(spaced[:1]) else 2 if any(spaced) or len(filled) < _LEAST_ROWS else 1
    return len(filled) > 1 and len(widths) == 1 and min(widths) > least


def _comma_cells(line: str) -> tuple[str, ...]:
    separator = max(",;", key=line.count)
    if not line.count(separator) or "|" in line:
        return ()
    try:
        return tuple(" ".join(cell.split()) for cell in next(csv.reader([line[:MAX_LINE]], delimiter=separator), ()))
    except csv.Error:
        return ()
