"""Options that every command has, and where its text goes."""

from __future__ import annotations

import json
import os
import re
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

WIDTH_OF_FILES = 240
"""Columns of what goes into a pipe or a file, so that a row of a table stays one line for the next program."""
DATA_DIR_VARIABLE = "RIGWRIGHT_DATA_DIR"

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Folder of catalogue and runs.", envvar=DATA_DIR_VARIABLE, show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Output(Console):
    """A console that falls silent when its reader has left (`| head`), so that the command still ends with its code."""

    def render_str(self, text: str, **options: Any) -> Text:
        """A text without control characters: a name from a file of someone else must not steer the terminal."""
        return super().render_str(_CONTROLS.sub("\ufffd", text), **options)

    def on_broken_pipe(self) -> None:
        """What is still to be written goes nowhere."""
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())
        os.close(nowhere)


def _width() -> int | None:
    return None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH_OF_FILES


console = Output(highlight=False, soft_wrap=True, width=_width())
errors = Output(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """The one JSON document of a command, on standard output."""
    console.out(json.dumps(value, ensure_ascii=False, indent=2, default=str), highlight=False)


def say(as_json: bool, value: dict[str, Any], words: str) -> None:
    """The answer of a command that has only one: as a document, or in words."""
    if as_json:
        print_json(value)
    else:
        console.print(escape(words))


def today() -> date:
    """The day of what is saved now, UTC."""
    return datetime.now(tz=UTC).date()
