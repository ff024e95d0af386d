"""What children of the runner report, as types that every line is held to: one that talks nonsense counts as silent.

Reports of a worker (`type`):
    ready     name, backend ("cuda", "cpu", "simulated"), detail (dict of strings)
    libraries as the sampler's
    progress  fraction (0..1), metrics (dict of metric name to number), measured_s (when, as in `samples`); also the
              heartbeat, at least once a second
    fault     kind ("mismatch", "nan", "diverged", "error"), message, count
    done      status ("passed", "failed", "stopped", "not_run"), reason, evidence (see core.loads.evidence),
              spent (true: this process can compute no more and is to be replaced),
              stop ("requested", "unsupervised") where it was stopped

Reports of the sampler:
    devices   devices (list of Device as dict)
    libraries libraries, packages (lists of dicts of strings): what it has loaded, see core.platform.libraries
    samples   samples (dict of device id to dict of metric name to number), cost_ms,
              measured_s (when, on the monotonic clock that all processes of a machine share)
    counts    counts (as samples): the counters of errors as they are now, asked for by `count`
    lost      device, reason
    xid       device (absent where it is none of ours), xid (number), text, source ("nvml", "kernel", "simulated")
    aer       device, severity ("correctable", "nonfatal", "fatal"), text, source: an error of a GPU's PCIe link
    sxid      severity ("nonfatal", "fatal"), text, source: an NVSwitch reports an error
    driver    device, severity ("correctable", "nonfatal", "fatal"), text, source: a driver reports a card that failed
    mce       device ("cpu"), severity, text, source: the processor reports an error of the machine
    edac      severity ("correctable", "fatal"), text, source: an error of main memory
              Of xid and driver: pid, program, where the kernel says whose work was on the GPU
    drill     device, severity (the fault as it was ordered), text, source ("simulated"): a simulated fault begins
    noise     text, source ("microphone"): no level can be measured, and why
    wall      text, source ("wall meter"): no power can be read at the wall, and why
    overdue   seconds, waiting_for: a reading hangs; nothing is measured until it returns
    cost      what measuring itself costs, once a minute: cpu_pct (of one core), tick_p50_ms, tick_p99_ms, interval_s,
              slowest (words, where the driver tells)
    reset     only from simulated devices: the machine loses its power now
"""

from __future__ import annotations

from math import isnan
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model

from core.platform.protocol import Message, decode

MAX_NUMBER = 1e300


def _require_nan(value: float) -> float:
    if not isnan(value):
        raise ValueError
    return value


class _Line(BaseModel):
    model_config = ConfigDict(strict=True)
    device: str | None = None


_Finite = Annotated[float, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
_NaN = Annotated[float, AfterValidator(_require_nan)]
"""As a load that goes wrong may have computed it."""
_Number = Annotated[_Finite | _NaN, Field(union_mode="left_to_right")]
_Numbers = dict[str, _Number | None]
_Readings = dict[str, _Numbers]
_Tables = list[dict[str, Any]]
_FIELDS: dict[str, dict[str, Any]] = {
    "ready": {"detail": (dict[str, Any], {})},
    "progress": {"fraction": (_Number, 0), "metrics": (_Numbers, {}), "measured_s": (_Number, 0)},
    "done": {
        "status": Literal["passed", "failed", "stopped", "not_run"],
        "stop": (Literal["requested", "unsupervised"] | None, None),
        "evidence": (dict[str, Any], {}),
    },
    "devices": {"devices": _Tables},
    "libraries": {"libraries": (_Tables, []), "packages": (_Tables, [])},
    "samples": {"samples": _Readings, "measured_s": (_Number, 0)},
    "counts": {"counts": _Readings},
    "lost": {"device": str, "reason": str},
    "xid": {"xid": Annotated[int, AfterValidator(abs), Field(le=MAX_NUMBER)]},
    "overdue": {"seconds": (_Number, 0)},
    "cost": {"slowest": (str | None, None)} | dict.fromkeys(("cpu_pct", "tick_p50_ms", "tick_p99_ms"), (_Number, 0)),
}
"""What a field of a report must be where it is there; one without a default must be there."""
_MODELS = {type_: create_model(type_, __base__=_Line, **fields) for type_, fields in _FIELDS.items()}


def read_report(line: str) -> Message | None:
    """The report in a line, None if it is not one, or its fields are not as above."""
    message = decode(line)
    try:
        if message is not None:
            _MODELS.get(message["type"], _Line).model_validate(message)
    except ValidationError:
        return None
    return message
