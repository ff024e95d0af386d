"""Every power socket of cards and board gets a plug, best on a cable of its own."""

from __future__ import annotations

from math import fsum, inf

from core.parts.part import Part
from core.parts.vocabulary import CaseKind, Category
from core.plan.line import Line
from core.plan.seats import on_carrier
from core.plan.wiring.sentences import cut_short_words
from core.plan.wiring.wire import WIRING_READS, fed_by_chassis
from core.plan.wiring.wiring import BOXED, EPS_4, EPS_8, NAMES, Feed, PowerSocket, plug_kind
from core.rules import power_feed
from core.rules.changes import MORE_PLUGS, OTHER_PSU, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.psu import EPS_EASY_W
from core.rules.rule import Answer, Reader, Rule, Subjects
from core.words import joined, slots_listed, tr, trn

PLUGS_PER_CABLE = 2
"""At most so many PCIe or EPS plugs sit on one cable of a PSU; builders' practice, not confirmed."""
FAR_MM = 700.0
"""Cable that a card on a riser or in an open frame asks for; practice of builders, not confirmed."""


def _gpu_cables(read: Reader, machine: RuleContext) -> Answer:
    wiring = power_feed.wired(read)
    if wiring.by_chassis:
        return power_feed.without_cables(read)
    fed = [feed for feed in wiring.feeds if feed.socket.category is not Category.MOTHERBOARD]
    unfed = [socket for socket in wiring.unfed if socket.category is not Category.MOTHERBOARD]
    total = len(fed) + len(unfed)
    if not total:
        return Answer(Status.PASS, tr("The cards need no power cables."), 0, 0, "plugs")
    boxed = [feed for feed in fed if feed.adapter == BOXED]
    unfed_ids = {socket.part_id for socket in unfed}
    if boxed or any(part.id in unfed_ids and power_feed.has_16_pin(part) for part in power_feed.plugged(machine)):
        power_feed.read_limits(read, power_feed.estimated_boxes(machine, fed) or unfed_ids)
    if unfed:
        supposed = [socket for socket in (*(feed.socket for feed in fed), *unfed) if _supposed(machine, socket)]
        if len(unfed) <= len(supposed):
            raise read.give_up(machine.line(supposed[0].part_id).part, "power_inputs")
        fields: dict[str, object] = {"connectors": power_feed.connectors_words(unfed), "total": total, "fed": len(fed)}
        message = tr("{connectors} unpowered: cards and risers have {total}, {fed} of them get a plug.", **fields)
        message = joined([message, _hint(machine, unfed), cut_short_words() if wiring.cut_short else ""])
        return Answer(Status.FAIL, message, total, len(fed), "plugs")
    kinds = power_feed.kinds_words(feed.socket for feed in fed)
    fields = {"count": total, "kinds": kinds}
    if any(feed.socket.category is Category.RISER for feed in fed):
        wants = trn(
            "Cards and risers have {count} power socket ({kinds})",
            "Cards and risers have {count} power sockets ({kinds})",
            **fields,
        )
    else:
        wants = trn(
            "The cards have {count} power socket ({kinds})", "The cards have {count} power sockets ({kinds})", **fields
        )
    used = sum(len(feed.plugs) for feed in fed)
    used_adapters = {feed.adapter for feed in fed}
    read.about(*(line.part for line in machine.lines(Category.CABLE) if line.part.id in used_adapters))
    counted_only = any(not plug.cable.independent for feed in fed for plug in feed.plugs)
    if counted_only and not all(_to_spare(machine, feed) for feed in fed):
        message = tr(
            "{wants}, and the PSUs have enough plugs; whether each has a cable of its own is not known.", wants=wants
        )
        return Answer(Status.NOTE, message, total, used, "plugs")
    if boxed:
        plugs = trn("{count} PCIe 8-pin plug", "{count} PCIe 8-pin plugs", count=sum(len(feed.plugs) for feed in boxed))
        fields = {"wants": wants, "count": len(boxed), "plugs": plugs}
        message = trn(
            "{wants}; {count} socket uses the adapter from the card's box, which takes {plugs}.",
            "{wants}; {count} sockets use the adapter from the card's box, which takes {plugs}.",
            **fields,
        )
        return Answer(Status.PASS, message, total, used, "plugs")
    if any(feed.adapter for feed in fed):
        message = tr("{wants}; each gets a plug, some through adapters of the build.", wants=wants)
    else:
        message = tr("{wants}; each gets a plug.", wants=wants)
    return Answer(Status.PASS, message, total, used, "plugs")


def _supposed(machine: RuleContext, socket: PowerSocket) -> bool:
    """Whether it is taken for granted: a riser or carrier whose sockets nobody states may be fed by other plugs too."""
    if socket.category not in (Category.RISER, Category.CARRIER):
        return False
    return getattr(machine.line(socket.part_id).part.spec, "power_inputs", None) is None


def _hint(machine: RuleContext, unfed: list[PowerSocket]) -> str:
    wiring = machine.wiring
    for socket in unfed:
        line = machine.build.line(socket.part_id)
        place = line.psu(socket.number) if line else None
        if place is not None and place <= len(wiring.psus):
            slot = socket.slot
            where = tr("in slot {slot}", slot=slot) if slot else tr("number {number}", number=socket.number)
            fields = {"place": place, "part": line.part.title if line else socket.part_id, "where": where}
            return tr("PSU {place}, assigned to {part} {where}, has no plug left for it.", **fields)
    if any(socket.kind is EPS_8 for socket in unfed):
        return tr("These are EPS sockets, not PCIe ones; an adapter turns two PCIe 8-pin plugs into an EPS plug.")
    return tr("All sockets of a card must be fed by one PSU.") if len(wiring.psus) > 1 else ""


def _to_spare(machine: RuleContext, feed: Feed) -> bool:
    """Whether the PSU of a feed has twice the plugs of its kind that are in use: no cable has more than two, so that
    every socket gets one of its own."""
    if all(plug.cable.independent for plug in feed.plugs):
        return True
    psu = next(one for one in machine.wiring.psus if one.place == feed.psu)
    rows = getattr(machine.line(psu.part_id).part.spec, "cables", None) or ()
    kinds = {plug.cable.kind for plug in feed.plugs}
    has: int = sum(row.plugs for row in rows if plug_kind(row.kind) in kinds)
    used = sum(plug.cable.kind in kinds for one in machine.wiring.feeds if one.psu == feed.psu for plug in one.plugs)
    return has >= PLUGS_PER_CABLE * used


def _cable_shared(read: Reader, machine: RuleContext) -> Answer:
    wiring = power_feed.wired(read)
    feeds = [feed for feed in wiring.feeds if feed.socket.category is not Category.MOTHERBOARD]
    counted = {plug.cable.psu for feed in feeds for plug in feed.plugs if not plug.cable.independent}
    for psu in wiring.psus:
        if psu.place in counted and not all(_to_spare(machine, feed) for feed in feeds):
            raise read.give_up(machine.line(psu.part_id).part, "cables")
    shared = {plug.cable for feed in feeds for plug in feed.plugs if plug.pigtail}
    if not shared:
        message = (
            tr("The chassis has no shared cables to choose.") if wiring.by_chassis else tr("No card shares a cable.")
        )
        return Answer(Status.PASS, message, 0, unit="cables")
    power_feed.read_limits(read, {feed.socket.part_id for feed in feeds})
    loads = wiring.cable_loads_w
    worst = max(shared, key=lambda cable: (loads[cable], cable))
    message = tr(
        "{cables} must feed more than one socket: {kind} cable {number} of PSU {psu} carries {load:.0f} W. Give each "
        "socket of the hungriest cards a cable of its own.",
        cables=trn("{count} cable", "{count} cables", count=len(shared)),
        kind=NAMES[worst.kind],
        number=worst.number,
        psu=worst.psu,
        load=loads[worst],
    )
    return Answer(Status.WARN, message, len(shared), 0, "cables")


def _board_cables(read: Reader, _: RuleContext) -> Answer:
    board = read.board
    if fed_by_chassis(read.machine.build):
        read.about(board, *(line.part for line in read.machine.lines(Category.PSU)))
        return Answer(Status.PASS, tr("The PSUs have no cables; the chassis feeds the board."))
    inputs = read(board, "power_inputs")
    wiring = power_feed.wired(read)
    if not inputs:
        return Answer(Status.PASS, tr("{board} has no power inputs: its chassis feeds it.", board=board.title))
    unfed = [socket for socket in wiring.unfed if socket.category is Category.MOTHERBOARD]
    fed = [feed.socket for feed in wiring.feeds if feed.socket.category is Category.MOTHERBOARD]
    total = len(fed) + len(unfed)
    needed = [socket for socket in unfed if socket.needed]
    if needed:
        fields = {"kinds": power_feed.kinds_words(needed), "board": board.title}
        message = tr("No plug is left for the {kinds} input of {board}: it does not start.", **fields)
        return Answer(Status.FAIL, message, len(fed), total, "plugs")
    eps = [socket for socket in unfed if socket.kind in (EPS_8, EPS_4)]
    if eps:
        return _fewer_eps(read, eps, fed)
    if unfed:
        fields = {"kinds": power_feed.kinds_words(unfed), "board": board.title}
        message = tr("No plug is left for the auxiliary {kinds} input of {board}, for many cards.", **fields)
        return Answer(Status.WARN, message, len(fed), total, "plugs")
    message = (
        tr("Every power input of {board} gets a plug ({kinds}).", board=board.title, kinds=power_feed.kinds_words(fed))
        if fed
        else tr("Every power input of {board} gets a plug.", board=board.title)
    )
    return Answer(Status.PASS, message, len(fed), total, "plugs")


def _fewer_eps(read: Reader, unfed: list[PowerSocket], fed: list[PowerSocket]) -> Answer:
    """Further EPS inputs are for more than the plugged ones carry: without them little CPUs lack nothing."""
    board, total = read.board, len(fed) + len(unfed)
    left = tr("{board} is left without a plug for {kinds}", board=board.title, kinds=power_feed.kinds_words(unfed))
    cpus = read.machine.lines(Category.CPU)
    limits_w = [line.quantity * (read.maybe(line.part, "sustained_power_w") or inf) for line in cpus]
    kinds = [socket.kind for socket in fed]
    easy_w = EPS_EASY_W * (kinds.count(EPS_8) + 0.5 * kinds.count(EPS_4))
    if limits_w and fsum(limits_w) <= easy_w:
        fields = {"left": left, "easy_w": easy_w}
        message = tr("{left}: what is plugged carries {easy_w:.0f} W, and the CPU draws no more.", **fields)
        return Answer(Status.PASS, message, len(fed), total, "plugs")
    message = tr("{left}: it starts, with less power for the CPU.", left=left)
    return Answer(Status.WARN, message, len(fed), total, "plugs")


def _eps_not_pcie(read: Reader, card: Part) -> Answer:
    wiring = power_feed.wired(read)
    if wiring.by_chassis:
        return Answer(Status.PASS, tr("The PSUs have no PCIe cable that could be mistaken for an EPS one."))
    lacking = [socket for socket in wiring.unfed if socket.kind is EPS_8 and socket.needed]
    psus = read.machine.lines(Category.PSU)
    message = tr("{card} takes EPS (CPU) plugs, not PCIe 8-pin ones, though they look alike", card=card.title)
    if lacking:
        read.about(*(line.part for line in psus))
        if read.machine.board is not None:
            read.about(read.machine.board)
        message = trn(
            "{message}: {count} EPS socket of cards and board has no plug. Forcing a PCIe plug in "
            "shorts 12 V to ground.",
            "{message}: {count} EPS sockets of cards and board have no plug. Forcing a PCIe plug in "
            "shorts 12 V to ground.",
            message=message,
            count=len(lacking),
        )
        return Answer(Status.FAIL, message, len(lacking), 0, "plugs")
    return Answer(Status.NOTE, tr("{message}: forced together they short 12 V to ground.", message=message))


def _eps_cards(machine: RuleContext) -> list[Part]:
    """Cards with an EPS socket, and those that may have one."""
    rows = [(part, getattr(part.spec, "power_connectors", None)) for part in power_feed.plugged(machine)]
    return [part for part, own in rows if own is None or any(row.kind is EPS_8 for row in own)]


def _cable_length(read: Reader, feeds: tuple[Feed, ...]) -> Answer:
    power_feed.wired(read)
    psu = feeds[0].psu
    part = read.machine.line(next(s.part_id for s in read.machine.wiring.psus if s.place == psu)).part
    lengths = [plug.length_mm for feed in feeds for plug in feed.plugs]
    if any(length is None for length in lengths):
        raise read.give_up(part, "cables")
    shortest = min(length for length in lengths if length is not None)
    slots = tuple(sorted({feed.socket.slot for feed in feeds if feed.socket.slot}))
    where = slots_listed(slots) if slots else tr("the frame")
    fields = {"psu": psu, "where": where, "shortest": shortest, "far_mm": FAR_MM}
    message = tr(
        "The cables from PSU {psu} to the cards in {where} are {shortest:.0f} mm long; plan {far_mm:.0f} mm.", **fields
    )
    status = Status.PASS if shortest >= FAR_MM else Status.NOTE
    return Answer(status, message, shortest, FAR_MM, "mm", slots)


def _far_cards(machine: RuleContext) -> list[tuple[Feed, ...]]:
    """Feeds of cards away from the board, by PSU; an empty one where it is not known how they are fed.

    PSUs of one kind whose cables have no known length are one question.
    """
    lines = [line for line in machine.plugged if _is_far(machine, line)]
    if lines and power_feed.wiring_unknown(machine):
        return [()]
    wiring = machine.wiring
    ids = {line.part.id: line for line in lines}
    far = [feed for feed in wiring.feeds if feed.socket.part_id in ids and _sits_far(machine, ids, feed)]
    groups: dict[str | int, tuple[Feed, ...]] = {}
    for psu in wiring.psus:
        feeds = tuple(feed for feed in far if feed.psu == psu.place)
        measured = all(plug.length_mm is not None for feed in feeds for plug in feed.plugs)
        if feeds:
            groups.setdefault(psu.place if measured else psu.part_id, feeds)
    return list(groups.values())


def _is_far(machine: RuleContext, line: Line) -> bool:
    return _open_frame(machine) or bool(line.risers) or any(map(on_carrier, line.slots))


def _sits_far(machine: RuleContext, lines: dict[str, Line], feed: Feed) -> bool:
    at = feed.socket.slot
    return _open_frame(machine) or on_carrier(at) or at in lines[feed.socket.part_id].risers


def _open_frame(machine: RuleContext) -> bool:
    return machine.case_kind is CaseKind.OPEN_FRAME


_GPU_FED = (Category.GPU, Category.PSU)
_EPS_SOURCE = "S. Mueller, Upgrading and Repairing PCs (what-when-how.com); Intel ATX 3.0 design guide, 2.2.1"

CABLE_RULES = (
    Rule(
        "gpu-cables",
        tr("Card power cables"),
        tr("Every socket of every card gets a plug of its kind, all for one card from the same PSU."),
        "PCIe CEM; Hugging Face Transformers guide on multi-GPU hardware",
        _gpu_cables,
        _GPU_FED,
        reads=(*WIRING_READS, "case.kind"),
        fixes=MORE_PLUGS,
    ),
    Rule(
        "cable-shared",
        tr("Separate cables"),
        tr("Every socket has a cable of its own; a second plug of a cable only where none is left."),
        "Hugging Face Transformers guide on multi-GPU hardware",
        _cable_shared,
        _GPU_FED,
        gravest=Status.WARN,
        reads=WIRING_READS,
        fixes=MORE_PLUGS,
    ),
    Rule(
        "board-cables",
        tr("Board power cables"),
        tr(
            "The 24-pin and an EPS input must have a plug; auxiliary inputs should, and further EPS inputs where the "
            "CPU draws more than the others carry."
        ),
        "the board's manual",
        _board_cables,
        (Category.MOTHERBOARD, Category.PSU),
        reads=WIRING_READS,
        fixes=MORE_PLUGS,
    ),
    Rule(
        "eps-not-pcie",
        tr("EPS plugs for EPS sockets"),
        tr("EPS and PCIe 8-pin plugs have 12 V and ground swapped; only an adapter turns one into the other."),
        _EPS_SOURCE,
        _eps_not_pcie,
        _GPU_FED,
        subjects=Subjects(_eps_cards, tr("No card with an EPS socket.")),
        reads=WIRING_READS,
        fixes=MORE_PLUGS,
    ),
    Rule(
        "cable-length",
        tr("Power cable length"),
        tr("Cables to cards on risers or in an open frame: {far_mm:.0f} mm.", far_mm=FAR_MM),
        "practice of builders, not confirmed",
        _cable_length,
        _GPU_FED,
        subjects=Subjects(_far_cards, tr("No card sits away from the board.")),
        confirmed=False,
        gravest=Status.NOTE,
        reads=(*WIRING_READS, "case.kind"),
        fixes=(OTHER_PSU, Move.OFF_RISERS),
    ),
)
