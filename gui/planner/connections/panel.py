"""How the parts are connected: paths between GPUs, as nvidia-smi topo -m prints them, and the cables that feed them."""

from __future__ import annotations

from itertools import chain, product

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHeaderView, QLabel, QTableView, QWidget

from core.assessment import Assessment
from core.parts.vocabulary import Category
from core.plan.card_edits import SetPsu
from core.plan.line import is_card
from core.plan.placement.links import CardLink
from core.plan.placement.nvlink import built_in
from core.plan.placement.risers import CardKey, key_of
from core.plan.placement.topology import Pair, Path, matrix
from core.plan.wiring.sentences import cut_short_words, modules_words
from core.rules.finding import figure_phrase
from core.words import tr, trc
from gui.planner.board.picture import link_text
from gui.planner.connections.cables import CablesView, WiringModel
from gui.planner.connections.psus import PsusModel, PsusView
from gui.planner.document import PlanDocument
from gui.widgets.empty import EmptyState
from gui.widgets.figures import number
from gui.widgets.form import column_of
from gui.widgets.table import Index, Role, TableColumn, TableModel
from gui.widgets.text import heading, muted
from gui.widgets.theme import theme
from gui.widgets.views import mixed, small_table


class PathsModel(TableModel[CardLink]):
    """Rows and columns are the GPUs from the top of the board, called by their slots."""

    def __init__(self, parent: QObject | None = None) -> None:
        heads: TableColumn[CardLink] = TableColumn(
            "", lambda link: tr("slot {slot}", slot=link.slot.position), tip=_card_words, spoken=_card_words
        )
        super().__init__((), lambda link: key_of(link.card), parent, heads=heads)
        self._words: dict[tuple[CardKey, CardKey], str] = {}
        self._pairs: dict[frozenset[CardKey], Pair] = {}

    def show_paths(self, assessment: Assessment) -> None:
        """Follows another state of the build."""
        cards = [link for link in assessment.links.values() if link.card.part.category is Category.GPU]
        keys = [key_of(link.card) for link in cards]
        words = chain.from_iterable(matrix(cards, assessment.pairs))
        self._words = dict(zip(product(keys, keys), words, strict=True))
        self._pairs = {frozenset((key_of(way.first.card), key_of(way.second.card))): way for way in assessment.pairs}
        self.show_table([self._column(link) for link in cards], cards)

    def complete(self) -> bool:
        """Whether the way between any two cards is known."""
        return not {"X", "?"}.issuperset(self._words.values())

    def sentence(self, index: Index) -> str:
        """What lies between two cards, and how fast it is."""
        return self._between(self.rows[index.row()], self.rows[index.column()]) if index.isValid() else ""

    def _between(self, one: CardLink, other: CardLink) -> str:
        if one is other:
            slot, title = one.slot.position, one.card.part.title
            return tr("Slot {slot}: {title}, {link}", slot=slot, title=title, link=link_text(one))
        pair = self._pairs.get(frozenset((key_of(one.card), key_of(other.card))))
        if pair is None:
            return ""
        way = self._way(pair)
        where = tr("Slots {one} and {other}: {way}", one=one.slot.position, other=other.slot.position, way=way)
        return tr("{where}, at most {speed} GB/s each way", where=where, speed=number(pair.gbps))

    def legend(self) -> str:
        """The words of the table that occur in it."""
        words = set(self._words.values())
        lines = [f"{path.value}: {path.label}" for path in Path if path.value in words]
        lines += [tr("NV: NVLink")] if "NV" in words else []
        return "\n".join([*lines, *([tr("?: unknown, the board's data does not say")] if "?" in words else [])])

    def _column(self, other: CardLink) -> TableColumn[CardLink]:
        def word(link: CardLink) -> str:
            return self._words[key_of(link.card), key_of(other.card)]

        def ground(link: CardLink) -> QColor | None:
            return mixed(theme().color("surface"), theme().color("pass"), 0.24) if word(link) == "NV" else None

        def sentence(link: CardLink) -> str:
            return self._between(link, other)

        return TableColumn(
            str(other.slot.position),
            lambda link: "·" if word(link) == "X" else word(link),
            _card_words(other),
            called=_card_words(other),
            side=Qt.AlignmentFlag.AlignHCenter,
            tip=sentence,
            tone=lambda link: "muted" if word(link) in ("X", "?") else "",
            roles={Role.BackgroundRole: ground, Role.AccessibleTextRole: sentence},
        )

    def _way(self, pair: Pair) -> str:
        if pair.nvlink is not None:
            return tr("NVLink over {bridge}", bridge=pair.nvlink.bridge.title)
        if pair.path is None:
            return tr("unknown, the board's data does not say")
        return f"{pair.path.value}, {pair.path.label}"


def _card_words(link: CardLink) -> str:
    return tr("Slot {slot}: {title}", slot=link.slot.position, title=link.card.part.title)


class PathsView(QTableView):
    """Cells of one width, as wide as there is room, never narrower than their words."""

    def __init__(self, model: PathsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(tr("Paths between the GPUs"))
        self.setAccessibleDescription(tr("The classes of nvidia-smi topo -m"))
        small_table(self)
        across, down = self.horizontalHeader(), self.verticalHeader()
        across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for header in (across, down):
            header.setHighlightSections(True)
            header.setSectionsClickable(False)
        model.modelReset.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        wide = self.fontMetrics().horizontalAdvance
        model = self.model()
        words = {model.index(0, column).data() for column in range(model.columnCount())} | {"PHB"}
        self.horizontalHeader().setMinimumSectionSize(max(wide(word) for word in words) + 8)

    def whole_height(self) -> int:
        """What shows all rows."""
        bar = self.horizontalScrollBar()
        below = bar.sizeHint().height() if bar.isVisible() else 0
        return self.horizontalHeader().sizeHint().height() + self.verticalHeader().length() + below + 4


MOST_SHARE = 0.5
"""The most of the height that the paths may take."""
MOST_CHOICES = 0.3
"""The most of the height that the choice of PSUs may take."""


class ConnectionsPanel(QWidget):
    """`part_picked(part id)`: the line of the build that a cable leads to. Follows the document while it is seen."""

    part_picked = Signal(str)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._stale = True
        self.paths = PathsModel(self)
        self.matrix = PathsView(self.paths, self)
        self.wiring = WiringModel(self)
        self.cables = CablesView(self.wiring, self)
        self.psus = PsusModel(self)
        self.choices = PsusView(self.psus, self)
        self.path_words = _padded(muted(self))
        self.no_paths = _padded(muted(self))
        self.wiring_words = _padded(muted(self))
        self._empty = EmptyState(tr("Paths between the GPUs and their power cables are shown here."), parent=self)
        self._lay_out()
        self.matrix.selectionModel().currentChanged.connect(self._tell)
        self.cables.selectionModel().currentChanged.connect(self._pick)
        self.psus.chosen.connect(document.try_edit, Qt.ConnectionType.QueuedConnection)
        self.cables.dropped.connect(self._set, Qt.ConnectionType.QueuedConnection)
        document.changed.connect(self._follow)
        theme().changed.connect(self._recolour)

    def showEvent(self, event: QShowEvent) -> None:
        """What changed meanwhile is worked out when it is seen."""
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._limit_heights()

    @Slot()
    def refresh(self) -> None:
        """Reads the document."""
        build, assessment = self._document.build, self._document.assessment
        self._stale = False
        self.paths.show_paths(assessment)
        self.wiring.show_wiring(assessment)
        self.psus.show_wiring(build, assessment.wiring)
        self.choices.setVisible(self.psus.rowCount() > 0)
        paths_known = self.paths.complete()
        self.matrix.setVisible(paths_known)
        self.path_words.setVisible(paths_known)
        self.path_words.setText(self.paths.legend())
        self.no_paths.setVisible(not paths_known)
        self.no_paths.setText(self._no_path_words())
        self.wiring_words.setText(self._wiring_words())
        self.wiring_words.setVisible(bool(self.wiring_words.text()))
        self.cables.setVisible(self.wiring.rowCount() > 0)
        self._body.setVisible(bool(build.lines))
        self._empty.setVisible(not build.lines)
        self._limit_heights()

    def _limit_heights(self) -> None:
        self.matrix.setMaximumHeight(min(self.matrix.whole_height(), round(MOST_SHARE * self.height())))
        self.choices.setMaximumHeight(min(self.choices.whole_height(), round(MOST_CHOICES * self.height())))

    def _no_path_words(self) -> str:
        if self.paths.rowCount() > 1:
            return tr("The board's data does not say how its slots are connected.")
        build = self._document.build
        modules = [line.part for line in build.of(Category.GPU) if not is_card(line.part)]
        if modules and (fabric := built_in(build, modules[0])):
            return tr("Built-in NVLink connects the modules: {how}.", how=fabric.kind.label)
        if modules:
            return tr("Fewer than two GPUs sit in slots of the board. Modules are connected on their own board.")
        return tr("Fewer than two GPUs sit in slots of the board.")

    def _wiring_words(self) -> str:
        wiring = self._document.assessment.wiring
        lines = []
        if wiring.by_chassis:
            lines.append(modules_words(self._document.build))
        elif not wiring.psus:
            lines.append(tr("There is no PSU yet."))
        if wiring.cut_short:
            lines.append(cut_short_words())
        if wiring.lacking:
            lacking = figure_phrase(self._document.build, wiring.lacking)
            lines.append(tr("Not all cables are assigned; unknown: {figures}", figures=lacking))
        return "\n".join(lines)

    @Slot()
    def _follow(self) -> None:
        self._stale = True
        if self.isVisible():
            self.refresh()

    @Slot(QModelIndex, QModelIndex)
    def _tell(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self.path_words.setText(self.paths.sentence(current) or self.paths.legend())

    @Slot(QModelIndex, QModelIndex)
    def _pick(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = self.wiring.row(current)
        if row is not None and row.part_id:
            self.part_picked.emit(row.part_id)

    @Slot(str, int, int)
    def _set(self, part_id: str, number: int, place: int) -> None:
        self._document.try_edit(SetPsu(part_id, place, (number,)))

    @Slot()
    def _recolour(self) -> None:
        for view in (self.matrix, self.cables, self.choices):
            view.viewport().update()

    def _lay_out(self) -> None:
        self._body = QWidget(self)
        paths = _padded(heading(tr("Between the GPUs"), self), top=8)
        power = _padded(heading(trc("psu", "Power"), self), top=8)
        links = (paths, self.no_paths, self.matrix, self.path_words)
        column_of(*(*links, power, self.wiring_words, self.choices, (self.cables, 1), 0), into=self._body, spacing=0)
        column_of((self._body, 1), (self._empty, 1), into=self)


def _padded(label: QLabel, top: int = 4) -> QLabel:
    """Away from the edges of the panel, in pixels."""
    label.setContentsMargins(8, top, 8, 4)
    return label
