"""What a page says of the program and the machine: versions, the commit, what is missing, what a data sheet says."""

from __future__ import annotations

import importlib.util
import platform
import re
import subprocess
import tomllib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from core.measure.page import Program
from core.processes import foreign_environment
from core.processor import cpu_name
from core.version import __version__

ROOT = Path(__file__).resolve().parent.parent.parent
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def this_program(torch: str | None, cuda: str | None) -> Program:
    """The program that measures, as it lies here."""
    commit, changed = commit_of(ROOT)
    return Program(__version__, commit, changed, platform.python_version(), torch, cuda, missing_packages(ROOT))


def commit_of(folder: Path) -> tuple[str | None, bool | None]:
    """The commit of a checkout and whether files differ from it; None where git or the repository is not there."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None, None
    told = _git(folder, "status", "--porcelain")
    return commit, None if told is None else bool(told)


def missing_packages(folder: Path) -> tuple[str, ...]:
    """What pyproject.toml asks for, with what its tests need, and is not installed here."""
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except (OSError, tomllib.TOMLDecodeError, KeyError):
        return ()
    asked = [*project.get("dependencies", ()), "pytest"]
    names = [found[0] for line in asked if (found := _NAME.match(line))]
    return tuple(name for name in names if not _is_installed(name))


def without_modules(names: Sequence[str]) -> list[str]:
    """Those that cannot be imported here; none of them is imported for it."""
    return [name for name in names if importlib.util.find_spec(name) is None]


def this_host() -> str:
    """Processor, kernel and system; never the name of the machine."""
    return f"{cpu_name()}, {platform.system()} {platform.release()}"


def data_sheet_gbps(name: str, memory_mb: int | None) -> tuple[float | None, str | None]:
    """The memory bandwidth of the catalogue's card of that name, and its id; None where it knows none, or cannot be
    read here for want of packages."""
    try:
        from core.asbuilt.recognition import same_card
        from core.parts.compute import GpuSpec
        from core.parts.shipped import shipped_parts
        from core.telemetry.device import Device, DeviceKind
    except ImportError:
        return None, None
    device = Device("", DeviceKind.GPU, name, memory_mb=memory_mb)
    for part in shipped_parts():
        spec = part.spec
        if isinstance(spec, GpuSpec) and spec.memory_bandwidth_gbps and same_card(spec, device):
            return spec.memory_bandwidth_gbps, part.id
    return None, None


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            env=foreign_environment(),
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
