"""A command says what it waits for when the devices take long to answer, and never on standard output."""

from __future__ import annotations

import json
import time

import pytest
from typer.testing import CliRunner

from core.cli import patience
from core.cli.app import app
from core.cli.commands import burn
from core.telemetry.device import Device, DeviceKind

CPU = Device("cpu", DeviceKind.CPU, "A processor")


@pytest.mark.parametrize(("takes_s", "told"), [(0.5, True), (0.0, False)], ids=["slow", "quick"])
def test_devices_that_take_long_are_commented_beside_the_answer(
    monkeypatch: pytest.MonkeyPatch, takes_s: float, *, told: bool
) -> None:
    def detect(_simulate: str | None) -> list[Device]:
        time.sleep(takes_s)
        return [CPU]

    monkeypatch.setattr(patience, "TELL_AFTER_S", 0.2)
    monkeypatch.setattr(patience, "waits_for_driver", lambda: True)
    monkeypatch.setattr(burn, "detect_devices", detect)
    done = CliRunner().invoke(app, ["devices", "--json"])
    assert [device["id"] for device in json.loads(done.stdout)] == ["cpu"]
    assert done.stderr.count("Waiting for the NVIDIA driver") == (1 if told else 0)
