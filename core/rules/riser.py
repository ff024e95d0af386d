"""Risers: one for each card on a riser, wide and fast enough, short enough, fed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.parts.part import Part
from core.parts.specs import CableSpec
from core.parts.vocabulary import Category, PowerConnector, RiserKind, SeatKind
from core.plan.line import ROLE_READS, Card
from core.plan.placement.links import link_gbps
from core.plan.placement.risers import RISER_READS, key_of
from core.plan.wiring.wiring import PCIE_6, PCIE_8
from core.rules.changes import WIDER_RISER, Add, Move, OneMore, Swap, less, limits, more, no_less
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, Reader, Rule, Subjects, all_of, only_if, parts_of
from core.words import joined, listed, tr, trn

TRAINING_LANES = 4
"""Fewer lanes than these starve a GPU in training."""
SHORT_MM, FAILED_GEN4_MM, LONG_MM, FAILED_MM = 150.0, 190.0, 300.0, 900.0
"""Passive: sure at generation 4 up to the first; from the second on, cables that their makers rate for it failed with
RTX 4090 cards, others of that length work; at generation 3 in use up to the third; failed at the last."""
GEN3_COSTS = tr("Set the slot to Gen3 in the firmware: that costs 0 to 2 % of training.")
"""TechPowerUp, RTX 4090 PCI Express scaling: 2 % in games at Gen3 x16; training of one card asks for less."""


_PORTS = (SeatKind.MCIO, SeatKind.SLIMSAS, SeatKind.OCULINK)
"""Joined by cables, which stand among the risers."""


@dataclass(frozen=True, slots=True)
class OnRiser:
    """Cards of one line on risers of one kind."""

    cards: tuple[Card, ...]
    riser: Part

    @property
    def name(self) -> str:
        """Maker X on riser Y."""
        return tr("{part} on {riser}", part=self.cards[0].part.title, riser=self.riser.title)

    @property
    def slots(self) -> tuple[int, ...]:
        """Slots that the risers plug into."""
        return tuple(card.slot or 0 for card in self.cards)


def _count(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.lines(Category.RISER)
    read.about(*(line.part for line in lines))
    has = machine.count(Category.RISER)
    on_riser = [card for card in machine.placed if card.on_riser]
    slots = tuple(card.slot or 0 for card in on_riser)
    message = trn(
        "{count} card sits on a riser, the build has {has}.",
        "{count} cards sit on risers, the build has {has}.",
        count=len(on_riser),
        has=has,
    )
    if has < len(on_riser):
        read.about(*(card.part for card in on_riser))
        return Answer(Status.WARN, message, has, len(on_riser), "risers", slots)
    # cables that carriers need to the ports they hang on
    between_ports = sum(len(one.hosts) for one in machine.build.carriers if one.spec.host in _PORTS)
    if (spare := has - len(on_riser) - between_ports) > 0:
        message = trn(
            "{count} riser holds no card yet: say which cards are on risers.",
            "{count} risers hold no card yet: say which cards are on risers.",
            count=spare,
        )
        return Answer(Status.NOTE, message, has, len(on_riser), "risers", slots)
    return Answer(Status.PASS, message, has, len(on_riser), "risers", slots)


def _lanes(read: Reader, on_riser: OnRiser) -> Answer:
    card = on_riser.cards[0].part
    lanes, own = read.all((on_riser.riser, "lanes"), (card, "pcie_lanes"))
    words = tr("{on_riser}: {lanes} of its {own} lanes", on_riser=on_riser.name, lanes=lanes, own=own)
    if lanes >= own:
        return Answer(Status.PASS, tr("{words}.", words=words), lanes, own, "lanes", on_riser.slots)
    if card.category is Category.GPU and lanes < TRAINING_LANES and read.machine.works(card):
        generation = read.maybe(on_riser.riser, "generation")
        if generation:
            words = tr("{words}, {speed:.1f} GB/s each way", words=words, speed=link_gbps(generation, lanes))
        message = tr(
            "{words}: it starves a GPU in training. For inference with the model on the card, only "
            "loading takes longer.",
            words=words,
        )
        return Answer(Status.FAIL, message, lanes, TRAINING_LANES, "lanes", on_riser.slots)
    message = tr("{words}: the riser narrows the link.", words=words)
    return Answer(Status.NOTE, message, lanes, own, "lanes", on_riser.slots)


def _generation(read: Reader, on_riser: OnRiser) -> Answer:
    card = on_riser.cards[0].part
    needed = _wanted_generation(read, on_riser)
    generation = read(on_riser.riser, "generation")
    fields = {"on_riser": on_riser.name, "generation": generation, "wanted": needed, "card": card.title}
    if generation >= needed:
        message = tr("{on_riser}: made for Gen{generation}, the link needs Gen{wanted}.", **fields)
        return Answer(Status.PASS, message, generation, needed, "generation", on_riser.slots)
    message = tr(
        "{on_riser}: made for Gen{generation}, but slot and {card} agree on Gen{wanted}. Set the "
        "slot to Gen{generation} in the firmware, or expect errors and a black screen.",
        **fields,
    )
    return Answer(Status.WARN, message, generation, needed, "generation", on_riser.slots)


def _wanted_generation(read: Reader, on_riser: OnRiser) -> int:
    """What card and slot agree on without the riser."""
    card = on_riser.cards[0]
    own = read(card.part, "pcie_generation")
    read(read.board, "slots")
    slot = read.machine.slot_of(card)
    if slot is None:
        raise read.give_up(read.board, "slots")
    return int(min(own, slot.generation))


def _length(read: Reader, on_riser: OnRiser) -> Answer:
    kind = read(on_riser.riser, "kind")
    needed = min(_wanted_generation(read, on_riser), read.maybe(on_riser.riser, "generation") or 9)
    at = on_riser.slots
    fields = {"on_riser": on_riser.name, "wanted": needed, "kind": kind.label, "instead": GEN3_COSTS}
    if kind is not RiserKind.PASSIVE:
        if needed >= 5 and kind is not RiserKind.RETIMER:
            message = tr("{on_riser}: Gen{wanted} over a {kind} riser; cables that long need a retimer.", **fields)
            return Answer(Status.NOTE, message, needed, 4, "generation", at)
        return Answer(Status.PASS, tr("{on_riser}: a {kind} riser carries Gen{wanted}.", **fields), slots=at)
    length = read(on_riser.riser, "length_mm")
    words = tr("{on_riser}: {length:.0f} mm of passive cable at Gen{wanted}", length=length, **fields)
    if length >= FAILED_MM:
        message = tr("{words}; at 900 mm such links have failed.", words=words)
        return Answer(Status.WARN, message, length, FAILED_MM, "mm", at)
    limit = SHORT_MM if needed >= 4 else LONG_MM
    rated = needed >= 4 and length > limit and read(on_riser.riser, "generation") >= needed
    if rated and limit < length < FAILED_GEN4_MM and needed == 4:
        message = tr(
            "{words}, for which its maker rates it; watch the link's error and replay counters under load.", words=words
        )
        return Answer(Status.PASS, message, length, FAILED_GEN4_MM, "mm", at)
    if rated and limit < length <= LONG_MM:
        message = tr(
            "{words}, for which its maker rates it. Rated cables of 190 to 260 mm failed with RTX 4090 cards (black "
            "screen, cards that drop off the bus), others run. {instead} Else watch the link's error and replay "
            "counters under load.",
            words=words,
            **fields,
        )
        return Answer(Status.WARN, message, length, limit, "mm", at)
    if length <= limit:
        return Answer(Status.PASS, tr("{words}.", words=words), length, limit, "mm", at)
    message = tr(
        "{words}, beyond about {limit:.0f} mm marginal: watch the link's error and replay counters under load.",
        words=words,
        limit=limit,
    )
    long = needed >= 4 and length > LONG_MM
    return Answer(Status.WARN if long else Status.NOTE, message, length, limit, "mm", at)


def _with_risers(machine: RuleContext) -> bool:
    return bool(machine.lines(Category.RISER)) or any(card.on_riser for card in machine.placed)


def _mounted(machine: RuleContext) -> Iterable[OnRiser]:
    groups: dict[tuple[str, str, int], list[Card]] = {}
    risers = machine.risers
    for card in machine.placed:
        riser = risers.get(key_of(card))
        if riser is not None:
            slot, own = machine.slot_of(card), getattr(card.part.spec, "pcie_generation", None)
            agreed = min(slot.generation, own or slot.generation) if slot else 0
            groups.setdefault((card.part.id, riser.id, agreed), []).append(card)
    return (OnRiser(tuple(cards), risers[key_of(cards[0])]) for cards in groups.values())


_BOARD = (Category.MOTHERBOARD,)
_NONE = tr("No card is on a riser.")
_READS = ("gpu.form", "gpu.pcie_generation", "nic.pcie_generation", "motherboard.slots", *RISER_READS)

RISER_RULES = (
    Rule(
        "riser-count",
        tr("Number of risers"),
        tr("One riser in the build for each card on a riser."),
        "counting",
        _count,
        subjects=only_if(_with_risers, _NONE),
        gravest=Status.WARN,
        reads=("gpu.form",),
        fixes=(Move.OFF_RISERS, Add(Category.RISER), OneMore(Category.RISER)),
    ),
    Rule(
        "riser-lanes",
        tr("Riser lanes"),
        tr("A riser narrows the link to its lanes; one lane (mining) starves a GPU in training."),
        "PCIe base specification; survey of GPU risers; T. Dettmers: four lanes a GPU",
        _lanes,
        subjects=Subjects(_mounted, _NONE),
        reads=all_of(ROLE_READS, _READS, ("gpu.pcie_lanes", "nic.pcie_lanes")),
        fixes=(Move.OFF_RISERS, WIDER_RISER, Move.ARRANGE),
    ),
    Rule(
        "riser-generation",
        tr("Riser generation"),
        tr("A riser is made for a generation; beyond it the link trains badly unless the firmware caps it."),
        "club-3090, pull request 895: Gen3 risers under Gen4 cards",
        _generation,
        _BOARD,
        subjects=Subjects(_mounted, _NONE),
        gravest=Status.WARN,
        reads=_READS,
        fixes=(
            *(Move.OLDER_GENERATION, Move.OFF_RISERS),
            *(Swap(Category.RISER, "generation", more("generation")), Move.ARRANGE),
        ),
    ),
    Rule(
        "riser-length",
        tr("Riser length"),
        tr(
            "Passive cables beyond about 150 mm are marginal at Gen4 (28 dB of loss at 8 GHz over "
            "the whole path); 900 mm failed. Of cables that their makers rate for Gen4, some of 190 to 260 mm failed, "
            "others work. Longer ones need a redriver (Gen4) or retimer (Gen5); at Gen3, 300 mm work."
        ),
        "club-3090; WOPR build report; Intel, PCI Express 4.0 retimer brief; TechPowerUp, RTX 4090 PCI Express scaling",
        _length,
        _BOARD,
        subjects=Subjects(_mounted, _NONE),
        gravest=Status.WARN,
        reads=(*_READS, "riser.kind"),
        fixes=(
            Move.OLDER_GENERATION,
            Move.OFF_RISERS,
            Swap(Category.RISER, "length_mm", limits(no_less("generation"), less("length_mm"))),
            Move.ARRANGE,
        ),
    ),
)


SLOT_W, SATA_W, MOLEX_W = 75.0, 54.0, 78.0
"""A Molex plug has one contact for 12 V, good for 6.5 A."""


def _power(read: Reader, riser: Part) -> Answer:
    fields = {"riser": riser.title, "slot_w": SLOT_W, "sata_w": SATA_W}
    if not read(riser, "powered"):
        message = tr("{riser} passes on the power of the slot, up to {slot_w:.0f} W per card from the board.", **fields)
        return Answer(Status.PASS, message, SLOT_W, unit="W")
    inputs = read.maybe(riser, "power_inputs")
    if inputs and all(socket.kind is PowerConnector.SATA for socket in inputs):
        message = tr(
            "{sata_w:.0f} < {slot_w:.0f} W: a SATA plug feeds {riser}, a card may draw more there. Such plugs have "
            "burnt.",
            **fields,
        )
        return Answer(Status.FAIL, message, SLOT_W, SATA_W, "W")
    for kind, able_w in ((PowerConnector.SATA, SATA_W), (PowerConnector.MOLEX, MOLEX_W)):
        adapters = [line.part for line in read.machine.lines(Category.CABLE) if _is_for_riser(read, line.part, kind)]
        if adapters:
            read.about(*adapters)
            return _from_drive_plugs(riser, listed([part.title for part in adapters]), able_w)
    message = tr(
        "{riser} needs power of its own: from a PCIe cable of the PSU that feeds its card, "
        "never from SATA ({sata_w:.0f} W against up to {slot_w:.0f} W).",
        **fields,
    )
    return Answer(Status.NOTE, message, SLOT_W, SATA_W, "W")


def _from_drive_plugs(riser: Part, adapters: str, able_w: float) -> Answer:
    instead = tr("Leave {adapters} out and feed {riser} from a PCIe cable.", adapters=adapters, riser=riser.title)
    fields = {"able_w": able_w, "slot_w": SLOT_W, "instead": instead}
    if able_w < SLOT_W:
        message = tr(
            "{able_w:.0f} < {slot_w:.0f} W: a SATA plug carries less than a card may draw through "
            "its riser, and such plugs have burnt. {instead}",
            **fields,
        )
        return Answer(Status.FAIL, message, SLOT_W, able_w, "W")
    message = tr(
        "The {able_w:.0f} W of a Molex plug leave no margin over the {slot_w:.0f} W that a card may draw there.",
        **fields,
    )
    return Answer(Status.WARN, joined([message, instead]), SLOT_W, able_w, "W")


def _is_for_riser(read: Reader, adapter: Part, kind: PowerConnector) -> bool:
    """Whether an adapter makes a plug for a riser out of one for drives."""
    assert isinstance(adapter.spec, CableSpec)
    read.maybe(adapter, "target_kind")
    target = adapter.spec.target_kind
    return read.maybe(adapter, "source_kind") is kind and (target is None or target in (PCIE_6, PCIE_8, kind))


RISER_POWER_RULES = (
    Rule(
        "riser-power",
        tr("Riser power"),
        tr(
            "A card may draw 75 W from its slot; a SATA plug carries 54 W (three pins of 1.5 A "
            "at 12 V), a Molex one 78 W."
        ),
        "stefanholmes.com, blockchainblog.io and cryptoage.com on SATA, Molex and risers; PCIe CEM",
        _power,
        subjects=parts_of(Category.RISER, nothing=tr("No riser in the build.")),
        reads=("riser.powered", "riser.power_inputs", "cable.source_kind", "cable.target_kind"),
        fixes=(Move.OFF_RISERS, WIDER_RISER, Move.ARRANGE),
    ),
)
