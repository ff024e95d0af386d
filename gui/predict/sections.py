"""The sections of the predictions as a table, and the list of them, each with its one figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.assessment import Assessment
from core.predict.speed.networks import Network
from core.words import tr
from gui.planner.document import PlanDocument
from gui.predict.limits import limits_words
from gui.predict.panel import Panel
from gui.widgets.figures import middle, number
from gui.widgets.table import Index
from gui.widgets.text import tip
from gui.widgets.theme import theme
from gui.widgets.units import here
from gui.widgets.views import quiet_selection

PAD = 8
FIGURE_ROLE = Qt.ItemDataRole.UserRole + 30


@dataclass(frozen=True, slots=True)
class Section:
    """`panel` is the dotted name of its class, loaded when it is first looked at; `needs` are its further parameters.

    `headline` is the one figure that the list has room for; empty where there is none.
    """

    key: str
    title: str
    panel: str
    headline: Callable[[Assessment], str] = lambda _: ""
    needs: tuple[str, ...] = ()

    def make(self, document: PlanDocument, parent: QWidget, sources: Mapping[str, Any]) -> Panel:
        """The section's panel, with the libraries that it needs."""
        module, _, name = self.panel.rpartition(".")
        panel: type[Panel] = getattr(import_module(module), name)
        return panel(document, parent, **{need: sources[need] for need in self.needs})


def sections() -> tuple[Section, ...]:
    """All of them, in the order of the list."""
    at = "gui.predict"
    return (
        Section("power", tr("Power"), f"{at}.topic_panels.PowerPanel", _power),
        Section("temperature", tr("Temperature"), f"{at}.topic_panels.TemperaturePanel", _temperature),
        Section("noise", tr("Noise"), f"{at}.topic_panels.NoisePanel", _noise),
        Section("energy", tr("Energy and cost"), f"{at}.topic_panels.EnergyPanel", _energy),
        Section("speed", tr("Speed"), f"{at}.topic_panels.SpeedPanel", _speed),
        Section("models", tr("Language models"), f"{at}.model_panel.ModelPanel", _models),
        Section("gpus", tr("Which GPU"), f"{at}.ranking_panel.RankingPanel", needs=("connection",)),
        Section("limit", tr("Power limit"), f"{at}.limit_panel.LimitPanel", lambda one: limits_words(one.build)),
        Section("quiet", tr("Radiators"), f"{at}.quiet_panel.QuietPanel"),
        Section("calibration", tr("Calibration"), f"{at}.calibration_panel.CalibrationPanel", _run, ("data_dir",)),
        Section("basis", tr("Basis"), f"{at}.basis_panel.BasisPanel", _unknown),
    )


def _power(assessment: Assessment) -> str:
    prediction = assessment.prediction
    return f"{middle(prediction.wall_w[prediction.conditions.load])} W"


def _temperature(assessment: Assessment) -> str:
    """The hottest card; the speed that is left where cards throttle."""
    prediction = assessment.prediction
    hottest = prediction.heat.hottest
    if hottest is None:
        return ""
    shown = here(hottest.temperature_c)
    warm = f"{middle(shown)} {shown.unit}"
    if not prediction.throttled:
        return warm
    speed = number(round(100 * prediction.throttled[0].speed.expected))
    return tr("{warm}, {speed} % speed", warm=warm, speed=speed)


def _noise(assessment: Assessment) -> str:
    return f"{middle(assessment.prediction.noise_load)} dBA"


def _energy(assessment: Assessment) -> str:
    return tr("{kwh} kWh a day", kwh=middle(assessment.prediction.energy_kwh_per_day))


def _speed(assessment: Assessment) -> str:
    speed = assessment.speed.of(Network.CNN)
    return f"{middle(speed.rate)} {speed.network.unit}" if speed.cards and speed.rate else ""


def _models(assessment: Assessment) -> str:
    rate = assessment.usual_models[0].rate
    return f"{middle(rate)} {rate.unit}" if rate else ""


def _run(assessment: Assessment) -> str:
    return assessment.build.calibration.run if assessment.build.calibration else ""


def _unknown(assessment: Assessment) -> str:
    count = len(assessment.prediction.missing)
    return tr("{count} unknown", count=count) if count else ""


class SectionsModel(QAbstractListModel):
    """Sections in their order; headlines differ with the build."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.sections = {section.key: section for section in sections()}
        self._headlines: Mapping[str, str] = {}

    def show_assessment(self, assessment: Assessment) -> None:
        """The headlines of a build; an empty one has none."""
        shown = self.sections if assessment.build.lines else {}
        self._headlines = {key: section.headline(assessment) for key, section in shown.items()}
        self.dataChanged.emit(self.index(0), self.index(len(self.sections) - 1))

    def key(self, row: int) -> str:
        """The section of a row."""
        return list(self.sections)[row]

    def row_of(self, key: str) -> int:
        """The row of a section."""
        return list(self.sections).index(key)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.sections)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        key = self.key(index.row())
        words, figure = self.sections[key].title, self._headlines.get(key, "")
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return words
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{words}: {figure}" if figure else words
            case Qt.ItemDataRole.ToolTipRole:
                return tip(figure) or None
            case int(value) if value == FIGURE_ROLE:
                return figure
        return None


class SectionsView(QListView):
    """As high as its rows; `picked(key)`."""

    picked = Signal(str)

    def __init__(self, model: SectionsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sections = model
        self.setModel(model)
        self.setItemDelegate(_Delegate(self))
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(tr("What is predicted"))
        quiet_selection(self)
        self.selectionModel().currentChanged.connect(self._pick)
        self._fit()

    def pick(self, key: str) -> None:
        """Goes to a section."""
        self.setCurrentIndex(self._sections.index(self._sections.row_of(key)))

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs other rows."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_sections"):
            self._fit()

    def sizeHint(self) -> QSize:
        """All rows, and the longest name with a figure."""
        return QSize(self.fontMetrics().averageCharWidth() * 30, self.maximumHeight())

    def minimumSizeHint(self) -> QSize:
        """Some rows; the rest scrolls."""
        return QSize(160, 4 * self._row_height())

    def _row_height(self) -> int:
        return self.fontMetrics().height() + PAD

    def _fit(self) -> None:
        self.setMaximumHeight(self._sections.rowCount() * self._row_height() + 2)

    @Slot(QModelIndex, QModelIndex)
    def _pick(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.picked.emit(self._sections.key(current.row()))


class _Delegate(QStyledItemDelegate):
    """The name at the left, its figure at the right, where there is room."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(option.rect.width(), option.fontMetrics.height() + PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        name, figure = own.text, index.data(FIGURE_ROLE)
        own.text = ""
        own.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, own, painter, own.widget)
        painter.save()
        area, metrics = option.rect.adjusted(PAD, 0, -PAD, 0), option.fontMetrics
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        room = area.width() - metrics.horizontalAdvance(name) - PAD
        if figure and metrics.horizontalAdvance(figure) <= room:
            painter.setPen(theme().color("muted"))
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, figure)
        painter.restore()
