"""Everything known about a part: its figures, how well each is supported, and where it was read."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QWidget

from core.parts.own import Correction
from core.parts.part import Evidence, Origin, Part, Source
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.present.report.part_figures import (
    EVIDENCE_TONE,
    PartFigure,
    covered_words,
    part_figures,
    part_notes,
    support_counts,
)
from core.words import tr
from gui.planner.parts.evidence import ATTRIBUTION, is_from_opendb, origin_words
from gui.widgets.figures import UNKNOWN
from gui.widgets.form import column_of, dialog_buttons
from gui.widgets.text import escaped
from gui.widgets.theme import theme
from gui.widgets.units import local
from gui.widgets.views import open_at

SIGNS = {Evidence.CONFIRMED: "✓", Evidence.UNCONFIRMED: "~", Evidence.UNKNOWN: UNKNOWN}
SHORT = 34
"""Characters of a source's title that are shown beside a figure; the whole title is given below."""


class PartCard(QDialog):
    """A table of figures with their sources; unknown ones are listed too, because a gap is worth knowing."""

    correction_wanted = Signal(str)
    """The user knows a figure better; carries the part's id. The card has closed by then."""

    def __init__(
        self,
        part: Part,
        parent: QWidget | None = None,
        *,
        correction: Correction | None = None,
        guide: PriceGuide = NO_GUIDE,
    ) -> None:
        super().__init__(parent)
        self._guide = guide
        self._part = part
        self._correction = correction
        self.setWindowTitle(part.title)
        open_at(self, 760, 600)
        self.text = QTextBrowser(self)
        self.text.setOpenExternalLinks(True)
        self.text.setAccessibleName(tr("Figures and sources of {part}", part=part.title))
        self.text.setHtml(self._html())
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        correct = buttons.addButton(tr("Correct …"), QDialogButtonBox.ButtonRole.ActionRole)
        correct.setAutoDefault(False)
        correct.clicked.connect(self._correct)
        column_of((self.text, 1), buttons, into=self, margins=8)

    @Slot()
    def _correct(self) -> None:
        self.accept()
        self.correction_wanted.emit(self._part.id)

    def _html(self) -> str:
        part = self._part
        headings = (tr("Figure"), tr("Value"), tr("Evidence"), tr("Sources"))
        head = "".join(f"<th align='left'>{escaped(heading)}</th>" for heading in headings)
        rows = "".join(map(self._row, part_figures(part, self._guide, self._correction)))
        sources = "".join(
            f"<li value='{number}'>{_link(source, source.title)}{_covered(source)}</li>"
            for number, source in enumerate(part.sources, start=1)
        )
        notes = "".join(f"<p>{escaped(local(sentence))}</p>" for sentence in self._notes())
        counts = " · ".join((part.category.label, *support_counts(part)))
        return (
            f"<h3>{escaped(part.title)}</h3><p>{escaped(counts)}</p>{notes}"
            f"<table cellspacing='0' style='margin-top: 8px' cellpadding='3' width='99%'><tr>{head}</tr>{rows}</table>"
            f"<h4>{escaped(tr('Sources'))}</h4><ol>{sources}</ol>"
        )

    def _notes(self) -> Iterator[str]:
        """What is to be credited, too: the data set's licence asks for that where its rows show."""
        part = self._part
        if part.origin is Origin.IMPORTED:
            yield tr("{origin}. Its figures have not been checked.", origin=origin_words(part.origin))
        elif is_from_opendb(part):
            yield tr("Some of these figures are from {dataset}.", dataset=ATTRIBUTION)
        yield from part_notes(part, self._guide, self._correction)

    def _row(self, figure: PartFigure) -> str:
        colour = theme().color(EVIDENCE_TONE[figure.evidence].value).name()
        sources = ((number, self._part.sources[number - 1]) for number in figure.sources)
        cells = (
            escaped(figure.name),
            escaped(local(figure.value)),
            f"<font color='{colour}'>{escaped(f'{SIGNS[figure.evidence]} {figure.support}')}</font>",
            "<br>".join(f"{number} · {_link(source, _shortened(source.title))}" for number, source in sources),
        )
        return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _covered(source: Source) -> str:
    words = covered_words(source)
    return f" – {escaped(local(words))}" if words else ""


def _link(source: Source, text: str) -> str:
    return f'<a href="{escaped(source.url)}">{escaped(text)}</a>' if source.url else escaped(text)


def _shortened(title: str) -> str:
    return title if len(title) <= SHORT else f"{title[: SHORT - 1]}…"
