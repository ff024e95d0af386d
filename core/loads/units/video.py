"""The video encoder and decoder, by NVIDIA's PyNvVideoCodec where it is installed.

A decoder must give the same bits for the same stream (the standards leave it no choice), and pictures near those that
were encoded. An encoder is free in what it writes: it is held to the pictures alone.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from core.loads.blame import Blame, cause_of
from core.loads.findings import SelfTest, TriedFault
from core.loads.units.computing import Inject, OperationResult, UnitOperation
from core.platform.errors import EnvironmentProblem
from core.words import tr

LIBRARY = "PyNvVideoCodec"
WIDTH, HEIGHT = 640, 352
TAIL = 8
"""Pictures after those that are checked: a decoder may hold the last ones back."""
ALLOWED = 48.0
"""Of 255 levels, in any sample: five times what constant quantiser 20 leaves of a picture without sharp edges."""
SETTINGS = {"codec": "h264", "preset": "P4", "rc": "constqp", "constqp": "20", "bf": "0", "fps": "30"}
Film = list[NDArray[np.uint8]]
"""Pictures in NV12: all of the brightness, below it the colours at half of the resolution."""
Result = TypeVar("Result")


class VideoUnusable(EnvironmentProblem):
    """The library or the card has no way to encode and decode here."""


@dataclass(slots=True)
class Video:
    """Encodes a film anew each round, and decodes it; decodes the first stream again, which must give the same bits."""

    device: torch.device
    frames: int
    seed: int
    name: str = "video encoder and decoder"
    _film: Film = field(default_factory=list)
    _stream: bytes = b""
    _decoded: UnitOperation | None = None

    def lacking(self) -> str | None:
        """A CPU, a missing library."""
        if self.device.type != "cuda":
            return tr("A CPU has no video units.")
        if find_spec(LIBRARY):
            return None
        return tr("{library} is not installed: pip install PyNvVideoCodec.", library=LIBRARY)

    def prepare(self) -> Iterator[None]:
        """Draws the film and encodes it once. Raises VideoUnusable, for instance on cards without an encoder."""
        for number in range(self.frames + TAIL):
            self._film.append(_picture(self.seed, number))
            yield
        self._stream = _from_library(lambda: _encoded(self._film))
        self._decoded = self._operation(self._stream)
        yield

    def try_checks(self, self_test: SelfTest) -> Iterator[None]:
        """A bit flipped in a decoded picture."""
        assert self._decoded is not None
        self_test.note(TriedFault.BIT_FLIP, _from_library(self._decoded.sees_a_flip), self.name)
        yield

    def round(self, inject: Inject) -> Iterator[OperationResult]:
        """The decoder by the bits of the first stream, the encoder by the pictures of a new one."""
        assert self._decoded is not None
        decoded = self._decoded
        yield _from_library(lambda: decoded.run(self.device, inject))
        started = time.perf_counter()
        stream = _from_library(lambda: _encoded(self._film))
        busy_s = time.perf_counter() - started
        again = self._operation(stream)
        problem = _from_library(lambda: again.problem(again.compute()))
        yield OperationResult("encode", busy_s, again.moved_bytes, problem)

    def _operation(self, stream: bytes) -> UnitOperation:
        answer = np.concatenate([picture.ravel() for picture in self._film[: self.frames]])
        allowed = np.full(len(answer), ALLOWED)
        return UnitOperation("decode", lambda: _decoded(stream, self.frames), answer, answer.nbytes, allowed)


def _picture(seed: int, number: int) -> NDArray[np.uint8]:
    """Slopes that move: no sharp edges, of which an encoder would leave more errors."""
    rows, columns = np.mgrid[0 : HEIGHT * 3 // 2, 0:WIDTH]
    place = (rows + 2 * columns + 3 * number + seed) % 448
    slopes: NDArray[np.uint8] = (16 + np.minimum(place, 448 - place) * 200 // 224).astype(np.uint8)
    slopes[HEIGHT:] = 128 + (number % 16)
    return slopes


def _encoded(film: Film) -> bytes:
    encoder = _library().CreateEncoder(WIDTH, HEIGHT, "NV12", True, **SETTINGS)  # True: pictures are on the host
    stream = bytearray()
    for picture in film:
        stream += bytearray(encoder.Encode(picture))
    return bytes(stream + bytearray(encoder.EndEncode()))


def _decoded(stream: bytes, frames: int) -> torch.Tensor:
    """The first `frames` pictures in a row, on the device."""
    library, fed = _library(), 0

    def feed(buffer: Any) -> int:
        nonlocal fed
        part = stream[fed : fed + len(buffer)]
        buffer[: len(part)] = np.frombuffer(part, np.uint8)
        fed += len(part)
        return len(part)

    demuxer = library.CreateDemuxer(feed)
    decoder = library.CreateDecoder(codec=demuxer.GetNvCodecId(), usedevicememory=True)
    # The decoder uses its own memory again and again, hence the copies.
    pictures: Sequence[torch.Tensor] = [
        torch.utils.dlpack.from_dlpack(frame).clone() for packet in demuxer for frame in decoder.Decode(packet)
    ]
    if len(pictures) < frames:
        count = len(pictures)
        fields = {"library": LIBRARY, "pictures": count, "frames": frames}
        raise VideoUnusable(tr("{library} returned {pictures} of {frames} frames.", **fields))
    return torch.cat([picture.reshape(-1) for picture in pictures[:frames]])


def _library() -> Any:
    return import_module(LIBRARY)


def _from_library(work: Callable[[], Result]) -> Result:
    """What the library gives. Its errors are its own, except where the card broke off."""
    try:
        return work()
    except VideoUnusable:
        raise
    except Exception as error:
        cause = cause_of(error)
        if cause.blame is Blame.DEVICE or cause.blame is Blame.MEMORY or cause.sticky:
            raise RuntimeError(str(error)) from error
        fields = {"library": LIBRARY, "sentence": cause.sentence}
        raise VideoUnusable(tr("{library} could not encode or decode: {sentence}", **fields)) from error
