"""Measures the cards at hand and writes a page of each: `python -m core.lab.measure`, which `make gpu` calls.

Takes all cards that CUDA sees, or those of CUDA_VISIBLE_DEVICES, all at the same time. Needs PyTorch, NumPy and
nvidia-ml-py; parts that need more say so and are NOT RUN. Ends with 0 when every needed part was done, 1 when one
FAILED, 4 when one was NOT RUN, 3 without a card.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from core.lab.measure.checks import ROOT
from core.lab.measure.children import JsonChild
from core.lab.measure.markdown import stem_of, why_not_kept, write_page
from core.lab.measure.measurement import CPU, WISHES, MeasuredDevice, Measurement, subjects_of, this_program
from core.lab.measure.page import CardFacts, Did, Page, Program
from core.lab.measure.power import CardPowerMeter
from core.platform.errors import ExitCode
from core.platform.processes import own_python
from core.platform.processor import cpu_name
from core.platform.protocol import Message

TOTAL_S = 430.0
"""With starting, ending and a part that overruns, eight minutes."""
SHORTEST_S, LONGEST_S = 10.0, 3600.0
LISTED_WITHIN_S = 150.0
OUTCOME_EXIT = {Did.DONE: ExitCode.PASS, Did.FAILED: ExitCode.FAIL, Did.NOT_RUN: ExitCode.INCOMPLETE}
GRAVITY = (ExitCode.FAIL, ExitCode.INCOMPLETE, ExitCode.PASS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, writes the pages, and returns the exit code."""
    options = _parser().parse_args(arguments)
    if not SHORTEST_S <= options.seconds <= LONGEST_S:
        _say(f"--seconds must be {SHORTEST_S:.0f} to {LONGEST_S:.0f}.")
        return ExitCode.USAGE
    parts = [name.strip() for name in options.parts.split(",")]
    if unknown := [name for name in parts if name not in WISHES]:
        _say(f"There is no part {unknown[0]!r}. Choose from {', '.join(WISHES)}.")
        return ExitCode.USAGE
    listed = _listed()
    program = this_program(listed.get("torch"), listed.get("cuda"))
    if options.cpu:
        subjects = [MeasuredDevice(CPU, CardFacts(cpu_name(), CPU))]
        return _measured(subjects, program, None, options, parts)
    if not listed["cards"]:
        _say(f"No card was measured: {listed['problem'] or 'CUDA sees none'}.".replace("..", "."))
        return ExitCode.ENVIRONMENT
    with CardPowerMeter() as meter:
        if meter.problem is not None:
            _say(f"Power is not measured: {meter.problem}")
        return _measured(subjects_of(listed["cards"], meter), program, meter, options, parts)


def _measured(
    subjects: list[MeasuredDevice],
    program: Program,
    meter: CardPowerMeter | None,
    options: argparse.Namespace,
    parts: list[str],
) -> int:
    for subject in subjects:
        _say(f"Measuring {subject.card.name}.")
    if program.missing:
        _say(f"Not installed here: {', '.join(program.missing)}. Parts that need them are not run.")
    measurement = Measurement(subjects, program, meter, seconds=options.seconds, parts=parts, size=options.size)
    folder = Path(options.output)

    def keep(pages: list[Page]) -> None:
        for page, stem in zip(pages, _stems(pages), strict=True):
            write_page(page, folder, stem)

    pages = measurement.run(keep, _say)
    for page, stem in zip(pages, _stems(pages), strict=True):
        _say(_ended(page, folder / f"{stem}.md"))
    codes = {OUTCOME_EXIT[page.did] for page in pages}
    return next(code for code in GRAVITY if code in codes)


def _stems(pages: list[Page]) -> list[str]:
    names = [page.card.name for page in pages]
    return [stem_of(page, names[:place].count(page.card.name)) for place, page in enumerate(pages)]


def _ended(page: Page, path: Path) -> str:
    lines = [f"{page.card.name}: {path}"]
    lines += [f"  {one.title}: {one.did.value.upper()}. {one.reason}" for one in page.parts if one.did is not Did.DONE]
    why = why_not_kept(page.as_json())
    lines.append(
        f"  Not to be kept as a card's page: {why}" if why else "  It can be kept: see docs/measuring-a-card.md."
    )
    return "\n".join(lines)


def _listed() -> Message:
    """What torch sees, asked in a process of its own: this one stays clear of CUDA."""
    with JsonChild(own_python("-m", "core.lab.measure.cost_process", "--list")) as child:
        listed = child.next("cards", time.monotonic() + LISTED_WITHIN_S)
    return listed or {"cards": [], "problem": "PyTorch did not start, or did not answer"}


def _say(line: str) -> None:
    with contextlib.suppress(OSError):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.lab.measure", description="Measures the cards at hand.")
    parser.add_argument("--seconds", type=float, default=TOTAL_S, help=f"for all parts together; {TOTAL_S:.0f}")
    parser.add_argument("--output", default=str(ROOT / "measured"), metavar="DIR", help="where the pages are written")
    parser.add_argument("--parts", default=",".join(WISHES), help="only these, with commas; the order stays")
    parser.add_argument("--size", type=int, help="of the matrices; what the burn-in uses without it")
    parser.add_argument("--cpu", action="store_true", help="rehearse on the CPU: no card's page comes of it")
    return parser


if __name__ == "__main__":
    sys.exit(main())
