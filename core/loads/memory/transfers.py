"""Transfers between host and device, each with contents of its own and each checked on the device.

What went to the host is sent back and checked there, too: a comparison by the host would leave the link idle.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

import torch

from core.language import tr
from core.loads.checksum import WORD_BYTES
from core.loads.drill import Drill
from core.loads.inject import LOW_BIT, flip_bit
from core.loads.load import StepReport, alive
from core.loads.pattern import Words
from core.loads.timing import TimingMark, mark, waited_for
from core.worded import Worded

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
        self._inject(ways[0])
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

    def _inject(self, way: Direction) -> None:
        if self.drill.due(self.done):
            flip_bit(self._arrived[way], self.words // 2, LOW_BIT)
            self.drill.strike(tr("transfer {number}, {way}", number=self.done + 1, way=way.label))
