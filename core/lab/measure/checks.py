"""Whether the program works on the cards at hand: the tests of tests/gpu, and the profile every-check."""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

from core.lab.measure.children import run_for
from core.lab.measure.page import Checked, Did
from core.platform.processes import own_environment

ROOT = Path(__file__).resolve().parents[3]
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
        path = [*filter(None, [own_environment().get("PYTHONPATH")]), str(ROOT)]
        environment = {TIME: str(seconds), "PYTHONPATH": os.pathsep.join(path)}
        code, text = run_for(command, seconds + END_S, folder=ROOT, environment=environment)
        if not report.is_file():
            last = (text.strip().splitlines() or ["pytest said nothing"])[-1][:LONGEST_REASON]
            how = "They did not end in time." if code is None else f"pytest ended with code {code}: {last}"
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


PROFILE = "every-check"
BESIDE_S = 40.0
"""What starting, ending and judging take beside the stages."""
OVER_S = 20.0
"""Beyond its time, then it is stopped."""
NEEDS_OF_BURN_IN = (
    "filelock", "jinja2", "numpy", "platformdirs", "psutil", "pydantic", "rich", "scipy", "sqlite_utils", "torch",
    "typer",
)  # fmt: skip
"""Packages without which the command line or the burn-in cannot run."""
OUTCOMES = {"PASS": Did.DONE, "WARN": Did.DONE, "FAIL": Did.FAILED, "INCOMPLETE": Did.NOT_RUN}
_DOCUMENT = re.compile(r"^\{.*\}", re.DOTALL | re.MULTILINE)
"""What stands before and after it was said on standard error."""


def run_quick(
    devices: Sequence[str], seconds: float, *, profile: str = PROFILE, settings: Sequence[str] = ()
) -> tuple[Did, str, dict[str, list[Checked]]]:
    """Stretched to `seconds`, start and end included. The rows are by device id, with those of the machine in each."""
    with TemporaryDirectory(prefix="rigwright-measure-") as folder:
        burning_s = max(seconds - BESIDE_S, seconds / 2)
        own = [sys.executable, "-P", "-m", "core.cli"]
        command = [*own, "burn", "--profile", profile, "--minutes", f"{burning_s / 60:.3f}", "--json"]
        command += ["--data-dir", folder, "--devices", ",".join(devices)]
        for setting in settings:
            command += ["--set", setting]

        def stop() -> None:
            run_for([*own, "stop", "--force", "--data-dir", folder], 30.0)

        code, text = run_for(command, seconds + OVER_S, at_the_end=stop)
        return judged_run(text, code, devices)


def judged_run(text: str, code: int | None, devices: Sequence[str]) -> tuple[Did, str, dict[str, list[Checked]]]:
    """What `burn --json` printed: the verdict, each stage that did not simply pass, and what else the verdict is
    due to."""
    document = _DOCUMENT.search(text)
    try:
        printed: dict[str, Any] = json.loads(document[0]) if document else {}
    except ValueError:
        printed = {}
    if not printed.get("verdicts"):
        last = (text.strip().splitlines() or ["it said nothing"])[-1][:300]
        how = "did not end in time" if code is None else f"ended with code {code}"
        return Did.NOT_RUN, f"The burn-in {how}: {last}", {}
    rows: dict[str, list[Checked]] = {device: [] for device in devices}
    for result in printed["results"]:
        if result["status"] == "passed" and not result["evidence"].get("warnings"):
            continue
        stage = printed["stages"][result["number"]]["title"] if result["number"] < len(printed["stages"]) else "?"
        warned = "; ".join(result["evidence"].get("warnings", ()))
        row = Checked(stage, str(result["status"]).replace("_", " "), warned or result["reason"])
        for device in rows if result["device_id"] not in rows else (result["device_id"],):
            rows[device].append(row)
    for verdict in printed["verdicts"]:
        for reason in verdict["reasons"]:
            # Stages stand in the rows above, and the devices each have a verdict of their own.
            if reason["outcome"] == "PASS" or reason["criterion"] in ("stage", "device"):
                continue
            row = Checked(reason["criterion"].replace("_", " "), reason["outcome"].lower(), reason["text"])
            for device in rows if verdict["device_id"] not in rows else (verdict["device_id"],):
                rows[device].append(row)
    outcome = printed["verdicts"][0]["outcome"]
    passed = sum(result["status"] == "passed" for result in printed["results"])
    return OUTCOMES[outcome], f"Verdict {outcome}: {passed} of {len(printed['results'])} results passed.", rows
