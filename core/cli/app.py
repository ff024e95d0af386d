"""The command `rigwright`: its subcommands and the exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core import __version__
from core.cli import burning, doctor, first_light, planning, reporting
from core.cli.options import DataDir, errors
from core.errors import ExitCode, RigwrightError
from core.paths import data_dir

app = typer.Typer(
    name="rigwright",
    help="Plan, check, burn in and accept multi-GPU workstations. Without a command the window opens.",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(planning.parts, name="parts")
for module in (planning, burning, reporting, doctor):
    module.register(app)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    folder: DataDir = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Opens the window, or does the same job in the terminal where there is no display."""
    if version:
        sys.stdout.write(f"rigwright {__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.Exit(_open_window(folder, None) if _has_display() else first_light.run(data_dir(folder)))


@app.command("open")
def open_(
    file: Annotated[Path | None, typer.Argument(help="A build file (*.rig.json).")] = None,
    folder: DataDir = None,
) -> None:
    """Open the window, with a build file if one is given."""
    raise typer.Exit(_open_window(folder, file))


def _has_display() -> bool:
    """Whether Qt will find a screen. On Linux somebody must offer one."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _open_window(folder: Path | None, file: Path | None) -> int:
    """Runs the window in a process of its own; the core knows it by module name only."""
    command = [sys.executable, "-m", "gui", "--data-dir", str(data_dir(folder)), *([str(file)] if file else [])]
    code = subprocess.call(command)
    if code < 0:
        errors.print(
            f"The window ended by signal {-code}. If Qt could not reach the display, a system library is missing: "
            "`rigwright doctor` names it. Everything else works in the terminal: see `rigwright --help`."
        )
        return ExitCode.ENVIRONMENT
    return code


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
    except Exception as error:
        show = getattr(error, "show", None)
        if show is None:
            raise
        show()
        return ExitCode.USAGE
    return int(code or 0)
