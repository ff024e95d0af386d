"""RAM that a list names by figures alone: "8x 32 GB DDR4-3200 ECC RDIMM". Kits with those figures, to choose from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.parts.compute import RamSpec
from core.parts.identity import Identities
from core.parts.likeness import FIRST
from core.parts.name_words import one_spelling
from core.parts.part import Part
from core.parts.vocabulary import Category

_MODULES = re.compile(r"\b(\d{1,2})\s?[x×*]\s?(\d{1,3})\s?gb?\b", re.IGNORECASE)
_SIZE = re.compile(r"\b(\d{1,3})\s?gb?\b", re.IGNORECASE)
_TYPE = re.compile(r"\bddr[345]", re.IGNORECASE)
_KIND = re.compile(r"\b(lrdimm|rdimm|udimm)\b", re.IGNORECASE)
_REGISTERED = re.compile(r"\bregistered\b|\breg\b", re.IGNORECASE)
_SPEED = re.compile(r"(?<![\w])(?:ddr[345]l?[- ]?)?(\d{4})(?:\s?mhz|\s?mt/?s)?(?!\w)", re.IGNORECASE)


_SAID_OF_ANY = frozenset(
    re.findall(
        r"\S+",
        "ram memory kit kits ecc reg registered buffered unbuffered server desktop mhz mts total each pcs dual quad "
        "single channel rank ranked per modules module sticks stick dimm dimms used rdimm lrdimm udimm",
    )
)
_WORD = re.compile(r"[a-z][a-z.]*", re.IGNORECASE)


def names_a_maker(text: str) -> bool:
    """Whether words stand there that no kit has by its figures alone."""
    bare = re.sub(r"\b(?:ddr\d\w?|cl ?\d+|pc\d\w?-?\d+|\d+r ?x ?\d+)\b", " ", text, flags=re.IGNORECASE)
    return any(len(word) > 2 and word.casefold() not in _SAID_OF_ANY for word in _WORD.findall(bare))


def fitting_kits(text: str, count: int, identities: Identities) -> tuple[int | None, tuple[Part, ...]]:
    """How many modules a text says, and kits of their size, type, kind and speed that make up so many.

    One size alone, "128 GB", is that of a whole kit; then no number of modules is known.
    """
    text = one_spelling(text)
    modules = _MODULES.search(text)
    size = int(modules[2]) if modules else next((int(match[1]) for match in _SIZE.finditer(text)), 0)
    number = int(modules[1]) * count if modules else count
    kits = identities.with_numbers(str(size), Category.RAM) if size else []
    if names_a_maker(text):
        kits = [kit for kit in kits if kit.maker.casefold() in text.casefold()]
    if modules or count > 1:
        fitting = [kit for kit in kits if _fits(kit, size, number, text)]
        return number, tuple(sorted(fitting, key=lambda kit: (*_order(kit, number), kit.id)))
    whole = [kit for kit in kits if _is_whole(kit, size) and _agrees(kit, text)]
    return None, tuple(sorted(whole, key=lambda kit: (*_order(kit, number), kit.id)))


def _is_whole(kit: Part, size: float) -> bool:
    """Whether a kit has this size with all of its modules."""
    spec = kit.spec
    return isinstance(spec, RamSpec) and (spec.modules or 0) * (spec.module_gb or 0) == size


def _agrees(kit: Part, text: str) -> bool:
    return isinstance(kit.spec, RamSpec) and all(
        stated in (None, own) for stated, own in _stated_and_own(kit.spec, text)
    )


def _fits(kit: Part, size: int, number: int, text: str) -> bool:
    spec = kit.spec
    if not isinstance(spec, RamSpec) or spec.module_gb != size or not spec.modules or number % spec.modules:
        return False
    return _agrees(kit, text)


def _stated_and_own(spec: RamSpec, text: str) -> Iterator[tuple[object, object]]:
    memory_type = _TYPE.search(text)
    yield (memory_type[0].upper() if memory_type else None), (str(spec.ram_type) if spec.ram_type else None)
    kind = _KIND.search(text)
    stated = kind[1].upper() if kind else ("RDIMM" if _REGISTERED.search(text) else None)
    yield stated, (str(spec.kind) if spec.kind else None)
    speed = _SPEED.search(text)
    yield (float(speed[1]) if speed else None), spec.speed_mts


def _order(kit: Part, number: int) -> tuple[int, int]:
    modules = kit.spec.modules if isinstance(kit.spec, RamSpec) and kit.spec.modules else 1
    return FIRST.index(kit.origin), -modules if number > 1 else modules
