"""What stands in the place of an empty build: ways to begin, the builds opened last, and templates by purpose."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QIcon, QResizeEvent
from PySide6.QtWidgets import QCommandLinkButton, QFrame, QGridLayout, QPushButton, QScrollArea, QWidget

from core.build.templates import Template, TemplateGroup, template_groups
from core.shown import visible
from gui.widgets.empty import StepButton
from gui.widgets.text import heading, tip

SHOWN_RECENT = 4
MOST_COLUMNS = 3
COLUMN_CHARACTERS = 38
"""Of average width, which a column has room for at least."""


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
        self._begin = heading(self.tr("Begin a build"), self._inside)
        self._lately = heading(self.tr("Recent builds"), self._inside)
        self.steps: list[QPushButton] = []
        self.recent: list[QPushButton] = []
        self._groups = [(heading(group.title, self._inside), self._tiles(group)) for group in template_groups()]
        self.setWidget(self._inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @property
    def templates(self) -> list[QPushButton]:
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
        self.recent = [self._tile(path.name, str(path.parent)) for path in paths[:SHOWN_RECENT]]
        for path, tile in zip(paths, self.recent, strict=False):
            tile.clicked.connect(partial(self._want_build, path))
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As many columns as have room."""
        super().resizeEvent(event)
        if self._fitting() != self._columns:
            self._place()

    def _fitting(self) -> int:
        column = COLUMN_CHARACTERS * self.fontMetrics().averageCharWidth()
        return min(max(self.viewport().width() // column, 1), MOST_COLUMNS)

    def _place(self) -> None:
        self._columns = columns = self._fitting()
        for column in range(MOST_COLUMNS):
            self._grid.setColumnStretch(column, int(column < columns))
        self._lately.setVisible(bool(self.recent))
        row = 0
        before: QWidget | None = None
        for head, tiles in ((self._begin, self.steps), (self._lately, self.recent), *self._groups):
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

    def _tiles(self, group: TemplateGroup) -> list[QPushButton]:
        tiles = []
        for template in group.templates:
            tile = self._tile(template.title, template.purpose)
            tile.clicked.connect(partial(self._want_template, template))
            tiles.append(tile)
        return tiles

    def _tile(self, title: str, about: str) -> QPushButton:
        tile = QCommandLinkButton(visible(title).replace("&", "&&"), visible(about), self._inside)
        tile.setIcon(QIcon())
        tile.setIconSize(QSize(0, 0))
        tile.setAccessibleName(title)
        tile.setAccessibleDescription(about)
        tile.setToolTip(tip(f"{title}\n{about}"))
        return tile

    def _want_template(self, template: Template, _checked: bool = False) -> None:
        self.template_wanted.emit(template)

    def _want_build(self, path: Path, _checked: bool = False) -> None:
        self.build_wanted.emit(path)
