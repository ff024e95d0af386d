"""Whether tests pass every line where a wrong answer costs most: python packaging/covered.py, ends with 1 if not.

`[tool.covered]` of pyproject.toml has the packages, the tests that must reach them by themselves, and the files that
have lines beyond their reach, each with the reason. Settings of coverage hold here, too.
"""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from coverage import Coverage

ROOT = Path(__file__).parents[1]
DATA_FILE = ".coverage.covered"


def shortfalls(missing: Mapping[str, Iterable[int]], excepted: Mapping[str, str]) -> list[str]:
    """A sentence for each file with lines that no test passed, and for each exception that is none or has no reason.

    `missing` has the numbers of such lines by path, of every file; `excepted` the reasons by path.
    """
    sentences = []
    for path, numbers in sorted(missing.items()):
        lines = ", ".join(map(str, numbers))
        if lines and path not in excepted:
            sentences.append(f"{path}: no test passes line {lines}.")
        elif path in excepted and not lines:
            sentences.append(f"{path}: every line is passed. Take it off the exceptions.")
    sentences += [f"{path}: no such file. Take it off the exceptions." for path in excepted if path not in missing]
    return sentences + [f"{path}: give the reason why it is excepted." for path, why in excepted.items() if not why]


def missing_lines(settings: Mapping[str, Any]) -> dict[str, list[int]]:
    """Runs the tests in this process's folder; the lines that they left out, by path. Raises if a test fails."""
    Coverage(data_file=DATA_FILE).erase()
    started = [sys.executable, "-m", "coverage", "run", f"--data-file={DATA_FILE}"]
    started += ["--parallel-mode", f"--source={','.join(settings['packages'])}", "-m", "pytest", *settings["tests"]]
    marks = "not (process or journey or soak or fuzz)"
    environment = {"QT_QPA_PLATFORM": "offscreen"} | os.environ
    subprocess.run([*started, "-m", marks], check=True, stdin=subprocess.DEVNULL, env=environment)
    measured = Coverage(data_file=DATA_FILE)
    measured.combine()
    paths = [str(path) for package in settings["packages"] for path in sorted(Path(package).rglob("*.py"))]
    return {path: measured.analysis2(path)[3] for path in paths}


if __name__ == "__main__":
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["covered"]
    listed = shortfalls(missing_lines(table), table["excepted"])
    print(*listed, sep="\n", end="\n" if listed else "")  # noqa: T201
    sys.exit(bool(listed))
