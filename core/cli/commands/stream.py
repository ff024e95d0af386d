"""Commands for whoever looks after many machines: what this one tells of its run, and its recording to take along."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core.burnin.record.reader import FILE
from core.cli.options import DataDir, console
from core.cli.recorded_run import OneRun
from core.fleet.chunks import PIECE, PackReceiver, send_pack
from core.fleet.lines import Cursor
from core.fleet.stream import RunStream, this_machine, write_lines
from core.platform.errors import BadInput, EnvironmentProblem
from core.platform.paths import data_dir, recordings_dir
from core.words import tr

EVERY_S = 1.0


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command(
        "stream",
        help=tr(
            "Write the state of the run every second, and what happens in it, as lines of JSON; ends with its input."
        ),
    )(stream)
    app.command("pack", help=tr("Write the recording of a run in pieces that can be checked, for another machine."))(
        pack
    )
    app.command("unpack", help=tr("Take in what rigwright pack of another machine writes, from standard input."))(
        unpack
    )


def stream(
    since: Annotated[
        str | None, typer.Option(metavar="CURSOR", help=tr("Only what came after the cursor of an earlier line."))
    ] = None,
    every: Annotated[float, typer.Option(min=0.1, max=60, help=tr("Seconds between two states."))] = EVERY_S,
    folder: DataDir = None,
) -> None:
    place = recordings_dir(folder)
    lines = RunStream(place, Cursor.parse(since) if since else None)
    ended = threading.Event()

    def wait_for_the_end() -> None:
        while sys.stdin.buffer.read(65_536):
            pass
        ended.set()

    threading.Thread(target=wait_for_the_end, name="input", daemon=True).start()
    try:
        write_lines([this_machine(place)])
        while True:
            write_lines(lines.poll())
            if ended.wait(every):
                return
    except BrokenPipeError:  # whoever read has left
        os._exit(0)


def pack(
    run: OneRun,
    since: Annotated[int, typer.Option(min=0, help=tr("Bytes that are there already, from an earlier try."))] = 0,
    folder: DataDir = None,
) -> None:
    place: Path = data_dir(folder)
    try:
        send_pack(place, run, since)
    except BrokenPipeError:
        os._exit(0)


def unpack(folder: DataDir = None) -> None:
    place = data_dir(folder)
    if (place / FILE).exists():
        raise BadInput(tr("{folder} holds a recording already. Choose another one with {--data-dir}.", folder=place))
    receiver = PackReceiver(place)
    while portion := sys.stdin.buffer.read(PIECE):
        receiver.take(portion)
    head = receiver.head
    if head is None or not receiver.done:
        fields = {"bytes": receiver.since, "run": head.run if head else "RUN"}
        raise EnvironmentProblem(
            tr("The recording is not whole. Go on there with: rigwright pack {run} --since {bytes}", **fields)
        )
    words = tr(
        "Run {run} is there. See it with: rigwright report {run} --data-dir {folder}", run=head.run, folder=folder
    )
    console.print(escape(words))
