"""Whether the replicas of a network are still alike: a hash of all weights on every rank, and a vote among them."""

from __future__ import annotations

from collections import Counter

from core.loads.group.circle import Circle
from core.loads.training.fingerprint import fingerprint
from core.loads.training.trainer import Trainer

ENOUGH_FOR_A_VOTE = 3


def own_problem(hashes: list[str], rank: int) -> str | None:
    """What the hashes of all ranks say against this one; None if nothing does.

    Of three or more only those that differ from most are wrong. Two, or a vote without a majority, accuse all.
    """
    votes = Counter(hashes)
    if len(votes) == 1:
        return None
    most, count = votes.most_common(1)[0]
    if len(hashes) < ENOUGH_FOR_A_VOTE or 2 * count <= len(hashes):
        return f"The weights of {len(hashes)} replicas differ; it is not known which of them are wrong"
    if hashes[rank] == most:
        return None
    return f"The weights on rank {rank} differ from those on {count} of {len(hashes)} ranks"


def compared(circle: Circle, trainer: Trainer) -> list[str]:
    """The hashes of all ranks, in their order. What a network remembers besides weights is its own on every rank."""
    own = fingerprint(trainer.network.parameters())
    return [f"{plain:016x}-{weighted:016x}" for plain, weighted in circle.gathered_words([own.plain, own.weighted])]
