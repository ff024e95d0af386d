"""A memory stream beside other work: copies through large buffers on a stream of its own, to draw more power.

Products alone leave the memory of some cards half idle, and their power below the limit. What is copied is checked at
the end.
"""

from __future__ import annotations

from collections import deque

import torch

from core.language import tr
from core.loads.checksum import WORD_BYTES, checksum
from core.loads.room import room_on
from core.loads.timing import TimingMark, mark

BUFFER_BYTES = 2**30
"""Of each of two buffers: far more than any cache holds."""
ROOM_SHARE = 0.1
"""Of what is free on the card that each buffer takes at most."""
BURST_S = 0.05
BURSTS_AHEAD = 3
"""Queued at once: enough while the host waits for a batch of products, little enough for a prompt stop."""
TILE_WORDS = 2**20


class MemoryStream:
    """Copies from one buffer to the other and back, as long as `feed` is called about ten times a second."""

    def __init__(self, device: torch.device, *, seed: int, buffer_bytes: int | None = None) -> None:
        self._device = device
        words = (buffer_bytes or _fitting_bytes(device)) // WORD_BYTES
        generator = torch.Generator(device).manual_seed(seed)
        tile = torch.randint(-(2**62), 2**62, (min(TILE_WORDS, words),), generator=generator, device=device)
        self._here = tile.repeat(-(-words // len(tile)))[:words].contiguous()
        self._there = self._here.clone()
        self._expected = checksum(self._here)
        self._stream = torch.cuda.Stream(device) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        if self._stream is not None:
            for buffer in (self._here, self._there):  # not given to others while copies that were queued still run
                buffer.record_stream(self._stream)
        self._queued: deque[TimingMark] = deque()
        self._burst = 1
        self._copies = 0
        self._burst = self._fitting_burst()

    @property
    def moved_bytes(self) -> int:
        """Read and written so far, what is still queued included."""
        return 2 * self._copies * self._here.nbytes

    def feed(self) -> None:
        """Queues more copies where few are left."""
        while self._queued and self._queued[0].reached():
            self._queued.popleft()
        while len(self._queued) < BURSTS_AHEAD:
            self._queued.append(self._copied())
            if self._stream is None:
                return  # a CPU has copied already

    def problem(self) -> str | None:
        """Waits for the copies; what is wrong with what went round."""
        while self._queued:
            self._queued.popleft().wait()
        if checksum(self._here) == checksum(self._there) == self._expected:
            return None
        wrong = int(torch.count_nonzero(self._here != self._there))
        return tr(
            "data copied {copies} times came out changed ({wrong} words differ between the two buffers)",
            copies=self._copies,
            wrong=wrong,
        )

    def _copied(self) -> TimingMark:
        if self._stream is None:
            return self._copy()
        with torch.cuda.stream(self._stream):
            return self._copy()

    def _copy(self) -> TimingMark:
        for _ in range(self._burst):
            target, source = (self._there, self._here) if self._copies % 2 == 0 else (self._here, self._there)
            target.copy_(source, non_blocking=True)
            self._copies += 1
        return mark(self._device)

    def _fitting_burst(self) -> int:
        """Copies that take so long, by the time of one."""
        if self._stream is not None:
            self._stream.wait_stream(torch.cuda.current_stream(self._device))
        began, ended = self._copied(), self._copied()
        ended.wait()
        return max(1, int(BURST_S / max(ended.seconds_since(began), 1e-6)))


def _fitting_bytes(device: torch.device) -> int:
    tile_bytes = WORD_BYTES * TILE_WORDS
    share = int(room_on(device).usable * ROOM_SHARE)
    return max(min(BUFFER_BYTES, share) // tile_bytes, 1) * tile_bytes
