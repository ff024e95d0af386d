"""What the codes of events, counters and reasons stand for: as which error they count, under which cause they are told.

A reason's code is its criterion and what it is about. Everything that counts errors or groups reasons goes by these
tables and by figures, never by what a sentence or a unit says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.burnin.record.evidence import StageEvidence
from core.burnin.record.rows import LINK_RATE, EventLevel, Outcome, Reason, ReasonCriterion, ResultStatus, StageResult
from core.burnin.verdict.recorded import LINK_RATES
from core.loads.load import FaultKind
from core.words import tr


class ErrorKind(StrEnum):
    """What went wrong on a device, in the order in which it is told."""

    LOST = "lost"
    WRONG_RESULT = "wrong_result"
    MEMORY = "uncorrectable_memory"
    XID = "xid"
    LINK = "link"
    DIED = "dead_worker"
    OTHER = "other"
    """What only the log says: a guard, a frozen worker, a stage that failed for a reason of its own."""


class CauseKind(StrEnum):
    """What a cause is, the weightiest first."""

    MACHINE = "machine"
    """Of the machine as a whole: an interruption, planned cards that are missing."""
    LOST = "lost"
    DIED = "dead_worker"
    GUARD = "guard"
    """The runner took the device out for its own sake: too hot, a fan that stands still."""
    MEMORY = "memory"
    WRONG_RESULTS = "wrong_results"
    XID = "xid"
    LINK = "link"
    HEAT = "heat"
    SLOW = "slow"
    STAGE = "stage"
    STOPPED = "stopped"
    PLAN = "plan"
    OTHER = "other"


ACTIONS: Mapping[CauseKind, str] = {
    CauseKind.LOST: tr("Reseat card, riser and power cables and check the PSU; replace the card if it is lost again."),
    CauseKind.DIED: tr("Burn in again; see the worker's log in the data folder."),
    CauseKind.GUARD: tr("Check fans, airflow and thermal paste of this card before it is loaded again."),
    CauseKind.MEMORY: tr("Reset the GPU and burn in again; replace the card if it has such an error again."),
    CauseKind.WRONG_RESULTS: tr("Burn in again; replace a card that computes wrongly twice."),
    CauseKind.LINK: tr("Check riser, slot, bridge and BIOS."),
    CauseKind.HEAT: tr("Check fans, airflow and thermal paste; compare with the adjacent cards."),
    CauseKind.SLOW: tr("Compare its power limit, clocks and temperature with those of the other cards of its model."),
    CauseKind.STOPPED: tr("Resume the run, or burn in again: what did not run was not tested."),
    CauseKind.PLAN: tr(
        "Check power limit and settings against the plan; calibrate the plan if the machine is as intended."
    ),
}
"""What to do, where something is known to help."""


@dataclass(frozen=True, slots=True)
class EventCode:
    """What a kind of events stands for."""

    error: ErrorKind = ErrorKind.OTHER
    """As which an error of this kind is counted on its device."""
    leaves_by: CauseKind | None = None
    """The cause, where an error of this kind takes its device out of the run."""
    of_machine: bool = False
    """Whether it is a reason of the machine, unless it names a device that was burned in."""


_OF_MACHINE = EventCode(of_machine=True)
EVENTS: Mapping[str, EventCode] = {
    "lost": EventCode(ErrorKind.LOST, CauseKind.LOST, of_machine=True),
    "died": EventCode(ErrorKind.DIED, CauseKind.DIED),
    "guard": EventCode(leaves_by=CauseKind.GUARD),
    "xid": EventCode(ErrorKind.XID, of_machine=True),
    "aer": EventCode(ErrorKind.LINK, of_machine=True),
    "sxid": EventCode(ErrorKind.LINK, of_machine=True),
    "edac": EventCode(ErrorKind.MEMORY, of_machine=True),
    **dict.fromkeys(("plan", "room", "pause", "reset", "driver", "mce"), _OF_MACHINE),
    **{kind: EventCode(ErrorKind.WRONG_RESULT) for kind in FaultKind if kind is not FaultKind.ERROR},
}
OF_LEVEL: Mapping[EventLevel, Outcome] = {EventLevel.ERROR: Outcome.FAIL, EventLevel.WARN: Outcome.WARN}
"""What an event weighs in a verdict; one of another level only accompanies."""
PLAN_EVENT = "plan"
"""The kind of event whose errors fail the stage in which they were told: planned cards are missing."""
METRICS: Mapping[str, ErrorKind] = {
    "errors": ErrorKind.WRONG_RESULT,
    "ecc_uncorrected": ErrorKind.MEMORY,
    "aer_nonfatal": ErrorKind.LINK,
    "aer_fatal": ErrorKind.LINK,
    "nvlink_replays": ErrorKind.LINK,
    "nvlink_recoveries": ErrorKind.LINK,
}
"""Counters among the metrics, each with the kind of what it counts."""

THERMAL = ("HwThermalSlowdown", "SwThermalSlowdown")
HALVED = "HwSlowdown"
"""The hardware halves clocks for heat and for power: it is told as heat only beside one of the thermal reasons."""
_ANY = ""
_MEMORY_METRICS = (
    "ecc_uncorrected", "ecc_corrected", "sram_uncorrected", "sram_worn", "remap_pending", "remap_failed",
    "remapped_uncorrected", "remapped_corrected", "retired_uncorrected", "retired_corrected", "retire_pending",
)  # fmt: skip
_MEMORY_XIDS = ("48", "63", "64", "92", "94", "95", "140", "171", "172")
_LINK_METRICS = (
    "pcie_replays", "aer_correctable", "aer_nonfatal", "aer_fatal", "nvlink_replays", "nvlink_recoveries", "nvlink_crc",
)  # fmt: skip
_REASONS: Mapping[tuple[str, str], CauseKind] = {
    (ReasonCriterion.ERRORS, _ANY): CauseKind.WRONG_RESULTS,
    (ReasonCriterion.XID, _ANY): CauseKind.XID,
    (ReasonCriterion.LINK, _ANY): CauseKind.LINK,
    (ReasonCriterion.NVLINK, _ANY): CauseKind.LINK,
    (ReasonCriterion.TOGETHER, _ANY): CauseKind.LINK,
    (ReasonCriterion.HEAT, _ANY): CauseKind.HEAT,
    (ReasonCriterion.PEERS, _ANY): CauseKind.SLOW,
    (ReasonCriterion.STAGE, _ANY): CauseKind.STAGE,
    (ReasonCriterion.PLAN, _ANY): CauseKind.PLAN,
    **{(ReasonCriterion.COUNTER, metric): CauseKind.MEMORY for metric in _MEMORY_METRICS},
    **{(ReasonCriterion.COUNTER, metric): CauseKind.LINK for metric in _LINK_METRICS},
    **{(ReasonCriterion.XID, number): CauseKind.MEMORY for number in _MEMORY_XIDS},
    **{(ReasonCriterion.THROTTLING, name): CauseKind.HEAT for name in THERMAL},
}
_RESULTS = {
    ResultStatus.PASSED: Outcome.PASS,
    ResultStatus.STOPPED: Outcome.INCOMPLETE,
    ResultStatus.FAILED: Outcome.FAIL,
    ResultStatus.DIED: Outcome.FAIL,
}
_LINK_RATES = (*LINK_RATES, LINK_RATE)


def outcome_of(result: StageResult, not_run: Outcome) -> Outcome:
    """How a stage that ended so counts, but for what it warned of; `not_run` where it did not run."""
    killed = result.status is ResultStatus.DIED and result.evidence_as(StageEvidence).killed_from_outside
    return Outcome.INCOMPLETE if killed else {**_RESULTS, ResultStatus.NOT_RUN: not_run}[result.status]


def cause_kind(reason: Reason) -> CauseKind:
    """Under which cause a reason of a device is told where it stands alone."""
    of_all = _REASONS.get((reason.criterion, _ANY), CauseKind.OTHER)
    return _REASONS.get((reason.criterion, reason.about), of_all)


def is_thermal(reason: Reason) -> bool:
    """Whether clocks were held back for heat."""
    return reason.criterion == ReasonCriterion.THROTTLING and reason.about in THERMAL


def is_link_rate(reason: Reason) -> bool:
    """Whether it is the speed of a link that is too low, not the link itself."""
    return reason.criterion == ReasonCriterion.LINK and reason.about in _LINK_RATES
