"""The one model of what is presented: values that the writers turn into HTML, PDF, JSON, terminal and window.

Text is plain text everywhere. No writer reads markup from it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.words import tr

if TYPE_CHECKING:
    from core.predict.band import Band
    from core.present.report.statement import Statement


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


@dataclass(frozen=True, slots=True)
class Words:
    """Text, a line of less weight below it, and in `about` what the window tells of it where the pointer rests."""

    text: str
    below: str = ""
    about: str = ""
    tone: Tone = Tone.PLAIN
    order: float | str | None = None
    """What the cell sorts by; None stands last."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A predicted figure with its band. None is unknown; `about` says why, or what else there is to know."""

    band: Band | None
    about: str = ""
    tone: Tone = Tone.PLAIN
    order: float | None = None
    """What the cell sorts by, if not by the figure."""


@dataclass(frozen=True, slots=True)
class BandBar:
    """Low, expected and high as shares of the column's width: drawn in the window, beside the figure itself."""

    low: float
    expected: float
    high: float

    @classmethod
    def of(cls, band: Band, whole: float) -> BandBar:
        """A band beside what takes the whole width."""
        return cls(band.low / whole, band.expected / whole, band.high / whole)


@dataclass(frozen=True, slots=True)
class Nothing:
    """For what a row does not have, which is not unknown; `about` says why."""

    about: str = ""


Cell = str | Badge | Words | Figure | BandBar | Nothing


@dataclass(frozen=True, slots=True)
class Heading:
    """Starts a chapter (level 1) or a section in it (level 2)."""

    text: str
    level: int = 1
    term: str = ""
    """The term of the glossary that the window explains beside it."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; line breaks are kept. `quiet`: a note, of less weight where there is colour."""

    text: str
    tone: Tone = Tone.PLAIN
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class KeyValues:
    """A short list of named facts."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """A column of a table. `share` is its part of the width of a page, relative to the other columns."""

    title: str
    share: float = 1.0
    numeric: bool = False
    unit: str = ""
    """Of its figures, where all have one: the window writes it into the heading."""
    about: str = ""
    """What the window tells of the heading where the pointer rests."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns. `empty` is what stands there instead when there is no row."""

    columns: tuple[ReportColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    empty: str = tr("None.")
    name: str = ""
    """What a screen reader calls it."""
    keys: tuple[Hashable, ...] = ()
    """What each row stands for, where one can be chosen."""

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
    figures: Table | None = None
    """What is drawn: on paper below the picture, in terminal and window instead of it."""

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


def figures_column(title: str, unit: str = "", about: str = "", share: float = 1.8) -> ReportColumn:
    """A column of predicted figures."""
    return ReportColumn(title, share, numeric=True, unit=unit, about=about)


def table(
    columns: Iterable[ReportColumn | str],
    rows: Iterable[Iterable[Cell]],
    *,
    empty: str = tr("None."),
    name: str = "",
    keys: Sequence[Hashable] = (),
) -> Table:
    """A table from any rows; a column that is no more than its title may be given as that."""
    made = (ReportColumn(column) if isinstance(column, str) else column for column in columns)
    return Table(tuple(made), tuple(tuple(row) for row in rows), empty, name, tuple(keys))


def without_bars(drawn: Table) -> Table:
    """For writers of text: what a bar shows stands as a figure beside it."""
    graphic = {at for row in drawn.rows for at, cell in enumerate(row) if isinstance(cell, BandBar)}
    if not graphic:
        return drawn
    columns = tuple(column for at, column in enumerate(drawn.columns) if at not in graphic)
    rows = tuple(tuple(cell for at, cell in enumerate(row) if at not in graphic) for row in drawn.rows)
    return replace(drawn, columns=columns, rows=rows)
