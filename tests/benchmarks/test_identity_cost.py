"""Fifty thousand parts: recognising one name looks closely at few of them, however many there are."""

import pytest

from core.parts import identity
from core.parts.identity import Exact, Identities, PartName
from core.parts.likeness import Likeness
from core.parts.part import Part, Source
from core.parts.specs import RamSpec
from core.parts.vocabulary import Category, RamType
from tests.benchmarks.many_parts import PARTS, part_of

LOOKED_AT = 60
"""Of all: the nearest by words, and those whose rarest word the name has."""


def test_one_name_among_many_parts_is_compared_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    first = [part_of(number) for number in range(400)]
    names = {part.id: PartName(part.id, part.category, part.title, part.part_numbers) for part in first}
    tail = (
        PartName(f"more-{number}", one.category, one.title.replace("number-", f"number-{number}"), (f"PN-{number}",))
        for number, one in ((number, first[number % len(first)]) for number in range(len(first), PARTS))
    )
    by_id = {part.id: part for part in first}
    looked_at: list[str] = []

    def counted(text: str, part: Part) -> Likeness | None:
        looked_at.append(text)
        return compare(text, part)

    compare = identity.likeness
    monkeypatch.setattr(identity, "likeness", counted)
    identities = Identities([*names.values(), *tail], lambda part_id: by_id.get(part_id, first[0]))
    for part in first[::40]:
        looked_at.clear()
        answer = identities.called(part.title, part.category)
        assert isinstance(answer, Exact) and answer.part.id == part.id
        assert len(looked_at) <= LOOKED_AT
    looked_at.clear()
    identities.called("Gigabyte Aero Black Grey something nobody sells 12345")
    assert len(looked_at) <= LOOKED_AT


def test_one_kit_among_its_siblings_is_compared_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a row of a price set is: makers sell one family of RAM in hundreds of sizes and speeds."""
    sizes = [(modules, gb) for modules in (1, 2, 4, 8) for gb in (8, 16, 24, 32, 48, 64)]
    kits = [
        kit(family, speed, latency, modules, gb)
        for family in ("Vengeance", "Vengeance RGB", "Vengeance LPX", "Dominator Platinum")
        for speed in range(4800, 8400, 200)
        for latency in (30, 36, 40)
        for modules, gb in sizes
    ]
    looked_at: list[str] = []

    def counted(text: str, part: Part) -> Likeness | None:
        looked_at.append(text)
        return compare(text, part)

    compare = identity.likeness
    monkeypatch.setattr(identity, "likeness", counted)
    parts = Identities.of(kits)
    for part in kits[:: len(kits) // 20]:
        looked_at.clear()
        answer = parts.called(part.title, Category.RAM)
        assert isinstance(answer, Exact) and answer.part.id == part.id
        assert len(looked_at) <= LOOKED_AT


def kit(family: str, speed: int, latency: int, modules: int, gb: int) -> Part:
    name = f"{family} DDR5-{speed} CL{latency} {modules * gb}GB ({modules}x{gb}GB)"
    return Part(
        id=f"{family}-{speed}-{latency}-{modules}x{gb}".lower().replace(" ", "-"),
        maker="Corsair",
        name=name,
        spec=RamSpec(ram_type=RamType.DDR5, modules=modules, module_gb=gb, speed_mts=speed),
        sources=(Source(title="made up"),),
    )
