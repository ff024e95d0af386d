"""How a recorded run is named on the command line, and what is shown of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.burnin.record.rows import MACHINE, Outcome, Reason, ReasonCriterion, Run, RunStatus, StageRow, Verdict
from core.burnin.record.store import RunStore
from core.burnin.references import own_references
from core.burnin.run.recovery import find_interrupted, newest_interrupted, stopped_s
from core.burnin.sealing import is_changed, no_verdict, unsigned_sentence
from core.burnin.verdict.causes import Cause, causes_of
from core.burnin.verdict.states import StageStates, error_counts, stage_states
from core.cli.options import console, errors
from core.cli.states import column, padded
from core.errors import BadInput, ExitCode
from core.language import joined, tr, trn
from core.paths import usual_data_dir
from core.report.formatting import commas, named

OUTCOME_EXIT = {
    Outcome.PASS: ExitCode.PASS,
    Outcome.WARN: ExitCode.PASS,
    Outcome.FAIL: ExitCode.FAIL,
    Outcome.INCOMPLETE: ExitCode.INCOMPLETE,
}
MAX_RUN = 2**31 - 1
MOST_FOLDED = 3
"""Reasons that are shown under a cause; the report has all."""
RunArgument = Annotated[
    int | None,
    typer.Argument(
        metavar="RUN", min=1, max=MAX_RUN, help=tr("Number of the run; default: the one in progress, else the newest.")
    ),
]
OneRun = Annotated[int, typer.Argument(metavar="RUN", min=1, max=MAX_RUN)]


def current_or_newest(store: RunStore) -> Run | None:
    """Where none is named: the run that goes on, which may be an older one that was resumed; else the newest."""
    runs = [run for run in store.runs() if not run.imported]
    return next((run for run in runs if run.status is RunStatus.RUNNING), next(iter(runs), None))


def run_number(place: Path, given: int | None) -> int:
    """The run that was named, else the one that is meant. Raises BadInput where there is none."""
    if given is not None:
        return given
    with closing(RunStore(place)) as store:
        find_interrupted(store, place)
        meant = current_or_newest(store)
    if meant is None:
        raise BadInput(tr("There is no run yet. Start one with: rigwright burn"))
    return meant.id


def run_as_dict(store: RunStore, run_id: int) -> dict[str, Any]:
    """A run with its profile, devices, results with all evidence, events and verdicts, for JSON; of one that failed its
    check that alone."""
    run = store.run(run_id)
    if is_changed(store, run_id):
        return {"run": run.id, "status": run.status, "changed": True, "causes": [], "verdicts": []}
    wrong, built = error_counts(store, run_id), store.as_built(run_id)
    return {
        "run": run.id,
        "changed": False,
        "status": run.status,
        "profile": run.profile.name,
        "simulated": run.simulated,
        "imported": store.imported(run_id),
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "measured_s": store.last_time_s(run_id),
        "wall_s": store.wall_s(run_id),
        "interruptions": [asdict(one) for one in store.interruptions(run_id)],
        "machine": run.machine,
        "version": run.version,
        "note": run.note,
        "guards": run.profile.guards.model_dump(mode="json"),
        "criteria": run.profile.criteria.model_dump(mode="json"),
        "devices": [
            row.device.as_dict() | {"burned": row.burned, "errors": wrong[row.device.id].as_dict()}
            for row in store.devices(run_id)
        ],
        "not_tested": [asdict(card) for card in built.bus] if built else [],
        "stages": [asdict(stage) | states.as_dict() for stage, states in _states(store, run_id)],
        "results": [asdict(result) for result in store.results(run_id)],
        "events": [asdict(event) for event in store.events(run_id)],
        "causes": [cause.as_dict() for cause in causes_of(store, run_id)],
        "verdicts": [asdict(verdict) for verdict in store.verdicts(run_id)],
        "unsigned": unsigned_sentence(store, run) or None,
    }


def _states(store: RunStore, run_id: int) -> Iterator[tuple[StageRow, StageStates]]:
    burned = [row.device.id for row in store.devices(run_id) if row.burned]
    stages = store.stages(run_id)
    return zip(stages, stage_states(stages, store.results(run_id), store.events(run_id), burned), strict=True)


def print_verdict(store: RunStore, run_id: int) -> None:
    """The verdict on the machine, why it did not pass, then each device.

    What passed is listed of one device; of several it would push the causes off the screen and is counted.
    """
    run = store.run(run_id)
    if is_changed(store, run_id):
        console.print(f"[bold]{escape(no_verdict(run_id))}[/]")
        return
    mark = f"  {tr('SIMULATED: nothing here was measured')}" if run.simulated else ""
    verdicts = store.verdicts(run_id)
    if not verdicts:
        console.print(tr("Run {run} has no verdict: it is {status}.", run=run_id, status=run.status.label) + mark)
    places = _places(store, run_id)
    alone = len([verdict for verdict in verdicts if verdict.device_id != MACHINE]) == 1
    for verdict in verdicts:
        if verdict.device_id == MACHINE:
            console.print(f"[bold]{_outcome(verdict.outcome)}[/]{escape(tr('Machine'))}{mark}")
            _print_causes(causes_of(store, run_id), {row.device.id: row.device.label for row in store.devices(run_id)})
            built = store.as_built(run_id)
            for card in built.left_out if built else ():
                console.print(f"  {escape(card.sentence)}")
        else:
            _print_device(verdict, places[verdict.device_id], alone=alone)
    if verdicts and not alone:
        console.print(tr("Every reason with its figure: rigwright report {run} -o report.pdf", run=run_id))
    if unsigned := unsigned_sentence(store, run):
        console.print(escape(unsigned))
    if run.status is RunStatus.INTERRUPTED:
        console.print(tr("For a verdict on what was recorded: rigwright close {run}", run=run_id))
    elif stopped_s(verdicts) is not None:
        console.print(tr("Resume where it was stopped with: rigwright burn --resume {run}", run=run_id))
    if any(_is_compared(reason) for verdict in verdicts for reason in verdict.reasons):
        option = " --allow-simulated" if run.simulated else ""
        console.print(
            tr(
                "Correct the plan's predictions from this run: rigwright calibrate FILE --run {run}{option}",
                run=run_id,
                option=option,
            )
        )


def _places(store: RunStore, run_id: int) -> dict[str, str]:
    """By id what a device is called, and the slot it was found in: "GPU 2, PCIE5: GeForce RTX 3090 @ 41:00.0"."""
    built = store.as_built(run_id)
    places = {}
    for row in store.devices(run_id):
        card = built.card(row.device.id) if built else None
        placed = card is not None and card.position is not None
        slot = (card.slot or tr("slot {slot}", slot=card.position)) if card and placed else ""
        places[row.device.id] = named(commas(one for one in (row.device.label, slot) if one), row.device.title)
    return places


def _print_device(verdict: Verdict, place: str, *, alone: bool) -> None:
    passed = [reason for reason in verdict.reasons if reason.outcome is Outcome.PASS]
    count = "" if alone or not passed else trn("{count} check passed", "{count} checks passed", count=len(passed))
    console.print(f"[bold]{_outcome(verdict.outcome)}[/]{escape(place)}" + (f"; {count}" if count else ""))
    for reason in passed if alone else ():
        console.print(f"  {_outcome(reason.outcome)}{escape(reason.text)}")


def _outcome(outcome: Outcome) -> str:
    return padded(outcome.badge, _width())


def _width() -> int:
    return column([outcome.badge for outcome in Outcome], 11)


def _is_compared(reason: Reason) -> bool:
    """Whether it holds a measured figure against the plan."""
    return reason.criterion == ReasonCriterion.PLAN and reason.measured is not None


def _print_causes(causes: Sequence[Cause], labels: Mapping[str, str]) -> None:
    """Each with what to do; under it the reasons that it explains, where they say more than it does."""
    indent = " " * (2 + _width())
    for cause in causes:
        console.print(f"  {_outcome(cause.outcome)}{escape(joined(filter(None, (cause.text, cause.action))))}")
        folded = [one for one in cause.folded if one.reason.text.rstrip(".") not in cause.text]
        for one in folded[:MOST_FOLDED]:
            who = "" if one.device_id == MACHINE else f"{labels[one.device_id]}: "
            console.print(f"{indent}{escape(who + one.reason.text)}", style="dim")
        if (more := len(folded) - MOST_FOLDED) > 0:
            rest = trn("and {count} more reason, in the report", "and {count} more reasons, in the report", count=more)
            console.print(f"{indent}{rest}", style="dim")


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
