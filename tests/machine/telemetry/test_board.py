"""Board, memory, disks and processor: the right sensors among many, None where there are none."""

from pathlib import Path

import pytest

from core.machine.telemetry.host.processor import Clocks, MemoryErrors, Slowdowns
from core.machine.telemetry.host.source import Board, Disks, HostSource


def files(folder: Path, **texts: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(f"{text}\n")
    return folder


def disk(root: Path, name: str, *, read: int = 0, written: int = 0, real: bool = True) -> None:
    folder = files(root / name, stat=f"  10 0 {read} 5 20 0 {written} 7 0 0 0")
    if real:
        (folder / "device").mkdir(exist_ok=True)


def test_the_hottest_module_and_disk_are_reported(tmp_path: Path) -> None:
    files(tmp_path / "hwmon0", name="spd5118", temp1_input=41250)
    files(tmp_path / "hwmon1", name="jc42", temp1_input=47000)
    files(tmp_path / "hwmon2", name="nvme", temp1_label="Composite", temp1_input=52850, temp2_input=99000)
    files(tmp_path / "hwmon3", name="drivetemp", temp1_input=38000)
    files(tmp_path / "hwmon4", name="acpitz", temp1_input=90000)
    readings = Board(tmp_path).read()
    assert (readings["memory_temperature_c"], readings["disk_temperature_c"]) == (47, 52.85)


def test_the_slowest_fan_is_reported_but_no_empty_connector(tmp_path: Path) -> None:
    files(tmp_path / "hwmon0", name="nct6798", fan1_input=1200, fan2_input=0, fan3_input=840)
    board = Board(tmp_path)
    assert board.read()["case_fan_rpm"] == 840
    files(tmp_path / "hwmon0", fan3_input=0)
    assert board.read()["case_fan_rpm"] == 0


def test_only_a_rail_with_a_label_is_measured(tmp_path: Path) -> None:
    files(tmp_path / "hwmon0", name="nct6798", in0_input=1040, in1_input=12000)
    assert Board(tmp_path).read()["voltage_12v"] is None
    labels = {"in0_label": "v_out +12v", "in1_label": "+5V", "in2_label": "3.3V", "in3_label": "v_in"}
    files(tmp_path / "hwmon1", name="corsairpsu", in0_input=12063, in1_input=5020, in2_input=3290, **labels)
    readings = Board(tmp_path).read()
    assert [readings[f"voltage_{rail}"] for rail in ("12v", "5v", "3v3")] == [12.063, 5.02, 3.29]


@pytest.mark.parametrize(
    ("sensor", "watts"),
    [
        ({"name": "power_meter", "power1_average": 812_000_000}, 812),
        ({"name": "corsairpsu", "power1_label": "power total", "power1_input": 640_000_000}, 640),
        ({"name": "corsairpsu", "power2_label": "power +12v", "power2_input": 600_000_000}, None),
        ({"name": "amdgpu", "power1_average": 30_000_000}, None),
    ],
)
def test_the_power_of_the_whole_machine_comes_from_psu_or_service_processor(
    tmp_path: Path, sensor: dict[str, object], watts: float | None
) -> None:
    files(tmp_path / "hwmon0", **sensor)
    assert Board(tmp_path).read()["machine_power_w"] == watts


def test_slowdowns_of_threads_of_one_core_are_counted_once(tmp_path: Path) -> None:
    for number, (package, core) in enumerate([(0, 0), (0, 0), (0, 1), (1, 0)]):
        cpu = files(tmp_path / f"cpu{number}")
        files(cpu / "topology", physical_package_id=package, core_id=core)
        counts = {"core_throttle_count": 3, "package_throttle_count": 10 * package + 5}
        files(cpu / "thermal_throttle", **counts, package_throttle_total_time_ms=1500 * (package + 1))
    files(tmp_path / "cpufreq")
    assert Slowdowns(tmp_path).read() == {"throttle_count": 3 * 3 + 5 + 15, "throttle_hw_thermal_s": 3.0}


def test_the_clock_is_the_mean_of_a_few_cores_spread_over_all(tmp_path: Path) -> None:
    for number in range(20):
        files(tmp_path / "cpufreq" / f"policy{number}", scaling_cur_freq=3_000_000 + 10_000 * number)
    clocks = Clocks(tmp_path)
    assert len(clocks._files) <= 8
    assert clocks.mean_mhz() == pytest.approx(3095, abs=30)
    assert (Clocks(tmp_path / "none").mean_mhz(), Clocks(tmp_path / "none").offered) == (None, False)


def test_memory_errors_of_all_controllers_are_added_up(tmp_path: Path) -> None:
    files(tmp_path / "mc0", ce_count=4, ue_count=0)
    files(tmp_path / "mc1", ce_count=1, ue_count=2)
    assert MemoryErrors(tmp_path).read() == {"ecc_corrected": 5, "ecc_uncorrected": 2}


def test_what_disks_do_is_a_rate_of_real_devices_alone(tmp_path: Path) -> None:
    disk(tmp_path, "nvme0n1")
    disk(tmp_path, "dm-0", real=False)
    disks = Disks(tmp_path)
    assert disks.read(10.0) == {"disk_read_gbps": None, "disk_written_gbps": None}
    disk(tmp_path, "nvme0n1", read=4_000_000, written=1_000_000)
    disk(tmp_path, "dm-0", read=4_000_000, real=False)
    assert disks.read(12.0) == {"disk_read_gbps": pytest.approx(1.024), "disk_written_gbps": pytest.approx(0.256)}


def test_a_machine_that_counts_nothing_says_nothing(tmp_path: Path) -> None:
    assert Slowdowns(tmp_path).read() == MemoryErrors(tmp_path).read() == {}
    assert set(Board(tmp_path).read().values()) == {None}
    assert set(Disks(tmp_path).read(0.0).values()) == {None}


def test_the_host_tells_all_of_it_beside_the_cpu(tmp_path: Path) -> None:
    files(tmp_path / "class" / "hwmon" / "hwmon0", name="nvme", temp1_input=40000)
    files(tmp_path / "devices" / "system" / "edac" / "mc" / "mc0", ce_count=1, ue_count=0)
    sample = HostSource(sys=tmp_path, recording=tmp_path).read()["cpu"]
    assert (sample["disk_temperature_c"], sample["ecc_corrected"], sample["ecc_uncorrected"]) == (40, 1, 0)
    assert sample["disk_free_mb"] is not None
    assert sample["swap_used_mb"] is not None
    assert sample["load_average"] is not None


def test_a_recording_that_vanished_has_no_known_room(tmp_path: Path) -> None:
    assert HostSource(sys=tmp_path, recording=tmp_path / "gone").read()["cpu"]["disk_free_mb"] is None
