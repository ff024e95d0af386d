"""What computes, remembers and communicates: GPU, CPU, RAM, drive, network card, NVLink bridge."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.parts.values import Count, Few, Generation, Lanes, NoisePoint, Positive, Rows, Several, Sockets, Value, Whole
from core.parts.vocabulary import Category, GpuCooling, GpuForm, ModuleKind, RamType, Socket, StorageKind


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

    pcie_generation: Generation | None = None
    pcie_lanes: Lanes | None = None
    power_limit_w: Positive | None = None
    """Default board power limit."""
    power_limit_min_w: Positive | None = None
    power_limit_max_w: Positive | None = None
    idle_power_w: Positive | None = None
    power_connectors: Sockets | None = None
    """Empty: fed by the slot alone. None: unknown."""
    boxed_adapter: Sockets | None = None
    """PSU plugs that the adapter in the card's box takes; empty: none comes with it."""
    excursions: Rows[Excursion] = ()

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
    noise: Rows[NoisePoint] = ()
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
    pcie_generation: Generation | None = None
    pcie_lanes: Count | None = None
    """Lanes of the CPU that slots can use."""
    ram_types: Several[RamType] | None = None
    ram_kinds: Several[ModuleKind] | None = None
    ram_channels: Whole | None = None
    ram_max_gb: Positive | None = None
    ecc: bool | None = None
    max_sockets: Whole | None = None
    integrated_graphics: bool | None = None
    temperature_max_c: Positive | None = None


class RamSpec(Value):
    """A memory kit."""

    category: Literal[Category.RAM] = Category.RAM
    ram_type: RamType | None = None
    kind: ModuleKind | None = None
    modules: Few | None = None
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
    pcie_generation: Generation | None = None
    pcie_lanes: Lanes | None = None
    active_power_w: Positive | None = None
    idle_power_w: Positive | None = None
    noise: Rows[NoisePoint] = ()


class NicSpec(Value):
    """A network or InfiniBand card."""

    category: Literal[Category.NIC] = Category.NIC
    ports: Whole | None = None
    port_gbit: Positive | None = None
    pcie_generation: Generation | None = None
    pcie_lanes: Lanes | None = None
    width_slots: Positive | None = None
    length_mm: Positive | None = None
    height_mm: Positive | None = None
    power_w: Positive | None = None


class NvlinkBridgeSpec(Value):
    """A bridge between two cards."""

    category: Literal[Category.NVLINK_BRIDGE] = Category.NVLINK_BRIDGE
    generation: Whole | None = None
    spacing_slots: Annotated[int, Field(ge=2, le=5)] | None = None
    """Distance between the slots of both cards."""
    bandwidth_gbps: Positive | None = None
    fits_products: Several[str] | None = None
