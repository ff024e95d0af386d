"""Which plug of which PSU feeds which socket: a tree with the PSUs above their cables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QMimeData, QModelIndex, QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from core.assessment import Assessment
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.psus import plugged_pdus
from core.plan.wiring.sentences import adapter_words, feed_words, socket_words
from core.plan.wiring.wiring import NAMES, Feed, PowerSocket, WiredPsu, Wiring
from core.predict.power import SupplyLoad
from core.words import joined, tr, visible
from gui.planner.connections.psus import POWERED_MIME, powered_in, powered_mime
from gui.widgets.figures import number
from gui.widgets.table import Index, Role
from gui.widgets.text import bold, tip
from gui.widgets.theme import theme
from gui.widgets.units import local
from gui.widgets.views import quiet_selection

FROM, TO, WATTS = range(3)


@dataclass(frozen=True, slots=True)
class CableRow:
    """One line of the tree. `tone` names a colour of the theme, and the icon; empty is plain."""

    cells: tuple[str, str, str]
    words: str
    tone: str = ""
    part_id: str = ""
    number: int = 0
    """Which card, riser or board of its line, from 1; 0: none that a PSU could be set for."""


@dataclass(frozen=True, slots=True)
class PsuCables:
    """A PSU, or what stays unfed, with its lines."""

    head: CableRow
    rows: tuple[CableRow, ...]
    place: int = 0
    """Of the PSU; 0: what stays unfed."""


class WiringModel(QAbstractItemModel):
    """The internal id of a line is the number of its group, from 1; groups have 0."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[PsuCables, ...] = ()

    def show_wiring(self, assessment: Assessment) -> None:
        """Follows another state of the build."""
        build, wiring = assessment.build, assessment.wiring
        groups = tuple(self._psu(build, wiring, psu, assessment.psu_loads.get(psu.place)) for psu in wiring.psus)
        if any(socket.needed for socket in wiring.unfed):
            groups += (self._unfed(build, wiring),)
        self.beginResetModel()
        self._groups = groups
        self.endResetModel()

    def row(self, index: Index) -> CableRow | None:
        """What a line shows."""
        if not index.isValid():
            return None
        group = index.internalId()
        return self._groups[group - 1].rows[index.row()] if group else self._groups[index.row()].head

    def place(self, index: Index) -> int:
        """The number of the PSU that a line belongs to, from 1; 0: none."""
        if not index.isValid():
            return 0
        group = index.internalId()
        return self._groups[group - 1 if group else index.row()].place

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        flags = super().flags(index)
        if row is not None and row.number:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags | Qt.ItemFlag.ItemIsDropEnabled if self.place(index) else flags

    def mimeTypes(self) -> list[str]:
        return [POWERED_MIME]

    def mimeData(self, indexes: Any) -> QMimeData:
        rows = [row for index in indexes if (row := self.row(index)) is not None and row.number]
        return powered_mime([(row.part_id, row.number) for row in rows])

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's signature
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # QObject.parent() has the same name
        group = index.internalId() if index.isValid() else 0
        return self.createIndex(group - 1, 0, 0) if group else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        if not parent.isValid():
            return len(self._groups)
        return len(self._groups[parent.row()].rows) if parent.internalId() == 0 and parent.column() == 0 else 0

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: ARG002, B008 - Qt's signature
        return 3

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < 3:
            return None
        if role == Role.DisplayRole:
            return (tr("From"), tr("To"), tr("W"))[section]
        if role == Role.ToolTipRole and section == FROM:
            return tr("Kind and number of the cable; 1.2 is the second plug of cable 1")
        if role == Role.ToolTipRole and section == WATTS:
            return tr("With cards and CPUs at their limits")
        return _alignment(section) if role == Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        match role:
            case Role.DisplayRole:
                return row.cells[index.column()]
            case Role.ToolTipRole:
                return tip(row.words)
            case Role.AccessibleTextRole:
                return visible(local(row.words if index.column() == FROM else row.cells[index.column()]))
            case Role.TextAlignmentRole:
                return _alignment(index.column())
            case Role.FontRole if index.internalId() == 0:
                return bold()
            case Role.DecorationRole if row.tone in ("fail", "warn", "note", "unknown") and index.column() == FROM:
                return theme().status_icon(row.tone)
            case Role.ForegroundRole if row.tone in ("fail", "warn", "unknown", "muted"):
                return theme().color(row.tone)
        return None

    def _psu(self, build: Build, wiring: Wiring, psu: WiredPsu, bears: SupplyLoad | None) -> PsuCables:
        line = build.line(psu.part_id)
        name = tr("PSU {place}", place=psu.place)
        title = line.part.title if line else psu.part_id
        has, power = number(bears.worst.expected if bears else psu.load_w), number(psu.power_w)
        at_least = tr("at least {load} of {power} W", load=has, power=power)
        load = at_least if wiring.lacking else tr("{load} of {power} W", load=has, power=power)
        tone = "fail" if bears is not None and bears.worst_share > 1 else ""
        words = tr("{name}, {title}: {load} with cards and CPUs at their limits", name=name, title=title, load=load)
        if bears is not None:
            words = joined([words, bears.words], "; ")
        pdu = next((one for one in plugged_pdus(build) if psu.place in one.psus), None)
        if pdu is not None:
            on, circuit = pdu.part.title, pdu.circuit + 1
            title = tr("{psu} on {pdu}", psu=title, pdu=on)
            words = tr("{words}. Plugged into {pdu} on circuit {circuit}", words=words, pdu=on, circuit=circuit)
        head = CableRow((f"{name}  {load}  {title}", "", ""), words, tone, psu.part_id)
        rows = [self._feed(build, feed) for feed in wiring.feeds if feed.psu == psu.place]
        left = Counter(NAMES[plug.kind] for plug in wiring.left if plug.cable.psu == psu.place)
        if left:
            kinds = joined((f"{count} × {kind}" for kind, count in sorted(left.items())), ", ")
            rows.append(CableRow((tr("free"), kinds, ""), tr("Free: {plugs}", plugs=kinds), "muted"))
        return PsuCables(head, tuple(rows), psu.place)

    def _feed(self, build: Build, feed: Feed) -> CableRow:
        watts = tr("{watts} W", watts=number(feed.socket.load_w))
        words = [f"{feed_words(build, feed)}: {watts}"]
        marks, tone = [], ""
        if feed.adapter:
            marks.append(tr("adapter"))
            tone = "note"
            words.append(tr("Through {adapter}", adapter=adapter_words(build, feed.adapter)))
        if feed.pigtail:
            marks.append(tr("shared"))
            tone = "warn"
            words.append(tr("Its plug shares a cable with another one."))
        begin = joined([_plugs(feed), *marks], ", ")
        cells = (begin, self._where(feed.socket), _watts(feed.socket))
        return CableRow(cells, "\n".join(words), tone, feed.socket.part_id, feed.socket.number)

    def _unfed(self, build: Build, wiring: Wiring) -> PsuCables:
        cables_known = not any(figure.endswith(".cables") for figure in wiring.lacking)
        tone = "fail" if cables_known else "unknown"
        word = tr("unpowered") if cables_known else tr("cables unknown")
        rows = tuple(self._bare(build, socket, word, tone) for socket in wiring.unfed if socket.needed)
        count = len(rows)
        title = tr("Unpowered: {count}", count=count) if cables_known else tr("Cables unknown: {count}", count=count)
        return PsuCables(CableRow((title, "", ""), title, tone), rows)

    def _bare(self, build: Build, socket: PowerSocket, word: str, tone: str) -> CableRow:
        cells = (word, self._where(socket), _watts(socket))
        return CableRow(cells, f"{socket_words(build, socket)}: {word}", tone, socket.part_id, socket.number)

    def _where(self, socket: PowerSocket) -> str:
        """The place of a socket as short as it can be told apart."""
        if socket.category is Category.MOTHERBOARD:
            index = f" {socket.index}" if socket.index > 1 else ""
            return tr("board {kind}", kind=NAMES[socket.kind]) + index
        if socket.category is Category.CARRIER:
            return tr("carrier {number}, socket {index}", number=socket.number, index=socket.index)
        if socket.slot is None:
            return tr("card {number}, socket {index}", number=socket.number, index=socket.index)
        if socket.category is Category.RISER:
            return tr("riser in slot {slot}, socket {index}", slot=socket.slot, index=socket.index)
        return tr("slot {slot}, socket {index}", slot=socket.slot, index=socket.index)


def _plugs(feed: Feed) -> str:
    """ "8-pin 3" or "8-pin 3.2": the kind, the number of the cable, and of the plug where it is not the first."""
    groups = []
    for kind, plugs in feed.by_kind:
        numbers = [f"{plug.cable.number}.{plug.number}" if plug.pigtail else str(plug.cable.number) for plug in plugs]
        groups.append(f"{NAMES[kind].removeprefix('PCIe ')} {'+'.join(numbers)}")
    return " + ".join(groups)


def _watts(socket: PowerSocket) -> str:
    return number(round(socket.load_w)) if socket.load_w else ""


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column == WATTS else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class CablesView(QTreeView):
    """The cables under their PSUs, all open.

    `dropped(part id, number, PSU)`: a card, riser or the board was dragged onto a PSU or one of its lines.
    """

    dropped = Signal(str, int, int)

    def __init__(self, model: WiringModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(tr("Power cables"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setIndentation(12)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(FROM, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(TO, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(WATTS, QHeaderView.ResizeMode.ResizeToContents)
        quiet_selection(self)
        self.setItemDelegate(SpacedRows(self))
        model.modelReset.connect(self._open_all)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(POWERED_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        event.setAccepted(bool(self._place_at(event.position().toPoint())))

    def dropEvent(self, event: QDropEvent) -> None:
        fed, place = powered_in(event.mimeData()), self._place_at(event.position().toPoint())
        if fed is not None and place:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.dropped.emit(*fed, place)

    def _place_at(self, point: QPoint) -> int:
        model = self.model()
        return model.place(self.indexAt(point)) if isinstance(model, WiringModel) else 0

    @Slot()
    def _open_all(self) -> None:
        """Shows all lines; the head of a PSU has the room of all columns."""
        self.expandAll()
        for row in range(self.model().rowCount()):
            self.setFirstColumnSpanned(row, QModelIndex(), True)


class SpacedRows(QStyledItemDelegate):
    """Lines a little apart."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), max(hint.height(), option.fontMetrics.height() + 6))
