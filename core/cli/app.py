"""The command `rigwright`: its subcommands, each loaded when it is used, and the exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from importlib import import_module
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from core.cli.options import DATA_DIR_VARIABLE, DataDir, console, errors, shortened
from core.cli.usage import in_our_language, teach_the_library
from core.cli.window import find_screen, open_window
from core.platform.errors import BadInput, EnvironmentProblem, ExitCode, RigwrightError, bug_sentence, reason_of
from core.platform.foreign import require_text
from core.platform.paths import data_dir, usual_data_dir
from core.version import __version__
from core.words import tr

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
    "cost": "cost",
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
    "stream": "stream",
    "pack": "stream",
    "unpack": "stream",
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


OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
INTERRUPTED = 130
"""What typer makes of Ctrl-C; in our codes it is INCOMPLETE."""

app = typer.Typer(
    name="rigwright",
    cls=Commands,
    help=tr("Plan, check, burn in and accept multi-GPU workstations. Without a command the window opens."),
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    folder: DataDir = None,
    version: Annotated[bool, typer.Option("--version", help=tr("Print the version."))] = False,
) -> None:
    """Opens the window, or does the same job in the terminal where there is no display."""
    if version:
        console.print(f"rigwright {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.Exit(_window_or_terminal(data_dir(folder)))


@app.command("open", help=tr("Open the window, with a build file if one is given."))
def open_(
    file: Annotated[Path | None, typer.Argument(help=tr("A build file (*.rig.json)."))] = None, folder: DataDir = None
) -> None:
    if file is not None and not file.is_file():
        raise BadInput(
            tr("'{file}' cannot be opened: there is no such file. The window's File menu has the templates.", file=file)
        )
    screen = find_screen()
    if screen.problem:
        raise EnvironmentProblem(tr("{problem} Use the terminal commands: rigwright --help.", problem=screen.problem))
    raise typer.Exit(open_window(data_dir(folder), file, screen))


def _window_or_terminal(place: Path) -> int:
    screen = find_screen()
    if not screen.problem:
        return open_window(place, None, screen)
    from core.cli import quick_test  # here, since it loads everything

    return quick_test.run(place, screen.problem)


def main() -> int:
    """Entry of the command. Known errors are one sentence on standard error and an exit code, and so is a bug."""
    _prepare_streams()
    teach_the_library()
    try:
        require_text(sys.argv[1:])
        code = app(prog_name="rigwright", standalone_mode=False)
    except RigwrightError as error:
        _say(str(error))
        return int(error.exit_code)
    except typer.Abort:
        return ExitCode.INCOMPLETE
    except KeyboardInterrupt:
        return ExitCode.INCOMPLETE
    except Exception as error:  # noqa: BLE001 - see tests/test_catch_alls.py
        return _unexpected(error)
    return ExitCode.INCOMPLETE if code == INTERRUPTED else int(code or 0)


def _prepare_streams() -> None:
    """Makes writing to the standard streams safe; to be called before anything is opened.

    A closed one (`>&-`) leads nowhere: otherwise the next file would take its number, and what is printed would end up
    in a database. A letter that the encoding lacks is written as its escape.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest number that is free
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _unexpected(error: Exception) -> ExitCode:
    """Wrong usage, an output that cannot be written, else a bug: never code 1, which says that a machine failed."""
    if (show := getattr(error, "show", None)) is not None:
        show(shown := StringIO())
        lines = shown.getvalue().rstrip().split("\n")
        errors.print(escape(shortened("\n".join(map(in_our_language, lines)))))
        return ExitCode.USAGE
    if isinstance(error, OSError) and error.errno in OUTPUT_ERRORS:
        console.on_broken_pipe()  # what is still in the buffer would be tried again when the process ends
        _say(tr("The output could not be written: {reason}. Free some space and try again.", reason=reason_of(error)))
        return ExitCode.ENVIRONMENT
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        _say(tr("{filename} is too long for the name of a file.", filename=error.filename))
        return ExitCode.USAGE
    folder = os.environ.get(DATA_DIR_VARIABLE)
    _say(bug_sentence(error, usual_data_dir(Path(folder) if folder else None)))
    return ExitCode.ENVIRONMENT


def _say(sentence: str) -> None:
    error = tr("Error:")
    gap = "" if error.endswith("：") else " "  # a Chinese colon is as wide as a letter, its space included
    errors.print(f"[bold red]{error}[/]{gap}{escape(shortened(sentence))}")
