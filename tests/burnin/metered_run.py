"""A run made by hand in which a wall meter was read: a minute at rest, 100 s of soak."""

from __future__ import annotations

from collections.abc import Callable

from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.rows import MACHINE, Outcome, ResultStatus, RunDevice, StageResult, StageStatus, Verdict
from core.burnin.record.store import RunStore
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import WALL
from core.machine.telemetry.source import CPU_ID, WALL_ID
from core.plan.file import dump_build
from tests.burnin.begun_run import begun
from tests.present.report.recorded import UUIDS, device, planned

IDLE_S, END_S = 60, 160
METER = Device(
    WALL_ID, DeviceKind.WALL, "APC Smart-UPS 3000", detail={"wall meter": "office@rack", "reading": "ups.realpower"}
)
PROCESSOR = Device(CPU_ID, DeviceKind.CPU, "Processor")
Read = Callable[[int], float | None]


def metered_run(
    store: RunStore, watts: Read, *, plan: bool = True, card_w: float = 300.0, cpu_w: float = 50.0, over: bool = True,
    meter: bool = True,
) -> int:  # fmt: skip
    """`watts` is what the meter tells in each second, or the board where there is none; None where it tells nothing."""
    stages = tuple(StageSettings(kind=kind, seconds=s) for kind, s in (("idle", 60), ("soak", 100)))
    rows = [RunDevice(device(0, simulated=False), 0, True), RunDevice(PROCESSOR, 1, False)]
    rows += [RunDevice(METER, 2, False)] if meter else []
    with store._db.atomic():
        number = begun(
            store, devices=rows, profile=Profile(name="metered", title="Metered", stages=stages),
            stage_titles=("Idle baseline", "Thermal soak"), build=dump_build(planned()) if plan else None,
        )  # fmt: skip
        for second in range(END_S):
            card, at_wall = {"power_w": 20.0 if second < IDLE_S else card_w}, {WALL: watts(second)}
            others = {CPU_ID: {"power_w": cpu_w}, WALL_ID: at_wall} if meter else {CPU_ID: {"power_w": cpu_w} | at_wall}
            store.add_tick(number, float(second), {UUIDS[0]: card, **others})
        for place, (start, end) in enumerate(((0, IDLE_S), (IDLE_S, END_S))):
            store.start_stage(number, place, float(start), "boot")
            store.end_stage(number, place, float(end), StageStatus.DONE)
            store.add_result(number, StageResult(place, UUIDS[0], ResultStatus.PASSED, "fine"))
        if over:
            store.finish(number, [Verdict(id_, Outcome.PASS, ()) for id_ in (MACHINE, UUIDS[0])])
    return number
