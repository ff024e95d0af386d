"""Whether two stages did the same work: only then do their speeds say something about each other."""

from __future__ import annotations

from core.burnin.profile import StageSettings
from core.burnin.stages import BY_KIND

NOT_THE_WORK = ("seed", "inject", "inject_at", "dtypes", "fill_pct", "check_every", "peak_tflops", "path")
"""Parameters that leave the rates of a step as they are; number formats have rates of their own."""

Work = tuple[tuple[str, str], ...]


def work_of(stage: StageSettings) -> Work:
    """The parameters of the load that decide what a step of it is, such as batch and precision.

    Empty where all are the usual ones. A stage that this program does not know is like none but its equal.
    """
    kind = BY_KIND.get(stage.kind)
    given = stage.params if kind is None else kind.of_load(stage.params)
    fields = {} if kind is None else kind.params.model_fields
    usual = {name: fields[name].default for name in given if name in fields}
    told = {name: value for name, value in given.items() if name not in NOT_THE_WORK}
    return tuple(sorted((name, repr(value)) for name, value in told.items() if value != usual.get(name, told)))
