"""One GPU measured over time: what is asked how often, rates from counters, and what serves where a call is refused."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

GEFORCE, H200 = 0, 1

MEASURE = """
import json, sys
from pathlib import Path
from core.machine.telemetry.nvml.gate import Gate, open_library
from core.machine.telemetry.nvml.card import NvmlCard
from core.machine.telemetry.nvml.device import Driver, describe
library = open_library()
gate = Gate(library, library.nvmlDeviceGetHandleByIndex({index}))
device = describe(gate, uuid="GPU", index={index}, driver=Driver(None, None))
card = NvmlCard(library, gate, device, pci=Path({pci!r}))
script = Path({script!r})
samples = []
for now_s, lines in {ticks!r}:
    script.write_text("\\n".join(lines))
    samples.append(card.count() if now_s is None else card.read(now_s))
print(json.dumps(samples))
"""

Ticks = list[tuple[float | None, list[str]]]
"""When it is read, monotonic, and what the script says from then on; at None its errors are counted instead."""


@pytest.fixture
def measure(driver, tmp_path: Path):
    def run(index: int, ticks: Ticks, *, pci: Path = Path("/nowhere"), **settings: object) -> list[dict[str, Any]]:
        script = tmp_path / "script"
        program = MEASURE.format(index=index, ticks=ticks, pci=str(pci), script=str(script))
        return driver.run(program, script=script, **settings)

    return run


def ticks(*times: float) -> Ticks:
    return [(now_s, []) for now_s in times]


def calls(log: Path) -> Counter[str]:
    return Counter(line.split()[0] for line in log.read_text().splitlines())


def test_counters_are_asked_once_a_second_and_errors_every_ten_however_often_it_ticks(measure, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    samples = measure(H200, ticks(*(tick / 2 for tick in range(41))), log=log)
    counts = calls(log)
    assert counts["nvmlDeviceGetPowerUsage"] == 41
    assert counts["field186"] == 41
    assert counts["field83"] == 21
    assert counts["field4"] == 2  # at once, and every ten seconds from a second that is this card's own
    assert counts["nvmlDeviceGetFieldValues"] < 41 + 10
    assert all("ecc_corrected" in sample and "energy_j" in sample for sample in samples)


def test_one_call_brings_all_fields_of_a_tick(measure, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    measure(GEFORCE, ticks(0, 1), log=log)
    before = calls(log)["nvmlDeviceGetFieldValues"]
    measure(GEFORCE, ticks(0, 1, 2, 3, 4), log=log)
    assert calls(log)["nvmlDeviceGetFieldValues"] - 2 * before == 3


def test_the_speed_of_a_fan_is_as_fresh_as_its_command(measure, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    measure(GEFORCE, ticks(0, 1, 2, 3), log=log)
    assert calls(log)["nvmlDeviceGetFanSpeedRPM"] == 4


def test_a_field_that_the_card_lacks_is_asked_once(measure, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    measure(GEFORCE, ticks(0, 1, 2, 11, 22), log=log)
    counts = calls(log)
    assert (counts["field82"], counts["field4"], counts["field94"]) == (1, 1, 5)


def test_bytes_become_gigabytes_per_second(measure) -> None:
    first, second = measure(
        H200,
        [
            (10.0, ["FAKE_NVML_FIELDS=197=1000000000 198=0 138=0 139=0"]),
            (12.0, ["FAKE_NVML_FIELDS=197=3000000000 198=1000000000 138=1953125 139=0"]),
        ],
    )
    assert first["pcie_sent_gbps"] is None
    assert (second["pcie_sent_gbps"], second["pcie_received_gbps"]) == (1.0, 0.5)
    assert (second["nvlink_sent_gbps"], second["nvlink_received_gbps"]) == (1.0, 0.0)


def test_a_counter_of_bytes_that_begins_anew_gives_no_rate(measure) -> None:
    steps = [f"FAKE_NVML_FIELDS=197={count}" for count in (4_000_000_000, 1_000, 2_000_001_000)]
    rates = [sample["pcie_sent_gbps"] for sample in measure(H200, [(float(i), [line]) for i, line in enumerate(steps)])]
    assert rates == [None, None, 2.0]


def test_the_highest_power_since_the_last_second_is_reported_but_nothing_from_before_the_start(measure) -> None:
    samples = measure(GEFORCE, ticks(0, 1, 2))
    assert [sample["power_peak_w"] for sample in samples] == [None, 412.5, 412.5]


def test_an_empty_buffer_of_the_driver_is_asked_again(measure) -> None:
    empty = ["FAKE_NVML_NO_READINGS=1"]
    samples = measure(GEFORCE, [(0.0, []), (1.0, empty), (2.0, [])])
    assert [sample["power_peak_w"] for sample in samples] == [None, None, 412.5]


def test_the_drivers_mean_serves_where_the_power_is_refused(measure) -> None:
    assert measure(GEFORCE, ticks(0), **{"return": "nvmlDeviceGetPowerUsage=3"})[0]["power_w"] == 333


def test_energy_over_time_serves_where_no_power_is_reported(measure) -> None:
    steps = [(float(second), [f"FAKE_NVML_FIELDS=83={second * 250_000}"]) for second in (0, 1, 3)]
    samples = measure(GEFORCE, steps, **{"return": "nvmlDeviceGetPowerUsage=3 field185=3"})
    assert [sample["power_w"] for sample in samples] == [None, 250, 250]


def test_activity_of_the_units_is_a_mean_between_two_readings(measure) -> None:
    first, second = measure(H200, ticks(0, 20))
    assert "tensor_pct" not in first
    shares = ("tensor_pct", "memory_bandwidth_pct", "fp64_pct", "fp32_pct")
    assert [second[name] for name in shares] == [25, 50, 55, 60]
    assert "fp16_pct" not in second


def test_a_whole_batch_that_is_refused_is_taken_apart(measure) -> None:
    (sample,) = measure(GEFORCE, ticks(0), **{"return": "nvmlDeviceGetFieldValues=2"})
    assert (sample["energy_j"], sample["throttle_sw_thermal_s"], sample["temperature_c"]) == (7000, 2, 61)


def test_links_that_go_down_are_counted(measure) -> None:
    samples = measure(H200, [(0.0, []), (12.0, ["FAKE_NVML_LINKS_DOWN=1:1"])])
    assert [sample["nvlink_active"] for sample in samples] == [4, 3]


@pytest.mark.parametrize(
    ("answer", "metric", "value"),
    [
        ("FAKE_NVML_FIELDS=4=2", "ecc_uncorrected", 2),
        ("FAKE_NVML_FIELDS=144=1", "remap_pending", 1),
        ("FAKE_NVML_FIELDS=230=2", "recovery_action", 2),
        ("FAKE_NVML_SRAM_EXCEEDED=1", "sram_worn", 1),
        ("FAKE_NVML_PROCESSES=3", "processes", 3),
        ("FAKE_NVML_FIELDS=38=1 45=2", "nvlink_crc", 3),
        ("FAKE_NVML_FIELDS=271=1500000000", "throttle_power_brake_s", 1.5),
        ("FAKE_NVML_FIELDS=4=4294967295", "ecc_uncorrected", None),
        ("FAKE_NVML_FIELDS=142=-1", "remapped_corrected", None),
    ],
)
def test_counters_follow_the_card_and_broken_ones_are_not_measured(
    measure, answer: str, metric: str, value: float | None
) -> None:
    assert measure(H200, [(0.0, [answer])])[0][metric] == value


def test_errors_are_counted_at_once_where_somebody_asks_and_the_next_samples_hold_them(measure, tmp_path: Path) -> None:
    log, sick = tmp_path / "calls", ["FAKE_NVML_FIELDS=4=2 144=1", "FAKE_NVML_SRAM_EXCEEDED=1"]
    before, unasked, counted, after = measure(H200, [(0.0, []), (1.0, sick), (None, sick), (2.0, sick)], log=log)
    names = ("ecc_uncorrected", "remap_pending", "sram_worn")
    assert [[sample[name] for name in names] for sample in (before, unasked)] == [[0, 0, 0]] * 2
    assert [[sample[name] for name in names] for sample in (counted, after)] == [[2, 1, 1]] * 2
    assert calls(log)["field4"] == 2
    assert "temperature_c" not in counted


def test_the_kernels_count_of_link_errors_comes_before_the_cards_own(measure, tmp_path: Path) -> None:
    card = tmp_path / "pci" / "0000:c1:00.0"
    card.mkdir(parents=True)
    (card / "aer_dev_correctable").write_text("RxErr 7\nTOTAL_ERR_COR 7\n")
    assert measure(H200, ticks(0), pci=card.parent)[0]["aer_correctable"] == 7
    assert measure(H200, ticks(0))[0]["aer_correctable"] == 5
