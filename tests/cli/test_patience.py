"""A command says what it waits for when the devices take long to answer, and never on standard output."""

import json
import threading

import pytest
from typer.testing import CliRunner

from core.cli import asking
from core.cli.app import app
from core.cli.commands import burn
from core.machine.telemetry.detect import waiting_words
from core.machine.telemetry.device import Device, DeviceKind
from tests.patience import PATIENCE_S

CPU = Device("cpu", DeviceKind.CPU, "A processor")


@pytest.mark.parametrize(("after_s", "slow"), [(0.05, True), (3600.0, False)], ids=["slow", "quick"])
def test_devices_that_take_long_are_commented_beside_the_answer(
    monkeypatch: pytest.MonkeyPatch, after_s: float, *, slow: bool
) -> None:
    commented = threading.Event()

    def words(waited_s: float, *, for_driver: bool) -> str:
        if waited_s > 0:
            commented.set()
        return waiting_words(waited_s, for_driver=for_driver)

    def detect(_simulate: str | None) -> list[Device]:
        assert not slow or commented.wait(PATIENCE_S)
        return [CPU]

    monkeypatch.setattr(asking, "TELL_AFTER_S", after_s)
    monkeypatch.setattr(asking, "waiting_words", words)
    monkeypatch.setattr(asking, "waits_for_driver", lambda: True)
    monkeypatch.setattr(burn, "detect_devices", detect)
    done = CliRunner().invoke(app, ["devices", "--json"])
    assert [device["id"] for device in json.loads(done.stdout)] == ["cpu"]
    assert done.stderr.count("Waiting for the NVIDIA driver") == (1 if slow else 0)
