"""What the cards are good for: models that fit, cards that belong together, software that still runs on them."""

from __future__ import annotations

from math import fsum

from core.parts.specs import GpuSpec
from core.parts.vocabulary import Attachment, Category, Socket
from core.placement.topology import p2p_over_pcie
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule

RESERVED_GB = 0.4
PLAIN_BYTES, ADAM_BYTES = 8, 16
"""Per parameter: weights and momentum in FP32; mixed precision with Adam (2 + 2 + 12, ZeRO)."""
SMALL_GB = 8.0
"""Research and work want at least so much on a card."""
MODERN = 7.5
"""Turing. Older cards: the CUDA 12.6 builds of PyTorch alone, and no CUDA 13."""
OLDEST = 5.0
"""Maxwell, the oldest that any current build of PyTorch runs on."""
NEWEST_FOR_OLD = 9.0
"""Hopper, the newest that the builds for old cards know."""
_AMD_PRODUCTS = ("Radeon", "Instinct", "FirePro")
_AMD_SOCKETS = frozenset(
    {
        *(Socket.AM1, Socket.AM2, Socket.AM2_PLUS, Socket.AM3, Socket.AM3_PLUS, Socket.AM4, Socket.AM5),
        *(Socket.FM1, Socket.FM2, Socket.FM2_PLUS, Socket.G34, Socket.TR4, Socket.STRX4, Socket.SWRX8),
        *(Socket.STR5, Socket.SP3, Socket.SP5, Socket.SP6),
    }
)


def is_amd(spec: GpuSpec) -> bool:
    """Whether a card needs ROCm in the place of CUDA; board makers sell both."""
    return spec.product.startswith(_AMD_PRODUCTS)


def _models(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.lines(Category.GPU)
    sizes = read.all(*((line.part, "memory_gb") for line in lines))
    least = min(sizes)
    total = fsum(max(size - RESERVED_GB, 0) * line.quantity for size, line in zip(sizes, lines, strict=True))
    usable = max(least - RESERVED_GB, 0)
    count = machine.count(Category.GPU)
    over_all = (
        f" ({total / ADAM_BYTES:.1f} spread over {'both' if count == 2 else f'all {count}'})" if count > 1 else ""
    )
    message = (
        f"A GPU of {least:.0f} GB trains about {usable / PLAIN_BYTES:.1f} billion parameters in FP32 with momentum, "
        f"{usable / ADAM_BYTES:.1f} in mixed precision with Adam{over_all}, less what activations take."
    )
    if least < SMALL_GB:
        return Answer(Status.WARN, f"{message} Research and work need {SMALL_GB:.0f} GB.", least, SMALL_GB, "GB")
    return Answer(Status.PASS, message, least, SMALL_GB, "GB")


def _capability(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.lines(Category.GPU)
    cards = [line.part for line in lines if _is_cuda(line.part.spec)]
    read.about(*(line.part for line in lines))
    if not cards:
        return Answer(Status.PASS, "AMD cards: what runs on them is ROCm's list.")
    if len(cards) < len(lines):
        return Answer(Status.WARN, "NVIDIA and AMD cards: no framework trains one model over both.")
    found = read.all(*((card, "compute_capability") for card in cards))
    pairs = ((float(text), card.title) for text, card in zip(found, cards, strict=True))
    levels = sorted(pairs, key=lambda pair: pair[0])
    (low, oldest), (high, newest) = levels[0], levels[-1]
    if low >= MODERN:
        message = f"Compute capability {low:.1f} and up: current CUDA and PyTorch run on every card."
        return Answer(Status.PASS, message)
    name = f"{oldest} has compute capability {low:.1f}"
    if low < OLDEST:
        return Answer(Status.WARN, f"{name}: no current PyTorch or driver runs on it.")
    if high > NEWEST_FOR_OLD:
        message = (
            f"{name}, {newest} {high:.1f}: no one PyTorch build runs on both (CUDA 12.6 for one, 12.8 for the other)."
        )
        return Answer(Status.WARN, message)
    message = f"{name}: PyTorch runs on it with CUDA 12.6 only, CUDA 13 does not, and driver 580 is its last."
    return Answer(Status.NOTE, message)


def _iommu(read: Reader, machine: RuleContext) -> Answer:
    count = machine.count(Category.GPU)
    sockets = read.all(*((line.part, "socket") for line in machine.lines(Category.CPU)))
    if not _AMD_SOCKETS.intersection(sockets):
        return Answer(Status.PASS, "The host is not AMD's.")
    if count < 2:
        return Answer(Status.PASS, "One GPU: nothing passes between cards.")
    gpus = [line.part for line in machine.lines(Category.GPU)]
    read.about(*gpus)
    if not any(p2p_over_pcie(part) for part in gpus):
        return Answer(Status.PASS, "These cards exchange nothing over PCIe directly: the IOMMU does not stand between.")
    message = "AMD host with several GPUs: start Linux with iommu=pt, else transfers between cards may hang or fault."
    return Answer(Status.NOTE, message)


def _atomics(read: Reader, machine: RuleContext) -> Answer:
    board = read.board
    read(board, "slots")
    cards = [card for card in machine.placed if isinstance(s := card.part.spec, GpuSpec) and is_amd(s)]
    read.about(*{card.part.id: card.part for card in cards}.values())
    slots = [(card, machine.slot_of(card)) for card in cards]
    behind = [card for card, slot in slots if slot is not None and slot.attachment is Attachment.CHIPSET]
    if behind:
        message = (
            f"{behind[0].part.title} in slot {behind[0].slot} is wired to the chipset: ROCm needs PCIe atomics, which "
        )
        return Answer(Status.WARN, f"{message}few chipsets pass on.", slots=tuple(card.slot or 0 for card in behind))
    if any(slot is not None and slot.attachment is None for _, slot in slots):
        raise read.give_up(board, "slots")
    return Answer(Status.PASS, "Every AMD card reaches the CPU without the chipset, as ROCm's PCIe atomics need.")


def _is_cuda(spec: object) -> bool:
    return isinstance(spec, GpuSpec) and not is_amd(spec)


def _with_amd_cards(machine: RuleContext) -> tuple[RuleContext, ...]:
    amd = any(isinstance(spec := card.part.spec, GpuSpec) and is_amd(spec) for card in machine.placed)
    return (machine,) if amd else ()


_GPU = (Category.GPU,)

WORKLOAD_RULES = (
    Rule(
        "vram-need",
        "Models that fit",
        "(GB - 0.4) / 8 bytes per parameter in FP32 with momentum, / 16 in mixed precision with Adam.",
        "T. Dettmers, Which GPU(s) to Get; ZeRO (Rajbhandari et al. 2020): 16 bytes per parameter",
        _models,
        _GPU,
        gravest=Status.WARN,
        reads=("gpu.memory_gb",),
    ),
    Rule(
        "gpu-capability",
        "Software for the cards",
        "PyTorch: CUDA 12.6 builds from 5.0 to 9.0, CUDA 12.8 and 13 builds from 7.5 on. Driver 580 is the last for "
        "Maxwell, Pascal and Volta, 470 for Kepler.",
        "PyTorch CUDA support matrix of release 2.11 (pytorch/pytorch 172352, 175253, 190385); NVIDIA, Unix graphics "
        "feature deprecation schedule",
        _capability,
        _GPU,
        gravest=Status.WARN,
        reads=("gpu.compute_capability", "gpu.product"),
    ),
    Rule(
        "iommu",
        "IOMMU of AMD hosts",
        "AMD hosts with several GPUs need the IOMMU in passthrough mode (iommu=pt).",
        "club-3090; NVIDIA/nccl-tests 115; ROCm/rccl 1129",
        _iommu,
        (Category.CPU, Category.GPU),
        gravest=Status.NOTE,
        reads=("cpu.socket", "gpu.p2p", "gpu.product"),
    ),
    Rule(
        "pcie-atomics",
        "PCIe atomics for ROCm",
        "AMD cards need PCIe atomics all the way to the CPU.",
        "AMD, How ROCm uses PCIe atomics; ROCm/ROCm 32 and 237",
        _atomics,
        (Category.MOTHERBOARD, Category.GPU),
        subjects=_with_amd_cards,
        nothing="No AMD card in a slot.",
        gravest=Status.WARN,
        reads=("gpu.product", "gpu.form", "motherboard.slots"),
    ),
)
