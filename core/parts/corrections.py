"""Where the user's own parts and corrections are stored: a correction apart, and the part that it makes as a row.

Every function here is called within a transaction, but for those that only read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from core.parts import rows
from core.parts.own import Correction, corrected, price_of, with_price_of
from core.parts.part import PRICES, Origin, Part
from core.platform.errors import BadInput

if TYPE_CHECKING:
    from core.platform.database import Database


def all_corrections(db: Database) -> dict[str, Correction]:
    """All corrections by the id of the part."""
    stored = db.table("corrections").rows_where(order_by="id")
    return {row["id"]: Correction.model_validate_json(row["correction"]) for row in stored}


def beneath(db: Database, part_id: str) -> Part | None:
    """The shipped or imported part that a correction lies upon, whether there is a correction or not."""
    sql = "SELECT part, origin FROM parts WHERE id = ? AND origin <> ? ORDER BY precedence LIMIT 1"
    row = db.execute(sql, (part_id, Origin.USER.value)).fetchone()
    return rows.restored(part_id, *row) if row else None


def lay(db: Database, holding: Mapping[str, Part], changes: Mapping[str, Correction]) -> None:
    """Corrects parts that hold now; earlier corrections stay beneath. Raises BadInput where a part would not be valid.

    A part of the user's own has nothing beneath it: it is changed itself.
    """
    corrections = all_corrections(db)
    made, noted = [], {}
    for part_id, change in changes.items():
        if holding[part_id].origin is Origin.USER and part_id not in corrections:
            made.append(corrected(holding[part_id], change))
            continue
        whole = corrections[part_id].then(change) if part_id in corrections else change
        made.append(corrected(beneath(db, part_id) or holding[part_id], whole))
        noted[part_id] = whole
    note(db, noted)
    replace_own(db, made)


def note(db: Database, changes: Mapping[str, Correction]) -> None:
    """Stores corrections, each in the place of the one before."""
    noted = ({"id": part_id, "correction": change.model_dump_json()} for part_id, change in changes.items())
    db.table("corrections").upsert_all(noted, pk="id")


def forget(db: Database, part_ids: Iterable[str]) -> None:
    """Forgets the corrections of parts; their rows stay."""
    db.conn.executemany("DELETE FROM corrections WHERE id = ?", ((part_id,) for part_id in part_ids))


def lay_anew(db: Database) -> None:
    """Lays all corrections upon the parts as they are now. One whose part is gone, or no longer fits, stays."""
    made = []
    for part_id, change in all_corrections(db).items():
        with suppress(BadInput):
            under = beneath(db, part_id)
            made += [corrected(under, change)] if under is not None else []
    replace_own(db, made)


def replace_own(db: Database, parts: Iterable[Part]) -> None:
    """Puts the user's parts in the place of their rows of the same ids."""
    own = [part.model_copy(update={"origin": Origin.USER}) for part in parts]
    ids = json.dumps([part.id for part in own])
    rows.remove(db, "origin = ? AND id IN (SELECT value FROM json_each(?))", (Origin.USER.value, ids))
    rows.add(db, own)


# The way back from the last update of prices: what it put in the place of what.
#
# Every function here is called within a transaction.

_NOTHING = Correction()


def note_update(db: Database, holding: Mapping[str, Part], changes: Mapping[str, Correction], *, further: bool) -> None:
    """Keeps what the user had of these prices before they change, in the place of what the update before kept.

    What is `further` is of the same update.
    """
    corrections = all_corrections(db)
    replaced = []
    for part_id, change in changes.items():
        part = holding[part_id]
        own = part.origin is Origin.USER and part_id not in corrections
        before = price_of(part) if own else corrections.get(part_id, _NOTHING).of_price
        replaced.append((part_id, before.model_dump_json(), change.of_price.model_dump_json()))
    if not further:
        db.execute("DELETE FROM prices_before")
    sql = "INSERT INTO prices_before VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET price = excluded.price"
    db.conn.executemany(sql, replaced)


def undo(db: Database) -> list[str]:
    """Puts back what was kept, and forgets it; the ids of the parts. A price that was entered since then stays."""
    corrections = all_corrections(db)
    back = []
    for part_id, before, price in db.execute("SELECT id, before, price FROM prices_before ORDER BY id").fetchall():
        change, put = Correction.model_validate_json(before), Correction.model_validate_json(price)
        if part_id in corrections:
            if _is_as_put(corrections[part_id], put):
                _put_back(db, part_id, corrections[part_id].with_price_of(change))
                back.append(part_id)
        elif (own := _own_part(db, part_id)) is not None and _is_as_put(own, put):
            replace_own(db, (with_price_of(own, change),))
            back.append(part_id)
    db.execute("DELETE FROM prices_before")
    return back


def _is_as_put(now: Correction | Part, put: Correction) -> bool:
    """Whether nobody has entered another price since the update."""
    return all(getattr(put, name) in (None, getattr(now, name)) for name in PRICES)


def _put_back(db: Database, part_id: str, change: Correction) -> None:
    under = beneath(db, part_id)
    if change == _NOTHING:
        forget(db, (part_id,))
        rows.remove(db, "id = ? AND origin = ?", (part_id, Origin.USER))
        return
    note(db, {part_id: change})
    if under is not None:
        replace_own(db, (corrected(under, change),))


def _own_part(db: Database, part_id: str) -> Part | None:
    row = db.execute("SELECT part, origin FROM parts WHERE id = ? AND origin = ?", (part_id, Origin.USER)).fetchone()
    return rows.restored(part_id, *row) if row else None
