"""Measures NVIDIA GPUs through NVML, tick by tick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.telemetry.device import Device
from core.telemetry.nvml import NO_PERMISSION, DeviceLost, Gate, NoDriver, open_library
from core.telemetry.nvml_device import MB, describe, describe_driver, read_memory, read_temperature_c, unreadable
from core.telemetry.plausible import plausible

Sample = dict[str, float | None]

# nvmlClockType_t.
_SM_CLOCK, _MEMORY_CLOCK = 1, 2
_MOST_FANS = 16
_MEMORY_TEMPERATURE_FIELD = 82  # NVML_FI_DEV_MEMORY_TEMP: HBM only


@dataclass(slots=True)
class _Card:
    """A GPU, the gate to it and whether it still answers."""

    device: Device
    gate: Gate
    fans: int = 0
    lost: str | None = None


class NvmlSource:
    """All GPUs of this machine. Raises NoDriver when there is none to talk to."""

    def __init__(self) -> None:
        self._library = open_library()
        driver = Gate(self._library)
        try:
            self.driver = describe_driver(driver)
            count = driver.call("nvmlDeviceGetCount") or 0
        except DeviceLost as loss:
            raise NoDriver(f"The NVIDIA driver does not answer: {loss}. Restart the machine.") from loss
        found = [self._open(index) for index in range(count)]
        self._cards = [card for card in found if card is not None]

    def devices(self) -> list[Device]:
        """In NVML's order, which is the order of the PCI bus."""
        return [card.device for card in self._cards]

    def read(self) -> dict[str, Sample]:
        """One sample of every GPU that answers."""
        samples: dict[str, Sample] = {}
        for card in self._cards:
            if card.lost is not None:
                continue
            try:
                samples[card.device.id] = read_sample(card.gate, card.device, fans=card.fans)
            except DeviceLost as loss:
                card.lost = str(loss)
        return samples

    def lost(self) -> Mapping[str, str]:
        """GPUs that stopped answering, with the reason; they are not asked again."""
        return {card.device.id: card.lost for card in self._cards if card.lost is not None}

    def set_activity(self, device_id: str, load: float) -> None:
        """Real GPUs feel their load by themselves."""

    def close(self) -> None:
        """Lets go of the driver."""
        Gate(self._library).call("nvmlShutdown")

    def _open(self, index: int) -> _Card | None:
        """A card that fails while it is described is kept as a lost one: it is there, so it counts.

        One that this user may not open (a container's share of a bigger machine) is not ours: None.
        """
        opening = Gate(self._library)
        uuid: str | None = None
        try:
            handle = opening.call("nvmlDeviceGetHandleByIndex", index)
            if handle is None and opening.last_error == NO_PERMISSION:
                return None
            if handle is None:
                raise DeviceLost(f"the driver lists this GPU but does not open it (error {opening.last_error})")
            gate = Gate(self._library, handle)
            uuid = gate.call("nvmlDeviceGetUUID")
            if uuid is None:
                raise DeviceLost(f"the GPU does not tell its identity (error {gate.last_error})")
            device = describe(gate, uuid=uuid, index=index, driver=self.driver)
            return _Card(device, gate, fans=_fan_count(gate))
        except DeviceLost as loss:
            return _Card(unreadable(index, str(loss), uuid=uuid), opening, lost=str(loss))


def read_sample(gate: Gate, device: Device, *, fans: int) -> Sample:
    """Every metric of one GPU now; what it does not offer or cannot be true is None. Raises DeviceLost."""
    temperature = read_temperature_c(gate)
    readings = {
        "temperature_c": temperature,
        "memory_temperature_c": gate.field(_MEMORY_TEMPERATURE_FIELD),
        "margin_c": _margin_c(gate, device, temperature),
        "power_w": _thousandth(gate.call("nvmlDeviceGetPowerUsage")),
        "power_limit_w": _thousandth(gate.call("nvmlDeviceGetEnforcedPowerLimit")),
        "clock_mhz": gate.call("nvmlDeviceGetClockInfo", _SM_CLOCK),
        "memory_clock_mhz": gate.call("nvmlDeviceGetClockInfo", _MEMORY_CLOCK),
        "utilisation_pct": _member(gate.call("nvmlDeviceGetUtilizationRates"), "gpu"),
        "memory_used_mb": _megabytes(_member(read_memory(gate), "used")),
        "fan_pct": _fastest_fan_pct(gate, fans),
        "fan_rpm": gate.call("nvmlDeviceGetFanSpeedRPM") if fans else None,
        "throttle_mask": gate.either(
            "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"
        ),
        "pcie_generation": gate.call("nvmlDeviceGetCurrPcieLinkGeneration"),
        "pcie_lanes": gate.call("nvmlDeviceGetCurrPcieLinkWidth"),
    }
    return {name: plausible(name, value) for name, value in readings.items()}


def _margin_c(gate: Gate, device: Device, temperature: float | None) -> float | None:
    """The driver's own margin (Ada and later), otherwise the distance to the maximum operating temperature."""
    margin: float | None = gate.call("nvmlDeviceGetMarginTemperature")
    if margin is not None:
        return margin
    limit = device.temperature_max_c if device.temperature_max_c is not None else device.temperature_slowdown_c
    return None if limit is None or temperature is None else limit - temperature


def _fan_count(gate: Gate) -> int:
    """How many fans can be asked; 0 for passive cards, and for drivers that do not count."""
    fans = gate.call("nvmlDeviceGetNumFans") or 0
    return fans if fans <= _MOST_FANS else 0


def _fastest_fan_pct(gate: Gate, fans: int) -> float | None:
    if fans == 0:
        speed: float | None = gate.call("nvmlDeviceGetFanSpeed")  # older drivers; passive cards refuse it once
        return speed
    speeds = [plausible("fan_pct", gate.call("nvmlDeviceGetFanSpeed_v2", fan)) for fan in range(fans)]
    return max((speed for speed in speeds if speed is not None), default=None)


def _thousandth(value: float | None) -> float | None:
    """mW to W."""
    return None if value is None else value / 1000


def _megabytes(value: float | None) -> float | None:
    return None if value is None else round(value / MB, 1)


def _member(record: Any | None, name: str) -> float | None:
    return None if record is None else float(getattr(record, name))
