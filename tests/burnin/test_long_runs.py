"""Hours of simulated cards in a moment: no false alarm on healthy ones, and the faults that take their time to show.

The cards are those that `--simulate` opens, with their own clock; what they show becomes a recording that is judged.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.burnin.profile.profile import Criteria, Profile, StageSettings
from core.burnin.record.rows import Outcome, ResultStatus, RunDevice, StageResult, StageRow, StageStatus, Verdict
from core.burnin.verdict import Recorded, judge
from core.machine.telemetry.metrics import NAMES
from core.machine.telemetry.simulated.simulation import Simulation, parse_simulation
from core.machine.telemetry.simulated.source import SimulatedSource

EVERY_S = 5.0
REST_S = 120.0
COLUMN = {name: place for place, name in enumerate(NAMES, start=1)}


@cache
def verdicts(words: str, minutes: int) -> tuple[Verdict, ...]:
    """On the cards after rest, a load of so many minutes, and rest again."""
    order = parse_simulation(words)
    assert isinstance(order, Simulation)
    source = SimulatedSource(order, clock=None)
    devices = source.devices()
    rows: dict[str, list[list[float]]] = {device.id: [] for device in devices}
    lasts_s = 60.0 * minutes
    stages = (("idle", REST_S, 0.0), ("gemm", lasts_s, 1.0), ("cooldown", REST_S, 0.0))
    now_s, stage_rows = 0.0, []
    for number, (kind, seconds, load) in enumerate(stages):
        for device in devices:
            source.set_activity(device.id, load)
        began_s = now_s
        while now_s < began_s + seconds:
            source.advance(EVERY_S)
            now_s += EVERY_S
            for device_id, shown in source.read().items():
                values = [np.nan if (value := shown.get(name)) is None else value for name in NAMES]
                rows[device_id].append([now_s, *values])
        stage_rows.append(StageRow(number, kind, kind, seconds, StageStatus.DONE, 1.0, began_s, now_s, "boot"))
    recorded = Recorded(
        profile=Profile(
            name="long", title="Long", criteria=Criteria(),
            stages=tuple(StageSettings(kind=kind, seconds=seconds) for kind, seconds, _ in stages),
        ),
        devices=[RunDevice(device, place, burned=True) for place, device in enumerate(devices)],
        stages=stage_rows,
        results=[
            StageResult(number, device.id, ResultStatus.PASSED, "fine")
            for number in range(len(stages))
            for device in devices
        ],
        samples={device_id: np.array(block).reshape(-1, 1 + len(NAMES)) for device_id, block in rows.items()},
    )  # fmt: skip
    return tuple(judge(recorded)[1:])


def alarms(verdict: Verdict) -> list[str]:
    return [reason.text for reason in verdict.reasons if reason.outcome is not Outcome.PASS]


@pytest.mark.parametrize("words", ["2x3090", "2xv100", "2x4090,seed=3", "1xh100", "4xtitan-x"])
def test_healthy_cards_give_no_alarm_in_hours(words: str) -> None:
    for verdict in verdicts(words, 120):
        assert alarms(verdict) == []


@pytest.mark.parametrize(
    ("fault", "says"),
    [("paste400@1", "lock"), ("fan@1:5m", "lock"), ("corrected@1:5m", "ECC corrected"), ("frozen@1:3m", "frozen")],
)
def test_a_fault_that_takes_its_time_is_seen_on_its_card_alone(fault: str, says: str) -> None:
    healthy, broken = verdicts(f"2x3090,fault={fault}", 45)
    assert alarms(healthy) == []
    assert broken.outcome is Outcome.FAIL or fault.startswith("corrected")
    assert any(says in text for text in alarms(broken)), alarms(broken)
