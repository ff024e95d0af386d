"""Whether PyTorch is there for this Python, and the command that installs it where it is not."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from core.words import tr

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
