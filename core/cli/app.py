"""The command `rigwright`: its subcommands and the exit code."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core import __version__
from core.cli.commands import Commands
from core.cli.options import DATA_DIR_VARIABLE, DataDir, console, errors
from core.cli.screen import find_screen
from core.cli.window import open_window
from core.errors import BadInput, EnvironmentProblem, ExitCode, RigwrightError
from core.paths import data_dir

OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
INTERRUPTED = 130
"""What typer makes of Ctrl-C; in our codes it is INCOMPLETE."""

app = typer.Typer(
    name="rigwright",
    cls=Commands,
    help="Plan, check, burn in and accept multi-GPU workstations. Without a command the window opens.",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    folder: DataDir = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Opens the window, or does the same job in the terminal where there is no display."""
    if version:
        console.print(f"rigwright {__version__}")
        raise typer.Exit
    if folder is not None:
        # Where a command's own --data-dir looks when it is not given: both places of the option mean the same.
        os.environ[DATA_DIR_VARIABLE] = str(folder)
    if context.invoked_subcommand is None:
        raise typer.Exit(_window_or_terminal(data_dir(folder)))


@app.command("open")
def open_(
    file: Annotated[Path | None, typer.Argument(help="A build file (*.rig.json).")] = None,
    folder: DataDir = None,
) -> None:
    """Open the window, with a build file if one is given."""
    if file is not None and not file.is_file():
        raise BadInput(f"'{file}' cannot be opened: there is no such file. The window's File menu has the templates.")
    screen = find_screen()
    if screen.problem:
        raise EnvironmentProblem(f"{screen.problem} Use the commands of the terminal: rigwright --help.")
    raise typer.Exit(open_window(data_dir(folder), file, screen))


def _window_or_terminal(place: Path) -> int:
    screen = find_screen()
    if not screen.problem:
        return open_window(place, None, screen)
    from core.cli import first_light  # here, since it loads everything

    return first_light.run(place, screen.problem)


def main() -> int:
    """Entry of the command. Known errors are one sentence on standard error and an exit code."""
    try:
        code = app(prog_name="rigwright", standalone_mode=False)
    except RigwrightError as error:
        errors.print(f"[bold red]Error:[/] {escape(str(error))}")
        return int(error.exit_code)
    except typer.Abort:
        return ExitCode.INCOMPLETE
    except KeyboardInterrupt:
        return ExitCode.INCOMPLETE
    except OSError as error:
        if error.errno not in OUTPUT_ERRORS:
            raise
        errors.print(f"[bold red]Error:[/] The output could not be written: {error.strerror}. Make room and try again.")
        return ExitCode.ENVIRONMENT
    except Exception as error:
        show = getattr(error, "show", None)
        if show is None:
            raise
        show()
        return ExitCode.USAGE
    return ExitCode.INCOMPLETE if code == INTERRUPTED else int(code or 0)
