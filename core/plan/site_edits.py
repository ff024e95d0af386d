"""Edits of what surrounds the machine: its circuits, what is assumed and was measured, and how fast its fans turn."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.plan.assumptions import Assumptions
from core.plan.build import Build
from core.plan.calibration import Calibration
from core.plan.edits import Edit
from core.plan.mains import Circuit
from core.platform.errors import BadInput
from core.words import tr


@dataclass(frozen=True, slots=True)
class SetCircuits:
    """Sets the circuits: an own kind (None: the region's), and what else draws from each of them, W."""

    custom: Circuit | None
    other_loads_w: tuple[float, ...]

    @property
    def title(self) -> str:
        count = len(self.other_loads_w)
        return tr("Feed from {number} circuits", number=count) if count > 1 else tr("Change the mains circuit")

    def apply(self, build: Build) -> Build:
        try:
            return replace(build, custom_circuit=self.custom, other_loads_w=self.other_loads_w)
        except ValueError as error:
            raise BadInput(tr("These circuits cannot be set: {reason}.", reason=error.args[0])) from error

    def inverse(self, before: Build) -> Edit:
        return SetCircuits(before.custom_circuit, before.other_loads_w)


@dataclass(frozen=True, slots=True)
class SetAssumptions:
    """Replaces what is assumed."""

    assumptions: Assumptions

    @property
    def title(self) -> str:
        return tr("Change the assumptions")

    def apply(self, build: Build) -> Build:
        return replace(build, assumptions=self.assumptions)

    def inverse(self, before: Build) -> Edit:
        return SetAssumptions(before.assumptions)


@dataclass(frozen=True, slots=True)
class SetCalibration:
    """Replaces what a measured run corrects in the predictions; an empty one takes all corrections away."""

    calibration: Calibration

    @property
    def title(self) -> str:
        return (
            tr("Calibrate from {run}", run=self.calibration.run) if self.calibration else tr("Remove the calibration")
        )

    def apply(self, build: Build) -> Build:
        return replace(build, calibration=self.calibration)

    def inverse(self, before: Build) -> Edit:
        return SetCalibration(before.calibration)


@dataclass(frozen=True, slots=True)
class SetFanShare:
    """Sets case and radiator fans to a share of their highest speed in training; None: nobody set them."""

    share: float | None

    @property
    def title(self) -> str:
        if self.share is None:
            return tr("Let the fans run automatically")
        return tr("Set the fans to {percent:.0f} %", percent=100 * self.share)

    def apply(self, build: Build) -> Build:
        try:
            return replace(build, fan_share=self.share)
        except ValueError as error:
            raise BadInput(tr("The fans cannot be set to that: {reason}.", reason=error.args[0])) from error

    def inverse(self, before: Build) -> Edit:
        return SetFanShare(before.fan_share)
