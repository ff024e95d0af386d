"""The power meter as a process, with the stand-in for the driver."""

import subprocess
import sys
from itertools import islice
from typing import Any

import pytest

from core.platform.protocol import decode
from tests.fake_nvml.stand_in import FakeDriver
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process


def messages_of(driver: FakeDriver, count: int, **settings: object) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "core.machine.telemetry.nvml.power_meter", "--interval", "0.01"]
    environment = driver.environment(**settings)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        messages = [message for line in islice(process.stdout, count) if (message := decode(line.decode()))]
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0, "it ends when its parent is gone"
        return messages


def test_it_names_the_cards_and_reads_their_power(driver: FakeDriver) -> None:
    cards, *readings = messages_of(driver, 4, power=212_500)
    assert cards["type"] == "cards"
    assert cards["driver"]
    assert len(cards["cards"]) == 2
    assert all(card["name"] and card["power_limit_w"] for card in cards["cards"].values())
    moments = [reading["at_s"] for reading in readings]
    assert moments == sorted(moments)
    for reading in readings:
        assert reading["cards"].keys() == cards["cards"].keys()
        assert {card["power_w"] for card in reading["cards"].values()} == {212.5}


@pytest.mark.parametrize(
    ("settings", "why"),
    [({"init": 9}, "driver is installed but not loaded"), ({"lost": "1:1"}, "does not answer any more")],
)
def test_without_an_answer_it_says_why(driver: FakeDriver, settings: dict[str, Any], why: str) -> None:
    problems = [one["text"] for one in messages_of(driver, 3, **settings) if one["type"] == "problem"]
    assert len(problems) == 1
    assert why in problems[0]


def test_what_a_card_does_not_tell_is_unknown(driver: FakeDriver) -> None:
    refused = "nvmlDeviceGetPowerUsage=3 nvmlDeviceGetEnforcedPowerLimit=3"
    reading = messages_of(driver, 2, **{"return": refused})[1]
    assert {card["power_w"] for card in reading["cards"].values()} == {None}
