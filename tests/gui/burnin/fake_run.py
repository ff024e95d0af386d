"""Writes recordings as the runner does, with made-up figures, so that viewers have something to follow."""

import math
import os
import random
from contextlib import closing
from pathlib import Path

from core.burnin.profile.file import find_profile
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
from core.burnin.run.machine import boot_of
from core.burnin.stages.registry import STAGES
from core.machine.telemetry.device import Device, DeviceKind

TITLES = {stage.kind: stage.title for stage in STAGES}


def gpu(index, **changes):
    return Device(
        **{
            "id": f"SIM-{index}-rtx-3090",
            "kind": DeviceKind.GPU,
            "name": "NVIDIA GeForce RTX 3090",
            "simulated": True,
            "index": index,
            "bus_id": f"00000000:{0x41 + 0x20 * index % 0xC0:02X}:00.0",
            "memory_mb": 24576,
            "power_limit_w": 350.0,
            "temperature_target_c": 83.0,
            "temperature_slowdown_c": 95.0,
            "temperature_shutdown_c": 98.0,
            **changes,
        }
    )


CPU = Device(id="cpu", kind=DeviceKind.CPU, name="AMD EPYC 7402P", detail={"threads": "48"})


class FakeRun:
    """One run, written second by second."""

    def __init__(self, data_dir: Path, devices=None, profile="quick-test", title=None, burned=None, build=None):
        self.store = RunStore(data_dir)
        self.profile = find_profile(profile)
        self.devices = [gpu(index) for index in range(2)] if devices is None else devices
        self.boot = boot_of(data_dir, simulated=any(device.simulated for device in self.devices))
        self.id = self.store.create_run(
            title=title or self.profile.title,
            profile=self.profile,
            devices=[
                RunDevice(device, place, burned=burned is None or place < burned)
                for place, device in enumerate(self.devices)
            ],
            stage_titles=[TITLES[stage.kind] for stage in self.profile.stages],
            boot_id=self.boot,
            machine="bench",
            version="0.1.0",
            runner_pid=os.getpid(),
            build=build,
        )
        self.random = random.Random(1)
        self.load = 0.0
        self.heat = [35.0 for _ in self.devices]
        self.errors = {}
        self.mask = {}

    def close(self):
        self.store.close()

    def values(self, place, time_s):
        """A card that warms up under load, not two alike."""
        device = self.devices[place]
        self.heat[place] += (30 + place + 45 * self.load - self.heat[place]) * 0.03
        noise = self.random.gauss(0, 1)
        working = self.load > 0
        values = {
            "temperature_c": round(self.heat[place] + noise * 0.4),
            "power_w": 30 + 310 * self.load + 4 * noise + place,
            "power_limit_w": device.power_limit_w,
            "clock_mhz": 210 + 15 * round((1500 * self.load + 5 * noise) / 15),
            "utilisation_pct": 100.0 * working,
            "fan_pct": min(100, 30 + max(0, self.heat[place] - 50) * 2),
            "throttle_mask": self.mask.get(place, 4 if working else 1),
            "throughput_tflops": 70 + noise - place / 2 if working else None,
            "tokens_per_s": None,
            "errors": self.errors.get(place, 0) if working else None,
            "checks": time_s if working else None,
        }
        return values if device.kind is DeviceKind.GPU else {"utilisation_pct": values["utilisation_pct"]}

    def tick(self, time_s, stage=None):
        samples = {device.id: self.values(place, time_s) for place, device in enumerate(self.devices)}
        self.store.add_tick(self.id, time_s, samples, stage=stage)

    def ticks(self, seconds):
        """In one commit."""
        with self.store._db.atomic():
            for second in seconds:
                self.tick(float(second))

    def event(self, time_s, text, level=EventLevel.INFO, kind="note", device=None):
        self.store.add_event(self.id, time_s, level, kind, text, device_id=device)

    def begin(self, number, time_s):
        self.store.start_stage(self.id, number, time_s, self.boot)
        kind = self.profile.stages[number].kind
        self.load = {"gemm": 1.0, "transformer": 0.8}.get(kind, 0.0)
        self.event(time_s, f"{TITLES[kind]} started.", kind="stage")

    def started(self):
        """At its first stage, with a first sample."""
        self.begin(0, 0.0)
        self.tick(0.0)
        return self

    def end(self, number, time_s, status=StageStatus.DONE, result=ResultStatus.PASSED):
        self.store.end_stage(self.id, number, time_s, status)
        for device in self.devices:
            self.store.add_result(self.id, StageResult(number, device.id, result, ""))
        self.load = 0.0

    def play(self, until_s=math.inf, from_s=0.0):
        """All stages at one sample a second, quickly; stops within a stage at `until_s`."""
        time_s = from_s
        for number, stage in enumerate(self.profile.stages):
            self.begin(number, time_s)
            with self.store._db.atomic():
                for second in range(int(stage.seconds)):
                    if time_s >= until_s:
                        return time_s
                    self.tick(time_s, (number, second / stage.seconds))
                    time_s += 1.0
            self.end(number, time_s)
        return time_s

    def finish(self, outcome=Outcome.PASS, text="All results were right."):
        verdicts = [Verdict(MACHINE, outcome, (Reason(outcome, text),))]
        verdicts += [Verdict(device.id, outcome, (Reason(outcome, text),)) for device in self.devices]
        self.store.finish(self.id, verdicts)


def finished_run(data_dir, outcome=Outcome.PASS, **arguments):
    """The number of a run that is over."""
    run = FakeRun(data_dir, **arguments)
    with closing(run):
        run.play()
        run.finish(outcome)
    return run.id
