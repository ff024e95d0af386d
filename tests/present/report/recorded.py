"""A recorded run and a planned machine that the report tests share: made by hand, every figure known."""

from datetime import date

from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.record.rows import (
    MACHINE,
    EventLevel,
    Outcome,
    Reason,
    ResultStatus,
    RunDevice,
    StageResult,
    StageStatus,
    Verdict,
)
from core.burnin.record.store import RunStore
from core.machine.telemetry.device import Device, DeviceKind
from core.parts.part import Part, Price, Source
from core.parts.specs import CaseSpec, CpuSpec, GpuSpec, MotherboardSpec, PsuSpec, Slot
from core.parts.vocabulary import CaseKind, GpuCooling
from core.plan.build import Build
from core.plan.line import Line

HOSTILE = "<script>alert('x')</script> & \"quoted\" #typst *bold* $x$ {{ jinja }} \x1b[31m"
CHINESE = "静音工作站"
UUIDS = ("SIM-0-rtx-3090-8e3f1c2a-5f3c-4b7e-9a3d-0123456789ab", "SIM-1-rtx-3090-8e3f1c2a-5f3c-4b7e-9a3d-ba9876543210")
SECONDS = 120
STAGES = ((0, 4), (4, 20), (20, 70), (70, 100), (100, 120))
KINDS = ("preflight", "idle", "gemm", "transformer", "cooldown")
TITLES = ("Preflight", "Idle baseline", "Verified GEMM", "Transformer training", "Cool-down")


def profile() -> Profile:
    settings = [
        StageSettings.model_validate({"kind": kind, "seconds": end - start})
        for kind, (start, end) in zip(KINDS, STAGES, strict=True)
    ]
    return Profile(name="test", title="Test profile", description="All kinds of stages.", stages=tuple(settings))


def device(position: int, *, simulated: bool = True, kind: DeviceKind = DeviceKind.GPU) -> Device:
    return Device(
        id=UUIDS[position],
        kind=kind,
        name="NVIDIA GeForce RTX 3090",
        simulated=simulated,
        index=position,
        bus_id=f"0000:{41 + 20 * position}:00.0",
        memory_mb=24576,
        power_limit_w=350.0,
        temperature_target_c=83.0,
        temperature_slowdown_c=93.0,
        temperature_shutdown_c=98.0,
        detail={"driver": "560.35.03", "vbios": "94.02.42.00.A9"},
    )


def sample(time_s: float, position: int) -> dict[str, float | None]:
    """The first device works throughout; the second is lost at 80 s and has no fan sensor."""
    busy = 20 <= time_s < 100
    heat = min((time_s - 20) / 30, 1.0) if busy else 0.0
    return {
        "temperature_c": 35 + 40 * heat + 3 * position,
        "power_w": 345.5 if busy else 28.0,
        "clock_mhz": 1695 if busy else 210,
        "utilisation_pct": 100 if busy else 0,
        "fan_pct": None if position else 30 + 40 * heat,
        "throttle_mask": 0x4 if busy else 0x1,
        "throughput_tflops": 65.25 - 0.5 * position if 20 <= time_s < 70 else None,
        "tokens_per_s": 41_000 if 70 <= time_s < 100 else None,
        "loss": 5.5 - (time_s - 70) / 10 if 70 <= time_s < 100 else None,
        "checks": (time_s - 20) * 10 if busy else None,
        "errors": (3 if position and time_s > 60 else 0) if busy else None,
    }


def record_run(store: RunStore, *, simulated: bool = True, build: str | None = None, verdict: bool = True) -> int:
    """Two devices, one with faults that is lost; the training does not run on it. Written in one commit."""
    with store._db.atomic():
        return _record(store, simulated=simulated, build=build, verdict=verdict)


def _record(store: RunStore, *, simulated: bool, build: str | None, verdict: bool) -> int:
    rows = [RunDevice(device(position, simulated=simulated), position, True) for position in range(2)]
    run_id = store.create_run(
        title="Test profile",
        profile=profile(),
        devices=rows,
        stage_titles=TITLES,
        boot_id="boot-1",
        machine=f"tower-7 {CHINESE} (Linux 6.1, x86_64)",
        version="0.1.0",
        build=build,
    )
    for second in range(SECONDS):
        store.add_tick(
            run_id,
            float(second),
            {row.device.id: sample(second, row.position) for row in rows if row.position == 0 or second < 80},
        )
    for number, (start, end) in enumerate(STAGES):
        store.start_stage(run_id, number, float(start), "boot-1")
        store.end_stage(run_id, number, float(end), StageStatus.DONE)
        for row in rows:
            store.add_result(run_id, _result(number, row))
    store.add_event(run_id, 0.0, EventLevel.INFO, "started", "Test profile on 2 device(s).")
    store.add_event(run_id, 61.0, EventLevel.ERROR, "mismatch", HOSTILE, device_id=UUIDS[1])
    store.add_event(run_id, 80.0, EventLevel.WARN, "lost", f"设备从总线上掉线 {CHINESE}", device_id=UUIDS[1])
    store.set_note(run_id, f"备注: {CHINESE}\nsecond line")
    if verdict:
        store.finish(run_id, verdicts(simulated=simulated))
    return run_id


def verdicts(*, simulated: bool) -> list[Verdict]:
    wrong = Reason(
        Outcome.FAIL,
        "3 wrong results in 800 comparisons.",
        3.0,
        0.0,
        "errors",
        "criterion of the profile",
        "errors",
        time_s=61.0,
    )
    passed = Reason(Outcome.PASS, "Verified GEMM: 500 results checked, none wrong.")
    machine = (Reason(Outcome.FAIL, f"{device(1, simulated=simulated).title}: FAIL"),)
    return [
        Verdict(MACHINE, Outcome.FAIL, machine),
        Verdict(UUIDS[0], Outcome.PASS, (passed,)),
        Verdict(UUIDS[1], Outcome.FAIL, (wrong,)),
    ]


def _result(number: int, row: RunDevice) -> StageResult:
    evidence: dict[str, object] = {}
    match KINDS[number], row.position:
        case "gemm", 0:
            evidence = {
                "throughput_tflops": {"float32": 27.123456, "bfloat16": 65.25},
                "power_by_format_w": {"float32": 338.0, "bfloat16": 345.5},
                "checks": 500,
                "errors": 0,
                "self_test": {"seen": ["repeatable", "bitflip"], "passed": True},
            }
            return StageResult(number, row.device.id, ResultStatus.PASSED, "500 results checked, none wrong.", evidence)
        case "gemm", 1:
            return StageResult(
                number, row.device.id, ResultStatus.FAILED, "3 of 500 checked results are wrong.", {"errors": 3}
            )
        case "transformer", 0:
            evidence = {"first_loss": 5.5, "last_loss": 2.6, "loss_fell": True}
        case "transformer", 1:
            reason = "The device is lost: it fell off the bus."
            return StageResult(number, row.device.id, ResultStatus.NOT_RUN, reason)
        case "preflight", _:
            evidence = {
                "measured": ["temperature_c", "power_w"],
                "not_measured": ["Fan speed"],
                "warnings": ["The power limit is set low."],
            }
        case "cooldown", _:
            evidence = {"first_c": 75.0, "last_c": 41.5}
    return StageResult(number, row.device.id, ResultStatus.PASSED, "", evidence)


def gpu_part() -> Part:
    return Part(
        id="test-rtx-3090",
        maker="Maker",
        name="RTX 3090 <Turbo>",
        spec=GpuSpec(
            product="GeForce RTX 3090",
            cooling=GpuCooling.BLOWER,
            length_mm=267,
            width_slots=2,
            pcie_lanes=16,
            power_limit_w=350,
        ),
        sources=(
            Source(title="Data sheet of the card", url="https://example.com/rtx?a=1&b=2", fields=("length_mm",)),
            Source(title="general knowledge"),
        ),
        price=Price(amount=1499.5, currency="USD", as_of=date(2020, 9, 24)),
    )


def _part(part_id: str, name: str, spec: object) -> Part:
    source = {"title": "Maker's page", "url": "https://example.com/" + part_id}
    return Part.model_validate({"id": part_id, "maker": "Maker", "name": name, "spec": spec, "sources": [source]})


def planned() -> Build:
    slots = tuple(
        Slot(position=position, label=f"PCIEX16_{position}", mechanical_lanes=16, lanes=16, generation=4)
        for position in (1, 3, 5)
    )
    return Build(
        name=f"四卡 {CHINESE} <b>",
        region="cn-220v-10a",
        notes=f"{CHINESE}的备注\nsecond line {HOSTILE}",
        lines=(
            Line(gpu_part(), 2, (1, 3)),
            Line(_part("test-cpu", "CPU 24", CpuSpec(cores=24, tdp_w=280))),
            Line(_part("test-board", "Board", MotherboardSpec(slots=slots))),
            Line(_part("test-case", "Case", CaseSpec(kind=CaseKind.TOWER))),
            Line(_part("test-psu", "PSU 1600", PsuSpec(power_w=1600, cables=()))),
        ),
    )
