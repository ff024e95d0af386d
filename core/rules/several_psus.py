"""Several PSUs in one machine."""

from __future__ import annotations

from core.parts.query import Filter
from core.parts.specs import PsuSpec
from core.parts.vocabulary import Category
from core.plan.line import Line
from core.plan.wiring.wire import WIRING_READS
from core.plan.wiring.wiring import ATX_24, WiredPsu, Wiring
from core.rules.changes import Add, Fewer, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.power_feed import psu_words, wired
from core.rules.psu import several
from core.rules.rule import Answer, Reader, Rule, only_if
from core.words import clauses, listed, tr, trn


def _several(read: Reader, machine: RuleContext) -> Answer:
    count = machine.count(Category.PSU)
    read.about(*(line.part for line in machine.lines(Category.PSU)))
    if count == 1:
        return Answer(Status.PASS, tr("One PSU feeds everything."), 1, unit="PSUs")
    for line in machine.lines(Category.PSU):
        read.maybe(line.part, "redundant")
    if not several(machine):
        message = tr("{number} redundant PSUs share the load on a common bus.", number=count)
        return Answer(Status.PASS, message, count, unit="PSUs")
    wiring = wired(read)
    shared = clauses([tr("{psu} feeds {fed}", psu=psu_words(machine, s), fed=_fed(wiring, s)) for s in wiring.psus])
    message = tr("{shared}. All plugs of a card, and its powered riser, go to one PSU.", shared=shared)
    unlike = len(machine.lines(Category.PSU)) > 1
    return Answer(Status.NOTE if unlike else Status.PASS, message, count, unit="PSUs")


def _fed(wiring: Wiring, psu: WiredPsu) -> str:
    cards = {
        (feed.socket.part_id, feed.socket.number)
        for feed in wiring.feeds
        if feed.psu == psu.place and feed.socket.category is Category.GPU
    }
    board = [tr("the board")] if wiring.board_psu == psu.place else []
    return listed(
        [*board, *([trn("{count} card", "{count} cards", count=len(cards))] if cards else [])] or [tr("nothing")]
    )


def _sync(read: Reader, machine: RuleContext) -> Answer:
    count = machine.count(Category.PSU)
    joining = _joining(read, machine)
    for line in machine.lines(Category.PSU):
        if read.maybe(line.part, "redundant") is None and not joining and _may_share_a_bus(line):
            raise read.give_up(line.part, "redundant")
    started = 1 + sum(line.quantity for line in joining)
    if started >= count:
        fields = {"part": joining[0].part.title, "number": count}
        message = tr("{part} starts {number} PSUs together; join their grounds before switching on.", **fields)
        return Answer(Status.PASS, message, count, count, "PSUs")
    has = tr("The build has none.")
    if joining:
        has = tr("The build's adapters start {started} of {number} PSUs.", started=started, number=count)
    message = tr(
        "{number} PSUs must start and stop together and share their ground: join their start signals, each further PSU "
        "with an Add2PSU or a dual 24-pin adapter of its own. {has}",
        number=count,
        has=has,
    )
    return Answer(Status.WARN, message, started, count, "PSUs")


def _may_share_a_bus(line: Line) -> bool:
    """Whether units of a server's form may hang on one board of their chassis, which starts them."""
    spec = line.part.spec
    return isinstance(spec, PsuSpec) and spec.made_for_servers and line.quantity > 1 and spec.cables is None


def _joining(read: Reader, machine: RuleContext) -> list[Line]:
    """Adapters by which one PSU starts another."""
    return [line for line in machine.lines(Category.CABLE) if read(line.part, "source_kind") is ATX_24]


def _backfeed(read: Reader, machine: RuleContext) -> Answer:
    wiring = wired(read)
    for line in machine.lines(Category.PSU):
        read.maybe(line.part, "redundant")
    if wiring.board_psu is None:
        return Answer(Status.PASS, tr("The chassis feeds the slots, and all PSUs the chassis."), 0, unit="cards")
    risers = {feed.socket.slot for feed in wiring.feeds if feed.socket.category is Category.RISER}
    mixed = {
        (feed.socket.part_id, feed.socket.number): feed.socket.slot
        for feed in wiring.feeds
        if feed.socket.category is Category.GPU and feed.psu != wiring.board_psu and feed.socket.slot not in risers
    }
    if not mixed:
        return Answer(Status.PASS, tr("No card takes 12 V from two PSUs."), 0, unit="cards")
    slots = tuple(sorted(slot for slot in mixed.values() if slot))
    message = trn(
        "{count} card takes 12 V from the slot (PSU {psu}) and from plugs of another PSU: when one of them is off, the "
        "other feeds back into it. Switch them together; a riser with its own power plug keeps them apart.",
        "{count} cards take 12 V from the slot (PSU {psu}) and from plugs of another PSU: when one of them is off, the "
        "other feeds back into it. Switch them together; a riser with its own power plug keeps them apart.",
        count=len(mixed),
        psu=wiring.board_psu,
    )
    together = 1 + sum(line.quantity for line in _joining(read, machine)) >= machine.count(Category.PSU)
    return Answer(Status.PASS if together else Status.NOTE, message, len(mixed), 0, "cards", slots)


def _as_set(read: Reader, machine: RuleContext) -> Answer:
    wiring = wired(read)
    lines = _set_lines(machine)
    count = machine.count(Category.PSU)
    read.about(*(line.part for line in (*lines, *machine.lines(Category.PSU))))
    for line in lines:
        gone = [place for place in line.psus if place is not None and place > count]
        if gone:
            fields = {"psu": gone[0], "number": count, "part": line.part.title}
            message = tr(
                "There is no PSU {psu}: the build has {number}. {part} is wired as if none were assigned.", **fields
            )
            return Answer(Status.FAIL, message, gone[0], count, "PSUs")
    if wiring.by_chassis:
        return Answer(Status.NOTE, tr("The chassis feeds board and cards: a PSU assigned to them changes nothing."))
    feeding: dict[int, set[int]] = {}
    for feed in wiring.feeds:
        if feed.socket.slot is not None and feed.socket.category in (Category.GPU, Category.RISER):
            feeding.setdefault(feed.socket.slot, set()).add(feed.psu)
    mixed = tuple(sorted(slot for slot, places in feeding.items() if len(places) > 1))
    if mixed:
        places = sorted(feeding[mixed[0]])
        message = tr(
            "{cards} on two PSUs: the one in slot {slot} and its riser are fed by PSU {first} "
            "and PSU {second}, whose 12 V meet on the card. Feed both from one.",
            cards=trn("{count} card", "{count} cards", count=len(mixed)),
            slot=mixed[0],
            first=places[0],
            second=places[1],
        )
        return Answer(Status.WARN, message, len(mixed), 0, "cards", mixed)
    number = sum(place is not None for line in lines for place in line.psus)
    message = tr(
        "{assignments} by hand; no card is fed by two PSUs.",
        assignments=trn("{count} PSU assignment", "{count} PSU assignments", count=number),
    )
    return Answer(Status.PASS, message, number)


def _set_lines(machine: RuleContext) -> list[Line]:
    return [line for line in machine.build.lines if line.psus]


_PRACTICE = "practice of builders with several PSUs, not confirmed"

SEVERAL_RULES = (
    Rule(
        "psu-several",
        tr("Several PSUs"),
        tr("All sockets of a card and of its powered riser on one PSU; the board on the first."),
        _PRACTICE,
        _several,
        (Category.PSU,),
        confirmed=False,
        gravest=Status.NOTE,
        reads=(*WIRING_READS, "psu.redundant"),
    ),
    Rule(
        "psu-as-set",
        tr("PSUs assigned by hand"),
        tr("A PSU assigned to a card exists; one PSU feeds a card and its powered riser."),
        "Building WOPR, multiple power supplies (mov-axbx.com)",
        _as_set,
        (Category.PSU,),
        subjects=only_if(_set_lines, tr("No PSU is assigned by hand.")),
        reads=WIRING_READS,
        fixes=(Move.SHARE_OUT, Move.SECOND_PSU),
    ),
    Rule(
        "psu-sync",
        tr("PSUs start together"),
        tr("Synchronised start and common ground: a start-signal adapter for each PSU beyond the first."),
        "Building WOPR, multiple power supplies (mov-axbx.com); practice, not confirmed",
        _sync,
        (Category.PSU,),
        subjects=only_if(several, tr("Nothing to synchronise.")),
        confirmed=False,
        gravest=Status.WARN,
        reads=(*WIRING_READS, "psu.redundant", "psu.form_factor"),
        fixes=(Add(Category.CABLE, only=(Filter("source_kind", ("atx_24pin",)),)), Fewer(Category.PSU)),
    ),
    Rule(
        "psu-backfeed",
        tr("Back-feed between PSUs"),
        tr("12 V of a slot and of a card's plugs meet on the card: best from one PSU, else switched together."),
        _PRACTICE,
        _backfeed,
        (Category.PSU, Category.GPU),
        subjects=only_if(several, tr("One PSU, or redundant ones on a common bus.")),
        confirmed=False,
        gravest=Status.NOTE,
        reads=(*WIRING_READS, "psu.redundant"),
    ),
)
