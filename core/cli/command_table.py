"""Which module has which command; it is loaded when one of its commands is used, so that every command starts soon."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

MODULES = {
    "templates": "templates",
    "new": "edit",
    "add": "edit",
    "remove": "edit",
    "swap": "edit",
    "set": "set",
    "check": "check",
    "fix": "fix",
    "place": "place",
    "find": "find",
    "predict": "predict",
    "explain": "explain",
    "compare": "compare",
    "picture": "picture",
    "share": "share",
    "import-list": "share",
    "gpus": "gpus",
    "devices": "burn",
    "as-built": "as_built",
    "burn": "burn",
    "status": "watch",
    "watch": "watch",
    "stop": "watch",
    "skip": "watch",
    "mark": "watch",
    "notices": "notices",
    "swap-test": "swap_test",
    "runs": "runs",
    "close": "runs",
    "note": "runs",
    "forget": "runs",
    "calibrate": "calibrate",
    "report": "report",
    "certificate": "report",
    "rma": "report",
    "telemetry": "report",
    "import-log": "import_log",
    "facts": "facts",
    "noise": "noise",
    "wall": "wall",
    "verify": "seals",
    "seal": "seals",
    "key": "seals",
    "validate": "validate",
    "language": "language",
    "kernel-log": "kernel_log",
    "doctor": "doctor",
    "about": "about",
    "builds": "builds",
    "parts": "parts",
    "profiles": "profiles",
    "references": "references",
}
"""In the order of the help. Each module under `core.cli.commands` has `register(app)`, which adds all its commands."""


class Commands(TyperGroup):
    """The group of all commands: those that are added to it, and those of `MODULES`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _OnDemand(self.commands)


class _OnDemand(MutableMapping[str, Any]):
    """Commands by name; looking one up loads it, their names alone load nothing."""

    def __init__(self, present: MutableMapping[str, Any]) -> None:
        self._present = dict(present)

    def __getitem__(self, name: str) -> Any:
        if name not in self._present:
            app = typer.Typer(rich_markup_mode=None)
            import_module(f"core.cli.commands.{MODULES[name]}").register(app)
            self._present |= typer.main.get_group(app).commands
        return self._present[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._present[name] = command

    def __delitem__(self, name: str) -> None:
        del self._present[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*MODULES, *self._present]))

    def __len__(self) -> int:
        return len(MODULES | self._present)
