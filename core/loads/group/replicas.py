"""Whether the replicas of a network are still alike: a hash of all that is trained on each rank, and a vote of them.

The memory of the optimiser counts as well as the weights: a bit that is wrong there moves the weights only later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.language import tr
from core.loads.checksum import Checksum
from core.loads.group.process_group import ProcessGroup
from core.loads.training.fingerprint import combined, fingerprints
from core.loads.training.trainer import Trainer

ENOUGH_FOR_A_VOTE = 3


def replica_problem(group: ProcessGroup, trainer: Trainer) -> str | None:
    """What the comparison of all ranks says against this one, and where; None if nothing does.

    What a network remembers besides weights (its buffers) is its own on every rank.
    """
    trained = trainer.trained()
    prints = fingerprints(trained.values())
    hashes = _gathered(group, [combined(prints)])
    if len(set(hashes)) == 1:
        return None
    differing = _differing(_gathered(group, prints), list(trained))
    problem = own_problem(hashes, group.rank)
    return problem and f"{problem}: {differing}"


def own_problem(hashes: Sequence[object], rank: int) -> str | None:
    """What the hashes of all ranks say against this one; None if nothing does.

    Of three or more only those that differ from most are wrong. Two, or a vote without a majority, accuse all.
    """
    votes = Counter(hashes)
    if len(votes) == 1:
        return None
    most, count = votes.most_common(1)[0]
    if len(hashes) < ENOUGH_FOR_A_VOTE or 2 * count <= len(hashes):
        return tr(
            "The weights of {replicas} replicas differ; it is not known which of them are wrong",
            replicas=len(hashes),
        )
    if hashes[rank] == most:
        return None
    return tr(
        "The weights on rank {rank} differ from those on {others} of {ranks} ranks",
        rank=rank,
        others=count,
        ranks=len(hashes),
    )


def _gathered(group: ProcessGroup, prints: Sequence[Checksum]) -> list[tuple[int, ...]]:
    """The checksums of every rank, as words."""
    return [tuple(row) for row in group.gathered_words([word for one in prints for word in (one.plain, one.weighted)])]


def _differing(rows: Sequence[tuple[int, ...]], names: Sequence[str]) -> str:
    """The tensors in which not all ranks agree."""
    wrong = [name for n, name in enumerate(names) if len({row[2 * n : 2 * n + 2] for row in rows}) > 1]
    return wrong[0] if len(wrong) == 1 else tr("{first} and {more} more", first=wrong[0], more=len(wrong) - 1)
