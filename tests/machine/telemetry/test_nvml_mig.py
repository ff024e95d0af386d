"""A card that MIG divides: its shares are devices of their own, and no figure of the card is passed off as theirs."""

from typing import Any

import pytest

from core.machine.telemetry.detect import burnable
from core.machine.telemetry.device import Device

GEFORCE, H200 = "GPU-00000000-1111-2222-3333-444444444444", "GPU-11111111-2222-3333-4444-555555555555"
MEASURE = """
import json
from core.machine.telemetry.nvml.source import NvmlSource
source = NvmlSource()
reads = [source.read() for _ in range(2)]
devices = [device.as_dict() for device in source.devices()]
print(json.dumps({"devices": devices, "reads": reads, "lost": source.lost()}))
source.close()
"""
TWO = {"mig": "1:1", "shares": "1:2"}


def measured(
    driver: Any, **settings: object
) -> tuple[list[Device], dict[str, dict[str, float | None]], dict[str, str]]:
    report = driver.run(MEASURE, **settings)
    return [Device.from_dict(stored) for stored in report["devices"]], report["reads"][-1], report["lost"]


def test_shares_come_after_their_card_and_say_whose_they_are(driver) -> None:
    devices, _, _ = measured(driver, **TWO)
    assert [device.id[:3] for device in devices] == ["GPU", "GPU", "MIG", "MIG"]
    assert [device.parent for device in devices] == [None, None, H200, H200]
    card, *shares = devices[1:]
    assert card.mig is True
    assert card.limited
    for share in shares:
        assert (share.name, share.memory_mb, share.mig) == ("NVIDIA H200 MIG 1g.18gb", 16384, None)
        assert (share.compute_capability, share.driver) == (card.compute_capability, card.driver)
        assert share.limited is not None
        assert card.title in share.limited
    assert len({share.title for share in shares}) == 2, "their titles tell them apart"


def test_no_figure_of_the_card_is_made_up_for_a_share(driver) -> None:
    devices, sample, _ = measured(driver, **TWO)
    for share in devices[2:]:
        assert {name for name, value in sample[share.id].items() if value is not None} == {
            "memory_used_mb",
            "processes",
        }
        limits = (share.power_limit_w, share.temperature_slowdown_c, share.temperature_max_c, share.clock_max_mhz)
        assert (*limits, share.pcie_lanes_max, share.ecc, share.bus_id) == (None,) * 7
    assert sample[H200]["temperature_c"] == 33


@pytest.mark.parametrize(
    "settings", [{"mig": "1:0", "shares": "1:2"}, {"mig": "1:1"}, {}], ids=["off", "without shares", "as usual"]
)
def test_a_card_that_is_not_divided_has_none(driver, settings: dict[str, object]) -> None:
    assert [device.id for device in measured(driver, **settings)[0]] == [GEFORCE, H200]


def test_shares_are_burned_in_in_place_of_their_card(driver) -> None:
    devices, _, _ = measured(driver, **TWO)
    assert [device.id for device in burnable(devices)] == [GEFORCE, devices[2].id, devices[3].id]


def test_the_shares_of_a_lost_card_are_lost_with_it(driver) -> None:
    devices, _, lost = measured(driver, **TWO, lost_after=2)
    assert set(lost) == {device.id for device in devices[1:]}, lost


def test_an_old_driver_knows_no_shares(old_driver) -> None:
    assert len(measured(old_driver, **TWO)[0]) == 2
