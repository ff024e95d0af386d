"""The case and what it has room for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.parts.values import Count, Few, Level, Positive, Rows, Several, Value, Whole
from core.parts.vocabulary import CaseKind, Category, FormFactor, Panels, Place, PsuFormFactor


class FanMount(Value):
    """Room for fans on one side of a case."""

    place: Place
    size_mm: Positive
    count: Few


class RadiatorMount(Value):
    """Room for one radiator; alternatives on the same side are separate rows with the same `place`."""

    place: Place
    length_mm: Positive
    fan_size_mm: Positive
    max_thickness_mm: Positive | None = None


class PsuMount(Value):
    """Room for one PSU."""

    form_factor: PsuFormFactor
    max_length_mm: Positive | None = None


class IncludedFan(Value):
    """Fans that come with a case or radiator."""

    place: Place
    size_mm: Positive
    count: Few
    max_rpm: Positive | None = None
    level_dba: Level | None = None
    airflow_m3h: Positive | None = None
    static_pressure_mmh2o: Positive | None = None


class CaseSpec(Value):
    """A tower, open frame, rack chassis, or the chassis of a complete system."""

    category: Literal[Category.CASE] = Category.CASE
    kind: CaseKind | None = None
    form_factors: Several[FormFactor] | None = None
    board_max_width_mm: Positive | None = None
    expansion_slots: Count | None = None
    slot_offset: Annotated[int, Field(ge=-24, le=24)] = 0
    """Bracket openings above board slot 1."""
    gpu_max_length_mm: Positive | None = None
    gpu_max_length_front_radiator_mm: Positive | None = None
    gpu_max_height_mm: Positive | None = None
    cpu_cooler_max_height_mm: Positive | None = None
    psu_mounts: Rows[PsuMount] | None = None
    fan_mounts: Rows[FanMount] | None = None
    radiator_mounts: Rows[RadiatorMount] | None = None
    included_fans: Rows[IncludedFan] | None = None
    bays_3_5: Count | None = None
    bays_2_5: Count | None = None
    height_mm: Positive | None = None
    width_mm: Positive | None = None
    depth_mm: Positive | None = None
    rack_units: Whole | None = None
    panels: Panels | None = None
    sold_with: Several[str] = ()
    """Ids of the parts that the maker of a complete system fits into it: what lies among them is settled."""
