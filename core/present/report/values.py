"""A document as plain values for the HTML and PDF templates: lists, dicts and clean strings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.present.report.document import (
    Block,
    Cell,
    Document,
    Heading,
    Illustration,
    KeyValues,
    Paragraph,
    Table,
    Tone,
    without_bars,
)
from core.present.report.formatting import cell_text, cell_tone, stamp
from core.present.report.palette import TONE_COLOUR, TONE_ICON
from core.words import current_language, into, tr, visible
from core.words.catalog import PSEUDO


def as_values(document: Document) -> dict[str, Any]:
    """Everything that a template shows. Tones are resolved to icon and colour."""
    values = {
        **language_values(),
        "words": _words(document),
        "title": document.title,
        "subtitle": document.subtitle,
        "generated": stamp(document.generated_at),
        "version": document.version,
        "simulated": document.simulated,
        "badge": _cell(document.badge) if document.badge else None,
        "statement": document.statement.line if document.statement else "",
        "blocks": [block_values(shown) for block in document.blocks for shown in _on_paper(block)],
        "colours": {tone.value: colour for tone, colour in TONE_COLOUR.items()},
    }
    cleaned: dict[str, Any] = cleaned_values(values)
    return cleaned


def language_values() -> dict[str, str | None]:
    """The language that is spoken, for a page: its tag ("zh-CN"), and language and region apart."""
    language, _, region = ("en" if current_language() == PSEUDO else current_language()).partition("_")
    return {"tag": f"{language}-{region}" if region else language, "language": language, "region": region or None}


def _words(document: Document) -> dict[str, str]:
    """What a page says of itself."""
    generated = stamp(document.generated_at)
    return {
        "simulated": tr("SIMULATED"),
        "no_hardware": tr("SIMULATED — no hardware was measured"),
        "made": tr("Made by Rigwright {version} on {time}", version=document.version, time=generated),
        "page": page_words(),
    }


def page_words() -> str:
    """ "page {page} of {pages}", for the template to fill in."""
    return tr("page {page} of {pages}", page="{page}", pages="{pages}")


def cleaned_values(value: Any) -> Any:
    """The same values in the language that is spoken, with every string made safe to print: see `visible`."""
    match value:
        case str():
            return visible(into(value))
        case Mapping():
            return {visible(str(key)): cleaned_values(item) for key, item in value.items()}
        case list() | tuple():
            return [cleaned_values(item) for item in value]
        case _:
            return value


def _on_paper(block: Block) -> Iterator[Block]:
    """Under a picture the figures that it draws: a bar does not tell all of them."""
    yield block
    if isinstance(block, Illustration) and block.figures:
        yield block.figures


def block_values(block: Block) -> dict[str, Any]:
    """One block as its template shows it."""
    match block:
        case Heading(text, level):
            return {"type": "heading", "text": text, "level": level}
        case Paragraph(text, tone):
            return {"type": "paragraph", "text": text, **_tone(tone)}
        case KeyValues(rows):
            return {"type": "facts", "rows": [list(row) for row in rows]}
        case Table():
            return _table(block)
        case Illustration(title, _, caption, alt, share):
            picture = {"svg": block.svg, "share": share}
            return {"type": "figure", "title": title, "caption": caption, "alt": alt, **picture}


def _table(drawn: Table) -> dict[str, Any]:
    table = without_bars(drawn)
    return {
        "type": "table",
        "columns": [
            {"title": column.title, "share": column.share, "numeric": column.numeric} for column in table.columns
        ],
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
        "empty": table.empty,
    }


def _cell(cell: Cell) -> dict[str, str]:
    return {"text": cell_text(cell), **_tone(cell_tone(cell))}


def _tone(tone: Tone) -> dict[str, str]:
    return {"tone": tone.value, "icon": TONE_ICON[tone], "colour": TONE_COLOUR[tone]}
