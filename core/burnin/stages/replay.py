"""Training replayed: the same losses and weights every time, cold and hot, and the same on every card of a model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.burnin.record.rows import Outcome, Reason, Result, ResultStatus
from core.burnin.stages.loading import LoadStage
from core.burnin.stages.stage import StageContext
from core.loads.evidence import read
from core.loads.training.contract import ReplayedTraining, ReplayEvidence
from core.words import joined, tr

ENOUGH_FOR_A_VOTE = 3
SOURCE = "correct devices of one model repeat a training with fixed order of addition bit for bit"


class Replay(LoadStage):
    """Each device is compared with itself: the load does so within the stage, and here earlier replays of the run."""

    def conclude(self, context: StageContext, device_id: str, result: Result) -> Result:
        """Fails a device that gave other bits earlier in the run."""
        status, reason, evidence = result
        now, differing = _whole(read(ReplayEvidence, evidence)), []
        for number, results in context.earlier(self.kind):
            before = _whole(results[device_id].evidence_as(ReplayEvidence)) if device_id in results else None
            if now and before and compare_replays({"now": now, "before": before}):
                differing.append(str(number + 1))
        if not differing:
            return result
        text = tr(
            "Training gave different bits than in stage {stages} of this run on the same device.",
            stages=", ".join(differing),
        )
        if status is ResultStatus.PASSED:
            return ResultStatus.FAILED, text, evidence
        return status, joined([reason, text]), evidence


def _whole(evidence: ReplayEvidence) -> ReplayedTraining | None:
    """What the load says of a replay that came to its end."""
    replay = evidence.replay
    return replay if replay is not None and replay.weight_hash is not None else None


Hashes = tuple[str | None, str | None]


def compare_replays(replays: Mapping[str, ReplayedTraining]) -> dict[str, Reason]:
    """What is to be said of each device, by id, from the `replay` of its evidence; nothing where all agree.

    Of three devices or more the few that differ from most have failed. Two that differ, or a vote without a majority,
    do not tell which is right: all of them are warned of, for they need a closer look.
    """
    reasons: dict[str, Reason] = {}
    for group in _groups(replays):
        reasons |= dict(_voted({device: replays[device].hashes for device in group}))
    return reasons


def _groups(replays: Mapping[str, ReplayedTraining]) -> list[list[str]]:
    """Devices whose hashes can be compared."""
    groups: dict[str, list[str]] = defaultdict(list)
    for device, replay in replays.items():
        groups[repr(replace(replay, loss_hash=None, weight_hash=None))].append(device)
    return list(groups.values())


def _voted(hashes: Mapping[str, Hashes]) -> Iterator[tuple[str, Reason]]:
    votes = Counter(hashes.values())
    if len(votes) < 2:
        return
    most, count = votes.most_common(1)[0]
    decided = len(hashes) >= ENOUGH_FOR_A_VOTE and 2 * count > len(hashes)
    for device, own in hashes.items():
        if not decided:
            text = tr(
                "The same training gave different bits on {devices} devices of this model; it is not known which of "
                "them is wrong: compare them with a third.",
                devices=len(hashes),
            )
            yield device, Reason(Outcome.WARN, text, source=SOURCE)
        elif own != most:
            fields = {"others": count, "devices": len(hashes)}
            text = tr(
                "The same training gave different bits than on {others} of {devices} devices of this model.", **fields
            )
            yield device, Reason(Outcome.FAIL, text, source=SOURCE)
