"""What the machine asks of its PSUs, what they give, and how it is fed: what `wire` needs is read first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import fsum

from core.parts.part import Part
from core.parts.specs import GpuSpec, PsuSpec
from core.parts.vocabulary import CaseKind, Category, GpuForm, PowerConnector
from core.plan.wiring.wiring import BOXED, NAMES, PIN_16, Feed, PowerSocket, WiredPsu, Wiring, plug_kind
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, Reader, UnknownFigure
from core.words import listed, plain, tr, trn


def needed(read: Reader, load: LoadCase) -> Band:
    """The predicted DC power; unknown limits of GPUs and CPUs end the question, lesser figures widen the band."""
    read.each(Category.GPU, "power_limit_w")
    read.each(Category.CPU, "sustained_power_w")
    return drawn(read, load)


def drawn(read: Reader, load: LoadCase) -> Band:
    """The predicted DC power as far as it is known; what widens its band is noted."""
    band = read.machine.power.dc_w[load]
    read.lacking(band.missing)
    return band


def rated(read: Reader) -> float:
    """Output of all PSUs at the mains voltage of the build, W."""
    lines = read.machine.lines(Category.PSU)
    read.all(*((line.part, "power_w") for line in lines))
    return fsum(output_w(read, line.part) * line.quantity for line in lines)


def output_w(read: Reader, psu: Part) -> float:
    """Output of one PSU at the mains voltage; its rating where no limit is stated."""
    power = float(read(psu, "power_w"))
    read.maybe(psu, "input_limits")
    assert isinstance(psu.spec, PsuSpec)
    return psu.spec.output_w(read.machine.build.circuit.voltage_v) or power


def cpus_by_tdp(read: Reader) -> list[Part]:
    """CPUs of which only the TDP is known: they may draw up to twice of it, which often decides nothing.

    Unknown limits of GPUs and CPUs of which not even that is known end the question.
    """
    read.each(Category.GPU, "power_limit_w")
    cpus = [line.part for line in read.machine.lines(Category.CPU)]
    by_tdp = [cpu for cpu in cpus if read.maybe(cpu, "sustained_power_w") is None]
    read.all(*((cpu, "sustained_power_w") for cpu in by_tdp if read.maybe(cpu, "tdp_w") is None))
    return by_tdp


def wired(read: Reader) -> Wiring:
    """How sockets and plugs come together. Raises UnknownFigure where sockets of cards or plugs of PSUs are unknown."""
    machine = read.machine
    unknown = False
    for line in machine.plugged:
        unknown |= read.maybe(line.part, "power_connectors") is None
        read.maybe(line.part, "power_limit_w")  # without it the load is judged by the sockets
    for line in machine.lines(Category.PSU):
        read.maybe(line.part, "power_w")  # without it nothing keeps loads from this PSU
        unknown |= read.maybe(line.part, "cables") is None
    if unknown:
        raise UnknownFigure
    wiring = machine.wiring
    if wiring.without_inputs is not None:
        raise read.give_up(machine.line(wiring.without_inputs).part, "power_inputs")
    if wiring.lacking and any(socket.needed for socket in wiring.unfed) and (psu := _part_counted(machine)):
        raise read.give_up(psu, "cables")
    return wiring


def _part_counted(machine: RuleContext) -> Part | None:
    """A PSU with plugs that nobody counted, which may feed what seems to stay unfed."""
    lines = machine.lines(Category.PSU)
    return next((line.part for line in lines if getattr(line.part.spec, "cables_incomplete", False)), None)


def wiring_unknown(machine: RuleContext) -> bool:
    """Whether `wired` ends in UNKNOWN."""
    cards = any(getattr(part.spec, "power_connectors", None) is None for part in plugged(machine))
    psus = [line.part.spec for line in machine.lines(Category.PSU)]
    if machine.wiring.without_inputs is not None:
        return True
    return cards or any(isinstance(s, PsuSpec) and s.cables is None for s in psus)


def is_plugged(part: Part) -> bool:
    """SXM modules get their power from their carrier."""
    return isinstance(part.spec, GpuSpec) and part.spec.form is GpuForm.PCIE_CARD


def plugged(machine: RuleContext) -> list[Part]:
    """The cards that have sockets for the machine's PSUs or may have."""
    return [line.part for line in machine.plugged]


def read_limits(read: Reader, parts: Iterable[str]) -> None:
    """Loads of sockets rest on the cards' limits. Raises UnknownFigure."""
    lines = [line for line in read.machine.lines(Category.GPU) if line.part.id in set(parts)]
    read.all(*((line.part, "power_limit_w") for line in lines if line.power_limit_w is None))


def estimated_boxes(machine: RuleContext, feeds: Iterable[Feed]) -> list[str]:
    """Cards whose boxed adapter is not known and was reckoned from their limit."""
    ids = {feed.socket.part_id for feed in feeds if feed.adapter == BOXED}
    lines = [line for line in machine.lines(Category.GPU) if line.part.id in ids]
    return [line.part.id for line in lines if getattr(line.part.spec, "boxed_adapter", None) is None]


def kinds_words(sockets: Iterable[PowerSocket]) -> str:
    """2 x PCIe 8-pin and 1 x 16-pin."""
    counts: Counter[PowerConnector] = Counter(socket.kind for socket in sockets)
    return listed([plain("{number} x {kind}", number=counts[kind], kind=NAMES[kind]) for kind in sorted(counts)])


def connectors_words(sockets: Iterable[PowerSocket]) -> str:
    """6 PCIe 8-pin connectors and 1 16-pin connector."""
    counts: Counter[PowerConnector] = Counter(socket.kind for socket in sockets)
    return listed(
        [
            trn("{count} {kind} connector", "{count} {kind} connectors", count=count, kind=NAMES[kind])
            for kind, count in sorted(counts.items())
        ]
    )


def without_cables(read: Reader) -> Answer:
    """What modules without cables ask for: their chassis, or a breakout board anywhere else."""
    machine = read.machine
    titles = [line.part.title for line in machine.lines(Category.PSU)]
    case = machine.case
    bare = trn("{titles} has no cables", "{titles} have no cables", titles=listed(titles), count=len(titles))
    if case is not None and read.maybe(case, "kind") in (CaseKind.TOWER, CaseKind.OPEN_FRAME):
        message = tr(
            "{bare}, only contacts for a chassis: in {case} a breakout board must provide plugs for board and cards.",
            bare=bare,
            case=case.title,
        )
        return Answer(Status.WARN, message)
    message = tr(
        "{bare}: the chassis feeds board and cards from its own distribution board. See the chassis's manual for its "
        "plugs.",
        bare=bare,
    )
    return Answer(Status.PASS, message)


def has_16_pin(part: Part) -> bool:
    """Whether a card has a 16-pin socket, as far as known."""
    rows = getattr(part.spec, "power_connectors", None) or ()
    return any(plug_kind(row.kind) is PIN_16 for row in rows)


def psu_words(machine: RuleContext, psu: WiredPsu) -> str:
    """PSU 2; with its name where the PSUs differ."""
    if len(machine.lines(Category.PSU)) == 1:
        return tr("PSU {place}", place=psu.place)
    return tr("PSU {place} ({part})", place=psu.place, part=machine.line(psu.part_id).part.title)
