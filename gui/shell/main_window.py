"""The main window: the frame of menus, pages and status bar, painted first, and what happens when it is closed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QUrl, Slot
from PySide6.QtGui import QCloseEvent, QDesktopServices, QDragEnterEvent, QDropEvent, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QToolBar, QWidget

from core.plan.file_name import SUFFIX
from core.words import tr
from gui.guide.start_page import STEPS
from gui.planner.frame import PlanFrame
from gui.settings import Settings, preferred_file, read_preferences
from gui.shell.menus import Menus, StatusBar
from gui.shell.pages import Pages
from gui.widgets.background import call_later
from gui.widgets.context import page_of
from gui.widgets.messages import open_dialog

if TYPE_CHECKING:
    from gui.parts.catalogue_connection import CatalogueConnection
    from gui.planner.document import PlanDocument
    from gui.planner.page import PlanPage
    from gui.shell.workspace import Workspace


LEAST = QSize(640, 400)
"""Pages scroll in a window that is too small for them."""


class MainWindow(QMainWindow):
    """One window on one data folder."""

    def __init__(self, data_dir: Path, parent: QWidget | None = None, settings: Settings | None = None) -> None:
        super().__init__(parent)
        self.data_dir = data_dir
        self.settings = settings or Settings(data_dir)
        self.menus = Menus(self, self.settings)
        frame = PlanFrame(self.settings.layout("plan"), read_preferences(self.settings).region)
        self.pages = Pages(frame, data_dir, self)
        self.status = StatusBar(self)
        self._workspace: Workspace | None = None
        self._painted = False
        self._file_to_open: Path | None = None
        self.setObjectName("main")
        self.setAcceptDrops(True)
        self.setMinimumSize(LEAST)
        self.setCentralWidget(self.pages)
        self.setStatusBar(self.status)
        self.setWindowTitle(tr("New build") + "[*] - Rigwright")
        self._fill_frame()
        if not self.restoreGeometry(self.settings.layout("window")):
            self.resize(QSize(1280, 800).boundedTo(self.screen().availableSize()))

    # -- what it works with ---------------------------------------------------------------------------------------

    @property
    def workspace(self) -> Workspace:
        """What the window works with: made right after it has been painted, or when first asked for."""
        if self._workspace is None:
            from gui.shell.workspace import Workspace  # here, since the window is painted without

            self._workspace = Workspace(self, self.menus, self.pages, self.status, self.settings, self.data_dir)
        return self._workspace

    @property
    def document(self) -> PlanDocument:
        """The open build."""
        return self.workspace.document

    @property
    def connection(self) -> CatalogueConnection:
        """The parts."""
        return self.workspace.connection

    @property
    def plan(self) -> PlanPage:
        """The Plan page."""
        return self.workspace.plan

    # -- what others ask ------------------------------------------------------------------------------------------

    def open_at_start(self, path: Path | None) -> None:
        """Opens a file once the window stands; after the offer to recover unsaved work.

        The start page is not seen before a file is opened.
        """
        self._file_to_open = path
        self.pages.start_page.setVisible((path or preferred_file(self.settings)) is None)

    @Slot(object)
    def open_and_raise(self, path: Path | None) -> None:
        """Comes to the front, for a second start; opens its file."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        if path is not None:
            self.open(path)

    def open(self, path: Path) -> None:
        """Opens a build file on the Plan page."""
        self.workspace.open(path)

    def keep_unsaved(self) -> None:
        """Leaves the work, with what is being typed, in its recovery copy: for an end without a question."""
        if self._workspace is not None:
            self._workspace.keep_unsaved()

    @property
    def starts_again(self) -> bool:
        """Whether it was closed for a start in another language."""
        return self._workspace is not None and self._workspace.beginnings.starts_again

    # -- events ---------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Everything that may wait begins after the first one."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            call_later(self, self._after_first_paint)

    def changeEvent(self, event: QEvent) -> None:
        """Keeps the check mark of full screen true."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.menus.actions["full_screen"].setChecked(self.isFullScreen())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Asks about a run that goes on, then about unsaved work."""
        if self._workspace is not None:
            if not self._workspace.may_close():
                event.ignore()
                return
            self._workspace.close()
        self.settings.set_layout("window", self.saveGeometry())
        self.settings.flush()
        event.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Takes build files."""
        if _build_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Opens the dropped build file."""
        path = _build_file(event)
        if path is not None:
            event.acceptProposedAction()
            self.open(path)

    # -- actions --------------------------------------------------------------------------------------------------

    @Slot(bool)
    def show_full_screen(self, on: bool) -> None:
        """Fills the screen, or goes back."""
        if on:
            self.showFullScreen()
        else:
            self.showNormal()

    @Slot()
    def open_data_folder(self) -> None:
        """Shows the folder of databases and logs."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.data_dir)))

    @Slot()
    def about(self) -> None:
        """Version, purpose, licences."""
        from gui.guide.about import About

        open_dialog(About(self.data_dir, self))

    @Slot()
    def show_manual(self) -> None:
        """The page about what the user is at."""
        focus = self.focusWidget()
        page = self.pages.currentWidget()
        inside = focus if focus is not None and page.isAncestorOf(focus) else page
        self.open_manual(page_of(inside), self)

    def open_manual(self, page: str, before: QWidget) -> None:
        """The manual at a page; it stays open beside `before` while one works on."""
        from gui.guide.manual import Manual

        manual = next(iter(before.findChildren(Manual)), None) or Manual(self.connection.find_part, page, before)
        manual.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        manual.show_page(page)
        manual.show()
        manual.raise_()

    @Slot()
    def show_shortcuts(self) -> None:
        """All commands that have a key."""
        from gui.guide.about import shortcuts

        open_dialog(shortcuts(self.menuBar(), self))

    @Slot()
    def read_kernel_log(self) -> None:
        """What a log of the user's choice blames."""
        from gui.guide.kernel_log import ask_for_log

        ask_for_log(self)

    @Slot()
    def show_commands(self) -> None:
        """Every command by its letters."""
        from gui.guide.command_palette import CommandPalette

        open_dialog(CommandPalette(self.menuBar(), self))

    # -- inside ---------------------------------------------------------------------------------------------------

    def _fill_frame(self) -> None:
        act = self.menus.actions
        act["quit"].triggered.connect(self.close)
        act["next_page"].triggered.connect(partial(self.pages.turn, 1))
        act["previous_page"].triggered.connect(partial(self.pages.turn, -1))
        act["full_screen"].triggered.connect(self.show_full_screen)
        act["manual"].triggered.connect(self.show_manual)
        act["palette"].triggered.connect(self.show_commands)
        act["kernel_log"].triggered.connect(self.read_kernel_log)
        act["shortcuts"].triggered.connect(self.show_shortcuts)
        act["data_folder"].triggered.connect(self.open_data_folder)
        act["about"].triggered.connect(self.about)
        self.pages.start_page.add_actions([act[name] for name in STEPS])
        self.pages.start_page.show_recent(self.settings.recent_files())
        self.pages.setCornerWidget(self._corner())

    def _corner(self) -> QToolBar:
        bar = QToolBar(tr("Often used"), self)
        bar.setIconSize(QSize(18, 18))
        bar.addActions([self.menus.actions[name] for name in ("undo", "redo", "save", "export")])
        return bar

    @Slot()
    def _after_first_paint(self) -> None:
        self.plan.parts.search.setFocus()
        self.workspace.begin(self._file_to_open)


def _build_file(event: QDragEnterEvent | QDropEvent) -> Path | None:
    names = [url.toLocalFile() for url in event.mimeData().urls()]
    return Path(names[0]) if len(names) == 1 and names[0].endswith((SUFFIX, ".json")) else None
