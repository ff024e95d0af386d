"""Rows of the data set that describe the same product: merged where they agree, reported where they do not."""

from __future__ import annotations

from collections.abc import Iterable

from core.parts.opendb.rows import Row
from core.parts.part import Part
from core.parts.specs import Spec

Pair = tuple[Row, Part]
MAX_DIFFERENCES = 2
"""Rows that differ in more figures than this share a part number by mistake, and stay two parts."""
_MIN_NUMBER = 5
"""Shorter numbers are split-off pieces ("16")."""
_SEPARATORS = str.maketrans("", "", " -_/.#")


def merged(pairs: Iterable[Pair]) -> tuple[list[Part], int]:
    """One part for each product, and how many rows went into another. The reasons are noted at the rows.

    The row that people verified, or that knows more, keeps its figures; the others fill its gaps. The identity is that
    of the alphabetically first row, so that it stays the same at the next import.
    """
    kept: list[Pair] = []
    places: dict[tuple[str, str], int] = {}
    swallowed = 0
    for row, part in sorted(pairs, key=_best_first):
        maker = part.maker.lower()
        keys = [(maker, number) for number in map(_squashed, part.part_numbers) if len(number) >= _MIN_NUMBER]
        place = next((places[key] for key in keys if key in places), None)
        if place is not None and _joined(kept, place, row, part):
            swallowed += 1
        else:
            place = len(kept)
            kept.append((row, part))
        for key in keys:
            places.setdefault(key, place)
    return [part for _, part in kept], swallowed


def _joined(kept: list[Pair], place: int, row: Row, part: Part) -> bool:
    first, holder = kept[place]
    known, other = _figures(holder.spec), _figures(part.spec)
    differing = [name for name in known.keys() & other.keys() if known[name] != other[name]]
    shared = ", ".join(part.part_numbers[:3])
    if len(differing) > MAX_DIFFERENCES:
        row.doubt("part_numbers", shared, f"is also a number of {first.title}, which is another product")
        return False
    for name in sorted(differing):
        row.doubt(name, other[name], f"differs from {known[name]} in {first.identity}, which holds")
    gaps = {name: other[name] for name in other.keys() - known.keys()}
    changes = {
        "id": min(holder.id, part.id),
        "part_numbers": tuple(dict.fromkeys((*holder.part_numbers, *part.part_numbers))),
        "spec": holder.spec.model_copy(update=gaps),
    }
    kept[place] = (first, holder.model_copy(update=changes))
    return True


def _best_first(pair: Pair) -> tuple[bool, int, str]:
    row, part = pair
    return not row.verified, -len(part.spec.model_fields_set), part.id


def _figures(spec: Spec) -> dict[str, object]:
    return {name: value for name, value in vars(spec).items() if value not in (None, ())}


def _squashed(number: str) -> str:
    return number.translate(_SEPARATORS).lower()
