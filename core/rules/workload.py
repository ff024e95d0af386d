"""What the GPUs are good for, alone and as a team: models that fit, equal cards, display, software that still runs."""

from __future__ import annotations

import re
from math import fsum

from core.build.build import Card
from core.build.role import ROLE_READS, Role
from core.language import tr, trn
from core.parts.chips import chip_memory_gb
from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Attachment, Category, GpuCooling, Socket
from core.placement.topology import p2p_over_pcie
from core.rules.changes import BOARD_FOR_CPU, CPU_FOR_BOARD, Swap, limits, one_of
from core.rules.context import RuleContext
from core.rules.figure_names import listed
from core.rules.finding import Status
from core.rules.reader import Reader, UnknownFigure
from core.rules.rule import NO_WORKER, Answer, Rule, at_work

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
_BEFORE_VEGA = re.compile(
    r"FirePro|Radeon (Pro Duo|Pro WX|Instinct MI[68]\b|R[579]\b|HD\b|RX [45]\d\d\b)", re.IGNORECASE
)
"""Products with chips that ROCm's driver skips without PCIe atomics; newer ones need current firmware alone."""
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


def is_amd(spec: GpuSpec) -> bool:
    """Whether a card needs ROCm in the place of CUDA; board makers sell both."""
    return spec.product.startswith(_AMD_PRODUCTS)


def _models(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.workers
    read.all(*((line.part, "memory_gb") for line in lines))
    gpus = [(chip_memory_gb(spec) or 0.0, line.quantity * spec.chips) for line, spec in machine.build.workers()]
    least = min(size for size, _ in gpus)
    total = fsum(max(size - RESERVED_GB, 0) * count for size, count in gpus)
    usable = max(least - RESERVED_GB, 0)
    count = machine.worker_count
    adam = tr("{billions:.1f} in mixed precision with Adam", billions=usable / ADAM_BYTES)
    if count > 1:
        spread = total / ADAM_BYTES
        adam = (
            tr("{adam} ({spread:.1f} spread over both)", adam=adam, spread=spread)
            if count == 2
            else tr("{adam} ({spread:.1f} spread over all {number})", adam=adam, spread=spread, number=count)
        )
    message = tr(
        "A GPU of {least:.0f} GB trains about {billions:.1f} billion parameters in FP32 with momentum, {adam}, less "
        "what activations take.",
        least=least,
        billions=usable / PLAIN_BYTES,
        adam=adam,
    )
    if least < SMALL_GB:
        return Answer(
            Status.WARN,
            tr("{message} Research and work need {small_gb:.0f} GB.", message=message, small_gb=SMALL_GB),
            least,
            SMALL_GB,
            "GB",
        )
    return Answer(Status.PASS, message, least, SMALL_GB, "GB")


def _capability(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.workers
    cards = [line.part for line in lines if _is_cuda(line.part.spec)]
    read.about(*(line.part for line in lines))
    if not cards:
        return Answer(Status.PASS, tr("AMD cards: ROCm's support list says what runs on them."))
    if len(cards) < len(lines):
        return Answer(Status.WARN, tr("NVIDIA and AMD cards: no framework trains one model across both."))
    found = read.all(*((card, "compute_capability") for card in cards))
    pairs = ((float(text), card.title) for text, card in zip(found, cards, strict=True))
    levels = sorted(pairs, key=lambda pair: pair[0])
    (low, oldest), (high, newest) = levels[0], levels[-1]
    if low >= MODERN:
        message = tr("Compute capability {low:.1f} and up: current CUDA and PyTorch run on every card.", low=low)
        return Answer(Status.PASS, message)
    name = tr("{oldest} has compute capability {low:.1f}", oldest=oldest, low=low)
    if low < OLDEST:
        return Answer(Status.WARN, tr("{name}: no current PyTorch or driver runs on it.", name=name))
    if high > NEWEST_FOR_OLD:
        message = tr(
            "{name}, {newest} {high:.1f}: no single PyTorch build runs on both (CUDA 12.6 for one, "
            "12.8 for the other).",
            name=name,
            newest=newest,
            high=high,
        )
        return Answer(Status.WARN, message)
    message = tr(
        "{name}: PyTorch runs on it with CUDA 12.6 only, not with CUDA 13, and driver 580 is its last.", name=name
    )
    return Answer(Status.NOTE, message)


def _iommu(read: Reader, machine: RuleContext) -> Answer:
    count = machine.worker_count
    sockets = read.all(*((line.part, "socket") for line in machine.lines(Category.CPU)))
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
    old = next((line.part for line in machine.lines(Category.CPU) if _passes_no_atomics(read, line.part)), None)
    if old is not None and cards:
        return _without_atomics(old, cards)
    slots = [(card, machine.slot_of(card)) for card in cards]
    behind = [card for card, slot in slots if slot is not None and slot.attachment is Attachment.CHIPSET]
    if behind:
        message = tr(
            "{part} in slot {slot} is wired to the chipset: ROCm needs PCIe atomics, which few chipsets pass on.",
            part=behind[0].part.title,
            slot=behind[0].slot,
        )
        return Answer(
            Status.WARN,
            message,
            slots=tuple(card.slot or 0 for card in behind),
        )
    if any(slot is not None and slot.attachment is None for _, slot in slots):
        raise read.give_up(board, "slots")
    return Answer(Status.PASS, tr("Every AMD card reaches the CPU without the chipset, as ROCm's PCIe atomics need."))


def _without_atomics(cpu: Part, cards: list[Card]) -> Answer:
    skipped = [
        card for card in cards if isinstance(card.part.spec, GpuSpec) and _BEFORE_VEGA.match(card.part.spec.product)
    ]
    if not skipped:
        words = tr(
            "{cpu} passes no PCIe atomics on: with its current firmware {card} runs without them under ROCm.",
            cpu=cpu.title,
            card=cards[0].part.title,
        )
        return Answer(Status.NOTE, words, slots=tuple([card.slot or 0 for card in cards]))
    words = tr(
        "{cpu} passes no PCIe atomics on: ROCm skips {card}, as all cards from before Vega, which need them.",
        cpu=cpu.title,
        card=skipped[0].part.title,
    )
    return Answer(Status.WARN, words, slots=tuple([card.slot or 0 for card in skipped]))


def _passes_no_atomics(read: Reader, cpu: Part) -> bool:
    return read.maybe(cpu, "socket") in WITHOUT_ATOMICS


def _is_cuda(spec: object) -> bool:
    return isinstance(spec, GpuSpec) and not is_amd(spec)


def _with_rocm(spec: object) -> bool:
    return isinstance(spec, GpuSpec) and is_amd(spec)


def _with_amd_cards(machine: RuleContext) -> tuple[RuleContext, ...]:
    amd = any(_with_rocm(line.part.spec) for line in machine.workers)
    return (machine,) if amd and _amd_cards(machine) else ()


def _amd_cards(machine: RuleContext) -> list[Card]:
    """Placed ones that do work."""
    return [card for card in machine.placed if _with_rocm(card.part.spec) and machine.works(card.part)]


_GPU = (Category.GPU,)

WORKLOAD_RULES = (
    Rule(
        "vram-need",
        tr("Models that fit"),
        tr("(GB - 0.4) / 8 bytes per parameter in FP32 with momentum, / 16 in mixed precision with Adam."),
        "T. Dettmers, Which GPU(s) to Get; ZeRO (Rajbhandari et al. 2020): 16 bytes per parameter",
        _models,
        _GPU,
        subjects=at_work,
        nothing=NO_WORKER,
        gravest=Status.WARN,
        reads=ROLE_READS,
    ),
    Rule(
        "gpu-capability",
        tr("Software for the cards"),
        tr(
            "PyTorch: CUDA 12.6 builds from 5.0 to 9.0, CUDA 12.8 and 13 builds from 7.5 on. "
            "Driver 580 is the last for Maxwell, Pascal and Volta, 470 for Kepler."
        ),
        "PyTorch CUDA support matrix of release 2.11 (pytorch/pytorch 172352, 175253, 190385); NVIDIA, Unix graphics "
        "feature deprecation schedule",
        _capability,
        _GPU,
        subjects=at_work,
        nothing=NO_WORKER,
        gravest=Status.WARN,
        reads=("gpu.compute_capability", "gpu.product", *ROLE_READS),
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
            "AMD cards need PCIe atomics all the way to the CPU; those from Vega on run without where the CPU has none."
        ),
        "AMD, How ROCm uses PCIe atomics; ROCm/ROCm 32, 157 and 237",
        _atomics,
        (Category.MOTHERBOARD, Category.GPU),
        subjects=_with_amd_cards,
        nothing=tr("No AMD card in a slot."),
        gravest=Status.WARN,
        reads=("gpu.product", "gpu.form", "motherboard.slots", "cpu.socket", *ROLE_READS),
    ),
)


def _count_shape(read: Reader, machine: RuleContext) -> Answer:
    count = machine.worker_count
    read.about(*(line.part for line in machine.workers))
    below = 1 << (count.bit_length() - 1)
    if count == below:
        return Answer(
            Status.PASS,
            tr(
                "{gpus}: a power of two, as tensor parallelism needs.",
                gpus=trn("{count} GPU", "{count} GPUs", count=count),
            ),
            count,
        )
    if len({getattr(line.part.spec, "product", None) for line in machine.workers}) > 1:
        message = tr("{number} mixed GPUs: tensor parallelism uses the identical ones.", number=count)
        return Answer(Status.PASS, message, count, below, "GPUs")
    message = tr(
        "{number} GPUs are not a power of two: a model's heads rarely divide by {number}, so "
        "tensor parallelism uses {below} of them. Data and pipeline parallelism use all.",
        number=count,
        below=below,
    )
    return Answer(Status.NOTE, message, count, below, "GPUs")


def _mixed(read: Reader, machine: RuleContext) -> Answer:
    parts = [line.part for line in machine.workers]
    read.about(*parts)
    specs = [part.spec for part in parts if isinstance(part.spec, GpuSpec)]
    products = sorted({spec.product for spec in specs})
    if len(products) == 1:
        return Answer(Status.PASS, tr("All GPUs are {product}.", product=products[0]))
    for part in parts:
        read.maybe(part, "memory_gb")
    memory = [size for spec in specs if (size := chip_memory_gb(spec)) is not None]
    if len(memory) == len(parts) and min(memory) < max(memory):
        message = tr(
            "{products} share work at the pace of the slowest and with the memory of the smallest ({memory:g} GB).",
            products=listed(products),
            memory=min(memory),
        )
    else:
        message = tr(
            "{products} share work at the pace of the slowest and with the memory of the smallest.",
            products=listed(products),
        )
    return Answer(Status.NOTE, message, len(products), 1, "products")


def _display(read: Reader, machine: RuleContext) -> Answer:
    cards = [line.part for line in machine.lines(Category.GPU) if machine.build.role(line.part.id) is not Role.SPARE]
    shown_by = [line.part for line in machine.lines(Category.GPU) if machine.build.role(line.part.id) is Role.DISPLAY]
    if shown_by:
        read.about(*shown_by)
        names = listed([card.title for card in shown_by])
        return Answer(Status.PASS, tr("{cards} drives the display; the other GPUs keep their memory.", cards=names))
    if any(read.maybe(card, "cooling") not in (GpuCooling.PASSIVE, None) for card in cards):
        return Answer(Status.PASS, tr("A GPU can drive the display if nothing else does."))
    board = read.board
    bmc, outlet = read.maybe(board, "bmc"), read.maybe(board, "video_output")
    if bmc:
        return Answer(
            Status.PASS, tr("{board} drives the display through its management controller.", board=board.title)
        )
    graphics = [read.maybe(line.part, "integrated_graphics") for line in machine.lines(Category.CPU)] if outlet else []
    if graphics and all(graphics):
        return Answer(Status.PASS, tr("The CPU's graphics drive the display; the GPUs keep their memory."))
    if bmc is None or outlet is None or (False not in graphics and None in graphics):
        raise UnknownFigure
    if all(read.maybe(card, "cooling") is GpuCooling.PASSIVE for card in cards):
        names = listed([card.title for card in cards])
        message = trn(
            "No display output: {cards} has none, like most server cards, and neither has {board} or the CPU.",
            "No display output: {cards} have none, like most server cards, and neither has {board} or the CPU.",
            cards=names,
            count=len(cards),
            board=board.title,
        )
        return Answer(Status.WARN, message)
    why = tr("the CPU has no graphics") if outlet else tr("{board} has no output", board=board.title)
    message = tr(
        "One GPU must drive the display, if there is one: {why}. It loses some memory and needs a video output.",
        why=why,
    )
    return Answer(Status.PASS, message)


def _teams(machine: RuleContext) -> list[RuleContext]:
    return [machine] if machine.worker_count > 1 else []


_ONE = tr("Fewer than two GPUs do work.")

SHAPE_RULES = (
    Rule(
        "gpu-count-shape",
        tr("Number of GPUs"),
        tr(
            "Tensor parallelism splits attention heads evenly: 2, 4 or 8 GPUs; other numbers use "
            "pipeline or data parallelism."
        ),
        "vllm-project/vllm 4232 (40 heads on 6 GPUs) and 1041; rtx6kpro",
        _count_shape,
        subjects=_teams,
        nothing=_ONE,
        gravest=Status.NOTE,
        reads=("gpu.product", *ROLE_READS),
    ),
    Rule(
        "gpu-mixed",
        tr("Mixed GPUs"),
        tr("Evenly split work runs at the slowest card's pace, with the smallest card's memory."),
        "rtx6kpro; T. Dettmers, hardware guide",
        _mixed,
        subjects=_teams,
        nothing=_ONE,
        gravest=Status.NOTE,
        reads=("gpu.product", *ROLE_READS),
    ),
    Rule(
        "display-output",
        tr("What drives the display"),
        tr("A management controller or the CPU's graphics, else a GPU, which then has less memory for work."),
        "the board's manual",
        _display,
        (Category.MOTHERBOARD, Category.GPU),
        gravest=Status.WARN,
        reads=("motherboard.bmc", "motherboard.video_output", "cpu.integrated_graphics", "gpu.cooling", *ROLE_READS),
        fixes=(
            Swap(Category.CPU, "cores", limits(CPU_FOR_BOARD, one_of("integrated_graphics", "yes"))),
            Swap(Category.MOTHERBOARD, "x16_slots", limits(BOARD_FOR_CPU, one_of("video_output", "yes"))),
        ),
    ),
)
