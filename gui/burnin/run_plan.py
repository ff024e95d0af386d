"""What the plan says of a run: the band behind each curve, and slot, link and serial number of each device. Qt-free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.asbuilt.as_built import AsBuilt
from core.build.build import Build
from core.burnin.planned import least_planned_link, read_plan
from core.burnin.record.rows import Run, RunDevice
from core.burnin.verdict.predicted import PlannedRun
from core.placement.links import CardLink
from core.predict.band import Band
from core.telemetry.device import DeviceKind
from core.telemetry.metrics import WALL

OF_MACHINE = {DeviceKind.CPU: "noise_dba", DeviceKind.WALL: WALL}
"""Which metric of a device that carries no load is of the machine as a whole."""


@dataclass(frozen=True, slots=True)
class DevicePlace:
    """Where a device sits; "" is not known."""

    slot: str = ""
    """As the board's maker prints it, or its number."""
    planned_link: str = ""
    """ "PCIe 4.0 x16"."""
    serial: str = ""
    position: int | None = None
    """Of the slot, from the CPU."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Empty for a run that is compared with no plan."""

    bands: Mapping[tuple[str, str], Mapping[str, Band]] = field(default_factory=dict)
    """By kind of stage and device id, then by metric."""
    rates: Mapping[tuple[str, str], Mapping[str, Band]] = field(default_factory=dict)
    """By kind of stage and device id, then by number format: TFLOPS of products."""
    places: Mapping[str, DevicePlace] = field(default_factory=dict)
    """By device id."""
    build: Build | None = None
    """The plan itself."""

    def place(self, device_id: str) -> DevicePlace:
        """Of a device."""
        return self.places.get(device_id, DevicePlace())

    def band(self, kind: str, metric: str, device_ids: Sequence[str]) -> tuple[float, float] | None:
        """From the lowest to the highest that is predicted of these devices; None where nothing is."""
        found = [self.bands.get((kind, device_id), {}).get(metric) for device_id in device_ids]
        known = [band for band in found if band is not None]
        return (min(band.low for band in known), max(band.high for band in known)) if known else None


def run_plan(run: Run, as_built: AsBuilt | None, devices: Sequence[RunDevice]) -> RunPlan:
    """Takes a moment where there is a plan: it is predicted."""
    plan = read_plan(run.build)
    planned = None if plan is None else PlannedRun(plan, as_built, run.profile.criteria.room_c)
    burned = [row.device for row in devices if row.burned]
    bands: dict[tuple[str, str], Mapping[str, Band]] = {}
    rates: dict[tuple[str, str], Mapping[str, Band]] = {}
    if planned is not None:
        for kind in {stage.kind for stage in run.profile.stages}:
            bands |= {(kind, device.id): found for device in burned if (found := planned.bands(kind, device))}
            bands |= _of_machine(planned, kind, devices)
            rates |= {(kind, device.id): found for device in burned if (found := planned.rates(kind, device))}
    places: dict[str, DevicePlace] = {}
    for device in burned:
        card = as_built.card(device.id) if as_built else None
        slot = planned.slot(device) if planned else None
        link = (planned.link(device) or least_planned_link(planned.plan, device)) if planned else None
        label = card.slot if card and card.slot else "" if slot is None else str(slot)
        serial = (card.serial if card else None) or device.serial or ""
        places[device.id] = DevicePlace(label, "" if link is None else _link_words(link), serial, slot)
    return RunPlan(bands, rates, places, plan)


def _of_machine(
    planned: PlannedRun, kind: str, devices: Sequence[RunDevice]
) -> dict[tuple[str, str], Mapping[str, Band]]:
    """Of what is only watched: the noise of the machine is recorded with the processor, its power with the wall
    meter."""
    watched = {row.device.id: (row.device, OF_MACHINE.get(row.device.kind, "")) for row in devices if not row.burned}
    bands = {id_: (metric, planned.bands(kind, device).get(metric)) for id_, (device, metric) in watched.items()}
    return {(kind, id_): {metric: band} for id_, (metric, band) in bands.items() if band is not None}


def _link_words(link: CardLink) -> str:
    if link.generation is None or not link.lanes:
        return ""
    return f"PCIe {link.generation}.0 x{link.lanes}"
