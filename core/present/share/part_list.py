"""Takes in a part list that somebody pasted: of PCPartPicker, of BuildCores, of a shop, or by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from core.parts.catalogue import Catalogue
from core.parts.compute import GpuSpec
from core.parts.part import Part, Price
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import AddPart
from core.plan.line import Line, Lookup, contained
from core.plan.price_edits import SetPrices
from core.platform.errors import BadInput, ExitCode, RigwrightError
from core.present.share.list_entries import Entry, read_entries
from core.present.share.list_lines import MOST_WORDS, LineReader, ListLine, State
from core.present.share.list_markup import without_unseen
from core.words import plain, tr

MAX_BYTES = 20_000_000
MAX_LENGTH = 400_000
"""Letters that are read once the programs and styles of a page are gone."""
MAX_LINES = 300
MOST_LETTERS = 600
"""Of a line without a head."""


class NoPart(BadInput):
    """A text in which no line can name a part."""

    exit_code = ExitCode.INCOMPLETE


@dataclass(frozen=True, slots=True)
class PartList:
    """What stands in a list, in its order."""

    lines: tuple[ListLine, ...]
    notes: int = 0
    """Rows that name no part: heads, the total, the operating system."""

    @property
    def recognised(self) -> tuple[ListLine, ...]:
        """The lines with a part, recognised or chosen."""
        return tuple(line for line in self.lines if line.part)

    @property
    def others(self) -> tuple[ListLine, ...]:
        """Those without."""
        return tuple(line for line in self.lines if not line.part)


def read_part_list(text: str, catalogue: Catalogue, today: date | None = None) -> PartList:
    """Raises BadInput where the text is too long or has no line that could name a part."""
    if len(text) > MAX_LENGTH:
        text = without_unseen(text)
    if len(text) > MAX_LENGTH:
        fields = {"length": len(text), "most": MAX_LENGTH}
        raise BadInput(tr("The list has {length} characters; at most {most} are read. Paste only the list.", **fields))
    read = read_entries(text)
    likely = [entry for entry in read.entries if _may_name_a_part(entry)]
    if len(likely) > MAX_LINES:
        fields = {"lines": len(likely), "most": MAX_LINES}
        raise BadInput(tr("The list has {lines} lines; at most {most} are read. Paste only the list.", **fields))
    reader = LineReader(catalogue.identities(), read.dollars, today or date.today())
    lines = [reader.lines(entry) for entry in likely]
    notes = read.notes + len(read.entries) - len(likely) + sum(not of_entry for of_entry in lines)
    if not any(lines):
        raise NoPart(tr("The list names no part. Paste one with a part on each line: GPU: MSI GeForce RTX 3090."))
    return PartList(tuple(_without_sums(likely, lines)), notes)


def _without_sums(entries: Sequence[Entry], lines: Sequence[tuple[ListLine, ...]]) -> Iterator[ListLine]:
    """The lines; one that counts cards by their chip is in doubt if the next, without a head, names such a card."""
    following = [*zip(entries[1:], lines[1:], strict=True), None]
    for entry, of_entry, after in zip(entries, lines, following, strict=True):
        if after and entry.headed and not after[0].headed and _is_sum(of_entry, after[1]):
            yield replace(of_entry[0], state=State.SIMILAR, part=None)
        else:
            yield from of_entry


def _is_sum(lines: tuple[ListLine, ...], below: tuple[ListLine, ...]) -> bool:
    if len(lines) != 1 or len(below) != 1 or lines[0].state is not State.CHOSEN or lines[0].count == 1:
        return False
    return _chip(lines[0].part) in {_chip(part) for part in (below[0].part, *below[0].candidates)}


def _chip(part: Part | None) -> str | None:
    return part.spec.product if part and isinstance(part.spec, GpuSpec) else None


def _may_name_a_part(entry: Entry) -> bool:
    """Whether a row is looked at: with a head, short, or a rig in one line; all else is prose."""
    words = len(entry.text.split())
    numbered = any(map(str.isdigit, entry.text)) and len(entry.text) <= MOST_LETTERS
    return entry.headed or 1 < words <= MOST_WORDS or numbered


def build_from(lines: Iterable[ListLine], name: str, lookup: Lookup) -> tuple[Build, tuple[ListLine, ...]]:
    """A build of the lines with a part, at the prices of the list, and those that did not get into it.

    Cards go to the first slots where they fit. A system brings what it contains, as `lookup` has it by its id, where
    the list does not name it.
    """
    build = Build(name)
    left: list[ListLine] = []
    order = list(Category)
    prices: dict[str, list[tuple[Price, int]]] = defaultdict(list)
    taken = [(line, line.part, line.count_of(line.part)) for line in lines if line.part]
    taken += _unnamed(taken, lookup)
    boards_first = sorted(
        taken, key=lambda row: (row[1].category is not Category.MOTHERBOARD, order.index(row[1].category))
    )
    for line, part, count in boards_first:
        try:
            build = AddPart(part, count).apply(build)
        except (RigwrightError, ValueError) as error:
            why = plain("{line} ({why})", line=line.text, why=error.args[0])
            left.append(ListLine(why, State.UNKNOWN, line.count))
        else:
            if line.price:
                prices[part.id].append((replaced_price(line.price, line.count, count), count))
    own = tuple((part_id, of_one) for part_id, paid in prices.items() if (of_one := _mean(paid)))
    return (SetPrices(own).apply(build) if own else build), tuple(left)


def _unnamed(named: Sequence[tuple[ListLine, Part, int]], lookup: Lookup) -> list[tuple[ListLine, Part, int]]:
    """What the systems of a list contain beyond what it names."""
    there: Counter[str] = Counter()
    for _, part, count in named:
        there[part.id] += count
    inside = contained(Line(part, count) for _, part, count in named)
    return [
        (ListLine(brought.title, State.CHOSEN, count, brought), brought, count)
        for part_id, total in inside.items()
        if (count := total - there[part_id]) > 0 and (brought := lookup(part_id))
    ]


def replaced_price(price: Price, stated_count: int, count: int) -> Price:
    """The price of one kit where the line counted modules."""
    return price if stated_count == count else price.model_copy(update={"amount": price.amount * stated_count / count})


def _mean(paid: list[tuple[Price, int]]) -> Price | None:
    """What one cost where several lines say it; None where they say it in two currencies."""
    if len({price.currency for price, _ in paid}) > 1:
        return None
    amount = sum(price.amount * count for price, count in paid) / sum(count for _, count in paid)
    return paid[0][0].model_copy(update={"amount": round(amount, 2)})
