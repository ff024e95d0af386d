"""Every power socket of cards and board gets a plug, best on a cable of its own."""

from __future__ import annotations

from math import fsum

from core.parts.part import Part
from core.parts.specs import ConnectorCount
from core.parts.vocabulary import Category, PowerConnector
from core.rules.feed import (
    EPS_8,
    PCIE_6,
    PCIE_8,
    PIN_16,
    PLUG_W,
    SLOT_W,
    Plugs,
    Stock,
    boxed_adapter_plugs,
    gpu_sockets,
    is_plugged,
    plug_kind,
    stock,
    use_adapters,
)
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule
from core.rules.words import count_of, listed, verb

_NAMES = {PCIE_8: "8-pin", PCIE_6: "6-pin", PIN_16: "16-pin", EPS_8: "EPS 8-pin"}


def _by_the_chassis(read: Reader, machine: Machine) -> Answer | None:
    """The answer for supplies that are modules of a server chassis."""
    supplies = [line.part for line in machine.lines(Category.PSU)]
    if any(cables != () for cables in read.all(*((part, "cables") for part in supplies))):
        return None
    message = (
        f"{listed([part.title for part in supplies])} has no cables: the chassis it slides into feeds board and cards "
        f"from its own distribution board. See the chassis's manual for its plugs."
    )
    return Answer(Status.NOTE, message)


def _gpu_cables(read: Reader, machine: Machine) -> Answer:
    sockets, offered = gpu_sockets(read), stock(read)
    total = sum(sockets.values())
    if not total:
        return Answer(Status.PASS, "The cards need no power cables.", 0, 0, "plugs")
    if answer := _by_the_chassis(read, machine):
        return answer
    cables = sum(offered.cables[kind] for kind in (PCIE_8, PCIE_6, PIN_16))
    notes = []
    if use_adapters(read, offered, sockets):
        notes.append("adapters of the build are used")
    lacking = _boxed_adapters(read, sockets, offered)
    if lacking:
        use = verb(lacking, "use")
        notes.append(f"{count_of(lacking, 'card')} without a native 16-pin cable {use} the adapter from the box")
        total = sum(sockets.values())
    shared, missing = plug_in(offered, sockets)
    message = f"The cards need {_sockets_words(sockets, total)}; the supplies offer {count_of(cables, 'PCIe cable')}"
    if missing:
        names = _kinds_words(missing)
        hint = " Adapters turn two PCIe 8-pin plugs into an EPS plug." if missing[EPS_8] else ""
        return Answer(Status.FAIL, f"{message}: nothing feeds {names}.{hint}", total, total - missing.total(), "plugs")
    if shared:
        notes.append(f"{count_of(shared, 'socket')} must hang on the second plug of a shared cable")
    text = f"{message}{': ' + '; '.join(notes) if notes else ', one for each socket'}."
    status = Status.WARN if shared else Status.NOTE if lacking else Status.PASS
    return Answer(status, text, total, cables, "plugs")


def _boxed_adapters(read: Reader, sockets: Plugs, offered: Stock) -> int:
    """Replaces 16-pin sockets without a native cable by the 8-pin sockets of their adapters."""
    lacking = max(0, sockets[PIN_16] - offered.cables[PIN_16] - offered.pigtails[PIN_16])
    if lacking:
        sockets[PCIE_8] += lacking * boxed_adapter_plugs(read)
        sockets[PIN_16] -= lacking
    return lacking


def plug_in(offered: Stock, sockets: Plugs) -> tuple[int, Plugs]:
    """Plugs everything in. Returns sockets on shared cables, and sockets left without by kind.

    A 6-pin socket takes a 6-pin cable or a 6+2-pin one.
    """
    shared, missing = 0, Plugs()
    for kind, count in sorted(sockets.items(), key=lambda item: item[0] is PCIE_6):
        doubled, lacking = offered.take(kind, count)
        if lacking and kind is PCIE_6:
            more, lacking = offered.take(PCIE_8, lacking)
            doubled += more
        shared += doubled
        if lacking:
            missing[kind] += lacking
    return shared, missing


def _sockets_words(sockets: Plugs, total: int) -> str:
    return f"{count_of(total, 'power plug')} ({_kinds_words(sockets)})"


def _kinds_words(plugs: Plugs) -> str:
    return listed([f"{count} x {_NAMES.get(kind, kind)}" for kind, count in sorted(plugs.items()) if count])


def _board_cables(read: Reader, machine: Machine) -> Answer:
    if answer := _by_the_chassis(read, machine):
        return answer
    board = read.board
    inputs: tuple[ConnectorCount, ...] = read(board, "power_inputs")
    offered = stock(read)
    if any(is_plugged(line.part) for line in machine.lines(Category.GPU)):
        sockets = gpu_sockets(read)
        use_adapters(read, offered, sockets)
        _boxed_adapters(read, sockets, offered)
        plug_in(offered, sockets)
    wanted = Plugs({plug_kind(row.kind): row.count for row in inputs})
    eps = wanted.pop(PowerConnector.EPS_4PIN, 0) + wanted.pop(EPS_8, 0)
    wanted.pop(PowerConnector.ATX_24PIN, None)
    found = min(eps, offered.cables[EPS_8] + offered.pigtails[EPS_8] + offered.cables[PowerConnector.EPS_4PIN])
    if eps and not found:
        return Answer(Status.FAIL, f"No EPS plug is left for the {eps} of {board.title}.", 0, eps, "plugs")
    _, missing = plug_in(offered, wanted)
    if found < eps:
        left = "is" if found == 1 else "are"
        message = f"{board.title} has {count_of(eps, 'EPS input')}, {count_of(found, 'plug')} {left} left for them."
        return Answer(Status.WARN, message, found, eps, "plugs")
    if missing:
        message = f"No plug is left for the auxiliary PCIe input of {board.title}, which feeds many cards."
        return Answer(Status.WARN, message, 0, missing.total(), "plugs")
    message = f"{board.title} gets a plug for {count_of(eps, 'EPS input')} and for its auxiliary ones."
    return Answer(Status.PASS, message, found, eps, "plugs")


def _capacity(read: Reader, card: Part) -> Answer:
    rows, limit = read.all((card, "power_connectors"), (card, "power_limit_w"))
    able = SLOT_W + fsum(PLUG_W.get(plug_kind(row.kind), 0) * row.count for row in rows)
    message = f"{card.title} may draw {limit:.0f} W; slot and plugs are specified for {able:.0f} W."
    return Answer(Status.PASS if limit <= able else Status.WARN, message, limit, able, "W")


def _plugged(machine: Machine) -> list[Part]:
    return [line.part for line in machine.lines(Category.GPU) if is_plugged(line.part)]


_GPU_FED = (Category.GPU, Category.PSU)

CABLE_RULES = (
    Rule(
        "gpu-cables",
        "Power cables of the cards",
        "Every socket of every card hangs on an independent cable; second plugs of a cable only as a way out.",
        "Hugging Face Transformers guide on multi-GPU hardware; PCIe CEM",
        _gpu_cables,
        _GPU_FED,
    ),
    Rule(
        "board-cables",
        "Power cables of the board",
        "EPS inputs and auxiliary PCIe inputs of the board get a plug after the cards have theirs.",
        "the board's manual",
        _board_cables,
        (Category.MOTHERBOARD, Category.PSU),
    ),
    Rule(
        "plug-capacity",
        "Capacity of the plugs",
        "75 W slot + 75 W per 6-pin + 150 W per 8-pin + 600 W per 16-pin >= power limit.",
        "PCIe CEM 5.0; Intel ATX 3.0 design guide",
        _capacity,
        (Category.GPU,),
        subjects=_plugged,
        nothing="No card with power plugs.",
    ),
)
