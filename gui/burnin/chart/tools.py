"""The row of controls above the charts: window of time, live, pause, which charts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QComboBox, QMenu, QToolButton, QWidget

from core.machine.telemetry.metrics import BY_NAME
from core.words import plain, tr
from gui.burnin.chart.view import Arrangement
from gui.burnin.export_run import kinds
from gui.burnin.recording import DRAWN, GROUPS
from gui.widgets.flow import Flow
from gui.widgets.form import choice_box
from gui.widgets.text import Label
from gui.widgets.theme import theme

DEFAULT_WINDOW_S = 300.0
SHORT_WINDOW_S = 60.0


def window_for(planned_s: float) -> float:
    """The window in s that a run of this planned length begins with: a short run would be a sliver in a long one."""
    return SHORT_WINDOW_S if planned_s <= 1.5 * SHORT_WINDOW_S else DEFAULT_WINDOW_S


class ViewTools(QWidget):
    """Says what the user wants; knows nothing of charts."""

    window_chosen = Signal(object)
    """Seconds, or None for the whole run."""
    live_wanted = Signal()
    pause_toggled = Signal(bool)
    metrics_chosen = Signal(tuple)
    out_wanted = Signal(str)
    """What of the run shall be taken out, by the ending of its file."""
    arrangement_chosen = Signal(Arrangement, str)
    """How the charts are arranged, and the metric of charts of single devices."""

    def __init__(self, metrics: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.window_choice = _WindowChoice(self)
        self.live = QToolButton(self)
        self.pause = QToolButton(self)
        self.charts = QToolButton(self)
        self.out = QToolButton(self)
        self.out_actions = [self._out_action(kind, text) for kind, text in kinds()]
        self.arrangement = QComboBox(self)
        self.metric_choice = QComboBox(self)
        self.state = Label(self)
        self.metric_actions: dict[str, QAction] = {}
        self.possible: Callable[[str], bool] = lambda _: True
        """Whether a metric can be drawn of the run that is shown."""
        self._fill_windows()
        self._fill_arrangements()
        self._arrange(metrics)
        self.window_choice.currentIndexChanged.connect(self._choose_window)
        self.live.clicked.connect(self.live_wanted)
        self.pause.toggled.connect(self.pause_toggled)
        self.arrangement.currentIndexChanged.connect(self._choose_arrangement)
        self.metric_choice.currentIndexChanged.connect(self._choose_arrangement)
        theme().changed.connect(self._recolour)
        self._recolour()

    def choose_window(self, span_s: float | None) -> None:
        """Selects a window without reporting it."""
        self.window_choice.blockSignals(True)
        self.window_choice.setCurrentIndex(self.window_choice.findData(0.0 if span_s is None else span_s))
        self.window_choice.blockSignals(False)

    def menu_actions(self) -> list[QAction]:
        """For the window's menus. The keys are only named: a shortcut on Space would take it from every button."""
        live = QAction(plain("{words}\t{key}", words=tr("Back to live"), key=_name_of(Qt.Key.Key_Home)), self)
        live.triggered.connect(self.live_wanted)
        pause = QAction(plain("{words}\t{key}", words=tr("Pause charts"), key=_name_of(Qt.Key.Key_Space)), self)
        pause.setCheckable(True)
        pause.triggered.connect(self.pause.setChecked)
        self.pause.toggled.connect(pause.setChecked)
        return [live, pause, *self.out_actions]

    def offer_out(self, *, possible: bool) -> None:
        """Whether there is a run that can be taken out."""
        self.out.setEnabled(possible)
        for action in self.out_actions:
            action.setEnabled(possible)

    @Slot()
    def show_possible(self) -> None:
        """What cannot be drawn is greyed out and says so; a chart that is shown can always be put away."""
        for name, action in self.metric_actions.items():
            possible = self.possible(name)
            title = BY_NAME[name].title
            action.setText(title if possible else tr("{metric} (not measured)", metric=title))
            action.setEnabled(possible or action.isChecked())

    def _out_action(self, kind: str, text: str) -> QAction:
        action = QAction(text, self)
        action.triggered.connect(partial(self._take_out, kind))
        return action

    def _take_out(self, kind: str, _checked: bool = False) -> None:
        self.out_wanted.emit(kind)

    @Slot(int)
    def _choose_window(self, index: int) -> None:
        seconds = float(self.window_choice.itemData(index))
        self.window_chosen.emit(seconds or None)

    def show_metric(self, metric: str) -> None:
        """Draws one more."""
        if not self.metric_actions[metric].isChecked():
            self.metric_actions[metric].setChecked(True)
            self._choose_metrics()

    @Slot()
    def _choose_metrics(self) -> None:
        chosen = tuple(name for name, action in self.metric_actions.items() if action.isChecked())
        self.metrics_chosen.emit(chosen)

    @Slot()
    def _choose_arrangement(self) -> None:
        chosen = Arrangement(self.arrangement.currentData())
        self.metric_choice.setVisible(chosen is not Arrangement.TOGETHER)
        self.charts.setVisible(chosen is Arrangement.TOGETHER)
        self.arrangement_chosen.emit(chosen, str(self.metric_choice.currentData()))

    def _fill_arrangements(self) -> None:
        for text, arrangement, hint in (
            (tr("Cards together"), Arrangement.TOGETHER, tr("A chart per quantity, a curve per card")),
            (tr("Each card"), Arrangement.EACH, tr("A chart per card, all with the same range")),
            (tr("Heat strip"), Arrangement.HEAT, tr("A row per card, coloured by its distance from the median")),
        ):
            self.arrangement.addItem(text, arrangement)
            self.arrangement.setItemData(self.arrangement.count() - 1, hint, Qt.ItemDataRole.ToolTipRole)
        self.arrangement.setAccessibleName(tr("Arrangement of the charts"))
        self.arrangement.setToolTip(tr("How the charts are arranged"))
        titles, meaning = ((BY_NAME[name].title, name) for name in DRAWN), tr("What the charts of the cards show")
        choice_box(self, tr("Quantity"), titles, meaning=meaning, box=self.metric_choice)
        self.metric_choice.hide()

    def _fill_windows(self) -> None:
        windows = (
            (tr("1 minute"), SHORT_WINDOW_S),
            (tr("5 minutes"), DEFAULT_WINDOW_S),
            (tr("15 minutes"), 900.0),
            (tr("1 hour"), 3600.0),
            (tr("6 hours"), 21600.0),
            (tr("24 hours"), 86400.0),
            (tr("Whole run"), 0.0),
        )
        meaning = tr("How much of the run the charts show")
        choice_box(self, tr("Time window"), windows, meaning=meaning, box=self.window_choice)
        self.choose_window(DEFAULT_WINDOW_S)

    def _arrange(self, metrics: tuple[str, ...]) -> None:
        self.live.setText(tr("Live"))
        self.live.setToolTip(tr("Back to the newest samples (Home)"))
        self.pause.setText(tr("Pause charts"))
        self.pause.setToolTip(tr("Freezes the charts; the recording continues (Space)"))
        self.pause.setCheckable(True)
        self.charts.setText(tr("Charts"))
        self.charts.setToolTip(tr("Which quantities are drawn"))
        self.charts.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.charts)
        titles = (tr("Heat"), tr("Power"), tr("Clocks"), tr("Work"), tr("Training"))
        for title, group in zip(titles, GROUPS, strict=True):
            menu.addSection(title)
            for name in group:
                action = menu.addAction(BY_NAME[name].title)
                action.setCheckable(True)
                action.setChecked(name in metrics)
                action.triggered.connect(self._choose_metrics)
                self.metric_actions[name] = action
        menu.aboutToShow.connect(self.show_possible)
        self.charts.setMenu(menu)
        self.out.setText(tr("Save"))
        self.out.setToolTip(tr("Saves the charts as a picture, the samples as CSV or JSON"))
        self.out.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        ways_out = QMenu(self.out)
        ways_out.addActions(self.out_actions)
        self.out.setMenu(ways_out)
        layout = Flow(self)
        for choice in (self.window_choice, self.arrangement, self.metric_choice):
            layout.addWidget(choice)
        for button in (self.live, self.pause, self.charts, self.out):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setIconSize(QSize(16, 16))
            layout.addWidget(button)
        layout.push_right()
        layout.addWidget(self.state)

    @Slot()
    def _recolour(self) -> None:
        self.live.setIcon(theme().icon("live"))
        self.pause.setIcon(theme().icon("pause"))
        self.charts.setIcon(theme().icon("chart"))
        self.out.setIcon(theme().icon("export"))


class _WindowChoice(QComboBox):
    """Leaves Home and Space to the picture, as everywhere on the page; Alt+Down opens the list."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Everything else chooses."""
        if event.key() in (Qt.Key.Key_Home, Qt.Key.Key_Space):
            event.ignore()
        else:
            super().keyPressEvent(event)


def _name_of(key: Qt.Key) -> str:
    """As it stands on the keyboard of the language: Home, Pos1."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
