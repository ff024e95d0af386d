"""The case and what it has room for, and the complete machine that is sold as one."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.parts.compute import ports_words
from core.parts.figure import Discontinued, Figure, Unless, WordedValue
from core.parts.values import Count, Few, Level, NoisePoint, Positive, Rows, Several, Value, Whole
from core.parts.vocabulary import CaseKind, CaseSide, Category, FormFactor, Panels, PsuFormFactor, SystemKind
from core.words import tr, trn


class FanMount(Value):
    """Room for fans on one side of a case."""

    place: CaseSide
    size_mm: Positive
    count: Few


class RadiatorMount(Value):
    """Room for one radiator; alternatives on the same side are separate rows with the same `place`."""

    place: CaseSide
    length_mm: Positive
    fan_size_mm: Positive
    max_thickness_mm: Positive | None = None


class PsuMount(Value):
    """Room for one PSU."""

    form_factor: PsuFormFactor
    max_length_mm: Positive | None = None


class IncludedFan(Value):
    """Fans that come with a case or radiator."""

    place: CaseSide
    size_mm: Positive
    count: Few
    max_rpm: Positive | None = None
    level_dba: Level | None = None
    airflow_m3h: Positive | None = None
    static_pressure_mmh2o: Positive | None = None


_SIZE_ORDER = list(FormFactor)


def _largest_board(spec: CaseSpec) -> str | None:
    return max(spec.form_factors, key=_SIZE_ORDER.index).label if spec.form_factors else None


_IF_CLOSED = Unless("kind", (CaseKind.OPEN_FRAME,))


class CaseSpec(Value):
    """A tower, open frame, rack chassis, or the chassis of a complete system."""

    category: Literal[Category.CASE] = Category.CASE
    kind: Annotated[CaseKind | None, Figure(decides=True, short=1, opendb="form_factor")] = None
    form_factors: Annotated[
        Several[FormFactor] | None,
        Figure(decides=True, short=(3, _largest_board), opendb="supported_motherboard_form_factors"),
    ] = None
    board_max_width_mm: Annotated[Positive | None, Figure("maximum board width")] = None
    expansion_slots: Annotated[
        Count | None, Figure(within=(0, 24), decides=True, short=4, opendb="expansion_slots")
    ] = None
    slot_offset: Annotated[int, Field(ge=-24, le=24)] = 0
    """Bracket openings above board slot 1."""
    gpu_max_length_mm: Annotated[
        Positive | None,
        Figure(
            "maximum card length",
            within=(100, 1000),
            decides=_IF_CLOSED,
            short=(5, WordedValue(lambda length_mm: tr("GPU to {length_mm:g} mm", length_mm=length_mm))),
            opendb="max_video_card_length",
        ),
    ] = None
    gpu_max_length_front_radiator_mm: Annotated[
        Positive | None, Figure("maximum card length behind front radiator", within=(100, 1000))
    ] = None
    gpu_max_height_mm: Annotated[Positive | None, Figure("maximum card height", within=(50, 400))] = None
    cpu_cooler_max_height_mm: Annotated[
        Positive | None,
        Figure("maximum cooler height", within=(20, 350), decides=_IF_CLOSED, opendb="max_cpu_cooler_height"),
    ] = None
    psu_mounts: Annotated[Rows[PsuMount] | None, Figure(decides=True)] = None
    fan_mounts: Rows[FanMount] | None = None
    radiator_mounts: Annotated[Rows[RadiatorMount] | None, Figure(decides=True)] = None
    included_fans: Rows[IncludedFan] | None = None
    bays_3_5: Annotated[Count | None, Figure("3.5-inch bays", within=(0, 60), opendb="internal_3_5_bays")] = None
    bays_2_5: Annotated[Count | None, Figure("2.5-inch bays", within=(0, 60), opendb="internal_2_5_bays")] = None
    height_mm: Annotated[Positive | None, Figure(within=(40, 1200), opendb="dimensions_mm.height")] = None
    width_mm: Annotated[Positive | None, Figure(within=(50, 900), opendb="dimensions_mm.width")] = None
    depth_mm: Annotated[Positive | None, Figure(within=(100, 1300), opendb="dimensions_mm.depth")] = None
    rack_units: Annotated[
        Whole | None,
        Figure(
            within=(1, 12),
            short=(2, WordedValue(lambda units: trn("{count} rack unit", "{count} rack units", count=units))),
        ),
    ] = None
    panels: Annotated[Panels | None, Figure(decides=_IF_CLOSED)] = None
    sold_with: Several[str] = ()
    """Ids of the parts that the maker installs in a complete system: they are known to fit each other."""
    discontinued: Discontinued = None


_SEALED = Unless("kind", (SystemKind.COMPLETE, SystemKind.BAREBONE))
_OF_PARTS = Unless("kind", (SystemKind.SEALED,))


class Included(Value):
    """A part of the catalogue that the system contains."""

    part: str
    """Its id."""
    count: Few = 1


class SystemSpec(Value):
    """One machine with one price. Its parts enter the build beside it, and its price is theirs."""

    category: Literal[Category.SYSTEM] = Category.SYSTEM
    kind: Annotated[SystemKind | None, Figure(decides=True, short=1)] = None
    includes: Annotated[
        Rows[Included],
        Figure(
            "included parts",
            decides=_OF_PARTS,
            short=(6, WordedValue(lambda rows: trn("{count} kind of part", "{count} kinds of parts", count=len(rows)))),
        ),
    ] = ()
    """Empty where nothing of it is sold by itself."""
    product: Annotated[str | None, Figure(decides=_SEALED, short=2)] = None
    """The chip that computes: "GB10", "Ryzen AI Max+ 395"."""
    memory_gb: Annotated[Positive | None, Figure(within=(4, 4096), decides=_SEALED, short=3)] = None
    """That CPU and GPU share; of a system with GPU memory of its own, that of the CPU."""
    gpu_memory_gb: Annotated[Positive | None, Figure(within=(4, 4096))] = None
    """Beside the other memory, or the most of the shared one that its firmware gives the GPU."""
    memory_bandwidth_gbps: Annotated[Positive | None, Figure(within=(20, 10000), decides=_SEALED, short=4)] = None
    """Of the memory that the GPU computes in, GB/s."""
    memory_type: str | None = None
    cores: Annotated[Whole | None, Figure(within=(1, 400))] = None
    fp16_tensor_tflops: Annotated[Positive | None, Figure(within=(5, 10000))] = None
    """Dense."""
    capacity_gb: Annotated[Positive | None, Figure(within=(8, 300000))] = None
    ports: Annotated[Whole | None, Figure(within=(1, 8))] = None
    port_gbit: Annotated[Positive | None, Figure("port speed", within=(0.1, 800), short=(5, ports_words))] = None
    psu_w: Annotated[Positive | None, Figure("PSU of its own", within=(30, 20000), decides=_SEALED)] = None
    idle_power_w: Annotated[Positive | None, Figure(within=(1, 2000))] = None
    load_power_w: Annotated[Positive | None, Figure(within=(10, 20000))] = None
    """What the whole machine draws from the wall while its GPU works, W."""
    noise: Rows[NoisePoint] = ()
    height_mm: Annotated[Positive | None, Figure(within=(20, 1200))] = None
    width_mm: Annotated[Positive | None, Figure(within=(40, 900))] = None
    depth_mm: Annotated[Positive | None, Figure(within=(40, 1300))] = None
    mass_g: Annotated[Positive | None, Figure(within=(200, 200000))] = None
    discontinued: Discontinued = None

    @property
    def lacks_nothing(self) -> bool:
        """Whether nothing has to be chosen for it to run."""
        return self.kind in (SystemKind.SEALED, SystemKind.COMPLETE)
