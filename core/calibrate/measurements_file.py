"""Reads measurements that somebody wrote down: a JSON file.

{
 "format": "rigwright-measurements", "version": 1,
 "on": "2026-03-01", "by": "Ada",
 "room_c": 24.5, "altitude_m": 520,
 "minutes": 50,
 "cards": [
  {"slot": 1, "temperature_c": 71, "power_w": 345, "drift_k": 0.2, "fan_share": 0.66},
  {"part": "maker-card", "temperature_c": 68, "power_w": 340, "drift_k": 0.1, "fan_rpm": 1900}
 ],
 "case_air_c": 33.0, "coolant_c": 41.5,
 "cpu": {"power_w": 90, "temperature_c": 62},
 "sound": [{"level_dba": 41.2, "distance_m": 1.0, "background_dba": 29.0, "fan_share": 0.6}]
}

`minutes`: how long the load had run. Of each card the means of the last ten minutes, and in `drift_k` by how many
kelvin its temperature rose over them. `part` may be left out where `slot` is given or all cards are of one kind.
`altitude_m` is the height above the sea, 0 where it is left out. `case_air_c` is the air before the cards, `coolant_c`
the water before their blocks. A sound's `fan_share` is that of all cards while it was read, where it was
another than in the run. All but format and version may be left out; what then is not determined is not fitted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from core.calibrate.measurements import MeasuredCard, MeasuredCpu, Measurements, SoundReading
from core.errors import BadInput
from core.foreign import Unreadable, read_json
from core.refusal import first_refusal
from core.text_file import read_text

MAX_BYTES = 4_000_000
_CONFIG = ConfigDict(extra="forbid", allow_inf_nan=False)


class _Card(BaseModel):
    model_config = _CONFIG
    part: str | None = None
    slot: int | None = None
    temperature_c: float
    power_w: float
    drift_k: float
    fan_share: float | None = None
    fan_rpm: float | None = None
    target_c: float | None = None


class _Cpu(BaseModel):
    model_config = _CONFIG
    power_w: float
    temperature_c: float | None = None


class _Sound(BaseModel):
    model_config = _CONFIG
    level_dba: float
    distance_m: float
    background_dba: float
    fan_share: float | None = None


class _File(BaseModel):
    model_config = _CONFIG
    format: Literal["rigwright-measurements"]
    version: Literal[1]
    on: str = ""
    by: str = ""
    room_c: float | None = None
    altitude_m: float = 0.0
    minutes: float = 0.0
    cards: tuple[_Card, ...] = ()
    case_air_c: float | None = None
    coolant_c: float | None = None
    cpu: _Cpu | None = None
    sound: tuple[_Sound, ...] = ()


def read_measurements(path: Path) -> Measurements:
    """The file's measurements under its name. Raises BadInput with a sentence that names the file and the place."""
    text = read_text(path, MAX_BYTES)
    try:
        raw = read_json(text)
    except Unreadable as error:
        raise BadInput(f"{path} is no JSON file: {error}. See the form with: rigwright calibrate --help.") from error
    return _measurements(raw, path)


def _measurements(raw: object, path: Path) -> Measurements:
    try:
        stored = _File.model_validate(raw)
    except ValidationError as error:
        place, reason = first_refusal(error)
        sentence = f"{path} cannot be read at {place or 'its beginning'}: {reason}."
        raise BadInput(f"{sentence} See the form with: rigwright calibrate --help.") from error
    try:
        return Measurements(
            run=path.name,
            cards=tuple(_card(card) for card in stored.cards),
            minutes=stored.minutes,
            room_c=stored.room_c,
            altitude_m=stored.altitude_m,
            case_air_c=stored.case_air_c,
            coolant_c=stored.coolant_c,
            cpu=MeasuredCpu(**stored.cpu.model_dump()) if stored.cpu else None,
            sounds=tuple(SoundReading(**sound.model_dump()) for sound in stored.sound),
            on=stored.on,
            by=stored.by,
        )
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error


def _card(stored: _Card) -> MeasuredCard:
    figures = stored.model_dump(exclude={"part"})
    return MeasuredCard(part_id=stored.part, **figures)
