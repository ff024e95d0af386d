"""What software the cards need: CUDA, ROCm or Intel's, builds that still know them, and what the host must pass on."""

from __future__ import annotations

from functools import cache

from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Attachment, Category, Socket
from core.plan.line import ROLE_READS, Card
from core.plan.placement.topology import p2p_over_pcie
from core.rules.changes import OTHER_WIRING, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import AT_WORK, Answer, Reader, Rule, only_if
from core.words import listed, tr

MODERN = 7.5
"""Turing. Older cards: the CUDA 12.6 builds of PyTorch alone, and no CUDA 13."""
OLDEST = 5.0
"""Maxwell, the oldest that any current build of PyTorch runs on."""
NEWEST_FOR_OLD = 9.0
"""Hopper, the newest that the builds for old cards know."""
NVIDIA, AMD, INTEL = "NVIDIA", "AMD", "Intel"
_PRODUCTS = {AMD: ("Radeon", "Instinct", "FirePro"), INTEL: ("Arc ", "Data Center GPU ", "Gaudi ")}
_AMD_SOCKETS = frozenset(
    {
        *(Socket.AM1, Socket.AM2, Socket.AM2_PLUS, Socket.AM3, Socket.AM3_PLUS, Socket.AM4, Socket.AM5),
        *(Socket.FM1, Socket.FM2, Socket.FM2_PLUS, Socket.G34, Socket.TR4, Socket.STRX4, Socket.SWRX8),
        *(Socket.STR5, Socket.SP3, Socket.SP5, Socket.SP6),
    }
)
WITHOUT_ATOMICS = frozenset(
    {
        *(Socket.LGA775, Socket.LGA1155, Socket.LGA1156, Socket.LGA1356, Socket.LGA1366, Socket.LGA2011),
        *(Socket.AM1, Socket.AM2, Socket.AM2_PLUS, Socket.AM3, Socket.AM3_PLUS, Socket.FM1, Socket.FM2, Socket.G34),
    }
)
"""Sockets of CPUs from before Haswell and Ryzen, the first that AMD lists as passing PCIe atomics on."""
CORES_WITHOUT_ATOMICS = ("Excavator", "Bristol Ridge")
"""What sits in AM4, too, and passes none on (ROCm/legacy-rocm-build 521: Athlon X4 950)."""
NEEDS_NO_ATOMICS = ("GCN 5", "CDNA")
"""Vega and what came of it: the first that ROCm starts without PCIe atomics, which RDNA cards want again."""
BY_FIRMWARE = ("RDNA",)
"""The driver asks these for PCIe atomics only while their firmware is older than a version of each chip's own."""


def chip_maker(spec: GpuSpec) -> str:
    """Whose software a card needs: CUDA, ROCm or Intel's; board makers sell more than one."""
    return _maker(spec.product)


@cache
def _maker(product: str) -> str:
    return next((maker for maker, names in _PRODUCTS.items() if product.startswith(names)), NVIDIA)


def _capability(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.workers
    makers = {chip_maker(spec) for _, spec in machine.build.workers()}
    read.about(*(line.part for line in lines))
    if len(makers) > 1:
        names = listed(sorted(makers))
        return Answer(Status.WARN, tr("Cards of {makers}: no framework trains one model across them.", makers=names))
    if makers == {AMD}:
        return Answer(Status.PASS, tr("AMD cards: ROCm's support list says what runs on them."))
    if makers == {INTEL}:
        boards = [line.part for line in machine.lines(Category.MOTHERBOARD)]
        if any(read.maybe(board, "resizable_bar") is False for board in boards):
            message = tr(
                "Intel cards need Resizable BAR, which {board} does not have: their driver is slow without it, or "
                "does not start.",
                board=boards[0].title,
            )
            return Answer(Status.WARN, message)
        return Answer(Status.PASS, tr("Intel cards: PyTorch's XPU builds and OpenVINO run on them, CUDA does not."))
    cards = [line.part for line in lines]
    capabilities = read.all(*((card, "compute_capability") for card in cards))
    pairs = ((float(text), card.title) for text, card in zip(capabilities, cards, strict=True))
    levels = sorted(pairs, key=lambda pair: pair[0])
    (low, oldest), (high, newest) = levels[0], levels[-1]
    if low >= MODERN:
        message = tr("Compute capability {low:.1f} and up: current CUDA and PyTorch run on every card.", low=low)
        return Answer(Status.PASS, message)
    name = tr("{oldest} has compute capability {low:.1f}", oldest=oldest, low=low)
    if low < OLDEST:
        return Answer(Status.WARN, tr("{name}: no current PyTorch or driver runs on it.", name=name))
    if high > NEWEST_FOR_OLD:
        fields = {"name": name, "newest": newest, "high": high}
        message = tr(
            "{name}, {newest} {high:.1f}: no single PyTorch build runs on both (CUDA 12.6 for one, "
            "12.8 for the other).",
            **fields,
        )
        return Answer(Status.WARN, message)
    message = tr(
        "{name}: PyTorch runs on it with CUDA 12.6 only, not with CUDA 13, and driver 580 is its last.", name=name
    )
    return Answer(Status.NOTE, message)


def _iommu(read: Reader, machine: RuleContext) -> Answer:
    count = machine.worker_count
    sockets = read.each(Category.CPU, "socket")
    if not _AMD_SOCKETS.intersection(sockets):
        return Answer(Status.PASS, tr("The host CPU is not from AMD."))
    if count < 2:
        return Answer(Status.PASS, tr("One GPU: nothing passes between cards."))
    gpus = [line.part for line in machine.workers]
    read.about(*gpus)
    if not any(_with_rocm(part.spec) or p2p_over_pcie(part) for part in gpus):
        return Answer(Status.PASS, tr("These cards exchange nothing directly over PCIe: the IOMMU is not in the way."))
    message = tr(
        "AMD host with several GPUs: start Linux with iommu=pt, else transfers between cards may hang or fault."
    )
    return Answer(Status.NOTE, message)


def _atomics(read: Reader, machine: RuleContext) -> Answer:
    board = read.board
    read(board, "slots")
    cards = _amd_cards(machine)
    read.about(*{card.part.id: card.part for card in cards}.values())
    cards = [card for card in cards if not _of(read, card.part, NEEDS_NO_ATOMICS)]
    if not cards:
        return Answer(Status.PASS, tr("ROCm starts Vega and CDNA cards without PCIe atomics too."))
    old = next((line.part for line in machine.lines(Category.CPU) if _passes_no_atomics(read, line.part)), None)
    if old is not None:
        return _behind_old_cpu(read, old, cards)
    slots = [(card, machine.slot_of(card)) for card in cards]
    behind = [card for card, slot in slots if slot is not None and slot.attachment is Attachment.CHIPSET]
    if behind:
        message = tr(
            "{part} in slot {slot} is wired to the chipset: ROCm needs PCIe atomics, which few chipsets pass on.",
            part=behind[0].part.title,
            slot=behind[0].slot,
        )
        return Answer(Status.WARN, message, slots=tuple(card.slot or 0 for card in behind))
    if any(slot is not None and slot.attachment is None for _, slot in slots):
        raise read.give_up(board, "slots")
    return Answer(Status.PASS, tr("Every AMD card reaches the CPU without the chipset, as ROCm's PCIe atomics need."))


def _behind_old_cpu(read: Reader, cpu: Part, cards: list[Card]) -> Answer:
    read.all(*((part, "architecture") for part in {card.part.id: card.part for card in cards}.values()))
    skipped = [card for card in cards if not _of(read, card.part, BY_FIRMWARE)]
    if skipped:
        message = tr(
            "{cpu} passes no PCIe atomics on: ROCm skips {card}, which needs them as all cards from before Vega do.",
            cpu=cpu.title,
            card=skipped[0].part.title,
        )
        return Answer(Status.WARN, message, slots=tuple(card.slot or 0 for card in skipped))
    fields = {"cpu": cpu.title, "card": cards[0].part.title}
    message = tr(
        "{cpu} passes no PCIe atomics on: {card} runs without them under ROCm once its firmware is current.", **fields
    )
    return Answer(Status.NOTE, message, slots=tuple(card.slot or 0 for card in cards))


def _passes_no_atomics(read: Reader, cpu: Part) -> bool:
    old = (read.maybe(cpu, "architecture") or "").startswith(CORES_WITHOUT_ATOMICS)
    return old or read.maybe(cpu, "socket") in WITHOUT_ATOMICS


def _of(read: Reader, card: Part, architectures: tuple[str, ...]) -> bool:
    return (read.maybe(card, "architecture") or "").startswith(architectures)


def _with_rocm(spec: object) -> bool:
    return isinstance(spec, GpuSpec) and chip_maker(spec) is AMD


def _has_amd_cards(machine: RuleContext) -> bool:
    return any(_with_rocm(line.part.spec) for line in machine.workers) and bool(_amd_cards(machine))


def _amd_cards(machine: RuleContext) -> list[Card]:
    """Placed ones that do work."""
    return [card for card in machine.placed if _with_rocm(card.part.spec) and machine.works(card.part)]


SOFTWARE_RULES = (
    Rule(
        "gpu-capability",
        tr("Software for the cards"),
        tr(
            "PyTorch: CUDA 12.6 builds from 5.0 to 9.0, CUDA 12.8 and 13 builds from 7.5 on. "
            "Driver 580 is the last for Maxwell, Pascal and Volta, 470 for Kepler."
        ),
        "PyTorch CUDA support matrix of release 2.11 (pytorch/pytorch 172352, 175253, 190385); NVIDIA, Unix graphics "
        "feature deprecation schedule; Intel graphics community issue 315 (an A770 without Resizable BAR)",
        _capability,
        (Category.GPU,),
        subjects=AT_WORK,
        gravest=Status.WARN,
        reads=("gpu.compute_capability", "gpu.product", "motherboard.resizable_bar", *ROLE_READS),
    ),
    Rule(
        "iommu",
        tr("IOMMU of AMD hosts"),
        tr("AMD hosts with several GPUs need the IOMMU in passthrough mode (iommu=pt)."),
        "club-3090; NVIDIA/nccl-tests 115; ROCm/rccl 1129",
        _iommu,
        (Category.CPU, Category.GPU),
        gravest=Status.NOTE,
        reads=("cpu.socket", "gpu.p2p", "gpu.product", *ROLE_READS),
    ),
    Rule(
        "pcie-atomics",
        tr("PCIe atomics for ROCm"),
        tr(
            "AMD cards but Vega and CDNA need PCIe atomics all the way to the CPU; RDNA cards of current firmware run "
            "behind a CPU that has none."
        ),
        "AMD, How ROCm uses PCIe atomics; ROCm/ROCm 32, 157 and 237; Linux commits 6106dce9559e (Vega) and "
        "6cc980e3f52e (RDNA)",
        _atomics,
        (Category.MOTHERBOARD, Category.GPU),
        subjects=only_if(_has_amd_cards, tr("No AMD card in a slot.")),
        gravest=Status.WARN,
        reads=(
            *("gpu.product", "gpu.architecture", "gpu.form", "motherboard.slots", "cpu.architecture", "cpu.socket"),
            *ROLE_READS,
        ),
        fixes=(Move.ARRANGE, *OTHER_WIRING),
    ),
)
