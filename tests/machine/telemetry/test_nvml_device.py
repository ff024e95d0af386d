"""What a GPU is, told once by the real binding, which talks to a stand-in for the driver's library."""

from typing import Any

import pytest

from core.machine.telemetry.device import Device

GEFORCE, H200 = "GPU-00000000-1111-2222-3333-444444444444", "GPU-11111111-2222-3333-4444-555555555555"

DESCRIBE = """
import json
from core.machine.telemetry.nvml.source import NvmlSource
source = NvmlSource()
print(json.dumps([device.as_dict() for device in source.devices()]))
source.close()
"""


def described(driver: Any, **settings: object) -> list[Device]:
    return [Device.from_dict(stored) for stored in driver.run(DESCRIBE, **settings)]


def test_an_older_card_is_described_with_the_absolute_limits_of_its_driver(driver) -> None:
    card = described(driver)[0]
    assert (card.id, card.name, card.simulated) == (GEFORCE, "NVIDIA GeForce RTX 3090", False)
    assert (card.bus_id, card.memory_mb, card.power_limit_w) == ("0000:41:00.0", 24576, 350)
    assert (card.pci_id, card.pci_subsystem) == ("10de:2204", "147d")
    limits = (card.temperature_target_c, card.temperature_max_c, card.temperature_slowdown_c)
    assert (*limits, card.temperature_shutdown_c) == (83, 93, 95, 98)
    assert (card.power_limit_min_w, card.power_limit_max_w) == (100, 390)


def test_limits_that_are_reported_as_margins_become_temperatures(driver) -> None:
    card = described(driver)[1]
    # 33 C with 54 K of margin; slowdown acts at a margin of -2, shutdown at -8.
    limits = (card.temperature_max_c, card.temperature_slowdown_c, card.temperature_shutdown_c)
    assert limits == (87, 89, 95)


@pytest.mark.parametrize(("told_k", "limit_k"), [(0, 0), (5, 5), (-3, -3), (4_000_000, None)])
def test_the_memorys_limit_is_kept_as_the_margin_that_the_driver_tells(
    driver, told_k: int, limit_k: int | None
) -> None:
    geforce, h200 = described(driver, fields=f"1:195={told_k}")
    assert (h200.memory_margin_limit_k, h200.memory_temperature_max_c) == (limit_k, None)
    assert geforce.memory_margin_limit_k is None


@pytest.mark.parametrize(("told_mbps", "gbps"), [(26562, 26.562), (0, None)])
def test_the_speed_of_a_link_is_the_drivers_and_that_of_links_that_are_down_is_unknown(
    driver, told_mbps: int, gbps: float | None
) -> None:
    geforce, h200 = described(driver, fields=f"1:90={told_mbps}")
    assert (geforce.nvlink_gbps, h200.nvlink_gbps) == (None, gbps)


def test_what_is_judged_is_reported_in_its_own_type_and_unknown_where_the_card_is_silent(driver) -> None:
    geforce, h200 = described(driver)
    assert (geforce.serial, geforce.board_part, geforce.ecc) == (None, None, None)
    assert (h200.serial, h200.board_part, h200.ecc) == ("1650224000001", "692-2G520-0280-000", True)
    assert (geforce.vbios, geforce.inforom, geforce.inforom_ok) == ("94.02.42.80.13", "G001.0000.03.03", True)
    assert (geforce.driver, geforce.cuda_version) == ("580.65.06", "13.0")
    assert (geforce.architecture, geforce.compute_capability) == ("Ampere", "8.6")
    assert (h200.architecture, h200.compute_capability) == ("Hopper", "9.0")
    assert (geforce.pcie_generation_max, geforce.pcie_generation_card, geforce.pcie_lanes_max) == (3, 4, 16)
    assert (geforce.display, h200.display) == (True, False)
    assert (geforce.persistence, geforce.mig, geforce.compute_mode, geforce.processes) == (True, False, "default", 0)
    assert (geforce.fans, h200.fans, h200.numa_node) == (2, 0, 1)
    assert (geforce.ecc_lifetime_uncorrected, h200.ecc_lifetime_uncorrected) == (None, 11)
    assert (h200.ecc_lifetime_corrected, h200.sram_lifetime_uncorrected) == (10, 2)
    assert h200.events is not None
    assert h200.events & 0x8
    assert (geforce.clock_max_mhz, geforce.memory_clock_max_mhz) == (2100, 9751)
    assert (geforce.limited, geforce.repair_pending) == (None, None)


def test_the_facts_are_words_for_people(driver) -> None:
    geforce, h200 = described(driver)
    assert geforce.facts == {
        "driver": "580.65.06", "driver's CUDA version": "13.0", "architecture": "Ampere", "compute capability": "8.6",
        "VBIOS": "94.02.42.80.13", "InfoROM": "G001.0000.03.03", "PCIe maximum": "generation 3, 16 lanes",
        "MIG": "off", "persistence mode": "on", "compute mode": "default", "display": "on", "NUMA node": "0",
        "cores": "10496", "memory bus": "384 bits", "GSP firmware": "580.65.06",
    }  # fmt: skip
    assert (h200.facts["ECC"], h200.facts["NVLink"]) == ("on", "4 of 4 up")


def test_an_old_driver_leaves_out_what_it_does_not_know(old_driver) -> None:
    card = described(old_driver)[1]
    assert (card.temperature_max_c, card.cuda_version, card.mig, card.numa_node) == (None, "13.0", None, None)
    assert card.throttle_reasons == 0x1FF


@pytest.mark.parametrize(
    ("settings", "field", "value"),
    [
        ({"compute_mode": "1:3"}, "compute_mode", "exclusive process"),
        ({"compute_mode": 2}, "compute_mode", "prohibited"),
        ({"return": "nvmlDeviceValidateInforom=14"}, "inforom_ok", False),
        ({"return": "nvmlDeviceValidateInforom=3"}, "inforom_ok", None),
        ({"processes": "1:2"}, "processes", 2),
        ({"repair": "1:1"}, "repair_pending", True),
        ({}, "repair_pending", False),
        ({"mig": "1:1"}, "limited", "MIG is on: each MIG instance is burned in, not the whole card"),
        ({"virtual": 2}, "limited", "part of a card (vGPU): most sensors are missing"),
    ],
)
def test_what_stands_in_the_way_of_a_burn_in_is_known(
    driver, settings: dict[str, object], field: str, value: object
) -> None:
    assert getattr(described(driver, **settings)[1], field) == value


def test_programs_that_compute_already_are_named(driver) -> None:
    assert described(driver, processes=1)[0].detail["programs"]


def test_a_damaged_inforom_shows_among_the_facts(driver) -> None:
    card = described(driver, **{"return": "nvmlDeviceValidateInforom=14"})[0]
    assert card.facts["InfoROM"] == "G001.0000.03.03, damaged"


def test_links_between_cards_are_reported_with_their_other_ends(driver) -> None:
    geforce, h200 = described(driver, links_down="1:1")
    assert geforce.nvlinks == {}
    assert h200.nvlinks == {"0": None, "1": "0000:41:00.0", "2": "0000:41:00.0", "3": "0000:41:00.0"}
    assert h200.facts["NVLink"] == "3 of 4 up"


def test_each_card_says_how_it_reaches_each_other_one(driver) -> None:
    first, second, third = described(driver, count=3)
    assert list(first.p2p) == [second.id, third.id]
    assert first.p2p[second.id] == {
        "read": "ok", "write": "ok", "nvlink": "not supported by the GPU", "atomics": "not supported by the GPU",
        "pci": "ok",
    }  # fmt: skip
    assert first.topology == {second.id: "a host bridge", third.id: "the link between CPUs"}


def test_a_lone_card_has_no_ways_to_others(driver) -> None:
    (card,) = described(driver, count=1)
    assert (card.p2p, card.topology) == ({}, {})
