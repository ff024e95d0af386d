"""GPUs are described and measured through the real binding, talking to a stand-in for the driver's library."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import LOAD_METRICS, METRICS
from tests.machine.asbuilt.bus_tree import Step, card, put

GEFORCE, H200 = "GPU-00000000-1111-2222-3333-444444444444", "GPU-11111111-2222-3333-4444-555555555555"

MEASURE = """
import json
from core.machine.telemetry.nvml.gate import NoDriver
from core.machine.telemetry.nvml.source import NvmlSource
try:
    source = NvmlSource()
except NoDriver as problem:
    print(json.dumps(str(problem)))
else:
    reads = [source.read() for _ in range(5)]
    source.close()
    print(json.dumps({"devices": [device.as_dict() for device in source.devices()], "reads": reads,
                      "lost": source.lost()}))
"""


def devices(measured: Any) -> list[Device]:
    return [Device.from_dict(stored) for stored in measured["devices"]]


def test_every_metric_is_measured_in_its_unit(driver) -> None:
    *_, last = driver.run(MEASURE)["reads"]
    assert last[GEFORCE] == {
        "temperature_c": 61, "memory_temperature_c": None, "margin_c": 32, "power_w": 348.25, "power_instant_w": 351,
        "power_peak_w": None, "power_limit_w": 300, "energy_j": 7500, "clock_mhz": 1695, "graphics_clock_mhz": 1710,
        "video_clock_mhz": 1500, "memory_clock_mhz": 9501, "performance_state": 2, "utilisation_pct": 98,
        "memory_utilisation_pct": 40, "memory_used_mb": 20000, "fan_pct": 62, "fan_rpm": 1850, "throttle_mask": 0x24,
        "throttle_power_cap_s": 5, "throttle_sw_thermal_s": 1, "throttle_hw_thermal_s": 0,
        "throttle_power_brake_s": 0, "throttle_sync_boost_s": 0, "throttle_board_limit_s": 2,
        "throttle_reliability_s": 0, "pcie_generation": 4, "pcie_lanes": 8, "pcie_replays": 2, "pcie_sent_gbps": None,
        "pcie_received_gbps": None, "nvlink_active": None, "nvlink_sent_gbps": None, "nvlink_received_gbps": None,
        "processes": 0, "sram_uncorrected": None, "sram_worn": None,
    }  # fmt: skip
    expected = {
        "memory_temperature_c": 40, "margin_c": 54, "fan_pct": None, "fan_rpm": None, "ecc_corrected": 3,
        "ecc_uncorrected": 0, "sram_uncorrected": 1, "sram_worn": 0, "remapped_corrected": 1,
        "remapped_uncorrected": 0, "remap_pending": 0, "remap_failed": 0, "recovery_action": 0, "pcie_recoveries": 6,
        "aer_correctable": 5, "aer_nonfatal": 0, "aer_fatal": 0, "nvlink_active": 4, "nvlink_replays": 1,
        "nvlink_recoveries": 0, "nvlink_crc": 4,
    }  # fmt: skip
    assert {name: last[H200][name] for name in expected} == expected
    assert set(last[H200]) <= {metric.name for metric in METRICS if DeviceKind.GPU in metric.of} - set(LOAD_METRICS)


def test_an_old_driver_is_asked_by_its_own_names(old_driver) -> None:
    measured = old_driver.run(MEASURE)
    sample = measured["reads"][0][GEFORCE]
    assert (sample["temperature_c"], sample["throttle_mask"], sample["memory_used_mb"]) == (61, 0x24, 20480)
    assert sample["fan_rpm"] is None
    assert (sample["energy_j"], sample["power_instant_w"]) == (7000, None)
    held = ("throttle_power_cap_s", "throttle_sw_thermal_s", "throttle_sync_boost_s", "throttle_board_limit_s")
    assert [sample[name] for name in held] == [1, 2, 3, 4]


@pytest.mark.parametrize("temperature", [-1, 0, 151, 2147483647])
def test_a_temperature_that_cannot_be_true_is_not_measured(driver, temperature: int) -> None:
    sample = driver.run(MEASURE, temperature=temperature)["reads"][0][GEFORCE]
    assert (sample["temperature_c"], sample["margin_c"]) == (None, None)
    assert sample["power_w"] == 348.25


def test_a_power_that_cannot_be_true_is_not_measured(driver) -> None:
    settings = {"power": 4294967295, "return": "field185=3"}
    assert driver.run(MEASURE, **settings)["reads"][0][GEFORCE]["power_w"] is None


def test_what_a_card_does_not_support_is_asked_once_and_the_rest_goes_on(driver, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    settings = {"return": "0:nvmlDeviceGetPowerUsage=3 0:nvmlDeviceGetFanSpeed_v2=4 field185=3", "log": log}
    measured = driver.run(MEASURE, **settings)
    assert [read[GEFORCE]["power_w"] for read in measured["reads"]] == [None] * 5
    assert measured["reads"][4][GEFORCE]["temperature_c"] == 61
    calls = Counter(log.read_text().splitlines())
    assert calls["nvmlDeviceGetPowerUsage 0"] == 1
    assert calls["nvmlDeviceGetPowerUsage 1"] == 5
    assert calls["field82 0"] == 1
    assert calls["nvmlDeviceGetFanSpeed_v2 0"] == 2  # once per fan


def test_a_gpu_that_falls_off_the_bus_is_lost_and_the_other_goes_on(driver) -> None:
    measured = driver.run(MEASURE, lost_after=3)
    assert [H200 in read for read in measured["reads"]] == [True, False, False, False, False]
    assert all(GEFORCE in read for read in measured["reads"])
    assert list(measured["lost"]) == [H200]
    assert "lost" in measured["lost"][H200]


def test_a_lost_gpu_is_not_asked_again(driver, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    driver.run(MEASURE, lost_after=3, log=log)
    calls = Counter(log.read_text().splitlines())
    assert calls["nvmlDeviceGetTemperatureV 0"] == 6  # once for its limits, then five samples
    assert calls["nvmlDeviceGetTemperatureV 1"] == 3


@pytest.mark.parametrize(
    ("answer", "device_id"),
    [
        ("1:*=15", "GPU-1-unreadable"),
        ("1:nvmlDeviceGetHandleByIndex_v2=8", "GPU-1-unreadable"),
        ("1:nvmlDeviceGetUUID=999", "GPU-1-unreadable"),
        ("1:nvmlDeviceGetName=16", H200),
    ],
)
def test_a_gpu_that_does_not_answer_from_the_start_is_listed_and_lost(driver, answer: str, device_id: str) -> None:
    measured = driver.run(MEASURE, **{"return": answer})
    assert [device.id for device in devices(measured)] == [GEFORCE, device_id]
    assert list(measured["lost"]) == [device_id]
    assert devices(measured)[1].detail["problem"] == measured["lost"][device_id]


def test_a_gpu_that_this_user_may_not_open_is_not_ours(driver) -> None:
    measured = driver.run(MEASURE, **{"return": "1:nvmlDeviceGetHandleByIndex_v2=4"})
    assert [device.id for device in devices(measured)] == [GEFORCE]
    assert measured["lost"] == {}


@pytest.mark.parametrize(
    ("code", "words"), [(9, "not loaded"), (18, "restart the machine"), (4, "may not access"), (999, "does not start")]
)
def test_a_driver_that_does_not_start_is_a_sentence(driver, code: int, words: str) -> None:
    assert words in driver.run(MEASURE, init=code)


def test_a_driver_that_vanishes_while_it_starts_is_a_sentence(driver) -> None:
    assert "does not answer" in driver.run(MEASURE, **{"return": "nvmlDeviceGetCount_v2=9"})


def test_a_machine_without_gpus_lists_none(driver) -> None:
    assert driver.run(MEASURE, count=0) == {"devices": [], "reads": [{}] * 5, "lost": {}}


LINKS = """
import json
from pathlib import Path
from core.machine.telemetry.nvml.source import NvmlSource
source = NvmlSource(pci=Path({pci!r}))
print(json.dumps([source.devices()[0].pcie_lanes_max, source.count()[{card!r}]["aer_correctable"]]))
"""


@pytest.mark.parametrize(("several", "lanes", "errors"), [(1, 8, 9), (0, 16, 2)])
def test_a_card_of_several_gpus_has_the_link_of_its_slot(
    driver, tmp_path: Path, several: int, lanes: int, errors: int
) -> None:
    """Otherwise the switch belongs to the board, and the slot is below it."""
    put(
        tmp_path,
        Step("0000:00:01.0", lanes=8, errors=3),
        Step("0000:01:00.0", "10b5:8747", errors=4),
        Step("0000:02:08.0", "10b5:8747", errors=2),
        card("0000:41:00.0", "10de:102d", errors=0),
    )
    pci = tmp_path / "sys/bus/pci/devices"
    assert driver.run(LINKS.format(pci=str(pci), card=GEFORCE), several=several) == [lanes, errors]
