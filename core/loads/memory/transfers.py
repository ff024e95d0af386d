"""Transfers between host and device, each with contents of its own and each checked where it arrives."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import torch

from core.loads.alive import alive
from core.loads.checksum import words_of
from core.loads.inject import LOW_BIT, flip_bit
from core.loads.load import StepReport
from core.loads.memory.tiles import Tile
from core.loads.timing import Mark, mark, waited_for

CONTENTS = 2
"""Tiles in turns: what the transfer before left behind cannot be taken for what should arrive now."""


class Direction(StrEnum):
    """Which way a transfer goes."""

    TO_DEVICE = "to_device"
    TO_HOST = "to_host"
    BOTH = "both"


WAYS = (Direction.TO_DEVICE, Direction.TO_HOST)


@dataclass(slots=True)
class Transfers:
    """Buffers on both sides. `corrupt` spoils what arrives with the transfer of that number, counted from 0."""

    device: torch.device
    numbers: int
    seed: int
    corrupt: int | None = None
    done: int = 0
    corrupted: int = 0
    _tiles: list[Tile] = field(default_factory=list)
    _on_host: list[torch.Tensor] = field(default_factory=list)
    _on_device: list[torch.Tensor] = field(default_factory=list)
    _arrived: dict[Direction, torch.Tensor] = field(default_factory=dict)
    _streams: list[torch.cuda.Stream] = field(default_factory=list)

    def prepare(self) -> Iterator[None]:
        """Takes and fills the buffers; pinned on the host, so that the device fetches them by itself."""
        pinned = self.device.type == "cuda"
        for turn in range(CONTENTS):
            self._tiles.append(Tile.drawn(self.seed + turn))
            for side, device in ((self._on_host, torch.device("cpu")), (self._on_device, self.device)):
                side.append(torch.empty(self.numbers, device=device, pin_memory=pinned and device.type == "cpu"))
                yield from self._tiles[turn].spread(side[turn])
        self._arrived = {
            Direction.TO_DEVICE: torch.zeros(self.numbers, device=self.device),
            Direction.TO_HOST: torch.zeros(self.numbers, pin_memory=pinned),
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
        self._spoil(ways[0])
        self.done += 1
        problems = []
        for way in ways:
            problem = yield from self._problem(way, turn)
            problems += [f"{way.replace('_', ' ')}: {problem}"] if problem else []
        return seconds, "; ".join(problems) or None

    def bytes_of(self, direction: Direction) -> int:
        """What one transfer carries, both ways together."""
        return 4 * self.numbers * (2 if direction is Direction.BOTH else 1)

    def _copied(self, ways: tuple[Direction, ...], turn: int) -> tuple[Mark, Mark]:
        started = mark(self.device)
        if len(ways) == 1 or not self._streams:
            for way in ways:
                self._arrived[way].copy_(self._source(way)[turn], non_blocking=True)
            return started, mark(self.device)
        main = torch.cuda.current_stream(self.device)
        for way, stream in zip(ways, self._streams, strict=True):
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                self._arrived[way].copy_(self._source(way)[turn], non_blocking=True)
        for stream in self._streams:
            main.wait_stream(stream)
        return started, mark(self.device)

    def _source(self, way: Direction) -> list[torch.Tensor]:
        return self._on_host if way is Direction.TO_DEVICE else self._on_device

    def _problem(self, way: Direction, turn: int) -> Generator[StepReport, None, str | None]:
        """A checksum on the device; on the host a comparison bit for bit, which is faster there."""
        arrived = self._arrived[way]
        if way is Direction.TO_HOST and torch.equal(words_of(arrived), words_of(self._on_host[turn])):
            return None
        return (yield from alive(self._tiles[turn].problem(arrived)))

    def _spoil(self, way: Direction) -> None:
        if self.done == self.corrupt:
            flip_bit(self._arrived[way], self.numbers // 2, LOW_BIT)
            self.corrupted += 1
