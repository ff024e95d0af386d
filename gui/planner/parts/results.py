"""The list of found parts: rows with title, price and deciding figures, and what is shown when it is empty."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Slot
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QPainter, QPalette
from PySide6.QtWidgets import QFrame, QListView, QPushButton, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.advise.fit_verdict import FitState
from core.parts.part import Evidence, Origin
from core.parts.query import Query
from core.words import tr
from gui.planner.parts.evidence import ATTRIBUTION, origin_words
from gui.planner.parts.model import (
    HIT_ROLE,
    LINE_ROLE,
    PRICE_ROLE,
    SUPPORT_ROLE,
    VERDICT_ROLE,
    PartsModel,
    RowEvidence,
    reason_words,
)
from gui.widgets.form import column_of, push_button, row_of
from gui.widgets.table import Index
from gui.widgets.text import Label, paragraph, scaled
from gui.widgets.theme import theme
from gui.widgets.views import paint_focus, paint_ground

PAD = 6
ICONS = {FitState.WARNS: "warn", FitState.UNKNOWN: "unknown", FitState.DOES_NOT: "fail"}
"""The status whose icon marks a part."""
ORIGIN_ICONS = {Origin.USER: "mdi6.account-edit-outline", Origin.IMPORTED: "mdi6.database-import-outline"}
UNCONFIRMED_ICON = "mdi6.progress-question"
ICON = QSize(14, 14)
SMALLER = 0.9
"""Letters of the second line, as a share of the first."""


class ResultsView(QListView):
    """Parts can be dragged from it; the search field moves the choice."""

    def __init__(self, model: PartsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._parts = model
        self.setModel(model)
        self.setItemDelegate(PartDelegate(self))
        model.dataChanged.connect(self.scheduleDelayedItemsLayout)  # a reason takes a line more
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setDragEnabled(True)
        self.setDragDropMode(QListView.DragDropMode.DragOnly)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName(tr("Parts found"))

    def chosen_row(self) -> int | None:
        """The row that a press of Add would take; None if there is none to be seen."""
        row = self.currentIndex().row()
        return None if row < 0 or self.isHidden() else row

    @Slot(int)
    def move_choice(self, by: int) -> None:
        """Goes so many rows down."""
        last = self._parts.rowCount() - 1
        if last >= 0:
            self.setCurrentIndex(self._parts.index(min(max(self.currentIndex().row() + by, 0), last)))


class PartDelegate(QStyledItemDelegate):
    """One row of the search results: title and price, specifications, and the reason where one speaks against the part.

    Marks tell a part of one's own or imported, and doubts.
    """

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        verdict = index.data(VERDICT_ROLE)
        small_lines = 1 if verdict is None or verdict.reason is None else 2
        return QSize(160, 2 * PAD + option.fontMetrics.height() + small_lines * _small_height(option.font))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        hit, colours = index.data(HIT_ROLE), theme()
        verdict, support = index.data(VERDICT_ROLE), index.data(SUPPORT_ROLE)
        fits_not = verdict is not None and verdict.state is FitState.DOES_NOT
        painter.save()
        paint_ground(painter, option)
        area = option.rect.adjusted(PAD + 2, PAD, -PAD - 2, -PAD)
        above = _right(painter, area, index.data(PRICE_ROLE), "muted", option.font)
        _left(painter, above, hit.title, "muted" if fits_not else "text", option.font)
        small = scaled(option.font, SMALLER)
        below = area.adjusted(0, option.fontMetrics.height(), 0, 0)
        below.setHeight(_small_height(option.font))
        beneath = below.translated(0, below.height())
        if hit.origin in ORIGIN_ICONS:
            below = _icon(painter, below, colours.icon(ORIGIN_ICONS[hit.origin], "muted"))
        below = self._figure(painter, below, support, small)
        if support.unconfirmed:
            below = _icon(painter, below, colours.icon(UNCONFIRMED_ICON, "warn"))
        _left(painter, below, index.data(LINE_ROLE), "muted", small)
        if verdict is not None and verdict.reason is not None:
            beneath = _icon(painter, beneath, colours.status_icon(ICONS[verdict.state]))
            _left(painter, beneath, reason_words(verdict, hit.title, hit.category), "text", small)
        paint_focus(painter, option)
        painter.restore()

    @staticmethod
    def _figure(painter: QPainter, area: QRect, support: RowEvidence, font: QFont) -> QRect:
        """The figure that the list is sorted by, at the right, with its own mark if it is not confirmed."""
        if not support.figure:
            return area
        doubtful = support.evidence is Evidence.UNCONFIRMED
        left = _right(painter, area, support.figure, "warn" if doubtful else "text", font)
        if not doubtful:
            return left
        side = min(left.height(), left.width())
        icon = theme().icon(UNCONFIRMED_ICON, "warn")
        icon.paint(painter, QRect(left.right() - side, left.top(), side, side))
        return left.adjusted(0, 0, -side - PAD, 0)


def _left(painter: QPainter, area: QRect, text: str, colour: str, font: QFont) -> None:
    painter.setFont(font)
    painter.setPen(theme().color(colour))
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)


def _right(painter: QPainter, area: QRect, text: str, colour: str, font: QFont) -> QRect:
    """Writes at the right end; what is left of the area."""
    if not text:
        return area
    painter.setFont(font)
    painter.setPen(theme().color(colour))
    painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, text)
    return area.adjusted(0, 0, -QFontMetrics(font).horizontalAdvance(text) - PAD, 0)


def _icon(painter: QPainter, area: QRect, icon: QIcon) -> QRect:
    """Draws at the left end; what is left of the area."""
    side = area.height()
    icon.paint(painter, QRect(area.left(), area.top(), side, side))
    return area.adjusted(side + 4, 0, 0, 0)


def _small_height(font: QFont) -> int:
    return QFontMetrics(scaled(font, SMALLER)).height()


class Attribution(QWidget):
    """One quiet line below the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = Label(self)
        label = Label(ATTRIBUTION, self)
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        label.setAccessibleName(origin_words(Origin.IMPORTED))
        self.setToolTip(origin_words(Origin.IMPORTED))
        row_of(self._icon, (label, 1), into=self, margins=(8, 4, 8, 0), spacing=4)
        theme().changed.connect(self._recolour)
        self._recolour()

    @Slot()
    def _recolour(self) -> None:
        self._icon.setPixmap(theme().icon(ORIGIN_ICONS[Origin.IMPORTED], "muted").pixmap(ICON))


class NothingListed(QWidget):
    """A sentence, and a button for each way out; the owner connects them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = paragraph(self, tr("Reading the catalogue …"), quiet=True)
        self.clear_filters = push_button(self, tr("Clear filters"))
        self.all_categories = push_button(self, tr("Look in all categories"))
        self.clear_words = push_button(self, tr("Clear the search"))
        self.show_unfit = push_button(self, tr("Show what does not fit"))
        self._buttons = (self.clear_filters, self.all_categories, self.clear_words, self.show_unfit)
        for button in self._buttons:
            button.hide()
        column_of(self.label, *self._buttons, 1, into=self, margins=8, spacing=8)

    def say(self, sentence: str, *ways: QPushButton) -> None:
        """Shows a sentence and these ways out."""
        self.label.setText(sentence)
        for button in self._buttons:
            button.setVisible(button in ways)
        self.show()

    def explain(self, query: Query) -> None:
        """Why this question finds nothing."""
        words, category = query.text.strip(), query.category
        if query.filters and words:
            sentence = tr("No part within the filters has all these words. Clear the filters or use fewer words.")
            self.say(sentence, self.clear_filters, self.clear_words)
        elif query.filters:
            self.say(tr("No part matches all these filters. Remove one."), self.clear_filters)
        elif words and category is not None:
            name = category.label
            sentence = tr("No part of the category {category} has all these words. Use fewer words.", category=name)
            self.say(sentence, self.all_categories, self.clear_words)
        elif words:
            self.say(tr("No part has all these words. Use fewer words."), self.clear_words)
        else:
            self.say(tr("The catalogue has no parts of this category."))
