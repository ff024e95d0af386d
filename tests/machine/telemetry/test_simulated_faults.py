"""Scripted faults show as the real ones would, at their time and on their card alone."""

import pytest

from core.machine.telemetry.simulated.simulation import Simulation, parse_simulation
from core.machine.telemetry.simulated.source import SimulatedSource
from core.machine.telemetry.source import Incident

HEALTHY, FAULTY = "SIM-0-rtx-3090", "SIM-1-rtx-3090"


def source_of(text: str, *, load: float = 1.0) -> tuple[SimulatedSource, list[Incident]]:
    order = parse_simulation(text)
    assert isinstance(order, Simulation)
    source = SimulatedSource(order, clock=None)
    incidents: list[Incident] = []
    source.listen(incidents.append)
    for device_id in source.cards:
        source.set_activity(device_id, load)
    return source, incidents


def after(text: str, seconds: float, *, load: float = 1.0) -> dict[str, dict[str, float | None]]:
    source, _ = source_of(text, load=load)
    source.advance(seconds)
    return {id_: dict(sample) for id_, sample in source.read().items()}


def test_a_fault_begins_at_its_time_and_stays_with_its_card() -> None:
    source, incidents = source_of("2x3090,fault=xid62@1:30s")
    source.advance(29)
    assert incidents == []
    source.advance(2)
    drill, incident = incidents
    assert (drill.kind, drill.device) == ("drill", FAULTY)
    assert (incident.kind, incident.device, incident.xid, incident.source) == ("xid", FAULTY, 62, "simulated")
    assert incident.text.startswith("SIMULATED: Xid 62")


def test_a_memory_error_is_counted_told_and_waits_for_a_reset() -> None:
    source, incidents = source_of("2x3090,fault=ecc@1:30s")
    source.advance(20)
    assert source.read()[FAULTY]["ecc_uncorrected"] == 0
    source.advance(20)
    samples = source.read()
    assert (samples[FAULTY]["ecc_uncorrected"], samples[FAULTY]["remap_pending"]) == (1, 1)
    assert samples[HEALTHY]["ecc_uncorrected"] is None
    assert [(incident.kind, incident.xid) for incident in incidents] == [("drill", None), ("xid", 48)]
    assert [device.ecc for device in source.devices()] == [False, True]


def test_corrected_memory_errors_come_again_and_again() -> None:
    counts = [after("2xa100,fault=corrected@1", seconds)["SIM-1-a100"]["ecc_corrected"] for seconds in (10, 60)]
    assert counts == [5, 30]


def test_a_lost_card_is_reported_and_not_read_any_more_while_the_others_go_on() -> None:
    source, incidents = source_of("2x3090,fault=lost@1:5s")
    assert list(source.read()) == [HEALTHY, FAULTY]
    source.advance(6)
    assert list(source.read()) == [HEALTHY]
    assert list(source.lost()) == [FAULTY]
    assert [(one.xid, one.device) for one in incidents if one.kind != "drill"] == [(79, FAULTY)]


def test_a_driver_that_hangs_says_for_which_card(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[None] = []
    monkeypatch.setattr("core.machine.telemetry.simulated.source.threading.Event.wait", lambda self: waits.append(None))
    source, _ = source_of("2x3090,fault=hang@1:5s")
    source.read()
    assert (waits, source.asking()) == ([], None)
    source.advance(6)
    source.read()
    assert (waits, source.asking()) == ([None], f"the driver of the simulated card {FAULTY}")


def test_a_slow_card_carries_it_in_its_identity_and_keeps_its_name() -> None:
    source, _ = source_of("2x3090,fault=slow25@1")
    healthy, slow = source.devices()
    assert (healthy.id, slow.id) == (HEALTHY, f"{FAULTY}-slow25")
    assert healthy.name == slow.name


def test_old_paste_makes_the_core_hotter_at_the_same_power() -> None:
    source, _ = source_of("2x3090,fault=paste@1")
    source.advance(60)
    healthy, faulty = source.cards.values()
    assert faulty.core_c > healthy.core_c + 10
    assert faulty.power_w == healthy.power_w
    # The step from core to heat sink is what grows, in proportion to the resistance.
    steps = [card.core_c - card.sink_c for card in (healthy, faulty)]
    assert steps[1] / steps[0] == pytest.approx(2.5, rel=0.1)


def test_fans_that_stand_still_are_told_to_turn_faster_and_the_card_throttles() -> None:
    samples = after("2x3090,fault=fan@1", 600)
    assert (samples[FAULTY]["fan_pct"] or 0) > (samples[HEALTHY]["fan_pct"] or 0) + 20
    assert (samples[FAULTY]["temperature_c"] or 0) >= 83
    assert int(samples[FAULTY]["throttle_mask"] or 0) & 0x20
    assert (samples[FAULTY]["power_w"] or 0) < 0.9 * 350
    assert (samples[FAULTY]["throttle_sw_thermal_s"] or 0) > 60


@pytest.mark.parametrize(
    ("word", "bits", "counter"),
    [("throttle", 0x48, "throttle_hw_thermal_s"), ("brake", 0x88, "throttle_power_brake_s")],
)
def test_a_card_that_is_held_down_loses_clock_and_power_and_counts_the_time(word: str, bits: int, counter: str) -> None:
    samples = after(f"2x3090,fault={word}@1:10s", 40)
    assert int(samples[FAULTY]["throttle_mask"] or 0) & bits == bits
    assert (samples[FAULTY]["power_w"] or 0) < 0.5 * (samples[HEALTHY]["power_w"] or 0)
    assert (samples[FAULTY]["clock_mhz"] or 0) < (samples[HEALTHY]["clock_mhz"] or 0)
    assert samples[FAULTY][counter] == pytest.approx(30, abs=0.6)
    assert samples[HEALTHY][counter] == 0


def test_a_link_can_lose_lanes_and_be_disturbed() -> None:
    assert after("2x3090,fault=link@1", 1)[FAULTY]["pcie_lanes"] == 4
    samples = after("2x3090,fault=aer@1", 20)
    assert (samples[FAULTY]["aer_correctable"], samples[FAULTY]["pcie_replays"]) == (60, 6)
    assert (samples[HEALTHY]["aer_correctable"], samples[HEALTHY]["pcie_lanes"]) == (0, 16)


def test_sensors_that_stand_still_repeat_their_last_values() -> None:
    source, _ = source_of("2x3090,fault=frozen@1:5s")
    source.advance(6)
    first = source.read()
    source.advance(60)
    second = source.read()
    assert first[FAULTY] == second[FAULTY]
    assert first[HEALTHY]["temperature_c"] != second[HEALTHY]["temperature_c"]


def test_a_weak_psu_switches_off_only_under_the_load_of_all_cards() -> None:
    source, incidents = source_of("2x3090,fault=psu:10s", load=0.0)
    source.set_activity(HEALTHY, 1.0)
    source.advance(60)
    assert incidents == []
    source.set_activity(FAULTY, 1.0)
    source.advance(1)
    assert [(incident.kind, incident.device) for incident in incidents] == [("reset", None)]
    assert source.read() == {}
    source.advance(10)
    assert len(incidents) == 1


def test_a_fault_on_all_cards_begins_on_each() -> None:
    _, incidents = source_of("3x3090,fault=xid31@all:1s")
    assert incidents == []
    source, incidents = source_of("3x3090,fault=xid31@all:1s")
    source.advance(2)
    for kind in ("drill", "xid"):
        assert [incident.device for incident in incidents if incident.kind == kind] == list(source.cards)


def test_the_faults_of_a_card_stand_in_its_detail() -> None:
    healthy, faulty = source_of("2x3090,fault=paste@1:30s,fault=fan@1")[0].devices()
    assert "faults" not in healthy.detail
    assert faulty.detail["faults"] == "paste 150 after 30 s, fan"
