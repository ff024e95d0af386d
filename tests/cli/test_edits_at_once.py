"""Commands that edit one build file at the same time: each edits what is there then, and nothing is lost."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.plan.build import Build
from core.plan.edits import SetDetails
from core.plan.file import NO_FILE, ChangedMeanwhile, load_build, load_with_digest, save_build, update_build
from tests.cli.conftest import environment
from tests.patience import PATIENCE_S

PARTS = (
    "corsair-ax1600i", "noctua-nf-a12x25-pwm", "noctua-nf-a14-pwm", "amd-epyc-7302p", "amd-epyc-7402p",
    "amd-epyc-7502p", "nvidia-tesla-v100-pcie-32gb", "nvidia-tesla-p100-pcie-16gb", "nvidia-a100-pcie-40gb",
    "nvidia-a100-pcie-80gb", "nvidia-rtx-a6000", "nvidia-l40s-48gb",
)  # fmt: skip


@pytest.fixture
def file(rigwright: Any, tmp_path: Path) -> Path:
    path = tmp_path / "mine.rig.json"
    assert rigwright("new", str(path)).returncode == 0
    return path


@pytest.mark.process
def test_twelve_additions_at_once_are_all_kept(file: Path, data_dir: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-P", "-m", "core.cli", "add", str(file), part],
            env=environment(data_dir),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for part in PARTS
    ]
    outputs = [process.communicate(timeout=10 * PATIENCE_S)[0] for process in running]
    assert [process.returncode for process in running] == [0] * 12, outputs
    assert all("Added:" in one for one in outputs)
    lines = json.loads(file.read_text(encoding="utf-8"))["lines"]
    assert sorted(line["part"] for line in lines) == sorted(PARTS)
    assert [path.name for path in file.parent.iterdir() if path.name.endswith((".lock", ".draft"))] == []


def test_an_edit_is_made_anew_on_what_another_program_wrote_meanwhile(file: Path) -> None:
    tried: list[str] = []

    def change(build: Build) -> Build:
        tried.append(build.name)
        if len(tried) == 1:
            save_build(SetDetails(name="Theirs").apply(build), file)
        return SetDetails(notes="Mine").apply(build)

    update_build(file, None, lambda _: None, change)
    now = load_build(file, lambda _: None)
    assert (now.name, now.notes) == ("Theirs", "Mine")
    assert tried == ["mine", "Theirs"]


def test_what_was_changed_since_it_was_read_is_not_replaced(file: Path) -> None:
    build, digest = load_with_digest(file, lambda _: None)
    save_build(SetDetails(name="Theirs").apply(build), file)
    with pytest.raises(ChangedMeanwhile, match=r"mine\.rig\.json was changed by another program"):
        save_build(build, file, expected=digest)
    with pytest.raises(ChangedMeanwhile, match="already exists"):
        save_build(build, file, expected=NO_FILE)
    assert load_build(file, lambda _: None).name == "Theirs"


def test_a_file_that_is_gone_is_written_again(file: Path) -> None:
    build, digest = load_with_digest(file, lambda _: None)
    file.unlink()
    assert save_build(build, file, expected=digest) == digest


def test_a_calibrated_or_placed_build_is_written_over_its_own_file(
    rigwright: Callable[..., Any], file: Path, data_dir: Path
) -> None:
    source = file.with_name("placed.rig.json")
    assert rigwright("new", str(source), "--template", "four-used-rtx-3090").returncode == 0
    assert rigwright("place", str(source), "-o", str(source)).returncode == 0
    assert json.loads(source.read_text(encoding="utf-8"))["lines"]


def test_a_lock_that_is_held_is_said_in_words(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from filelock import SoftFileLock

    from core.plan import file as module
    from core.platform.errors import EnvironmentProblem

    monkeypatch.setattr(module, "LOCK_TIMEOUT_S", 0.01)
    with (
        SoftFileLock(file.with_name(".mine.rig.json.lock")),
        pytest.raises(EnvironmentProblem, match=r"another program is saving it\. If none is, delete .*\.lock"),
    ):
        save_build(Build("x"), file)
