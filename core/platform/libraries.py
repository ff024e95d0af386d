"""Libraries that measure and compute: whether PyTorch is there, and what this process has loaded, by path and digest.

Told by sampler and workers once they have loaded it, and kept with the run: a figure is worth what measured it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import file_digest, sha256
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.words import tr

DRIVER_LIBRARIES = ("libnvidia-ml.so", "libcuda.so")
"""How the names of the files begin that the driver brings: what measures, and what computes."""
PYTORCH = "torch"
_MAPS = Path("/proc/self/maps")


@dataclass(frozen=True, slots=True)
class Library:
    """A shared library that is mapped into this process."""

    path: str = ""
    sha256: str = ""
    """Hexadecimal; "" where the file cannot be read any more."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package of Python that was imported."""

    name: str = ""
    version: str = ""
    path: str = ""
    """Of its first file."""
    record_sha256: str = ""
    """Of RECORD, the list of all its files with their digests; "" where the one that was imported has none."""


def as_told() -> dict[str, list[dict[str, Any]]]:
    """The fields of the report `libraries` (core.platform.child_reports)."""
    return {
        "libraries": [asdict(one) for one in loaded_libraries()],
        "packages": [asdict(package)] if (package := imported_package(PYTORCH)) else [],
    }


def loaded_libraries(maps: Path = _MAPS) -> list[Library]:
    """The driver's, by what the kernel says is mapped; none where it does not say (other systems than Linux)."""
    try:
        lines = maps.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [Library(path, _digest(path)) for path in sorted(set(_mapped(lines)))]


def imported_package(name: str) -> Package | None:
    """None where this process has not imported it: looking for it imports nothing."""
    module = sys.modules.get(name)
    if module is None:
        return None
    path = str(getattr(module, "__file__", None) or "")
    return Package(name, str(getattr(module, "__version__", "")), path, _record_digest(name, path))


def _mapped(lines: list[str]) -> Iterator[str]:
    """Lines of proc(5) have five fields before the path, which may contain spaces."""
    for line in lines:
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and Path(fields[5]).name.startswith(DRIVER_LIBRARIES):
            yield fields[5]


def _digest(path: str) -> str:
    try:
        with Path(path).open("rb") as stream:
            return file_digest(stream, sha256).hexdigest()
    except OSError:
        return ""


def _record_digest(name: str, path: str) -> str:
    """Only of the distribution that the imported module lies in: another one may stand before it on the path."""
    try:
        distribution = metadata.distribution(name)
        record = distribution.read_text("RECORD")
    except (metadata.PackageNotFoundError, OSError, UnicodeDecodeError):
        return ""
    inside = Path(str(distribution.locate_file(""))).resolve()
    if record is None or not path or not Path(path).resolve().is_relative_to(inside):
        return ""
    return sha256(record.encode()).hexdigest()


_PACKAGED = "libraries"
"""The folder of libraries that a system's package brings (packaging/deb.sh); PyTorch is not among them."""
WANTED = "torch>=2.8"


def lack_of_pytorch() -> str | None:
    """Why nothing can be burned in here and what to type; None where PyTorch is installed. Imports nothing."""
    if find_spec("torch") is not None:
        return None
    return tr(
        "PyTorch is not installed for {python}, so nothing can be burned in. "
        "Type this, then start Rigwright again: {command}",
        python=Path(sys.executable).name,
        command=install_command(),
    )


def install_command() -> str:
    """One line for a terminal. A system's Python takes no packages: there PyTorch gets an environment of its own."""
    if not (Path(__file__).resolve().parents[3] / _PACKAGED).is_dir():
        return f"{sys.executable} -m pip install '{WANTED}'"
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    place = f"{data}/rigwright/pytorch"
    return f"{sys.executable} -m venv {place} && {place}/bin/pip install '{WANTED}'"
