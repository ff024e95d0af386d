"""From a stream of samples to a level for each second, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import IO

import numpy as np

from core.language import tr
from core.sound.weighting import Values, level_db

RATE_HZ = 48_000
SAMPLE = np.dtype("<i4")
"""One channel of signed 32-bit samples: 24-bit microphones hear less than the step of 16 bits."""
SECOND_BYTES = RATE_HZ * SAMPLE.itemsize
FULL_SCALE = 2.0**31
CLIPPED_FROM = 0.999
CLIPPED_SAMPLES = 3
"""So many of a second at full scale: one may be chance."""


class Trouble(StrEnum):
    """Why a second has no level."""

    SILENT = "silent"
    CLIPPED = "clipped"

    @property
    def sentence(self) -> str:
        """What it means, and what to do."""
        if self is Trouble.SILENT:
            return tr("The microphone picks up nothing at all: it is muted, or another input is selected.")
        return tr("The microphone is too loud for its input: lower the input volume and calibrate again.")


@dataclass(frozen=True, slots=True)
class Second:
    """One second of sound. `level_db` is A-weighted, in dB over a root mean square of full scale."""

    level_db: float
    trouble: Trouble | None = None


def seconds(stream: IO[bytes]) -> Iterator[Second]:
    """A value for each whole second of raw samples; ends with the stream, and leaves out what is less than one."""
    while len(piece := _whole(stream)) == SECOND_BYTES:
        yield _judged(np.frombuffer(piece, SAMPLE) / FULL_SCALE)


def _judged(samples: Values) -> Second:
    if samples.min() == samples.max():
        return Second(float("-inf"), Trouble.SILENT)
    clipped = int((np.abs(samples) >= CLIPPED_FROM).sum()) >= CLIPPED_SAMPLES
    return Second(level_db(samples, RATE_HZ), Trouble.CLIPPED if clipped else None)


def _whole(stream: IO[bytes]) -> bytes:
    """A second of bytes, less only at the end: a pipe gives what it has."""
    pieces = bytearray()
    while len(pieces) < SECOND_BYTES and (piece := stream.read(SECOND_BYTES - len(pieces))):
        pieces += piece
    return bytes(pieces)
