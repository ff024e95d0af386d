"""What computes, remembers and communicates: GPU, CPU, RAM, drive, network card, NVLink bridge; a GPU's addresses."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from core.parts.figure import Discontinued, Figure, Unless, WordedValue, stated_value
from core.parts.values import (
    Count,
    Few,
    Generation,
    Lanes,
    NoisePoint,
    Positive,
    Rows,
    Several,
    Sockets,
    Value,
    Whole,
    pcie_words,
)
from core.parts.vocabulary import (
    Bar1Kind,
    Category,
    GpuCooling,
    GpuForm,
    ModuleKind,
    ModuleSocket,
    RamType,
    Socket,
    StorageKind,
)
from core.words import plain, tr, trn


class Excursion(Value):
    """Peak power over a window, as a multiple of the power limit."""

    window_ms: Positive
    factor: Positive


def _other_form(spec: GpuSpec) -> str | None:
    return None if spec.form is GpuForm.PCIE_CARD else spec.form.label


_ON_A_CARD = Unless("form", (GpuForm.SXM, GpuForm.OAM))
_OF_CHIP = Figure(of_chip=True)


def vector_tflops(cores: int, clock_mhz: float) -> float:
    """FP32 outside tensor cores: each core does one fused multiply-add a clock, which is two operations."""
    return cores * clock_mhz * 2e-6


class GpuSpec(Value):
    """A graphics or compute card as sold: chip and cooler together."""

    category: Literal[Category.GPU] = Category.GPU
    product: Annotated[str, Figure(decides=True, of_chip=True, opendb="chipset")]
    """The chip's product name, shared by all board variants: "GeForce RTX 3090"."""
    chip: Annotated[str | None, _OF_CHIP] = None
    chips: Annotated[Few, Figure("chips on the card")] = 1
    """GPUs that the driver lists of one card. Figures of memory, compute and power are of the whole card: `one_chip`
    divides them."""
    needs_bifurcation: bool | None = None
    """Of a card of several chips: whether the slot must be split among them; false where a switch on the card does."""
    architecture: Annotated[str | None, _OF_CHIP] = None
    compute_capability: Annotated[str | None, _OF_CHIP] = None
    form: Annotated[GpuForm, Figure(short=(6, _other_form))] = GpuForm.PCIE_CARD
    module_socket: ModuleSocket | None = None
    """Of a module: the generation of the socket that takes it."""
    cooling: Annotated[GpuCooling | None, Figure(decides=True, short=5)] = None

    length_mm: Annotated[Positive | None, Figure(within=(100, 500), decides=_ON_A_CARD, short=4, opendb="length")] = (
        None
    )
    height_mm: Annotated[Positive | None, Figure(within=(50, 220), decides=_ON_A_CARD)] = None
    """Bracket to the upper edge of cooler or board, without the plug."""
    thickness_mm: Annotated[Positive | None, Figure(within=(8, 100))] = None
    width_slots: Annotated[
        Annotated[float, Field(gt=0, le=5)] | None,
        Figure("width in slots", within=(0.8, 5), decides=_ON_A_CARD, short=3),
    ] = None
    """Cooler width in slots of 20.32 mm; 2.7 means that three are blocked."""
    bracket_slots: Annotated[Annotated[int, Field(ge=1, le=5)] | None, Figure("bracket width", within=(1, 5))] = None
    mass_g: Annotated[Positive | None, Figure(within=(100, 5000))] = None

    pcie_generation: Annotated[Generation | None, Figure(decides=_ON_A_CARD, of_chip=True)] = None
    pcie_lanes: Annotated[Lanes | None, Figure(decides=_ON_A_CARD, of_chip=True)] = None
    power_limit_w: Annotated[Positive | None, Figure(within=(10, 1500), decides=True, short=2, opendb="tdp")] = None
    """Default board power limit."""
    power_limit_min_w: Annotated[Positive | None, Figure("lowest power limit", within=(5, 1500))] = None
    power_limit_max_w: Annotated[Positive | None, Figure("highest power limit", within=(10, 1500))] = None
    idle_power_w: Annotated[Positive | None, Figure(within=(1, 150))] = None
    power_connectors: Annotated[Sockets | None, Figure(decides=_ON_A_CARD)] = None
    """Empty: fed by the slot alone. None: unknown."""
    boxed_adapter: Sockets | None = None
    """PSU plugs that the adapter in the card's box takes; empty: no adapter included."""
    excursions: Rows[Excursion] = ()

    memory_gb: Annotated[
        Positive | None, Figure(within=(0.25, 300), decides=True, of_chip=True, short=1, opendb="memory")
    ] = None
    memory_type: Annotated[str | None, Figure(of_chip=True, opendb="memory_type")] = None
    memory_bus_bits: Annotated[Whole | None, Figure(within=(32, 8192), of_chip=True, opendb="memory_bus")] = None
    memory_bandwidth_gbps: Annotated[Positive | None, Figure(within=(5, 10000), of_chip=True)] = None
    """GB/s."""
    ecc: Annotated[bool | None, _OF_CHIP] = None
    bar1: Annotated[Bar1Kind | None, Figure("BAR1 window", of_chip=True)] = None
    """What it maps where the size itself is not stated: a figure of the product line."""
    bar1_gb: Annotated[Positive | None, Figure("BAR1 size")] = None

    cores: Annotated[Whole | None, _OF_CHIP] = None
    tensor_cores: Annotated[Count | None, _OF_CHIP] = None
    sm_count: Annotated[Whole | None, _OF_CHIP] = None
    base_clock_mhz: Annotated[Positive | None, Figure(within=(100, 4000), opendb="core_base_clock")] = None
    boost_clock_mhz: Annotated[Positive | None, Figure(within=(100, 4500))] = None
    fp64_tflops: Positive | None = None
    fp32_tflops: Annotated[Positive | None, Figure(within=(0.05, 200))] = None
    """`vector_tflops`, of every maker. AMD's own figures for RDNA 3 and 4 and CDNA 3 and 4 count two instructions that
    are issued at once, and are twice as high."""
    tf32_tflops: Positive | None = None
    fp16_tflops: Positive | None = None
    """Outside tensor cores; two instructions at once are not counted either."""
    fp16_tensor_tflops: Positive | None = None
    """Dense, FP32 accumulation."""
    bf16_tensor_tflops: Positive | None = None
    fp8_tensor_tflops: Positive | None = None

    nvlink_generation: Annotated[Whole | None, _OF_CHIP] = None
    nvlink_links: Annotated[Count | None, _OF_CHIP] = None
    """Zero: none."""
    nvlink_gbps: Annotated[Positive | None, Figure("NVLink bandwidth", of_chip=True)] = None
    """All links, both ways, GB/s."""
    p2p: Annotated[bool | None, Figure("peer-to-peer access", of_chip=True)] = None

    fan_count: Annotated[Count | None, Figure(within=(0, 5))] = None
    fan_max_rpm: Annotated[Positive | None, Figure("highest fan speed", within=(800, 20000))] = None
    fan_stop: Annotated[bool | None, Figure("fan stop at idle")] = None
    noise: Rows[NoisePoint] = ()
    thermal_resistance_k_per_w: Positive | None = None
    temperature_target_c: Annotated[Positive | None, Figure("target temperature", within=(60, 100))] = None
    temperature_slowdown_c: Annotated[Positive | None, Figure("slowdown temperature", within=(70, 115))] = None
    temperature_shutdown_c: Annotated[Positive | None, Figure("shutdown temperature", within=(75, 125))] = None
    radiator_mm: Annotated[Positive | None, Figure("radiator length", within=(120, 480))] = None
    """Radiator length of a hybrid card."""
    discontinued: Discontinued = None


def _power_words(spec: CpuSpec) -> str | None:
    watts = spec.sustained_power_w or spec.tdp_w
    return None if watts is None else stated_value(watts, "W")


class CpuSpec(Value):
    """A processor."""

    category: Literal[Category.CPU] = Category.CPU
    socket: Annotated[Socket | None, Figure(decides=True, short=1, opendb="socket")] = None
    architecture: Annotated[str | None, Figure(opendb="microarchitecture")] = None
    cores: Annotated[
        Whole | None,
        Figure(
            within=(1, 400),
            short=(2, WordedValue(lambda cores: trn("{count} core", "{count} cores", count=cores))),
            opendb="cores.total",
        ),
    ] = None
    threads: Annotated[Whole | None, Figure(within=(1, 800), opendb="cores.threads")] = None
    base_clock_mhz: Annotated[Positive | None, Figure(within=(500, 6000))] = None
    boost_clock_mhz: Annotated[Positive | None, Figure(within=(500, 7000))] = None
    tdp_w: Annotated[Positive | None, Figure(within=(5, 600), opendb="specifications.tdp")] = None
    sustained_power_w: Annotated[
        Positive | None,
        Figure(
            "sustained power limit", within=(5, 800), decides=True, short=(5, _power_words), opendb="specifications.ppt"
        ),
    ] = None
    """Highest power that the package sustains: PL2 for Intel, PPT for AMD. Not the TDP."""
    idle_power_w: Positive | None = None
    pcie_generation: Annotated[Generation | None, Figure(within=(1, 7), decides=True)] = None
    pcie_lanes: Annotated[Count | None, Figure(within=(4, 192), decides=True, short=(3, pcie_words))] = None
    """Lanes of the CPU that slots can use."""
    ram_types: Annotated[Several[RamType] | None, Figure(decides=True, opendb="specifications.memory.types")] = None
    ram_kinds: Annotated[Several[ModuleKind] | None, Figure("RAM module types", decides=True)] = None
    ram_channels: Annotated[
        Whole | None,
        Figure(
            within=(1, 16),
            short=(
                4,
                WordedValue(lambda channels: trn("{count} memory channel", "{count} memory channels", count=channels)),
            ),
            opendb="specifications.memory.channels",
        ),
    ] = None
    ram_max_gb: Annotated[
        Positive | None,
        Figure("maximum RAM", within=(4, 16384), decides=True, opendb="specifications.memory.maxSupport"),
    ] = None
    ecc: Annotated[bool | None, Figure(opendb="specifications.eccSupport")] = None
    max_sockets: Annotated[Whole | None, Figure("supported CPU count", within=(1, 8), decides=True)] = None
    integrated_graphics: bool | None = None
    temperature_max_c: Annotated[Positive | None, Figure("highest temperature", within=(50, 125))] = None
    discontinued: Discontinued = None


def _size_words(spec: RamSpec) -> str | None:
    if spec.module_gb is None:
        return None
    size = stated_value(spec.module_gb, "GB")
    return plain("{modules} x {size}", modules=spec.modules, size=size) if spec.modules and spec.modules > 1 else size


def _speed_words(spec: RamSpec) -> str | None:
    return f"{spec.ram_type}-{spec.speed_mts:g}" if spec.ram_type and spec.speed_mts else spec.ram_type


class RamSpec(Value):
    """A memory kit."""

    category: Literal[Category.RAM] = Category.RAM
    ram_type: Annotated[RamType | None, Figure(decides=True, short=(2, _speed_words), opendb="ram_type")] = None
    kind: Annotated[ModuleKind | None, Figure(decides=True, short=3, opendb="registered")] = None
    modules: Annotated[Few | None, Figure(within=(1, 16), decides=True)] = None
    module_gb: Annotated[
        Positive | None, Figure("module size", within=(0.5, 512), decides=True, short=(1, _size_words))
    ] = None
    speed_mts: Annotated[Positive | None, Figure(within=(400, 13000), opendb="speed")] = None
    ecc: Annotated[bool | None, Figure(short=(4, WordedValue(lambda _: "ECC")))] = None
    ranks: Annotated[Whole | None, Figure(within=(1, 8))] = None
    height_mm: Annotated[Positive | None, Figure(within=(15, 80))] = None
    voltage_v: Annotated[Positive | None, Figure(within=(0.9, 2.5), opendb="voltage")] = None
    module_power_w: Annotated[Positive | None, Figure(within=(0.5, 30))] = None
    discontinued: Discontinued = None


def _capacity_words(spec: StorageSpec) -> str | None:
    size = spec.capacity_gb
    if size is None:
        return None
    return stated_value(size / 1000, "TB") if size >= 1000 else stated_value(size, "GB")


_OVER_PCIE = Unless("kind", (StorageKind.HDD, StorageKind.SATA_SSD))


class StorageSpec(Value):
    """A drive."""

    category: Literal[Category.STORAGE] = Category.STORAGE
    kind: Annotated[StorageKind | None, Figure(decides=True, short=2)] = None
    form_factor: Annotated[
        Literal["M.2 2280", "M.2 22110", "2.5 in", "3.5 in", "add-in card", "U.2"] | None, Figure(decides=True, short=3)
    ] = None
    capacity_gb: Annotated[
        Positive | None, Figure(within=(8, 300000), short=(1, _capacity_words), opendb="capacity")
    ] = None
    pcie_generation: Annotated[Generation | None, Figure(within=(1, 7), decides=_OVER_PCIE)] = None
    pcie_lanes: Annotated[Lanes | None, Figure(decides=_OVER_PCIE, short=(4, pcie_words))] = None
    active_power_w: Annotated[Positive | None, Figure(within=(0.5, 40), decides=True)] = None
    idle_power_w: Annotated[Positive | None, Figure(within=(0.001, 20))] = None
    noise: Rows[NoisePoint] = ()
    discontinued: Discontinued = None


def ports_words(spec: Any) -> str | None:
    """ "2 x 100 Gbit/s" of a card or a system."""
    if spec.port_gbit is None:
        return None
    speed = stated_value(spec.port_gbit, "Gbit/s")
    return plain("{ports} x {speed}", ports=spec.ports, speed=speed) if spec.ports and spec.ports > 1 else speed


class NicSpec(Value):
    """A network or InfiniBand card."""

    category: Literal[Category.NIC] = Category.NIC
    ports: Annotated[Whole | None, Figure(within=(1, 8))] = None
    port_gbit: Annotated[Positive | None, Figure("port speed", within=(0.1, 800), short=(1, ports_words))] = None
    pcie_generation: Annotated[Generation | None, Figure(within=(1, 7), decides=True)] = None
    pcie_lanes: Annotated[Lanes | None, Figure(decides=True, short=(2, pcie_words))] = None
    width_slots: Annotated[Positive | None, Figure("width in slots", within=(0.8, 3), decides=True)] = None
    length_mm: Annotated[Positive | None, Figure(within=(50, 320))] = None
    height_mm: Positive | None = None
    power_w: Annotated[Positive | None, Figure(within=(0.5, 100), decides=True, short=3)] = None
    discontinued: Discontinued = None


class NvlinkBridgeSpec(Value):
    """A bridge between two cards."""

    category: Literal[Category.NVLINK_BRIDGE] = Category.NVLINK_BRIDGE
    generation: Annotated[
        Whole | None,
        Figure(
            within=(1, 6),
            decides=True,
            short=(1, WordedValue(lambda generation: plain("NVLink {generation}", generation=generation))),
        ),
    ] = None
    spacing_slots: Annotated[
        Annotated[int, Field(ge=2, le=5)] | None,
        Figure(decides=True, short=(2, WordedValue(lambda slots: tr("{slots}-slot spacing", slots=slots)))),
    ] = None
    """Distance between the slots of both cards."""
    bandwidth_gbps: Annotated[Positive | None, Figure(within=(20, 2000), short=3)] = None
    fits_products: Annotated[Several[str] | None, Figure("compatible products", decides=True, short=4)] = None
    discontinued: Discontinued = None


SMALL_GB = 0.25
"""The window of cards that do not map all their memory: 256 MB."""


class Window(NamedTuple):
    """GB of addresses (BAR1) that one card asks for at least and at most; all its chips together. `kind` None: unknown.

    Some map their whole memory from power-on; others start with 256 MB, which Resizable BAR may grow to all of it.
    """

    kind: Bar1Kind | None
    low_gb: float
    high_gb: float


@cache
def _next_power_of_two(gb: float) -> float:
    whole = SMALL_GB
    while whole < gb:
        whole *= 2
    return whole


def window(spec: GpuSpec) -> Window | None:
    """The card's window: the size that is stated, else by what it maps; None where that memory is unknown."""
    if spec.bar1_gb is not None:
        return Window(Bar1Kind.WHOLE, spec.bar1_gb * spec.chips, spec.bar1_gb * spec.chips)
    small = SMALL_GB * spec.chips
    if spec.bar1 is Bar1Kind.SMALL:
        return Window(spec.bar1, small, small)
    if spec.memory_gb is None:
        return None
    whole = _next_power_of_two(spec.memory_gb / spec.chips) * spec.chips
    return Window(spec.bar1, whole if spec.bar1 is Bar1Kind.WHOLE else small, whole)
