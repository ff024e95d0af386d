"""A build of what was found: the parts of the catalogue that the machine has, and what it has besides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.machine.asbuilt.as_built import FoundDrive, MemoryModule
from core.machine.asbuilt.binding import Bound, Notes, bind
from core.machine.asbuilt.identities import BOARD_MAKERS, by_name, gpus_of, names_of_id, same_card
from core.machine.asbuilt.inspection import Inspection
from core.machine.asbuilt.machine_lines import is_drive, times
from core.machine.telemetry.device import Device
from core.parts.board import MotherboardSpec
from core.parts.compute import GpuSpec, RamSpec, StorageSpec
from core.parts.identity import Exact, Identities, Identity, Similar, plainest
from core.parts.likeness import FIRST
from core.parts.name_words import tokens
from core.parts.part import Part
from core.parts.vocabulary import Category, ModuleKind
from core.plan.build import Build
from core.plan.line import Line, is_card
from core.words import joined, plain, tr

_NAMED = 3
"""Parts named where several could be meant."""
_SIZE_TOLERANCE = 0.08
"""Of a drive, between what its maker and its label say."""


@dataclass(frozen=True, slots=True)
class FoundBuild:
    """The build, and what of the machine is in no line of it, in words."""

    build: Build
    left_out: tuple[str, ...]
    similar: tuple[SimilarName, ...] = ()
    """What of it may be one of several parts: it is for the user to choose."""
    stand_ins: tuple[str, ...] = ()
    """Sentences about parts that stand for others which are like them in what is checked."""


@dataclass(frozen=True, slots=True)
class SimilarName:
    """A name that the machine gives, and the parts that it may be."""

    name: str
    parts: tuple[Part, ...]


def build_of(inspection: Inspection, catalogue: Iterable[Part], notes: Notes, name: str) -> FoundBuild:
    """Of boards and coolers of one product, which cannot be told apart from inside, the first by maker and id is taken;
    one's own parts come before the shipped ones, and those before imported ones.

    Case, cooling, PSUs without a data line and mains are not told by any machine, and are left to the user.
    """
    by_category: dict[Category, list[Part]] = {}
    for part in sorted(catalogue, key=lambda one: (FIRST.index(one.came_from), one.id)):
        by_category.setdefault(part.category, []).append(part)
    lines: list[Line] = []
    left_out: list[str] = []
    similar: list[SimilarName] = []
    stand_ins: list[str] = []
    board = _board(inspection, by_category.get(Category.MOTHERBOARD, []), left_out, similar)
    lines += [Line(board)] if board else []
    _add_cpus(inspection, by_category.get(Category.CPU, []), lines, left_out, similar)
    _add_cards(
        inspection, by_category.get(Category.GPU, []), _bound(inspection, board, notes), lines, left_out, similar
    )
    stand_ins += _coolers_taken(lines, by_category.get(Category.GPU, []))
    _add_ram(inspection.machine.modules, by_category.get(Category.RAM, []), board, lines, left_out, stand_ins)
    _add_drives(inspection.machine.drives, by_category.get(Category.STORAGE, []), lines, left_out)
    left_out += [tr("PSU {name}", name=psu.name) for psu in inspection.machine.psus if psu.capacity_w]
    left_out = [times(count, words) for words, count in Counter(left_out).items()]
    sentences = [_origin(inspection)]
    if left_out:
        sentences.append(tr("Not in the catalogue: {parts}.", parts=joined(left_out, "; ")))
    build = Build(name, tuple(lines), notes=joined([*sentences, *stand_ins]))
    return FoundBuild(build, tuple(left_out), tuple(similar), tuple(stand_ins))


def _origin(inspection: Inspection) -> str:
    if not inspection.texts:
        return tr("Read from the machine on {date}.", date=inspection.taken_at[:10])
    files = joined(dict.fromkeys(text.file for text in inspection.texts), ", ")
    return tr("From {files}, read on {date}.", files=files, date=inspection.taken_at[:10])


def _board(
    inspection: Inspection, boards: Sequence[Part], left_out: list[str], similar: list[SimilarName]
) -> Part | None:
    """By what the firmware calls the board, else by what it calls the machine."""
    board_names = [text for text in (inspection.machine.board, inspection.machine.system) if text]
    identities = Identities.of(boards)
    answers = [_with_variants(identities.called(text), text, boards) for text in board_names]
    exact = next((answer.part for answer in answers if isinstance(answer, Exact)), None)
    near = [(name, one) for name, one in zip(board_names, answers, strict=True) if isinstance(one, Similar)]
    if exact is None and near:
        _note(*near[0], tr("board {name}", name=near[0][0]), left_out, similar)
    elif exact is None and inspection.machine.board:
        left_out.append(tr("board {name}", name=inspection.machine.board))
    return exact


def _with_variants(answer: Identity, text: str, boards: Sequence[Part]) -> Identity:
    """What stands behind a comma in a board's name is the catalogue's own word, which no firmware says; the name of the
    machine, where it is a number of the part, tells variants apart."""
    if not isinstance(answer, Exact) or text.rsplit(maxsplit=1)[-1] in answer.part.part_numbers:
        return answer
    title = answer.part.title.partition(",")[0]
    same = [part for part in boards if part.title.partition(",")[0] == title and part.origin is answer.part.origin]
    return Similar(tuple(same)) if len({part.title for part in same}) > 1 else answer


def _note(name: str, answer: Similar, words: str, left_out: list[str], similar: list[SimilarName]) -> None:
    titles = joined([part.title for part in answer.parts[:_NAMED]], ", ")
    left_out.append(tr("{part}, similar to {parts}", part=words, parts=titles))
    similar.append(SimilarName(name, answer.parts))


def _bound(inspection: Inspection, board: Part | None, notes: Notes) -> dict[str, Bound]:
    slots = board.spec.slots or () if board and isinstance(board.spec, MotherboardSpec) else ()
    noted_slots = notes.slots_on(inspection.machine.board)
    return bind(
        inspection.cards, slots, firmware=inspection.firmware_slots, kernel=inspection.kernel_slots, noted=noted_slots
    )


def _add_cpus(
    inspection: Inspection, cpus: Sequence[Part], lines: list[Line], left_out: list[str], similar: list[SimilarName]
) -> None:
    identities = Identities.of(cpus)
    for name, count in Counter(inspection.machine.cpus).items():
        words = plain("CPU {name}", name=name)
        match identities.called(name):
            case Exact(part):
                lines.append(Line(part, count))
            case Similar() as answer:
                _note(name, answer, words, left_out, similar)
            case _:
                left_out.append(words)


def _add_cards(
    inspection: Inspection,
    gpus: Sequence[Part],
    bound: dict[str, Bound],
    lines: list[Line],
    left_out: list[str],
    similar: list[SimilarName],
) -> None:
    """A card that its ids and its name leave to be one of several products is for the user to choose."""
    by_part: dict[str, tuple[Part, list[Device]]] = {}
    for device in inspection.devices:
        parts = _cards(device, gpus)
        if len(parts) == 1 and not _may_lack_part(device):
            by_part.setdefault(parts[0].id, (parts[0], []))[1].append(device)
        elif parts:
            _note(device.name, Similar(parts), tr("card {name}", name=device.name), left_out, similar)
        else:
            left_out.append(tr("card {name}", name=device.name))
    for part, devices in by_part.values():
        assert isinstance(part.spec, GpuSpec)
        whole = devices[:: gpus_of(part.spec)]
        places = [one.position for device in whole if (one := bound.get(device.bus_id or "")) and one.position]
        all_bound = is_card(part) and len(set(places)) == len(whole)
        lines.append(Line(part, len(whole), tuple(places) if all_bound else ()))


def _coolers_taken(lines: Sequence[Line], gpus: Sequence[Part]) -> Iterator[str]:
    """That a card was entered for others of its product, which differ in size and cooler."""
    boards = Counter(part.spec.product for part in gpus if isinstance(part.spec, GpuSpec))
    for line in lines:
        spec = line.part.spec
        if isinstance(spec, GpuSpec) and boards[spec.product] > 1:
            yield tr(
                "{product}: entered as {part}. Replace it if the card has another cooler.",
                product=spec.product,
                part=line.part.title,
            )


def _cards(device: Device, gpus: Sequence[Part]) -> tuple[Part, ...]:
    """One board for each product, the plainest of its board maker: they differ in little but their cooler."""
    products: dict[str, list[Part]] = {}
    for part in gpus:
        if isinstance(part.spec, GpuSpec) and same_card(part.spec, device):
            products.setdefault(part.spec.product, []).append(part)
    return tuple(board for boards in products.values() if (board := plainest(_of_maker(boards, device))))


def _of_maker(boards: Sequence[Part], device: Device) -> Sequence[Part]:
    """Those of the maker that the card's ids name; all of them where the catalogue has none of it."""
    maker = BOARD_MAKERS.get(device.pci_subsystem_vendor or "")
    return [part for part in boards if part.maker == maker] or boards


def _may_lack_part(device: Device) -> bool:
    """Whether its ids may be those of a product that the catalogue lacks, and its driver tells no name."""
    if device.pci_id is None or by_name(device.name):
        return False
    return len(names_of_id(device.pci_id, device.pci_subsystem, device.pci_revision)) > 1


def _add_ram(
    modules: Sequence[MemoryModule],
    kits: Sequence[Part],
    board: Part | None,
    lines: list[Line],
    left_out: list[str],
    stand_ins: list[str],
) -> None:
    """Modules whose kit is in the build already are added to its line."""
    counts: Counter[str] = Counter()
    parts: dict[str, Part] = {}
    for one in kits_of(modules, kits, board):
        if one.part is None:
            left_out.append(one.words)
            continue
        counts[one.part.id] += one.quantity
        parts[one.part.id] = one.part
        if one.stands_in:
            stand_ins.append(one.sentence)
    lines += [Line(parts[id_], count) for id_, count in counts.items()]


def _add_drives(
    drives: Sequence[FoundDrive], catalogue: Sequence[Part], lines: list[Line], left_out: list[str]
) -> None:
    counts: Counter[str] = Counter()
    parts: dict[str, Part] = {}
    for drive in drives:
        part = next(_fitting(drive, catalogue), None)
        if part is None:
            left_out.append(tr("drive {name}", name=drive.model))
        else:
            counts[part.id] += 1
            parts[part.id] = part
    lines += [Line(parts[id_], count) for id_, count in counts.items()]


def _fitting(drive: FoundDrive, catalogue: Sequence[Part]) -> Iterator[Part]:
    return (part for part in catalogue if is_drive(part, drive.model) and _as_large(part, drive.size_gb))


def _as_large(part: Part, size_gb: float | None) -> bool:
    capacity_gb = part.spec.capacity_gb if isinstance(part.spec, StorageSpec) else None
    return bool(capacity_gb and size_gb) and abs((size_gb or 0) / (capacity_gb or 1) - 1) <= _SIZE_TOLERANCE


# The kits of the catalogue that the modules of a machine are, or that stand for them.

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
    for stick, count in Counter(map(_kind_of, modules)).items():
        kind = stick.kind or spec.ram_type
        fitting = [
            part for part in kits if _fits(part, stick, count, spec.ram_kinds or ()) and _is_sold_as(part, stick, kind)
        ]
        best = min(fitting, key=lambda part: _apart(part, stick), default=None)
        name = joined(filter(None, (stick.maker, stick.part)))
        words = plain("{number} × {size_gb:g} GB {kind}", number=count, size_gb=stick.size_gb, kind=stick.kind or "RAM")
        words = joined([words, name]) if name else words
        if best is None or not isinstance(best.spec, RamSpec) or not best.spec.modules:
            yield KitsOfModules(words)
        else:
            other = not _is_numbered(best, stick)
            yield KitsOfModules(words, best, count // best.spec.modules, other)


def _kind_of(stick: MemoryModule) -> MemoryModule:
    """A module as it is sold: without its own number and place."""
    return MemoryModule("", stick.size_gb, stick.kind, stick.speed_mts, stick.maker, stick.part, None, stick.buffered)


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
