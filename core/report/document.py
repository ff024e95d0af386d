"""The one model of a report: values that the writers turn into HTML, PDF and JSON.

Text is plain text everywhere. No writer reads markup from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.language import tr

if TYPE_CHECKING:
    from core.report.statement import Statement


class Tone(StrEnum):
    """How something is meant: a colour and an icon beside the word that says it."""

    PLAIN = "plain"
    PASS = "pass"
    NOTE = "note"
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Badge:
    """A word with its tone: an outcome, a status, a severity."""

    word: str
    tone: Tone


Cell = str | Badge


@dataclass(frozen=True, slots=True)
class Heading:
    """Starts a chapter (level 1) or a section in it (level 2)."""

    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; line breaks are kept."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class KeyValues:
    """A short list of named facts."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """A column of a table. `share` is its part of the width, relative to the other columns."""

    title: str
    share: float = 1.0
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns. `empty` is what stands there instead when there is no row."""

    columns: tuple[ReportColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    empty: str = tr("None.")

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"a row does not have the {len(self.columns)} cells of its table")


@dataclass(frozen=True)
class Illustration:
    """A vector picture. `alt` says in words what it shows, for those who cannot see it."""

    title: str
    draw: Callable[[], str]
    """Makes the SVG text; called at most once, and not for a report that shows no figures."""
    caption: str
    alt: str
    share: float = 1.0
    """Of the width of the page."""

    @cached_property
    def svg(self) -> str:
        """The picture, drawn when it is first looked at."""
        return self.draw()


Block = Heading | Paragraph | KeyValues | Table | Illustration


@dataclass(frozen=True, slots=True)
class Document:
    """A report. `data` is the same content for machines: the body of the JSON export."""

    kind: str
    """What it reports on: "build" or "run"."""
    title: str
    subtitle: str
    generated_at: str
    """UTC, ISO 8601."""
    version: str
    """Of the program that made the report."""
    simulated: bool
    badge: Badge | None
    blocks: tuple[Block, ...]
    data: dict[str, Any] = field(default_factory=dict)
    sealed: Callable[[bytes], bytes] | None = None
    """Puts a seal into a written file; None for a report that carries none."""
    statement: Statement | None = None
    """What that seal says, and page 1 in one line; None for what is not made of a run."""


def table(columns: Sequence[ReportColumn], rows: Sequence[Sequence[Cell]], *, empty: str = tr("None.")) -> Table:
    """A table from any sequences."""
    return Table(tuple(columns), tuple(tuple(row) for row in rows), empty)
