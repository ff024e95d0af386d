"""The load on the link between host and GPU: each way and both at once. It finds bad risers, narrow slots and links
that fall back.

Each transfer has contents of its own and is checked on the device. What went to the host is sent back and checked
there, too: a comparison by the host would leave the link idle.
"""

import os
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import torch

from core.loads.device import TimingMark, give_back, mark, waited_for
from core.loads.findings import Drill, SelfTest, TriedFault
from core.loads.load import StepReport, alive, alive_through
from core.loads.memory.contract import HostLinkEvidence, HostLinkParams
from core.loads.memory.faults import BLOCK_BYTES
from core.loads.memory.patterns import MIB
from core.loads.meter import Meter
from core.loads.verified_load import DeviceLoad
from core.loads.words import LOW_BIT, WORD_BYTES, Words, flip_bit
from core.platform.errors import EnvironmentProblem
from core.words import Worded, joined, plain, tr

CONTENTS = 2
"""In turns: what the transfer before left behind cannot be taken for what should arrive now."""


class Direction(Worded):
    """Which way a transfer goes."""

    TO_DEVICE = "to_device", tr("to device")
    TO_HOST = "to_host", tr("to host")
    BOTH = "both", tr("both")


WAYS = (Direction.TO_DEVICE, Direction.TO_HOST)


@dataclass(frozen=True, slots=True)
class Sent:
    """A buffer to be sent, and what it holds."""

    words: Words
    buffer: torch.Tensor


@dataclass(slots=True)
class Transfers:
    """Buffers of so many 64-bit `words` on both sides. The drill changes what arrives with the transfer of its number,
    counted from 0."""

    device: torch.device
    words: int
    seed: int
    drill: Drill = field(default_factory=Drill)
    done: int = 0
    _sent: dict[Direction, list[Sent]] = field(default_factory=dict)
    _arrived: dict[Direction, torch.Tensor] = field(default_factory=dict)
    _streams: list[torch.cuda.Stream] = field(default_factory=list)

    def prepare(self) -> Iterator[None]:
        """Takes and fills the buffers; pinned on the host, so that the device fetches them by itself."""
        pinned = self.device.type == "cuda"
        host = torch.device("cpu")
        for number, (way, device) in enumerate(zip(WAYS, (host, self.device), strict=True)):
            self._sent[way] = [
                Sent(Words.drawn(self.seed + CONTENTS * number + turn), self._empty(device)) for turn in range(CONTENTS)
            ]
            for sent in self._sent[way]:
                yield from sent.words.filling(sent.buffer)
        self._arrived = {
            Direction.TO_DEVICE: self._empty(self.device).zero_(),
            Direction.TO_HOST: self._empty(host).zero_(),
        }
        if pinned:
            self._streams = [torch.cuda.Stream(self.device) for _ in range(2)]  # type: ignore[no-untyped-call]
        yield

    def go(self, direction: Direction) -> Generator[StepReport, None, tuple[float, str | None]]:
        """One transfer, or one each way at once: seconds, and what was wrong with what arrived."""
        turn = self.done % CONTENTS
        ways = WAYS if direction is Direction.BOTH else (direction,)
        started, ended = self._copied(ways, turn)
        yield from waited_for(ended)
        seconds = max(ended.seconds_since(started), 1e-9)
        if self.drill.due(self.done):
            flip_bit(self._arrived[ways[0]], self.words // 2, LOW_BIT)
            self.drill.strike(tr("transfer {number}, {way}", number=self.done + 1, way=ways[0].label))
        self.done += 1
        problems = []
        for way in ways:
            problem = yield from self._problem(way, turn)
            problems += [f"{way.replace('_', ' ')}: {problem}"] if problem else []
        return seconds, "; ".join(problems) or None

    def bytes_of(self, direction: Direction) -> int:
        """What one transfer carries, both ways together."""
        return WORD_BYTES * self.words * (2 if direction is Direction.BOTH else 1)

    def _copied(self, ways: tuple[Direction, ...], turn: int) -> tuple[TimingMark, TimingMark]:
        started = mark(self.device)
        if len(ways) == 1 or not self._streams:
            for way in ways:
                self._arrived[way].copy_(self._sent[way][turn].buffer, non_blocking=True)
            return started, mark(self.device)
        main = torch.cuda.current_stream(self.device)
        for way, stream in zip(ways, self._streams, strict=True):
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                self._arrived[way].copy_(self._sent[way][turn].buffer, non_blocking=True)
        for stream in self._streams:
            main.wait_stream(stream)
        return started, mark(self.device)

    def _problem(self, way: Direction, turn: int) -> Generator[StepReport, None, str | None]:
        sent = self._sent[way][turn]
        problem = yield from self._there(way, sent)
        if problem is None:
            return None
        if (before := (yield from alive(sent.words.problem(sent.buffer)))) is not None:
            return tr("it was wrong before it was sent, {before}", before=before)
        if way is Direction.TO_HOST and (yield from self._there(way, sent)) is None:
            return tr("{problem}, on the way back", problem=problem)
        return problem

    def _there(self, way: Direction, sent: Sent) -> Generator[StepReport, None, str | None]:
        """What is wrong with what lies on the device, where that from the host goes first; the device looks."""
        on_device = self._arrived[Direction.TO_DEVICE]
        if way is Direction.TO_HOST:
            on_device.copy_(self._arrived[way], non_blocking=True)
        return (yield from alive(sent.words.problem(on_device)))

    def _empty(self, device: torch.device) -> torch.Tensor:
        pinned = self.device.type == "cuda" and device.type == "cpu"
        return torch.empty(self.words, dtype=torch.int64, device=device, pin_memory=pinned)


def try_transfers(self_test: SelfTest, device: torch.device, *, seed: int) -> Iterator[StepReport]:
    """Two transfers each way, of which the second is changed where it arrives."""
    for direction in WAYS:
        transfers = Transfers(device, BLOCK_BYTES // WORD_BYTES, seed, Drill("corrupt", 1))
        yield from alive_through(transfers.prepare())
        _, right = yield from transfers.go(direction)
        _, wrong = yield from transfers.go(direction)
        seen = wrong is not None and right is None
        self_test.note(TriedFault.CORRUPTED_TRANSFER, seen, tr("transfers {direction}", direction=direction.label))


class HostLinkLoad(DeviceLoad[HostLinkParams]):
    """The "host_link" load."""

    def __init__(self, params: HostLinkParams, device: torch.device) -> None:
        self._bytes = params.buffer_mib * MIB
        super().__init__(params, device)

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._meters = {direction: Meter() for direction in Direction}
        self._rounds = 0
        self._stayed_on: set[int] = set()
        words = self._bytes // WORD_BYTES
        self._transfers = Transfers(self._device, words, self._params.seed, self._drill)

    def _smaller(self) -> bool:
        """Half the buffers, down to 1 MiB."""
        if self._bytes // 2 < MIB:
            return False
        self._bytes //= 2
        return True

    def _prepare(self) -> Iterator[StepReport]:
        """Raises EnvironmentProblem on a CPU."""
        if self._device.type != "cuda":
            raise EnvironmentProblem(tr("A CPU has no link to the host: it is the host."))
        return try_transfers(self._self_test, self._device, seed=self._params.seed)

    def _run(self) -> Iterator[StepReport]:
        """Rounds of so many transfers each way and both at once, at least one."""
        with staying_near(processors_near(pci_address(self._device))) as self._stayed_on:
            yield from self._rounds_until(self._deadline)
        give_back(self._device)

    def _unfinished(self) -> str | None:
        return None if self._rounds else tr("Ended before every direction of the link was tested.")

    def _passed(self) -> str:
        rates = joined(
            (
                plain("{way} {rate:.1f} GB/s", way=Direction(name).label, rate=rate)
                for name, rate in self._rates().items()
            ),
            ", ",
        )
        return tr("{rates}; {checks} transfers checked, none wrong.", rates=rates, checks=self._findings.checks)

    def _rounds_until(self, deadline: float) -> Iterator[StepReport]:
        yield from alive_through(self._transfers.prepare())
        while not self._rounds or time.monotonic() < deadline:
            for direction in Direction:
                for _ in range(self._params.transfers):
                    if self._rounds and time.monotonic() >= deadline:
                        return
                    yield from self._one(direction)
            self._rounds += 1

    def _one(self, direction: Direction) -> Iterator[StepReport]:
        seconds, problem = yield from self._transfers.go(direction)
        moved = self._transfers.bytes_of(direction)
        self._meters[direction].add(moved, seconds)
        report = self._findings.checked(problem and tr("The data arrived corrupted: {problem}", problem=problem))
        yield StepReport(busy_s=seconds, moved_bytes=moved, checks=1, faults=report.faults)

    def _rates(self) -> dict[str, float]:
        rates = {direction.value: meter.rate() for direction, meter in self._meters.items()}
        return {name: round(rate / 1e9, 3) for name, rate in rates.items() if rate is not None}

    def _evidence(self) -> HostLinkEvidence:
        return HostLinkEvidence(
            buffer_bytes=self._bytes,
            pinned=self._device.type == "cuda",
            near_processors=len(self._stayed_on),
            rounds=self._rounds,
            transfers=self._transfers.done,
            rates=self._rates(),
            rate_unit="GB/s",
        )


PCI_DEVICES = Path("/sys/bus/pci/devices")


def pci_address(device: torch.device) -> str | None:
    """As the kernel writes it, "0000:65:00.0"; None where torch does not tell it, and for a CPU."""
    if device.type != "cuda":
        return None
    properties = torch.cuda.get_device_properties(device)
    names = ("pci_domain_id", "pci_bus_id", "pci_device_id")
    domain, bus, slot = (getattr(properties, name, None) for name in names)
    if domain is None or bus is None or slot is None:
        return None
    return f"{domain:04x}:{bus:02x}:{slot:02x}.0"


def processors_near(address: str | None, devices: Path = PCI_DEVICES) -> set[int]:
    """Logical processors on the socket of a PCI device; empty where the system does not tell."""
    if address is None:
        return set()
    try:
        return parsed((devices / address / "local_cpulist").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return set()


def parsed(cpu_list: str) -> set[int]:
    """The numbers in a list such as "0-3,8". Raises ValueError for anything else."""
    cpus: set[int] = set()
    for part in filter(None, cpu_list.strip().split(",")):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


@contextmanager
def staying_near(processors: set[int]) -> Iterator[set[int]]:
    """Keeps the calling thread, and so the memory that it touches first, on these processors as far as it may run
    there; gives those that it stays on, none where nothing was changed."""
    if not hasattr(os, "sched_setaffinity"):
        yield set()
        return
    before = os.sched_getaffinity(0)
    chosen = before & processors
    try:
        if chosen:
            os.sched_setaffinity(0, chosen)
        yield chosen
    finally:
        os.sched_setaffinity(0, before)
