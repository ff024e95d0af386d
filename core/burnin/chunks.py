"""The recorded values of one metric over a while as bytes: small on the disk, and quickly read back."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

COUNTED_BELOW = 2.0**24
"""Single precision counts no further one by one."""
WORTH = 1 / 3
"""Noise hardly shrinks and takes long to unpack: what does not shrink to a third stays as it is."""
_TYPES: dict[bytes, np.dtype[Any]] = {b"f": np.dtype("<f4"), b"d": np.dtype("<f8")}
_PLAIN, _SMALL, _STILL = b"-", b"z", b"="
"""How the values follow: as they are; sorted by the weight of their bytes and made smaller; one for all, then how many
there are."""
_COUNT = struct.Struct("<I")


def packed(values: NDArray[np.floating], *, exact: bool = False) -> bytes:
    """Shape (n,), NaN where unknown. Seven digits, which no sensor has; all of them where `exact`, or for counts."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    kind = b"d" if exact or largest >= COUNTED_BELOW else b"f"
    plain = np.ascontiguousarray(values, dtype=_TYPES[kind])
    weights = plain.view(np.uint8).reshape(-1, plain.itemsize)
    if len(plain) and (weights == weights[0]).all():
        return kind + _STILL + plain[:1].tobytes() + _COUNT.pack(len(plain))
    # Bytes of like weight side by side: those that hardly change vanish.
    sorted_bytes: bytes = weights.T.tobytes()
    small = zlib.compress(sorted_bytes, 1)
    if len(small) < WORTH * len(sorted_bytes):
        return kind + _SMALL + small
    return kind + _PLAIN + plain.tobytes()


def unpacked(data: bytes) -> NDArray[np.floating]:
    """What `packed` was given, to its digits: in single precision where that holds them. Not to be written to."""
    dtype, form = _TYPES[data[:1]], data[1:2]
    if form == _STILL:
        (length,) = _COUNT.unpack_from(data, 2 + dtype.itemsize)
        return np.full(length, np.frombuffer(data, dtype, 1, offset=2))
    if form == _PLAIN:
        return np.frombuffer(data, dtype, offset=2)
    planes = np.frombuffer(zlib.decompress(data[2:]), np.uint8).reshape(dtype.itemsize, -1)
    raw = np.empty((planes.shape[1], dtype.itemsize), np.uint8)
    for place, plane in enumerate(planes):  # ten times faster than a transposed copy
        raw[:, place] = plane
    return raw.view(dtype)[:, 0]
