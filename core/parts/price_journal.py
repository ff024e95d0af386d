"""The way back from the last update of prices: what it put in the place of what.

Every function here is called within a transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.parts import corrections, rows
from core.parts.own import Correction, corrected, price_of, with_price_of
from core.parts.part import PRICES, Origin, Part

if TYPE_CHECKING:
    from core.database import Database

_NOTHING = Correction()


def note(db: Database, holding: Mapping[str, Part], changes: Mapping[str, Correction], *, further: bool) -> None:
    """Keeps what the user had of these prices before they change, in the place of what the update before kept.

    What is `further` is of the same update.
    """
    known = corrections.all_corrections(db)
    kept = []
    for part_id, change in changes.items():
        part = holding[part_id]
        own = part.origin is Origin.USER and part_id not in known
        before = price_of(part) if own else known.get(part_id, _NOTHING).of_price
        kept.append((part_id, before.model_dump_json(), change.of_price.model_dump_json()))
    if not further:
        db.execute("DELETE FROM prices_before")
    sql = "INSERT INTO prices_before VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET price = excluded.price"
    db.conn.executemany(sql, kept)


def undo(db: Database) -> list[str]:
    """Puts back what was kept, and forgets it; the ids of the parts. A price that was entered since then stays."""
    known = corrections.all_corrections(db)
    back = []
    for part_id, before, price in db.execute("SELECT id, before, price FROM prices_before ORDER BY id").fetchall():
        change, put = Correction.model_validate_json(before), Correction.model_validate_json(price)
        if part_id in known:
            if _is_as_put(known[part_id], put):
                _put_back(db, part_id, known[part_id].with_price_of(change))
                back.append(part_id)
        elif (own := _own_part(db, part_id)) is not None and _is_as_put(own, put):
            corrections.replace_own(db, (with_price_of(own, change),))
            back.append(part_id)
    db.execute("DELETE FROM prices_before")
    return back


def _is_as_put(now: Correction | Part, put: Correction) -> bool:
    """Whether nobody has entered another price since the update."""
    return all(getattr(put, name) in (None, getattr(now, name)) for name in PRICES)


def _put_back(db: Database, part_id: str, change: Correction) -> None:
    under = corrections.beneath(db, part_id)
    if change == _NOTHING:
        corrections.forget(db, (part_id,))
        rows.remove(db, "id = ? AND origin = ?", (part_id, Origin.USER))
        return
    corrections.note(db, {part_id: change})
    if under is not None:
        corrections.replace_own(db, (corrected(under, change),))


def _own_part(db: Database, part_id: str) -> Part | None:
    found = db.execute("SELECT part, origin FROM parts WHERE id = ? AND origin = ?", (part_id, Origin.USER)).fetchone()
    return rows.restored(part_id, *found) if found else None
