"""Copy engines: up, down and within the card at the same time, every copy checked on the device."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field

import torch

from core.loads.device import mark
from core.loads.findings import SelfTest, TriedFault
from core.loads.units.computing import Inject, OperationResult
from core.loads.words import WORD_BYTES, Checksum, checksum, checksum_steps, flip_bit
from core.words import tr, trn

CONTENTS = 2
"""In turns: what the round before left behind cannot be taken for what should arrive now."""
UP, DOWN, WITHIN = "host to device", "device to host", "device to device"


@dataclass(slots=True)
class CopyEngines:
    """Three copies a round, each on a stream of its own, so that every engine of the card works at once.

    What came down to the host goes up again to be checked on the device: the host would be slower than the link.
    """

    device: torch.device
    copy_bytes: int
    seed: int
    name: str = "copy engines"
    _turn: int = 0
    _expected: list[Checksum] = field(default_factory=list)
    _on_host: list[torch.Tensor] = field(default_factory=list)
    _on_device: list[torch.Tensor] = field(default_factory=list)
    _arrived: dict[str, torch.Tensor] = field(default_factory=dict)
    _streams: list[torch.cuda.Stream] = field(default_factory=list)

    def lacking(self) -> str | None:
        """A CPU copies with its own instructions."""
        return None if self.device.type == "cuda" else tr("A CPU has no copy engines.")

    def prepare(self) -> Iterator[None]:
        """Draws contents on the host, and takes the buffers; pinned on the host, for the engines to reach them."""
        words, pinned = self.copy_bytes // WORD_BYTES, self.device.type == "cuda"
        for turn in range(CONTENTS):
            generator = torch.Generator().manual_seed(self.seed + turn)
            drawn = torch.empty(words, dtype=torch.int64, pin_memory=pinned)
            self._on_host.append(drawn.random_(generator=generator))
            yield
            self._expected.append((yield from checksum_steps(drawn)))
            self._on_device.append(drawn.to(self.device, copy=True))
            yield
        self._arrived = {name: torch.zeros(words, dtype=torch.int64, device=self.device) for name in (UP, WITHIN)}
        self._arrived[DOWN] = torch.zeros(words, dtype=torch.int64, pin_memory=pinned)
        if pinned:
            self._streams = [torch.cuda.Stream(self.device) for _ in self._copies()]  # type: ignore[no-untyped-call]
        yield

    def try_checks(self, self_test: SelfTest) -> Iterator[None]:
        """A bit flipped in what arrived."""
        wrong = self._on_device[0].clone()
        flip_bit(wrong, len(wrong) // 3, 0)
        self_test.note(TriedFault.CORRUPTED_TRANSFER, checksum(wrong) != self._expected[0], self.name)
        yield

    def round(self, inject: Inject) -> Iterator[OperationResult]:
        """All three copies at once, then the checks. Each outcome has a third of the time, which all took together."""
        started = mark(self.device)
        for place, copy in enumerate(self._copies()):
            self._queue(copy, self._streams[place] if self._streams else None)
        for stream in self._streams:
            torch.cuda.current_stream(self.device).wait_stream(stream)
        ended = mark(self.device)
        ended.wait()
        busy_s = ended.seconds_since(started) / len(self._arrived)
        inject(self._arrived[UP])
        for name, turn in ((UP, self._turn), (DOWN, self._turn), (WITHIN, self._other)):
            moved = self.copy_bytes * (2 if name == WITHIN else 1)
            yield OperationResult(name, busy_s, moved, self._problem(name, turn))
        self._turn = self._other

    @property
    def _other(self) -> int:
        return (self._turn + 1) % CONTENTS

    def _copies(self) -> tuple[Callable[[], object], ...]:
        return (
            lambda: self._arrived[UP].copy_(self._on_host[self._turn], non_blocking=True),
            lambda: self._arrived[DOWN].copy_(self._on_device[self._turn], non_blocking=True),
            lambda: self._arrived[WITHIN].copy_(self._on_device[self._other], non_blocking=True),
        )

    def _queue(self, copy: Callable[[], object], stream: torch.cuda.Stream | None) -> None:
        if stream is not None:
            stream.wait_stream(torch.cuda.current_stream(self.device))
        with nullcontext() if stream is None else torch.cuda.stream(stream):
            copy()

    def _problem(self, name: str, turn: int) -> str | None:
        """Of what came down a copy is checked that went up again, unless what went up was wrong already."""
        arrived = self._arrived[name].to(self.device) if name == DOWN else self._arrived[name]
        if checksum(arrived) == self._expected[turn]:
            return None
        right = self._on_host[turn]
        unequal = torch.nonzero(arrived.cpu() != right).view(-1)
        if not len(unequal):
            return tr("its checksum was wrong, its contents were right")
        byte = int(unequal[0]) * WORD_BYTES
        return trn(
            "{count} word arrived corrupted, the first at byte {byte}",
            "{count} words arrived corrupted, the first at byte {byte}",
            count=len(unequal),
            byte=byte,
        )
