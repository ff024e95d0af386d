"""How one begins: the start page, what a new build and the window open with, preferences, and a tour to try."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow, QWidget

from core.plan.templates import Template
from core.platform.errors import reason_of
from core.words import kept_language, tr
from gui.planner.build_files import BuildFiles
from gui.planner.page import PlanPage
from gui.settings import Preferences, Settings, preferred_file, read_preferences, use_preferences
from gui.shell.menus import Menus
from gui.shell.pages import BURNIN, PLAN, RUNS, Pages
from gui.widgets import messages
from gui.widgets.messages import open_dialog

if TYPE_CHECKING:
    from gui.burnin.run.tour import Tour


class Beginnings(QObject):
    """Belongs to a window."""

    def __init__(
        self, window: QMainWindow, settings: Settings, files: BuildFiles, menus: Menus, pages: Pages, plan: PlanPage
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._files = window, settings, files
        self._menus, self._pages, self._plan = menus, pages, plan
        self.tour: Tour | None = None
        """While one goes on."""
        self.starts_again = False
        """Whether the window was closed for a start in another language."""

    def connect_actions(self) -> None:
        """Gives the actions and the start page their work."""
        actions = self._menus.actions
        actions["new"].triggered.connect(self.new)
        actions["preferences"].triggered.connect(self.open_preferences)
        actions["tour"].triggered.connect(self.prepare_tour)
        for offer in (self._plan.first_steps, self._menus):
            offer.template_wanted.connect(self._open_template)
            offer.build_wanted.connect(self._open_build)
        self._files.recent_changed.connect(self._show_recent)

    def open_at_start(self, file: Path | None) -> None:
        """A file that was asked for, else what is preferred, unless unsaved work was taken up."""
        if file is None and self._files.untouched:
            file = preferred_file(self._settings)
        if file is not None:
            self._files.open(file)

    @Slot()
    def new(self) -> None:
        """An empty build; the first part can be typed at once."""
        if self._files.new():
            self._pages.setCurrentIndex(PLAN)
            self._plan.parts.focus_search()

    @Slot()
    def open_preferences(self) -> None:
        """What the user prefers in general."""
        from gui.shell.preferences_dialog import PreferencesDialog

        before = read_preferences(self._settings)
        dialog = PreferencesDialog(before, self._window)
        dialog.changed.connect(self._use)
        dialog.accepted.connect(lambda: self._offer_start(before))
        dialog.money_wanted.connect(self._menus.actions["money"].trigger)
        open_dialog(dialog)

    @Slot()
    def prepare_tour(self) -> None:
        """Four simulated cards, one of which will fail: everything is set, the user starts it and is guided on."""
        page = self._pages.require_burnin()
        from gui.burnin.run.tour import EXAMPLE, prepare_tour  # here, since the window opens without

        if self.tour is not None:
            self.tour.leave()
        self._pages.setCurrentIndex(BURNIN)
        self.tour = prepare_tour(page, self._plan.document.read(EXAMPLE), self._show_runs, self._certificate_of)
        if self.tour is not None:
            self.tour.ended.connect(self._tour_ended)

    @Slot()
    def _tour_ended(self) -> None:
        self.tour = None

    def _show_runs(self) -> None:
        self._pages.setCurrentIndex(RUNS)

    def _certificate_of(self, run_id: int) -> QWidget | None:
        """Chooses the run once it is in the list; its certificate is then the button beside."""
        runs = self._pages.runs
        if runs is None or not runs.isVisible():
            return None
        if runs.selected_run() != run_id:
            runs.select_run(run_id)
        return runs.certificate

    @Slot(object)
    def _use(self, preferences: Preferences) -> None:
        untouched = self._files.untouched
        try:
            use_preferences(self._settings, preferences)
        except OSError as error:
            messages.tell(self._window, tr("The language cannot be saved: {reason}.", reason=reason_of(error)))
        if untouched:
            self._files.begin_empty()

    def _offer_start(self, before: Preferences) -> None:
        """The window that is open keeps its words and units: others need a new start."""
        if kept_language() != before.language:
            question = tr("The language changes after a restart. Restart now?")
        elif self._settings.units != before.units:
            question = tr("The units change after a restart. Restart now?")
        else:
            return
        detail = tr("The open build will be reopened.")
        if messages.ask(self._window, question, detail, [("again", tr("Restart"))]) == "again":
            self.starts_again = self._window.close()

    @Slot(object)
    def _open_template(self, template: Template) -> None:
        self._files.open_template(template.path)

    @Slot(object)
    def _open_build(self, path: Path) -> None:
        self._files.open(path)

    @Slot()
    def _show_recent(self) -> None:
        self._plan.first_steps.show_recent(self._settings.recent_files())
        self._menus.refresh_recent()
