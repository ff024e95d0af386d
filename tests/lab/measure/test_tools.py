"""What gpu-burn and gpu-fryer print, read back; and the programs themselves where they are on the PATH."""

from pathlib import Path
from typing import Any, cast

import pytest

from core.lab.measure.page import ToolRow
from core.lab.measure.power import CardPowerMeter
from core.lab.measure.tools import COUNTED_AS, DONE, RUNS, ToolRate, burn_rates, fryer_rates, installed, run_tool
from core.platform.processes import mark_of
from tests.patience import wait_for

LESS = DONE / COUNTED_AS


def burn_line(pct: float, cards: list[tuple[int, int]], errors: list[str]) -> str:
    """A line of progress as gpu-burn writes it: processed products and Gflop/s of each card, errors, temperatures."""
    done = "- ".join(f"{products} ({rate} Gflop/s) " for products, rate in cards)
    wrong = "- ".join(f"{text} " for text in errors)
    return f"\r{pct:.1f}%  proc'd: {done}  errors: {wrong}  temps: {'- '.join('61 C ' for _ in cards)}"


SUMMARY = "\n\tSummary at:   Wed Mar  4 05:06:07 UTC 2026\n\n"


def test_the_rate_is_the_median_after_the_first_quarter() -> None:
    rates = [10_000, 60_000, 62_000, 61_000, 61_000, 63_000, 61_000, 60_000]
    lines = [burn_line(place, [(100 * (place + 1), rate)], ["0"]) for place, rate in enumerate(rates)]
    tool_rates = burn_rates("Burning for 100 seconds.\nGPU 0: A card\nInitialized device 0\n" + "".join(lines))
    assert tool_rates == [ToolRate(pytest.approx(61.0 * LESS), 0)]


def test_cards_are_told_apart_and_a_rate_that_stands_there_again_counts_once() -> None:
    lines = [
        burn_line(1, [(0, 0), (10, 50_000)], ["0", "0"]),
        burn_line(2, [(10, 20_000), (10, 50_000)], ["0", "0"]),
        burn_line(3, [(20, 30_000), (10, 50_000)], ["0", "0"]),
        burn_line(4, [(30, 30_000), (20, 90_000)], ["0", "0"]),
        burn_line(5, [(40, 30_000), (30, 90_000)], ["0", "0"]),
    ]
    first, second = burn_rates("".join(lines))
    assert first.tflops == pytest.approx(30.0 * LESS)
    assert second.tflops == pytest.approx(90.0 * LESS)


def test_errors_add_up_although_the_count_starts_again() -> None:
    lines = [
        burn_line(1, [(10, 50_000)], ["0"]),
        burn_line(9, [(20, 50_000)], ["3  (WARNING!)"]),
        SUMMARY,
        burn_line(12, [(30, 50_000)], ["0"]),
        burn_line(15, [(40, 50_000)], ["2  (WARNING!)"]),
        burn_line(16, [(50, 50_000)], ["2  (WARNING!)"]),
    ]
    assert burn_rates("".join(lines))[0].errors == 5


def test_a_card_that_died_is_reported() -> None:
    lines = [
        burn_line(1, [(10, 50_000)], ["0"]),
        burn_line(2, [(20, 50_000)], ["0"]),
        burn_line(3, [(-1, 0)], ["0  (DIED!)"]),
    ]
    assert burn_rates("".join(lines))[0].died


@pytest.mark.parametrize(
    "text", ["", "No CUDA devices", "Couldn't init a GPU test: Error", burn_line(1, [(0, 0)], ["0"]), "\x00" * 100]
)
def test_without_a_rate_there_is_none(text: str) -> None:
    assert burn_rates(text) == []
    assert fryer_rates(text) == []


FRYER = """\
Detected GPU #0: "A card" (d1)
10 (98765 Gflops/s) - 10 (98700 Gflops/s) | Temperatures: 50°C - 51°C | Throttling: None - None
GPU #{}:  51494 Gflops/s (min: 50577.53, max: 51677.05, dev: 51493.79)
         Temperature: 48.83°C (min: 47.00, max: 50.00)
         Throttling HW: false, Thermal SW: false, Thermal HW: false
GPU #{}: 730120 Gflops/s (min: 50577.53, max: 51677.05, dev: 12.79)
         Temperature: 48.83°C (min: 47.00, max: 50.00)
All GPUs seem healthy
"""


@pytest.mark.parametrize(("numbers", "expected"), [((0, 1), [51.494, 730.12]), ((1, 0), [730.12, 51.494])])
def test_gpu_fryers_result_is_taken_by_card(numbers: tuple[int, int], expected: list[float]) -> None:
    assert [rate.tflops for rate in fryer_rates(FRYER.format(*numbers))] == expected
    assert {rate.errors for rate in fryer_rates(FRYER.format(*numbers))} == {None}, "it compares nothing"


# -- running them ------------------------------------------------------------------------------------------------


class NoPower:
    """A meter that reads nothing."""

    def over(self, *_: object) -> None:
        return None


METER = cast(CardPowerMeter, NoPower())
BY_TOOL = {run.tool: run for run in reversed(RUNS)}


def put(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_programs_are_found_on_the_path_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not any(installed(run) for run in RUNS)
    program = put(tmp_path, "gpu-burn", "exit 0")
    assert installed(BY_TOOL["gpu-burn"]) == program
    assert installed(BY_TOOL["gpu-fryer"]) is None


def test_gpu_burn_is_started_beside_its_kernel_on_our_cards_and_ended_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.lab.measure.tools.FRYER_LEAST_S", 1)
    lines = [burn_line(1, [(products, 50_000)], ["0"]) for products in (10, 20, 30)]
    (tmp_path / "said").write_text("".join(lines))
    script = """
test -f compare.fatbin || exit 9
echo "$CUDA_VISIBLE_DEVICES $*" > called
sleep 300 & echo $! > child
cat said
wait"""
    (tmp_path / "compare.fatbin").touch()
    program = put(tmp_path, "gpu_burn", script)
    rows: Any = run_tool(BY_TOOL["gpu-burn"], program, ["GPU-1"], 1.0, METER)
    assert [(row.format, row.errors) for row in rows] == [("tf32", 0)]
    assert rows[0].tflops == pytest.approx(50.0 * LESS)
    assert (tmp_path / "called").read_text().split()[:2] == ["GPU-1", "-tc"]
    child = int((tmp_path / "child").read_text())
    wait_for(lambda: mark_of(child) is None, "the end of what the tool had started")


def test_gpu_fryer_gives_a_row_for_each_card(tmp_path: Path) -> None:
    program = put(tmp_path, "gpu-fryer", f"cat <<'END'\n{FRYER.format(0, 1)}END")
    rows = run_tool(BY_TOOL["gpu-fryer"], program, ["GPU-1", "GPU-2"], 10.0, METER)
    assert isinstance(rows, list)
    assert [row.tflops for row in rows] == [51.494, 730.12]
    assert all(isinstance(row, ToolRow) and row.errors is None for row in rows)


def test_a_program_that_fails_is_reported_with_its_last_words(tmp_path: Path) -> None:
    program = put(tmp_path, "gpu-fryer", "echo 'Error: No GPUs detected' >&2; exit 1")
    reason = run_tool(BY_TOOL["gpu-fryer"], program, ["GPU-1"], 10.0, METER)
    assert reason == "gpu-fryer --use-bf16 told no rate and ended with code 1: Error: No GPUs detected"
