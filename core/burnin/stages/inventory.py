"""What the machine has against what its plan has, and whether there is room for the recording."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from core.build.build import Build
from core.burnin.planned import lacking_cards, narrower_links, planned_memory_gb, unplanned_cards
from core.burnin.record import EventLevel
from core.telemetry.device import Device, DeviceKind

if TYPE_CHECKING:
    from core.burnin.stage_context import StageContext

LACKS_MEMORY_SHARE = 0.9
"""Of the planned main memory: firmware and graphics keep some of it, a missing module takes more."""
ROOM_FOR_HOURS_MB = 10.0
"""Of samples and events in an hour, with much to spare."""

Remark = tuple[EventLevel, str]


def check_inventory(context: StageContext) -> None:
    """Puts on record what concerns the machine; the verdict on it takes errors as failures."""
    for level, text in remarks(context.plan, context.run.watched):
        context.event(level, "plan", text)
    free_mb = shutil.disk_usage(context.run.folder).free / 1e6
    hours = context.run.profile.seconds / 3600
    needed_mb = context.run.profile.guards.free_disk_mb + ROOM_FOR_HOURS_MB * hours
    if free_mb < needed_mb:
        text = f"The disk has {free_mb:.0f} MB left; the recording may need {needed_mb:.0f} MB and would end early."
        context.event(EventLevel.WARN, "room", text)


def remarks(plan: Build | None, present: Sequence[Device]) -> Iterator[Remark]:
    """Pure: cards that are missing or not in the plan, and missing memory."""
    if plan is None:
        return
    for lacking in lacking_cards(plan, present):
        here = "none is here" if not lacking.present else f"{lacking.present} of them are here"
        wanted = f"The plan {plan.name!r} has {lacking.planned} x {lacking.product}"
        yield EventLevel.ERROR, f"{wanted}; {here}. Check power, seating and risers."
    for device in unplanned_cards(plan, present):
        yield EventLevel.WARN, f"{device.title} is not in the plan {plan.name!r}."
    yield from _memory(plan, present)


def link_problem(context: StageContext, device: Device) -> str | None:
    """A sentence where the device's link can do less than planned. Simulated cards sit in no slot."""
    if context.plan is None or device.simulated:
        return None
    return narrower_links(context.plan, context.run.watched).get(device.id)


def _memory(plan: Build, present: Sequence[Device]) -> Iterator[Remark]:
    planned_gb = planned_memory_gb(plan)
    hosts = [device for device in present if device.kind is DeviceKind.CPU and device.memory_mb]
    if planned_gb is None or not hosts or any(device.simulated for device in present):
        return
    here_gb = (hosts[0].memory_mb or 0) / 1024
    if here_gb < LACKS_MEMORY_SHARE * planned_gb:
        yield EventLevel.ERROR, f"The plan has {planned_gb:.0f} GB of main memory; {here_gb:.0f} GB are here."
