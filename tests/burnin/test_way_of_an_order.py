"""The way of a burn order to its load's first step: the files whose functions call one another, in three processes.

Each process notes its calls at the moments that lead on: where it starts the next process, sends the order of the load,
and takes the load's first step.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.burnin.processes import profile_in
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
MOST = 12
SITE = """
import json, os, sys

ROOT, NOTES = os.environ["WAY_ROOT"], os.environ["WAY_NOTES"]

def files_of(frame):
    files = []
    while frame:
        if frame.f_code.co_filename.startswith(ROOT + "/core/"):
            files.insert(0, frame.f_code.co_filename[len(ROOT) + 1:])
        frame = frame.f_back
    return list(dict.fromkeys(files))

def moment(frame):
    code, values = frame.f_code, frame.f_locals
    if code.co_name == "__init__" and code.co_filename.endswith("/subprocess.py"):
        return "core.burnin.run.runner" in values["args"] and "start of the runner"
    if code.co_name == "send" and code.co_filename.endswith("/children/child.py"):
        return values["type_"] == "start" and "order of the load"
    return code.co_name == "_run" and code.co_filename.endswith("/gemm.py") and "first step"

def note(frame, event, argument):
    if event == "call" and (name := moment(frame)):
        with open(NOTES, "a") as notes:
            print(json.dumps([name, files_of(frame)]), file=notes)

sys.setprofile(note)
"""


def documented() -> list[str]:
    """The files that the page on architecture names, in its order."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    line = re.search(r"^The way of an order.*?(?=\n\n)", page, re.MULTILINE | re.DOTALL)
    assert line, "docs/architecture.md says the way of an order"
    return re.findall(r"`(core/[\w/]+\.py)`", line[0])


@pytest.mark.process
def test_an_order_crosses_few_files_and_the_page_on_architecture_names_them(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SITE, "utf-8")
    profile = profile_in(tmp_path, ("gemm", 1.0, {"dtypes": "float32", "size": 64}))
    notes = tmp_path / "notes"
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "WAY_ROOT": str(ROOT), "WAY_NOTES": str(notes)}
    command = [sys.executable, "-m", "core.cli", "burn", "--devices", "cpu", "--profile", profile]
    ended = subprocess.run(
        [*command, "--data-dir", str(tmp_path / "data")], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=2 * PATIENCE_S, check=False,
    )  # fmt: skip
    moments: dict[str, list[str]] = {}
    for line in notes.read_text("utf-8").splitlines():
        name, files = json.loads(line)
        moments.setdefault(name, files)
    assert list(moments) == ["start of the runner", "order of the load", "first step"], ended.stdout
    crossed = list(dict.fromkeys(file for files in moments.values() for file in files))
    crossed = crossed[crossed.index("core/cli/commands/burn.py") :]  # where the order is made
    assert crossed == documented()
    assert len(crossed) <= MOST
