"""The examination says what keeps devices from being measured in full."""

from pathlib import Path

import pytest

from core.cli.commands import doctor
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.kernel_log import follow
from core.platform.errors import EnvironmentProblem

GPU = Device("GPU-1", DeviceKind.GPU, "Card", bus_id="0000:41:00.0", limited="WSL: most sensors are missing")
DAMAGED = Device("GPU-2", DeviceKind.GPU, "Card", inforom_ok=False)
CPU = Device("cpu", DeviceKind.CPU, "Processor", detail={"kernel log": "how it is read"})


def examined(monkeypatch: pytest.MonkeyPatch, *devices: Device) -> list[doctor.DoctorCheck]:
    monkeypatch.setattr(doctor, "detect_devices", lambda: list(devices))
    return doctor._devices()


@pytest.mark.parametrize("is_open", [True, False])
def test_a_closed_kernel_log_is_reported_and_is_no_reason_to_stop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_open: bool
) -> None:
    monkeypatch.setenv("PATH", "")  # without journalctl
    if is_open:
        (tmp_path / "kmsg").touch()
    monkeypatch.setattr(follow, "KMSG", tmp_path / "kmsg")
    log = examined(monkeypatch, CPU)[-1]
    assert (log.title, log.ok, log.needed) == ("Kernel log", is_open, False)


def test_a_gpu_that_is_seen_in_part_is_reported_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    devices, limited, damaged, _ = examined(monkeypatch, GPU, DAMAGED, CPU)
    assert (devices.title, devices.ok) == ("Devices", True)
    assert limited.text == "measured only in part: WSL: most sensors are missing"
    assert "InfoROM" in damaged.text
    assert not limited.needed


def test_a_driver_that_hangs_fails_the_examination(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang() -> list[Device]:
        raise EnvironmentProblem("The driver did not answer.")

    monkeypatch.setattr(doctor, "detect_devices", hang)
    (check,) = doctor._devices()
    assert (check.ok, check.needed, check.text) == (False, True, "The driver did not answer.")
