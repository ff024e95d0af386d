"""What a viewer orders: profile, devices, simulation, plan; or an interrupted run to go on with."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from core.burnin.profile import Profile
from core.burnin.profile_file import find_profile, stretched
from core.errors import BadInput
from core.telemetry.detect import burnable
from core.telemetry.device import Device
from core.telemetry.simulated_models import parse_simulation


class BurnOrder(BaseModel):
    """Travels as JSON from the viewer to the runner.

    `devices` are ids, their beginnings, or indexes; empty means every CUDA GPU, otherwise the CPU.
    `build` is the text of a build file to compare with. `resume` is the number of an interrupted run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    profile: str = "first-light"
    minutes: float | None = None
    devices: tuple[str, ...] = ()
    simulate: str | None = None
    build: str | None = None
    resume: int | None = None

    def validate_words(self) -> None:
        """Raises BadInput for a profile or a simulation that does not exist, before any process is started."""
        self.wanted_profile()
        if self.simulate is not None:
            parse_simulation(self.simulate)

    def wanted_profile(self) -> Profile:
        """The profile, stretched to `minutes`. Raises BadInput."""
        profile = find_profile(self.profile)
        return profile if self.minutes is None else stretched(profile, self.minutes)


def absolute_profile(name_or_path: str) -> str:
    """The profile as another working directory finds it too."""
    path = Path(name_or_path)
    return str(path.resolve()) if path.is_file() else name_or_path


def choose_devices(present: list[Device], wanted: tuple[str, ...]) -> list[Device]:
    """The devices to burn in. Raises BadInput naming those present when a word fits none or several."""
    if not wanted:
        return burnable(present)
    chosen = [_one(present, word) for word in wanted]
    return [device for device in present if device in chosen]


def _one(present: list[Device], word: str) -> Device:
    exact = [device for device in present if word == device.id]
    fits = exact or [device for device in present if device.id.startswith(word) or word == str(device.index)]
    gpus_first = [device for device in fits if device.kind == "gpu"] or fits
    if len(gpus_first) != 1:
        names = ", ".join(device.id for device in present)
        how = "no device" if not fits else "several devices"
        raise BadInput(f"{word!r} names {how}. Present: {names}.")
    return gpus_first[0]
