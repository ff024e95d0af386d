"""Which part of the catalogue a row of somebody else's list means."""

from __future__ import annotations

import re
from collections.abc import Hashable

from core.parts.identity import Exact, Identities, Identity, Unknown
from core.parts.part import Part
from core.parts.price_remarks import without_remarks
from core.parts.price_table import PriceRow
from core.parts.specs import StorageSpec
from core.parts.vocabulary import StorageKind

_RPM = re.compile(r"(\d{4,5}) ?rpm", re.IGNORECASE)
_FORM = re.compile(r"\bm\.2\b|\b[23]\.5(?= |\"|$)", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]+")


def part_of_row(row: PriceRow, identities: Identities) -> Identity:
    """By id, else by part number, else by maker and name, with what other columns say."""
    if part := identities.part(row.id):
        return Exact(part)
    if row.part_number and not isinstance(answer := identities.numbered(row.part_number), Unknown):
        return answer
    name = row.full_name or row.name
    text = name if name.casefold().startswith(row.maker.casefold()) else f"{row.maker} {name}"
    answer = identities.called(text, row.category, lambda part: not _contradicts(text, part))
    if isinstance(answer, Exact):
        return answer
    bare = (
        identities.called(one, row.category, lambda part: not _contradicts(text, part)) for one in without_remarks(text)
    )
    return next((one for one in bare if isinstance(one, Exact)), answer)


class Matches:
    """What rows mean, looked up once for all rows that say the same of their part."""

    def __init__(self, identities: Identities) -> None:
        self._identities = identities
        self._answers: dict[Hashable, Identity] = {}

    def __call__(self, row: PriceRow) -> Identity:
        key = (row.id, row.part_number, row.maker, row.full_name or row.name, row.category)
        if key not in self._answers:
            self._answers[key] = part_of_row(row, self._identities)
        return self._answers[key]


def _contradicts(text: str, part: Part) -> bool:
    """Whether a drive is of another kind, form or speed: names of drives are not told apart by these words."""
    if not isinstance(part.spec, StorageSpec):
        return False
    form, own_form = _FORM.search(text), _FORM.search(part.spec.form_factor or "")
    if form and own_form and form[0].casefold() != own_form[0].casefold():
        return True
    kind, words = part.spec.kind, set(_WORD.findall(text.casefold()))
    row_speed, own = _RPM.search(text), _RPM.search(part.title)
    if row_speed and own and row_speed[1] != own[1]:
        return True
    disk, flash = bool(row_speed) or "hdd" in words, bool(words & {"ssd", "nvme"})
    if kind is StorageKind.HDD:
        return flash and not disk
    bus_differs = "sata" in words if kind is StorageKind.NVME else bool(words & {"nvme", "pcie"})
    return disk or bus_differs
