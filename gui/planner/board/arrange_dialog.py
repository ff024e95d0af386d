"""The best arrangement of the cards before it is made: a picture of it, and why it is the best."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Signal, Slot
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QFrame, QPlainTextEdit, QSizePolicy, QWidget

from core.plan.build import Build
from core.plan.placement.best import Placement, best_placement, placed_by_hand
from core.plan.placement.links import links
from core.words import tr
from gui.planner.board.painter import BoardLayout, BoardPainter
from gui.planner.board.picture import BoardPicture, board_picture
from gui.widgets import messages
from gui.widgets.background import run_in_background
from gui.widgets.form import column_of, dialog_buttons
from gui.widgets.text import paragraph
from gui.widgets.theme import theme
from gui.widgets.views import open_at


class ArrangeDialog(QDialog):
    """Searches beside the window; `chosen(edit)` when the user wants what it found."""

    chosen = Signal(object)

    def __init__(self, build: Build, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._build = build
        self._placement: Placement | None = None
        self._question = 0
        self.setWindowTitle(tr("Arrange cards"))
        self.sentence = paragraph(self)
        self.picture = ArrangedBoard(self)
        self.reasons = QPlainTextEdit(self)
        self.reasons.setReadOnly(True)
        self.reasons.setTabChangesFocus(True)
        self.reasons.setFrameShape(QFrame.Shape.NoFrame)
        self.reasons.document().setDocumentMargin(8)
        self.reasons.setAccessibleName(tr("Why this is the best arrangement"))
        self.keep = QCheckBox(tr("&Leave the cards that have a slot where they are"), self)
        self.keep.setVisible(bool(placed_by_hand(build)))
        self.keep.toggled.connect(self._search)
        self.buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Cancel)
        self.apply = self.buttons.addButton(tr("Arrange"), QDialogButtonBox.ButtonRole.AcceptRole)
        pieces = (self.sentence, (self.picture, 3), (self.reasons, 2), self.keep, self.buttons)
        column_of(*pieces, into=self, margins=16, spacing=8)
        open_at(self, 640, 620)
        self._search()

    @property
    def busy(self) -> bool:
        """Whether it still searches."""
        return self._placement is None

    def accept(self) -> None:
        """Says what was chosen."""
        if self._placement is not None:
            self.chosen.emit(self._placement.edit)
        super().accept()

    @Slot()
    def _search(self) -> None:
        self._placement = None
        self._question += 1
        self.apply.setEnabled(False)
        self.sentence.setText(tr("Trying arrangements …"))
        self.reasons.clear()
        pinned = placed_by_hand(self._build) if self.keep.isChecked() else ()
        work = partial(best_placement, self._build, pinned=pinned)
        run_in_background(self, work, partial(self._show, self._question), self._fail)

    def _show(self, number: int, placement: Placement | None) -> None:
        if number != self._question:  # another question has been asked since
            return
        if placement is None:
            self.sentence.setText(tr("Nothing to arrange: the build needs cards and a motherboard with known slots."))
            return
        self._placement = placement
        after = placement.edit.apply(self._build)
        self.picture.show_build(after)
        self.apply.setEnabled(after != self._build)
        self.sentence.setText(self._verdict(placement, same=after == self._build))
        self.reasons.setPlainText("\n".join(f"•  {reason}" for reason in placement.reasons))
        (self.apply if self.apply.isEnabled() else self.buttons).setFocus()

    def _fail(self, error: Exception) -> None:
        self.reject()
        messages.show_error(self.parentWidget(), error)

    def _verdict(self, placement: Placement, *, same: bool) -> str:
        if same:
            return tr("The cards already sit in the best slots.")
        if placement.complete:
            return tr("The best arrangement for all cards:")
        missing = sum(placement.left_out.values())
        if missing == 1:
            return tr("The best arrangement; 1 card has no slot:")
        return tr("The best arrangement; {count} cards have no slot:", count=missing)


class ArrangedBoard(QWidget):
    """The board as it would be, not to be touched."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture: BoardPicture | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Board with the cards arranged"))
        theme().changed.connect(self.update)

    def show_build(self, build: Build) -> None:
        """Draws this build."""
        self._picture = board_picture(build, links(build))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(420, 260)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._picture is not None:
            sheet = BoardLayout.of(self._picture, QRectF(self.rect()), self.fontMetrics())
            BoardPainter(self, self._picture, sheet).draw(selected=frozenset(), target=None)
