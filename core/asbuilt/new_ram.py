"""The kits of the catalogue that the modules of a machine are, or that stand for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.asbuilt.as_built import MemoryModule
from core.language import joined, plain, tr
from core.parts.board import MotherboardSpec
from core.parts.compute import RamSpec
from core.parts.name_words import tokens
from core.parts.part import Part
from core.parts.vocabulary import ModuleKind

_MIN_NUMBER = 6
"""Letters of a part number that say which product a module is."""


@dataclass(frozen=True, slots=True)
class KitsOfModules:
    """So many equal modules; without a part where the catalogue has none like them."""

    words: str
    part: Part | None = None
    quantity: int = 0
    stands_in: bool = False
    """Whether the part is another product of the same size and type: what a machine is checked for is the same."""

    @property
    def sentence(self) -> str:
        """That another product stands in its place."""
        assert self.part is not None
        return tr("{modules}: entered as {part}, same size and type.", modules=self.words, part=self.part.title)


def kits_of(modules: Sequence[MemoryModule], kits: Sequence[Part], board: Part | None) -> Iterator[KitsOfModules]:
    """Equal modules together: by part number, else the maker's own, else any of the same size and type, the nearest in
    speed. A board has only modules of the kinds that it takes."""
    spec = board.spec if board and isinstance(board.spec, MotherboardSpec) else MotherboardSpec()
    for module, count in Counter(map(_kind_of, modules)).items():
        kind = module.kind or spec.ram_type
        fitting = [
            part
            for part in kits
            if _fits(part, module, count, spec.ram_kinds or ()) and _is_sold_as(part, module, kind)
        ]
        best = min(fitting, key=lambda part: _apart(part, module), default=None)
        name = joined(filter(None, (module.maker, module.part)))
        words = plain(
            "{number} × {size_gb:g} GB {kind}", number=count, size_gb=module.size_gb, kind=module.kind or "RAM"
        )
        words = joined([words, name]) if name else words
        if best is None or not isinstance(best.spec, RamSpec) or not best.spec.modules:
            yield KitsOfModules(words)
        else:
            other = not _is_numbered(best, module)
            yield KitsOfModules(words, best, count // best.spec.modules, other)


def _kind_of(module: MemoryModule) -> MemoryModule:
    """A module as it is sold: without its own number and place."""
    return MemoryModule(
        "", module.size_gb, module.kind, module.speed_mts, module.maker, module.part, None, module.buffered
    )


def _fits(part: Part, module: MemoryModule, count: int, taken: Sequence[ModuleKind]) -> bool:
    spec = part.spec
    if isinstance(spec, RamSpec) and taken and spec.kind and spec.kind not in taken:
        return False
    if not isinstance(spec, RamSpec) or spec.module_gb != module.size_gb or not spec.modules or count % spec.modules:
        return False
    buffered = spec.kind.is_registered if spec.kind else None
    return module.kind in (None, spec.ram_type) and (None in (module.buffered, buffered) or module.buffered == buffered)


def _is_sold_as(part: Part, module: MemoryModule, kind: str | None) -> bool:
    """Whether its type is the part's; of a module without a type and on an unknown board only its number says that."""
    return _is_numbered(part, module) or (isinstance(part.spec, RamSpec) and kind == part.spec.ram_type)


def _apart(part: Part, module: MemoryModule) -> tuple[bool, bool, float, str]:
    speed = part.spec.speed_mts if isinstance(part.spec, RamSpec) else None
    makers = frozenset(tokens(part.maker)) & frozenset(tokens(module.maker or ""))
    return not _is_numbered(part, module), not makers, abs((speed or 0) - (module.speed_mts or 0)), part.id


def _is_numbered(part: Part, module: MemoryModule) -> bool:
    """Whether a module has one of the part's numbers, which makers write with more or less behind a dash."""
    number = "".join(tokens(module.part or ""))
    own = ("".join(tokens(one)) for one in part.part_numbers)
    return any(len(one) >= _MIN_NUMBER and one == number for one in own)
