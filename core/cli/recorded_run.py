"""How a recorded run is named on the command line, and what is shown of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.burnin.record.rows import Outcome, ReasonCriterion, Run, RunStatus
from core.burnin.record.store import RunStore
from core.burnin.references import own_references
from core.burnin.run.recovery import find_interrupted, newest_interrupted, stopped_s
from core.burnin.sealing import is_changed, no_verdict, unsigned_sentence
from core.cli.options import console, errors
from core.platform.errors import BadInput, ExitCode
from core.platform.paths import usual_data_dir
from core.present.report.document import Paragraph
from core.present.report.recorded_run import RecordedRun
from core.present.report.run_verdict import brief_blocks
from core.present.report.terminal import print_blocks
from core.words import tr

OUTCOME_EXIT = {
    Outcome.PASS: ExitCode.PASS,
    Outcome.WARN: ExitCode.PASS,
    Outcome.FAIL: ExitCode.FAIL,
    Outcome.INCOMPLETE: ExitCode.INCOMPLETE,
}
MAX_RUN = 2**31 - 1
RunArgument = Annotated[
    int | None,
    typer.Argument(
        metavar="RUN", min=1, max=MAX_RUN, help=tr("Number of the run; default: the one in progress, else the newest.")
    ),
]
OneRun = Annotated[int, typer.Argument(metavar="RUN", min=1, max=MAX_RUN)]


def run_in(subject: str) -> int | None:
    """The number of a run where a word names one, and no file. Raises BadInput for a number that no run can have."""
    if not (subject.isascii() and subject.isdecimal()) or Path(subject).is_file():
        return None
    if int(subject) > MAX_RUN:
        raise BadInput(tr("There is no run {run}. See the recorded ones with: rigwright runs.", run=int(subject)))
    return int(subject)


def current_or_newest(store: RunStore) -> Run | None:
    """Where none is named: the run that goes on, which may be an older one that was resumed; else the newest."""
    runs = [run for run in store.runs() if not run.imported]
    return next((run for run in runs if run.status is RunStatus.RUNNING), next(iter(runs), None))


def run_number(place: Path, named: int | None) -> int:
    """The run that was named, else the one that is meant. Raises BadInput where there is none."""
    if named is not None:
        return named
    with closing(RunStore(place)) as store:
        find_interrupted(store, place)
        run = current_or_newest(store)
    if run is None:
        raise BadInput(tr("There is no run yet. Start one with: rigwright burn"))
    return run.id


def run_as_dict(store: RunStore, run_id: int) -> dict[str, Any]:
    """A run with its profile, devices, results with all evidence, events and verdicts, for JSON; of one that failed its
    check that alone."""
    if is_changed(store, run_id):
        return {"run": run_id, "status": store.run(run_id).status, "changed": True, "causes": [], "verdicts": []}
    record = RecordedRun.read(store, run_id)
    run, burned = record.run, [device.id for device in record.burned]
    return {
        "run": run.id,
        "changed": False,
        "status": run.status,
        "profile": run.profile.name,
        "simulated": run.simulated,
        "imported": store.imported(run_id),
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "measured_s": record.seconds,
        "wall_s": record.wall_s,
        "interruptions": [asdict(one) for one in record.interruptions],
        "machine": run.machine,
        "version": run.version,
        "note": run.note,
        "guards": run.profile.guards.model_dump(mode="json"),
        "criteria": run.profile.criteria.model_dump(mode="json"),
        "devices": [
            row.device.as_dict() | {"burned": row.burned, "errors": record.errors[row.device.id].as_dict()}
            for row in record.devices
        ],
        "not_tested": [asdict(card) for card in record.as_built.bus] if record.as_built else [],
        "stages": [asdict(stage) | record.states(stage, burned).as_dict() for stage in record.stages],
        "results": [asdict(result) for result in record.results.values()],
        "events": [asdict(event) for event in record.events],
        "causes": [cause.as_dict() for cause in record.causes],
        "verdicts": [asdict(verdict) for verdict in record.verdicts],
        "unsigned": unsigned_sentence(store, run) or None,
    }


def print_verdict(store: RunStore, run_id: int) -> None:
    """The verdict in brief, and what can be done next."""
    if is_changed(store, run_id):
        console.print(f"[bold]{escape(no_verdict(run_id))}[/]")
        return
    record = RecordedRun.read(store, run_id)
    print_blocks(console, [*brief_blocks(record), *map(Paragraph, _next_steps(record))])


def _next_steps(record: RecordedRun) -> Iterator[str]:
    run, store = record.run, record.store
    if record.verdicts and len(record.cards) != 1:
        yield tr("Every reason with its figure: rigwright report {run} -o report.pdf", run=run.id)
    if unsigned := unsigned_sentence(store, run):
        yield unsigned
    if run.status is RunStatus.INTERRUPTED:
        yield tr("For a verdict on what was recorded: rigwright close {run}", run=run.id)
    elif stopped_s(record.verdicts) is not None:
        yield tr("Resume where it was stopped with: rigwright burn --resume {run}", run=run.id)
    reasons = [reason for verdict in record.verdicts for reason in verdict.reasons]
    if any(reason.criterion == ReasonCriterion.PLAN and reason.measured is not None for reason in reasons):
        yield tr(
            "Correct the plan's predictions from this run: rigwright calibrate FILE --run {run}{option}",
            run=run.id,
            option=" --allow-simulated" if run.simulated else "",
        )


def exit_code_of(store: RunStore, run_id: int) -> ExitCode:
    """Of the verdict of a run. One that failed its check has failed, one without a verdict is incomplete."""
    if is_changed(store, run_id):
        return ExitCode.FAIL
    verdicts = store.verdicts(run_id)
    return OUTCOME_EXIT[verdicts[0].outcome] if verdicts else ExitCode.INCOMPLETE


def tell_interrupted(place: Path) -> None:
    """Before a new run, on standard error: an earlier one broke off and can be resumed. Damaged references, too."""
    own_references(place)  # a damaged file is told of here, not in the log of the runner
    number = newest_interrupted(place)
    if number is not None:
        where = "" if place == usual_data_dir() else f" --data-dir {quote(str(place))}"
        errors.print(
            escape(
                tr(
                    "Run {run} was interrupted and has no verdict; a new run starts now. Resume the "
                    "earlier one later with: rigwright burn --resume {run}{option}",
                    run=number,
                    option=where,
                )
            )
        )


def ask(place: Path, run_id: int, kind: str, argument: str = "") -> None:
    """Leaves a request for the runner."""
    with closing(RunStore(place)) as store:
        store.request(run_id, kind, argument)
