"""Adapters, the coding of 16-pin cables, and what the sockets of a card can carry."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

from core.parts.part import Part
from core.parts.specs import CableSpec
from core.parts.vocabulary import Category, PowerConnector
from core.plan.line import Line
from core.plan.psus import BOX_READS
from core.plan.wiring.offer import fits_psus_of, is_makers_own
from core.plan.wiring.wire import WIRING_READS
from core.plan.wiring.wiring import BOXED, NAMES, PIN_16, PLUG_W, SLOT_W, Feed, plug_kind
from core.rules.changes import MORE_PLUGS, SAME_CHIP, Fewer, Move, Swap
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.power_feed import has_16_pin, plugged, read_limits, wired, wiring_unknown
from core.rules.rule import Answer, Reader, Rule, Subjects, parts_of
from core.words import joined, listed, tr, trn

MOST_OF_PLUGS = 1.15
"""Of what slot and plugs are specified for: Quadros take 1.11 of it without trouble; an R9 295X2 with 1.33 tripped
PSUs that limit each plug to 30 A (Corsair on its AX1500i)."""
_NEVER = (PowerConnector.SATA, PowerConnector.MOLEX)


def _adapter(read: Reader, adapter: Part) -> Answer:
    spec = adapter.spec
    assert isinstance(spec, CableSpec)
    read.about(adapter)
    ends = ("source_kind", "source_count", "target_count", "target_kind")
    source, _, targets, _ = read.all(*((adapter, field) for field in ends))
    if source in _NEVER:
        fields = {"adapter": adapter.title, "never": source.label}
        message = tr(
            "{adapter} takes {never} plugs, which are made for drives: feed no card or riser with it.", **fields
        )
        return Answer(Status.WARN, message, limit=54, unit="W")
    if source is PowerConnector.ATX_24PIN:
        return Answer(Status.PASS, tr("{adapter} carries a start signal, no power.", adapter=adapter.title))
    if targets != 1:
        fields = {"adapter": adapter.title, "targets": targets}
        message = tr("{adapter} splits a plug into {targets}; no card is wired through it.", **fields)
        return Answer(Status.NOTE, message)
    feeds = [feed for feed in wired(read).feeds if feed.adapter == adapter.id]
    if not feeds:
        return _in_the_drawer(read, adapter)
    read_limits(read, {feed.socket.part_id for feed in feeds})
    load, rated = max(feed.socket.load_w for feed in feeds), float(read(adapter, "rated_w"))
    fields = {"adapter": adapter.title, "load": load, "rated": rated}
    message = tr("{adapter} carries {load:.0f} W; it is rated for {rated:.0f} W.", **fields)
    return Answer(Status.PASS if load <= rated else Status.FAIL, message, load, rated, "W")


def _in_the_drawer(read: Reader, adapter: Part) -> Answer:
    """It is not used; told apart from one that would be too weak."""
    strangers = _strangers(read, adapter)
    if strangers:
        read.about(*strangers)
        fields: dict[str, object] = {
            "adapter": adapter.title,
            "maker": adapter.maker,
            "psus": listed([psu.title for psu in strangers]),
        }
        message = tr(
            "{adapter} plugs into {maker}'s own PSUs. {psus} may be wired differently, which "
            "destroys a card: leave it out.",
            **fields,
        )
        return Answer(Status.WARN, message)
    wiring, target = read.machine.wiring, plug_kind(read(adapter, "target_kind"))
    sockets = [socket for socket in (*(feed.socket for feed in wiring.feeds), *wiring.unfed) if socket.kind is target]
    rated_w = read.maybe(adapter, "rated_w")
    strongest = max(sockets, key=lambda socket: socket.load_w, default=None)
    if strongest is not None and rated_w is not None and strongest.load_w > rated_w:
        read_limits(read, {strongest.part_id})
        card = read.machine.line(strongest.part_id).part
        read.about(card)
        fields = {"adapter": adapter.title, "rated_w": rated_w, "card": card.title, "load_w": strongest.load_w}
        message = tr(
            "{adapter} is rated for {rated_w:.0f} W; the socket of {card} takes {load_w:.0f} W: leave it out.", **fields
        )
        return Answer(Status.WARN, message, strongest.load_w, rated_w, "W")
    if any(socket.kind is target for socket in wiring.unfed):
        source = plug_kind(read(adapter, "source_kind"))
        message = trn(
            "{adapter} cannot be used: the PSU of its card does not have {count} {kind} plug left for it.",
            "{adapter} cannot be used: the PSU of its card does not have {count} {kind} plugs left for it.",
            adapter=adapter.title,
            count=read(adapter, "source_count"),
            kind=NAMES.get(source) or tr("free"),
        )
        return Answer(Status.NOTE, message)
    return Answer(Status.NOTE, tr("{adapter} is not needed: no socket is left to feed.", adapter=adapter.title))


def _strangers(read: Reader, adapter: Part) -> list[Part]:
    """All PSUs, where a cable is made for those of its maker and there is none among them."""
    psus = [line.part for line in read.machine.lines(Category.PSU)]
    own = not is_makers_own(adapter) or any(fits_psus_of(adapter.maker, psu.maker) for psu in psus)
    return [] if own else psus


def _coding(read: Reader, feed: Feed | None) -> Answer:
    wired(read)
    assert feed is not None
    machine = read.machine
    line = machine.line(feed.socket.part_id)
    limit = line.limit_w if line.limit_w is not None else float(read(line.part, "power_limit_w"))
    coded = feed.rated_w
    if coded is None and feed.adapter not in (None, BOXED):
        coded = float(read(machine.line(str(feed.adapter)).part, "rated_w"))
    if coded is None:
        psu = next(s for s in machine.wiring.psus if s.place == feed.psu)
        raise read.give_up(machine.line(psu.part_id).part, "cables")
    read.about(line.part)
    slots = (feed.socket.slot,) if feed.socket.slot else ()
    by = tr("the adapter") if feed.adapter else tr("the cable")
    fields = {"part": line.part.title, "limit": limit, "by": by, "coded": coded}
    message = tr("{part} may draw {limit:.0f} W; {by} on its 16-pin socket allows {coded:.0f} W", **fields)
    if limit <= coded:
        return Answer(Status.PASS, tr("{message}.", message=message), limit, coded, "W", slots)
    if limit <= coded + SLOT_W:
        message = tr("{message}, so the slot must provide the other {rest:.0f} W.", message=message, rest=limit - coded)
        return Answer(Status.NOTE, message, limit, coded, "W", slots)
    message = tr("{message}: the card limits itself to that or does not start.", message=message)
    return Answer(Status.FAIL, message, limit, coded, "W", slots)


def _coded_feeds(machine: RuleContext) -> Iterable[Feed | None]:
    """One feed for cards of a line that are fed alike; None where it is not known how they are."""
    seen = set()
    if wiring_unknown(machine) and any(_may_have_16_pin(part) for part in plugged(machine)):
        yield None
        return
    for feed in machine.wiring.feeds:
        key = (feed.socket.part_id, feed.adapter, feed.rated_w)
        if feed.socket.kind is PIN_16 and feed.socket.category is Category.GPU and key not in seen:
            seen.add(key)
            yield feed


def _may_have_16_pin(card: Part) -> bool:
    return has_16_pin(card) or getattr(card.spec, "power_connectors", None) is None


def _capacity(read: Reader, line: Line) -> Answer:
    card = line.part
    rows, own = read.all((card, "power_connectors"), (card, "power_limit_w"))
    limit = line.limit_w or own
    kinds = [plug_kind(row.kind) for row in rows for _ in range(row.count)]
    able = SLOT_W + fsum(PLUG_W.get(kind, 0) for kind in kinds)
    fields = {"card": card.title, "limit": limit, "sockets": _sockets(kinds), "able": able}
    message = tr("{card} may draw {limit:.0f} W; slot and {sockets} are specified for {able:.0f} W", **fields)
    if limit <= able:
        return Answer(Status.PASS, tr("{message}.", message=message), limit, able, "W")
    if limit > own:
        message = tr("{message}: the limit that is set is too high for them.", message=message)
        return Answer(Status.WARN, message, limit, able, "W")
    if limit > MOST_OF_PLUGS * able:
        message = tr(
            "{message}: {share:.0f} % of it. A PSU that limits each plug or rail may switch off; give each plug a "
            "cable of its own.",
            message=message,
            share=100 * limit / able,
        )
        return Answer(Status.WARN, message, limit, able, "W")
    return Answer(Status.PASS, tr("{message}: the maker sells it that way.", message=message), limit, able, "W")


def _sockets(kinds: list[PowerConnector]) -> str:
    return joined([NAMES.get(kind, kind) for kind in kinds], " + ") if kinds else tr("no plug")


_GPU_FED = (Category.GPU, Category.PSU)

ADAPTER_RULES = (
    Rule(
        "adapter-rating",
        tr("Adapters"),
        tr(
            "Power through an adapter <= its rating; never from SATA (54 W) or Molex plugs. A cable "
            "that carries more than the plugs it replaces only goes into its maker's own PSUs."
        ),
        "the adapter's data sheet; blockchainblog.io on risers: 54 W of a SATA plug",
        _adapter,
        _GPU_FED,
        subjects=parts_of(Category.CABLE, nothing=tr("No adapter in the build.")),
        reads=WIRING_READS,
        fixes=(Move.LIMIT_POWER, Fewer(Category.CABLE), *MORE_PLUGS),
    ),
    Rule(
        "sense-coding",
        tr("16-pin cable coding"),
        tr("A 16-pin cable tells the card 150, 300, 450 or 600 W for its plug alone; the slot adds up to 75 W."),
        "Intel ATX 3 design guide 336521, SENSE0 & SENSE1; PCIe CEM 5.1",
        _coding,
        _GPU_FED,
        subjects=Subjects(_coded_feeds, tr("No 16-pin socket is fed.")),
        reads=WIRING_READS,
        fixes=(Move.LIMIT_POWER, *MORE_PLUGS),
    ),
    Rule(
        "plug-capacity",
        tr("Plug capacity"),
        tr("75 W slot + 75 W per 6-pin + 150 W per PCIe 8-pin + 300 W per EPS + 600 W per 16-pin >= power limit."),
        "PCIe CEM 5.0; Intel ATX 3.0 design guide; Exxact support on EPS",
        _capacity,
        (Category.GPU,),
        subjects=Subjects(lambda machine: machine.plugged, tr("No card with power plugs.")),
        gravest=Status.WARN,
        reads=("gpu.form", "gpu.power_connectors", "gpu.power_limit_w", *BOX_READS),
        fixes=(Move.LIMIT_POWER, Swap(Category.GPU, "", SAME_CHIP), Move.FEWER_CARDS),
    ),
)
