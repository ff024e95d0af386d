"""Options that every command has, and how a command ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Folder of catalogue and runs.", envvar="RIGWRIGHT_DATA_DIR", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]

console = Console(highlight=False, soft_wrap=True)
errors = Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """The one JSON document of a command, on standard output."""
    console.out(json.dumps(value, ensure_ascii=False, indent=2, default=str), highlight=False)
