"""Calibrating as the window asks for it: what was typed, and the work beside the window. Qt-free."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from core.build.build import MAX_POSITION, Build
from core.burnin.measured import measured_run
from core.burnin.store import RunStore
from core.calibrate.measurements import Measurements, SoundReading
from core.calibrate.measurements_file import read_measurements
from core.calibrate.outcome import Outcome
from core.errors import BadInput


@dataclass(frozen=True, slots=True)
class Request:
    """A recorded run, a file, or neither: then only the sound reading. None: not measured, or as the source has it."""

    run: int | None = None
    file: Path | None = None
    slots: str = ""
    room_c: float | None = None
    altitude_m: float | None = None
    case_air_c: float | None = None
    coolant_c: float | None = None
    sound: SoundReading | None = None
    allow_simulated: bool = False


def work_out(data_dir: Path, build: Build, request: Request, stop: Event) -> Outcome | None:
    """What the measurements tell of the build. Raises BadInput in a sentence."""
    from core.calibrate.fit import calibrate

    given = _measurements(data_dir, build, request)
    given = replace(
        given,
        room_c=given.room_c if request.room_c is None else request.room_c,
        altitude_m=given.altitude_m if request.altitude_m is None else request.altitude_m,
        case_air_c=given.case_air_c if request.case_air_c is None else request.case_air_c,
        coolant_c=given.coolant_c if request.coolant_c is None else request.coolant_c,
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
    if not given.strip():
        return ()
    try:
        found = tuple(int(word) for word in given.split(","))
    except ValueError:
        found = ()
    if not found or not all(1 <= slot <= MAX_POSITION for slot in found):
        raise BadInput(f"{given!r} is no list of slots. Write their numbers, 1 to {MAX_POSITION}, like 1,3,5.")
    return found
