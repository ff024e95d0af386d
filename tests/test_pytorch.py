"""A machine without PyTorch is told what to type; the package's launcher finds the user's PyTorch."""

import shutil
import subprocess
from pathlib import Path

import pytest

from core.burnin.run import order
from core.burnin.run.order import BurnOrder, start_run
from core.platform import libraries
from core.platform.errors import EnvironmentProblem, ExitCode

LAUNCHER = Path(__file__).parent.parent / "packaging" / "debian" / "rigwright"


def test_where_pytorch_is_nothing_is_lacking() -> None:
    assert libraries.lack_of_pytorch() is None


def test_without_pytorch_a_burn_in_is_refused_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    with pytest.raises(EnvironmentProblem, match=r"-m pip install 'torch>=") as refused:
        start_run(tmp_path, BurnOrder())
    assert refused.value.exit_code is ExitCode.ENVIRONMENT


def test_a_simulated_burn_in_needs_no_pytorch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)

    def spawned(*words: object) -> None:
        raise InterruptedError

    monkeypatch.setattr(order, "_spawn", spawned)
    with pytest.raises(InterruptedError):
        start_run(tmp_path, BurnOrder(simulate="a100"))


def test_a_packaged_program_gets_an_environment_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libraries").mkdir()
    monkeypatch.setattr(libraries, "__file__", str(tmp_path / "program" / "core" / "platform" / "libraries.py"))
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert "-m venv /data/rigwright/pytorch && /data/rigwright/pytorch/bin/pip install" in libraries.install_command()


@pytest.fixture
def packaged(tmp_path: Path) -> Path:
    """A folder as the package has it; its Python shows with what it was called."""
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "python-version").write_text("3.11\n")
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$PYTHONPATH|$*"\n')
    python.chmod(0o755)
    return tmp_path


def started(packaged: Path, *words: str, **environment: str) -> tuple[str, str]:
    """The search path and the arguments that the launcher gives to Python."""
    answer = subprocess.run(
        [str(LAUNCHER), *words],
        env={
            "PATH": str(Path(shutil.which("sh") or "/bin/sh").parent),
            "HOME": str(packaged / "home"),
            "RIGWRIGHT_BASE": str(packaged / "base"),
            "RIGWRIGHT_PYTHON": str(packaged / "python"),
            **environment,
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    path, _, arguments = answer.partition("|")
    return path, arguments


def test_the_launcher_starts_without_pytorch(packaged: Path) -> None:
    base = packaged / "base"
    assert started(packaged, "open", "a b.rig.json") == (
        f"{base}/program:{base}/libraries",
        "-P -m core.cli open a b.rig.json",
    )


@pytest.mark.parametrize("place", ["VIRTUAL_ENV", "CONDA_PREFIX", "home/.local", "home/.local/share/rigwright/pytorch"])
def test_the_launcher_finds_pytorch_where_a_user_has_it(packaged: Path, place: str) -> None:
    folder = packaged / place
    site = folder / "lib" / "python3.11" / "site-packages"
    (site / "torch").mkdir(parents=True)
    variables = {place: str(folder)} if place.isupper() else {}
    assert started(packaged, **variables)[0].endswith(f":{site}")


def test_pytorch_of_another_python_is_left_alone(packaged: Path) -> None:
    (packaged / "home" / ".local" / "lib" / "python3.12" / "site-packages" / "torch").mkdir(parents=True)
    assert started(packaged)[0].endswith("/libraries")
