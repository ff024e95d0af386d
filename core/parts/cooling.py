"""Coolers, fans and the parts of a water loop."""

from __future__ import annotations

from typing import Annotated, Literal

from core.parts.figure import Discontinued, Figure, Unless, WordedValue, stated_value
from core.parts.values import Count, Few, Level, NoisePoint, Positive, Rows, Several, Value, Whole
from core.parts.vocabulary import Category, CoolerKind, Socket
from core.words import joined, plain, tr

_OF_AIR_COOLER = Unless("kind", (CoolerKind.AIO, CoolerKind.BLOCK))


_OF_CLOSED_LOOP = Unless("kind", (CoolerKind.AIR, CoolerKind.BLOCK))


_WITH_FANS = Unless("kind", (CoolerKind.BLOCK,))


class CpuCoolerSpec(Value):
    """Air cooler, closed loop or block."""

    category: Literal[Category.CPU_COOLER] = Category.CPU_COOLER
    kind: Annotated[CoolerKind | None, Figure(decides=True, short=1)] = None
    sockets: Annotated[
        Several[Socket] | None,
        Figure(decides=True, short=(5, lambda spec: " ".join(spec.sockets or ()) or None), opendb="cpu_sockets"),
    ] = None
    height_mm: Annotated[
        Positive | None,
        Figure(
            within=(15, 230),
            decides=_OF_AIR_COOLER,
            short=(3, WordedValue(lambda height_mm: tr("{height_mm:g} mm high", height_mm=height_mm))),
        ),
    ] = None
    ram_max_height_mm: Annotated[Positive | None, Figure("maximum RAM height", within=(20, 120))] = None
    """Tallest RAM module that fits under it with its fan in place."""
    radiator_mm: Annotated[
        Positive | None,
        Figure(
            "radiator length",
            within=(80, 480),
            decides=_OF_CLOSED_LOOP,
            short=(2, WordedValue(lambda length_mm: tr("{length_mm:g} mm radiator", length_mm=length_mm))),
        ),
    ] = None
    radiator_thickness_mm: Annotated[Positive | None, Figure(within=(15, 90))] = None
    rated_power_w: Annotated[Positive | None, Figure(within=(30, 1500), short=4)] = None
    thermal_resistance_k_per_w: Positive | None = None
    fan_count: Annotated[Count | None, Figure(within=(0, 6), decides=_WITH_FANS, opendb="fan_quantity")] = None
    fan_size_mm: Annotated[Positive | None, Figure(within=(30, 200), decides=_WITH_FANS, opendb="fan_size")] = None
    fan_max_rpm: Annotated[Positive | None, Figure("highest fan speed", within=(500, 15000), opendb="max_fan_rpm")] = (
        None
    )
    fan_power_w: Positive | None = None
    noise: Rows[NoisePoint] = ()
    discontinued: Discontinued = None


class FanPoint(Value):
    """A published operating point: free-air flow, shut-off pressure, level at 1 m."""

    rpm: Positive
    airflow_m3h: Positive | None = None
    static_pressure_mmh2o: Positive | None = None
    level_dba: Level | None = None


def _size_words(spec: FanSpec) -> str | None:
    if spec.size_mm and spec.thickness_mm:
        return plain("{size_mm:g} x {thickness_mm:g} mm", size_mm=spec.size_mm, thickness_mm=spec.thickness_mm)
    return None if spec.size_mm is None else stated_value(spec.size_mm, "mm")


def _fastest_words(spec: FanSpec) -> str | None:
    fastest = max(spec.points or (), key=lambda point: point.rpm, default=None)
    if fastest is None:
        return None
    figures = (
        (fastest.rpm, "rpm"),
        (fastest.airflow_m3h, "m³/h"),
        (fastest.static_pressure_mmh2o, "mmH₂O"),
        (fastest.level_dba, "dBA"),
    )
    return joined([stated_value(value, unit) for value, unit in figures if value is not None], ", ")


class FanSpec(Value):
    """A case or radiator fan."""

    category: Literal[Category.FAN] = Category.FAN
    size_mm: Annotated[
        Positive | None, Figure(within=(20, 250), decides=True, short=(1, _size_words), opendb="size")
    ] = None
    thickness_mm: Annotated[Positive | None, Figure(within=(5, 80), decides=True)] = None
    points: Annotated[Rows[FanPoint] | None, Figure(decides=True, short=(2, _fastest_words))] = None
    min_rpm: Annotated[Positive | None, Figure("lowest speed", within=(50, 20000))] = None
    power_w: Annotated[Positive | None, Figure(within=(0.1, 120), decides=True)] = None
    pwm: Annotated[bool | None, Figure(opendb="pwm")] = None
    discontinued: Discontinued = None


class RadiatorPoint(Value):
    """Heat carried off at a coolant-to-air difference of 10 K."""

    rpm: Positive
    watts_per_10k: Positive


class RadiatorSpec(Value):
    """A radiator without fans."""

    category: Literal[Category.RADIATOR] = Category.RADIATOR
    length_mm: Annotated[Positive | None, Figure(within=(80, 1300), decides=True, short=1)] = None
    """Nominal fan length: 120, 240, 280, 360, 420, 480."""
    fan_size_mm: Annotated[Positive | None, Figure(within=(40, 200), decides=True)] = None
    fan_positions: Annotated[Few | None, Figure(within=(1, 18), decides=True)] = None
    thickness_mm: Annotated[
        Positive | None,
        Figure(
            within=(15, 120),
            decides=True,
            short=(2, WordedValue(lambda thickness_mm: tr("{thickness_mm:g} mm thick", thickness_mm=thickness_mm))),
        ),
    ] = None
    outer_length_mm: Positive | None = None
    outer_width_mm: Positive | None = None
    fins_per_inch: Annotated[Positive | None, Figure(within=(5, 40))] = None
    points: Rows[RadiatorPoint] = ()
    discontinued: Discontinued = None


class PumpSpec(Value):
    """A coolant pump, with or without reservoir."""

    category: Literal[Category.PUMP] = Category.PUMP
    kind: Annotated[str | None, Figure(short=1)] = None
    power_w: Annotated[Positive | None, Figure(within=(1, 60), decides=True, short=4)] = None
    flow_lph: Annotated[Positive | None, Figure(within=(50, 3000), short=2)] = None
    head_m: Annotated[
        Positive | None,
        Figure(within=(0.5, 15), short=(3, WordedValue(lambda head_m: tr("{head_m:g} m head", head_m=head_m)))),
    ] = None
    reservoir_ml: Positive | None = None
    noise: Rows[NoisePoint] = ()
    discontinued: Discontinued = None


class WaterBlockSpec(Value):
    """A full-cover block for a card."""

    category: Literal[Category.WATER_BLOCK] = Category.WATER_BLOCK
    fits_products: Annotated[Several[str] | None, Figure("compatible products", decides=True, short=1)] = None
    """Product names of the GPUs that it fits."""
    fits_parts: Annotated[Several[str] | None, Figure("compatible cards")] = None
    """Part ids with the right board layout."""
    width_slots: Annotated[Positive | None, Figure("width in slots", within=(0.8, 4), decides=True, short=2)] = None
    bracket_slots: Annotated[Whole | None, Figure("bracket width")] = None
    length_mm: Annotated[Positive | None, Figure(within=(50, 350), short=3)] = None
    height_mm: Annotated[Positive | None, Figure(within=(50, 200))] = None
    thermal_resistance_k_per_w: Positive | None = None
    discontinued: Discontinued = None
