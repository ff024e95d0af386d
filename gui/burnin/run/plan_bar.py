"""What is about to be burned in: profile and its stages, time, devices, and the power that this will draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QFileDialog, QPushButton, QWidget

from core.burnin.profile.file import shipped_profiles
from core.burnin.profile.profile import Profile
from core.burnin.run.order import BurnOrder
from core.burnin.verdict.predicted import expected_power
from core.machine.asbuilt.bus import BusCard
from core.machine.telemetry.detect import burnable
from core.machine.telemetry.device import Device, DeviceKind
from core.plan.build import Build
from core.plan.file import parse_build
from core.platform.errors import BadInput
from core.words import tr, translated, trn
from gui.burnin.run.run_options import RunOptions, StageList, problem_of
from gui.burnin.words import bus, clock, identity, model
from gui.widgets.figures import say
from gui.widgets.flow import Columns, Flow
from gui.widgets.form import column_of, row_of
from gui.widgets.text import Label, paragraph, tip
from gui.widgets.theme import theme


@dataclass(frozen=True, slots=True)
class ExpectedLoad:
    """The sum of the power limits that are known. Simulated devices draw nothing."""

    power_w: float
    complete: bool
    """Whether the limit of every real device is known."""


@dataclass(frozen=True, slots=True)
class SimulatedExample:
    """Simulated cards with the build that they are compared with, in place of the one that is open."""

    simulated: str
    build: str


class PlanBar(QWidget):
    """Asks for everything a run needs: this widget for the devices, `controls` for the rest in a row of its own."""

    detect_wanted = Signal()
    simulate_wanted = Signal()
    changed = Signal()
    """The choice of devices or of what is done changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.simulated: str | None = None
        self.simulation_words = ""
        """The same as the user wrote it."""
        self.example: SimulatedExample | None = None
        self._profiles: list[Profile] = shipped_profiles()
        self._devices: list[Device] = []
        self._unserved: tuple[BusCard, ...] = ()
        self.checks: list[QCheckBox] = []
        self.leave_out: list[QCheckBox] = []
        """One for each card on the bus that the driver does not list."""
        self.controls = QWidget(self)
        self.profile = QComboBox(self.controls)
        self.minutes = QDoubleSpinBox(self.controls)
        self.more = QPushButton(tr("Options"), self.controls)
        self.options = RunOptions(self)
        self.stages = StageList(self)
        self.expected = paragraph(self)
        self._details = QWidget(self)
        self._plan_text: Callable[[], str | None] = lambda: None
        self.compare = QCheckBox(tr("Compare with the build"), self.controls)
        self.compare.setToolTip(tr("The verdict compares what is measured with what the plan predicts"))
        self.compare.hide()
        self.detect = QPushButton(tr("Detect again"), self.controls)
        self.simulate = QPushButton(tr("Simulate…"), self.controls)
        self.summary = Label(self)
        self._columns = Columns(self)
        self.problem = paragraph(self)
        self._checked: BurnOrder | None = None
        self._before = 0
        self._fill()
        self._arrange()
        self._recolour()
        theme().changed.connect(self._recolour)
        self.profile.currentIndexChanged.connect(self._profile_chosen)
        self.minutes.valueChanged.connect(self._review)
        self.compare.toggled.connect(self._review)
        self.options.changed.connect(self._review)
        self.more.toggled.connect(self._details.setVisible)
        self.more.toggled.connect(self.expected.setVisible)
        self.detect.clicked.connect(self.detect_wanted)
        self.simulate.clicked.connect(self.simulate_wanted)

    @property
    def present(self) -> list[Device]:
        """All that were found."""
        return list(self._devices)

    @property
    def plan_text(self) -> str | None:
        """The text of the build that is planned, whether the run is compared with it or not."""
        return self._plan_text()

    @property
    def chosen(self) -> list[Device]:
        """The devices that are ticked."""
        return [device for device, check in zip(self._devices, self.checks, strict=True) if check.isChecked()]

    @property
    def startable(self) -> bool:
        """Whether devices are ticked and the options make a run.

        On a machine without a GPU a run without devices says so in its verdict.
        """
        return bool(self.chosen or (self._devices and not self._has_gpu)) and self._checked is not None

    @property
    def _has_gpu(self) -> bool:
        return any(device.kind is DeviceKind.GPU for device in self._devices)

    def order(self) -> BurnOrder | None:
        """What the runner is asked for; None where the options make no run."""
        checked = self.options.check(self._base())
        build = self._plan_text() if self.compare.isChecked() else None
        if self.example is not None and self.example.simulated == self.simulated:
            build = self.example.build
        return checked and checked.model_copy(update={"build": build})

    def set_build_source(self, plan_text: Callable[[], str | None]) -> None:
        """Where the text of the planned build comes from; the run can then be compared with it."""
        self._plan_text = plan_text
        self.compare.show()

    def _base(self) -> BurnOrder:
        pairs = zip(self._unserved, self.leave_out, strict=True)
        return BurnOrder(
            profile=str(self.profile.currentData()),
            minutes=self.minutes.value() or None,
            devices=tuple(device.id for device in self.chosen),
            leave_out=tuple(card.address for card, out in pairs if out.isChecked()),
            simulate=self.simulated,
        )

    @Slot()
    def _review(self) -> None:
        """Shows what the run would do and draw, or why there can be none."""
        base = self._base()
        problem = problem_of(base)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self._checked = None if problem else self.options.check(base)
        profile = self._checked.wanted_profile() if self._checked else None
        self.stages.show_profile(profile)
        self.expected.setText(self._expected_words(profile))
        self.changed.emit()

    def _expected_words(self, profile: Profile | None) -> str:
        if profile is None or not self.chosen:
            return ""
        text = self._plan_text() if self.compare.isChecked() else None
        return expected_power(profile, self.chosen, _plan(text)).sentence

    @Slot(int)
    def _profile_chosen(self, index: int) -> None:
        """The last entry asks for a file, which then is an entry of its own."""
        if index == self.profile.count() - 1:
            kinds = tr("Profiles (*.toml);;All files (*)")
            path, _ = QFileDialog.getOpenFileName(self, tr("Burn-in profile"), "", kinds)
            self.profile.setCurrentIndex(self._before)  # first: a new entry would move the choice to the last one again
            if path:
                self.profile.setCurrentIndex(self.add_profile(Path(path)))
            return
        self._before = index
        self._review()

    def add_profile(self, path: Path) -> int:
        """A profile from a file as an entry; one that cannot be used is said beside the list. Returns its place."""
        place = self.profile.count() - 1
        self.profile.insertItem(place, path.name, str(path.resolve()))
        return place

    def set_devices(self, devices: list[Device], unserved: tuple[BusCard, ...] = ()) -> None:
        """Shows what was found. GPUs are ticked. `unserved` are cards on the bus that the driver does not list."""
        self._devices, self._unserved = devices, unserved
        burnable_ids = {device.id for device in burnable(devices)}
        self.checks = []
        for device in devices:
            check = QCheckBox(_label(device), self)
            check.setToolTip(tip(identity(device)))
            check.setAccessibleDescription(identity(device))
            check.setChecked(device.id in burnable_ids)
            check.toggled.connect(self._summarise)
            self.checks.append(check)
        self.leave_out = []
        for card in unserved:
            out = QCheckBox(tr("Leave out {card}", card=card.title), self)
            out.setToolTip(tip(card.sentence))
            say(out, card.sentence)
            out.toggled.connect(self._summarise)
            self.leave_out.append(out)
        self._columns.set_cells([*self.checks, *self.leave_out])
        self._summarise()

    @Slot()
    def _summarise(self) -> None:
        self.summary.setText(self._summary())
        self._wrap()
        self._review()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Devices keep half of the width."""
        super().resizeEvent(event)
        self._wrap()

    def _wrap(self) -> None:
        words = self.summary.fontMetrics().horizontalAdvance(self.summary.text())
        self.summary.setWordWrap(words > self.width() / 2)

    def _summary(self) -> str:
        if not self._devices:
            return tr("No device was found.")
        parts = []
        if untested := [out for out in self.leave_out if not out.isChecked()]:
            parts.append(
                trn(
                    "{count} card on the bus cannot be tested",
                    "{count} cards on the bus cannot be tested",
                    count=len(untested),
                )
            )
        if not self._has_gpu:
            parts.append(tr("No GPU to test; tick the CPU to burn it in instead"))
        expected = expected_load(self.chosen)
        if expected.power_w:
            kw = expected.power_w / 1000
            at_least = tr("Expected at least {kw:.1f} kW", kw=kw)
            parts.append(tr("Expected {kw:.1f} kW", kw=kw) if expected.complete else at_least)
        elif any(device.kind is DeviceKind.GPU and not device.simulated for device in self.chosen):
            parts.append(tr("Power limit unknown"))
        elif any(device.simulated for device in self.chosen):
            parts.append(tr("SIMULATED: no hardware is loaded"))
        elif not self.chosen and self._has_gpu:
            parts.append(tr("Tick a device to burn in"))
        return "   ".join(parts)

    def _fill(self) -> None:
        for profile in self._profiles:
            self.profile.addItem(f"{translated(profile.title)}, {clock(profile.seconds)}", profile.name)
            place = self.profile.count() - 1
            self.profile.setItemData(place, tip(translated(profile.description)), Qt.ItemDataRole.ToolTipRole)
        self.profile.addItem(tr("From a file…"), "")
        self.profile.setAccessibleName(tr("Profile"))
        self.profile.setToolTip(tr("What is done, and for how long"))
        self.minutes.setRange(0, 7 * 24 * 60)
        self.minutes.setDecimals(0)
        self.minutes.setSpecialValueText(tr("as planned"))
        self.minutes.setSuffix(tr(" min"))
        self.minutes.setAccessibleName(tr("Minutes"))
        self.minutes.setToolTip(tr("Scales all stages to this time; preflight keeps its duration"))
        self.detect.setToolTip(tr("Looks for devices again"))
        self.simulate.setToolTip(tr("Shows simulated devices, marked SIMULATED everywhere"))
        self.more.setCheckable(True)
        self.more.setChecked(True)
        self.more.setToolTip(tr("What the run will do, and what can be changed"))
        self.problem.hide()

    def _arrange(self) -> None:
        profile_label = Label(tr("&Profile"), self.controls)
        profile_label.setBuddy(self.profile)
        minutes_label = Label(tr("&Time"), self.controls)
        minutes_label.setBuddy(self.minutes)
        top = Flow(self.controls)
        for widget in (profile_label, self.profile, minutes_label, self.minutes, self.more, self.compare):
            top.addWidget(widget)
        top.push_right()
        top.addWidget(self.detect)
        top.addWidget(self.simulate)
        devices = row_of((self._columns, 1), spacing=16)
        devices.addWidget(self.summary, 0, Qt.AlignmentFlag.AlignTop)
        row_of((self.stages, 3), (column_of(self.options, 1), 2), into=self._details, margins=(0, 4, 0, 0), spacing=16)
        column_of(devices, self.problem, self.expected, (self._details, 1), into=self, spacing=4)

    @Slot()
    def _recolour(self) -> None:
        self.problem.setStyleSheet(f"color: {theme().color('fail').name()}")


def expected_load(devices: list[Device]) -> ExpectedLoad:
    """Of these devices at their limits."""
    limits = [device.power_limit_w for device in devices if not device.simulated]
    return ExpectedLoad(sum(limit for limit in limits if limit is not None), None not in limits)


def _plan(text: str | None) -> Build | None:
    """The build in a text; None for none, or one that cannot be read: the runner will say so."""
    try:
        return None if text is None else parse_build(text, lambda _: None, tr("The planned build"))
    except BadInput:
        return None


def _label(device: Device) -> str:
    return "  ".join(part for part in (device.label, model(device), bus(device)) if part)
