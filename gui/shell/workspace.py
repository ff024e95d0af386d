"""What a window works with: the open build, the catalogue, the Plan page, and what the actions of the menus do.

It comes with parts, rules and predictions, so the window makes it once it has been painted: `MainWindow.workspace`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow

from core.plan.file import dump_build
from core.platform.errors import RigwrightError
from core.words import joined, tr, trn
from gui.parts.catalogue_connection import CatalogueConnection
from gui.parts.parts_actions import PartsActions
from gui.planner.build_files import BuildFiles, MachineBuild
from gui.planner.document import PlanDocument
from gui.planner.page import PlanPage
from gui.settings import Settings
from gui.share.share_actions import ShareActions
from gui.shell.beginnings import Beginnings
from gui.shell.menus import Menus, StatusBar
from gui.shell.pages import BURNIN, PLAN, Pages
from gui.shell.recovery import Recovery, UnsavedWork
from gui.widgets import messages

if TYPE_CHECKING:
    from gui.burnin.run.attendance import RunAttendance


class Workspace(QObject):
    """Belongs to a window, whose menus, pages and status bar it brings to life."""

    def __init__(
        self, window: QMainWindow, menus: Menus, pages: Pages, status: StatusBar, settings: Settings, data_dir: Path
    ) -> None:
        super().__init__(window)
        self._window, self._menus, self._pages, self._status = window, menus, pages, status
        self._settings, self._data_dir = settings, data_dir
        self._file_to_open: Path | None = None
        self.connection = CatalogueConnection(data_dir, window)
        self.document = PlanDocument(
            self.connection.find_part, window, conditions=settings.conditions, guide_for=self.connection.price_guide
        )
        self.recovery = Recovery(data_dir, self.document)
        self.recovery.failed.connect(self._tell)
        self.files = BuildFiles(self.document, settings, window)
        self.files.begin_empty()
        self.machine_build = MachineBuild(self.files, data_dir, window)
        self.plan = PlanPage(self.document, self.connection, pages.start_page)
        for name, splitter in self.plan.splitters().items():
            splitter.restoreState(settings.layout(name))
        self.parts_actions = PartsActions(window, self.connection, self.document, self.plan)
        self.share = ShareActions(window, self.connection, self.document, self.files)
        self.beginnings = Beginnings(window, settings, self.files, menus, pages, self.plan)
        self.attendance: RunAttendance | None = None
        self._connect()
        self._connect_actions()
        pages.show_plan(self.plan)
        self._show_title()

    # -- start and end --------------------------------------------------------------------------------------------

    def begin(self, file: Path | None) -> None:
        """Offers unsaved work, opens the file that was asked for, then reads the catalogue."""
        self._file_to_open = file
        self._offer_recovery()
        self._tell_damage()
        self.recovery.start()
        self.beginnings.open_at_start(file)
        self.connection.prepare()
        self._pages.make_soon()

    def keep_unsaved(self) -> None:
        """Leaves the work, with what is being typed, in its recovery copy: for an end without a question."""
        self.plan.commit_typing()
        self.recovery.write()

    def may_close(self) -> bool:
        """Asks about a run that goes on, then about unsaved work."""
        return self._may_leave_run() and self.files.may_replace()

    def close(self) -> None:
        """Ends for good, with the work saved or given up; keeps how the pages are laid out."""
        self.recovery.stop()
        if self._pages.runs is not None:
            self._pages.runs.finish_deletions()
        for name, splitter in self.plan.splitters().items():
            self._settings.set_layout(name, splitter.saveState())
        if self._pages.predictions is not None:
            self._settings.set_layout("predictions", self._pages.predictions.split.saveState())
        self.connection.close()

    # -- actions --------------------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Opens a build file on the Plan page."""
        self._pages.setCurrentIndex(PLAN)
        self.files.open(path)

    @Slot()
    def find_part(self) -> None:
        """Goes to the search field, for all categories."""
        self._pages.setCurrentIndex(PLAN)
        self.plan.parts.search_all()

    @Slot()
    def show_machine(self) -> None:
        """The picture of the machine on the Plan page, or the board again."""
        self._pages.setCurrentIndex(PLAN)
        self.plan.toggle_machine()

    @Slot()
    def export(self) -> None:
        """Writes the report of the build."""
        from gui.share.report_export import export_build, written_words

        self.plan.commit_typing()
        assessment = self.document.assessment

        def on_written(path: Path) -> None:
            self.parts_actions.say(written_words(assessment.build.name, path))

        export_build(self._window, assessment, self.document.suggested_file_name(), on_written=on_written)

    # -- inside ---------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._menus.undo_group.addStack(self.document.undo_stack)
        self._menus.undo_group.setActiveStack(self.document.undo_stack)
        for speaker in (self.share, self.files):
            speaker.message.connect(self.parts_actions.say)
        self.files.before_asking.connect(self.plan.commit_typing)
        self.document.title_changed.connect(self._show_title)
        self.document.conditions_changed.connect(self._keep_room)
        self.connection.ready.connect(self.document.follow_prices)
        self.connection.changed.connect(self.document.follow_prices)
        self.plan.prediction_wanted.connect(self._pages.show_prediction)
        self._pages.predictions_made.connect(self._connect_predictions)
        self._pages.burnin_made.connect(self._connect_burnin)

    def _connect_actions(self) -> None:
        act = self._menus.actions
        act["from_machine"].triggered.connect(self.machine_build.begin)
        act["from_texts"].triggered.connect(self.machine_build.begin_from_texts)
        act["open"].triggered.connect(self.files.ask_and_open)
        act["save"].triggered.connect(self.files.save)
        act["save_as"].triggered.connect(self.files.save_as)
        act["export"].triggered.connect(self.export)
        act["find"].triggered.connect(self.find_part)
        act["arrange"].triggered.connect(self.plan.arrange_cards)
        act["site"].triggered.connect(self.plan.details.open_site)
        act["budget"].triggered.connect(self.plan.details.open_budget)
        act["machine"].triggered.connect(self.show_machine)
        act["predictions"].triggered.connect(self._pages.show_predictions)
        act["calibrate"].triggered.connect(self._pages.show_calibration)
        self.parts_actions.connect_actions(act)
        self.share.connect_actions(act)
        self.beginnings.connect_actions()

    def _offer_recovery(self) -> None:
        """Every copy that earlier runs left, the newest first, until one is restored; the others are kept."""
        left = self.recovery.left_behind()
        while left:
            work = left.pop(0)
            answer = self._whether_to_restore(work, len(left))
            if answer == "discard":
                self.recovery.settle(work)
                continue
            if answer == messages.CANCEL:
                self.recovery.put_off(work)
                continue
            for other in left:
                self.recovery.put_off(other)
            try:
                self.recovery.take_up(work)
            except RigwrightError as error:
                messages.show_error(self._window, error)
                self.recovery.give_aside(work.copy)
            return

    def _whether_to_restore(self, work: UnsavedWork, others: int) -> str:
        question = tr(
            "Rigwright ended without saving {name}, last changed {when}. Restore it?",
            name=work.name,
            when=f"{work.changed_at:%Y-%m-%d %H:%M}",
        )
        detail: str = tr("Cancel asks again at the next start.")
        if others:
            older = trn(
                "{count} older copy is offered next, or at the next start if you restore this one.",
                "{count} older copies are offered next, or at the next start if you restore this one.",
                count=others,
            )
            detail = joined([detail, older])
        return messages.ask(self._window, question, detail, [("restore", tr("Restore")), ("discard", tr("Discard"))])

    def _tell_damage(self) -> None:
        """Once, since what was damaged is kept aside."""
        from core.burnin.references import read_own_references  # here, since the window opens without

        _, references = read_own_references(self._data_dir)
        for sentence in (self._settings.damage, self.recovery.damage, references):
            if sentence:
                messages.tell(self._window, sentence)

    @Slot(str)
    def _tell(self, sentence: str) -> None:
        messages.tell(self._window, sentence)

    def _may_leave_run(self) -> bool:
        page = self._pages.burnin
        if page is None or page.active_run() is None:
            return True
        answer = messages.ask(
            self._window,
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
        from gui.burnin.run.attendance import RunAttendance  # here, since the window opens without

        burnin = self._pages.require_burnin()
        burnin.set_build_source(self._build_text)
        burnin.run_state_changed.connect(self._status.set_run_state)
        burnin.devices_changed.connect(self._status.set_devices)
        self.attendance = RunAttendance(self._window, burnin, self._settings, self._data_dir)
        self._menus.menus["run"].addActions([*burnin.run_actions(), *self.attendance.actions()])
        self.attendance.progress_changed.connect(self._show_title)
        if self._file_to_open is None and self.attendance.take_up():
            self._pages.setCurrentIndex(BURNIN)

    def _build_text(self) -> str | None:
        """The plan that a run is compared with; None while there is none."""
        self.plan.commit_typing()
        return dump_build(self.document.build) if self.document.build.lines else None

    @Slot()
    def _connect_predictions(self) -> None:
        page = self._pages.require_predictions()
        page.split.restoreState(self._settings.layout("predictions"))
        page.figure_wanted.connect(self.parts_actions.enter_figure)

    @Slot()
    def _show_title(self) -> None:
        progress = self.attendance.progress if self.attendance else ""
        self._window.setWindowTitle(f"{progress}{self.document.label}[*] - Rigwright")
        self._window.setWindowModified(self.document.dirty)

    @Slot()
    def _keep_room(self) -> None:
        self._settings.conditions = self.document.conditions
