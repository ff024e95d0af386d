"""All-reduce of known integers over all ranks, every sum compared on every rank; and the other collectives.

Doubling sizes first, then one size for the rest of the time. Each place has a number of its own, and every other
all-reduce has the negative ones: what came from another place, or from the turn before, is wrong. Where sums are wrong,
a rank whose own numbers have changed in memory is told from those that only received its sums.
"""

import time
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from core.loads.device import mark, room_on
from core.loads.group.contract import CollectivesEvidence, CollectivesParams, Timings, all_reduce_bus_factor
from core.loads.group.process_group import GroupWork, ProcessGroup, Say
from core.loads.load import Fault, StepReport
from core.loads.training.judging import Unchanging
from core.loads.words import LOW_BIT, differing, flip_bit, summands, try_comparison
from core.words import plain, tr

MIB = 2**20
WORD_BYTES = 4
GPU_MIB, CPU_MIB = (1024, 256), (16, 16)
"""Largest and sustained size."""
BUFFERS = 3
"""Pattern, buffer and what the framework needs beside them."""
ROUND_S = 0.5
SLOW_TAIL = 2.0
SLOW_TAIL_FROM_BYTES = 64 * MIB
ENOUGH_FOR_A_TAIL = 100
TRIED = 1000


class CollectivesWork(GroupWork[CollectivesParams]):
    """One rank's part in the "collectives" load."""

    def __init__(self, params: CollectivesParams, group: ProcessGroup, say: Say) -> None:
        super().__init__(params, group, say)
        self._bus_factor = all_reduce_bus_factor(group.size)
        self._sweep: list[Timings] = []
        self._sustained: Timings | None = None
        self._also: dict[str, Any] = {}
        self._reduced = 0

    def _run(self) -> Iterator[StepReport]:
        """The sweep is taken whole, whatever the time; the last size fills what is left of it."""
        largest, sustained = self._sizes()
        pattern = self._own_numbers(max(largest, sustained) // WORD_BYTES)
        unchanging = Unchanging({f"the numbers that rank {self._group.rank} adds": pattern})
        few = pattern[:TRIED]
        try_comparison(self._self_test, few, lambda copy: differing(copy, few))
        buffer = torch.empty_like(pattern)
        yield from self._others(pattern[: MIB // WORD_BYTES])
        size = MIB
        while size <= largest:
            timings = Timings(size)
            self._sweep.append(timings)
            yield from self._all_reduces(timings, pattern, buffer, self._params.warm_up + self._params.repeats)
            del timings.seconds[: self._params.warm_up]
            size *= 2
        self._sustained = Timings(sustained)
        rounds, repeats = 0, 1
        while self._group.agree(time.monotonic() < self._deadline or rounds < 2):
            began = time.monotonic()
            yield from self._all_reduces(self._sustained, pattern, buffer, repeats)
            one_s = (time.monotonic() - began) / repeats
            rounds, repeats = rounds + 1, int(self._group.gathered([max(2.0, min(1000.0, ROUND_S / one_s))])[0][0])
        yield self._findings.checked(unchanging.problem())

    def _unfinished(self) -> str | None:
        return None if self._sustained and self._sustained.seconds else tr("Ended before all sizes were done.")

    def _passed(self) -> str:
        fields = {"reduced": self._reduced, "sizes": len(self._sweep), "ranks": self._group.size}
        return tr("{reduced} all-reduces of {sizes} sizes, all correct, over {ranks} ranks.", **fields)

    # -- all-reduce -----------------------------------------------------------------------------------------------

    def _all_reduces(self, timings: Timings, pattern: Tensor, buffer: Tensor, times: int) -> Iterator[StepReport]:
        """Queues them all, verified one by one, and waits once."""
        self._say(tr("The all-reduce of {size}", size=_mib(timings.size_bytes)))
        count = timings.size_bytes // WORD_BYTES
        pattern, buffer = pattern[:count], buffer[:count]
        total = self._group.size * (self._group.size + 1) // 2
        marks, wrong = [], []
        for turn in range(times):
            sign = -1 if turn % 2 else 1
            torch.mul(pattern, sign * (self._group.rank + 1), out=buffer)
            started = mark(self._group.device)
            dist.all_reduce(buffer)
            marks.append((started, mark(self._group.device)))
            self._corrupt(buffer)
            wrong.append(differing(buffer, pattern, times=sign * total))
            self._reduced += 1
        counts = torch.stack(wrong).tolist()
        for started, ended in marks:
            ended.wait()
            timings.seconds.append(ended.seconds_since(started))
        yield self._report(timings, counts, self._cause(sum(counts), pattern))

    def _cause(self, wrong: int, pattern: Tensor) -> str | None:
        """What can be said of wrong sums, to follow their count; None where another rank is known to have caused them.

        Numbers of this rank that have changed are made anew, so that no fault is counted twice.
        """
        right = self._own_numbers(len(pattern)) if wrong else pattern
        changed = int(differing(pattern, right)) if wrong else 0
        if changed:
            pattern.copy_(right)
        rows = self._group.gathered([wrong, changed])
        if changed:
            return tr(", because {changed} of the numbers it adds changed in its memory", changed=changed)
        if any(row[1] for row in rows):
            return None
        everywhere = all(row[0] for row in rows)
        return tr("; all ranks have wrong sums, so one of them sent wrong data") if everywhere else ""

    def _own_numbers(self, count: int) -> Tensor:
        return summands(count, self._group.device, ranks=self._group.size)

    def _report(self, timings: Timings, counts: list[int], cause: str | None) -> StepReport:
        busy_s = sum(timings.seconds[-len(counts) :])
        moved = int(self._bus_factor * timings.size_bytes * len(counts))
        whole = timings.size_bytes // WORD_BYTES
        faults: list[Fault] = []
        for place, count in enumerate(counts, start=self._reduced - len(counts) + 1):
            problem = None
            if count and cause is not None:
                problem = tr(
                    "All-reduce {place} of {size} on rank {rank}: {wrong} of {sums} sums are wrong",
                    place=place,
                    size=_mib(timings.size_bytes),
                    rank=self._group.rank,
                    wrong=count,
                    sums=whole,
                )
            if problem and cause:
                problem = plain("{problem}{cause}", problem=problem, cause=cause)
            faults.extend(self._findings.checked(problem).faults)
        return StepReport(busy_s=busy_s, checks=len(counts), faults=tuple(faults), moved_bytes=moved)

    def _corrupt(self, buffer: Tensor) -> None:
        """A fault on purpose in what arrived at this rank."""
        if self._drill.due(self._reduced):
            flip_bit(buffer, len(buffer) // 2, LOW_BIT)
            fields = {"place": len(buffer) // 2, "number": self._reduced + 1}
            self._drill.strike(tr("sum {place} of all-reduce {number}", **fields))

    # -- the others -----------------------------------------------------------------------------------------------

    def _others(self, pattern: Tensor) -> Iterator[StepReport]:
        """A broadcast from each rank and an all-gather."""
        mine = pattern * (self._group.rank + 1)
        self._say(tr("The broadcast of {size}", size=_mib(pattern.nbytes)))
        wrong = 0
        for source in range(self._group.size):
            sent = mine.clone()
            dist.broadcast(sent, src=source)
            wrong += int(differing(sent, pattern, times=source + 1))
        yield self._also_checked("broadcast", wrong)
        if self._group.over_the_host:
            self._also["all_gather"] = tr("not run: this PyTorch has no NCCL")
            return
        self._say(tr("The all-gather of {size} from each rank", size=_mib(pattern.nbytes)))
        rows = [torch.empty_like(pattern) for _ in range(self._group.size)]
        dist.all_gather(rows, mine)
        wrong = sum(int(differing(row, pattern, times=rank + 1)) for rank, row in enumerate(rows))
        yield self._also_checked("all_gather", wrong)

    def _also_checked(self, name: str, wrong: int) -> StepReport:
        self._also[name] = "wrong" if wrong else "right"
        problem = None
        if wrong:
            fields = {"name": name, "rank": self._group.rank, "wrong": wrong}
            problem = tr("{name} on rank {rank}: {wrong} elements are wrong", **fields)
        return self._findings.checked(problem)

    # -- figures --------------------------------------------------------------------------------------------------

    def _sizes(self) -> tuple[int, int]:
        """Largest and sustained size in bytes: what was asked for, as far as the memory of every rank holds it."""
        largest, sustained = GPU_MIB if self._group.device.type == "cuda" else CPU_MIB
        held = room_on(self._group.device).usable / BUFFERS
        least = min(row[0] for row in self._group.gathered([held]))
        return (
            min((self._params.largest_mib or largest) * MIB, power_of_two(least)),
            min((self._params.sustained_mib or sustained) * MIB, power_of_two(least)),
        )

    def _evidence(self) -> CollectivesEvidence:
        device, sustained = self._group.device, self._sustained
        evidence = sustained.evidence(self._bus_factor) if sustained and sustained.seconds else None
        return CollectivesEvidence(
            warnings=tuple(self._slow_tail()) if device.type == "cuda" else (),
            backend=dist.get_backend(),
            all_reduce=tuple(timings.evidence(self._bus_factor) for timings in self._sweep if timings.seconds),
            sustained=evidence,
            reduced=self._reduced,
            rates={"all_reduce": evidence.busbw_gbps} if evidence else {},
            rate_unit="GB/s",
            **self._also,
        )

    def _slow_tail(self) -> list[str]:
        """Of large operations: when one in a hundred takes twice as long as usual, something stands in the way."""
        timings = self._sustained
        if timings is None or timings.size_bytes < SLOW_TAIL_FROM_BYTES or len(timings.seconds) < ENOUGH_FOR_A_TAIL:
            return []
        usual_ms, slow_ms = timings.quantile_ms(0.5), timings.quantile_ms(0.99)
        if slow_ms <= SLOW_TAIL * usual_ms:
            return []
        fields = {"slow_ms": slow_ms, "usual_ms": usual_ms}
        return [
            tr("One all-reduce in a hundred took {slow_ms:.1f} ms or more; {usual_ms:.1f} ms is typical.", **fields)
        ]


def _mib(size_bytes: int) -> str:
    return f"{size_bytes / MIB:.0f} MiB"


def power_of_two(size: float) -> int:
    """The largest one up to `size`, at least 1 MiB."""
    return 1 << (max(int(size), MIB).bit_length() - 1)
