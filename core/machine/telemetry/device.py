"""A device that is present now, by a stable identity."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from core.words import joined, plain, tr, translated

MIG_ID_SHOWN = 12
"""Letters of the id that tell shares of one size apart: "MIG-6a3f20b1"."""


class DeviceKind(StrEnum):
    """What can be burned in, or is watched beside it."""

    GPU = "gpu"
    CPU = "cpu"
    WALL = "wall"
    """Carries no load: what measures the power of the whole machine at the wall."""


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU by UUID, the machine's CPU ("cpu"), or a simulated GPU ("SIM-0-rtx-3090").

    None is "not measured". Temperatures are the driver's own limits, in C. All of it is read once, at the start.
    """

    id: str
    kind: DeviceKind
    name: str
    simulated: bool = False
    index: int = 0
    """Position for display only: NVML's order is not CUDA's."""
    bus_id: str | None = None
    """As the kernel and lspci -D write it: 0000:41:00.0."""
    slot: int | None = None
    """Position of a simulated card's slot in the plan; where real cards sit is found out elsewhere."""
    simulated_rates: dict[str, float] = field(default_factory=dict)
    """Of a simulated card that no table has: what its loads reach (core.machine.telemetry.simulated.card)."""
    pci_id: str | None = None
    """Vendor and device: "10de:2204"."""
    pci_subsystem: str | None = None
    """The board maker's number of it, four digits: "1450"."""
    pci_subsystem_vendor: str | None = None
    """PCI vendor id of the board maker, four digits: "3842" is EVGA."""
    pci_revision: str | None = None
    memory_mb: int | None = None
    """In 2^20 bytes, as the driver's own tools count."""
    power_limit_w: float | None = None
    """The limit that the card leaves the factory with; the one in force is the metric of the same name."""
    temperature_target_c: float | None = None
    temperature_slowdown_c: float | None = None
    temperature_shutdown_c: float | None = None
    detail: dict[str, str] = field(default_factory=dict)
    """Firmware of the GSP, threads and the like: shown, never judged."""
    temperature_max_c: float | None = None
    """Maximum operating temperature: above it the driver lowers clocks."""
    memory_temperature_max_c: float | None = None
    """Limit of the HBM; None on cards that do not report it."""
    memory_margin_limit_k: float | None = None
    """For cards that tell their limits as margins: the margin at which the driver slows down for the memory's sake."""
    serial: str | None = None
    board_part: str | None = None
    """The maker's part number of the board."""
    vbios: str | None = None
    inforom: str | None = None
    inforom_ok: bool | None = None
    """Whether the checksums of the board's own configuration memory are right."""
    driver: str | None = None
    cuda_version: str | None = None
    """The newest CUDA that the driver can run."""
    architecture: str | None = None
    compute_capability: str | None = None
    pcie_generation_max: int | None = None
    """The fastest that card and slot can do together; the card alone in `pcie_generation_card`."""
    pcie_generation_card: int | None = None
    pcie_lanes_max: int | None = None
    several_gpus: bool | None = None
    """Whether its card has other GPUs, too: they share the link in the slot, behind a switch of the card."""
    power_limit_min_w: float | None = None
    power_limit_max_w: float | None = None
    """The range in which the limit can be set."""
    ecc: bool | None = None
    mig: bool | None = None
    persistence: bool | None = None
    display: bool | None = None
    """Whether a screen is driven."""
    compute_mode: str | None = None
    """default, exclusive process, prohibited."""
    processes: int | None = None
    """Other programs that computed on it when it was described."""
    clock_max_mhz: float | None = None
    memory_clock_max_mhz: float | None = None
    repair_pending: bool | None = None
    """Whether a memory channel or a group of compute units waits for a reset to be repaired."""
    numa_node: int | None = None
    fans: int | None = None
    throttle_reasons: int | None = None
    """Bits of the throttle mask that the driver can tell for this card."""
    events: int | None = None
    """Bit mask of the events that the driver can tell of; 0x8 are Xids."""
    ecc_lifetime_corrected: int | None = None
    ecc_lifetime_uncorrected: int | None = None
    sram_lifetime_uncorrected: int | None = None
    """Errors since the board was made, where it counts them."""
    nvlinks: dict[str, str | None] = field(default_factory=dict)
    """By number of the link: bus id of what is at its other end, None where it is down. Empty without NVLink."""
    nvlink_gbps: float | None = None
    """What one of these links carries each way, as the driver tells."""
    p2p: dict[str, dict[str, str]] = field(default_factory=dict)
    """By id of another GPU: what the driver says of read, write, nvlink, atomics, pci: "ok" or why not."""
    topology: dict[str, str] = field(default_factory=dict)
    """By id of another GPU: the nearest common point on the way to it."""
    logged_before: tuple[str, ...] = ()
    """Errors that the kernel had logged of it since the machine started, each once with how often."""
    parent: str | None = None
    """Of a share of a GPU (MIG): id of the GPU, to which power, temperature and clocks belong."""
    limited: str | None = None
    """Why it can be measured only in part: a share of a card, a virtual machine."""

    @property
    def label(self) -> str:
        """Short, for tables and sentences of one machine: "GPU 1", "CPU", "Wall meter"."""
        match self.kind:
            case DeviceKind.GPU:
                return f"GPU {self.index}"
            case DeviceKind.CPU:
                return "CPU"
            case DeviceKind.WALL:
                return tr("Wall meter")

    @property
    def title(self) -> str:
        """Name with its place, and SIMULATED or REPLAY where it is."""
        place = f" @ {self.bus_id}" if self.bus_id else f" @ {self.id[:MIG_ID_SHOWN]}" if self.parent else ""
        if not self.simulated:
            return f"{self.name}{place}"
        mark = tr("SIMULATED: REPLAY") if "replay" in self.detail else tr("SIMULATED")
        return plain("{name} ({mark})", name=f"{self.name}{place}", mark=mark)

    @property
    def facts(self) -> dict[str, str]:
        """What is known of it besides name, place and limits, in words; what is unknown is left out."""
        inforom = self.inforom
        if self.inforom_ok is False:
            inforom = tr("{version}, damaged", version=self.inforom or tr("version unknown"))
        up = sum(map(bool, self.nvlinks.values()))
        facts = {
            tr("driver"): self.driver,
            tr("driver's CUDA version"): self.cuda_version,
            tr("architecture"): self.architecture,
            tr("compute capability"): self.compute_capability,
            "VBIOS": self.vbios,
            "InfoROM": inforom,
            tr("serial number"): self.serial,
            tr("board part number"): self.board_part,
            tr("PCIe maximum"): self._most_of_pcie(),
            "NVLink": tr("{up} of {links} up", up=up, links=len(self.nvlinks)) if self.nvlinks else None,
            "ECC": _switch(self.ecc),
            "MIG": _switch(self.mig),
            tr("persistence mode"): _switch(self.persistence),
            tr("compute mode"): self.compute_mode and translated(self.compute_mode),
            tr("display"): _switch(self.display),
            tr("other programs"): str(self.processes) if self.processes else None,
            tr("NUMA node"): None if self.numa_node is None else str(self.numa_node),
            tr("earlier log entries"): joined(self.logged_before),
            tr("limited"): self.limited,
        }
        return {name: text for name, text in facts.items() if text} | self.details

    def _most_of_pcie(self) -> str | None:
        generation, lanes = self.pcie_generation_max, self.pcie_lanes_max
        if not generation:
            return None
        if not lanes:
            return tr("generation {generation}", generation=generation)
        return tr("generation {generation}, {lanes} lanes", generation=generation, lanes=lanes)

    @property
    def details(self) -> dict[str, str]:
        """`detail` as it is shown."""
        words = {
            "cores": tr("cores"),
            "threads": tr("threads"),
            "system": tr("system"),
            "memory bus": tr("memory bus"),
            "GSP firmware": tr("GSP firmware"),
            "programs": tr("programs"),
            "temperature sensor": tr("temperature sensor"),
            "power meter": tr("power meter"),
            "fans": tr("fans"),
            "NVIDIA driver": tr("NVIDIA driver"),
            "kernel log": tr("kernel log"),
            "problem": tr("problem"),
            "wall meter": tr("wall meter"),
            "reading": tr("reading"),
            "polled": tr("read by its driver"),
            "simulated": tr("simulated"),
            "peak": tr("peak"),
            "faults": tr("faults"),
            "replay": tr("replay"),
            "imported": tr("imported from a log of"),
        }
        return {words.get(name, name): text for name, text in self.detail.items()}

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Device:
        """From JSON; what a newer program had to say besides is left out."""
        fields = {name: stored[name] for name in cls.__slots__ if name in stored}
        logged = tuple(fields.get("logged_before", ()))
        return cls(**{**fields, "kind": DeviceKind(stored["kind"]), "logged_before": logged})


def _switch(state: bool | None) -> str | None:
    """Words for on and off."""
    return None if state is None else (tr("on") if state else tr("off"))
