"""PCIe: what link each card gets in its slot, what feeds it, and what is lost."""

from __future__ import annotations

from collections.abc import Iterable

from core.parts.part import Part
from core.parts.specs import MotherboardSpec, NicSpec, Slot
from core.parts.vocabulary import Attachment, Category
from core.plan.line import ROLE_READS, Card
from core.plan.placement.links import LINK_READS, CardLink, LinkLimit, link_gbps
from core.plan.placement.reasons import why_narrow
from core.plan.placement.risers import key_of
from core.plan.placement.topology import uplink_gbps
from core.plan.seats import UPLINK_LANES, Seat
from core.rules.changes import OTHER_WIRING, WIDER_RISER, Move, OneMore
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.lanes import m2_in_use
from core.rules.rule import Answer, EqualCards, Reader, Rule, Subjects, equal_cards
from core.rules.slots import slot_under
from core.words import slots_listed, tr, trn

PLENTY = 2.0
"""A link of so many times what training asks for needs no word."""
LITTLE_GPUS = 3
FEW_GBPS, MANY_GBPS = 3.9, 7.8
"""GB/s each way that training wants: four lanes of generation 3 on up to three GPUs, eight on more (T. Dettmers)."""


def _link(read: Reader, group: EqualCards) -> Answer:
    _, slot = slot_under(read, group.cards[0])
    lanes, generation = read.all((group.part, "pcie_lanes"), (group.part, "pcie_generation"))
    _narrowest_cpu(read)
    if slot.attachment in (None, Attachment.CPU):
        for line in read.machine.lines(Category.CPU):
            read.maybe(line.part, "pcie_generation")
    link = read.machine.links[key_of(group.cards[0])]
    at = group.slots
    fields = {"group": group.name, "count": group.count}
    if not link.lanes or link.generation is None:
        message = trn(
            "{group}: this slot is switched off with the other slots and M.2 sockets in use.",
            "{group}: these slots are switched off with the other slots and M.2 sockets in use.",
            **fields,
        )
        return Answer(Status.FAIL, message, 0, lanes, "lanes", at)
    _drives_that_share(read)
    got, best = link_gbps(link.generation, link.lanes), link_gbps(generation, lanes)
    words = tr(
        "Gen{generation} x{lanes}, {speed:.1f} GB/s each way", generation=link.generation, lanes=link.lanes, speed=got
    )
    share = got / best
    if share > 0.99:
        message = trn(
            "{group} has the full link: {words}.", "{group} have the full link: {words}.", words=words, **fields
        )
        return Answer(Status.PASS, message, got, best, "GB/s", at)
    message = trn(
        "{group} runs at {words}, {share:.0f} % of Gen{generation} x{lanes}: {why}. {lost}",
        "{group} run at {words}, {share:.0f} % of Gen{generation} x{lanes}: {why}. {lost}",
        words=words,
        share=100 * share,
        generation=generation,
        lanes=lanes,
        why=_why(read.machine, link),
        lost=_lost(read, group.part, got, 1 / share),
        **fields,
    )
    return Answer(_link_status(read, link, got), message, got, best, "GB/s", at)


def _link_status(read: Reader, link: CardLink, gbps: float) -> Status:
    """A slow link that is fast enough for its work is worth a note; one shared on the chipset counts half.

    None where slot and board simply give no more, and that is plenty: nothing in the plan could better it.
    """
    part, shared = link.card.part, link.slot.attachment is Attachment.CHIPSET
    if isinstance(part.spec, NicSpec):
        return Status.WARN if gbps < (_ports_gbps(read, part) or 0.0) else Status.NOTE
    if not read.machine.works(part):
        return Status.PASS
    many = read.machine.worker_count > LITTLE_GPUS
    needed_gbps = (MANY_GBPS if many else FEW_GBPS) * (2 if shared else 1)
    if gbps < needed_gbps:
        return Status.WARN
    of_board = {LinkLimit.SLOT, LinkLimit.CPU, LinkLimit.POPULATION}
    by_board = set(link.limits) <= of_board and not shared and not _by_drive(read, link)
    return Status.PASS if by_board and gbps >= PLENTY * needed_gbps else Status.NOTE


def _by_drive(read: Reader, link: CardLink) -> bool:
    """Whether a drive in an M.2 socket takes the lanes: it could stand elsewhere."""
    return link.row is not None and not {slot.label for slot in read.machine.slots.values()}.issuperset(link.row.filled)


def _lost(read: Reader, part: Part, gbps: float, times: float) -> str:
    """What a narrow link costs: a network card nothing while its ports carry less."""
    if not read.machine.works(part):
        return tr("It does no work: a narrow link is enough.")
    if not isinstance(part.spec, NicSpec):
        return tr("Transfers take {times:.1f} times as long; work that stays on the card loses nothing.", times=times)
    ports_gbps = _ports_gbps(read, part)
    if ports_gbps is None:
        return tr("Whether that is less than its ports carry is not known.")
    share = 100 * gbps / ports_gbps
    passes = tr("{share:.0f} % of it passes", share=share) if ports_gbps > gbps else tr("all of it passes")
    fields = {"ports_gbps": ports_gbps, "passes": passes}
    return tr("At full rate its ports carry {ports_gbps:.1f} GB/s each way: {passes}.", **fields)


def _ports_gbps(read: Reader, part: Part) -> float | None:
    """GB/s each way of all ports of a network card; None if unknown."""
    ports, gbit = read.maybe(part, "ports"), read.maybe(part, "port_gbit")
    return ports * gbit / 8 if ports and gbit else None


def _why(machine: RuleContext, link: CardLink) -> str:
    labels = {slot.label: position for position, slot in machine.slots.items()}
    return why_narrow(link, labels)


def _by_link(machine: RuleContext) -> Iterable[EqualCards]:
    """Cards in slots of an absent CPU are not asked: `pcie-attachment` fails them."""

    def kind(card: Card) -> object:
        link = machine.links.get(key_of(card))
        if link is None:
            return None
        row = link.slot.position if link.row else 0
        shared = link.slot.attachment is Attachment.CHIPSET
        return shared, link.lanes, link.generation, link.limits, row, link.riser and link.riser.id

    return (group for group in equal_cards(machine, kind) if not _is_dead(machine, group.cards[0]))


def _is_dead(machine: RuleContext, card: Card) -> bool:
    slot = machine.slot_of(card)
    if _is_unplugged(slot):
        return True
    return (
        slot is not None
        and slot.attachment is not Attachment.CHIPSET
        and slot.cpu >= max(1, machine.count(Category.CPU))
    )


def _is_unplugged(slot: Slot | None) -> bool:
    """Whether it is the seat of a carrier that plugs into nothing: `carrier-host` tells that."""
    return isinstance(slot, Seat) and not slot.plugged


def _narrowest_cpu(read: Reader) -> None:
    """Reads the lanes of the CPUs where the board's population table has rows for narrow ones."""
    spec = read.board.spec
    assert isinstance(spec, MotherboardSpec)
    if any(row.cpu_lanes is not None for row in spec.lane_cases):
        read.each(Category.CPU, "pcie_lanes")


def _drives_that_share(read: Reader) -> None:
    """Reads which M.2 sockets are in use, where a row of the board's table names one.

    Not asked of a slot that is off already: more drives never give lanes back.
    """
    spec = read.board.spec
    assert isinstance(spec, MotherboardSpec)
    slots = {slot.label for slot in spec.slots or ()}
    if any(not slots.issuperset(row.filled) for row in spec.lane_cases):
        m2_in_use(read)


def _attachment(read: Reader, group: EqualCards) -> Answer:
    board, slot = slot_under(read, group.cards[0])
    read.about(group.part)
    name, at, count = group.name, group.slots, group.count
    if slot.attachment is None:
        raise read.give_up(board, "slots")
    fields = {"name": name, "count": count, "cpu": slot.cpu + 1, "switch": slot.switch}
    if _is_dead(read.machine, group.cards[0]):
        message = trn(
            "{name}: this slot belongs to CPU {cpu}, which the build does not have.",
            "{name}: these slots belong to CPU {cpu}, which the build does not have.",
            **fields,
        )
        return Answer(Status.FAIL, message, slots=at)
    if slot.attachment is Attachment.CHIPSET:
        message = trn(
            "{name} connects to the chipset and shares its link to the CPU with drives and network.",
            "{name} connect to the chipset and share its link to the CPU with drives and network.",
            **fields,
        )
        works = group.part.category is Category.GPU and read.machine.works(group.part)
        narrow = read.machine.links[key_of(group.cards[0])].lanes == 1  # its own link says more than what it shares
        return Answer(Status.WARN if works and not narrow else Status.NOTE, message, slots=at)
    if slot.attachment is Attachment.SWITCH:
        message = trn(
            "{name} connects to switch {switch} of CPU {cpu}.",
            "{name} connect to switch {switch} of CPU {cpu}.",
            **fields,
        )
    else:
        message = trn("{name} connects to CPU {cpu}.", "{name} connect to CPU {cpu}.", **fields)
    return Answer(Status.PASS, message, slots=at)


def _by_root(machine: RuleContext) -> Iterable[EqualCards]:
    def kind(card: Card) -> object:
        slot = machine.slot_of(card)
        return slot and (slot.attachment, slot.cpu, slot.switch)

    return (group for group in equal_cards(machine, kind) if not _is_unplugged(machine.slot_of(group.cards[0])))


def _uplink(read: Reader, cards: tuple[Card, ...]) -> Answer:
    _, slot = slot_under(read, cards[0])
    at = tuple(card.slot or 0 for card in cards)
    read.about(*(card.part for card in cards))
    shared = uplink_gbps(read.machine.links[key_of(cards[0])]) or 0.0
    if isinstance(slot, Seat):
        read.about(slot.carrier)
        status = Status.NOTE if shared / len(cards) < FEW_GBPS else Status.PASS
        return Answer(status, _carrier_uplink(cards, slot, shared), shared / len(cards), FEW_GBPS, "GB/s", at)
    message = tr(
        "{cards} in {slots} share the uplink of switch {switch} to the CPU: {shared:.1f} GB/s in total if it has "
        "{lanes} lanes, {each:.1f} GB/s each while all load; what they send to one another stays in the switch.",
        cards=trn("{count} card", "{count} cards", count=len(cards)),
        slots=slots_listed(at),
        switch=slot.switch,
        shared=shared,
        lanes=UPLINK_LANES[Attachment.SWITCH],
        each=shared / len(cards),
    )
    status = Status.NOTE if shared / len(cards) < FEW_GBPS else Status.PASS
    return Answer(status, message, shared / len(cards), FEW_GBPS, "GB/s", at)


def _carrier_uplink(cards: tuple[Card, ...], seat: Seat, shared: float) -> str:
    return tr(
        "{cards} on {carrier} share {shared:.1f} GB/s to the CPU, {each:.1f} GB/s each while all load; what they send "
        "to one another stays in the switch.",
        cards=trn("{count} card", "{count} cards", count=len(cards)),
        carrier=seat.carrier.title,
        shared=shared,
        each=shared / len(cards),
    )


def _switches(machine: RuleContext) -> Iterable[tuple[Card, ...]]:
    """Cards by the switch that they share; all of them where the board's slots are unknown."""
    if machine.board_slots_unknown and machine.placed:
        return iter((machine.placed,))
    shared: dict[tuple[int, str | None], list[Card]] = {}
    for card in machine.placed:
        slot = machine.slot_of(card)
        if slot and slot.attachment is Attachment.SWITCH and not _is_dead(machine, card):
            shared.setdefault((slot.cpu, slot.switch), []).append(card)
    return (tuple(cards) for cards in shared.values() if len(cards) > 1)


_BOARD = (Category.MOTHERBOARD,)
_NO_CARD = tr("No card sits in a slot of the board.")
_WHERE = ("gpu.form", "motherboard.slots", *ROLE_READS)

LINK_RULES = (
    Rule(
        "pcie-link",
        tr("PCIe link"),
        tr(
            "min(generation) and min(width) of card, slot in this population, riser and CPU; GT/s x "
            "lanes x coding / 8. Training needs 3.9 GB/s per GPU with up to three GPUs, 7.8 with "
            "more, twice that on the chipset; a network card what its ports carry."
        ),
        "PCIe base specification; the board's population table; T. Dettmers, hardware guide",
        _link,
        _BOARD,
        subjects=Subjects(_by_link, _NO_CARD),
        reads=(*LINK_READS, *ROLE_READS, "nic.ports", "nic.port_gbit"),
        fixes=(
            *(Move.OTHER_SOCKET, Move.FULL_GENERATION, Move.ARRANGE, Move.OFF_RISERS, WIDER_RISER, *OTHER_WIRING),
            Move.FEWER_CARDS,
        ),
    ),
    Rule(
        "pcie-attachment",
        tr("Slot wired to CPU or chipset"),
        tr("Cards on the chipset share its link; slots of an absent CPU are dead."),
        "the board's block diagram; club-3090 measurements (13.2 against 6.5 GB/s at equal reported links)",
        _attachment,
        _BOARD,
        subjects=Subjects(_by_root, _NO_CARD),
        reads=tuple(dict.fromkeys((*_WHERE, *LINK_READS))),
        fixes=(Move.ARRANGE, OneMore(Category.CPU), *OTHER_WIRING, Move.FEWER_CARDS),
    ),
    Rule(
        "switch-uplink",
        tr("Switch uplink to the CPU"),
        tr("Cards on one switch share its lanes to the CPU; traffic among them stays in the switch."),
        "rtx6kpro, PCIe switch measurements; sixteen lanes of uplink are assumed where the board does not say",
        _uplink,
        _BOARD,
        subjects=Subjects(_switches, tr("No two cards share a switch.")),
        gravest=Status.NOTE,
        reads=LINK_READS,
    ),
)
