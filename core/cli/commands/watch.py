"""Commands about the run that is going on: status, watch, stop, skip a stage, put a mark into the record."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from core.burnin.record.rows import Run, RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import (
    LOADS_OF_SILENT,
    RunProgress,
    end_from_outside,
    no_answer,
    not_ended,
    progress_of,
    silent_s,
)
from core.burnin.run.order import active_run
from core.burnin.run.recovery import find_interrupted
from core.burnin.sealing import is_changed
from core.cli.follow import follow_to_the_end, may_stop
from core.cli.options import AsJson, DataDir, say
from core.cli.recorded_run import RunArgument, ask, current_or_newest, run_number
from core.platform.errors import BadInput, EnvironmentProblem
from core.platform.paths import data_dir, recordings_dir
from core.words import duration, joined, tr

NOTHING_TO = {
    "stop": tr("There is nothing to stop: no run is in progress."),
    "skip": tr("There is nothing to skip: no run is in progress."),
    "mark": tr("There is nothing to mark: no run is in progress."),
}


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command(
        "status", help=tr("Show a run in one line: stage, percent, the worst so far; or how the newest run ended.")
    )(status)
    app.command(
        "watch",
        help=tr("Watch a run from any terminal; a finished one is shown as it ended. Ctrl-C leaves the run going."),
    )(watch)
    app.command(
        "stop",
        help=tr(
            "Ask the running burn-in to stop; it ends its loads and gives a verdict. One that does not answer is ended."
        ),
    )(stop)
    app.command("skip", help=tr("Ask the running burn-in to skip to the next stage; the verdict is then INCOMPLETE."))(
        skip
    )
    app.command("mark", help=tr("Add a remark to the recording of the running burn-in, at this moment."))(mark)


def status(folder: DataDir = None, as_json: AsJson = False) -> None:
    place = recordings_dir(folder)
    with closing(RunStore(place)) as store:
        find_interrupted(store, place)
        run = current_or_newest(store)
        if run is None:
            say(as_json, {"run": None, "status": "none"}, tr("No run is recorded."))
            return
        say(as_json, *_state(store, run))


def _state(store: RunStore, run: Run) -> tuple[dict[str, Any], str]:
    """How a run stands, for programs and in one line."""
    progress = progress_of(store, run.id)
    mark = f" ({tr('SIMULATED')})" if run.simulated else ""
    value: dict[str, Any] = {"run": run.id, "status": run.status, "simulated": run.simulated}
    if run.status is RunStatus.RUNNING:
        value |= progress.as_dict()
        if (silent := silent_s(store, run)) is None:
            return value, tr("Run {run}{mark} is running: {progress}", run=run.id, mark=mark, progress=_words(progress))
        end = tr("End it with: rigwright stop {run}", run=run.id)
        return value | {"silent_s": round(silent, 1)}, joined([no_answer(run, silent), LOADS_OF_SILENT, end])
    changed, verdicts = is_changed(store, run.id), store.verdicts(run.id)
    outcome = verdicts[0].outcome if verdicts and not changed else None
    ended = tr("verdict {outcome}", outcome=outcome.label) if outcome else tr("no verdict")
    if changed:
        ended = tr("it was CHANGED since, see rigwright verify {run}", run=run.id)
    # Nothing is to come of a run that has its verdict; an interrupted one may be resumed.
    remaining_s = 0.0 if run.status is RunStatus.FINISHED else progress.remaining_s
    value |= {"verdict": outcome, "changed": changed, "elapsed_s": progress.elapsed_s, "remaining_s": remaining_s}
    return value, tr(
        "No run is in progress. Run {run}{mark} {status}: {ended}.",
        run=run.id,
        mark=mark,
        status=run.status.label,
        ended=ended,
    )


def watch(run: RunArgument = None, folder: DataDir = None, as_json: AsJson = False) -> None:
    place = recordings_dir(folder)
    raise typer.Exit(follow_to_the_end(place, run_number(place, run), as_json=as_json, own=False))


def stop(
    run: RunArgument = None,
    force: Annotated[
        bool, typer.Option("--force", help=tr("End its processes from outside, whether the runner answers or not."))
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help=tr("Do not ask before stopping a run of more than ten minutes."))
    ] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = data_dir(folder)
    active = _active(place, run, "stop")
    with closing(RunStore(place)) as store:
        if not yes and not may_stop(store, active):
            say(as_json, {"run": active, "requested": None}, tr("Run {run} continues.", run=active))
            return
        silent = silent_s(store, store.run(active))
        if force or silent is not None:
            _end(store, active, silent, as_json=as_json)
            return
    ask(place, active, "stop")
    words = tr("Run {run} was asked to stop. See how it ends with: rigwright watch {run}", run=active)
    say(as_json, {"run": active, "requested": "stop"}, words)


def skip(run: RunArgument = None, folder: DataDir = None, as_json: AsJson = False) -> None:
    place = data_dir(folder)
    active = _active(place, run, "skip")
    with closing(RunStore(place)) as store:
        if progress_of(store, active).number is None:
            raise BadInput(
                tr("Nothing was skipped: run {run} continues, but none of its stages is running just now.", run=active)
            )
    ask(place, active, "skip")
    say(
        as_json,
        {"run": active, "requested": "skip"},
        tr("Run {run} was asked to skip the rest of its stage.", run=active),
    )


def mark(
    text: Annotated[str, typer.Argument(help=tr('What was seen or heard, such as "fan 3 rattles".'))],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    if not text.strip():
        raise BadInput(tr("The remark is empty. Write what was seen or heard."))
    place = data_dir(folder)
    active = _active(place, None, "mark")
    ask(place, active, "mark", text.strip())
    say(
        as_json,
        {"run": active, "requested": "mark", "text": text.strip()},
        tr("Added to the recording of run {run}.", run=active),
    )


def _end(store: RunStore, run_id: int, silent: float | None, *, as_json: bool) -> None:
    """Ends a run from outside. Raises EnvironmentProblem for processes that the kernel does not let go."""
    silence = no_answer(store.run(run_id), silent) if silent is not None else ""
    if left := end_from_outside(store, run_id):
        raise EnvironmentProblem(joined([silence, not_ended(left)]))
    run = store.run(run_id)
    how = tr("It answered again, ended its loads and gave its verdict.")
    if run.status is not RunStatus.FINISHED:
        judge = tr("For a verdict on what it recorded: rigwright close {run}", run=run_id)
        how = joined([tr("It was ended."), judge])
    value = {"run": run_id, "requested": "stop", "status": run.status, "from_outside": True}
    say(as_json, value, joined([silence, how]))


def _active(place: Path, named: int | None, what: str) -> int:
    """The run that is going on. Raises BadInput where there is none, or it is another one."""
    active = active_run(place)
    if active is None:
        raise BadInput(NOTHING_TO[what])
    if named not in (None, active):
        raise BadInput(
            tr(
                "Run {wanted} is not in progress; run {active} is. Use: rigwright {command} {active}",
                wanted=named,
                active=active,
                command=what,
            )
        )
    return active


def _words(progress: RunProgress) -> str:
    worst: str = progress.worst.label
    if progress.worst_device:
        worst = tr("{worst} on {card} ({told})", worst=worst, card=progress.worst_device, told=progress.worst_told)
    left = duration(progress.remaining_s)
    if not progress.number:
        return tr(
            "between two stages, {share:.0f} % of the run, {left} left, worst so far {worst}.",
            share=progress.run_pct,
            left=left,
            worst=worst,
        )
    return tr(
        "{stage} {stage_share:.0f} %, stage {number} of {stages}, {share:.0f} % of the run, {left} left, "
        "worst so far {worst}.",
        stage=progress.title or "",
        stage_share=progress.stage_pct,
        number=progress.number,
        stages=progress.stages,
        share=progress.run_pct,
        left=left,
        worst=worst,
    )
