"""What a microphone's level must be raised by to be that of a meter: measured once, kept in the data folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.machine.sound.meter import Second, mean_level_db
from core.platform.errors import BadInput, EnvironmentProblem, reason_of
from core.platform.foreign import read_text
from core.platform.whole_file import write_whole
from core.words import joined, tr

FILE = "microphones.json"
SECONDS = 5
"""Of sound that a calibration listens to."""
STEADY_DB = 3.0
"""Further apart, and the meter was read at another moment than the microphone."""
METER_DBA = (20.0, 120.0)


class Microphone(BaseModel):
    """A calibrated input. Its offset holds as long as its input volume stays as it was."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=200)]
    offset_db: Annotated[float, Field(ge=0, le=250, allow_inf_nan=False)]
    """From dB over full scale to dBA."""
    meter_dba: float
    """What the meter said."""
    at: Annotated[str, Field(max_length=40)]
    """UTC in ISO 8601."""


class Microphones(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    microphones: tuple[Microphone, ...] = ()


def calibrated(name: str, heard: Sequence[Second], meter_dba: float) -> Microphone:
    """The offset by which what was heard is the meter's level. Raises BadInput where it cannot be told."""
    low, high = METER_DBA
    if not low <= meter_dba <= high:
        raise BadInput(
            tr(
                "A meter's level of {meter_dba:g} dBA is outside {low:g} to {high:g} dBA.",
                meter_dba=meter_dba,
                low=low,
                high=high,
            )
        )
    if trouble := next((one.trouble for one in heard if one.trouble), None):
        raise BadInput(joined([tr("Nothing was calibrated."), trouble.sentence]))
    levels = np.array([one.level_db for one in heard])
    apart = float(np.ptp(levels)) if len(levels) else 0.0
    if not len(levels) or apart > STEADY_DB:
        raise BadInput(
            tr(
                "Nothing was calibrated: the level varied by {apart:.1f} dB within {seconds} s. "
                "Calibrate next to a steady sound, such as a fan.",
                apart=apart,
                seconds=len(levels),
            )
        )
    offset = round(meter_dba - mean_level_db(levels), 2)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        return Microphone(name=name, offset_db=offset, meter_dba=meter_dba, at=now)
    except ValidationError as error:
        raise BadInput(
            tr(
                "Nothing was calibrated: the input is {decibels:.0f} dB louder than full scale allows. "
                "Is its volume right?",
                decibels=-offset,
            )
        ) from error


def keep(folder: Path, microphone: Microphone) -> None:
    """In the place of an earlier calibration of the same input. Raises EnvironmentProblem."""
    others = [one for one in read_microphones(folder) if one.name != microphone.name]
    content = Microphones(microphones=(*others, microphone)).model_dump_json(indent=1)
    try:
        write_whole(folder / FILE, content.encode())
    except OSError as error:
        raise EnvironmentProblem(tr("The calibration cannot be saved: {reason}.", reason=reason_of(error))) from error


def read_microphones(folder: Path) -> tuple[Microphone, ...]:
    """All that were calibrated. Raises BadInput for a file that is damaged."""
    path = folder / FILE
    if not path.exists():
        return ()
    try:
        return Microphones.model_validate(json.loads(read_text(path, 1_000_000))).microphones
    except (ValueError, RecursionError) as error:
        raise BadInput(
            tr("{path} is damaged. Remove it and calibrate again: {rigwright noise --calibrate} 52.3.", path=path)
        ) from error


def calibrated_microphone(folder: Path, name: str) -> Microphone:
    """Raises BadInput where it was never calibrated: no level is claimed of such a one."""
    microphone = next((one for one in read_microphones(folder) if one.name == name), None)
    if microphone is None:
        raise BadInput(
            tr(
                "The input {name!r} is not calibrated, so its level is unknown. Hold a sound level meter "
                "next to it and give the reading: {rigwright noise --calibrate} 52.3.",
                name=name,
            )
        )
    return microphone
