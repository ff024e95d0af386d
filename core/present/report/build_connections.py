"""The placement and power delivery chapters of a build report: links of the cards, cables, PSU load, peaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from core.assessment import Assessment
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import is_card
from core.plan.placement.links import CardLink
from core.plan.placement.nvlink import built_in
from core.plan.placement.reasons import why_narrow
from core.plan.placement.topology import Pair, Path, matrix
from core.plan.wiring.sentences import adapter_words, cut_short_words, modules_words, socket_words
from core.plan.wiring.wiring import NAMES, Feed, Plug, PowerSocket, WiredPsu, Wiring
from core.predict.power import SupplyLoad
from core.present.picture.side_view import side_view
from core.present.picture.svg import draw
from core.present.report.document import Badge, Block, Cell, Heading, Illustration, Paragraph, ReportColumn, Tone, table
from core.present.report.formatting import commas
from core.rules.finding import figure_phrase
from core.rules.power_peaks import POWER_PEAKS
from core.words import joined, plain, tr
from core.words.units import UNKNOWN, quantity

WHAT_IS_DRAWN = tr(
    "To scale; dashed where a size is not known. Cards are tinted by their temperature "
    "in training: predicted, not measured. Blue lines are links, as thick as they are "
    "fast; amber dashed ones are held back. Grey lines are power cables."
)
_COLUMNS = (
    ReportColumn(tr("Slot"), 1.3),
    ReportColumn(tr("Card"), 3.2),
    ReportColumn(tr("Link"), 1.2),
    ReportColumn(tr("Each way"), 1.1, numeric=True),
    ReportColumn(tr("Wired to"), 1.1),
    ReportColumn(tr("Held back by"), 3.1),
)


def picture_blocks(assessment: Assessment) -> Iterator[Block]:
    """The machine from the side; nothing for an empty build."""
    if assessment.build.lines:
        yield Heading(tr("The machine"))
        scene = side_view(assessment)
        yield Illustration(tr("Side view"), partial(draw, scene), WHAT_IS_DRAWN, scene.title)


def placement_blocks(assessment: Assessment) -> Iterator[Block]:
    """Nothing for a build without cards in slots."""
    build, links = assessment.build, assessment.links
    if not links:
        return
    modules = [line for line in build.of(Category.GPU) if not is_card(line.part) and built_in(build, line.part)]
    labels = {slot.label: slot.position for slot in build.board_slots()}
    yield Heading(tr("Placement"))
    waiting = Counter(card.part.title for card in build.cards() if card.slot is None)
    if waiting:
        cards = commas(plain("{count} x {card}", count=count, card=title) for title, count in waiting.items())
        yield Paragraph(tr("Not placed: {cards}.", cards=cards))
    for line in modules:
        fabric = built_in(build, line.part)
        assert fabric is not None
        fields = {"quantity": line.quantity, "part": line.part.title, "how": fabric.kind.label}
        yield Paragraph(tr("{quantity} x {part}: joined by the machine's own NVLink, {how}.", **fields))
    yield table(_COLUMNS, [_link_row(link, labels) for link in links.values()])
    gpus = [link for link in links.values() if link.card.part.category is Category.GPU]
    if len(gpus) > 1:
        yield from _path_blocks(gpus, assessment.pairs)


def link_text(link: CardLink) -> str:
    """ "Gen4 x8"; "off" where the slot gives no lanes."""
    if link.lanes == 0:
        return tr("off")
    generation = f"Gen{link.generation}" if link.generation else "Gen?"
    return f"{generation} x{link.lanes}" if link.lanes is not None else f"{generation} x?"


def _link_row(link: CardLink, labels: dict[str, int]) -> tuple[Cell, ...]:
    title = link.card.part.title
    if link.card.on_riser:
        title = tr("{card}\non {riser}", card=title, riser=link.riser.title if link.riser else tr("a riser"))
    return (
        f"{link.slot.position} ({link.slot.label})",
        title,
        link_text(link),
        quantity(link.gbps, "GB/s", decimals=1),
        link.root or UNKNOWN,
        why_narrow(link, labels),
    )


def _path_blocks(gpus: Sequence[CardLink], pairs: Sequence[Pair]) -> Iterator[Block]:
    """The table of nvidia-smi topo -m, by slot."""
    yield Heading(tr("Paths between GPUs"), 2)
    words = matrix(gpus, pairs)
    if all(pair.word == "?" for pair in pairs):
        yield Paragraph(tr("The board's data do not say how its slots reach each other."))
        return
    slots = [tr("Slot {slot}", slot=link.slot.position) for link in gpus]
    columns = (ReportColumn("", 1.3), *(ReportColumn(slot, 1.0) for slot in slots))
    yield table(columns, [(slot, *row) for slot, row in zip(slots, words, strict=True)])
    used = {word for row in words for word in row}
    legend: list[str] = [tr("{path}: {words}.", path=one.value, words=one.label) for one in Path if one.value in used]
    legend += ["NV: NVLink."] if "NV" in used else []
    legend += [tr("?: not stated in the board's data.")] if "?" in used else []
    legend.append(tr("Whether the driver lets GPUs exchange data directly is not covered here."))
    yield Paragraph(joined(legend))


def wiring_blocks(assessment: Assessment) -> Iterator[Block]:
    """Nothing for a build without a PSU."""
    build, wiring = assessment.build, assessment.wiring
    if not wiring.psus:
        return
    yield Heading(tr("Power delivery"))
    columns = (ReportColumn("PSU", 0.8), ReportColumn(tr("Part"), 3.0), ReportColumn(tr("Output"), 1.0, numeric=True))
    load = ReportColumn(tr("Load"), 3.0)
    yield table((*columns, load), [_psu_row(build, psu, assessment.psu_loads.get(psu.place)) for psu in wiring.psus])
    yield Paragraph(
        tr("Worst case: all cards and CPUs at their limits; the rest of the machine is on the board's PSU.")
    )
    if wiring.cut_short:
        yield Paragraph(cut_short_words())
    if wiring.by_chassis:
        yield Paragraph(modules_words(build))
    if wiring.lacking:
        yield Paragraph(
            tr("Not everything could be wired; unknown: {figures}.", figures=figure_phrase(build, wiring.lacking))
        )
    yield from _cable_blocks(build, wiring)
    peaks = [finding.message for finding in assessment.findings if finding.rule == POWER_PEAKS.id and finding.checked]
    if peaks:
        yield Heading(tr("Power peaks"), 2)
        yield Paragraph(joined(peaks, "\n"))


def _cable_blocks(build: Build, wiring: Wiring) -> Iterator[Block]:
    unfed = [socket for socket in wiring.unfed if socket.needed]
    if not wiring.feeds and not unfed:
        return
    yield Heading(tr("Cables"), 2)
    columns = (
        ReportColumn(tr("From"), 2.4),
        ReportColumn(tr("To"), 4.6),
        ReportColumn(tr("Load"), 1.0, numeric=True),
        ReportColumn(tr("Remarks"), 2.2),
    )
    unknown = any(figure.endswith(".cables") for figure in wiring.lacking)
    rows = [_feed_row(build, feed) for feed in wiring.feeds]
    yield table(columns, [*rows, *(_unfed_row(build, socket, certain=not unknown) for socket in unfed)])


def _psu_row(build: Build, psu: WiredPsu, load: SupplyLoad | None) -> tuple[Cell, ...]:
    line = build.line(psu.part_id)
    return (
        tr("PSU {place}", place=psu.place),
        line.part.title if line else psu.part_id,
        quantity(psu.power_w, "W"),
        UNKNOWN if load is None else load.words,
    )


def _feed_row(build: Build, feed: Feed) -> tuple[Cell, ...]:
    cables = [plain("{kind} {numbers}", kind=NAMES[kind], numbers=_numbers(plugs)) for kind, plugs in feed.by_kind]
    cable = tr("PSU {psu}, {cables}", psu=feed.psu, cables=joined(cables, " + "))
    remarks = [tr("shares its cable")] if feed.pigtail else []
    if feed.adapter:
        remarks.append(tr("through {adapter}", adapter=adapter_words(build, feed.adapter)))
    return cable, socket_words(build, feed.socket), _load(feed.socket), commas(remarks)


def _numbers(plugs: Sequence[Plug]) -> str:
    numbers = [
        tr("{cable}, plug {plug}", cable=plug.cable.number, plug=plug.number)
        if plug.pigtail
        else str(plug.cable.number)
        for plug in plugs
    ]
    return joined(numbers, " + ")


def _unfed_row(build: Build, socket: PowerSocket, *, certain: bool) -> tuple[Cell, ...]:
    word = Badge(tr("UNPOWERED"), Tone.FAIL) if certain else Badge(tr("UNKNOWN"), Tone.UNKNOWN)
    return word, socket_words(build, socket), _load(socket), "" if certain else tr("the cables of a PSU are unknown")


def _load(socket: PowerSocket) -> str:
    return quantity(socket.load_w, "W", decimals=0) if socket.load_w else ""
