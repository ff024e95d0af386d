"""Verified products beside the same products bare, in turns on one device: what checking costs, whatever the clocks do.

Both kinds of turn multiply the same operands into the same number of buffers and queue as far ahead; the bare one
compares nothing. Turns go verified, bare, bare, verified, so that a clock that falls evenly falls on both alike.
"""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import torch

from core.loads.device import TimingMark, mark
from core.loads.findings import Findings
from core.loads.products.availability import affordable
from core.loads.products.formats import Format, normal_operands, product_precision
from core.loads.products.sustained import CheckPolicy, Injector, ProductTally, Sustained
from core.loads.products.verify import golden_problem
from core.words import tr

LARGEST = {"cpu": 1024, "cuda": 8192}
SMALL_GPU_BYTES = 8e9
SMALL_GPU_LARGEST = 4096
SEED = 20_240_601
LONGEST_TURN_S, SHORTEST_TURN_S = 1.5, 0.05
WARM_UP_SHARE = 0.2
TURNS_A_FORMAT = 10
"""So many turns fit into the time of a format, after its warm-up."""
MIB = 2**20
SMALLEST_COPY_BYTES = {"cpu": 64 * MIB, "cuda": 1024 * MIB}
LARGEST_CPU_COPY_BYTES = 256 * MIB
CACHES = 8
COPIES_QUEUED = 8


class TurnKind(StrEnum):
    """What a turn did besides multiplying."""

    VERIFIED = "verified"
    BARE = "bare"


ORDER = (TurnKind.VERIFIED, TurnKind.BARE, TurnKind.BARE, TurnKind.VERIFIED)


@dataclass(frozen=True, slots=True)
class ProductTurn:
    """One turn. Moments are monotonic, in s; `seconds` are those of the host, from idle device to idle device."""

    kind: TurnKind
    started_s: float
    seconds: float
    flop: float
    checks: int = 0
    errors: int = 0


class VerificationCost:
    """One format's products in both kinds. Raises what the framework raises."""

    def __init__(self, format_: Format, device: torch.device, *, size: int | None = None, check_every: int = 8) -> None:
        self.size = size or fitting_size(format_, device)
        self._format = format_
        self._device = device
        self._operands = normal_operands(format_, self.size, seed=SEED, device=device)
        self._findings = Findings()
        self.tally = ProductTally()
        with product_precision(tf32=format_.tf32):
            self._sustained = Sustained(
                self._operands,
                injector=Injector("", 0),
                findings=self._findings,
                tally=self.tally,
                policy=CheckPolicy(check_every),
            )
            problem = golden_problem(self._sustained.golden, self._operands, seed=SEED)
            deque(self._sustained.prepare(), maxlen=0)
        self.problem = None if problem is None else tr("The first product is wrong: {problem}.", problem=str(problem))
        """Found where it was held to the reference in double precision: all others are held to it."""
        self._buffers = deque(torch.empty_like(self._sustained.golden) for _ in range(self.tally.buffers))

    @property
    def check_every(self) -> int:
        """One verified product in so many is compared."""
        return self._sustained.check_every

    def turns(self, seconds: float) -> Iterator[ProductTurn]:
        """A warm-up that is not told, then whole rounds of four turns until the time is over, at least one."""
        ends_s = time.monotonic() + seconds
        self.turn(TurnKind.VERIFIED, WARM_UP_SHARE * seconds)
        length_s = min(max((1 - WARM_UP_SHARE) * seconds / TURNS_A_FORMAT, SHORTEST_TURN_S), LONGEST_TURN_S)
        first = True
        while first or time.monotonic() + len(ORDER) * length_s <= ends_s:
            first = False
            for kind in ORDER:
                yield self.turn(kind, length_s)

    def turn(self, kind: TurnKind, seconds: float) -> ProductTurn:
        """One turn of about `seconds`; the device is idle before and after."""
        checks, errors = self.tally.compared, self._findings.errors
        _wait_for(self._device)
        started_s = time.monotonic()
        with product_precision(tf32=self._format.tf32):
            deadline = started_s + seconds
            verified = kind is TurnKind.VERIFIED
            flop = sum(one.flop for one in self._sustained.run(deadline)) if verified else self._bare(deadline)
        _wait_for(self._device)
        took_s = time.monotonic() - started_s
        return ProductTurn(kind, started_s, took_s, flop, self.tally.compared - checks, self._findings.errors - errors)

    def _bare(self, deadline: float) -> float:
        queued: deque[TimingMark] = deque()
        products = 0
        while not products or time.monotonic() < deadline:
            self._multiply(self._sustained.batch_size)
            products += self._sustained.batch_size
            queued.append(mark(self._device))
            if len(queued) > self._sustained.ahead:
                queued.popleft().wait()
        return products * self._operands.flop

    def _multiply(self, times: int) -> None:
        result = self._buffers.popleft()
        for _ in range(times):
            result = self._operands.product(out=result)
        self._buffers.append(result)


def fitting_size(format_: Format, device: torch.device) -> int:
    """The size that the burn-in uses on such a device: as large as one product well under a second allows."""
    size = LARGEST[device.type]
    if device.type == "cuda" and torch.cuda.get_device_properties(device).total_memory < SMALL_GPU_BYTES:
        size = SMALL_GPU_LARGEST
    return affordable((size, size, size), format_, device)[0]


def copy_gbps(device: torch.device, seconds: float, *, cache_bytes: int | None = None) -> tuple[float, int]:
    """What copying within the device's memory moves, GB/s, read and written bytes both counted; and the buffer's bytes.

    A bare copy, unverified: what the bandwidth of the burn-in is held against. Raises what the framework raises.
    """
    size = max(SMALLEST_COPY_BYTES[device.type], CACHES * (cache_bytes or 0))
    room = torch.cuda.mem_get_info(device)[0] // 4 if device.type == "cuda" else LARGEST_CPU_COPY_BYTES
    size = min(size, room)
    source = torch.ones(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    target.copy_(source)
    _wait_for(device)
    started_s = time.monotonic()
    copies = 0
    while not copies or time.monotonic() - started_s < seconds:
        for _ in range(COPIES_QUEUED):
            target.copy_(source)
        copies += COPIES_QUEUED
        _wait_for(device)
    return 2.0 * size * copies / (time.monotonic() - started_s) / 1e9, size


def _wait_for(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
