"""Believable figures of a language model that answers: prefill as fast as the model multiplies, decoding as fast as its
memory is read."""

from core.loads.findings import TriedFault
from core.loads.inference import contract
from core.loads.load import StepReport
from core.loads.meter import Meter
from core.loads.simulated.load import TICK_S, Believable, SimulatedLoad
from core.loads.simulated.rates import DECODE_OF_MEMORY, PREFILL_EFFICIENCY, tflops_in
from core.loads.training.contract import default_precision

GIB = 2**30
AMPERE = (8, 0)
APART_PCT = 0.7
"""As far as two ways to the same logits may be in 16 bits."""


def inference(load: SimulatedLoad, params: contract.InferenceParams) -> Believable:
    """Decoding takes most of the time of an answer: prefill is told without a time of its own."""
    precision = params.precision or default_precision(AMPERE)
    element_bytes = 2 if precision.half else 4
    memory_bytes = int(load.model.memory_gib * GIB)
    model = contract.served(params, memory_bytes=memory_bytes, element_bytes=element_bytes)
    prefills_per_s = PREFILL_EFFICIENCY * tflops_in(precision, load.model) * 1e12 / model.prefill_flop
    decode_gbps = DECODE_OF_MEMORY * load.model.memory_gbps
    prefill, decode, done = Meter(), Meter(), 0.0

    def step(elapsed: float) -> StepReport:
        nonlocal done
        prefill.add(load.computed(prefills_per_s, elapsed) * TICK_S, TICK_S)
        steps = load.moving(decode_gbps, elapsed).moved_bytes / model.step_bytes(element_bytes)
        decode.add(steps, TICK_S)
        done += steps
        return contract.answered(model, steps, busy_s=TICK_S, element_bytes=element_bytes)

    def evidence() -> contract.InferenceEvidence:
        return contract.InferenceEvidence(
            model=model.described(),
            parameters=model.parameters,
            precision=contract.stored_in(precision),
            requests=model.requests,
            prompt_tokens=model.prompt,
            generated_tokens=model.generated,
            answers=int(done / model.generated),
            step_bytes=model.step_bytes(element_bytes),
            host_difference_pct=APART_PCT,
            path_difference_pct=APART_PCT,
            verification_pct=None,
            vouches_for=contract.VOUCHES_FOR,
            **contract.measured_rates(model, prefill, decode, element_bytes=element_bytes, peak_gbps=None),
        )

    return Believable(step, evidence, (TriedFault.BIT_FLIP, TriedFault.NAN, TriedFault.REPEATABLE))
