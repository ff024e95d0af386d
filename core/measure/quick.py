"""The profile every-check on the cards at hand, through the command line as any owner would call it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import Any

from core.measure.children import run_for
from core.measure.page import Checked, Did

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
        return judged(text, code, devices)


def judged(text: str, code: int | None, devices: Sequence[str]) -> tuple[Did, str, dict[str, list[Checked]]]:
    """What `burn --json` printed: the verdict, and each stage that did not simply pass."""
    document = _DOCUMENT.search(text)
    try:
        told: dict[str, Any] = json.loads(document[0]) if document else {}
    except ValueError:
        told = {}
    if not told.get("verdicts"):
        said = (text.strip().splitlines() or ["it said nothing"])[-1][:300]
        how = "did not end in time" if code is None else f"ended with code {code}"
        return Did.NOT_RUN, f"The burn-in {how}: {said}", {}
    rows: dict[str, list[Checked]] = {device: [] for device in devices}
    for result in told["results"]:
        if result["status"] == "passed" and not result["evidence"].get("warnings"):
            continue
        stage = told["stages"][result["number"]]["title"] if result["number"] < len(told["stages"]) else "?"
        warned = "; ".join(result["evidence"].get("warnings", ()))
        row = Checked(stage, str(result["status"]).replace("_", " "), result["reason"] or warned)
        for device in rows if result["device_id"] not in rows else (result["device_id"],):
            rows[device].append(row)
    outcome = told["verdicts"][0]["outcome"]
    passed = sum(result["status"] == "passed" for result in told["results"])
    return OUTCOMES[outcome], f"Verdict {outcome}: {passed} of {len(told['results'])} results passed.", rows
