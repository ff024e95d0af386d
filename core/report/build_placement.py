"""The placement chapter of a build report: what each card's slot really gives it, and how GPUs reach each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from core.assessment import Assessment
from core.build.build import is_card
from core.parts.vocabulary import Category
from core.placement.links import CardLink
from core.placement.nvlink import MODULE_WORDS, built_in
from core.placement.reasons import why_narrow
from core.placement.topology import Pair, Path, matrix
from core.report.document import Block, Cell, Column, Heading, Paragraph, table
from core.units import UNKNOWN, quantity

_COLUMNS = (
    Column("Slot", 1.3),
    Column("Card", 3.2),
    Column("Link", 1.2),
    Column("Each way", 1.1, numeric=True),
    Column("Mounted", 1.1),
    Column("Held back by", 3.1),
)


def placement_blocks(known: Assessment) -> Iterator[Block]:
    """Nothing for a build without cards in slots."""
    build, found = known.build, known.links
    if not found:
        return
    modules = [line for line in build.of(Category.GPU) if not is_card(line.part) and built_in(build, line.part)]
    labels = {slot.label: slot.position for slot in build.board_slots()}
    yield Heading("Placement")
    waiting = Counter(card.part.title for card in build.cards() if card.slot is None)
    if waiting:
        yield Paragraph(f"Not placed: {', '.join(f'{count} x {title}' for title, count in waiting.items())}.")
    for line in modules:
        fabric = built_in(build, line.part)
        assert fabric is not None
        joined = f"{line.quantity} x {line.part.title}: joined by NVLink of the machine's own"
        yield Paragraph(f"{joined}, {MODULE_WORDS[fabric.kind]}.")
    yield table(_COLUMNS, [_link_row(link, labels) for link in found.values()])
    gpus = [link for link in found.values() if link.card.part.category is Category.GPU]
    if len(gpus) > 1:
        yield from _path_blocks(gpus, known.pairs)


def link_text(link: CardLink) -> str:
    """ "Gen4 x8"; "off" where the slot gives no lanes."""
    if link.lanes == 0:
        return "off"
    generation = f"Gen{link.generation}" if link.generation else "Gen?"
    return f"{generation} x{link.lanes}" if link.lanes is not None else f"{generation} x?"


def _link_row(link: CardLink, labels: dict[str, int]) -> tuple[Cell, ...]:
    title = link.card.part.title
    riser = f"\non {link.riser.title if link.riser else 'a riser'}" if link.card.on_riser else ""
    return (
        f"{link.slot.position} ({link.slot.label})",
        f"{title}{riser}",
        link_text(link),
        quantity(link.gbps, "GB/s", decimals=1),
        link.root or UNKNOWN,
        why_narrow(link, labels),
    )


def _path_blocks(gpus: Sequence[CardLink], found: Sequence[Pair]) -> Iterator[Block]:
    """The table of nvidia-smi topo -m, by slot."""
    yield Heading("Paths between GPUs", 2)
    words = matrix(gpus, found)
    if all(pair.word == "?" for pair in found):
        yield Paragraph("The board's data do not say how its slots reach each other.")
        return
    columns = (Column("", 1.3), *(Column(f"Slot {link.slot.position}", 1.0) for link in gpus))
    yield table(columns, [(f"Slot {link.slot.position}", *row) for link, row in zip(gpus, words, strict=True)])
    used = {word for row in words for word in row}
    legend = [f"{path.value}: {path.words}." for path in Path if path.value in used]
    legend += ["NV: NVLink."] if "NV" in used else []
    legend += ["?: the board's data do not say."] if "?" in used else []
    yield Paragraph(" ".join([*legend, "Whether the driver lets GPUs exchange data directly is not planned here."]))
