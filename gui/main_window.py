"""The main window: pages, menus, status bar, and what happens when it is closed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QUrl, Slot
from PySide6.QtGui import QCloseEvent, QDesktopServices, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QToolBar, QWidget

from core.build.file import dump_build
from core.build.file_name import SUFFIX
from core.errors import RigwrightError
from core.language import tr
from gui.actions import colour_actions
from gui.background import soon
from gui.beginnings import Beginnings
from gui.build_files import BuildFiles
from gui.catalogue_connection import CatalogueConnection
from gui.guide.context import page_of
from gui.machine_build import MachineBuild
from gui.menus import Menus
from gui.pages import BURNIN, PLAN, Pages
from gui.parts.fronts import open_dialog
from gui.parts.parts_actions import PartsActions
from gui.planner.document import PlanDocument
from gui.planner.page import PlanPage
from gui.recovery import Recovery
from gui.settings import Settings
from gui.share.share_actions import ShareActions
from gui.status_bar import StatusBar
from gui.theme import theme
from gui.widgets import messages

if TYPE_CHECKING:
    from gui.run_attendance import RunAttendance


LEAST = QSize(640, 400)
"""Pages scroll in a window that is too small for them."""


class MainWindow(QMainWindow):
    """One window on one data folder."""

    def __init__(self, data_dir: Path, parent: QWidget | None = None, settings: Settings | None = None) -> None:
        super().__init__(parent)
        self.data_dir = data_dir
        self.settings = settings or Settings(data_dir)
        self.connection = CatalogueConnection(data_dir, self)
        self.document = PlanDocument(
            self.connection.find_part,
            self,
            conditions=self.settings.conditions,
            guide_for=self.connection.price_guide,
        )
        self.recovery = Recovery(data_dir, self.document)
        self.files = BuildFiles(self.document, self.settings, self)
        self.files.begin_empty()
        self.machine_build = MachineBuild(self.files, data_dir, self)
        self.plan = PlanPage(self.document, self.connection, self)
        self.pages = Pages(self.plan, data_dir, self)
        self.menus = Menus(self, self.files, self.settings)
        self.status = StatusBar(self)
        self.parts_actions = PartsActions(self, self.connection, self.document, self.plan)
        self.share = ShareActions(self, self.connection, self.document, self.files)
        self.beginnings = Beginnings(self, self.settings, self.files, self.pages, self.plan, self.parts_actions)
        self.attendance: RunAttendance | None = None
        self._painted = False
        self._file_to_open: Path | None = None
        self.setObjectName("main")
        self.setAcceptDrops(True)
        self.setMinimumSize(LEAST)
        self.setCentralWidget(self.pages)
        self.setStatusBar(self.status)
        self._connect()
        self._restore()
        self._show_title()

    # -- what others ask ------------------------------------------------------------------------------------------

    def open_at_start(self, path: Path | None) -> None:
        """Opens a file once the window stands; after the offer to recover unsaved work."""
        self._file_to_open = path

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
        self.pages.setCurrentIndex(PLAN)
        self.files.open(path)

    @Slot(str, bool)
    def set_run_state(self, text: str, active: bool) -> None:
        """Says in the status bar what the run does, and whether it is recorded."""
        self.status.set_run_state(text, active)

    def keep_unsaved(self) -> None:
        """Leaves the work, with what is being typed, in its recovery copy: for an end without a question."""
        self.plan.commit_typing()
        self.recovery.write()

    # -- events ---------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """The first time, everything that may wait begins after the window has been painted."""
        super().showEvent(event)
        if not self._painted:
            self._painted = True
            self.plan.parts.search.setFocus()
            soon(self, self._after_first_paint)

    def changeEvent(self, event: QEvent) -> None:
        """Keeps the check mark of full screen true."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.menus.actions["full_screen"].setChecked(self.isFullScreen())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Asks about a run that goes on, then about unsaved work."""
        if not (self._may_leave_run() and self.files.may_replace()):
            event.ignore()
            return
        self.recovery.stop()
        if self.pages.runs is not None:
            self.pages.runs.finish_deletions()
        self._keep()
        self.connection.close()
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

    @Slot()
    def find_part(self) -> None:
        """Goes to the search field."""
        self.pages.setCurrentIndex(PLAN)
        self.plan.parts.focus_search()

    @Slot()
    def show_machine(self) -> None:
        """The picture of the machine on the Plan page, or the board again."""
        self.pages.setCurrentIndex(PLAN)
        self.plan.toggle_machine()

    @Slot()
    def export(self) -> None:
        """Writes the report of the build."""
        from gui.report_export import export_build, written_words

        self.plan.commit_typing()
        known = self.document.assessment

        def told(path: Path) -> None:
            self.parts_actions.say(written_words(known.build.name, path))

        export_build(self, known, self.document.suggested_file_name(), told=told)

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
    def show_commands(self) -> None:
        """Every command by its letters."""
        from gui.guide.command_palette import CommandPalette

        open_dialog(CommandPalette(self.menuBar(), self))

    # -- inside ---------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        act = self.menus.actions
        stack = self.document.undo_stack
        undo = stack.createUndoAction(self, tr("&Undo"))
        redo = stack.createRedoAction(self, tr("&Redo"))
        act |= {"undo": undo, "redo": redo}
        self.menus.fill(undo, redo)
        act["from_machine"].triggered.connect(self.machine_build.begin)
        act["open"].triggered.connect(self.files.ask_and_open)
        act["save"].triggered.connect(self.files.save)
        act["save_as"].triggered.connect(self.files.save_as)
        act["export"].triggered.connect(self.export)
        act["quit"].triggered.connect(self.close)
        act["find"].triggered.connect(self.find_part)
        act["arrange"].triggered.connect(self.plan.arrange_cards)
        act["site"].triggered.connect(self.plan.details.open_site)
        act["machine"].triggered.connect(self.show_machine)
        act["predictions"].triggered.connect(self.pages.show_predictions)
        act["calibrate"].triggered.connect(self.pages.show_calibration)
        act["next_page"].triggered.connect(self._next_page)
        act["previous_page"].triggered.connect(self._previous_page)
        act["full_screen"].triggered.connect(self.show_full_screen)
        act["manual"].triggered.connect(self.show_manual)
        act["palette"].triggered.connect(self.show_commands)
        act["shortcuts"].triggered.connect(self.show_shortcuts)
        act["data_folder"].triggered.connect(self.open_data_folder)
        act["about"].triggered.connect(self.about)
        self.parts_actions.connect_actions(act)
        self.share.connect_actions(act)
        self.beginnings.connect_actions(act)
        for speaker in (self.share, self.files):
            speaker.said.connect(self.parts_actions.say)
        self.pages.setCornerWidget(self._corner())
        self.files.before_asking.connect(self.plan.commit_typing)
        self.document.title_changed.connect(self._show_title)
        self.document.conditions_changed.connect(self._keep_room)
        self.connection.ready.connect(self.document.follow_prices)
        self.connection.changed.connect(self.document.follow_prices)
        self.plan.prediction_wanted.connect(self.pages.show_prediction)
        self.pages.predictions_made.connect(self._connect_predictions)
        self.pages.burnin_made.connect(self._connect_burnin)
        theme().changed.connect(self._recolour)

    def _corner(self) -> QToolBar:
        bar = QToolBar(tr("Often used"), self)
        bar.setIconSize(QSize(18, 18))
        bar.addActions([self.menus.actions[name] for name in ("undo", "redo", "save", "export")])
        return bar

    @Slot()
    def _after_first_paint(self) -> None:
        self._recolour()
        self._offer_recovery()
        self._tell_damage()
        self.recovery.start()
        self.beginnings.open_at_start(self._file_to_open)
        self.connection.prepare()
        self.pages.make_soon()

    def _offer_recovery(self) -> None:
        work = self.recovery.left_behind()
        if work is None:
            return
        question = tr("Rigwright ended without saving {name}. Restore it?", name=work.name)
        choices = [("restore", tr("Restore")), ("discard", tr("Discard"))]
        answer = messages.ask(self, question, tr("Cancel asks again at the next start."), choices)
        if answer == messages.CANCEL:
            self.recovery.put_off()
            return
        if answer == "restore":
            try:
                self.document.recover(work.text, work.path)
            except RigwrightError as error:
                messages.show_error(self, error)
                self.recovery.damage = self.recovery.give_aside()
                return
        self.recovery.settle()

    def _tell_damage(self) -> None:
        """Once, since what was damaged is kept aside."""
        from core.burnin.references import read_own_references  # here, since the window opens without

        _, references = read_own_references(self.data_dir)
        for sentence in (self.settings.damage, self.recovery.damage, references):
            if sentence:
                messages.tell(self, sentence)

    def _may_leave_run(self) -> bool:
        page = self.pages.burnin
        if page is None or page.active_run() is None:
            return True
        answer = messages.ask(
            self,
            tr("A burn-in is running."),
            tr(
                "It can continue without this window, under its own guards; Rigwright shows it again at its next start."
            ),
            [("keep", tr("Keep running")), ("stop", tr("Stop and close"))],
        )
        if answer == "stop":
            page.stop_now()
        return answer != messages.CANCEL

    @Slot()
    def _connect_burnin(self) -> None:
        from gui.run_attendance import RunAttendance  # here, since the window opens without

        burnin = self.pages.require_burnin()
        burnin.set_build_source(self._build_text)
        burnin.run_state_changed.connect(self.set_run_state)
        burnin.devices_changed.connect(self.status.set_devices)
        self.attendance = RunAttendance(self, burnin, self.settings, self.data_dir)
        self.menus.menus["run"].addActions([*burnin.run_actions(), *self.attendance.actions()])
        self.attendance.progress_changed.connect(self._show_title)
        if self._file_to_open is None and self.attendance.take_up():
            self.pages.setCurrentIndex(BURNIN)

    def _build_text(self) -> str | None:
        """The plan that a run is compared with; None while there is none."""
        self.plan.commit_typing()
        return dump_build(self.document.build) if self.document.build.lines else None

    @Slot()
    def _connect_predictions(self) -> None:
        page = self.pages.require_predictions()
        page.split.restoreState(self.settings.layout("predictions"))
        page.figure_wanted.connect(self.parts_actions.enter_figure)

    @Slot()
    def _next_page(self) -> None:
        self.pages.turn(1)

    @Slot()
    def _previous_page(self) -> None:
        self.pages.turn(-1)

    @Slot()
    def _show_title(self) -> None:
        progress = self.attendance.progress if self.attendance else ""
        self.setWindowTitle(f"{progress}{self.document.label}[*] - Rigwright")
        self.setWindowModified(self.document.dirty)

    @Slot()
    def _keep_room(self) -> None:
        self.settings.conditions = self.document.conditions

    @Slot()
    def _recolour(self) -> None:
        colour_actions(self.menus.actions)
        for name in ("undo", "redo"):
            self.menus.actions[name].setIcon(theme().icon(name))

    def _restore(self) -> None:
        if not self.restoreGeometry(self.settings.layout("window")):
            self.resize(QSize(1280, 800).boundedTo(self.screen().availableSize()))
        for name, splitter in self.plan.splitters().items():
            splitter.restoreState(self.settings.layout(name))

    def _keep(self) -> None:
        self.settings.set_layout("window", self.saveGeometry())
        for name, splitter in self.plan.splitters().items():
            self.settings.set_layout(name, splitter.saveState())
        if self.pages.predictions is not None:
            self.settings.set_layout("predictions", self.pages.predictions.split.saveState())
        self.settings.flush()


def _build_file(event: QDragEnterEvent | QDropEvent) -> Path | None:
    names = [url.toLocalFile() for url in event.mimeData().urls()]
    return Path(names[0]) if len(names) == 1 and names[0].endswith((SUFFIX, ".json")) else None
