"""The loads of a group by name: the part of one device, which starts a rank of its own."""

from __future__ import annotations

from core.loads.group.together import TogetherLoad


class P2pLoad(TogetherLoad):
    """From every device to every other."""

    work = "p2p"


class CollectivesLoad(TogetherLoad):
    """All-reduce and its like over all devices."""

    work = "collectives"


class DataParallelLoad(TogetherLoad):
    """Training on all devices together. A single GPU trains alone, to compare with."""

    work = "data_parallel"
    least = 1
