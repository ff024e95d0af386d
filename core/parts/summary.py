"""The deciding figures of a part in one short line: "24 GB, 350 W, 3 slots, 313 mm, blower"."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from core.parts.part import Part
from core.parts.specs import (
    CableSpec,
    CaseSpec,
    ConnectorCount,
    CpuCoolerSpec,
    CpuSpec,
    FanSpec,
    GpuSpec,
    MotherboardSpec,
    NicSpec,
    NvlinkBridgeSpec,
    PsuSpec,
    PumpSpec,
    RadiatorSpec,
    RamSpec,
    RiserSpec,
    StorageSpec,
    UpsSpec,
    WaterBlockSpec,
)
from core.parts.vocabulary import Category, FormFactor, GpuCooling, GpuForm, PowerConnector, StorageKind

Figures = Iterable[str | None]

COOLING_LABELS: dict[GpuCooling, str] = {
    GpuCooling.OPEN_AIR: "open-air",
    GpuCooling.BLOWER: "blower",
    GpuCooling.FLOW_THROUGH: "flow-through",
    GpuCooling.PASSIVE: "passive",
    GpuCooling.WATER_BLOCK: "water block",
    GpuCooling.HYBRID: "hybrid",
}

CONNECTOR_LABELS: dict[PowerConnector, str] = {
    PowerConnector.PCIE_6PIN: "6-pin",
    PowerConnector.PCIE_8PIN: "8-pin",
    PowerConnector.PCIE_16PIN: "12VHPWR",
    PowerConnector.PCIE_16PIN_2X6: "12V-2x6",
    PowerConnector.EPS_8PIN: "EPS 8-pin",
    PowerConnector.EPS_4PIN: "EPS 4-pin",
    PowerConnector.ATX_24PIN: "ATX 24-pin",
    PowerConnector.SATA: "SATA",
    PowerConnector.MOLEX: "Molex",
}

_GRAPHICS_PLUGS = (PowerConnector.PCIE_8PIN, PowerConnector.PCIE_16PIN, PowerConnector.PCIE_16PIN_2X6)
_STORAGE_LABELS = {StorageKind.NVME: "NVMe", StorageKind.SATA_SSD: "SATA SSD", StorageKind.HDD: "HDD"}
_SIZE_ORDER = list(FormFactor)


def summary(part: Part) -> str:
    """What decides between this part and the next of its category; unknown figures are left out."""
    return ", ".join(figure for figure in _FIGURES[part.category](part.spec) if figure)


def _gpu(spec: GpuSpec) -> Figures:
    return (
        _figure(spec.memory_gb, "GB"),
        _figure(spec.power_limit_w, "W"),
        _count(spec.width_slots, "slot"),
        _figure(spec.length_mm, "mm"),
        COOLING_LABELS[spec.cooling] if spec.cooling else None,
        None if spec.form is GpuForm.PCIE_CARD else spec.form.upper(),
    )


def _cpu(spec: CpuSpec) -> Figures:
    return (
        spec.socket,
        _count(spec.cores, "core"),
        _lanes(spec.pcie_generation, spec.pcie_lanes),
        _count(spec.ram_channels, "memory channel"),
        _figure(spec.max_power_w or spec.tdp_w, "W"),
    )


def _motherboard(spec: MotherboardSpec) -> Figures:
    long = None if spec.slots is None else sum(slot.mechanical_lanes == 16 for slot in spec.slots)
    return (
        f"2 x {spec.socket}" if spec.socket and spec.cpu_sockets > 1 else spec.socket,
        spec.form_factor,
        _count(long, "x16 slot"),
        spec.ram_type,
        _count(spec.ram_slots, "memory slot"),
    )


def _ram(spec: RamSpec) -> Figures:
    size = _figure(spec.module_gb, "GB")
    return (
        f"{spec.modules} x {size}" if size and spec.modules and spec.modules > 1 else size,
        f"{spec.ram_type}-{spec.speed_mts:g}" if spec.ram_type and spec.speed_mts else spec.ram_type,
        spec.kind,
        "ECC" if spec.ecc else None,
    )


def _storage(spec: StorageSpec) -> Figures:
    return (
        _capacity(spec.capacity_gb),
        _STORAGE_LABELS[spec.kind] if spec.kind else None,
        spec.form_factor,
        _lanes(spec.pcie_generation, spec.pcie_lanes),
    )


def _psu(spec: PsuSpec) -> Figures:
    plugs = {kind: sum(row.plugs for row in spec.cables or () if row.kind is kind) for kind in _GRAPHICS_PLUGS}
    return (
        _figure(spec.power_w, "W"),
        spec.efficiency_level.title() if spec.efficiency_level else None,
        *(_plugs(kind, count) for kind, count in plugs.items() if count),
        _figure(spec.length_mm, "mm"),
    )


def _case(spec: CaseSpec) -> Figures:
    return (
        spec.kind.replace("_", " ") if spec.kind else None,
        _count(spec.rack_units, "rack unit"),
        max(spec.form_factors, key=_SIZE_ORDER.index) if spec.form_factors else None,
        _count(spec.expansion_slots, "slot"),
        f"GPU to {spec.gpu_max_length_mm:g} mm" if spec.gpu_max_length_mm else None,
    )


def _cpu_cooler(spec: CpuCoolerSpec) -> Figures:
    return (
        spec.kind.upper() if spec.kind == "aio" else spec.kind,
        _figure(spec.radiator_mm, "mm radiator"),
        _figure(spec.height_mm, "mm high"),
        _figure(spec.rated_power_w, "W"),
        " ".join(spec.sockets) if spec.sockets else None,
    )


def _fan(spec: FanSpec) -> Figures:
    fastest = max(spec.points or (), key=lambda point: point.rpm, default=None)
    size = _figure(spec.size_mm, "mm")
    return (
        f"{spec.size_mm:g} x {spec.thickness_mm:g} mm" if spec.size_mm and spec.thickness_mm else size,
        *(
            (
                f"{fastest.rpm:g} rpm",
                _figure(fastest.airflow_m3h, "m³/h"),
                _figure(fastest.static_pressure_mmh2o, "mmH₂O"),
                _figure(fastest.level_dba, "dBA"),
            )
            if fastest
            else ()
        ),
    )


def _radiator(spec: RadiatorSpec) -> Figures:
    return (_figure(spec.length_mm, "mm"), _figure(spec.thickness_mm, "mm thick"))


def _pump(spec: PumpSpec) -> Figures:
    return (spec.kind, _figure(spec.flow_lph, "l/h"), _figure(spec.head_m, "m head"), _figure(spec.power_w, "W"))


def _water_block(spec: WaterBlockSpec) -> Figures:
    return (*(spec.fits_products or ()), _count(spec.width_slots, "slot"), _figure(spec.length_mm, "mm"))


def _riser(spec: RiserSpec) -> Figures:
    return (
        spec.kind.upper() if spec.kind == "mcio" else spec.kind,
        _lanes(spec.generation, spec.lanes),
        _figure(spec.length_mm, "mm"),
    )


def _nvlink_bridge(spec: NvlinkBridgeSpec) -> Figures:
    return (
        f"NVLink {spec.generation}" if spec.generation else None,
        f"{spec.spacing_slots}-slot spacing" if spec.spacing_slots else None,
        _figure(spec.bandwidth_gbps, "GB/s"),
        *(spec.fits_products or ()),
    )


def _nic(spec: NicSpec) -> Figures:
    speed = _figure(spec.port_gbit, "Gbit/s")
    return (
        f"{spec.ports} x {speed}" if speed and spec.ports and spec.ports > 1 else speed,
        _lanes(spec.pcie_generation, spec.pcie_lanes),
        _figure(spec.power_w, "W"),
    )


def _ups(spec: UpsSpec) -> Figures:
    return (
        _figure(spec.power_w, "W"),
        _figure(spec.apparent_va, "VA"),
        _figure(spec.input_v, "V"),
        "sine wave" if spec.pure_sine else None,
    )


def _cable(spec: CableSpec) -> Figures:
    source = _plugs(spec.source_kind, spec.source_count)
    target = _plugs(spec.target_kind, spec.target_count)
    return (
        f"{source} to {target}" if source and target else source or target,
        _figure(spec.rated_w, "W"),
        _figure(spec.length_mm, "mm"),
    )


def connectors(sockets: Iterable[ConnectorCount]) -> str:
    """Power sockets in words: "2 x 8-pin + 6-pin"."""
    return " + ".join(_plugs(row.kind, row.count) or "" for row in sockets)


_FIGURES: dict[Category, Callable[[Any], Figures]] = {
    Category.GPU: _gpu,
    Category.CPU: _cpu,
    Category.MOTHERBOARD: _motherboard,
    Category.RAM: _ram,
    Category.STORAGE: _storage,
    Category.PSU: _psu,
    Category.CASE: _case,
    Category.CPU_COOLER: _cpu_cooler,
    Category.FAN: _fan,
    Category.RADIATOR: _radiator,
    Category.PUMP: _pump,
    Category.WATER_BLOCK: _water_block,
    Category.RISER: _riser,
    Category.NVLINK_BRIDGE: _nvlink_bridge,
    Category.NIC: _nic,
    Category.UPS: _ups,
    Category.CABLE: _cable,
}


def _figure(value: float | None, unit: str) -> str | None:
    return None if value is None else f"{value:g} {unit}"


def _count(value: float | None, noun: str) -> str | None:
    return None if value is None else f"{value:g} {noun}{'' if value == 1 else 's'}"


def _lanes(generation: int | None, lanes: int | None) -> str | None:
    if lanes is None:
        return f"PCIe {generation}.0" if generation else None
    return f"PCIe {generation}.0 x{lanes}" if generation else f"PCIe x{lanes}"


def _capacity(gigabytes: float | None) -> str | None:
    if gigabytes is None:
        return None
    return f"{gigabytes / 1000:g} TB" if gigabytes >= 1000 else f"{gigabytes:g} GB"


def _plugs(kind: PowerConnector | None, count: int | None) -> str | None:
    if kind is None:
        return None
    return CONNECTOR_LABELS[kind] if count in (None, 1) else f"{count} x {CONNECTOR_LABELS[kind]}"
