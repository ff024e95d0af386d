"""The sampler as the runner meets it: a process that reports, obeys and always ends."""

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.machine.telemetry.sampler import next_tick
from tests.machine.sound.generated import fake_recorder, pcm, sine
from tests.patience import PATIENCE_S, gone, wait_for

GEFORCE, H200 = "GPU-00000000-1111-2222-3333-444444444444", "GPU-11111111-2222-3333-4444-555555555555"


def test_it_reports_devices_first_and_then_samples_on_its_beat(sampler) -> None:
    process = sampler("--simulate", "2x3090", "--interval", "0.2")
    assert process.process.stdout is not None
    devices = process.next("devices")["devices"]
    assert [device["id"] for device in devices] == ["SIM-0-rtx-3090", "SIM-1-rtx-3090", "cpu"]
    assert [device["index"] for device in devices] == [0, 1, 2]
    first = process.next("samples")
    assert list(first["samples"]) == [device["id"] for device in devices]
    stamps = [first["measured_s"], *(process.next("samples")["measured_s"] for _ in range(5))]
    assert all(later > earlier for earlier, later in itertools.pairwise(stamps))


def test_a_simulated_card_heeds_its_activity(sampler) -> None:
    process = sampler("--simulate", "3090", "--interval", "0.1")
    assert process.next("samples")["samples"]["SIM-0-rtx-3090"]["power_w"] < 40
    process.tell("not json")
    process.tell({"type": "activity", "device": "SIM-0-rtx-3090", "load": 1})
    # Samples from before may still wait in the line.
    assert any(process.next("samples")["samples"]["SIM-0-rtx-3090"]["power_w"] > 300 for _ in range(500))


def test_commands_that_make_no_sense_are_ignored(sampler) -> None:
    process = sampler("--simulate", "3090", "--interval", "0.1")
    process.next("samples")
    for message in ({"type": "activity"}, {"type": "activity", "device": 3, "load": "x"}, {"type": "?"}):
        process.tell(message)
        process.next("samples")
    assert process.next("samples")["samples"]["SIM-0-rtx-3090"]["power_w"] < 40


def test_it_ends_after_its_input_closes_and_waits_for_no_tick(sampler) -> None:
    process = sampler("--simulate", "3090", "--interval", "60")
    process.next("samples")
    process.hang_up()
    assert process.process.wait(PATIENCE_S) == 0


def test_it_ends_after_its_parent_was_killed() -> None:
    parent = """
import subprocess, sys
sampler = [sys.executable, "-m", "core.machine.telemetry.sampler", "--simulate", "3090", "--interval", "60"]
child = subprocess.Popen(sampler,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
child.stdout.readline()
print(child.pid, flush=True)
child.wait()
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True) as process:
        child = psutil.Process(int(process.stdout.readline()))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        wait_for(lambda: gone(child), "the end of the sampler")


def test_ctrl_c_is_for_the_runner_and_leaves_the_loads_watched(sampler) -> None:
    process = sampler("--simulate", "3090", "--interval", "0.1")
    process.next("samples")
    process.process.send_signal(signal.SIGINT)
    for _ in range(3):
        process.next("samples")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--simulate", "6xbanana"], "'banana' is not a known GPU"),
        (["--simulate", ""], "not a known GPU"),
        (["--interval", "0"], "--interval must be"),
        (["--interval", "nan"], "--interval must be"),
    ],
)
@pytest.mark.parametrize("stdin", [subprocess.DEVNULL, subprocess.PIPE])
def test_a_bad_argument_ends_it_with_a_sentence(arguments: list[str], words: str, stdin: int) -> None:
    command = [sys.executable, "-m", "core.machine.telemetry.sampler", *arguments]
    done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_real_gpus_are_not_opened_when_others_are_simulated(sampler, driver, tmp_path) -> None:
    log = tmp_path / "calls"
    process = sampler("--simulate", "3090", env=driver.environment(log=log))
    process.next("samples")
    assert not log.exists()


def test_gpus_are_measured_through_the_driver(sampler, driver) -> None:
    process = sampler("--interval", "0.1", env=driver.environment())
    assert [device["id"] for device in process.next("devices")["devices"]] == [GEFORCE, H200, "cpu"]
    samples = process.next("samples")["samples"]
    assert samples[GEFORCE]["temperature_c"] == 61
    assert samples["cpu"]["memory_used_mb"] > 0


def test_errors_are_counted_when_it_is_asked_to(sampler, driver, tmp_path) -> None:
    script = tmp_path / "script"
    script.touch()
    process = sampler("--interval", "60", env=driver.environment(script=script))
    assert process.next("samples")["samples"][H200]["ecc_uncorrected"] == 0
    script.write_text("FAKE_NVML_FIELDS=1:4=2\n")
    process.tell({"type": "count"})
    counts = process.next("counts")["counts"]
    assert counts[H200]["ecc_uncorrected"] == 2
    assert counts.keys() == {GEFORCE, H200, "cpu"}


def test_an_error_of_the_driver_is_reported_with_its_gpu_and_meaning(sampler, driver) -> None:
    process = sampler("--kernel-log", "/nowhere", env=driver.environment(events="50:1:48 60:1:48 80:0:13"))
    ecc, shader = process.next("xid"), process.next("xid")
    assert (ecc["device"], ecc["xid"], ecc["source"]) == (H200, 48, "nvml")
    assert "Xid 48: Memory error" in ecc["text"]
    assert (shader["device"], shader["xid"]) == (GEFORCE, 13)


def test_an_error_in_the_kernels_log_is_reported_with_its_gpu(sampler, driver, tmp_path) -> None:
    log = tmp_path / "kmsg"
    os.mkfifo(log)
    end = os.open(log, os.O_RDWR)
    process = sampler("--kernel-log", str(log), env=driver.environment())
    process.next("samples")
    os.write(end, b"3,9,9,-;NVRM: Xid (PCI:0000:C1:00): 79, GPU has fallen off the bus.\n")
    os.write(end, b"3,9,9,-;NVRM: GPU 0000:c1:00.0: GPU has fallen off the bus.\n")
    os.write(end, b"4,9,9,-;nvidia 0000:41:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer\n")
    fallen, link = process.next("xid"), process.next("aer")
    os.close(end)
    assert (fallen["device"], fallen["xid"], fallen["source"]) == (H200, 79, "kernel")
    assert (link["device"], link["severity"]) == (GEFORCE, "correctable")


def test_what_the_kernel_logged_before_goes_with_the_description_of_the_gpu(sampler, driver, tmp_path) -> None:
    log = tmp_path / "kmsg"
    log.write_text("3,9,9,-;NVRM: Xid (PCI:0000:C1:00): 79, GPU has fallen off the bus.\n" * 2)
    process = sampler("--kernel-log", str(log), env=driver.environment())
    described = {device["id"]: device for device in process.next("devices")["devices"]}
    assert described[GEFORCE]["logged_before"] == []
    [sentence] = described[H200]["logged_before"]
    assert sentence.startswith("Xid 79: ") and sentence.endswith("(2 times)")


def test_a_driver_that_refuses_events_still_measures(sampler, driver) -> None:
    process = sampler("--interval", "0.1", env=driver.environment(**{"return": "nvmlEventSetCreate=3"}))
    assert process.next("samples")["samples"][GEFORCE]["temperature_c"] == 61


def test_a_tick_tells_what_it_costs_and_the_cpu_carries_what_measuring_costs(sampler) -> None:
    process = sampler("--simulate", "8x4090", "--interval", "0.1")
    assert process.next("samples")["cost_ms"] > 0
    sample = process.next("samples")["samples"]["cpu"]
    assert sample["sampler_cpu_pct"] >= 0
    assert sample["sampler_ms"] > 0


def test_a_slow_driver_is_asked_less_often_and_the_cost_says_so(sampler, driver) -> None:
    process = sampler("--interval", "0.1", env=driver.environment(slow_ms="80"))
    cost = process.next("cost")
    assert cost["interval_s"] == 0.2
    assert cost["tick_p50_ms"] > 80
    assert cost["slowest"].endswith("@ 0000:c1:00.0: 25 us")


def test_a_lost_gpu_is_reported_once_and_the_others_go_on(sampler, driver) -> None:
    process = sampler("--interval", "0.1", env=driver.environment(lost_after=4))
    assert process.next("lost")["device"] == H200
    seen = [process.next("samples")["samples"] for _ in range(3)]
    assert all(H200 not in samples and GEFORCE in samples for samples in seen)
    process.hang_up()
    assert process.process.stdout is not None
    assert not [line for line in process.process.stdout if '"lost"' in line]


def test_a_driver_that_hangs_stops_the_samples_with_a_word_in_the_log_and_no_orphan(sampler, driver) -> None:
    process = sampler("--interval", "0.1", env=driver.environment(hang="nvmlDeviceGetPowerUsage"))
    process.next("devices")
    overdue = process.next("overdue")
    assert overdue["seconds"] == 2.0
    assert overdue["waiting_for"] == "nvmlDeviceGetPowerUsage of NVIDIA GeForce RTX 3090 @ 0000:41:00.0"
    assert "has not answered for 2 s" in process.process.stderr.readline()
    process.hang_up()
    assert process.process.wait(PATIENCE_S) == 0


@given(st.floats(0, 1e6), st.floats(0, 1e4), st.floats(0.1, 60))
def test_the_next_tick_is_in_the_future_and_on_the_grid(last_s: float, late_s: float, interval_s: float) -> None:
    now_s = last_s + late_s
    tick_s = next_tick(last_s, now_s, interval_s)
    assert now_s - 1e-6 <= tick_s <= now_s + interval_s + 1e-6
    beats = (tick_s - last_s) / interval_s
    assert beats > 0.999
    assert beats == pytest.approx(round(beats), abs=1e-4)


def test_it_measures_the_level_of_a_calibrated_microphone(sampler, tmp_path: Path) -> None:
    sound = fake_recorder(tmp_path / "bin", pcm(sine(1000, 0.1)), endless=True)
    env = os.environ | {"PATH": f"{sound}{os.pathsep}{os.environ['PATH']}"}
    words = ("--simulate", "3090", "--interval", "0.2", "--noise", "microphone", "--noise-offset", "94")
    process = sampler(*words, env=env)
    heard = (process.next("samples")["samples"]["cpu"]["noise_dba"] for _ in range(500))
    assert next(level for level in heard if level is not None) == pytest.approx(74.0)


def test_a_microphone_that_fails_is_reported_and_the_rest_is_measured(sampler, tmp_path: Path) -> None:
    sound = fake_recorder(tmp_path / "bin", b"", says="Connection refused")
    env = os.environ | {"PATH": f"{sound}{os.pathsep}{os.environ['PATH']}"}
    process = sampler("--simulate", "3090", "--interval", "0.2", "--noise", "microphone", env=env)
    assert "Connection refused" in process.next("noise")["text"]
    assert process.next("samples")["samples"]["cpu"]["noise_dba"] is None
