"""Several sources as one, and what this machine's sampler is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.machine.telemetry.device import Device
from core.machine.telemetry.kernel_log.follow import KMSG, KernelLog
from core.machine.telemetry.source import CPU_ID, Incident, NoiseMeter, Report, TelemetrySource
from core.machine.telemetry.xid import xid
from core.words import tr


class Combined:
    """Several sources as one, in their order.

    `notes` go into the detail of the machine's CPU; what the log has of a device goes with it.
    """

    def __init__(
        self,
        sources: Sequence[TelemetrySource],
        notes: Mapping[str, str] | None = None,
        *,
        kernel_log: KernelLog | None = None,
    ) -> None:
        self._sources = list(sources)
        self._kernel_log = kernel_log
        devices = [device for source in self._sources for device in source.devices()]
        if notes:
            devices = [_noted(device, notes) if device.id == CPU_ID else device for device in devices]
        logged = kernel_log.earlier() if kernel_log else {}
        self._devices = [
            replace(device, index=position, logged_before=logged.get(device.id, ()))
            for position, device in enumerate(devices)
        ]

    def devices(self) -> list[Device]:
        """All devices; their index is their place in this list."""
        return list(self._devices)

    def read(self) -> dict[str, Mapping[str, float | None]]:
        """The samples of all sources."""
        return {device_id: sample for source in self._sources for device_id, sample in source.read().items()}

    def count(self) -> dict[str, Mapping[str, float | None]]:
        """The counts of all sources."""
        return {device_id: counts for source in self._sources for device_id, counts in source.count().items()}

    def lost(self) -> dict[str, str]:
        """The losses of all sources."""
        return {device_id: reason for source in self._sources for device_id, reason in source.lost().items()}

    def set_activity(self, device_id: str, load: float) -> None:
        """Passed to each: the one that has the device heeds it."""
        for source in self._sources:
            source.set_activity(device_id, load)

    def listen(self, report: Report) -> None:
        """To all of them, and to the kernel's log. Where that is read, it alone tells of errors whose line says more
        than the driver's number does: whose program it was, how grave."""
        log = self._kernel_log
        first_hand = _without_what_the_log_tells(report) if log is not None and log.readable else report
        for source in self._sources:
            source.listen(first_hand)
        if log is not None:
            log.start(report)

    def asking(self) -> str | None:
        """What one of them waits for."""
        return next((words for source in self._sources if (words := source.asking()) is not None), None)

    def slowest(self) -> str | None:
        """What one of them says."""
        return next((words for source in self._sources if (words := source.slowest()) is not None), None)

    def close(self) -> None:
        """Closes all."""
        for source in self._sources:
            source.close()


def open_source(
    simulate: str | None = None,
    *,
    recording: Path | None = None,
    kernel_log: Path | None = None,
    meter: NoiseMeter | None = None,
    wall: TelemetrySource | None = None,
) -> TelemetrySource:
    """GPUs first, then the CPU, and the wall meter where there is one. With `simulate` ("6x3090") no driver is touched,
    and no log is read.

    `recording` is where the run is recorded; `kernel_log` stands in for the kernel's own; `meter`
    measures noise, and `wall` the power of the whole machine. A machine without NVIDIA
    driver is no error: the CPU's detail says so. Raises BadInput for a bad `simulate`. May hang with the driver: call
    it in the sampler's process only.
    """
    from core.machine.telemetry.host.source import HostSource

    host = HostSource(recording=recording, meter=meter)
    others = [host] if wall is None else [host, wall]
    if simulate:
        from core.machine.telemetry.simulated.replay import ReplaySource
        from core.machine.telemetry.simulated.simulation import Simulation, parse_simulation
        from core.machine.telemetry.simulated.source import SimulatedSource

        order = parse_simulation(simulate)
        return Combined([SimulatedSource(order), *others]) if isinstance(order, Simulation) else ReplaySource(order)

    from core.machine.telemetry.nvml.gate import NoDriver
    from core.machine.telemetry.nvml.source import NvmlSource

    try:
        gpus = NvmlSource()
    except NoDriver as problem:
        log = KernelLog([], log=kernel_log or KMSG)
        return Combined(others, {"NVIDIA driver": str(problem), "kernel log": log.how}, kernel_log=log)
    devices = gpus.devices()
    log = KernelLog(devices, log=kernel_log or KMSG)
    version = gpus.driver.version or tr("of unknown version")
    notes = {"NVIDIA driver": version if devices else tr("{version}, no GPU", version=version), "kernel log": log.how}
    return Combined([gpus, *others], notes, kernel_log=log)


def _noted(device: Device, notes: Mapping[str, str]) -> Device:
    return replace(device, detail={**device.detail, **notes})


def _without_what_the_log_tells(report: Report) -> Report:
    def tell(incident: Incident) -> None:
        if incident.xid is None or not xid(incident.xid).by_message:
            report(incident)

    return tell
