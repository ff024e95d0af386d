"""Rows of runs.sqlite as values, and the sentence for a row that a damaged or newer recording has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from core.burnin.profile.profile import Profile
from core.burnin.record.rows import Run, RunStatus
from core.errors import EnvironmentProblem
from core.language import tr
from core.telemetry.incident import Incident

MAX_REQUEST_BYTES = 2000
"""Of what a request says; more is cut off."""


class UnreadableRecord(EnvironmentProblem):
    """What is stored of a run does not fit what this program knows of one."""


RUN_COLUMNS = (
    "id, title, status, profile, build, started_at, ended_at, boot_id, runner_pid, machine, simulated, version, note,"
    " cut_short, simulate"
)


def run_of(row: tuple[Any, ...]) -> Run:
    """The run of a row of `RUN_COLUMNS`."""
    with readable(row[0], tr("status or profile")):
        row = with_converted(row, 2, RunStatus)
        row = with_converted(row, 3, _profile)
        return Run(*with_converted(row, 10, bool))


@contextmanager
def readable(run_id: int, what: str) -> Iterator[None]:
    """Turns whatever conversion fails over a damaged record into a sentence."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UnreadableRecord(
            tr(
                "The {what} of run {run} cannot be read: its recording is damaged or from a "
                "newer version. Delete it with: {rigwright forget} {run}",
                what=what,
                run=run_id,
            )
        ) from error


def _profile(stored: str) -> Profile:
    """Another program's words are left out: a run that a newer one recorded is no reason to list none."""
    return Profile.model_validate_json(stored, extra="ignore")


def with_converted(row: tuple[Any, ...], column: int, convert: Callable[[Any], Any]) -> tuple[Any, ...]:
    """The row with one column in its own type."""
    return (*row[:column], convert(row[column]), *row[column + 1 :])


def request_text(stored: bytes | None) -> str:
    """The text of a request, cut at `MAX_REQUEST_BYTES`, whatever bytes another program wrote."""
    if stored is None:  # what SQLite makes of an empty part
        return ""
    if len(stored) > MAX_REQUEST_BYTES:
        return request_text(stored[:MAX_REQUEST_BYTES]) + "…"
    return stored.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def incident_of(recorded: str | None) -> Incident | None:
    """What an event tells of a device, if it tells of one."""
    return None if recorded is None else Incident.told(json.loads(recorded))
