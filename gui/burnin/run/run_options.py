"""What can be asked of a run beyond its profile: stages, networks, precision, batch, power limit, settings, meters; and
the list of stages that comes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QSpinBox,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.burnin.profile.file import title_of
from core.burnin.profile.overrides import OWN_NETWORK, TRAINING
from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.run.order import BurnOrder
from core.burnin.stages.registry import BY_KIND, STAGES
from core.loads.training.contract import Precision
from core.platform.errors import BadInput
from core.words import joined, tr, translated, trc, trn
from core.words.refusal import first_refusal
from gui.burnin.dialogs.noise_options import NoiseOptions
from gui.burnin.words import clock
from gui.widgets.actions import without_mnemonic
from gui.widgets.form import column_of, row_of
from gui.widgets.text import Markup, escaped, paragraph, tip
from gui.widgets.theme import theme
from gui.widgets.views import quiet_selection


class StageList(QWidget):
    """The description of a profile over the list of its stages; stages of rounds are told once, with their number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.description = Markup(self)
        self.description.setWordWrap(True)
        self.list = QTreeWidget(self)
        self.list.setAccessibleName(tr("Stages of the run"))
        self.list.setHeaderLabels([tr("Stage"), tr("Time"), tr("Finds")])
        self.list.setRootIsDecorated(False)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.list.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        quiet_selection(self.list)
        column_of(self.description, (self.list, 1), into=self)

    def show_profile(self, profile: Profile | None) -> None:
        """None: the options make no run."""
        self.list.clear()
        self.list.setEnabled(profile is not None)
        if profile is None:
            self.description.setText(tr("No run is possible with these options."))
            return
        count = len(profile.stages)
        length = trn("{count} stage, {time}.", "{count} stages, {time}.", count=count, time=clock(profile.seconds))
        words = joined([length, translated(profile.description)])
        self.description.setText(f"<b>{escaped(translated(profile.title))}</b>: {escaped(words)}")
        for stages in _told_together(profile.stages):
            self._add(stages)
        for column in (0, 1):
            self.list.resizeColumnToContents(column)

    def _add(self, stages: list[StageSettings]) -> None:
        first = stages[0]
        several = len(stages) > 1
        title = BY_KIND[first.kind].title if several and first.kind in BY_KIND else title_of(first)
        times = f"{len(stages)} × {clock(first.seconds)}" if several else clock(first.seconds)
        finds = BY_KIND[first.kind].finds if first.kind in BY_KIND else ""
        item = QTreeWidgetItem([title, times, finds])
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(2, finds)
        if first.params:
            item.setToolTip(0, tip("\n".join(f"{name}: {value}" for name, value in first.params.items())))
        self.list.addTopLevelItem(item)


def _told_together(stages: tuple[StageSettings, ...]) -> list[list[StageSettings]]:
    """Stages that are alike but for their titles, at the place of the first of them."""
    groups: dict[str, list[StageSettings]] = {}
    for stage in stages:
        groups.setdefault(stage.model_copy(update={"title": ""}).model_dump_json(), []).append(stage)
    return list(groups.values())


Given = dict[str, Any]
"""Fields of a BurnOrder."""


class RunOptions(QWidget):
    """A row for each option, and under it, where the option cannot be had, the sentence that says why."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.stages = QToolButton(self)
        self.stage_actions: dict[str, QAction] = {}
        names = ("ResNet-50", tr("LSTM"), tr("Transformer"), tr("your own"))
        pairs = zip(TRAINING, names, strict=True)
        self.networks = {kind: QCheckBox(name, self) for kind, name in pairs if kind in BY_KIND}
        self.module = QLineEdit(self)
        self.precision = QComboBox(self)
        self.batch = QSpinBox(self)
        self.power_limit = QSpinBox(self)
        self.settings = QLineEdit(self)
        self.noise = NoiseOptions(self)
        self.wall = QLineEdit(self)
        self.problems: dict[str, QLabel] = {}
        self._fill()
        self._arrange()
        self._connect()

    def chosen_fields(self) -> list[tuple[str, Given]]:
        """What was asked for, by row: fields of an order; a row that was left alone gives nothing."""
        networks = tuple(kind for kind, check in self.networks.items() if check.isChecked())
        chosen = tuple(kind for kind, action in self.stage_actions.items() if action.isChecked())
        module = self.module.text().strip() if OWN_NETWORK in networks else None
        rows: list[tuple[str, Given]] = [
            ("stages", {"stages": chosen}),
            ("networks", {"networks": networks, "module": module}),
            ("precision", {"precision": self.precision.currentData()}),
            ("batch", {"batch": self.batch.value()}),
            ("power_limit", {"power_limit_w": float(self.power_limit.value())}),
            ("settings", {"settings": tuple(self.settings.text().split())}),
            ("noise", {"noise": self.noise.chosen}),
            ("wall", {"wall": self.wall_meter}),
        ]
        return [(row, {name: value for name, value in fields.items() if value}) for row, fields in rows]

    def check(self, base: BurnOrder) -> BurnOrder | None:
        """The order with all options; None where one cannot be had, which its row then says.

        Options are added one after another: the first with which the order cannot be met is the one at fault.
        """
        problem = ""
        order = base
        at_fault = None
        for row, fields in self.chosen_fields():
            if fields and not problem:
                order = order.model_copy(update=fields)
                problem = problem_of(order)
                at_fault = row if problem else None
        for row, label in self.problems.items():
            label.setText(problem if row == at_fault else "")
            label.setVisible(row == at_fault)
        return None if problem else order

    @property
    def wall_meter(self) -> str | None:
        """Which wall meter is read during the run; None reads none."""
        return self.wall.text().strip() or None

    def _fill(self) -> None:
        self.stages.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.stages.setToolTip(tr("Runs only the stages that are ticked here"))
        menu = QMenu(self.stages)
        menu.setToolTipsVisible(True)
        for stage in STAGES:
            action = menu.addAction(stage.title)
            action.setCheckable(True)
            action.setToolTip(tr("Finds {faults}", faults=stage.finds))
            self.stage_actions[stage.kind] = action
        self.stages.setMenu(menu)
        self.precision.addItem(tr("as planned"), None)
        for precision in Precision:
            self.precision.addItem(precision.value, precision.value)
        self.batch.setRange(0, 4096)
        self.batch.setSpecialValueText(tr("as planned"))
        self.power_limit.setRange(0, 2000)
        self.power_limit.setSpecialValueText(trc("power limit", "any"))
        self.power_limit.setSuffix(" W")
        self.power_limit.setToolTip(tr("Preflight fails if a GPU is set to another limit"))
        self.module.setPlaceholderText("package.module:function")
        self.module.setAccessibleName(tr("Network of your own"))
        words = tr("A function that takes the torch.device and returns the network, a batch function and the loss")
        self.module.setToolTip(words)
        self.settings.setPlaceholderText("vram.passes=2 gemm.size=4096")
        self.settings.setToolTip(tr("Further parameters, KIND.NAME=VALUE, separated by spaces"))
        self.wall.setPlaceholderText("nut:ups@host")
        words = tr("A UPS or PDU behind a NUT server, read every second: nut:UPS@HOST or nut://HOST:PORT/UPS")
        self.wall.setToolTip(words)
        self._say_stages()
        self._say_module()

    def _arrange(self) -> None:
        nets = QWidget(self)
        row_of(*self.networks.values(), (self.module, 1), into=nets)
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        for name, title, field in self._rows(nets):
            form.addRow(title, field)
            (field.focusProxy() or field).setAccessibleName(without_mnemonic(title))
            problem = paragraph(self)
            problem.setStyleSheet(f"color: {theme().color('fail').name()}")
            problem.hide()
            form.addRow("", problem)
            self.problems[name] = problem

    def _rows(self, networks: QWidget) -> Iterator[tuple[str, str, QWidget]]:
        yield "stages", tr("Stages"), self.stages
        yield "networks", tr("Networks"), networks
        yield "precision", tr("Precision"), self.precision
        yield "batch", tr("Batch"), self.batch
        yield "power_limit", tr("Power limit"), self.power_limit
        yield "settings", tr("Parameters"), self.settings
        yield "noise", tr("Noise"), self.noise
        yield "wall", tr("Wall meter"), self.wall

    def _connect(self) -> None:
        for action in self.stage_actions.values():
            action.toggled.connect(self._say_stages)
        for check in self.networks.values():
            check.toggled.connect(self._say_module)
        for signal in (
            *(action.toggled for action in self.stage_actions.values()),
            *(check.toggled for check in self.networks.values()),
            self.module.textChanged,
            self.precision.currentIndexChanged,
            self.batch.valueChanged,
            self.power_limit.valueChanged,
            self.settings.textChanged,
            self.noise.changed,
            self.wall.textChanged,
        ):
            signal.connect(self.changed)
        theme().changed.connect(self._recolour)

    @Slot()
    def _say_stages(self) -> None:
        count = sum(action.isChecked() for action in self.stage_actions.values())
        self.stages.setText(tr("{count} chosen", count=count) if count else tr("all in the profile"))

    @Slot()
    def _say_module(self) -> None:
        own = self.networks.get(OWN_NETWORK)
        self.module.setVisible(own is not None and own.isChecked())

    @Slot()
    def _recolour(self) -> None:
        for problem in self.problems.values():
            problem.setStyleSheet(f"color: {theme().color('fail').name()}")


def problem_of(order: BurnOrder) -> str:
    """Why an order cannot be met, in a sentence; "" if it can."""
    if order.noise is not None and order.simulate is not None:
        return tr("Simulated devices make no noise: choose no microphone, or real devices.")
    if order.wall is not None and order.simulate is not None:
        return tr("Simulated devices draw no power: choose no wall meter, or real devices.")
    try:
        order.validate_words()
    except BadInput as problem:
        return str(problem)
    except ValidationError as error:
        return f"{first_refusal(error)[1]}."
    return ""
