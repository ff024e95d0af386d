"""Whether texts are of one machine: the same board, the same CPU, the same card at each place on the bus."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.asbuilt.texts.contents import TextContents
from core.language import tr

_MOST_NAMES = 100
"""Of one thing: more of them than two are of two machines anyhow."""
_WORD = re.compile(r"[a-z0-9]+")
_COMMON_WORDS = frozenset(("cpu", "processor", "core", "r", "tm", "with", "inc", "corp", "corporation", "computer"))


@dataclass(frozen=True, slots=True)
class FileText:
    """What a text has, and the file that it is in."""

    file: str
    contents: TextContents


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two files that differ about the same thing."""

    what: str
    first: tuple[str, str]
    second: tuple[str, str]
    """File, and what it tells."""


def contradiction_of(texts: Sequence[FileText]) -> Contradiction | None:
    """The first that there is."""
    return next(_contradictions(texts), None)


def _contradictions(texts: Sequence[FileText]) -> Iterator[Contradiction]:
    boards = [(text.file, text.contents.facts.board) for text in texts if text.contents.facts.board]
    yield from _pairs(tr("board"), boards, _another_board)
    serials = [(text.file, text.contents.facts.board_serial) for text in texts if text.contents.facts.board_serial]
    yield from _pairs(tr("serial number of the board"), serials, _another_serial)
    cpus = [(text.file, text.contents.facts.cpus[0]) for text in texts if text.contents.facts.cpus]
    yield from _pairs("CPU", cpus, _another_cpu)
    places: dict[str, list[tuple[str, str]]] = {}
    for text in texts:
        for entry in text.contents.entries:
            if entry.vendor and entry.device:
                places.setdefault(entry.address, []).append((text.file, f"{entry.vendor}:{entry.device}"))
        for gpu in text.contents.gpus:
            if gpu.bus_id and gpu.pci_id:
                places.setdefault(gpu.bus_id, []).append((text.file, gpu.pci_id))
    several = {address: ids for address, ids in places.items() if len({name for _, name in ids}) > 1}
    for address, ids in sorted(several.items()):
        yield from _pairs(tr("card at {address}", address=address), ids, lambda one, other: one != other)


def _pairs(
    what: str, rows: Sequence[tuple[str, str | None]], another: Callable[[str, str], bool]
) -> Iterator[Contradiction]:
    """Each name once, of the first file that has it; a file of many equal texts costs no more than one."""
    files: dict[str, str] = {}
    for file, name in rows:
        if name and len(files) < _MOST_NAMES:
            files.setdefault(name, file)
    for (name, file), (other, other_file) in combinations(files.items(), 2):
        if another(name, other):
            yield Contradiction(what, (file, name), (other_file, other))


def _another_board(one: str, other: str) -> bool:
    """Tools shorten makers' names, and add a revision."""
    words, others = _words(one), _words(other)
    return not (words <= others or others <= words) and not _ends_alike(one, other)


def _ends_alike(one: str, other: str) -> bool:
    """ "Micro-Star International Co., Ltd. MPG X870E" and "MSI MPG X870E": all but the maker."""
    last, other_last = (re.sub(r"[^a-z0-9 ]", "", text.casefold()).split() for text in (one, other))
    same = 0
    while same < min(len(last), len(other_last)) and last[-1 - same] == other_last[-1 - same]:
        same += 1
    return same > 0 and same >= min(len(last), len(other_last)) - 1


def _another_serial(one: str, other: str) -> bool:
    return one.casefold() != other.casefold()


def _another_cpu(one: str, other: str) -> bool:
    """By the words with a number in them, of which every name of a processor has one: "5975WX", "E5-2670"."""
    numbers, others = ({word for word in _words(text) if re.search(r"\d{3}", word)} for text in (one, other))
    return bool(numbers and others) and not numbers & others


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _COMMON_WORDS
