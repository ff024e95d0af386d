"""The lines of a pasted list, a row each: what was recognised, candidates to choose from, what is in no catalogue."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel, QScrollArea, QSizePolicy, QWidget

from core.language import joined, plain, tr, trn
from core.parts.part import Part
from core.report.formatting import commas
from core.share.list_lines import ListLine, State
from core.shown import visible
from gui.widgets.text import ElidedLabel, Label, tip

_SIGNS = {State.EXACT: "✓", State.CHOSEN: "✓", State.SIMILAR: "?", State.UNKNOWN: "–"}
_LETTERS = 28
"""Of a candidate, that a box is wide enough for."""


class ListRows(QScrollArea):
    """A choice lasts while its line is read again, with other lines around it."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[ListLine, ...] = ()
        self._boxes: dict[int, QComboBox] = {}
        self._choices: dict[str, str] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("What was recognised"))
        self.show_lines(())

    @property
    def lines(self) -> tuple[ListLine, ...]:
        """The lines, each with the part that is chosen now."""
        return self._lines

    @property
    def boxes(self) -> tuple[QComboBox, ...]:
        """Of the lines that leave a choice, in their order."""
        return tuple(self._boxes.values())

    def show_lines(self, lines: Sequence[ListLine]) -> None:
        """Shows these instead."""
        self._lines = tuple(self._as_chosen(line) for line in lines)
        self._boxes = {}
        page = QWidget(self)
        grid = QGridLayout(page)
        grid.setColumnStretch(1, 1)
        for row, line in enumerate(self._lines):
            grid.addWidget(Label(_SIGNS[line.state], page), 2 * row, 0)
            grid.addWidget(_named(line, page), 2 * row, 1)
            grid.addWidget(self._answer(row, line, page), 2 * row + 1, 1)
        grid.setRowStretch(2 * len(self._lines), 1)
        self.setWidget(page)

    def _as_chosen(self, line: ListLine) -> ListLine:
        choice = self._choices.get(line.text)
        if choice is None or not line.candidates:
            return line
        return line.chosen(next((part for part in line.candidates if part.id == choice), None))

    def _answer(self, row: int, line: ListLine, page: QWidget) -> QWidget:
        if not line.candidates:
            text = line.part.title if line.part else tr("not in the catalogue")
            label = ElidedLabel(visible(text), page)
            label.setForegroundRole(QPalette.ColorRole.Text if line.part else QPalette.ColorRole.PlaceholderText)
            return label
        box = QComboBox(page)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(_LETTERS)
        box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        box.setAccessibleName(tr("Part for {line}", line=line.text))
        box.setToolTip(tip(line.sentence))
        box.addItem(tr("Leave out") if line.state is State.CHOSEN else tr("Choose, or leave out"), "")
        for part in line.candidates:
            box.addItem(visible(_candidate(line, part)), part.id)
        box.setCurrentIndex(max(box.findData(line.part.id if line.part else ""), 0))
        box.currentIndexChanged.connect(self._choose)
        self._boxes[row] = box
        return box

    @Slot()
    def _choose(self) -> None:
        lines = list(self._lines)
        for row, box in self._boxes.items():
            line, part_id = lines[row], box.currentData()
            lines[row] = line.chosen(next((part for part in line.candidates if part.id == part_id), None))
            if lines[row].part != line.part:
                self._choices[line.text] = part_id
        self._lines = tuple(lines)
        self.changed.emit()


def _named(line: ListLine, page: QWidget) -> QLabel:
    """How many of what, and what the list says that one costs."""
    text = plain("{count}x {line}", count=line.count, line=line.text)
    remark = tr("only the chip is named") if line.state is State.CHOSEN else ""
    aside = commas([word for word in (line.price_words, remark) if word])
    label = ElidedLabel(visible(f"{text}  ({aside})" if aside else text), page)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def _candidate(line: ListLine, part: Part) -> str:
    """A candidate, with how many of it the line means where that differs."""
    count = line.count_of(part)
    return part.title if count == line.count else f"{count}x {part.title}"


def summary(lines: Sequence[ListLine]) -> str:
    """How many parts there are, how many lines leave a choice open, and how many are none of ours."""
    parts = sum(line.count_of(line.part) for line in lines if line.part)
    open_ = sum(1 for line in lines if line.candidates and not line.part)
    lost = sum(1 for line in lines if line.state is State.UNKNOWN)
    words = [trn("{count} part recognised.", "{count} parts recognised.", count=parts)]
    if open_:
        words.append(trn("{count} line to choose a part for.", "{count} lines to choose parts for.", count=open_))
    if lost:
        words.append(trn("{count} line not recognised.", "{count} lines not recognised.", count=lost))
    return joined(words)
