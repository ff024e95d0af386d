"""The figures of a part, one typed model per category. `None` is unknown, never zero.

Lengths in mm, power in W, airflow in m3/h, pressure in mmH2O, levels in dBA with their distance.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.parts.vocabulary import (
    Attachment,
    CaseKind,
    Category,
    CoolerKind,
    EfficiencyLevel,
    FormFactor,
    GpuCooling,
    GpuForm,
    Inlet,
    ModuleKind,
    NoiseCondition,
    Panels,
    Place,
    PowerConnector,
    PsuFormFactor,
    RamType,
    RiserKind,
    Socket,
    StorageKind,
)

Lanes = Literal[1, 2, 4, 8, 16]
Positive = Annotated[float, Field(gt=0)]
Whole = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
Level = Annotated[float, Field(ge=0, le=120)]


class Value(BaseModel):
    """A frozen value read from text; unknown keys are refused so that a typing error cannot hide."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)


class ConnectorCount(Value):
    """So many sockets of one kind."""

    kind: PowerConnector
    count: Annotated[int, Field(ge=1)]


class NoisePoint(Value):
    """A measured or rated level."""

    condition: NoiseCondition
    level_dba: Level
    distance_m: Positive = 1.0
    rpm: Positive | None = None
    load_w: Positive | None = None
    """What the part drew or delivered meanwhile, W."""


class Excursion(Value):
    """Peak power over a window, as a multiple of the power limit."""

    window_ms: Positive
    factor: Positive


class GpuSpec(Value):
    """A graphics or compute card as sold: chip and cooler together."""

    category: Literal[Category.GPU] = Category.GPU
    product: str
    """The chip's product name, shared by all board variants: "GeForce RTX 3090"."""
    chip: str | None = None
    architecture: str | None = None
    compute_capability: str | None = None
    form: GpuForm = GpuForm.PCIE_CARD
    cooling: GpuCooling | None = None

    length_mm: Positive | None = None
    height_mm: Positive | None = None
    """Bracket to the upper edge of cooler or board, without the plug."""
    thickness_mm: Positive | None = None
    width_slots: Annotated[float, Field(gt=0, le=5)] | None = None
    """Cooler width in slot pitches of 20.32 mm; 2.7 blocks three."""
    bracket_slots: Annotated[int, Field(ge=1, le=5)] | None = None
    mass_g: Positive | None = None

    pcie_generation: Annotated[int, Field(ge=1, le=7)] | None = None
    pcie_lanes: Lanes | None = None
    power_limit_w: Positive | None = None
    """Default board power limit."""
    power_limit_min_w: Positive | None = None
    power_limit_max_w: Positive | None = None
    idle_power_w: Positive | None = None
    power_connectors: tuple[ConnectorCount, ...] | None = None
    """Empty: fed by the slot alone. None: unknown."""
    excursions: tuple[Excursion, ...] = ()

    memory_gb: Positive | None = None
    memory_type: str | None = None
    memory_bus_bits: Whole | None = None
    memory_bandwidth_gbps: Positive | None = None
    """GB/s."""
    ecc: bool | None = None
    bar1_gb: Positive | None = None

    cores: Whole | None = None
    tensor_cores: Count | None = None
    sm_count: Whole | None = None
    base_clock_mhz: Positive | None = None
    boost_clock_mhz: Positive | None = None
    fp64_tflops: Positive | None = None
    fp32_tflops: Positive | None = None
    tf32_tflops: Positive | None = None
    fp16_tflops: Positive | None = None
    """Outside tensor cores."""
    fp16_tensor_tflops: Positive | None = None
    """Dense, FP32 accumulation."""
    bf16_tensor_tflops: Positive | None = None
    fp8_tensor_tflops: Positive | None = None

    nvlink_generation: Whole | None = None
    nvlink_links: Count | None = None
    """Zero: none."""
    nvlink_gbps: Positive | None = None
    """All links, both ways, GB/s."""
    p2p: bool | None = None

    fan_count: Count | None = None
    fan_max_rpm: Positive | None = None
    fan_stop: bool | None = None
    noise: tuple[NoisePoint, ...] = ()
    thermal_resistance_k_per_w: Positive | None = None
    temperature_target_c: Positive | None = None
    temperature_slowdown_c: Positive | None = None
    temperature_shutdown_c: Positive | None = None
    radiator_mm: Positive | None = None
    """Length of the radiator that a hybrid card brings."""


class CpuSpec(Value):
    """A processor."""

    category: Literal[Category.CPU] = Category.CPU
    socket: Socket | None = None
    architecture: str | None = None
    cores: Whole | None = None
    threads: Whole | None = None
    base_clock_mhz: Positive | None = None
    boost_clock_mhz: Positive | None = None
    tdp_w: Positive | None = None
    max_power_w: Positive | None = None
    """Sustained package limit: PPT or PL2."""
    idle_power_w: Positive | None = None
    pcie_generation: Whole | None = None
    pcie_lanes: Count | None = None
    """Lanes of the CPU that slots can use."""
    ram_types: tuple[RamType, ...] | None = None
    ram_kinds: tuple[ModuleKind, ...] | None = None
    ram_channels: Whole | None = None
    ram_max_gb: Positive | None = None
    ecc: bool | None = None
    max_sockets: Whole | None = None
    integrated_graphics: bool | None = None
    temperature_max_c: Positive | None = None


class Slot(Value):
    """One expansion slot of a board."""

    position: Annotated[int, Field(ge=1, le=12)]
    """Place in the ATX pitch from the top, 1 is nearest to the CPU; empty pitches count."""
    label: str
    mechanical_lanes: Lanes
    lanes: Lanes
    """Electrical width when nothing shares."""
    generation: Annotated[int, Field(ge=1, le=7)]
    attachment: Attachment | None = None
    cpu: Annotated[int, Field(ge=0, le=1)] = 0
    switch: str | None = None
    open_ended: bool = False
    bifurcation: tuple[str, ...] = ()


class M2Socket(Value):
    """One M.2 or U.2 socket of a board."""

    label: str
    lanes: Lanes
    generation: Whole
    attachment: Attachment | None = None


class LaneCase(Value):
    """A row of the maker's population table: with these slots filled, those widths result.

    The row with the most entries in `filled` that all hold wins; without one, `Slot.lanes` holds.
    """

    filled: tuple[str, ...]
    """Labels of slots and M.2 sockets in use."""
    widths: dict[str, Annotated[int, Field(ge=0, le=16)]]
    """Electrical lanes by slot label; 0 is switched off."""
    cpu_lanes: Whole | None = None
    """Only with a CPU of at most this many lanes."""


class MotherboardSpec(Value):
    """A board with its ordered slots."""

    category: Literal[Category.MOTHERBOARD] = Category.MOTHERBOARD
    socket: Socket | None = None
    cpu_sockets: Annotated[int, Field(ge=1, le=2)] = 1
    chipset: str | None = None
    form_factor: FormFactor | None = None
    height_mm: Positive | None = None
    width_mm: Positive | None = None
    ram_type: RamType | None = None
    ram_kinds: tuple[ModuleKind, ...] | None = None
    ram_slots: Whole | None = None
    ram_channels: Whole | None = None
    ram_max_gb: Positive | None = None
    ram_module_max_gb: Positive | None = None
    ecc: bool | None = None
    slots: tuple[Slot, ...] | None = None
    m2: tuple[M2Socket, ...] | None = None
    lane_cases: tuple[LaneCase, ...] = ()
    sata_ports: Count | None = None
    fan_headers: Count | None = None
    power_inputs: tuple[ConnectorCount, ...] | None = None
    """EPS, 24-pin and auxiliary PCIe power sockets."""
    idle_power_w: Positive | None = None
    load_power_w: Positive | None = None
    bmc: bool | None = None
    video_output: bool | None = None
    above_4g: bool | None = None
    resizable_bar: bool | None = None


class RamSpec(Value):
    """A memory kit."""

    category: Literal[Category.RAM] = Category.RAM
    ram_type: RamType | None = None
    kind: ModuleKind | None = None
    modules: Annotated[int, Field(ge=1)] | None = None
    module_gb: Positive | None = None
    speed_mts: Positive | None = None
    ecc: bool | None = None
    ranks: Whole | None = None
    height_mm: Positive | None = None
    voltage_v: Positive | None = None
    module_power_w: Positive | None = None


class StorageSpec(Value):
    """A drive."""

    category: Literal[Category.STORAGE] = Category.STORAGE
    kind: StorageKind | None = None
    form_factor: Literal["M.2 2280", "M.2 22110", "2.5 in", "3.5 in", "add-in card", "U.2"] | None = None
    capacity_gb: Positive | None = None
    pcie_generation: Whole | None = None
    pcie_lanes: Lanes | None = None
    active_power_w: Positive | None = None
    idle_power_w: Positive | None = None
    noise: tuple[NoisePoint, ...] = ()


class CableSet(Value):
    """Cables of one kind that leave a PSU, each an independent line from the 12 V rail."""

    kind: PowerConnector
    cables: Annotated[int, Field(ge=1)]
    connectors_per_cable: Annotated[int, Field(ge=1)] = 1
    rated_w: Positive | None = None
    """Per connector, where the maker or the sense pins say so."""
    length_mm: Positive | None = None


class EfficiencyPoint(Value):
    """Measured or certified efficiency."""

    load_pct: Annotated[float, Field(gt=0, le=110)]
    efficiency_pct: Annotated[float, Field(gt=0, lt=100)]
    input_v: Positive


class InputLimit(Value):
    """Output that a PSU can give at a mains voltage."""

    from_v: Positive
    to_v: Positive
    power_w: Positive


class PsuSpec(Value):
    """A power supply."""

    category: Literal[Category.PSU] = Category.PSU
    power_w: Positive | None = None
    form_factor: PsuFormFactor | None = None
    efficiency_level: EfficiencyLevel | None = None
    efficiency: tuple[EfficiencyPoint, ...] = ()
    atx_version: str | None = None
    current_12v_a: Positive | None = None
    single_rail: bool | None = None
    input_limits: tuple[InputLimit, ...] | None = None
    inlet: Inlet | None = None
    cables: tuple[CableSet, ...] | None = None
    length_mm: Positive | None = None
    redundant: bool | None = None
    fan_size_mm: Positive | None = None
    fan_max_rpm: Positive | None = None
    fan_stop_below_pct: Annotated[float, Field(ge=0, le=100)] | None = None
    noise: tuple[NoisePoint, ...] = ()


class FanMount(Value):
    """Room for fans on one side of a case."""

    place: Place
    size_mm: Positive
    count: Annotated[int, Field(ge=1)]


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
    count: Annotated[int, Field(ge=1)]
    max_rpm: Positive | None = None
    level_dba: Level | None = None
    airflow_m3h: Positive | None = None


class CaseSpec(Value):
    """A tower, open frame, rack chassis, or the chassis of a complete system."""

    category: Literal[Category.CASE] = Category.CASE
    kind: CaseKind | None = None
    form_factors: tuple[FormFactor, ...] | None = None
    board_max_width_mm: Positive | None = None
    expansion_slots: Count | None = None
    slot_offset: int = 0
    """Bracket openings above board slot 1."""
    gpu_max_length_mm: Positive | None = None
    gpu_max_length_front_radiator_mm: Positive | None = None
    gpu_max_height_mm: Positive | None = None
    cpu_cooler_max_height_mm: Positive | None = None
    psu_mounts: tuple[PsuMount, ...] | None = None
    fan_mounts: tuple[FanMount, ...] | None = None
    radiator_mounts: tuple[RadiatorMount, ...] | None = None
    included_fans: tuple[IncludedFan, ...] | None = None
    bays_3_5: Count | None = None
    bays_2_5: Count | None = None
    height_mm: Positive | None = None
    width_mm: Positive | None = None
    depth_mm: Positive | None = None
    rack_units: Whole | None = None
    panels: Panels | None = None


class CpuCoolerSpec(Value):
    """Air cooler, closed loop or block."""

    category: Literal[Category.CPU_COOLER] = Category.CPU_COOLER
    kind: CoolerKind | None = None
    sockets: tuple[Socket, ...] | None = None
    height_mm: Positive | None = None
    radiator_mm: Positive | None = None
    radiator_thickness_mm: Positive | None = None
    rated_power_w: Positive | None = None
    thermal_resistance_k_per_w: Positive | None = None
    fan_count: Count | None = None
    fan_size_mm: Positive | None = None
    fan_max_rpm: Positive | None = None
    fan_power_w: Positive | None = None
    noise: tuple[NoisePoint, ...] = ()


class FanPoint(Value):
    """A published operating point: free-air flow, shut-off pressure, level at 1 m."""

    rpm: Positive
    airflow_m3h: Positive | None = None
    static_pressure_mmh2o: Positive | None = None
    level_dba: Level | None = None


class FanSpec(Value):
    """A case or radiator fan."""

    category: Literal[Category.FAN] = Category.FAN
    size_mm: Positive | None = None
    thickness_mm: Positive | None = None
    points: tuple[FanPoint, ...] | None = None
    min_rpm: Positive | None = None
    power_w: Positive | None = None
    pwm: bool | None = None


class RadiatorPoint(Value):
    """Heat carried off at a coolant-to-air difference of 10 K."""

    rpm: Positive
    watts_per_10k: Positive


class RadiatorSpec(Value):
    """A radiator without fans."""

    category: Literal[Category.RADIATOR] = Category.RADIATOR
    length_mm: Positive | None = None
    """Nominal fan length: 120, 240, 280, 360, 420, 480."""
    fan_size_mm: Positive | None = None
    fan_positions: Annotated[int, Field(ge=1)] | None = None
    thickness_mm: Positive | None = None
    outer_length_mm: Positive | None = None
    outer_width_mm: Positive | None = None
    fins_per_inch: Positive | None = None
    points: tuple[RadiatorPoint, ...] = ()


class PumpSpec(Value):
    """A coolant pump, with or without reservoir."""

    category: Literal[Category.PUMP] = Category.PUMP
    kind: str | None = None
    power_w: Positive | None = None
    flow_lph: Positive | None = None
    head_m: Positive | None = None
    reservoir_ml: Positive | None = None
    noise: tuple[NoisePoint, ...] = ()


class WaterBlockSpec(Value):
    """A full-cover block for a card."""

    category: Literal[Category.WATER_BLOCK] = Category.WATER_BLOCK
    fits_products: tuple[str, ...] | None = None
    """Values of `GpuSpec.product`."""
    fits_parts: tuple[str, ...] | None = None
    """Part ids with the right board layout."""
    width_slots: Positive | None = None
    bracket_slots: Whole | None = None
    length_mm: Positive | None = None
    height_mm: Positive | None = None
    thermal_resistance_k_per_w: Positive | None = None


class RiserSpec(Value):
    """A slot extension."""

    category: Literal[Category.RISER] = Category.RISER
    kind: RiserKind | None = None
    generation: Whole | None = None
    lanes: Lanes | None = None
    length_mm: Positive | None = None
    powered: bool | None = None


class NvlinkBridgeSpec(Value):
    """A bridge between two cards."""

    category: Literal[Category.NVLINK_BRIDGE] = Category.NVLINK_BRIDGE
    generation: Whole | None = None
    spacing_slots: Annotated[int, Field(ge=2, le=5)] | None = None
    """Distance between the slots of both cards."""
    bandwidth_gbps: Positive | None = None
    fits_products: tuple[str, ...] | None = None


class NicSpec(Value):
    """A network or InfiniBand card."""

    category: Literal[Category.NIC] = Category.NIC
    ports: Whole | None = None
    port_gbit: Positive | None = None
    pcie_generation: Whole | None = None
    pcie_lanes: Lanes | None = None
    width_slots: Positive | None = None
    length_mm: Positive | None = None
    height_mm: Positive | None = None
    power_w: Positive | None = None


class UpsSpec(Value):
    """An uninterruptible power supply."""

    category: Literal[Category.UPS] = Category.UPS
    power_w: Positive | None = None
    apparent_va: Positive | None = None
    pure_sine: bool | None = None
    input_v: Positive | None = None
    inlet: Inlet | None = None
    runtime_full_min: Positive | None = None
    runtime_half_min: Positive | None = None


class CableSpec(Value):
    """A power cable or adapter that is bought by itself."""

    category: Literal[Category.CABLE] = Category.CABLE
    source_kind: PowerConnector | None = None
    source_count: Annotated[int, Field(ge=1)] | None = None
    target_kind: PowerConnector | None = None
    target_count: Annotated[int, Field(ge=1)] | None = None
    rated_w: Positive | None = None
    length_mm: Positive | None = None


Spec = Annotated[
    GpuSpec
    | CpuSpec
    | MotherboardSpec
    | RamSpec
    | StorageSpec
    | PsuSpec
    | CaseSpec
    | CpuCoolerSpec
    | FanSpec
    | RadiatorSpec
    | PumpSpec
    | WaterBlockSpec
    | RiserSpec
    | NvlinkBridgeSpec
    | NicSpec
    | UpsSpec
    | CableSpec,
    Field(discriminator="category"),
]
