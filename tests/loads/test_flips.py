"""Single bits flipped in what products and memory give: every one is found, at its place, in every number format.

A sample runs with the other tests, ten thousand by `make soak`.
"""

import random
import time
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch

from core.loads.findings import Findings
from core.loads.load import StepReport
from core.loads.memory import mismatches, patterns
from core.loads.memory.contract import SHORT, TESTS
from core.loads.memory.mismatches import Mismatches
from core.loads.memory.patterns import Chunk, Memory
from core.loads.memory.sweeps import Sweeps
from core.loads.products.formats import FORMATS, Format, normal_operands
from core.loads.products.sustained import CheckPolicy, Injector, ProductTally, Sustained
from core.loads.products.verify import KnownAnswer
from core.loads.words import flip_bit

CPU = torch.device("cpu")
SAMPLE, ALL = 400, 10_000
SIZE = 64
CHUNK_BYTES = 2048

pytestmark = pytest.mark.usefixtures("what_cpus_lack")
every_format = pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
flips_asked = pytest.mark.parametrize(
    "flips", [SAMPLE, pytest.param(ALL, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])]
)


@dataclass(slots=True)
class FlipsEachResult(Injector):
    """Flips another bit of each result that is compared."""

    choose: random.Random = field(default_factory=lambda: random.Random(1))
    places: list[tuple[int, int]] = field(default_factory=list)

    def inject_once(self, result: torch.Tensor, iteration: int) -> None:
        element = self.choose.randrange(result.numel())
        flip_bit(result, element, self.choose.randrange(8 * result.element_size()))
        self.places.append(divmod(element, result.shape[1]))


def sustained(format_: Format, injector: Injector, *, seed: int) -> tuple[Sustained, Findings, ProductTally]:
    operands = normal_operands(format_, SIZE, seed=seed, device=CPU)
    findings, tally = Findings(), ProductTally()
    policy = CheckPolicy(check_every=1)
    return Sustained(operands, injector=injector, findings=findings, tally=tally, policy=policy), findings, tally


def found_in(steps: Any) -> list[str]:
    return [fault.message for report in steps for fault in report.faults]


def share(flips: int, ways: int) -> int:
    return -(-flips // ways)


@flips_asked
@every_format
def test_every_bit_flipped_in_a_result_is_found_where_it_is(format_: Format, flips: int) -> None:
    injector = FlipsEachResult("bitflip", 0, choose=random.Random(format_.name))
    messages: list[str] = []
    running, findings, tally = sustained(format_, injector, seed=3)
    while len(injector.places) < share(flips, 2 * len(FORMATS)):
        messages += found_in(running.run(time.monotonic()))
    assert findings.errors == tally.compared == len(injector.places) == len(messages)
    for (row, column), message in zip(injector.places, messages, strict=True):
        assert f"1 element is wrong (row {row}, column {column}:" in message


@flips_asked
@every_format
def test_every_bit_flipped_in_a_golden_result_is_found_by_the_next_comparison(format_: Format, flips: int) -> None:
    choose = random.Random(format_.name)
    running, findings, _ = sustained(format_, Injector("", 0), seed=4)
    golden = running.golden.clone()
    enough = share(flips, 4 * len(FORMATS))
    for _ in range(enough):
        running.golden.copy_(golden)
        flip_bit(running.golden, choose.randrange(golden.numel()), choose.randrange(8 * golden.element_size()))
        assert len(found_in(running.run(time.monotonic()))) == 1
    assert findings.errors == enough


@flips_asked
@every_format
def test_every_bit_flipped_in_a_known_answer_is_found_if_it_changes_the_number(format_: Format, flips: int) -> None:
    """Only the sign of a zero changes none."""
    choose = random.Random(format_.name)
    product = KnownAnswer((SIZE, SIZE, SIZE), format_.integers, seed=5)
    for _ in product.prepare():
        pass
    right = product.operands(format_, CPU).product()
    done = 0
    while done < share(flips, 4 * len(FORMATS)):
        wrong = right.clone()
        element = choose.randrange(wrong.numel())
        flip_bit(wrong, element, choose.randrange(8 * wrong.element_size()))
        if float(wrong.view(-1)[element]) != float(right.view(-1)[element]):
            assert product.problem(wrong, format_) is not None
            done += 1


@dataclass(slots=True)
class FlipsEachChunk:
    """Flips another bit of each chunk that is written."""

    choose: random.Random
    made: list[tuple[int, int, int]] = field(default_factory=list)

    def after_write(self, memory: Memory, chunk: Chunk) -> None:
        place, bit = self.choose.randrange(len(chunk.words)), self.choose.randrange(64)
        flip_bit(chunk.words, place, bit)
        self.made.append((chunk.block, 8 * (chunk.offset + place), 1 << bit))


@flips_asked
def test_every_bit_flipped_in_memory_is_found_where_it_is(flips: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each write of a chunk is spoilt, and each is checked before the next one."""
    monkeypatch.setattr(patterns, "CPU_CHUNK_BYTES", CHUNK_BYTES)
    monkeypatch.setattr(mismatches, "KEPT", 2 * ALL)
    fault = FlipsEachChunk(random.Random(6))
    memory = Memory(CPU, 11 * CHUNK_BYTES + 264, block_bytes=4 * CHUNK_BYTES, fault=fault)
    findings, wrong_words = Findings(), Mismatches()
    sweeps = Sweeps(memory, findings, wrong_words, seed=6)
    turn, faults = 0, 0
    while len(fault.made) < flips / 2:
        for _, steps in sweeps.pattern_steps(turn, TESTS if flips == ALL else SHORT):
            faults += count(steps)
        turn += 1
    assert findings.errors == wrong_words.words == faults == len(fault.made)
    assert wrong_words.set_to_cleared + wrong_words.cleared_to_set == len(fault.made)
    assert sorted((word.block, word.byte, int(word.mask, 16)) for word in wrong_words.first) == sorted(fault.made)


def count(steps: Any) -> int:
    reports: list[StepReport] = list(steps)
    return sum(fault.count for report in reports for fault in report.faults)
