"""The manual, offline: pages of assets/manual with search, and pictures that the program draws when they are seen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSize, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QImage, QPainter, QTextCursor, QTextDocument
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QSplitter, QTextBrowser, QWidget

from core.assessment import Assessment
from core.plan.file import FindPart, load_build
from core.platform.errors import RigwrightError
from core.platform.paths import ASSETS
from core.present.picture.svg import DARK, LIGHT, draw
from core.present.picture.write import View, scene_of
from core.words import current_language, tr
from gui.planner.build_files import TEMPLATES
from gui.widgets.form import column_of
from gui.widgets.text import Sentence
from gui.widgets.theme import theme
from gui.widgets.views import open_at, quiet_selection

MANUAL = ASSETS / "manual"
PAGES = (
    "start",
    "planning",
    "machine",
    "findings",
    "predictions",
    "language-models",
    "sharing",
    "burn-in",
    "verdict",
    "certificate",
    "runs",
    "preferences",
    "terminal",
    "glossary",
)
"""In the order of the list."""
FIRST = PAGES[0]
PICTURE_WIDTH = 480
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


def page_text(name: str) -> str:
    """The Markdown of a page. KeyError for a name that is no page."""
    if name not in PAGES:
        raise KeyError(name)
    return (MANUAL / f"{name}.md").read_text(encoding="utf-8")


def page_title(name: str) -> str:
    """The heading of a page."""
    heading = _HEADING.search(page_text(name))
    assert heading is not None
    return heading[1]


def pages_with(words: str) -> list[str]:
    """The pages that have all the words, those with them in their title first; all pages without words."""
    searched = words.casefold().split()
    pages = [name for name in PAGES if all(word in page_text(name).casefold() for word in searched)]
    return sorted(pages, key=lambda name: not any(word in page_title(name).casefold() for word in searched))


class Manual(QDialog):
    """Opens at a page; links between pages stay here, others go to the user's browser."""

    def __init__(self, find_part: FindPart, page: str = FIRST, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = QLineEdit(self)
        self.list = QListWidget(self)
        self.text = _Page(find_part, self)
        self.page = page
        """The page that is read."""
        self.setWindowTitle(tr("Manual"))
        open_at(self, 980, 680)
        self._arrange()
        self._connect()
        self._list("")
        self.show_page(page)

    def show_page(self, name: str) -> None:
        """Goes to a page; one that does not exist is the first."""
        self.page = name if name in PAGES else FIRST
        self.text.setMarkdown(page_text(self.page))
        self.text.setAccessibleName(page_title(self.page))
        self._mark(self.search.text())
        for row in range(self.list.count()):
            if self.list.item(row).data(Qt.ItemDataRole.UserRole) == self.page:
                self.list.setCurrentRow(row)

    def _arrange(self) -> None:
        self.search.setPlaceholderText(tr("Search the manual"))
        self.search.setAccessibleName(tr("Search the manual"))
        self.search.setClearButtonEnabled(True)
        self.list.setAccessibleName(tr("Pages"))
        quiet_selection(self.list)
        side = QWidget(self)
        column_of(self.search, (self.list, 1), into=side)
        split = QSplitter(self)
        split.addWidget(side)
        split.addWidget(self.text)
        split.setStretchFactor(1, 1)
        split.setSizes([220, 760])
        split.setChildrenCollapsible(False)
        about = [] if current_language() == "en" else [Sentence(tr("The pages of the manual are in English."), self)]
        column_of(*about, (split, 1), into=self, margins=None)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._list)
        self.list.currentItemChanged.connect(self._choose)
        self.text.anchorClicked.connect(self._follow)
        theme().changed.connect(self._again)

    @Slot(str)
    def _list(self, words: str) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        for name in pages_with(words):
            item = QListWidgetItem(page_title(name))
            item.setData(Qt.ItemDataRole.UserRole, name)
            self.list.addItem(item)
        self.list.blockSignals(False)
        if self.list.count():
            self.list.setCurrentRow(0)

    @Slot(QListWidgetItem, QListWidgetItem)
    def _choose(self, item: QListWidgetItem | None, _before: QListWidgetItem | None) -> None:
        if item is not None:
            self.show_page(item.data(Qt.ItemDataRole.UserRole))

    @Slot(QUrl)
    def _follow(self, link: QUrl) -> None:
        name = Path(link.path()).stem
        if link.isRelative() and name in PAGES:
            self.search.clear()
            self.show_page(name)
        elif link.scheme() in ("http", "https"):
            QDesktopServices.openUrl(link)

    @Slot()
    def _again(self) -> None:
        self.show_page(self.page)

    def _mark(self, words: str) -> None:
        """Goes to where the first of the words stands."""
        first = next(iter(words.split()), "")
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        if first:
            self.text.find(first)


class _Page(QTextBrowser):
    """Draws the machine of a template where a page names it: `machine:six-rtx-3090-quiet`."""

    def __init__(self, find_part: FindPart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._find_part = find_part
        self._drawn: dict[tuple[str, bool], QImage] = {}
        self.setOpenLinks(False)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """A picture of a template's machine in the colours of the theme; nothing is read from elsewhere."""
        address = QUrl(name)
        if kind == QTextDocument.ResourceType.ImageResource.value and address.scheme() == "machine":
            return self._machine(address.path())
        return None

    def _machine(self, template: str) -> QImage:
        key = (template, theme().dark)
        if key not in self._drawn:
            self._drawn[key] = self._draw(template)
        return self._drawn[key]

    def _draw(self, template: str) -> QImage:
        path = TEMPLATES / f"{template}.rig.json"
        try:
            scene = scene_of(Assessment(load_build(path, self._find_part)), View.SIDE)
        except RigwrightError:
            return QImage()
        size = QSize(PICTURE_WIDTH, round(PICTURE_WIDTH * scene.height_mm / scene.width_mm))
        picture = QImage(size, QImage.Format.Format_ARGB32)
        painter = QPainter(picture)
        QSvgRenderer(QByteArray(draw(scene, DARK if theme().dark else LIGHT).encode())).render(painter)
        painter.end()
        return picture
