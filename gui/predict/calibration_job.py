"""Calibrating as the window asks for it: what was typed, and the work beside the window. Qt-free."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from core.build.build import Build
from core.burnin.measured import measured_run
from core.burnin.store import RunStore
from core.calibrate.measurements import Measurements, SoundReading
from core.calibrate.measurements_file import read_measurements
from core.calibrate.outcome import Outcome
from core.errors import BadInput

OPTIONS = ("--slots", "--room", "--case-air", "--sound", "--distance", "--background")
"""Words of the command in sentences that the window says in its own."""


@dataclass(frozen=True, slots=True)
class Request:
    """A recorded run, a file, or neither: then only the sound reading. None: not measured, or as the source has it."""

    run: int | None = None
    file: Path | None = None
    slots: str = ""
    room_c: float | None = None
    case_air_c: float | None = None
    sound: SoundReading | None = None
    allow_simulated: bool = False


def work_out(data_dir: Path, build: Build, request: Request, stop: Event) -> Outcome | None:
    """What the measurements tell of the build. Raises BadInput in a sentence."""
    from core.calibrate.fit import calibrate

    given = _measurements(data_dir, build, request)
    given = replace(
        given,
        room_c=given.room_c if request.room_c is None else request.room_c,
        case_air_c=given.case_air_c if request.case_air_c is None else request.case_air_c,
        sounds=(*given.sounds, *((request.sound,) if request.sound else ())),
    )
    return None if stop.is_set() else calibrate(build, given)


def _measurements(data_dir: Path, build: Build, request: Request) -> Measurements:
    if request.file is not None:
        return read_measurements(request.file)
    if request.run is None:
        return Measurements(run="a sound reading", on=datetime.now(tz=UTC).date().isoformat())
    with closing(RunStore(data_dir)) as store:
        slots = _slots(request.slots)
        return measured_run(store, request.run, build, slots=slots, allow_simulated=request.allow_simulated)


def _slots(given: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in given.split(",")) if given.strip() else ()
    except ValueError as error:
        raise BadInput(f"{given!r} is no list of slots. Write them like 1,3,5.") from error
