"""The Plan page: parts at the left, board and table in the middle, findings at the right, gauges below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from core.advise.add_or_replace import add_or_replace
from core.parts.own import Correction
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.edits import PlaceCards, SetLines
from core.plan.line import is_card
from core.platform.errors import BadInput, RigwrightError
from core.words import tr, trc, trn
from gui.guide.missing_bar import MissingBar
from gui.guide.start_page import StartPage
from gui.parts.catalogue_connection import CatalogueConnection
from gui.planner.board.arrange_dialog import ArrangeDialog
from gui.planner.board.card_menu import CardMenu, move
from gui.planner.board.view import BoardView
from gui.planner.connections.panel import ConnectionsPanel
from gui.planner.details import DetailsBar, NotesEditor
from gui.planner.document import PlanDocument
from gui.planner.findings.fixes import Fixing
from gui.planner.findings.panel import FindingsPanel, UncheckedPanel
from gui.planner.findings.solve_dialog import SolveDialog
from gui.planner.frame import PlanColumns, SideTabs
from gui.planner.gauges import PRICE_SECTION, GaugeStrip
from gui.planner.lines.view import LinesView
from gui.planner.machine.view import MachineView
from gui.planner.parts.fitting import Fitting
from gui.planner.parts.panel import PartsPanel
from gui.planner.parts.part_card import PartCard
from gui.widgets.banner import NoticeBanner
from gui.widgets.context import belongs_to
from gui.widgets.empty import EmptyState
from gui.widgets.form import column_of
from gui.widgets.messages import open_dialog


class PlanPage(QWidget):
    """Connects the panels with the document. `prediction_wanted(section)` asks for what is behind a gauge."""

    prediction_wanted = Signal(str)

    def __init__(
        self, document: PlanDocument, connection: CatalogueConnection, start: StartPage, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.document = document
        self.connection = connection
        self.fitting = Fitting(document, connection, self)
        self.parts = PartsPanel(connection, self.fitting, self)
        self.details = DetailsBar(document, self)
        self.board = BoardView(document, self)
        self.machine = MachineView(document, self)
        self.table = LinesView(document, self)
        self.fixing = Fixing(document, connection, self)
        self.findings = FindingsPanel(document, self.fixing, self)
        self.unchecked = UncheckedPanel(document, self)
        self.connections = ConnectionsPanel(document, self)
        self.notes = NotesEditor(document, self)
        self.gauges = GaugeStrip(document, self)
        self.missing = MissingBar(document, self)
        self.notice = NoticeBanner(self)
        self.first_steps = start
        head = (self.details, self.missing)
        self._centre = PlanCentre(head, self.board, self.machine, self.table, self.first_steps, self)
        self._lay_out()
        belongs_to(self.findings, "findings")
        belongs_to(self.unchecked, "findings")
        belongs_to(self.machine, "machine")
        self._connect()
        self._follow()

    def splitters(self) -> dict[str, QSplitter]:
        """What the user can move, by the name under which it is remembered."""
        return {"plan": self._columns, "plan-middle": self._centre.split, "plan-findings": self.findings.split}

    @Slot(str)
    @Slot(str, int)
    def add_part(self, part_id: str, quantity: int = 1) -> None:
        """Puts so many more of a part into the build."""
        if (part := self._part(part_id)) is not None and self.document.try_edit(
            add_or_replace(self.document.build, part, None, quantity, self._part)
        ):
            self.table.select_parts([part.id])

    @Slot(str, int)
    def add_part_at(self, part_id: str, slot: int) -> None:
        """Puts one more of a card into a given slot; anything else is just added."""
        part = self._part(part_id)
        if part is None:
            return
        before = self.document.build.line(part.id)
        added = add_or_replace(self.document.build, part, None, lookup=self._part)
        try:
            build = added.apply(self.document.build)
            if slot and is_card(part):
                build = PlaceCards(part.id, (*(before.slots if before else ()), slot)).apply(build)
        except BadInput as error:
            self.notice.say(str(error))
            return
        if self.document.try_edit(SetLines(added.title, build.lines)):
            self.table.select_parts([part.id])

    @Slot(str, int, int)
    def move_card(self, part_id: str, number: int, slot: int) -> None:
        """Puts a placed card into another slot; a card of the same line there changes places with it."""
        line = self.document.build.line(part_id)
        if line is not None and number <= len(line.slots):
            self.document.try_edit(move(line, number, slot))

    @Slot()
    def arrange_cards(self) -> None:
        """Looks for the best slots for all cards; one undoable change once the user has seen why."""
        self._ask(ArrangeDialog(self.document.build, self))

    @Slot()
    def solve_findings(self) -> None:
        """Looks for the fixes of all findings; one undoable change once the user has seen what they cost together."""
        self._ask(SolveDialog(self.document, self.connection, self))

    @Slot()
    def toggle_machine(self) -> None:
        """The whole machine to scale in the board's place, and back; the keyboard goes with it."""
        on = not self._centre.shows_machine
        self._centre.show_machine(on)
        (self.machine.canvas if on else self.board).setFocus()

    @Slot(str, int, QPoint)
    def show_card_menu(self, part_id: str, number: int, point: QPoint) -> None:
        """Opens what can be done with a placed card, at a point of the screen."""
        line = self.document.build.line(part_id)
        if line is None or number > len(line.slots):
            return
        menu = CardMenu(self.document.build, line, number, self)
        menu.chosen.connect(self.document.try_edit)
        menu.limit_wanted.connect(self.table.edit_limit)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    @Slot(str)
    def replace_with(self, part_id: str) -> None:
        """Puts a part in the place that is set for its category, else in that of the selected line of its category."""
        part = self._part(part_id)
        if part is None:
            return
        lines = (self.document.build.line(own) for own in self.table.selected_ids())
        selected = (line.part.id for line in lines if line is not None and line.part.category is part.category)
        replaced = self.fitting.replaced(part.category) or next(selected, None)
        if replaced is None:
            return
        edit = add_or_replace(self.document.build, part, replaced, lookup=self._part)
        if self.document.try_edit(edit):
            self.table.select_parts([part.id])

    @Slot(str)
    def explain(self, part_id: str) -> None:
        """Shows all figures of a part with their sources."""
        line = self.document.build.line(part_id)
        part = line.part if line else self._part(part_id)
        if part is not None:
            guide = self.document.assessment.guide
            card = PartCard(part, self, correction=self._correction(part_id), guide=guide)
            card.correction_wanted.connect(self.parts.correction_wanted)
            open_dialog(card)

    def commit_typing(self) -> None:
        """Takes what was typed into a text field into the build, before it is saved or closed."""
        self.notes.commit()
        self.details.commit()

    def _lay_out(self) -> None:
        self.side = SideTabs((self.findings, self.unchecked, self.connections, self.notes), self)
        self._columns = PlanColumns(self.parts, self._centre, self.side, self)
        column_of(self.notice, (self._columns, 1), self.gauges, into=self, spacing=0)

    def _connect(self) -> None:
        self.document.changed.connect(self._follow)
        self.parts.added.connect(self.add_part)
        self.parts.replaced.connect(self.replace_with)
        self.parts.explained.connect(self.explain)
        self.table.part_dropped.connect(self.add_part)
        self.table.explained.connect(self.explain)
        self.table.similar_wanted.connect(self._find_similar)
        self.table.selection_moved.connect(self._selection_moved)
        self.document.refused.connect(self.notice.say)
        self.document.opened.connect(self.parts.start_over)
        self.board.card_picked.connect(self._pick_card)
        self.board.card_moved.connect(self.move_card)
        self.board.part_dropped.connect(self.add_part_at)
        self.board.arrange_wanted.connect(self.arrange_cards)
        self.board.menu_wanted.connect(self.show_card_menu)
        self.board.machine_wanted.connect(self.toggle_machine)
        self.machine.board_wanted.connect(self.toggle_machine)
        self.machine.canvas.picked.connect(self._pick_card)
        self.machine.canvas.card_moved.connect(self.move_card)
        self.machine.canvas.part_dropped.connect(self.add_part_at)
        self.missing.category_wanted.connect(self._choose_category)
        self.findings.parts_picked.connect(self._pick_parts)
        self.findings.solving_wanted.connect(self.solve_findings)
        self.gauges.opened.connect(self._open_gauge)
        self.unchecked.part_picked.connect(self._pick_card)
        self.connections.part_picked.connect(self._pick_card)

    @Slot()
    def _follow(self) -> None:
        build = self.document.build
        waiting = sum(card.slot is None for card in build.cards())
        self._centre.show_parts(has_board=self.board.picture is not None, has_lines=bool(build.lines), waiting=waiting)
        self.notice.dismiss()
        self._selection_moved()
        count = self.findings.unchecked()
        words = tr("Not checked ({count})", count=count) if count else trc("tab", "Not checked")
        self.side.setTabText(self.side.indexOf(self.unchecked), words)

    @Slot()
    def _selection_moved(self) -> None:
        ids = self.table.selected_ids()
        lines = [line for part_id in ids if (line := self.document.build.line(part_id)) is not None]
        self.board.select(frozenset(ids))
        self.machine.canvas.select(ids)
        self.fitting.select(ids)
        self.parts.choice.allow_replacing(lines[0].part if lines else None)

    @Slot(tuple, tuple)
    def _pick_parts(self, part_ids: tuple[str, ...], _slots: tuple[int, ...]) -> None:
        self.table.select_parts(part_ids)

    @Slot(str)
    def _open_gauge(self, section: str) -> None:
        """What is behind a gauge; behind a price in doubt the lines that decide whether it keeps to the budget."""
        deciding = self.document.assessment.deciding_prices if section == PRICE_SECTION else ()
        if not deciding:
            self.prediction_wanted.emit(section)
            return
        self.table.ask_prices(list(deciding))
        words = trn(
            "The price of {count} line decides whether the build keeps to its budget.",
            "The prices of {count} lines decide whether the build keeps to its budget.",
            count=len(deciding),
        )
        how = tr("Type one into its cell, or paste a column with Ctrl+V.")
        self.notice.say(f"{words} {how}")

    @Slot(str)
    def _pick_card(self, part_id: str) -> None:
        self.table.select_parts([part_id])

    @Slot(object)
    def _choose_category(self, category: Category) -> None:
        self.parts.search.clear()
        self.parts.show_category(category)
        self.parts.focus_search()

    @Slot(str)
    def _find_similar(self, part_id: str) -> None:
        line = self.document.build.line(part_id)
        if line is not None:
            self.parts.find_similar(line.part)

    def _ask(self, dialog: ArrangeDialog | SolveDialog) -> None:
        dialog.chosen.connect(self.document.try_edit)
        open_dialog(dialog)

    def _part(self, part_id: str) -> Part | None:
        try:
            return self.connection.find_part(part_id)
        except RigwrightError as error:
            self.notice.say(str(error))
            return None

    def _correction(self, part_id: str) -> Correction | None:
        try:
            return self.connection.catalogue().corrections().get(part_id)
        except RigwrightError:
            return None


MACHINE_SHARE = 0.68
"""Of the middle's height for the picture of the machine, until the user moves it: it needs more than the board."""


class PlanCentre(QWidget):
    """Arranges what the page made; shows the board where there is one."""

    def __init__(
        self, head: Sequence[QWidget], board: QWidget, machine: QWidget, table: QWidget, start: QWidget, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._has_board = False
        self._heights: dict[bool, list[int]] = {}
        self._board = QStackedWidget(self)
        self._no_board = EmptyState("", parent=self)
        for picture in (self._no_board, board, machine):
            self._board.addWidget(picture)
        self.shows_machine = False
        """Whether the machine stands in the board's place."""
        self.split = QSplitter(Qt.Orientation.Vertical, self)
        self.split.addWidget(self._board)
        self.split.addWidget(table)
        self.split.setChildrenCollapsible(False)
        self.split.setSizes([260, 240])
        self._plan = QStackedWidget(self)
        self._plan.addWidget(start)
        self._plan.addWidget(self.split)
        column_of(*head, (self._plan, 1), into=self, spacing=0)

    def show_parts(self, *, has_board: bool, has_lines: bool, waiting: int = 0) -> None:
        """Shows board and table as far as the build has them; so many cards are `waiting` for a slot."""
        self._has_board = has_board
        self._no_board.set_sentence(
            trn(
                "{count} card waits for a board. Add a motherboard with known slots to place it.",
                "{count} cards wait for a board. Add a motherboard with known slots to place them.",
                count=waiting,
            )
            if waiting
            else tr("Add a motherboard with known slots to see where each card sits.")
        )
        self._choose()
        self._plan.setCurrentIndex(1 if has_lines else 0)

    def show_machine(self, on: bool) -> None:
        """The picture of the machine in the board's place, or the board again."""
        if on is not self.shows_machine:
            self.shows_machine = on
            self._heights[not on] = self.split.sizes()
            whole = sum(self.split.sizes())
            at_first = [round(MACHINE_SHARE * whole), round((1 - MACHINE_SHARE) * whole)]
            self.split.setSizes(self._heights.get(on) or at_first)
        self._choose()

    def _choose(self) -> None:
        self._board.setCurrentIndex(2 if self.shows_machine else 1 if self._has_board else 0)
