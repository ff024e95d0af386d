"""What the same seeded training gave on several devices: like devices must give like bits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from core.burnin.record import Outcome, Reason

ALIKE = ("device", "torch", "cuda", "network", "shape", "precision", "seed", "steps", "threads")
"""Fields of `replay` in the evidence that two devices must share for their hashes to be compared."""
ENOUGH_FOR_A_VOTE = 3
SOURCE = "correct devices of one model repeat a training with fixed order of addition bit for bit"

Replay = Mapping[str, Any]


def compare_replays(replays: Mapping[str, Replay]) -> dict[str, Reason]:
    """What is to be said of each device, by id, from the `replay` of its evidence; nothing where all agree.

    Of three devices or more the few that differ from most have failed. Two that differ, or a vote without a majority,
    do not tell which is right: all of them are warned of, for they need a closer look.
    """
    reasons: dict[str, Reason] = {}
    for group in _groups(replays):
        reasons |= dict(_voted({device: _hashes(replays[device]) for device in group}))
    return reasons


def _groups(replays: Mapping[str, Replay]) -> list[list[str]]:
    """Devices whose hashes can be compared."""
    groups: dict[str, list[str]] = defaultdict(list)
    for device, replay in replays.items():
        groups[repr([replay.get(name) for name in ALIKE])].append(device)
    return list(groups.values())


def _hashes(replay: Replay) -> tuple[Any, Any]:
    return replay.get("loss_hash"), replay.get("weight_hash")


def _voted(hashes: Mapping[str, tuple[Any, Any]]) -> Iterator[tuple[str, Reason]]:
    votes = Counter(hashes.values())
    if len(votes) < 2:
        return
    most, count = votes.most_common(1)[0]
    decided = len(hashes) >= ENOUGH_FOR_A_VOTE and 2 * count > len(hashes)
    for device, own in hashes.items():
        if not decided:
            text = (
                f"The same training gave different bits on {len(hashes)} devices of this model; it is not known which"
            )
            yield device, Reason(Outcome.WARN, f"{text} of them is wrong: compare them with a third.", source=SOURCE)
        elif own != most:
            text = f"The same training gave other bits than on {count} of {len(hashes)} devices of this model."
            yield device, Reason(Outcome.FAIL, text, source=SOURCE)
