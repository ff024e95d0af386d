"""Which numbered fields (NVML_FI_* of nvml.h) and older functions of the driver give which metric, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.machine.telemetry.nvml.gate import ALL_LINKS, FieldId, Gate

Sample = dict[str, float | None]
_NS, _MW, _MJ = 1e-9, 1e-3, 1e-3
KIB = 1024


@dataclass(frozen=True, slots=True)
class Older:
    """A function that answered before there was a field: its arguments, which part of the answer, and the factor."""

    function: str
    args: tuple[int, ...] = ()
    part: str | int | None = None
    factor: float = 1.0

    def ask(self, gate: Gate) -> float | None:
        """Raises DeviceLost."""
        answer: Any = gate.call(self.function, *self.args)
        if answer is None:
            return None
        match self.part:
            case str(name):
                answer = getattr(answer, name)
            case int(place):
                answer = answer[place]
        return float(answer) * self.factor


Table = Mapping[FieldId, tuple[str, float]]
"""Metric and factor of each field; fields of the same metric are added up."""

NOW: Table = {(82, 0): ("memory_temperature_c", 1), (186, 0): ("power_instant_w", _MW)}
"""Asked on every tick."""
COUNTED: Table = {
    (83, 0): ("energy_j", _MJ),
    (74, 0): ("throttle_power_cap_s", _NS),
    (269, 0): ("throttle_sw_thermal_s", _NS),
    (270, 0): ("throttle_hw_thermal_s", _NS),
    (271, 0): ("throttle_power_brake_s", _NS),
    (76, 0): ("throttle_sync_boost_s", _NS),
    (77, 0): ("throttle_board_limit_s", _NS),
    (79, 0): ("throttle_reliability_s", _NS),
    (94, 0): ("pcie_replays", 1),
}
"""Asked once a second."""
RATES: Table = {
    (197, 0): ("pcie_sent_gbps", 1e-9),
    (198, 0): ("pcie_received_gbps", 1e-9),
    (138, ALL_LINKS): ("nvlink_sent_gbps", KIB * 1e-9),
    (139, ALL_LINKS): ("nvlink_received_gbps", KIB * 1e-9),
}
"""Counters of bytes or KiB whose growth is the metric; asked once a second."""
SELDOM: Table = {
    (3, 0): ("ecc_corrected", 1),
    (4, 0): ("ecc_uncorrected", 1),
    (29, 0): ("retired_corrected", 1),
    (30, 0): ("retired_uncorrected", 1),
    (31, 0): ("retire_pending", 1),
    (142, 0): ("remapped_corrected", 1),
    (143, 0): ("remapped_uncorrected", 1),
    (144, 0): ("remap_pending", 1),
    (145, 0): ("remap_failed", 1),
    (169, 0): ("pcie_recoveries", 1),
    (230, 0): ("recovery_action", 1),
    (38, 0): ("nvlink_crc", 1),
    (45, 0): ("nvlink_crc", 1),
    (52, 0): ("nvlink_replays", 1),
    (59, 0): ("nvlink_recoveries", 1),
}
"""Asked every ten seconds."""
PORT: Table = {(173, 0): ("aer_correctable", 1), (179, 0): ("aer_nonfatal", 1), (180, 0): ("aer_fatal", 1)}
"""The card's own count, for systems whose kernel does not count."""
PER_LINK: Mapping[int, str] = {
    161: "nvlink_replays",
    162: "nvlink_recoveries",
    163: "nvlink_crc",
    208: "nvlink_crc",
    215: "nvlink_recoveries",
}
"""For cards that count by link alone: the first three up to Hopper, the others on Blackwell."""

OLDER: Mapping[str, Older] = {
    "energy_j": Older("nvmlDeviceGetTotalEnergyConsumption", factor=_MJ),
    "throttle_power_cap_s": Older("nvmlDeviceGetViolationStatus", (0,), "violationTime", _NS),
    "throttle_sw_thermal_s": Older("nvmlDeviceGetViolationStatus", (1,), "violationTime", _NS),
    "throttle_sync_boost_s": Older("nvmlDeviceGetViolationStatus", (2,), "violationTime", _NS),
    "throttle_board_limit_s": Older("nvmlDeviceGetViolationStatus", (3,), "violationTime", _NS),
    "throttle_reliability_s": Older("nvmlDeviceGetViolationStatus", (5,), "violationTime", _NS),
    "pcie_replays": Older("nvmlDeviceGetPcieReplayCounter"),
    "ecc_corrected": Older("nvmlDeviceGetTotalEccErrors", (0, 0)),
    "ecc_uncorrected": Older("nvmlDeviceGetTotalEccErrors", (1, 0)),
    "retire_pending": Older("nvmlDeviceGetRetiredPagesPendingStatus"),
    "remapped_corrected": Older("nvmlDeviceGetRemappedRows", part=0),
    "remapped_uncorrected": Older("nvmlDeviceGetRemappedRows", part=1),
    "remap_pending": Older("nvmlDeviceGetRemappedRows", part=2),
    "remap_failed": Older("nvmlDeviceGetRemappedRows", part=3),
}


_ALL: Table = {**NOW, **COUNTED, **RATES, **SELDOM}


def metrics_in(values: Mapping[FieldId, float], table: Table = _ALL) -> dict[str, float]:
    """What a batch of fields says, by metric; of RATES the counts."""
    totals: dict[str, float] = {}
    for field_id, value in values.items():
        metric, factor = table[field_id]
        totals[metric] = totals.get(metric, 0.0) + value * factor
    return totals


def ask_old(gate: Gate, metrics: Iterable[str]) -> dict[str, float]:
    """What the older functions say of metrics that no field gave. Raises DeviceLost."""
    answers = {metric: OLDER[metric].ask(gate) for metric in metrics if metric in OLDER}
    return {metric: value for metric, value in answers.items() if value is not None}
