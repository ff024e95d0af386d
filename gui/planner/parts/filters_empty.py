"""What stands in the place of the list when it is empty: why, and what to do."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from core.parts.query import Query
from gui.widgets.text import Label


class NothingListed(QWidget):
    """A sentence, and a button for each way out; the owner connects them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = Label(self.tr("Reading the catalogue …"), self)
        self.label.setWordWrap(True)
        self.label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.clear_filters = QPushButton(self.tr("Clear filters"), self)
        self.all_categories = QPushButton(self.tr("Look in all categories"), self)
        self.clear_words = QPushButton(self.tr("Clear the search"), self)
        self.show_unfit = QPushButton(self.tr("Show what does not fit"), self)
        self._buttons = (self.clear_filters, self.all_categories, self.clear_words, self.show_unfit)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        column.addWidget(self.label)
        for button in self._buttons:
            button.hide()
            column.addWidget(button)
        column.addStretch(1)

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
            sentence = self.tr("No part has all these words within the filters. Clear the filters or use fewer words.")
            self.say(sentence, self.clear_filters, self.clear_words)
        elif query.filters:
            self.say(self.tr("No part lies within all these filters. Take one away."), self.clear_filters)
        elif words and category is not None:
            sentence = self.tr("No part of the category {category} has all these words. Use fewer words.")
            self.say(sentence.format(category=category.label), self.all_categories, self.clear_words)
        elif words:
            self.say(self.tr("No part has all these words. Use fewer words."), self.clear_words)
        else:
            self.say(self.tr("The catalogue has no parts of this category."))
