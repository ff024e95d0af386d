"""The passphrase of the installation's key: from the environment, else asked for where somebody can answer."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import typer

from core.platform.processes import PASSPHRASE_VARIABLE
from core.seal.keys import is_locked
from core.words import tr


def given_passphrase(data_dir: Path) -> str | None:
    """None where none is needed, or nobody can be asked; the environment is then looked at where it is used."""
    if PASSPHRASE_VARIABLE in os.environ or not is_locked(data_dir) or not sys.stdin or not sys.stdin.isatty():
        return None
    return str(typer.prompt(tr("Passphrase of the key"), hide_input=True, err=True))
