"""Devices are listed in a child process, so that a hung driver blocks neither window nor command line."""

import subprocess
import sys

import psutil
import pytest

from core.machine.telemetry.detect import burnable, detect_devices
from core.machine.telemetry.device import Device, DeviceKind
from core.platform.errors import BadInput, EnvironmentProblem

CPU = Device("cpu", DeviceKind.CPU, "CPU")
GPU = Device("GPU-1", DeviceKind.GPU, "GPU")
SIMULATED = Device("SIM-0-a100", DeviceKind.GPU, "GPU", simulated=True)


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children()}


def use(driver, monkeypatch: pytest.MonkeyPatch, **settings: object) -> None:
    for name, value in driver.environment(**settings).items():
        monkeypatch.setenv(name, value)


def test_the_cpu_is_always_listed_last() -> None:
    assert detect_devices()[-1].kind is DeviceKind.CPU
    assert [device.id for device in detect_devices("a100,v100")] == ["SIM-0-a100", "SIM-1-v100", "cpu"]


def test_a_machine_without_driver_says_so_beside_its_cpu(driver, monkeypatch: pytest.MonkeyPatch) -> None:
    use(driver, monkeypatch, init=9)
    (cpu,) = detect_devices()
    assert "not loaded" in cpu.detail["NVIDIA driver"]


def test_the_gpus_of_the_driver_are_listed_with_its_version(driver, monkeypatch: pytest.MonkeyPatch) -> None:
    use(driver, monkeypatch)
    geforce, h200, cpu = detect_devices()
    assert geforce.title == "NVIDIA GeForce RTX 3090 @ 0000:41:00.0"
    assert h200.kind is DeviceKind.GPU
    assert cpu.detail["NVIDIA driver"] == "580.65.06"


@pytest.mark.parametrize("function", ["nvmlInitWithFlags", "nvmlDeviceGetName"])
def test_a_driver_that_hangs_is_given_up_and_killed(driver, monkeypatch: pytest.MonkeyPatch, function: str) -> None:
    use(driver, monkeypatch, hang=function)
    before = children()
    with pytest.raises(EnvironmentProblem, match="did not answer within 1 s"):
        detect_devices(timeout_s=1.0)
    assert children() <= before


def test_no_child_is_left_behind() -> None:
    before = children()
    detect_devices("3090")
    assert children() <= before


def test_a_bad_simulation_is_refused_in_words() -> None:
    with pytest.raises(BadInput, match="is not a known GPU"):
        detect_devices("6xbanana")


def test_a_child_that_breaks_is_reported_with_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.machine.telemetry.detect.SAMPLER", "core.machine.telemetry.no_such_module")
    with pytest.raises(EnvironmentProblem, match="no_such_module"):
        detect_devices()


@pytest.mark.parametrize(
    ("present", "burned"), [([GPU, CPU], [GPU]), ([GPU, SIMULATED, CPU], [GPU, SIMULATED]), ([CPU], []), ([], [])]
)
def test_every_gpu_is_burned_in_and_the_cpu_never_in_its_place(present: list[Device], burned: list[Device]) -> None:
    assert burnable(present) == burned


def test_listing_devices_loads_neither_driver_nor_heavy_library() -> None:
    heavy = {"pynvml", "torch", "psutil", "numpy"}
    program = f"import sys, core.machine.telemetry.detect; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("device", [CPU, GPU, SIMULATED])
def test_a_device_survives_its_way_through_json(device: Device) -> None:
    assert Device.from_dict(device.as_dict()) == device


def test_a_device_of_an_older_recording_can_be_read() -> None:
    assert Device.from_dict({"id": "cpu", "kind": "cpu", "name": "CPU"}) == CPU
