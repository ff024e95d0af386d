"""How the placed GPUs reach each other, as the table that nvidia-smi topo -m prints."""

from __future__ import annotations

from itertools import chain, product

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from core.assessment import Assessment
from core.parts.vocabulary import Category
from core.plan.placement.links import CardLink
from core.plan.placement.risers import CardKey, key_of
from core.plan.placement.topology import Pair, Path, matrix
from core.words import tr
from gui.planner.board.links import link_text
from gui.widgets.figures import number
from gui.widgets.table import Index, Role, TableColumn, TableModel
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
