"""What is about to be burned in: profile, time, devices, and the power that this will draw."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from core.burnin.launch import BurnOrder
from core.burnin.profile import Profile
from core.burnin.profile_file import shipped_profiles
from core.telemetry.detect import burnable
from core.telemetry.device import Device, DeviceKind
from gui.burnin.clock import clock
from gui.burnin.load import expected_load
from gui.burnin.words import bus, identity, model
from gui.widgets.columns import Columns


class PlanBar(QWidget):
    """Asks for everything a run needs: this widget for the devices, `controls` for the rest in a row of its own."""

    detect_wanted = Signal()
    simulate_wanted = Signal()
    changed = Signal()
    """The choice of devices changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.simulated: str | None = None
        self._profiles: list[Profile] = shipped_profiles()
        self._devices: list[Device] = []
        self.checks: list[QCheckBox] = []
        self.controls = QWidget(self)
        self.profile = QComboBox(self.controls)
        self.minutes = QDoubleSpinBox(self.controls)
        self.compare = QCheckBox(self.tr("Compare with the build"), self.controls)
        self.compare.setToolTip(self.tr("The verdict compares what is measured with what the plan predicts"))
        self.compare.hide()
        self.detect = QPushButton(self.tr("Detect again"), self.controls)
        self.simulate = QPushButton(self.tr("Simulate…"), self.controls)
        self.summary = QLabel(self)
        self._columns = Columns(self)
        self._fill()
        self._arrange()
        self.detect.clicked.connect(self.detect_wanted)
        self.simulate.clicked.connect(self.simulate_wanted)

    @property
    def chosen(self) -> list[Device]:
        """The devices that are ticked."""
        return [device for device, check in zip(self._devices, self.checks, strict=True) if check.isChecked()]

    def order(self, build: str | None = None) -> BurnOrder:
        """What the runner is asked for; `build` is the text of a build file to compare with."""
        return BurnOrder(
            profile=self._profiles[self.profile.currentIndex()].name,
            minutes=self.minutes.value() or None,
            devices=tuple(device.id for device in self.chosen),
            simulate=self.simulated,
            build=build,
        )

    def set_devices(self, devices: list[Device]) -> None:
        """Shows what was found. GPUs are ticked; without one, the CPU."""
        self._devices = devices
        wanted = {device.id for device in burnable(devices)}
        self.checks = []
        for device in devices:
            check = QCheckBox(_label(device), self)
            check.setToolTip(identity(device))
            check.setAccessibleDescription(identity(device))
            check.setChecked(device.id in wanted)
            check.toggled.connect(self._summarise)
            self.checks.append(check)
        self._columns.set_cells(self.checks)
        self._summarise()

    def show_searching(self) -> None:
        """Devices are being looked for."""
        self.summary.setText(self.tr("Looking for devices…"))

    @Slot()
    def _summarise(self) -> None:
        self.summary.setText(self._summary())
        self.changed.emit()

    def _summary(self) -> str:
        if not self._devices:
            return self.tr("No device was found.")
        parts = []
        if not any(device.kind is DeviceKind.GPU for device in self._devices):
            parts.append(self.tr("No NVIDIA GPU was found: the CPU is burned in instead."))
        expected = expected_load(self.chosen)
        if expected.power_w:
            least = "" if expected.complete else self.tr("at least ")
            parts.append(self.tr("Expected {least}{kw:.1f} kW").format(least=least, kw=expected.power_w / 1000))
        elif any(device.kind is DeviceKind.GPU and not device.simulated for device in self.chosen):
            parts.append(self.tr("Power limit unknown"))
        elif any(device.simulated for device in self.chosen):
            parts.append(self.tr("SIMULATED: no hardware is loaded"))
        elif not self.chosen:
            parts.append(self.tr("Tick a device to burn in"))
        return "   ".join(parts)

    def _fill(self) -> None:
        for profile in self._profiles:
            self.profile.addItem(f"{profile.title}, {clock(profile.seconds)}", profile.name)
            self.profile.setItemData(self.profile.count() - 1, profile.description, 3)
        self.profile.setAccessibleName(self.tr("Profile"))
        self.profile.setToolTip(self.tr("What is done, and for how long"))
        self.minutes.setRange(0, 7 * 24 * 60)
        self.minutes.setDecimals(0)
        self.minutes.setSpecialValueText(self.tr("as planned"))
        self.minutes.setSuffix(self.tr(" min"))
        self.minutes.setAccessibleName(self.tr("Minutes"))
        self.minutes.setToolTip(self.tr("Stretches all stages to this time; preflight keeps its length"))
        self.detect.setToolTip(self.tr("Looks for devices once more"))
        self.simulate.setToolTip(self.tr("Shows made-up devices, marked SIMULATED everywhere"))

    def _arrange(self) -> None:
        profile_label = QLabel(self.tr("&Profile"), self.controls)
        profile_label.setBuddy(self.profile)
        minutes_label = QLabel(self.tr("&Time"), self.controls)
        minutes_label.setBuddy(self.minutes)
        top = QHBoxLayout(self.controls)
        top.setContentsMargins(0, 0, 0, 0)
        for widget in (profile_label, self.profile, minutes_label, self.minutes, self.compare):
            top.addWidget(widget)
        top.addStretch(1)
        top.addWidget(self.detect)
        top.addWidget(self.simulate)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addWidget(self._columns, 1)
        row.addWidget(self.summary, 0, Qt.AlignmentFlag.AlignTop)


def _label(device: Device) -> str:
    place = f"GPU {device.index}" if device.kind is DeviceKind.GPU else "CPU"
    return "  ".join(part for part in (place, model(device), bus(device)) if part)
