"""What stands in the place of an empty build: ways to begin, the builds opened last, and templates by purpose."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from core.plan.templates import Template, TemplateGroup, template_groups
from core.words import tr, visible
from gui.widgets.empty import StepButton
from gui.widgets.text import Label, heading, unbroken
from gui.widgets.units import local

STEPS = ("new", "open", "paste_list", "from_machine", "tour")
"""Ways to begin, by the names of their actions."""
SHOWN_RECENT = 4
MOST_COLUMNS = 3
COLUMN_CHARACTERS = 30
"""Small Latin letters, which a column has room for at least."""


class Tile(QPushButton):
    """A title, and below it what it is about; as high as both need at the width there is."""

    def __init__(self, title: str, about: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.title, self.about = heading(title, self), Label(unbroken(local(about)), self)
        self.about.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(2)
        for label in (self.title, self.about):
            label.setWordWrap(True)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            column.addWidget(label)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, self.sizePolicy().verticalPolicy())
        self.setAccessibleName(visible(title))
        self.setAccessibleDescription(visible(about))

    def sizeHint(self) -> QSize:
        """What the two lines ask for."""
        return self._column.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """The longest word."""
        return self._column.minimumSize()


class StartPage(QScrollArea):
    """`template_wanted(Template)`, `build_wanted(path)`; the ways to begin are actions of the window."""

    template_wanted = Signal(object)
    build_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = 0
        self._inside = QWidget(self)
        self._grid = QGridLayout(self._inside)
        self._grid.setContentsMargins(16, 16, 16, 16)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._begin = heading(tr("Start a build"), self._inside)
        self._lately = heading(tr("Recent builds"), self._inside)
        self.steps: list[StepButton] = []
        self.recent: list[Tile] = []
        self._groups = [(heading(group.title, self._inside), self._tiles(group)) for group in template_groups()]
        self.setWidget(self._inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @property
    def templates(self) -> list[Tile]:
        """A button for each template, in the order in which they are offered."""
        return [tile for _, tiles in self._groups for tile in tiles]

    def add_actions(self, actions: Sequence[QAction]) -> None:
        """Ways to begin."""
        self.steps += [StepButton(action, self._inside) for action in actions]
        self._place()

    def show_recent(self, paths: Sequence[Path]) -> None:
        """The builds opened last, newest first."""
        for old in self.recent:
            self._grid.removeWidget(old)
            old.deleteLater()
        self.recent = [Tile(path.name, str(path.parent), self._inside) for path in paths[:SHOWN_RECENT]]
        for path, tile in zip(paths, self.recent, strict=False):
            tile.clicked.connect(partial(self._want_build, path))
        self._place()

    def minimumSizeHint(self) -> QSize:
        """As wide as one column of buttons: in a narrower window, the page around it scrolls."""
        buttons = (*self.steps, *self.recent, *self.templates)
        margins = self._grid.contentsMargins()
        widest = max((button.minimumSizeHint().width() for button in buttons), default=0)
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(widest + margins.left() + margins.right() + bar, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As many columns as have room."""
        super().resizeEvent(event)
        if self._fitting() != self._columns:
            self._place()

    def _fitting(self) -> int:
        """As many as the widest button leaves room for."""
        usual = self.fontMetrics().horizontalAdvance("n" * COLUMN_CHARACTERS)
        tiles = (*self.steps, *self.recent, *self.templates)
        least = max((tile.sizeHint().width() for tile in tiles), default=0)
        margins, gap = self._grid.contentsMargins(), self._grid.horizontalSpacing()
        room = self.viewport().width() - margins.left() - margins.right() + gap
        return min(max(room // (max(usual, least) + gap), 1), MOST_COLUMNS)

    def _place(self) -> None:
        self._columns = columns = self._fitting()
        for column in range(MOST_COLUMNS):
            self._grid.setColumnStretch(column, int(column < columns))
        row = 0
        before: QWidget | None = None
        sections: list[tuple[QWidget, Sequence[QWidget]]] = [(self._begin, self.steps), (self._lately, self.recent)]
        for head, tiles in [*sections, *self._groups]:
            head.setVisible(bool(tiles))
            head.setContentsMargins(0, 12 if row else 0, 0, 4)
            if not tiles:
                continue
            self._grid.addWidget(head, row, 0, 1, columns)
            self._grid.setRowStretch(row, 0)
            for number, tile in enumerate(tiles):
                down, column = divmod(number, columns)
                self._grid.addWidget(tile, row + 1 + down, column)
                self._grid.setRowStretch(row + 1 + down, 0)
                if before is not None:
                    QWidget.setTabOrder(before, tile)
                before = tile
            row += 1 - -len(tiles) // columns
        self._grid.setRowStretch(row, 1)

    def _tiles(self, group: TemplateGroup) -> list[Tile]:
        tiles = []
        for template in group.templates:
            tile = Tile(template.title, template.purpose, self._inside)
            tile.clicked.connect(partial(self._want_template, template))
            tiles.append(tile)
        return tiles

    def _want_template(self, template: Template, _checked: bool = False) -> None:
        self.template_wanted.emit(template)

    def _want_build(self, path: Path, _checked: bool = False) -> None:
        self.build_wanted.emit(path)
