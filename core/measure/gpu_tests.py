"""The tests of tests/gpu on the cards at hand: how many passed, which did not, which were not run and why."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from core.measure.children import run_for
from core.measure.page import Checked, Did

ROOT = Path(__file__).resolve().parent.parent.parent
TESTS = ROOT / "tests" / "gpu"
TIME = "RIGWRIGHT_GPU_TESTS_S"
"""After so many seconds the tests that have not begun are skipped, with that reason."""
END_S = 60.0
"""One test may take so long beyond."""
LONGEST_REASON = 300


def run_gpu_tests(seconds: float, folder: Path = TESTS) -> tuple[Did, str, list[Checked]]:
    """Runs them within the time. FAILED where one failed; NOT RUN where none passed."""
    if not folder.is_dir():
        return Did.NOT_RUN, "This copy of the program has no tests.", []
    with TemporaryDirectory(prefix="rigwright-gpu-tests-") as made:
        report = Path(made) / "report.xml"
        # A configuration of its own: the one of the project asks for plugins that few machines with a card have.
        command = [sys.executable, "-m", "pytest", "-c", str(folder / "alone.ini"), "--rootdir", str(ROOT)]
        command += [f"--confcutdir={folder}", f"--junit-xml={report}", str(folder)]
        path = [*filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)), str(ROOT)]
        environment = {TIME: str(seconds), "PYTHONPATH": os.pathsep.join(path)}
        code, text = run_for(command, seconds + END_S, folder=ROOT, environment=environment)
        if not report.is_file():
            said = (text.strip().splitlines() or ["pytest said nothing"])[-1][:LONGEST_REASON]
            how = "They did not end in time." if code is None else f"pytest ended with code {code}: {said}"
            return Did.FAILED if code is None else Did.NOT_RUN, how, []
        return judged(report.read_text(encoding="utf-8"))


def judged(report: str) -> tuple[Did, str, list[Checked]]:
    """What a report in JUnit's XML says: each test that failed, and how many were not run for which reason."""
    failed: list[Checked] = []
    skipped: Counter[str] = Counter()
    passed = 0
    for case in ElementTree.fromstring(report).iter("testcase"):
        broken = [child for child in case if child.tag in ("failure", "error")]
        left_out = case.find("skipped")
        if broken:
            failed.append(Checked(case.get("name", ""), "failed", _first_line(broken[0].get("message"))))
        elif left_out is not None:
            skipped[_first_line(left_out.get("message"))] += 1
        else:
            passed += 1
    rows = [Checked(f"{passed} tests", "passed")] if passed else []
    rows += failed
    rows += [Checked(f"{count} tests", "not run", why) for why, count in skipped.most_common()]
    if failed:
        return Did.FAILED, f"{len(failed)} of {passed + len(failed)} tests failed.", rows
    if not passed:
        return Did.NOT_RUN, "No test was run.", rows
    return Did.DONE, f"{passed} passed, {sum(skipped.values())} were not run.", rows


def _first_line(text: str | None) -> str:
    return ((text or "").strip().splitlines() or [""])[0][:LONGEST_REASON]
