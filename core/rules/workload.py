"""What the GPUs are good for, alone and as a team: models that fit, equal cards, display."""

from __future__ import annotations

from math import fsum

from core.parts.chips import chip_memory_gb
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category, GpuCooling
from core.plan.line import ROLE_READS, Role
from core.rules.changes import BOARD_FOR_CPU, CPU_FOR_BOARD, Move, Swap, limits, one_of
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import AT_WORK, Answer, Reader, Rule, UnknownFigure, only_if
from core.words import listed, tr, trn

RESERVED_GB = 0.4
PLAIN_BYTES, ADAM_BYTES = 8, 16
"""Per parameter: weights and momentum in FP32; mixed precision with Adam (2 + 2 + 12, ZeRO)."""
SMALL_GB = 8.0
"""Research and work want at least so much on a card."""


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
        fields = {"adam": adam, "spread": total / ADAM_BYTES, "number": count}
        adam = tr("{adam} ({spread:.1f} spread over all {number})", **fields)
        if count == 2:
            adam = tr("{adam} ({spread:.1f} spread over both)", **fields)
    fields = {"least": least, "billions": usable / PLAIN_BYTES, "adam": adam}
    message = tr(
        "A GPU of {least:.0f} GB trains about {billions:.1f} billion parameters in FP32 with momentum, {adam}, less "
        "what activations take.",
        **fields,
    )
    if least < SMALL_GB:
        message = tr("{message} Research and work need {small_gb:.0f} GB.", message=message, small_gb=SMALL_GB)
        return Answer(Status.WARN if count > 1 else Status.NOTE, message, least, SMALL_GB, "GB")
    return Answer(Status.PASS, message, least, SMALL_GB, "GB")


_GPU = (Category.GPU,)

WORKLOAD_RULES = (
    Rule(
        "vram-need",
        tr("Models that fit"),
        tr("(GB - 0.4) / 8 bytes per parameter in FP32 with momentum, / 16 in mixed precision with Adam."),
        "T. Dettmers, Which GPU(s) to Get; ZeRO (Rajbhandari et al. 2020): 16 bytes per parameter",
        _models,
        _GPU,
        subjects=AT_WORK,
        gravest=Status.WARN,
        reads=ROLE_READS,
    ),
)


def _count_shape(read: Reader, machine: RuleContext) -> Answer:
    count = machine.worker_count
    read.about(*(line.part for line in machine.workers))
    below = 1 << (count.bit_length() - 1)
    if count == below:
        gpus = trn("{count} GPU", "{count} GPUs", count=count)
        message = tr("{gpus}: a power of two, as tensor parallelism needs.", gpus=gpus)
        return Answer(Status.PASS, message, count)
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
        message = tr("{board} drives the display through its management controller.", board=board.title)
        return Answer(Status.PASS, message)
    graphics = [read.maybe(line.part, "integrated_graphics") for line in machine.lines(Category.CPU)] if outlet else []
    if graphics and all(graphics):
        return Answer(Status.PASS, tr("The CPU's graphics drive the display; the GPUs keep their memory."))
    if bmc is None or outlet is None or (False not in graphics and None in graphics):
        raise UnknownFigure
    if all(read.maybe(card, "cooling") is GpuCooling.PASSIVE for card in cards):
        names = listed([card.title for card in cards])
        fields = {"cards": names, "count": len(cards), "board": board.title}
        message = trn(
            "No display output: {cards} has none, like most server cards, and neither has {board} or the CPU.",
            "No display output: {cards} have none, like most server cards, and neither has {board} or the CPU.",
            **fields,
        )
        return Answer(Status.WARN, message)
    why = tr("the CPU has no graphics") if outlet else tr("{board} has no output", board=board.title)
    message = tr(
        "One GPU must drive the display, if there is one: {why}. It loses some memory and needs a video output.",
        why=why,
    )
    return Answer(Status.PASS, message)


_TEAMS = only_if(lambda machine: machine.worker_count > 1, tr("Fewer than two GPUs do work."))

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
        subjects=_TEAMS,
        gravest=Status.NOTE,
        reads=("gpu.product", *ROLE_READS),
    ),
    Rule(
        "gpu-mixed",
        tr("Mixed GPUs"),
        tr("Evenly split work runs at the slowest card's pace, with the smallest card's memory."),
        "rtx6kpro; T. Dettmers, hardware guide",
        _mixed,
        subjects=_TEAMS,
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
            Move.DISPLAY_CARD,
            Swap(Category.MOTHERBOARD, "x16_slots", limits(BOARD_FOR_CPU, one_of("video_output", "yes"))),
        ),
    ),
)
