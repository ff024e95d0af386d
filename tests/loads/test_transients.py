"""Load that comes and goes: at multiples of its period on the machine's clock, everything compared, short time told."""

import itertools
import time
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.loads.evidence import plain
from core.loads.load import LoadStatus
from core.loads.params import checked
from core.loads.products import transients
from core.loads.products.contract import TransientsParams
from core.loads.products.transients import TransientsLoad
from core.loads.products.turns import Segment, SegmentTiming, planned
from core.platform.errors import BadInput, EnvironmentProblem
from tests.loads.conftest import running

CPU = torch.device("cpu")
ALL = ["wave of 20 ms", "wave of 100 ms", "wave of 1 s", "wave of 10 s"]
ALL += [f"step to {step} %" for step in (25, 50, 75, 100)]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products of a fraction of a millisecond."""
    monkeypatch.setattr(transients, "CPU_SIZE", 128)
    monkeypatch.setattr(transients, "SMALLEST", 64)


run = running("transients", seconds=0.8, periods_s="0.05", steps_pct="25,100")


@given(now=st.floats(0, 1e9), period=st.sampled_from([0.02, 0.1, 1.0, 10.0]))
def test_phases_begin_at_multiples_of_the_period_for_whoever_asks(now: float, period: float) -> None:
    start = Segment("wave", period, 0.5).next_start(now)
    assert -1e-6 <= start - now <= period + 1e-6
    assert start / period == pytest.approx(round(start / period), abs=1e-3)


def test_devices_that_start_apart_pulse_together() -> None:
    wave = Segment("wave", 0.1, 0.5)
    assert len({wave.next_start(1000.0 + delay) for delay in (0.01, 0.03, 0.099)}) == 1


def test_continuous_load_waits_for_nothing() -> None:
    assert Segment("step to 100 %", 0.1, 1.0).next_start(123.456) == 123.456


def test_waves_and_steps_share_the_time() -> None:
    segments, left_out = planned(TransientsParams(), 600)
    assert [segment.name for segment in segments] == ALL
    assert left_out == []
    assert sum(segment.seconds for segment in segments) == pytest.approx(600)
    assert all(segment.seconds >= segment.least_s for segment in segments)


@pytest.mark.parametrize(
    ("seconds", "missing"), [(40, []), (20, ["wave of 10 s"]), (3, ["wave of 1 s", "wave of 10 s"]), (0.01, ALL)]
)
def test_what_does_not_fit_is_left_out_from_the_slowest_on(seconds: float, missing: list[str]) -> None:
    segments, left_out = planned(TransientsParams(), seconds)
    assert [segment.name for segment in left_out] == missing
    assert len(segments) + len(left_out) == len(ALL)


def test_load_comes_and_goes_and_is_compared(channel: Any) -> None:
    ending = run(channel, seconds=1.5)
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert list(evidence["segments"]) == ["wave of 50 ms", "step to 25 %", "step to 100 %"]
    for segment in evidence["segments"].values():
        assert segment["cycles"] >= 1
        assert segment["largest_phase_error_ms"] >= segment["median_phase_error_ms"] >= 0
        assert segment["duty_pct"] > 0
    cycles = sum(segment["cycles"] for segment in evidence["segments"].values())
    assert evidence["checks"] >= cycles, "each phase is compared"
    assert evidence["self_test"] == {"bit flip": "seen", "NaN": "seen"}
    assert evidence["errors"] == 0


def test_load_is_off_between_the_phases(channel: Any) -> None:
    load = TransientsLoad(TransientsParams(periods_s="0.2", steps_pct=""), CPU)
    busy = [(time.monotonic(), report.flop) for report in load.steps(1.2)]
    working = [at for at, flop in busy if flop > 0]
    gaps = [later - earlier for earlier, later in itertools.pairwise(working) if later - earlier > 0.05]
    assert gaps
    [timing] = load._timings
    assert all(began >= start for start, began in timing.spans)
    assert all(start / 0.2 == pytest.approx(round(start / 0.2), abs=1e-6) for start, _ in timing.spans)


@pytest.mark.parametrize(("inject", "kind"), [("bitflip", "mismatch"), ("nan", "nan")])
def test_a_fault_while_load_changes_is_found(channel: Any, inject: str, kind: str) -> None:
    ending = run(channel, inject=inject, inject_at=16)
    assert ending.status is LoadStatus.FAILED
    assert ending.evidence.as_dict()["errors"] == ending.evidence.as_dict()["injected_on_purpose"]["times"] == 1
    assert [fault["kind"] for fault in channel.of("fault")] == [kind]
    assert "injected on purpose" in ending.reason


def test_what_time_did_not_suffice_for_is_reported_and_is_no_warning_of_the_load(channel: Any) -> None:
    ending = run(channel, seconds=0.9, periods_s="0.05,10")
    assert ending.status is LoadStatus.PASSED
    assert ending.evidence.as_dict()["left_out"] == ["wave of 10 s"]
    assert "warnings" not in ending.evidence.as_dict(), "the stage knows whether its time was cut"


def test_no_time_for_anything_is_no_pass(channel: Any) -> None:
    assert run(channel, seconds=0.01, steps_pct="", periods_s="10").status is LoadStatus.NOT_RUN


def test_a_stop_while_nothing_is_computed_is_heeded_at_once(channel: Any) -> None:
    channel.commands.put({"type": "stop"})
    started = time.monotonic()
    assert run(channel, seconds=60, periods_s="10", steps_pct="").status is LoadStatus.STOPPED
    assert time.monotonic() - started < 5


def test_duty_and_missed_cycles_are_counted_over_whole_periods() -> None:
    timing = SegmentTiming(Segment("wave", 1.0, 0.5), 64)
    assert timing.evidence().duty_pct is None
    for start, late, on in ((10.0, 0.001, 0.5), (11.0, 0.003, 0.6), (13.0, 0.002, 0.5)):
        timing.phase(start, start + late, start + late + on)
    evidence = plain(timing.evidence())
    assert (evidence["cycles"], evidence["missed_cycles"]) == (3, 1)
    assert evidence["duty_pct"] == 40.0
    assert (evidence["median_phase_error_ms"], evidence["largest_phase_error_ms"]) == (2.0, 3.0)


def test_products_are_so_small_that_many_fit_into_a_phase() -> None:
    load = TransientsLoad(TransientsParams(), CPU)
    load._size = 8192
    slow = 1e-11
    sizes = [load._fitting_size(Segment("", period, 0.5), slow) for period in (0.02, 0.1, 1.0, 10.0)]
    assert sizes == sorted(sizes)
    assert all(
        2 * size**3 * slow * 16 <= 0.5 * period for size, period in zip(sizes, (0.02, 0.1, 1.0, 10.0), strict=True)
    )


def test_a_format_that_the_device_lacks_is_a_problem_of_the_environment() -> None:
    with pytest.raises(EnvironmentProblem, match="float8"):
        TransientsLoad(TransientsParams(dtype="float8"), CPU)
    assert TransientsLoad(TransientsParams(dtype="float64"), CPU)._format.name == "float64"


def test_on_a_gpu_the_format_of_most_power_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    for capability, name in (((8, 0), "bfloat16"), ((7, 0), "float16"), ((5, 2), "float32")):
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device, capability=capability: capability)
        assert transients._format("", torch.device("cuda", 0)).name == name


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"periods_s": "0.02;1"}, "periods_s.*not a comma-separated list of numbers"),
        ({"periods_s": "0.001"}, "periods must lie between 0.01"),
        ({"steps_pct": "25,120"}, "steps must lie between 5 and 100"),
        ({"duty_pct": 100}, "duty_pct"),
        ({"inject": "repeatable"}, "bitflip, nan"),
    ],
)
def test_a_wrong_parameter_is_named(params: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        checked(TransientsParams, params)
