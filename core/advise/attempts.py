"""The edits that a kind of change stands for, in this build and for this finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.advise import part_fixes
from core.advise.card_fixes import arrange, fewer_cards, off_risers, put_on_riser
from core.advise.fix import PartSource
from core.advise.limit_fixes import allowed_limit, faster_fans, limit_power, slower_fans
from core.advise.power_fixes import another_circuit, one_more_circuit, share_out
from core.advise.trial import Trial
from core.build.edits import Edit
from core.rules.changes import Add, Change, Fewer, Move, OneMore, SeveralTimes, Swap

_MOVES: dict[Move, Callable[[Trial, PartSource], Iterator[Edit]]] = {
    Move.ARRANGE: arrange,
    Move.OFF_RISERS: off_risers,
    Move.PUT_ON_RISER: put_on_riser,
    Move.FEWER_CARDS: fewer_cards,
    Move.LIMIT_POWER: limit_power,
    Move.ALLOWED_LIMIT: allowed_limit,
    Move.FASTER_FANS: faster_fans,
    Move.SLOWER_FANS: slower_fans,
    Move.SHARE_OUT: share_out,
    Move.SECOND_PSU: part_fixes.second_psu,
    Move.ANOTHER_CIRCUIT: another_circuit,
    Move.ONE_MORE_CIRCUIT: one_more_circuit,
}


def attempts(change: Change, trial: Trial, catalogue: PartSource) -> Iterator[Edit]:
    """Edits to try, the most promising first."""
    match change:
        case Move():
            return _MOVES[change](trial, catalogue)
        case Swap():
            return part_fixes.swap(change, trial, catalogue)
        case Add():
            return part_fixes.add(change, trial, catalogue)
        case OneMore():
            return part_fixes.one_more(change, trial, catalogue)
        case SeveralTimes():
            return part_fixes.several_times(change, trial, catalogue)
        case Fewer():
            return part_fixes.fewer(change, trial, catalogue)
