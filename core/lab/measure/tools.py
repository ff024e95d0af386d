"""Other burn-in programs on the same card: gpu-burn and gpu-fryer, where they are on the PATH.

What they print was read in their own sources: listenClients in gpu_burn-drv.cpp (github.com/wilicc/gpu-burn) and
logging.rs of github.com/huggingface/gpu-fryer, which prints its result as it did in its first version.
"""

import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from core.lab.measure.children import run_for
from core.lab.measure.page import ToolRow
from core.lab.measure.power import CardPowerMeter

COUNTED_AS, DONE = 1_100_048_498_688, 2 * 8192**3
"""FLOP that gpu-burn counts for a product of 8192, and those that it does."""
WARM_UP_SHARE = 0.25
FRYER_LEAST_S = 10
"""gpu-fryer refuses less, and leaves out its first five seconds itself."""
START_S = 30.0
"""Both draw and copy their matrices first."""
_BURN_PROGRESS = re.compile(r"([\d.]+)%\s+proc'd:(?P<done>.*?)errors:(?P<errors>.*?)temps:", re.DOTALL)
_BURN_RATE = re.compile(r"(-?\d+) \((\d+) Gflop/s\)")
_BURN_ERRORS = re.compile(r"(\d+)\s*(\(DIED!\))?")
_FRYER_RESULT = re.compile(
    r"GPU #(?P<card>\d+):\s+(?P<mean>\d+) Gflops/s \(min: (?P<least>[\d.]+), max: (?P<most>[\d.]+)"
)


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One way of calling one program. `format` is ours that multiplies alike."""

    tool: str
    programs: tuple[str, ...]
    arguments: tuple[str, ...]
    format: str
    note: str = ""


RUNS = (
    ToolRun("gpu-burn", ("gpu_burn", "gpu-burn"), ("-tc",), "tf32", "all results compared, with a tolerance"),
    ToolRun("gpu-fryer", ("gpu-fryer",), ("--use-bf16",), "bfloat16", "compares nothing"),
    ToolRun("gpu-burn", ("gpu_burn", "gpu-burn"), (), "float32", "all results compared, with a tolerance"),
    ToolRun("gpu-fryer", ("gpu-fryer",), ("--use-fp8",), "float8", "compares nothing"),
)
"""In the order in which they are worth their time."""


@dataclass(frozen=True, slots=True)
class ToolRate:
    """What a program said of each card, in its order."""

    tflops: float
    errors: int | None
    died: bool = False


def installed(run: ToolRun) -> Path | None:
    """Where the program is."""
    return next((Path(path) for name in run.programs if (path := shutil.which(name))), None)


def run_tool(
    run: ToolRun, program: Path, cards: Sequence[str], seconds: float, meter: CardPowerMeter
) -> list[ToolRow] | str:
    """A row for each card, in the order of `cards`, without our own rate; or a sentence that says why there is none."""
    seconds = max(seconds, FRYER_LEAST_S)
    environment = {"CUDA_VISIBLE_DEVICES": ",".join(cards), "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    started_s = time.monotonic()
    if run.tool == "gpu-burn":
        # It waits half a minute after its own end, and looks for its kernel in the folder that it is started in.
        command = [str(program), *run.arguments, str(10 * int(seconds))]
        code, text = run_for(command, seconds, folder=program.resolve().parent, environment=environment)
        rates = burn_rates(text)
    else:
        command = [str(program), *run.arguments, str(int(seconds))]
        code, text = run_for(command, seconds + START_S, environment=environment)
        rates = fryer_rates(text)
    ended_s = time.monotonic()
    if len(rates) != len(cards):
        last_words = (text.strip().splitlines() or ["it said nothing"])[-1][:200]
        how = "" if code is None else f" with code {code}"
        return f"{run.tool} {' '.join(run.arguments)} told no rate and ended{how}: {last_words}"
    warm_s = started_s + WARM_UP_SHARE * (ended_s - started_s)
    power = [meter.over(card, warm_s, ended_s) for card in cards]
    return [
        ToolRow(
            run.tool,
            run.format,
            rate.tflops,
            ours_tflops=None,
            errors=rate.errors,
            power=watts,
            note=f"{run.note}; it says that the card died" if rate.died else run.note,
        )
        for rate, watts in zip(rates, power, strict=True)
    ]


def burn_rates(text: str) -> list[ToolRate]:
    """By card: the median of the rates that gpu-burn printed after its first quarter, and the errors that it counted.

    It takes 0.05 % more FLOP for a product than there are, which is taken off again. Its count of errors goes back to
    0 every tenth of its time.
    """
    lines = list(_BURN_PROGRESS.finditer(text))
    by_line = [[(int(done), int(rate)) for done, rate in _BURN_RATE.findall(line["done"])] for line in lines]
    cards = len(by_line[-1]) if by_line else 0
    errors = [_errors(line["errors"]) for line in lines]
    rates: list[ToolRate] = []
    for card in range(cards):
        # Between two reports of this card its rate stands there again; a card that has not begun has none.
        reports = [line[card] for line in by_line if len(line) == cards]
        new = [
            now for before, now in zip([(0, 0), *reports], reports, strict=False) if now[0] != before[0] and now[1] > 0
        ]
        steady = new[int(WARM_UP_SHARE * len(new)) :]
        if not steady:
            return []
        counts = [line[card][0] for line in errors if len(line) == cards]
        died = any(line[card][1] for line in errors if len(line) == cards)
        rate = median(rate for _, rate in steady) * DONE / COUNTED_AS / 1e3
        rates.append(ToolRate(rate, _grown(counts), died or reports[-1][0] < 0))
    return rates


def fryer_rates(text: str) -> list[ToolRate]:
    """By card: the mean that gpu-fryer printed at its end."""
    rates = {int(one["card"]): float(one["mean"]) / 1e3 for one in _FRYER_RESULT.finditer(text)}
    return [ToolRate(rates[card], None) for card in sorted(rates)]


def _errors(text: str) -> list[tuple[int, bool]]:
    return [(int(count), bool(died)) for count, died in _BURN_ERRORS.findall(text.replace("(WARNING!)", ""))]


def _grown(counts: list[int]) -> int:
    """The sum over a counter that starts again now and then."""
    return sum(now - before if now >= before else now for before, now in zip([0, *counts], counts, strict=False))
