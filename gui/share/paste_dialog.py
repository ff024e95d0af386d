"""Takes in a pasted part list: a row for each line, candidates where it may be several, and a build of the chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QWidget,
)

from core.parts.catalogue import Catalogue
from core.parts.part import Part
from core.platform.errors import BadInput
from core.present.report.formatting import commas
from core.present.share.list_lines import ListLine, State
from core.present.share.part_list import PartList, build_from, read_part_list
from core.words import joined, plain, tr, trn, visible
from gui.widgets.background import pause
from gui.widgets.context import belongs_to
from gui.widgets.form import column_of
from gui.widgets.text import ElidedLabel, Label, Sentence, bold, tip
from gui.widgets.views import open_at

PAUSE_MS = 300
"""Without typing, after which the list is read."""


class PasteDialog(QDialog):
    """Begins with the clipboard's text where that is a list."""

    build_wanted = Signal(object)

    def __init__(self, catalogue: Callable[[], Catalogue], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._catalogue = catalogue
        self._part_list: PartList | None = None
        self._pause = pause(self, self._read, PAUSE_MS)
        self.text = QPlainTextEdit(self)
        self.rows = ListRows(self)
        self.summary = Sentence("", self)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.make: QPushButton = self.buttons.addButton(tr("&Make a build"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.setWindowTitle(tr("Paste a part list"))
        open_at(self, 1100, 600)
        belongs_to(self, "sharing")
        self._arrange()
        self._begin()

    @property
    def part_list(self) -> PartList | None:
        """What was read of the text; None while it is no list."""
        return self._part_list

    def _begin(self) -> None:
        lines = QGuiApplication.clipboard().text().strip()
        if "\n" in lines:
            self.text.setPlainText(lines)
        self.text.selectAll()
        self._read()

    @Slot()
    def _read(self) -> None:
        self._pause.stop()
        self._part_list = None
        try:
            self._part_list = read_part_list(self.text.toPlainText(), self._catalogue())
            self.rows.show_lines(self._part_list.lines)
            self._tell()
        except BadInput as error:
            self.rows.show_lines(())
            self.make.setEnabled(False)
            self.summary.setText(str(error))

    @Slot()
    def _tell(self) -> None:
        self.summary.setText(summary(self.rows.lines))
        self.make.setEnabled(any(line.part for line in self.rows.lines))

    @Slot()
    def _accept(self) -> None:
        if self._pause.isActive():
            self._read()
        if any(line.part for line in self.rows.lines):
            build, _ = build_from(self.rows.lines, tr("Pasted list"), self._catalogue().part)
            self.accept()
            self.build_wanted.emit(build)

    def _arrange(self) -> None:
        self.text.setPlaceholderText(
            tr("Paste a list from PCPartPicker or BuildCores here, or write a part on each line: 4x RTX 3090 Turbo")
        )
        self.text.setAccessibleName(tr("Part list"))
        self.text.setTabChangesFocus(True)
        split = QSplitter(self)
        split.addWidget(self.text)
        split.addWidget(self.rows)
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        column_of((split, 1), self.summary, self.buttons, into=self, margins=None)
        self.text.textChanged.connect(self._pause.start)
        self.rows.changed.connect(self._tell)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)


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
    label.setFont(bold(label.font()))
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
