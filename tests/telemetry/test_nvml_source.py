"""GPUs are described and measured through the real binding, talking to a stand-in for the driver's library."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.telemetry.device import Device
from core.telemetry.metrics import LOAD_METRICS, NAMES

GEFORCE, H200 = "GPU-00000000-1111-2222-3333-444444444444", "GPU-11111111-2222-3333-4444-555555555555"

MEASURE = """
import json
from core.telemetry.nvml import NoDriver
from core.telemetry.nvml_source import NvmlSource
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


def test_an_older_card_is_described_with_the_absolute_limits_of_its_driver(driver) -> None:
    card = devices(driver.run(MEASURE))[0]
    assert (card.id, card.name, card.simulated) == (GEFORCE, "NVIDIA GeForce RTX 3090", False)
    assert (card.bus_id, card.memory_mb, card.power_limit_w) == ("0000:41:00.0", 24576, 350)
    limits = (card.temperature_target_c, card.temperature_max_c, card.temperature_slowdown_c)
    assert (*limits, card.temperature_shutdown_c) == (83, 93, 95, 98)
    assert card.detail == {
        "driver": "580.65.06",
        "CUDA of the driver": "13.0",
        "compute capability": "8.6",
        "VBIOS": "94.02.42.80.13",
        "PCIe at most": "generation 4, 16 lanes",
        "MIG": "off",
        "persistence mode": "on",
    }


def test_limits_that_are_told_as_margins_become_temperatures(driver) -> None:
    card = devices(driver.run(MEASURE))[1]
    # 33 C with 54 K of margin; slowdown acts at a margin of -2, shutdown at -8.
    limits = (card.temperature_max_c, card.temperature_slowdown_c, card.temperature_shutdown_c)
    assert limits == (87, 89, 95)
    assert card.detail["ECC"] == "on, off after a reset"


def test_every_metric_is_measured_in_its_unit(driver) -> None:
    sample = driver.run(MEASURE)["reads"][0]
    assert sample[GEFORCE] == {
        "temperature_c": 61,
        "memory_temperature_c": None,
        "margin_c": 32,
        "power_w": 348.25,
        "power_limit_w": 300,
        "clock_mhz": 1695,
        "memory_clock_mhz": 9501,
        "utilisation_pct": 98,
        "memory_used_mb": 20000,
        "fan_pct": 62,
        "fan_rpm": 1850,
        "throttle_mask": 0x24,
        "pcie_generation": 4,
        "pcie_lanes": 8,
    }
    expected = {"memory_temperature_c": 40, "margin_c": 54, "fan_pct": None, "fan_rpm": None}
    assert {name: sample[H200][name] for name in expected} == expected
    assert set(sample[H200]) == set(NAMES) - set(LOAD_METRICS)


def test_an_old_driver_is_asked_by_its_own_names(old_driver) -> None:
    measured = old_driver.run(MEASURE)
    sample = measured["reads"][0][GEFORCE]
    assert (sample["temperature_c"], sample["throttle_mask"], sample["memory_used_mb"]) == (61, 0x24, 20480)
    assert sample["fan_rpm"] is None
    card = devices(measured)[1]
    assert (card.temperature_max_c, card.detail["CUDA of the driver"]) == (None, "13.0")


@pytest.mark.parametrize("temperature", [-1, 0, 151, 2147483647])
def test_a_temperature_that_cannot_be_true_is_not_measured(driver, temperature: int) -> None:
    sample = driver.run(MEASURE, temperature=temperature)["reads"][0][GEFORCE]
    assert (sample["temperature_c"], sample["margin_c"]) == (None, None)
    assert sample["power_w"] == 348.25


def test_a_power_that_cannot_be_true_is_not_measured(driver) -> None:
    assert driver.run(MEASURE, power=4294967295)["reads"][0][GEFORCE]["power_w"] is None


def test_what_a_card_does_not_support_is_asked_once_and_the_rest_goes_on(driver, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    settings = {"return": "0:nvmlDeviceGetPowerUsage=3 0:nvmlDeviceGetFanSpeed_v2=4", "log": log}
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
    ("told", "device_id"),
    [
        ("1:*=15", "GPU-1-unreadable"),
        ("1:nvmlDeviceGetHandleByIndex_v2=8", "GPU-1-unreadable"),
        ("1:nvmlDeviceGetUUID=999", "GPU-1-unreadable"),
        ("1:nvmlDeviceGetName=16", H200),
    ],
)
def test_a_gpu_that_does_not_answer_from_the_start_is_listed_and_lost(driver, told: str, device_id: str) -> None:
    measured = driver.run(MEASURE, **{"return": told})
    assert [device.id for device in devices(measured)] == [GEFORCE, device_id]
    assert list(measured["lost"]) == [device_id]
    assert devices(measured)[1].detail["problem"] == measured["lost"][device_id]


def test_a_gpu_that_this_user_may_not_open_is_not_ours(driver) -> None:
    measured = driver.run(MEASURE, **{"return": "1:nvmlDeviceGetHandleByIndex_v2=4"})
    assert [device.id for device in devices(measured)] == [GEFORCE]
    assert measured["lost"] == {}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (9, "not loaded"),
        (18, "restart the machine"),
        (4, "may not talk"),
        (999, "does not start"),
    ],
)
def test_a_driver_that_does_not_start_is_a_sentence(driver, code: int, words: str) -> None:
    assert words in driver.run(MEASURE, init=code)


def test_a_driver_that_vanishes_while_it_starts_is_a_sentence(driver) -> None:
    assert "does not answer" in driver.run(MEASURE, **{"return": "nvmlDeviceGetCount_v2=9"})


def test_a_machine_without_gpus_lists_none(driver) -> None:
    assert driver.run(MEASURE, count=0) == {"devices": [], "reads": [{}] * 5, "lost": {}}
