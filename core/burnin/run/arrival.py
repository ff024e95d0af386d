"""Before a run starts: the machine as it was built, and whether it is the one that was planned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.asbuilt.as_built import AsBuilt, AsBuiltLine, LineState
from core.asbuilt.bus import BusCard, LeftOutBy
from core.asbuilt.inspection import hold_against, inspect
from core.asbuilt.notes import read_notes
from core.burnin.planned import read_plan
from core.burnin.run.order import BurnOrder
from core.errors import EnvironmentProblem
from core.language import joined, tr, trn
from core.telemetry.device import Device, DeviceKind

MACHINE_ROOT = Path("/")


def arrival_of(order: BurnOrder, present: Sequence[Device], data_dir: Path) -> AsBuilt:
    """The machine beside the order's plan, with what the order accepts and leaves out. Takes some milliseconds.

    Raises BadInput for a card to leave out that is not there.
    """
    notes, _ = read_notes(data_dir)
    found = inspect(present, MACHINE_ROOT)
    return hold_against(read_plan(order.build), found, notes, order.accepted, order.leave_out)


def with_choice(found: AsBuilt, present: Sequence[Device], chosen: Sequence[Device]) -> AsBuilt:
    """With the cards that the driver lists and nobody chose: they are left out, too."""
    tested = {device.id for device in chosen} | {device.parent for device in chosen}
    told = {card.address for card in found.bus}
    others = [
        BusCard(device.bus_id, device.name, left_out_by=LeftOutBy.CHOICE)
        for device in present
        if device.kind is DeviceKind.GPU and not device.parent and device.bus_id
        if device.id not in tested and device.bus_id not in told
    ]
    return replace(found, bus=(*found.bus, *others))


def require_planned(found: AsBuilt) -> None:
    """Raises EnvironmentProblem where a planned card is missing or another one, and nobody accepted that by name.

    Simulated cards were chosen by whoever ordered them.
    """
    if found.simulated or not found.blocking:
        return
    accept = ",".join(_word(line) for line in found.blocking)
    raise EnvironmentProblem(
        tr(
            "The machine is not as planned: {told}. Correct it, or accept it by name: {--accept} {accept}",
            told=joined(_told(found.blocking), "; "),
            accept=accept,
        )
    )


def require_wall_meter(present: Sequence[Device]) -> None:
    """Raises EnvironmentProblem where the wall meter that was ordered cannot be read: found out now, not at the end."""
    for device in present:
        if device.kind is DeviceKind.WALL and (problem := device.detail.get("problem")):
            raise EnvironmentProblem(joined([problem, tr("To run without it, leave out {--wall}.")]))


def _told(lines: Sequence[AsBuiltLine]) -> Iterator[str]:
    """What is missing by product, then each other card."""
    missing: dict[str, list[str]] = {}
    for line in lines:
        if line.state is LineState.MISSING:
            missing.setdefault(line.planned, []).append(line.what)
    for product, places in missing.items():
        where = ", ".join(places)
        yield trn(
            "{product} is missing ({places})",
            "{count} × {product} are missing ({places})",
            count=len(places),
            product=product,
            places=where,
        )
    yield from (
        tr("{what} has {found} instead of {planned}", what=line.what, found=line.found, planned=line.planned)
        for line in lines
        if line.state is LineState.DIFFERENT
    )


def _word(line: AsBuiltLine) -> str:
    return str(line.slot) if line.slot is not None else f"'{line.what}'"
