"""Carriers: plugged into a host of their kind that is free and split as they need it, fed, short enough."""

from __future__ import annotations

from collections.abc import Iterable

from core.parts.specs import GpuSpec, Slot
from core.parts.vocabulary import Category, RiserKind, SeatKind
from core.plan.line import Card, is_module
from core.plan.placement.links import LINK_READS
from core.plan.placement.risers import key_of
from core.plan.psus import BOX_READS, has_own_psu
from core.plan.seats import Carrier, Seat, SlotNumber
from core.plan.slots import seat_kind, taken_by_cards
from core.plan.wiring.wiring import PLUG_W, plug_kind
from core.rules.changes import BOARD_OF_MORE_SLOTS, OTHER_CARRIER, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, EqualCards, Reader, Rule, Subjects, all_of, equal_cards
from core.words import all_together, joined, listed, slots_listed, tr, trn

M2_W = 14.0
"""The most that an M.2 socket gives: 4.2 A at 3.3 V, nothing at 12 V."""
SLOT_W = 75.0
PASSIVE_MM = {4: 250.0, 5: 150.0}
"""Passive cable that carries a generation in working machines."""


def carrier_name(carrier: Carrier) -> str:
    """Carrier C1 (Razer Core X)."""
    return tr("Carrier C{number} ({part})", number=carrier.number, part=carrier.part.title)


def _board_slots(carrier: Carrier) -> tuple[int, ...]:
    """The board's slots that it plugs into."""
    return tuple(int(host) for host in carrier.hosts if isinstance(host, int) and SlotNumber(host).carrier is None)


def _plugged(read: Reader, carrier: Carrier) -> Answer:
    machine = read.machine
    kind = read(carrier.part, "host")
    name = carrier_name(carrier)
    if not carrier.hosts:
        raise read.give_up(
            read.board, "slots" if kind is SeatKind.SLOT else "m2" if kind is SeatKind.M2 else "host_ports"
        )
    hosts = all_together([tr("slot {slot}", slot=host) if isinstance(host, int) else host for host in carrier.hosts])
    at = _board_slots(carrier)
    others = [one for one in machine.build.carriers if one is not carrier and set(one.hosts) & set(carrier.hosts)]
    if others:
        read.about(*(one.part for one in others))
        fields = {"name": name, "hosts": hosts, "other": others[0].number}
        message = tr("{name} plugs into {hosts}, and so does carrier C{other}.", **fields)
        return Answer(Status.FAIL, message, slots=at)
    under = taken_by_cards(machine.build)
    covered = [host for host in carrier.hosts if isinstance(host, int) and host in under]
    fields = {"name": name, "hosts": hosts, "kind": kind.label}
    if covered:
        read.about(under[covered[0]])
        message = tr("{name} plugs into {hosts}, but {card} covers that slot.", card=under[covered[0]].title, **fields)
        return Answer(Status.FAIL, message, slots=at)
    seats = (one for one in machine.slots.values() if isinstance(one, Seat))
    if any(SlotNumber(one.position).carrier == carrier.number and not one.plugged for one in seats):
        message = tr("{name}: {board} has no {hosts}.", board=read.board.title, **fields)
        if any(isinstance(host, int) and SlotNumber(host).carrier for host in carrier.hosts):
            message = tr(
                "{name} plugs into {hosts}, which is no seat: carriers count in the order of part ids, {carriers}.",
                carriers=listed([f"C{one.number} {one.part.title}" for one in machine.build.carriers]),
                **fields,
            )
        return Answer(Status.FAIL, message, slots=at)
    if len(_roots(machine, carrier)) > 1:
        message = tr(
            "{name} plugs into {hosts}: ports of two root complexes do not make one link. Take two of one.", **fields
        )
        return Answer(Status.FAIL, message, slots=at)
    slot = machine.slots.get(at[0]) if at else None
    lanes = read.maybe(carrier.part, "host_lanes")
    if kind is SeatKind.SLOT and slot and lanes and lanes > slot.mechanical_lanes and not slot.open_ended:
        message = tr(
            "{name} has an x{lanes} plug, {hosts} is x{length} long and closed at the end.",
            lanes=lanes,
            length=slot.mechanical_lanes,
            **fields,
        )
        return Answer(Status.FAIL, message, lanes, slot.mechanical_lanes, "lanes", at)
    if slot and kind is not SeatKind.SLOT:
        message = tr("{name} takes {kind} cables: {hosts} needs a host card with such ports.", **fields)
        return Answer(Status.NOTE, message, slots=at)
    return Answer(Status.PASS, tr("{name} plugs into {hosts}.", **fields), slots=at)


def _roots(machine: RuleContext, carrier: Carrier) -> set[tuple[int, str]]:
    """The root complexes, as far as they are stated, of the ports that carry the one link of a carrier."""
    one_link = carrier.spec.switched or len(carrier.spec.seats or ()) == 1
    board = machine.build.motherboard
    ports = board[1].host_ports if board and one_link else ()
    return {(port.cpu, port.root) for port in ports if port.root is not None and port.label in carrier.hosts}


def _split(read: Reader, carrier: Carrier) -> Answer:
    slot = _split_slot(read.machine, carrier)
    assert slot is not None
    read.about(carrier.part)
    read(read.board, "slots")
    ways = _links_on(read.machine, carrier)
    fields = {"name": carrier_name(carrier), "number": ways, "slot": slot.position}
    words = tr("{name} makes {number} links of slot {slot}", **fields)
    at = (slot.position,)
    if not slot.bifurcation:
        raise read.give_up(read.board, "slots")
    if any(len(way.split("/")) >= ways for way in slot.bifurcation):
        return Answer(Status.NOTE, tr("{words}: set the split in the firmware.", words=words), slots=at)
    message = tr("{words}: the board offers {offered}.", words=words, offered=", ".join(slot.bifurcation))
    return Answer(Status.FAIL, message, slots=at)


def _links_on(machine: RuleContext, carrier: Carrier) -> int:
    """How many links end on its seats: cards, and carriers, one with a plug over several ports as one."""
    cards = sum(card.slot is not None and SlotNumber(card.slot).carrier == carrier.number for card in machine.placed)
    nested = (one for one in machine.build.carriers if one is not carrier)
    return cards + sum(
        any(isinstance(host, int) and SlotNumber(host).carrier == carrier.number for host in one.hosts)
        for one in nested
    )


def _split_slot(machine: RuleContext, carrier: Carrier) -> Slot | None:
    """The board's slot that has to be split; None where one link is enough."""
    slots = _board_slots(carrier)
    if carrier.spec.switched or not slots or _links_on(machine, carrier) < 2:
        return None
    return machine.slots.get(slots[0])


def _fed(read: Reader, carrier: Carrier) -> Answer:
    powered = read(carrier.part, "powered")
    name = carrier.part.title
    cards = _cards_on(read.machine, carrier)
    read.about(*(card.part for card in cards))
    at = tuple(card.slot or 0 for card in cards)
    modules = [card for card in cards if is_module(card.part)]
    if modules and powered:
        return _modules_fed(read, carrier, modules)
    if has_own_psu(carrier.spec):
        return Answer(Status.PASS, tr("{name} feeds its card from its own PSU.", name=name), slots=at)
    if powered:
        return Answer(Status.PASS, tr("{name} is fed by plugs of its own.", name=name), slots=at)
    kind = read(carrier.part, "host")
    read.all(*((card.part, "power_limit_w") for card in modules))
    drawing = sum(
        (read.machine.line(card.part.id).limit_w or 0.0)
        if is_module(card.part)
        else SLOT_W
        if isinstance(card.part.spec, GpuSpec)
        else 25.0
        for card in cards
    )
    able = M2_W if kind is SeatKind.M2 else SLOT_W if kind is SeatKind.SLOT else 0.0
    fields = {"name": name, "able": able, "drawing": drawing, "count": len(cards)}
    message = trn(
        "{name} gets {able:.0f} W from its host; its card may draw {drawing:.0f} W from the slot.",
        "{name} gets {able:.0f} W from its host; its {count} cards may draw {drawing:.0f} W from their slots.",
        **fields,
    )
    if drawing <= able:
        return Answer(Status.PASS, message, drawing, able, "W", at)
    status = Status.FAIL if kind is SeatKind.M2 else Status.WARN
    return Answer(status, joined([message, tr("Take one with a power plug of its own.")]), drawing, able, "W", at)


def _modules_fed(read: Reader, carrier: Carrier, modules: list[Card]) -> Answer:
    """A module has no plugs: all that it draws comes through its carrier's."""
    inputs = read(carrier.part, "power_inputs")
    read.all(*((card.part, "power_limit_w") for card in modules))
    drawing = sum((read.machine.line(card.part.id).limit_w or 0.0) for card in modules)
    able = sum(PLUG_W.get(plug_kind(row.kind), 0.0) * row.count for row in inputs)
    able += SLOT_W if read(carrier.part, "host") is SeatKind.SLOT else 0.0
    fields = {"name": carrier.part.title, "able": able, "drawing": drawing, "count": len(modules)}
    message = trn(
        "{name} takes {able:.0f} W through its inputs; its module may draw {drawing:.0f} W.",
        "{name} takes {able:.0f} W through its inputs; its {count} modules may draw {drawing:.0f} W.",
        **fields,
    )
    slots = tuple(card.slot or 0 for card in modules)
    return Answer(Status.PASS if drawing <= able else Status.WARN, message, drawing, able, "W", slots)


def _seated(read: Reader, group: EqualCards) -> Answer:
    """A card goes into a slot, a module into a socket of its generation."""
    part, seat = group.part, read.machine.slots[group.slots[0]]
    assert isinstance(seat, Seat)
    if isinstance(part.spec, GpuSpec):
        read(part, "form")
    read(seat.carrier, "seats")
    where = tr("{slots} of {carrier}", slots=slots_listed(group.slots), carrier=seat.carrier.title)
    fields = {"part": part.title, "where": where, "kind": seat.kind.label}
    if seat.kind is not seat_kind(part):
        message = tr("{part} is a card with a PCIe connector: {where} takes {kind}.", **fields)
        if is_module(part):
            message = tr("{part} is a module: {where} takes cards. Take a module carrier.", **fields)
        return Answer(Status.FAIL, message, slots=group.slots)
    if not is_module(part):
        return Answer(Status.PASS, tr("{part} goes into {where}.", **fields), slots=group.slots)
    socket = read(part, "module_socket")
    if seat.socket is None:
        raise read.give_up(seat.carrier, "seats")
    message = tr(
        "{part} is made for {socket}, {where} is {other}.", socket=socket.label, other=seat.socket.label, **fields
    )
    return Answer(Status.PASS if socket is seat.socket else Status.FAIL, message, slots=group.slots)


def _by_seat(machine: RuleContext) -> Iterable[EqualCards]:
    if not machine.build.carriers:
        return ()

    def kind(card: Card) -> object:
        seat = machine.slot_of(card)
        return SlotNumber(card.slot or 0).carrier, isinstance(seat, Seat) and (seat.kind, seat.socket)

    return (group for group in equal_cards(machine, kind) if isinstance(machine.slots.get(group.slots[0]), Seat))


def _signal(read: Reader, carrier: Carrier) -> Answer:
    name = carrier.part.title
    if read(carrier.part, "host") is SeatKind.THUNDERBOLT:
        return _over_thunderbolt(read, carrier, name)
    signal = read(carrier.part, "signal")
    generation = max(_generations(read.machine, carrier), default=1)
    if signal is not RiserKind.PASSIVE or generation < min(PASSIVE_MM):
        message = tr("{name} carries Gen{generation}.", name=name, generation=generation)
        return Answer(Status.PASS, message, generation)
    length = read(carrier.part, "cable_mm")
    limit = PASSIVE_MM[min(generation, max(PASSIVE_MM))]
    fields = {"name": name, "length": length, "generation": generation}
    message = tr("{name}: {length:.0f} mm of passive cable at Gen{generation}", **fields)
    if length <= limit:
        return Answer(Status.PASS, tr("{message}.", message=message), length, limit, "mm")
    message = tr("{message}: set the slot to Gen3, or take one with a redriver or retimer.", message=message)
    return Answer(Status.WARN, message, length, limit, "mm")


def _over_thunderbolt(read: Reader, carrier: Carrier, name: str) -> Answer:
    for card in _cards_on(read.machine, carrier):
        if isinstance(card.part.spec, GpuSpec) and (read.maybe(card.part, "architecture") or "").startswith(
            "Blackwell"
        ):
            message = tr(
                "{name}: over Thunderbolt and USB4, cards like {card} drop off the bus or lock Linux up at the first "
                "CUDA allocation on many machines. Try it before you plan with it; in a slot they run.",
                name=name,
                card=card.part.title,
            )
            return Answer(Status.WARN, message)
    return Answer(Status.PASS, tr("{name}: Thunderbolt carries PCIe in packets of its own.", name=name))


def _generations(machine: RuleContext, carrier: Carrier) -> Iterable[int]:
    """Of the links of the cards on its seats."""
    for card in _cards_on(machine, carrier):
        link = machine.links.get(key_of(card))
        if link is not None and link.generation is not None:
            yield link.generation


def _cards_on(machine: RuleContext, carrier: Carrier) -> list[Card]:
    return [one for one in machine.placed if one.slot and SlotNumber(one.slot).carrier == carrier.number]


def _splitting(machine: RuleContext) -> Iterable[Carrier]:
    return (carrier for carrier in machine.build.carriers if _split_slot(machine, carrier) is not None)


def _carrying(machine: RuleContext) -> Iterable[Carrier]:
    if not machine.build.carriers:
        return ()
    used = {SlotNumber(card.slot).carrier for card in machine.placed if card.slot is not None}
    return (carrier for carrier in machine.build.carriers if carrier.number in used)


_BOARD = (Category.MOTHERBOARD,)
_READS = (
    "gpu.form",
    "gpu.width_slots",
    "motherboard.slots",
    "motherboard.m2",
    "motherboard.host_ports",
    "carrier.host",
    "carrier.host_lanes",
    "carrier.generation",
    "carrier.seats",
    "carrier.switched",
)

CARRIER_RULES = (
    Rule(
        "seat-form",
        tr("Card or module in its seat"),
        tr("A card sits in a PCIe slot, an SXM or OAM module in a socket of its own generation."),
        "NVIDIA, SXM modules; OCP Accelerator Module; PCIe CEM",
        _seated,
        subjects=Subjects(_by_seat, tr("No card sits on a carrier.")),
        reads=(*_READS, "gpu.module_socket"),
        fixes=(Move.ARRANGE, OTHER_CARRIER),
    ),
    Rule(
        "carrier-host",
        tr("Carrier plugged in"),
        tr("Each carrier plugs into a slot, M.2 socket or port of its kind that nothing else uses or covers."),
        "PCIe CEM; PCI-SIG, M.2; the board's manual",
        _plugged,
        _BOARD,
        subjects=Subjects(lambda machine: machine.build.carriers, tr("No PCIe carrier in the build.")),
        reads=(*_READS, "water_block.width_slots", "nic.width_slots", "gpu.product", "gpu.cooling"),
        fixes=(Move.ARRANGE, BOARD_OF_MORE_SLOTS),
    ),
    Rule(
        "carrier-split",
        tr("Slot split for a carrier"),
        tr("Several links in one slot without a switch need a board that splits it (x8/x8, x4/x4/x4/x4)."),
        "peine-braun and maxcloudon on bifurcation",
        _split,
        _BOARD,
        subjects=Subjects(_splitting, tr("No carrier makes several links of one slot.")),
        reads=_READS,
        fixes=(Move.ARRANGE, BOARD_OF_MORE_SLOTS),
    ),
    Rule(
        "carrier-power",
        tr("Power for cards on carriers"),
        tr("A card may draw 75 W from its slot; an M.2 socket gives 14 W at 3.3 V and nothing at 12 V."),
        "PCIe CEM; PCI-SIG, M.2",
        _fed,
        subjects=Subjects(_carrying, tr("No card sits on a carrier.")),
        reads=all_of(_READS, BOX_READS, ("carrier.powered", "carrier.power_inputs", "gpu.power_limit_w")),
        fixes=(Move.ARRANGE, OTHER_CARRIER),
    ),
    Rule(
        "carrier-signal",
        tr("Signal over a carrier"),
        tr("Passive cables carry Gen4 over about 250 mm and Gen5 over about 150 mm in working machines."),
        "C-Payne and ServeTheHome forums on redrivers and retimers; club-3090; open-gpu-kernel-modules 974, 979",
        _signal,
        _BOARD,
        subjects=Subjects(_carrying, tr("No card sits on a carrier.")),
        gravest=Status.WARN,
        reads=all_of(_READS, LINK_READS, ("carrier.signal", "carrier.cable_mm", "gpu.architecture")),
        fixes=(Move.ARRANGE, OTHER_CARRIER),
    ),
)
