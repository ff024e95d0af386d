"""From every rank to every other, one way and both ways at once: transfers that are compared word by word where they
arrive, and the time of the smallest one."""

import time
from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from statistics import median

import torch
import torch.distributed as dist
from torch import Tensor

from core.loads.device import TimingMark, mark, room_on
from core.loads.evidence import Matrix
from core.loads.group.contract import P2pEvidence, P2pParams
from core.loads.group.process_group import GroupWork, ProcessGroup, Say
from core.loads.load import Fault, StepReport
from core.loads.words import LOW_BIT, Words, flip_bit, try_comparison
from core.platform.errors import EnvironmentProblem
from core.words import tr

MIB = 2**20
WORD_BYTES = 8
GPU_MIB, CPU_MIB = 256, 16
BUFFERS = 3
PINGS = 20
TRIED = 1000
UNKNOWN = -1.0
"""In a matrix that all ranks fill together: no other rank has this figure."""

Pair = tuple[int, int]


class P2pWork(GroupWork[P2pParams]):
    """One rank's part in the "p2p" load."""

    def __init__(self, params: P2pParams, group: ProcessGroup, say: Say) -> None:
        super().__init__(params, group, say)
        self._gbps: dict[Pair, list[float]] = {}
        self._duplex_gbps: dict[Pair, list[float]] = {}
        self._latency_us: dict[Pair, float] = {}
        self._all_gbps: Matrix = ()
        self._all_duplex_gbps: Matrix = ()
        self._all_latency_us: Matrix = ()
        self._size_bytes = 0
        self._transfers = 0
        self._passes = 0

    def _run(self) -> Iterator[StepReport]:
        """All pairs, one after another; again while there is time. Raises EnvironmentProblem without NCCL."""
        if self._group.over_the_host:
            raise EnvironmentProblem(tr("This PyTorch has no NCCL, and without it nothing is sent from GPU to GPU."))
        self._size_bytes = self._size()
        sent, arrived = (self._empty(self._size_bytes // WORD_BYTES) for _ in range(2))
        try_comparison(self._self_test, Words().fill(self._empty(TRIED)), Words().wrong)
        ranks = range(self._group.size)
        while self._group.agree(self._passes == 0 or time.monotonic() < self._deadline):
            for pair in permutations(ranks, 2):
                yield from self._between(pair, sent, arrived)
            for pair in combinations(ranks, 2):
                yield from self._both_ways(pair, sent, arrived)
            self._passes += 1
            self._gather()

    def _unfinished(self) -> str | None:
        return None if self._passes else tr("Ended before every pair had its turn.")

    def _passed(self) -> str:
        fields = {"checks": self._findings.checks, "devices": self._group.size}
        return tr(
            "{checks} transfers arrived as they were sent, between {devices} devices in both directions.", **fields
        )

    # -- one pair -------------------------------------------------------------------------------------------------

    def _between(self, pair: Pair, sent: Tensor, arrived: Tensor) -> Iterator[StepReport]:
        source, target = pair
        self._say(tr("The transfer from rank {source} to rank {target}", source=source, target=target))
        self._group.part()
        if self._group.rank == source:
            self._latency(target, first=True)
            for turn in range(self._params.repeats):
                self._contents(pair, turn).fill(sent)
                dist.send(self._empty(1), target)
                dist.send(sent, target)
            # The next pair shall have the links to itself.
            mark(self._group.device).wait()
            yield StepReport()
        elif self._group.rank == target:
            self._latency_us[pair] = self._latency(source, first=False)
            yield self._received(pair, arrived, lambda _: self._one_way(arrived, source), self._gbps)

    def _both_ways(self, pair: Pair, sent: Tensor, arrived: Tensor) -> Iterator[StepReport]:
        """Each of the two sends while it receives. NCCL joins what is asked for together."""
        fields = {"one": pair[0], "other": pair[1]}
        self._say(tr("The transfers between rank {one} and rank {other}, both directions at once", **fields))
        self._group.part()
        if self._group.rank not in pair:
            return
        own = self._group.rank
        other = pair[1] if own == pair[0] else pair[0]

        def receive(turn: int) -> tuple[TimingMark, TimingMark]:
            self._contents((own, other), turn).fill(sent)
            self._exchanged(self._empty(1), self._empty(1), other)
            started = mark(self._group.device)
            self._exchanged(sent, arrived, other)
            return started, mark(self._group.device)

        yield self._received((other, own), arrived, receive, self._duplex_gbps)

    def _one_way(self, arrived: Tensor, source: int) -> tuple[TimingMark, TimingMark]:
        """The time counts from the moment at which the sender is ready, which one word before the others tells."""
        dist.recv(self._empty(1), source)
        started = mark(self._group.device)
        dist.recv(arrived, source)
        return started, mark(self._group.device)

    def _exchanged(self, sent: Tensor, arrived: Tensor, other: int) -> None:
        both = [dist.P2POp(dist.isend, sent, other), dist.P2POp(dist.irecv, arrived, other)]
        for request in dist.batch_isend_irecv(both):
            request.wait()

    def _received(
        self,
        pair: Pair,
        arrived: Tensor,
        receive: Callable[[int], tuple[TimingMark, TimingMark]],
        rates: dict[Pair, list[float]],
    ) -> StepReport:
        """What came is compared on the device; the host asks once, when all has come."""
        marks: list[tuple[TimingMark, TimingMark]] = []
        wrong = []
        for turn in range(self._params.repeats):
            arrived.zero_()
            marks.append(receive(turn))
            self._transfers += 1
            self._corrupt(arrived)
            wrong.append(self._contents(pair, turn).wrong(arrived))
        counts = torch.stack(wrong)
        mark(self._group.device).wait()
        faults: list[Fault] = []
        for count in counts.tolist():
            fields = {"source": pair[0], "target": pair[1], "wrong": count, "words": len(arrived)}
            text = tr("A transfer from rank {source} to rank {target}: {wrong} of {words} words are wrong", **fields)
            faults.extend(self._findings.checked(text if count else None).faults)
        seconds = [ended.seconds_since(started) for started, ended in marks]
        rates.setdefault(pair, []).append(self._size_bytes / median(seconds) / 1e9)
        moved = self._size_bytes * len(seconds)
        return StepReport(busy_s=sum(seconds), checks=len(seconds), faults=tuple(faults), moved_bytes=moved)

    def _latency(self, other: int, *, first: bool) -> float:
        """Half the time of 8 bytes there and back, in microseconds: the median of a few."""
        small = torch.zeros(1, dtype=torch.int64, device=self._group.device)
        taken: list[float] = []
        for _ in range(PINGS):
            began = time.perf_counter()
            (dist.send if first else dist.recv)(small, other)
            (dist.recv if first else dist.send)(small, other)
            mark(self._group.device).wait()
            taken.append(time.perf_counter() - began)
        return 1e6 * median(taken) / 2

    def _contents(self, pair: Pair, turn: int) -> Words:
        """Every transfer has others, so that one that never came is not taken for the one before."""
        number = turn + self._params.repeats * (pair[0] + self._group.size * pair[1]) + 1_000_003 * self._passes
        return Words.drawn(self._params.seed + number)

    def _empty(self, words: int) -> Tensor:
        return torch.empty(words, dtype=torch.int64, device=self._group.device)

    def _corrupt(self, buffer: Tensor) -> None:
        """A fault on purpose in what arrived at this rank."""
        if self._drill.due(self._transfers - 1):
            flip_bit(buffer, len(buffer) // 2, LOW_BIT)
            self._drill.strike(tr("word {word} of transfer {number}", word=len(buffer) // 2, number=self._transfers))

    # -- figures --------------------------------------------------------------------------------------------------

    def _size(self) -> int:
        """Bytes of a transfer: what was asked for, as far as the memory of every rank holds it."""
        chosen_bytes = (self._params.mib or (GPU_MIB if self._group.device.type == "cuda" else CPU_MIB)) * MIB
        held = min(row[0] for row in self._group.gathered([room_on(self._group.device).usable / BUFFERS]))
        return max(MIB, min(chosen_bytes, int(held) // MIB * MIB))

    def _gather(self) -> None:
        """Every rank fills in what arrived at it; afterwards all have the whole matrix."""
        self._all_gbps = self._matrix({pair: median(rates) for pair, rates in self._gbps.items()})
        self._all_duplex_gbps = self._matrix({pair: median(rates) for pair, rates in self._duplex_gbps.items()})
        self._all_latency_us = self._matrix(self._latency_us)

    def _matrix(self, own: dict[Pair, float]) -> Matrix:
        """Rows are senders, columns receivers."""
        places = range(self._group.size)
        gathered = self._group.gathered([own.get((source, self._group.rank), UNKNOWN) for source in places])
        return tuple(
            tuple(
                round(gathered[target][source], 3) if gathered[target][source] != UNKNOWN else None for target in places
            )
            for source in places
        )

    def _evidence(self) -> P2pEvidence:
        params = self._params
        return P2pEvidence(
            backend=dist.get_backend(),
            bytes=self._size_bytes,
            passes=self._passes,
            matrix_gbps=self._all_gbps,
            duplex_gbps=self._all_duplex_gbps,
            latency_us=self._all_latency_us,
            transport=params.transport or tr("not known: the driver was not asked"),
        )
