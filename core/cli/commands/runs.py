"""Commands about recorded runs: list them, judge an interrupted one, keep a note, forget one."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated, Any

import typer

from core.burnin.record.origin import DeletedRun, Predecessor, absence_sentence, deletion_words
from core.burnin.record.rows import Run, UnreadableRecord
from core.burnin.record.store import RunStore
from core.burnin.run.order import active_run
from core.burnin.run.recovery import close_run, find_interrupted
from core.cli.asking import agrees, can_ask
from core.cli.options import AsJson, DataDir, console, print_json, say
from core.cli.recorded_run import OneRun, exit_code_of, print_verdict, run_as_dict
from core.platform.errors import BadInput
from core.platform.paths import data_dir, recordings_dir
from core.present.report.document import Badge, Cell, Paragraph, Tone, table
from core.present.report.run_list import RunLine, marked_simulated
from core.present.report.terminal import print_blocks
from core.words import tr, trc


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command(
        "runs",
        help=tr("List recorded runs, newest first, with what interrupted them, and runs that are deleted or missing."),
    )(runs)
    app.command("close", help=tr("Give an interrupted run its verdict from what was recorded."))(close)
    app.command("note", help=tr("Save a note with a recorded run."))(note)
    app.command(
        "forget",
        help=tr(
            "Delete a recorded run with all its samples, after confirmation; its number and digest stay listed. "
            "A run in progress is not deleted."
        ),
    )(forget)


def runs(folder: DataDir = None, as_json: AsJson = False) -> None:
    place = recordings_dir(folder)
    with closing(RunStore(place)) as store:
        interrupted = find_interrupted(store, place)
        rows, damaged = store.runs(), store.unreadable_runs()
        deleted, absent = store.deleted_runs(), store.absent()
        if as_json:
            met = {interruption.run_id: interruption.sentence for interruption in interrupted}
            listed = [_listed(store, run.id) | {"interruption": met.get(run.id)} for run in rows]
            listed += [_unreadable(*one) for one in damaged.items()]
            listed += [{"run": one.run_id, "status": "deleted"} | _left_of(one) for one in deleted]
            print_json(listed + [_missing(one) for one in absent])
            return
        lines = {run.id: _line(store, run) for run in rows}
        lines |= {one.run_id: _deleted_line(one) for one in deleted}
    columns = (
        tr("Run"),
        tr("Started (UTC)"),
        tr("Profile"),
        tr("Status"),
        tr("Verdict"),
        tr("Interruptions"),
        trc("of a run", "Note"),
    )
    resumable = (
        tr(
            "{sentence} Resume it: rigwright burn --resume {number}; or get a verdict: rigwright close {number}.",
            sentence=interruption.sentence,
            number=interruption.run_id,
        )
        for interruption in interrupted
    )
    cells = ((str(number), *lines[number]) for number in sorted(lines, reverse=True))
    listing = table(columns, cells, empty=tr("No runs yet. Start one with: rigwright burn"))
    sentences = (*map(absence_sentence, absent), *damaged.values(), *resumable)
    print_blocks(console, [listing, *(Paragraph(f"\n{sentence}") for sentence in sentences)])


def _line(store: RunStore, run: Run) -> list[Cell]:
    """What is listed of a run after its number."""
    started, status = run.started_at[:19], run.status.label
    try:
        line = RunLine.read(store, run)
    except UnreadableRecord:
        return [started, marked_simulated(run.title, run), status, Badge(tr("UNREADABLE"), Tone.FAIL), "", run.note]
    return [started, line.title, status, line.badge, line.interruption_words, run.note]


def _deleted_line(one: DeletedRun) -> list[Cell]:
    return [one.started_at[:19], "", tr("deleted"), "", "", deletion_words(one)]


def _left_of(one: DeletedRun) -> dict[str, Any]:
    return {"started_at": one.started_at, "deleted_at": one.deleted_at, "digest": one.digest or None}


def _missing(one: Predecessor) -> dict[str, Any]:
    status = "different" if one.here else "missing"
    named_by = {"digest": one.digest or None, "named_by": one.named_by}
    return {"run": one.run_id, "status": status, **named_by, "why": absence_sentence(one)}


def _listed(store: RunStore, run_id: int) -> dict[str, Any]:
    try:
        return run_as_dict(store, run_id)
    except UnreadableRecord as problem:
        return _unreadable(run_id, str(problem))


def _unreadable(run_id: int, why: str) -> dict[str, Any]:
    return {"run": run_id, "status": "unreadable", "why": why}


def close(run: OneRun, folder: DataDir = None, as_json: AsJson = False) -> None:
    place = data_dir(folder)
    with closing(RunStore(place)) as store:
        find_interrupted(store, place)
        close_run(store, run)
        if as_json:
            print_json(run_as_dict(store, run))
        else:
            print_verdict(store, run)
        raise typer.Exit(exit_code_of(store, run))


def note(
    run: OneRun,
    text: Annotated[str, typer.Argument(help=tr("Saved with the run instead of an earlier note; empty removes it."))],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with closing(RunStore(data_dir(folder))) as store:
        store.run(run)
        store.set_note(run, text.strip())
    say(as_json, {"run": run, "note": text.strip()}, tr("Saved with run {run}.", run=run))


def forget(
    run: OneRun,
    yes: Annotated[bool, typer.Option("--yes", help=tr("Do not ask."))] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = data_dir(folder)
    if active_run(place) == run:
        raise BadInput(tr("Run {run} is in progress. Stop it first: rigwright stop {run}", run=run))
    with closing(RunStore(place)) as store:
        if run not in store.unreadable_runs():
            store.run(run)
        if not yes and not _shall_be_forgotten(run):
            say(as_json, {"run": run, "forgotten": False}, tr("Run {run} was not deleted.", run=run))
            return
        store.delete(run)
    say(
        as_json,
        {"run": run, "forgotten": True},
        tr("Run {run} was deleted. Its number, digest and time stay listed.", run=run),
    )


def _shall_be_forgotten(run: int) -> bool:
    """Raises BadInput where nobody can be asked."""
    if not can_ask():
        raise BadInput(
            tr("Run {run} would be deleted for good, and nobody can be asked here. Confirm with --yes.", run=run)
        )
    return agrees(tr("Delete run {run} with all its samples for good?", run=run))
