"""A recorded run as reference measurements for cards of the same model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Outcome, ResultStatus, Run, RunDevice, RunStatus, StageResult
from core.burnin.references import Reference
from core.burnin.seal_words import no_verdict
from core.burnin.sealing import is_changed
from core.burnin.stages.registry import workload_key
from core.burnin.verdict.recorded import rates_of
from core.burnin.verdict.speed import BETWEEN_DEVICES
from core.errors import BadInput
from core.language import tr
from core.loads.evidence import Rated
from core.telemetry.device import DeviceKind


def references_from(store: RunReader, run_id: int) -> list[Reference]:
    """The rates of GPUs that did not fail, in the usual work; the median of cards of one model.

    Raises BadInput where there are none.
    """
    store.require_measured(run_id)
    run = store.run(run_id)
    if run.simulated:
        raise BadInput(
            tr("Run {run_id} is simulated: it has no measurements to compare other cards with.", run_id=run_id)
        )
    if run.status is not RunStatus.FINISHED:
        raise BadInput(tr("Run {run_id} has no verdict. Only a finished run can be a reference.", run_id=run_id))
    if is_changed(store, run_id):
        raise BadInput(no_verdict(run_id))
    failed = {verdict.device_id for verdict in store.verdicts(run_id) if verdict.outcome is Outcome.FAIL}
    rows = [row for row in store.devices(run_id) if row.burned and row.device.kind is DeviceKind.GPU]
    good = {row.device.id: row for row in rows if row.device.id not in failed}
    if not good:
        raise BadInput(tr("Run {run_id} has no GPU that passed: there is nothing to add.", run_id=run_id))
    found = list(_references(run, good, store.results(run_id)))
    if not found:
        raise BadInput(tr("Run {run_id} measured no rate to compare other cards of the model with.", run_id=run_id))
    return found


def _references(run: Run, good: dict[str, RunDevice], results: list[StageResult]) -> Iterator[Reference]:
    rates: dict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    drivers: dict[str, str] = {}
    for result in results:
        settings = run.profile.stages[result.number]
        kind = settings.kind
        if workload_key(settings):
            continue  # a small batch or another precision is no measure of what others do as usual
        if result.device_id not in good or result.status is not ResultStatus.PASSED or kind in BETWEEN_DEVICES:
            continue
        device = good[result.device_id].device
        drivers[device.name] = device.driver or "unknown"
        for name, rate in rates_of(result).items():
            rates[device.name, kind, name, result.told(Rated).rate_unit or ""].append(rate)
    for (product, stage, name, unit), measured in rates.items():
        cards = "" if len(measured) == 1 else f", median of {len(measured)} cards"
        source = f"run {run.id} of {run.started_at[:10]} on {run.machine}, driver {drivers[product]}{cards}"
        yield Reference(product=product, stage=stage, name=name, rate=median(measured), unit=unit or "1", source=source)
