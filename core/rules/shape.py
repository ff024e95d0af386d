"""Several GPUs as one team: how many, how alike, what drives the display, and what slots they leave."""

from __future__ import annotations

from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category, GpuCooling
from core.phrasing import verb
from core.rules.changes import BOARD_FOR_CPU, CPU_FOR_BOARD, Swap, limits, one_of
from core.rules.context import RuleContext
from core.rules.figure_names import count_of, listed
from core.rules.finding import Status
from core.rules.reader import Reader, UnknownFigure
from core.rules.rule import Answer, Rule


def _count_shape(read: Reader, machine: RuleContext) -> Answer:
    count = machine.count(Category.GPU)
    read.about(*(line.part for line in machine.lines(Category.GPU)))
    below = 1 << (count.bit_length() - 1)
    if count == below:
        return Answer(Status.PASS, f"{count_of(count, 'GPU')}: a power of two, as tensor parallelism needs.", count)
    if len({getattr(line.part.spec, "product", None) for line in machine.lines(Category.GPU)}) > 1:
        message = f"{count} GPUs of several kinds: tensor parallelism uses those that are alike."
        return Answer(Status.PASS, message, count, below, "GPUs")
    message = (
        f"{count} GPUs are no power of two: a model's heads rarely divide by {count}, so tensor parallelism uses "
        f"{below} of them. Data and pipeline parallelism use all."
    )
    return Answer(Status.NOTE, message, count, below, "GPUs")


def _mixed(read: Reader, machine: RuleContext) -> Answer:
    parts = [line.part for line in machine.lines(Category.GPU)]
    read.about(*parts)
    specs = [part.spec for part in parts if isinstance(part.spec, GpuSpec)]
    products = sorted({spec.product for spec in specs})
    if len(products) == 1:
        return Answer(Status.PASS, f"All GPUs are {products[0]}.")
    memory = [figure for part in parts if (figure := read.maybe(part, "memory_gb")) is not None]
    least = f" ({min(memory):g} GB)" if len(memory) == len(parts) and min(memory) < max(memory) else ""
    message = f"{listed(products)} share work at the pace of the slowest and with the memory of the smallest{least}."
    return Answer(Status.NOTE, message, len(products), 1, "products")


def _display(read: Reader, machine: RuleContext) -> Answer:
    cards = [line.part for line in machine.lines(Category.GPU)]
    if any(read.maybe(card, "cooling") not in (GpuCooling.PASSIVE, None) for card in cards):
        return Answer(Status.PASS, "A GPU can drive the display, where nothing else does.")
    board = read.board
    bmc, outlet = read.maybe(board, "bmc"), read.maybe(board, "video_output")
    if bmc:
        return Answer(Status.PASS, f"{board.title} shows its screen by its management controller.")
    graphics = [read.maybe(line.part, "integrated_graphics") for line in machine.lines(Category.CPU)] if outlet else []
    if graphics and all(graphics):
        return Answer(Status.PASS, "The CPU's graphics drive the display; the GPUs keep their memory.")
    if bmc is None or outlet is None or (False not in graphics and None in graphics):
        raise UnknownFigure
    if all(read.maybe(card, "cooling") is GpuCooling.PASSIVE for card in cards):
        names = listed([card.title for card in cards])
        message = f"Nothing shows a picture: {names} {verb(len(cards), 'have')} no output, like most server cards"
        return Answer(Status.WARN, f"{message}, {board.title} and CPU have none either.")
    why = "the CPU has no graphics" if outlet else f"{board.title} has no output"
    message = f"One GPU must drive the display, if there is one: {why}. It gives some memory away and needs an output."
    return Answer(Status.PASS, message)


def _teams(machine: RuleContext) -> list[RuleContext]:
    return [machine] if machine.count(Category.GPU) > 1 else []


_ONE = "Fewer than two GPUs."

SHAPE_RULES = (
    Rule(
        "gpu-count-shape",
        "Number of GPUs",
        "Tensor parallelism splits attention heads evenly: 2, 4 or 8 GPUs; others go by pipeline or data.",
        "vllm-project/vllm 4232 (40 heads on 6 GPUs) and 1041; rtx6kpro",
        _count_shape,
        subjects=_teams,
        nothing=_ONE,
        gravest=Status.NOTE,
        reads=("gpu.product",),
    ),
    Rule(
        "gpu-mixed",
        "GPUs of several kinds",
        "Work that is split evenly goes at the pace and with the memory of the least card.",
        "rtx6kpro; T. Dettmers, hardware guide",
        _mixed,
        subjects=_teams,
        nothing=_ONE,
        gravest=Status.NOTE,
        reads=("gpu.product", "gpu.memory_gb"),
    ),
    Rule(
        "display-output",
        "What drives the display",
        "A management controller or the CPU's graphics, else a GPU, which then has less memory for work.",
        "the board's manual",
        _display,
        (Category.MOTHERBOARD, Category.GPU),
        gravest=Status.WARN,
        reads=("motherboard.bmc", "motherboard.video_output", "cpu.integrated_graphics", "gpu.cooling"),
        fixes=(
            Swap(Category.CPU, "cores", limits(CPU_FOR_BOARD, one_of("integrated_graphics", "yes"))),
            Swap(Category.MOTHERBOARD, "x16_slots", limits(BOARD_FOR_CPU, one_of("video_output", "yes"))),
        ),
    ),
)
