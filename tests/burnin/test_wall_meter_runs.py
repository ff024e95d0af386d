"""Real runs with a wall meter: read, recorded and judged; lost in the middle; refused where there is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.burnin.record.rows import MACHINE, Outcome
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, start_run
from core.burnin.sealing import SealState, check_run
from core.burnin.verdict.wall import read_wall
from core.platform.errors import RigwrightError
from tests.burnin.processes import Start, WriteProfile, finished
from tests.machine.telemetry.nut_servers import DUMMY_UPS, UPSD, fake_nut, real_nut
from tests.patience import wait_for

pytestmark = pytest.mark.process
OFFICE = {"ups.mfr": "APC", "ups.model": "Smart-UPS 3000", "ups.realpower": "512"}
AT_REST = (("idle", 25.0, {}),)


def told_of_wall(store: RunStore, number: int) -> list[str]:
    machine = next(verdict for verdict in store.verdicts(number) if verdict.device_id == MACHINE)
    return [reason.text for reason in machine.reasons if reason.about == "machine_power_w"]


def test_a_meter_that_is_lost_is_said_and_the_run_goes_on(
    store: RunStore, start: Start, write_profile: WriteProfile
) -> None:
    with fake_nut(office=dict(OFFICE)) as server:
        number = start(write_profile(*AT_REST), devices=("cpu",), wall=f"nut:office@127.0.0.1:{server.port}")
        wait_for(lambda: np.isfinite(read_wall(store, number).measured[1]).sum() >= 2, "readings of the meter")
        server.refuses = "DATA-STALE"
        wait_for(lambda: any(event.kind == "wall" for event in store.events(number)), "word of the loss")
        wait_for(lambda: finished(store, number), "the end of the run")
    [row] = [row.device for row in store.devices(number) if row.device.id == "wall"]
    assert (row.name, row.detail["reading"]) == ("APC Smart-UPS 3000", "ups.realpower")
    assert not any(event.kind in ("lost", "stop") for event in store.events(number))
    [text] = told_of_wall(store, number)
    assert text.startswith("Power at the wall: NOT RUN. The wall meter told nothing for ")
    assert check_run(store, number).state is SealState.INTACT


def test_a_meter_that_cannot_be_read_refuses_the_run(
    tmp_path: Path, store: RunStore, write_profile: WriteProfile
) -> None:
    with fake_nut(office=dict(OFFICE)) as server, pytest.raises(RigwrightError, match=r"has no rack\. It has: office"):
        order = BurnOrder(profile=write_profile(*AT_REST), devices=("cpu",), wall=f"nut://127.0.0.1:{server.port}/rack")
        start_run(tmp_path, order)
    assert store.runs() == []


@pytest.mark.skipif(not (UPSD and DUMMY_UPS), reason="NUT's upsd and dummy-ups are not installed (Debian: nut-server)")
def test_debians_nut_server_is_read_through_a_run(
    tmp_path: Path, store: RunStore, start: Start, write_profile: WriteProfile
) -> None:
    folder = tmp_path / "nut"
    folder.mkdir()
    with real_nut(
        folder, "ups.mfr: APC\nups.model: Smart-UPS 3000\nups.load: 19\nups.realpower.nominal: 2700\n"
    ) as nut:
        port, tell, _ = nut
        number = start_when_told(start, write_profile, f"nut:bench@127.0.0.1:{port}")
        wait_for(lambda: 513.0 in read_wall(store, number).measured[1], "19 % of 2700 W")
        tell("ups.load: 40\nups.realpower.nominal: 2700\n")
        wait_for(lambda: 1080.0 in read_wall(store, number).measured[1], "40 % of 2700 W")
        wait_for(lambda: finished(store, number), "the end of the run")
    assert read_wall(store, number).origin.endswith("derived: ups.load of 2700 W rated, in steps of 27.0 W")
    assert not any(text.startswith("Power at the wall: NOT RUN") for text in told_of_wall(store, number))
    assert check_run(store, number).state is SealState.INTACT
    assert all(verdict.outcome is not Outcome.FAIL for verdict in store.verdicts(number))


def start_when_told(start: Start, write_profile: WriteProfile, wall: str) -> int:
    """dummy-ups takes a moment to tell upsd its variables; until then a run is refused."""

    def attempt() -> int | None:
        try:
            return start(write_profile(*AT_REST), devices=("cpu",), wall=wall)
        except RigwrightError:
            return None

    return int(wait_for(attempt, "dummy-ups to tell upsd its variables"))
