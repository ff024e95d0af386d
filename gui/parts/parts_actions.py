"""What the menu of parts does: each action opens its view, or asks and acts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import date

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from core.parts.entered import figure_of
from core.parts.own import correction
from core.parts.part import Origin, Part
from core.parts.vocabulary import Category
from core.plan.edits import SetLines
from core.plan.file import FindPart
from core.plan.line import Line, is_card
from core.platform.errors import RigwrightError
from core.words import tr, visible
from core.words.measures import read_figure
from core.words.units import unit_of
from gui.parts.catalogue_connection import CatalogueConnection
from gui.parts.part_files import CatalogueFiles
from gui.planner.document import PlanDocument
from gui.planner.page import PlanPage
from gui.widgets import messages
from gui.widgets.messages import front, open_dialog
from gui.widgets.units import units


def bring_up_to_date(document: PlanDocument, find: FindPart, title: str, only: Collection[str] | None = None) -> int:
    """Puts the catalogue's parts in the place of the plan's, all or `only` these ids; how many lines differ then.

    Parts that the catalogue does not have stay as the plan carries them. Raises RigwrightError.
    """
    before = document.build
    lines = tuple(_renewed(line, find) if only is None or line.part.id in only else line for line in before.lines)
    differing = sum(old != new for old, new in zip(before.lines, lines, strict=True))
    if differing:
        document.edit(SetLines(title, lines))
    return differing


def _renewed(line: Line, find: FindPart) -> Line:
    part = find(line.part.id)
    if part is None or part.category is not line.part.category or part == line.part:
        return line
    return replace(line, part=part, slots=line.slots if is_card(part) else ())


SAID_MS = 10_000


class PartsActions(QObject):
    """Dialogs are loaded when first asked for; after each change the panel and the open plan follow."""

    def __init__(
        self, window: QMainWindow, connection: CatalogueConnection, document: PlanDocument, plan: PlanPage
    ) -> None:
        super().__init__(window)
        self._window = window
        self._connection = connection
        self._document = document
        self._plan = plan
        self.files = CatalogueFiles(window, connection, self)
        self.files.message.connect(self.say)
        self.files.changed.connect(self.take_in)
        connection.changed.connect(plan.parts.refresh)
        plan.parts.correction_wanted.connect(self.correct)
        plan.unchecked.figure_wanted.connect(self.enter_figure)
        plan.findings.figures.editor_wanted.connect(self.enter_figure)
        plan.findings.figures.entered.connect(self.store_figure)

    def connect_actions(self, actions: dict[str, QAction]) -> None:
        """Gives the actions of the menu their work."""
        for name, slot in (
            ("import_parts", self.files.import_data_set),
            ("forget_import", self.files.remove_imported),
            ("left_out", self.files.show_left_out),
            ("new_part", self.new_part),
            ("correct_part", self.correct_chosen),
            ("remove_own", self.remove_chosen),
            ("own_parts", self.show_own_parts),
            ("refresh_plan", self.refresh_plan),
            ("export_own", self.files.export_own),
            ("import_own", self.files.import_own),
            ("export_prices", self.files.export_prices),
            ("import_prices", self.files.import_prices),
            ("update_prices", self.files.update_prices),
            ("money", self.show_money),
            ("coverage", self.show_coverage),
        ):
            actions[name].triggered.connect(slot)

    # -- single parts ---------------------------------------------------------------------------------------------

    @Slot()
    def new_part(self) -> None:
        """Opens the editor for a part of one's own, of the category that is chosen in the list."""
        self._edit(None, self._chosen_category())

    @Slot()
    def correct_chosen(self) -> None:
        """Opens the editor for the part that is chosen in the list or, with the focus there, in the plan."""
        part_id = self._chosen()
        if part_id is not None:
            self.correct(part_id)

    @Slot(str)
    def correct(self, part_id: str) -> None:
        """Opens the editor for a part of the catalogue, or of the plan if the catalogue does not know it."""
        self.enter_figure(part_id, "")

    @Slot(str, str)
    def enter_figure(self, part_id: str, field: str) -> None:
        """Opens the editor for a part, at one of its figures if one is named."""
        try:
            part = self._connection.find_part(part_id)
        except RigwrightError as error:
            messages.show_error(self._window, error)
            return
        line = self._document.build.line(part_id)
        part = part or (line.part if line is not None else None)
        if part is not None:
            self._edit(part, part.category, field)

    @Slot(str, str, str)
    def store_figure(self, part_id: str, field: str, text: str) -> None:
        """Stores a figure of the user's own, as typed; undo takes it out of the plan."""
        try:
            part = self._connection.catalogue().require(part_id)
            if unit := unit_of(field):
                text = f"{read_figure(text, unit, units()):.10g}"
            value = figure_of(part.category, field, text)
            self._connection.catalogue().correct({part_id: correction({field: value})})
        except RigwrightError as error:
            self._plan.notice.say(str(error))
            return
        self._saved(part_id)

    @Slot()
    def remove_chosen(self) -> None:
        """Takes back the user's part or correction that is chosen."""
        part_id = self._chosen()
        if part_id is None:
            return
        try:
            part = self._connection.find_part(part_id)
        except RigwrightError:  # a stored part that cannot be read any more can still be removed
            self.remove([part_id])
            return
        if part is None or part.origin is not Origin.USER:
            self._plan.notice.say(tr("This part has no figures of yours: there is nothing to remove."))
            return
        self.remove([part_id])

    @Slot(list)
    def remove(self, part_ids: list[str]) -> bool:
        """Removes parts of the user's own and corrections, after a question; what ships shows again."""
        question = tr("Remove your figures of {count} parts?", count=len(part_ids))
        if len(part_ids) == 1:
            question = tr("Remove your figures of {part}?", part=self._title(part_ids[0]))
        detail = tr(
            "A shipped or imported part returns to its original figures. A part of your own is deleted for good."
        )
        if messages.ask(front(self._window), question, detail, [("remove", tr("Remove"))]) != "remove":
            return False
        try:
            for part_id in part_ids:
                self._connection.catalogue().delete_user_part(part_id)
        except RigwrightError as error:
            messages.show_error(front(self._window), error)
        self.take_in(part_ids, tr("Remove own figures"))
        return True

    @Slot()
    def show_own_parts(self) -> None:
        """Lists the user's parts and corrections."""
        from gui.parts.lists import OwnPartsView

        view = OwnPartsView(self._connection, self._window)
        if not view.refresh():
            view.deleteLater()
            return
        view.edit_wanted.connect(self.correct)
        view.removal_wanted.connect(self.remove)
        self._connection.changed.connect(view.refresh)
        open_dialog(view)

    @Slot()
    def refresh_plan(self) -> None:
        """Brings all parts of the open plan to what the catalogue knows."""
        count = self._renew(None, tr("Update to the catalogue's figures"))
        if count == 0:
            self.say(tr("The plan's parts match the catalogue."))

    @Slot()
    def show_money(self) -> None:
        """Asks in which currency prices are shown."""
        from gui.parts.money_dialog import MoneyDialog

        dialog = MoneyDialog(self._connection.data_dir, date.today(), front(self._window))
        dialog.saved.connect(self._connection.follow_money)
        open_dialog(dialog)

    @Slot()
    def show_coverage(self) -> None:
        """Shows how much is known."""
        from gui.parts.coverage_view import CoverageView

        view = CoverageView(self._connection.data_dir, self._window)
        view.correction_wanted.connect(self.correct)
        self._connection.changed.connect(view.refresh)
        open_dialog(view)

    # -- after a change -------------------------------------------------------------------------------------------

    @Slot(list, str)
    def take_in(self, part_ids: Collection[str], title: str) -> None:
        """The panel and the open plan follow; the plan in one edit, which undo takes back."""
        self._connection.changed.emit()
        if len(part_ids) == 1:
            self._choose(next(iter(part_ids)))
        self._renew(part_ids, title)

    @Slot(str)
    def say(self, sentence: str) -> None:
        """One line in the status bar, for a while."""
        self._window.statusBar().showMessage(visible(sentence), SAID_MS)

    def _renew(self, part_ids: Collection[str] | None, title: str) -> int:
        try:
            count = bring_up_to_date(self._document, self._connection.find_part, title, part_ids)
        except RigwrightError as error:
            messages.show_error(self._window, error)
            return 0
        if count:
            self.say(tr("Lines of the plan with new figures: {count}. Undo reverts them.", count=count))
        return count

    @Slot(str)
    def _saved(self, part_id: str) -> None:
        title = self._title(part_id)
        self.say(tr("Saved {part}.", part=title))
        self.take_in([part_id], tr("Update the figures of {part}", part=title))

    # -- inside ---------------------------------------------------------------------------------------------------

    def _title(self, part_id: str) -> str:
        """What people call a part; its id where it cannot be read."""
        try:
            part = self._connection.find_part(part_id)
        except RigwrightError:
            return part_id
        return part.title if part is not None else part_id

    def _edit(self, part: Part | None, category: Category, field: str = "") -> None:
        from gui.parts.part_editor import PartEditor

        try:
            editor = PartEditor(self._connection.catalogue(), part, category, front(self._window))
        except RigwrightError as error:
            messages.show_error(self._window, error)
            return
        editor.saved.connect(self._saved)
        open_dialog(editor)
        editor.form.go_to(field)

    def _chosen(self) -> str | None:
        table = self._plan.table
        in_plan = table.selected_ids() if table.hasFocus() else []
        part_id = in_plan[0] if in_plan else self._plan.parts.selected_id
        if part_id is None:
            self._plan.notice.say(tr("Choose a part in the list or in the plan first."))
        return part_id

    def _choose(self, part_id: str) -> None:
        """The list is made anew after a change: the part is chosen in it again, if it is listed."""
        panel = self._plan.parts
        ids = panel.parts.ids()
        if part_id in ids:
            panel.results.setCurrentIndex(panel.parts.index(ids.index(part_id)))

    def _chosen_category(self) -> Category:
        try:
            part_id = self._plan.parts.selected_id
            part = self._connection.find_part(part_id) if part_id else None
        except RigwrightError:
            part = None
        return part.category if part is not None else Category.GPU
