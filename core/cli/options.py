"""Options that every command has, where its text goes, and how a terminal lines it up."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from core.platform.errors import BadInput
from core.words import LANGUAGES, current_language, english, known_language, tr, visible
from core.words.phrasing import UNSEEN

WIDTH_OF_FILES = 240
"""Columns of what goes into a pipe or a file, so that a row of a table stays one line for the next program."""
DATA_DIR_VARIABLE = "RIGWRIGHT_DATA_DIR"


def _remember(folder: Path | None) -> Path | None:
    """Both places of the option mean the same: a command looks here when its own is not given, as does a bug's log."""
    if folder is not None:
        os.environ[DATA_DIR_VARIABLE] = str(folder)
    return folder


DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir", help=tr("Folder of catalogue and runs."), envvar=DATA_DIR_VARIABLE, show_default=False,
        callback=_remember,
    ),
]  # fmt: skip
AsJson = Annotated[bool, typer.Option("--json", help=tr("Print one JSON document instead of text."))]
Language = Annotated[
    str | None, typer.Option("--language", help=tr("en, de, zh_CN or zh_TW; by default the language of the program."))
]


def spoken_code(word: str | None) -> str:
    """The code of a language as somebody names it ("de-AT", "zh"); without a word that of the program."""
    code = known_language(word) if word else current_language()
    if code is None:
        raise BadInput(
            tr("{word} is not a language of the program. Choose one of {codes}.", word=word, codes=", ".join(LANGUAGES))
        )
    return code


_UNSEEN_IN_JSON = re.compile(f"[{UNSEEN}]")
LONGEST_WORD = 300
LONGEST_SENTENCE = 10_000


def shortened(sentence: str) -> str:
    """A sentence that may hold what was given to the program, at a length that can be read."""
    words = re.sub(rf"\S{{{LONGEST_WORD + 1},}}", lambda word: f"{word[0][:80]}...{word[0][-20:]}", sentence)
    if len(words) <= LONGEST_SENTENCE:
        return words
    return f"{words[: LONGEST_SENTENCE // 2]} ... {words[-LONGEST_SENTENCE // 4 :]}"


class Output(Console):
    """A console that falls silent when its reader has left (`| head`), so that the command still ends with its code."""

    def render_str(self, text: str, **options: Any) -> Text:
        """A text whose control characters are visible: a name in a file of someone else must not steer the terminal."""
        return super().render_str(visible(text), **options)

    def on_broken_pipe(self) -> None:
        """What is still to be written goes nowhere: the reader has left, or the disk is full."""
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())
        os.close(nowhere)


def _width() -> int | None:
    on_terminal = sys.stdout is not None and sys.stdout.isatty()  # None where it is closed
    return None if on_terminal or "COLUMNS" in os.environ else WIDTH_OF_FILES


console = Output(highlight=False, soft_wrap=True, width=_width())
errors = Output(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """The one JSON document of a command, on standard output, in English whatever is spoken.

    What cannot be shown is escaped and means the same.
    """
    plain = not console.encoding.lower().startswith("utf")
    text = json.dumps(english(value), ensure_ascii=plain, indent=2, default=str)
    console.out(_UNSEEN_IN_JSON.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text), highlight=False)


def say(as_json: bool, value: dict[str, Any], words: str) -> None:
    """The answer of a command that has only one: as a document, or in words."""
    if as_json:
        print_json(value)
    else:
        console.print(escape(words))


def today() -> date:
    """The day of what is saved now, UTC."""
    return datetime.now(tz=UTC).date()


def padded(text: str, width: int) -> str:
    """The text and spaces up to `width` columns of the terminal; a Chinese character takes two of them."""
    return text + " " * max(width - cell_len(text), 0)


def column(words: Iterable[str], width: int) -> int:
    """The width of a column for such words: `width`, or more where a language needs it."""
    return max(width, *(cell_len(word) + 1 for word in words))
