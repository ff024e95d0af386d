"""What a rank can be told to do, by name."""

from __future__ import annotations

from typing import Any

from core.errors import BadInput
from core.language import tr
from core.loads.group.params import CollectivesParams, DataParallelLoadParams, P2pParams
from core.loads.group.process_group import GroupWork, ProcessGroup, Say
from core.loads.params import checked
from core.protocol import Message


def make_work(order: Message, group: ProcessGroup, say: Say) -> GroupWork[Any]:
    """The work that the order names. Raises BadInput for an unknown one or wrong parameters."""
    params: Any = order["params"]
    match order["work"]:
        case "collectives":
            from core.loads.group.collectives import CollectivesWork

            return CollectivesWork(checked(CollectivesParams, params), group, say)
        case "p2p":
            from core.loads.group.p2p import P2pWork

            return P2pWork(checked(P2pParams, params), group, say)
        case "data_parallel":
            from core.loads.group.data_parallel import DataParallelWork

            return DataParallelWork(checked(DataParallelLoadParams, params), group, say)
        case other:
            raise BadInput(tr("A rank cannot do {other!r}.", other=other))
