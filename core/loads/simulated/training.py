"""Believable figures of the training loads (a loss that falls, an accuracy that rises, a speed of the model) and of
those of a group: bandwidths over links of PCIe, and training that scales as such links let it. Each member of a group
tells them by itself, for nothing is sent."""

import hashlib
import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from core.loads.evidence import Matrix
from core.loads.findings import TriedFault
from core.loads.group import contract as group
from core.loads.load import StepReport
from core.loads.meter import Meter
from core.loads.simulated import rates
from core.loads.simulated.load import TICK_S, Believable, SimulatedLoad
from core.loads.training import contract

LAST_LOSS, LOSS_FALLS_IN_S = 0.05, 30.0
AMPERE = (8, 0)
REPLAY_FLOP_PER_STEP = 1.6e12
REPLAY_TOKENS_PER_STEP = 4096


def training(work: rates.SimulatedWork) -> Callable[[SimulatedLoad, contract.TrainingParams], Believable]:
    """Counts steps as the real load does; nothing is trained."""

    def believe(load: SimulatedLoad, params: contract.TrainingParams) -> Believable:
        precision = params.precision or contract.default_precision(AMPERE)
        speed = rates.steps_per_s(work, load.model, precision)
        meter, done = Meter(), 0.0
        left = 1.0
        """Of what the loss falls by."""

        def loss() -> float:
            return LAST_LOSS + (work.first_loss - LAST_LOSS) * left

        def step(elapsed: float) -> StepReport:
            nonlocal done, left
            steps = load.computed(speed, elapsed) * TICK_S
            meter.add(steps, TICK_S)
            done += steps
            left = math.exp(-5 * elapsed / min(LOSS_FALLS_IN_S, load.seconds))
            report = contract.trained(work, steps, busy_s=TICK_S, peak_tflops=params.peak_tflops)
            return replace(report, loss=loss(), accuracy_pct=100 * (1 - left))

        def evidence() -> contract.TrainingEvidence:
            return contract.TrainingEvidence(
                network=work.network,
                shape={},
                parameters=None,
                precision=work.precision(precision),
                vouches_for=contract.VOUCHES_FOR,
                steps=int(done),
                first_loss=work.first_loss,
                last_loss=loss(),
                accuracy_pct=round(100 * (1 - left), 2),
                starts=1,
                replays_identical=None,
                verification_pct=None,
                **contract.measured_speed(meter, work, params.peak_tflops),
            )

        return Believable(step, evidence, (TriedFault.NAN,))

    return believe


resnet = training(rates.RESNET)
lstm = training(rates.LSTM)
transformer = training(rates.GPT_2_MEDIUM)
own_module = training(rates.OWN)


def replay(load: SimulatedLoad, params: contract.ReplayParams) -> Believable:
    """As many runs as were asked for fit into any time: nothing is computed. "deviant" gives this card other hashes
    than its twins have."""
    chosen, title = params.precision or contract.default_precision(AMPERE), load.model.title
    precision = chosen.computed(recurrent_in_fp16=chosen.half and params.network == "lstm")
    deviant = "deviant" if params.inject == "deviant" else ""
    done = 0

    def step(elapsed: float) -> StepReport:
        nonlocal done
        steps = round(load.computed(rates.REPLAY_STEPS_PER_S, elapsed) * TICK_S)
        done += steps
        flop, tokens = steps * REPLAY_FLOP_PER_STEP, steps * REPLAY_TOKENS_PER_STEP
        return StepReport(flop=flop, busy_s=TICK_S, tokens=tokens, training_steps=steps)

    def hashed(what: str) -> str:
        words = f"{deviant}{title} {params.network} {precision} {params.seed} {params.steps} {what}"
        return hashlib.sha256(words.encode()).hexdigest()[:33]

    def evidence() -> contract.ReplayEvidence:
        return contract.ReplayEvidence(
            replay=contract.ReplayedTraining(
                device=f"{title} (SIMULATED)",
                torch="SIMULATED",
                cuda=None,
                network=params.network,
                shape={},
                precision=precision,
                seed=params.seed,
                steps=params.steps,
                threads=None,
                loss_hash=hashed("losses"),
                weight_hash=hashed("weights"),
            ),
            network=params.network,
            precision=precision,
            vouches_for=contract.REPLAY_VOUCHES_FOR,
            runs=params.runs,
            steps=done,
            states_compared=done // 10,
        )

    return Believable(step, evidence, (TriedFault.BIT_FLIP,))


MIB = 2**20
GRADIENT_BYTES = {"resnet": 102_228_128, "lstm": 396_800_000, "transformer": 1_419_000_000}
WORKS = {"resnet": rates.RESNET, "lstm": rates.LSTM, "transformer": rates.GPT_2_MEDIUM}


def _in_group(load: SimulatedLoad, params: group.GroupParams, evidence: group.GroupEvidence) -> group.GroupEvidence:
    ranks, devices = load.group.size, load.group.devices
    return replace(evidence, ranks=ranks, devices=devices, p2p=params.p2p, backend="SIMULATED")


def _shared(load: SimulatedLoad, params: group.GroupParams) -> random.Random:
    """The same for all members."""
    return random.Random(f"{load.group.devices} {params.seed}")


def collectives(load: SimulatedLoad, params: group.CollectivesParams) -> Believable:
    """All-reduce at about half of what the link carries."""
    busbw_gbps = rates.BUSBW_OF_LINK * load.model.link_gbps * _shared(load, params).uniform(0.98, 1.02)

    def timed(size: int) -> group.TimingsEvidence:
        """Small ones take as long as it takes to start them."""
        factor = group.all_reduce_bus_factor(load.group.size) if load.group.size > 1 else 1.0
        seconds = 60e-6 + factor * size / (busbw_gbps * 1e9)
        return group.Timings(size, [seconds * share for share in (0.99, 1.0, 1.0, 1.03)]).evidence(factor)

    def evidence() -> group.GroupEvidence:
        sustained = timed((params.sustained_mib or 256) * MIB)
        return _in_group(
            load,
            params,
            group.CollectivesEvidence(
                all_reduce=tuple(timed(MIB << power) for power in range((params.largest_mib or 1024).bit_length())),
                sustained=sustained,
                reduced=load.checks,
                broadcast="right",
                all_gather="right",
                rates={"all_reduce": sustained.busbw_gbps},
                rate_unit="GB/s",
            ),
        )

    return Believable(
        lambda elapsed: load.moving(busbw_gbps, elapsed), evidence, (TriedFault.CORRUPTED_TRANSFER, TriedFault.NAN)
    )


def p2p(load: SimulatedLoad, params: group.P2pParams) -> Believable:
    """Every pair at most of what the link carries."""
    shared, places, gbps = _shared(load, params), range(load.group.size), rates.PAIR_OF_LINK * load.model.link_gbps

    def matrix(usual: float) -> Matrix:
        return tuple(
            tuple(None if source == target else round(usual * shared.uniform(0.97, 1.03), 3) for target in places)
            for source in places
        )

    evidence = group.P2pEvidence(
        bytes=(params.mib or 256) * MIB,
        passes=1,
        matrix_gbps=matrix(gbps),
        duplex_gbps=matrix(rates.DUPLEX_OF_PAIR * rates.PAIR_OF_LINK * load.model.link_gbps),
        latency_us=matrix(rates.PAIR_US),
        transport=params.transport or "SIMULATED",
    )
    return Believable(
        lambda elapsed: load.moving(gbps, elapsed),
        lambda: _in_group(load, params, evidence),
        (TriedFault.CORRUPTED_TRANSFER,),
    )


def data_parallel(load: SimulatedLoad, params: group.DataParallelLoadParams) -> Believable:
    """Each network for its share of the time; gradients partly behind the computation."""
    together, link_gbps = load.group.size > 1, rates.BUSBW_OF_LINK * load.model.link_gbps
    precision = params.precision or contract.default_precision(AMPERE)
    names = params.networks.split(",")
    meters, done = {name: Meter() for name in names}, dict.fromkeys(names, 0.0)

    def alone_s(name: str) -> float:
        return 1 / rates.steps_per_s(WORKS[name], load.model, precision)

    def gradient_s(name: str) -> float:
        moved_bytes = group.all_reduce_bus_factor(load.group.size) * GRADIENT_BYTES[name]
        return moved_bytes / (link_gbps * 1e9) if together else 0.0

    def together_s(name: str) -> float:
        return alone_s(name) + (1 - rates.OVERLAP) * gradient_s(name)

    def step(elapsed: float) -> StepReport:
        name = names[min(int(elapsed / load.seconds * len(names)), len(names) - 1)]
        steps = load.computed(1 / together_s(name), elapsed) * TICK_S
        meters[name].add(steps, TICK_S)
        done[name] += steps
        return contract.trained(WORKS[name], steps, busy_s=TICK_S, peak_tflops=params.peak_tflops)

    def scaling(name: str) -> dict[str, Any]:
        return {
            "alone_step_ms": round(1e3 * alone_s(name), 3),
            "efficiency_pct": round(100 * alone_s(name) / together_s(name), 2),
            "no_overlap_pct": round(100 * alone_s(name) / (alone_s(name) + gradient_s(name)), 2),
            "gradient_bytes": GRADIENT_BYTES[name],
            "gradient_ms": round(1e3 * gradient_s(name), 4),
            "busbw_gbps": round(link_gbps, 4),
        }

    def network(name: str) -> group.NetworkEvidence:
        work = WORKS[name]
        return group.NetworkEvidence(
            shape={},
            precision=work.precision(precision),
            steps=int(done[name]),
            first_loss=work.first_loss,
            last_loss=0.1,
            compared=load.checks,
            replicas_alike=not load.errors if together else None,
            loss_spread_pct=1.5 if together else None,
            **contract.measured_speed(meters[name], work, params.peak_tflops),
            **(scaling(name) if together else {}),
        )

    def evidence() -> group.GroupEvidence:
        return _in_group(
            load,
            params,
            group.DataParallelEvidence(
                vouches_for=contract.REPLICAS_VOUCH_FOR if together else contract.VOUCHES_FOR,
                replicas_alike=not load.errors if together else None,
                **group.of_networks({name: network(name) for name in names}),
            ),
        )

    return Believable(step, evidence, (TriedFault.DIVERGING_REPLICA, TriedFault.NAN))
