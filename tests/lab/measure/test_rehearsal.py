"""The measurement on the CPU, as `make gpu` runs it on a card; and the script that finds an interpreter for it."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from core.lab.measure.markdown import why_not_kept
from core.lab.measure.measurement import ROOT
from core.lab.measure.page import Did
from core.lab.measure.power import measure_stops
from tests.lab.measure.conftest import measure
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process


HIDES = """
from importlib.machinery import PathFinder

found = PathFinder.find_spec

def without(name, *more):
    hidden = name.partition(".")[0] in {"pydantic", "psutil", "typer", "pytest", "PySide6"}
    return None if hidden else found(name, *more)

PathFinder.find_spec = without
"""


def test_a_rehearsal_with_few_packages_measures_the_cpu_and_is_no_cards_page(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(HIDES)
    few = f"{tmp_path / 'site'}{os.pathsep}{ROOT}"
    done = measure(tmp_path, "--cpu", "--seconds", "10", "--size", "128", PYTHONPATH=few)
    assert done.returncode == 4, done.stderr
    (path,) = tmp_path.glob("rehearsal-*.json")
    page: dict[str, Any] = json.loads(path.read_text("utf-8"))
    by_title = {part["title"]: part for part in page["parts"]}
    assert by_title["Products and memory bandwidth"]["did"] == "done", by_title
    stop = by_title["From a stop request to rest"]
    assert (stop["did"], stop["reason"]) == ("not run", "It needs psutil, pydantic, which are not installed here.")
    assert by_title["GPU tests"]["reason"] == "They need a card."
    assert by_title["Every check once"]["reason"] == "It needs psutil, pydantic, typer, which are not installed here."
    assert {"float32", "float64"} <= {row["format"] for row in page["products"]}
    for row in page["products"]:
        assert row["verified_tflops"] > 0
        assert row["bare_tflops"] > 0
        assert row["checks"] > 0
        assert row["errors"] == 0
        assert row["cost_from_pct"] <= row["cost_pct"] <= row["cost_to_pct"]
    assert page["bandwidth"]["copy_gbps"] > 0
    text = path.with_suffix(".md").read_text("utf-8")
    assert "Rehearsal on a CPU: no card was measured." in text
    assert "rehearsal" in str(why_not_kept(path.read_text("utf-8")))


def test_a_load_is_stopped_and_the_time_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("LOAD_WITHIN_S", "STOP_WITHIN_S"):
        monkeypatch.setattr(f"core.lab.measure.power.{limit}", PATIENCE_S)
    did, why, rows = measure_stops("cpu", "cpu", 1.0, None)
    assert did is Did.DONE, why
    assert [row.load for row in rows] == ["gemm"]
    assert rows[0].done_s > 0
    assert rows[0].rest_s is None, "nothing read the power"
    assert "no time left for vram" in why


def test_without_a_card_there_is_one_sentence_and_no_page(tmp_path: Path) -> None:
    done = measure(tmp_path, CUDA_VISIBLE_DEVICES="")
    assert done.returncode == 3
    assert done.stderr.startswith("No card was measured: ")
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "why"), [(("--seconds", "5"), "--seconds must be"), (("--parts", "dance"), "no part 'dance'")]
)
def test_bad_arguments_are_refused_with_a_sentence(tmp_path: Path, arguments: tuple[str, ...], why: str) -> None:
    done = measure(tmp_path, *arguments)
    assert done.returncode == 2
    assert why in done.stderr


# -- the interpreter -----------------------------------------------------------------------------------------------

TOOLS = ("bash", "dirname", "env", "cat")
WITH_TORCH = 'if [ "$1" = -c ]; then exit 0; fi\necho "$0 $PYTHONPATH $*"'
WITHOUT = "exit 1"


class Clone:
    """The script in a folder of its own, and a PATH on which only what we put there is found."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "clone"
        self.bin = folder / "bin"
        (self.root / "packaging").mkdir(parents=True)
        self.bin.mkdir()
        for script in ("gpu.sh", "search-path.sh"):
            shutil.copy(ROOT / "packaging" / script, self.root / "packaging")
        for name in TOOLS:
            (self.bin / name).symlink_to(str(shutil.which(name)))

    def put(self, path: str, script: str) -> str:
        place = self.root / path if "/" in path else self.bin / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"#!/usr/bin/env bash\n{script}\n")
        place.chmod(0o755)
        return str(place)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["packaging/gpu.sh", *arguments],
            cwd=self.root,
            env={"PATH": str(self.bin), **environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_the_interpreter_that_is_named_comes_first_then_the_environment(clone: Clone) -> None:
    named = clone.put("python9", WITH_TORCH)
    clone.put(".venv/bin/python", WITH_TORCH)
    output = clone.run("--seconds", "60", PYTHON=named).stdout
    assert output == f"{named} {clone.root} -m core.lab.measure --seconds 60\n"
    assert clone.run().stdout.startswith(f"{clone.root}/.venv/bin/python ")


def test_any_python_with_torch_serves_and_nothing_is_installed(clone: Clone) -> None:
    clone.put("python3", WITHOUT)
    other = clone.put("python3.12", WITH_TORCH)
    clone.put("nvidia-smi", "exit 0")
    assert clone.run(PYTHON="python3").stdout.startswith(f"{other} ")


def test_an_environment_is_made_only_for_a_machine_with_a_driver(clone: Clone) -> None:
    if Path("/dev/nvidiactl").exists() or Path("/dev/dxg").exists():
        pytest.skip("NOT RUN: this machine has an NVIDIA driver")
    clone.put("packaging/prepare.sh", "echo called >&2; exit 3")
    done = clone.run()
    assert (done.returncode, done.stderr) == (3, "No card was measured: there is no NVIDIA driver on this machine.\n")
    clone.put("nvidia-smi", "exit 0")
    done = clone.run()
    assert done.returncode == 3
    assert done.stderr.splitlines() == [
        "called",
        "No card was measured: no Python here has PyTorch. Name one that has it: make gpu PYTHON=python3.12",
    ]
