"""The host source finds the right sensors among many, and says None where there are none."""

from pathlib import Path

import psutil
import pytest

from core.machine.telemetry.device import DeviceKind
from core.machine.telemetry.host.hwmon import is_cpu_fan, package_sensors, sensors
from core.machine.telemetry.host.processor import PackagePower
from core.machine.telemetry.host.source import HostSource
from core.machine.telemetry.metrics import LOAD_METRICS, METRICS
from core.platform.processor import cpu_name

HWMON = Path("class/hwmon")


def chip(root: Path, number: int, name: str, **files: str) -> None:
    folder = root / f"hwmon{number}"
    folder.mkdir(parents=True)
    for file, text in {"name": name, **files}.items():
        (folder / file).write_text(text + "\n")


def package(root: Path, number: int, energy_uj: int, *, limit_uw: int = 125_000_000) -> Path:
    zone = root / f"intel-rapl:{number}"
    zone.mkdir(parents=True, exist_ok=True)
    files = {
        "name": f"package-{number}", "energy_uj": energy_uj, "max_energy_range_uj": 1000_000_000,
        "constraint_0_power_limit_uw": limit_uw,
    }  # fmt: skip
    for file, value in files.items():
        (zone / file).write_text(f"{value}\n")
    return zone


def test_this_machine_measures_what_can_be_true() -> None:
    source = HostSource()
    (device,) = source.devices()
    sample = source.read()["cpu"]
    assert (device.id, device.kind, device.simulated) == ("cpu", DeviceKind.CPU, False)
    assert device.name
    assert set(sample) <= {metric.name for metric in METRICS if DeviceKind.CPU in metric.of} - set(LOAD_METRICS)
    assert device.memory_mb is not None
    assert sample["memory_used_mb"] is not None
    assert 0 < sample["memory_used_mb"] < device.memory_mb
    assert device.memory_mb == pytest.approx(psutil.virtual_memory().total / 2**20, abs=1)


def test_utilisation_is_unknown_until_an_interval_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("core.machine.telemetry.host.source.time.monotonic", lambda: now[0])
    source = HostSource()
    assert source.read()["cpu"]["utilisation_pct"] is None
    now[0] += 1.0
    assert source.read()["cpu"]["utilisation_pct"] is not None


def test_nothing_is_invented_where_there_are_no_sensors(tmp_path: Path) -> None:
    source = HostSource(sys=tmp_path)
    sample = source.read()["cpu"]
    unknown = ("temperature_c", "margin_c", "power_w", "power_limit_w", "fan_rpm")
    assert [sample[name] for name in unknown] == [None] * len(unknown)
    assert source.devices()[0].temperature_slowdown_c is None


@pytest.mark.parametrize(
    ("name", "files", "expected_c"),
    [
        ("coretemp", {"temp1_label": "Package id 0", "temp1_input": "71000", "temp2_label": "Core 0"}, 71),
        ("k10temp", {"temp1_label": "Tctl", "temp1_input": "63375"}, 63.375),
        ("k10temp", {"temp1_label": "Tctl", "temp1_input": "90000", "temp2_label": "Tdie", "temp2_input": "63000"}, 63),
        ("cpu_thermal", {"temp1_input": "48000"}, 48),
        ("nvme", {"temp1_label": "Composite", "temp1_input": "40000"}, None),
        ("coretemp", {"temp1_label": "Package id 0", "temp1_input": "-273000"}, None),
        ("k10temp", {"temp1_label": "Tctl", "temp1_input": "no number"}, None),
    ],
)
def test_the_package_temperature_is_found(
    tmp_path: Path, name: str, files: dict[str, str], expected_c: float | None
) -> None:
    chip(tmp_path / HWMON, 0, "acpitz", temp1_input="27800")
    chip(tmp_path / HWMON, 1, name, **files)
    assert HostSource(sys=tmp_path).read()["cpu"]["temperature_c"] == expected_c


def test_two_sockets_show_the_hotter_package_and_its_margin(tmp_path: Path) -> None:
    for number, degrees in ((0, "61000"), (1, "83000")):
        files = {"temp1_label": f"Package id {number}", "temp1_input": degrees, "temp1_crit": "100000"}
        chip(tmp_path / HWMON, number, "coretemp", **files)
    source = HostSource(sys=tmp_path)
    assert source.devices()[0].temperature_slowdown_c == 100
    sample = source.read()["cpu"]
    assert (sample["temperature_c"], sample["margin_c"]) == (83, 17)


def test_a_sensor_that_vanishes_is_not_measured(tmp_path: Path) -> None:
    chip(tmp_path / HWMON, 0, "k10temp", temp1_label="Tctl", temp1_input="50000")
    source = HostSource(sys=tmp_path)
    (tmp_path / HWMON / "hwmon0" / "temp1_input").unlink()
    assert source.read()["cpu"]["temperature_c"] is None


def test_only_a_fan_with_the_cpus_label_is_the_cpus(tmp_path: Path) -> None:
    chip(tmp_path / HWMON, 0, "nct6798", fan1_input="812", fan2_input="1450", fan2_label="CPU Fan", fan3_input="0")
    assert [is_cpu_fan(fan) for fan in sensors("fan", tmp_path / HWMON)] == [False, True, False]
    source = HostSource(sys=tmp_path)
    assert source.read()["cpu"]["fan_rpm"] == 1450
    assert source.devices()[0].detail["fans"] == "nct6798 fan1 812 rpm, nct6798 CPU Fan 1450 rpm"


def test_a_cpu_fan_that_stands_still_is_zero_and_not_unknown(tmp_path: Path) -> None:
    chip(tmp_path / HWMON, 0, "nct6798", fan1_input="0", fan1_label="CPU Fan")
    assert HostSource(sys=tmp_path).read()["cpu"]["fan_rpm"] == 0


def test_a_chip_without_package_sensor_offers_none(tmp_path: Path) -> None:
    chip(tmp_path / HWMON, 0, "nvme", temp1_input="40000")
    assert package_sensors(tmp_path / HWMON) == []


def test_package_power_is_energy_over_time_of_all_sockets(tmp_path: Path) -> None:
    package(tmp_path, 0, 1_000_000)
    package(tmp_path, 1, 5_000_000)
    power = PackagePower(tmp_path)
    assert power.read_w(10.0) is None
    package(tmp_path, 0, 101_000_000)
    package(tmp_path, 1, 65_000_000)
    assert power.read_w(12.0) == pytest.approx(80)
    assert power.energy_j == pytest.approx(160)
    assert power.limit_w() == pytest.approx(250)


def test_the_energy_counter_may_start_again(tmp_path: Path) -> None:
    package(tmp_path, 0, 990_000_000)
    power = PackagePower(tmp_path)
    power.read_w(0.0)
    package(tmp_path, 0, 20_000_000)
    assert power.read_w(1.0) == pytest.approx(30)


def test_a_counter_that_is_closed_to_this_user_is_not_measured(tmp_path: Path) -> None:
    zone = package(tmp_path, 0, 1_000_000)
    (zone / "energy_uj").unlink()
    power = PackagePower(tmp_path)
    assert (power.readable, power.read_w(0.0), power.read_w(1.0)) == (False, None, None)


def test_a_counter_that_fails_for_a_while_does_not_make_a_spike(tmp_path: Path) -> None:
    zone = package(tmp_path, 0, 1_000_000)
    power = PackagePower(tmp_path)
    power.read_w(0.0)
    (zone / "energy_uj").write_text("")
    assert power.read_w(1.0) is None
    package(tmp_path, 0, 500_000_000)
    assert power.read_w(2.0) is None
    package(tmp_path, 0, 560_000_000)
    assert power.read_w(3.0) == pytest.approx(60)


def test_errors_of_the_main_memory_are_counted_at_once_where_somebody_asks(tmp_path: Path) -> None:
    controller = tmp_path / "devices" / "system" / "edac" / "mc" / "mc0"
    controller.mkdir(parents=True)
    (controller / "ue_count").write_text("0\n")
    source = HostSource(sys=tmp_path)
    source.read()
    (controller / "ue_count").write_text("2\n")
    assert source.read()["cpu"]["ecc_uncorrected"] == 0  # every ten seconds only
    assert source.count()["cpu"]["ecc_uncorrected"] == source.read()["cpu"]["ecc_uncorrected"] == 2


@pytest.mark.parametrize(
    ("cpuinfo", "name"),
    [
        ("model name\t: AMD Ryzen 9   5950X\nphysical id\t: 0\n", "AMD Ryzen 9 5950X"),
        ("model name\t: Intel Xeon\nphysical id : 0\n\nmodel name : Intel Xeon\nphysical id : 1\n", "2 × Intel Xeon"),
    ],
)
def test_the_cpu_is_called_by_its_name(tmp_path: Path, cpuinfo: str, name: str) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(cpuinfo)
    assert cpu_name(file) == name


def test_a_cpu_without_a_name_still_has_one(tmp_path: Path) -> None:
    assert cpu_name(tmp_path / "missing")
