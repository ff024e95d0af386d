"""Follows a run from the terminal until it has ended, and tells its verdict."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import typer
from rich.live import Live

from core.burnin.record.rows import RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower
from core.burnin.run.recovery import find_interrupted
from core.cli.asking import LONG_S, agrees, can_ask
from core.cli.options import errors, print_json
from core.cli.recorded_run import exit_code_of, print_verdict, run_as_dict
from core.cli.run_view import TerminalRunView
from core.errors import ExitCode
from core.language import tr
from core.phrasing import duration

POLL_S = 0.25


def watch_run(store: RunStore, data_dir: Path, run_id: int, *, quiet: bool, own: bool = True) -> None:
    """Follows a run until it is finished or interrupted.

    In the terminal that started it (`own`) Ctrl-C asks it to stop, and a second one leaves it alone; in any other one
    it leaves it alone at once.
    """
    follower = Follower(store, run_id)
    view = TerminalRunView(follower)
    asked = False
    with Live(console=errors, refresh_per_second=4, transient=True, auto_refresh=False) as live:
        while True:
            try:
                update = follower.poll()
                if not quiet:
                    view.take(update, live)
                if update.run.status is not RunStatus.RUNNING or _vanished(store, data_dir, run_id):
                    return
                time.sleep(POLL_S)
            except KeyboardInterrupt:
                if not own:
                    live.stop()
                    errors.print(
                        tr("Run {run} goes on without this terminal. Stop it with: rigwright stop {run}", run=run_id)
                    )
                    return
                if asked:
                    errors.print(
                        tr("Run {run} continues without this terminal. Watch it with: rigwright watch", run=run_id)
                    )
                    return
                live.stop()
                if not may_stop(store, run_id):
                    live.start()
                    continue
                asked = True
                store.request(run_id, "stop")
                errors.print(tr("Stopping the loads; press Ctrl-C again to leave at once."))


def may_stop(store: RunStore, run_id: int) -> bool:
    """Whether to stop it: asked in the terminal about a run that has measured for long."""
    lasted_s = store.last_time_s(run_id)
    if lasted_s <= LONG_S or not can_ask():
        return True
    try:
        return agrees(tr("Stop run {run} after {lasted}? It can be resumed.", run=run_id, lasted=duration(lasted_s)))
    except typer.Abort:  # Ctrl-C or the end of input in place of an answer
        return False


def _vanished(store: RunStore, data_dir: Path, run_id: int) -> bool:
    return any(interruption.run_id == run_id for interruption in find_interrupted(store, data_dir))


def follow_to_the_end(place: Path, run_id: int, *, as_json: bool, own: bool = True) -> ExitCode:
    """Shows a run until it has ended; returns the exit code of its verdict."""
    with closing(RunStore(place)) as store:
        watch_run(store, place, run_id, quiet=as_json, own=own)
        if as_json:
            print_json(run_as_dict(store, run_id))
        else:
            print_verdict(store, run_id)
        return exit_code_of(store, run_id)
