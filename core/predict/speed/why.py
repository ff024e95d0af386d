"""Why a GPU has its place in a ranking, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from core.predict.band import Band
from core.predict.speed.criteria import UNITS, WEIGHTS, YARDSTICK, Criterion
from core.predict.speed.memory_fit import Fits, MemoryFit
from core.predict.speed.networks import Network
from core.predict.speed.peaks import Figure
from core.words import listed

WHY: dict[Network, str] = {
    Network.CNN: (
        "Convolutions reuse what they load: they are large multiplications, so tensor cores count most, then plain "
        "FLOPS, then memory bandwidth, then FP16. Fast cards wait for their memory and their host: the expected speed, "
        "which counts that, makes the order."
    ),
    Network.LSTM: (
        "Each step of a recurrent net multiplies small matrices and loads its weights again, so memory bandwidth and "
        "memory size count most, then FP16, which halves the traffic, then tensor cores, then FLOPS."
    ),
    Network.TRANSFORMER: (
        "Transformers are between convolution and recurrent nets: weights, optimiser and activations must fit and be "
        "moved, so memory size and bandwidth count first, then tensor cores, FP16 and FLOPS."
    ),
}
REMARKABLE = 1.25
"""Factor over the score at which a figure is said to carry a card, or below its inverse to hold it back."""


def reasons(
    known: Mapping[Criterion, Figure | None],
    score: Band,
    network: Network,
    has_tensor_cores: bool,
    memory: MemoryFit | None,
) -> tuple[str, ...]:
    """What counts first, what carries the card beyond its score, what holds it back, and whether a model fits."""
    weights = WEIGHTS[network]
    words = {c: _words(c, figure.values[1]) for c in weights if (figure := known[c])}
    if not has_tensor_cores and Criterion.TENSOR in words:
        words[Criterion.TENSOR] = f"no tensor cores (matrices at {words[Criterion.FLOPS].removeprefix('FP32 rate ')})"
    over = {c: figure.values[1] / YARDSTICK[c] for c in weights if (figure := known[c])}
    first = " and ".join(f"{words[c]} ({over[c]:.2g} x RTX 3090)" for c in list(weights)[:2])
    up = [words[c] for c in weights if over[c] > REMARKABLE * score.expected]
    down = [words[c] for c in weights if over[c] * REMARKABLE < score.expected]
    return (
        f"What counts first: {first}.",
        *((f"Carried by {listed(up)}.",) if up else ()),
        *((f"Held back by {listed(down)}.",) if down else ()),
        *((_fit_words(memory),) if memory else ()),
    )


def _words(criterion: Criterion, value: float) -> str:
    shown = f"{value:.3g}" if value < 1000 else f"{value:.0f}"
    return f"{criterion.value} {shown} {UNITS.get(criterion, 'TFLOPS')}"


def _fit_words(memory: MemoryFit) -> str:
    need = memory.needed_gb
    size = f"{memory.parameters / 1e9:.3g} billion parameters"
    needs = f"A model of {size} needs {need.low:.0f} to {need.high:.0f} GB to train"
    if memory.memory_gb is None or memory.rule_of_thumb is None:
        return f"{needs}; the card's memory is unknown."
    rule = (
        f"By the old rule of thumb {memory.memory_gb:g} GB hold {memory.rule_of_thumb / 1e9:.2g} billion in FP32 with "
        "momentum, twice that in 16 bit, without activations."
    )
    return f"{needs}: {_verdict(memory)}. {rule}"


def _verdict(memory: MemoryFit) -> str:
    match memory.fits:
        case Fits.YES:
            return "it fits"
        case Fits.TIGHT:
            return "it fits with activations recomputed at best"
    if memory.fewest_cards is None:
        return "its activations alone do not fit"
    return f"sharded over {memory.fewest_cards} such cards it fits"
