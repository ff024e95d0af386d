"""How samples are linked to the chain of their run: each tick by its text, each folded link by its values.

The newest rows lie as text and have one running hash, kept beside the runner's sign of life. When they are folded, the
hash is held against the rows once more, and the values as they are stored from then on become a link.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

CHECK = np.dtype(">u4")


@dataclass(frozen=True, slots=True)
class LinkChecks:
    """What a link of samples holds beside its digest: how many rows, of which metrics, with a check sum of each row and
    of each metric. Where the digest does not fit any more, the two tell which value was changed."""

    rows: int
    names: tuple[str, ...]
    row_checks: NDArray[np.uint32]
    name_checks: NDArray[np.uint32]

    @classmethod
    def unpacked(cls, detail: bytes) -> LinkChecks:
        """From the detail of a link. Raises ValueError for what is none."""
        head, _, checks = detail.partition(b"\0")
        rows, names = json.loads(head)
        sums = np.frombuffer(checks, CHECK)
        if len(sums) != rows + len(names):
            raise ValueError("the check sums of a piece do not fit its size")
        return cls(rows, tuple(names), sums[:rows], sums[rows:])

    def changed(self, block: NDArray[np.float64]) -> tuple[list[int], list[str]]:
        """Rows and metrics of `block`, shape (len(names), rows), that are not what they were."""
        rows, names = _checks(block)
        different = [name for name, now, was in zip(self.names, names, self.name_checks, strict=True) if now != was]
        return np.flatnonzero(rows != self.row_checks).tolist(), different


def next_head(before: bytes, time_s: float, rows: Iterable[tuple[str, str]]) -> bytes:
    """The running hash after one tick: device ids with the texts of their rows, sorted by device."""
    text = "\0".join(f"{device_id}\0{metrics}" for device_id, metrics in rows)
    return sha256(b"%b%r\0%b" % (before, float(time_s), text.encode())).digest()


def piece_of(columns: Mapping[str, NDArray[np.floating]]) -> tuple[bytes, bytes]:
    """Digest and detail of the values of some samples, in the precision in which they are stored; one entry per metric,
    the times among them, each of shape (rows,)."""
    names = sorted(columns)
    block = np.array([columns[name] for name in names], dtype="<f8")
    head = json.dumps([block.shape[1], names], separators=(",", ":")).encode()
    rows, names_checks = _checks(block)
    return piece_digest(names, block), head + b"\0" + rows.tobytes() + names_checks.tobytes()


def piece_digest(names: Sequence[str], block: NDArray[np.float64]) -> bytes:
    """Of values of shape (len(names), rows)."""
    found = sha256("\0".join(names).encode())
    found.update(np.ascontiguousarray(block, dtype="<f8").data)
    return found.digest()


def _checks(block: NDArray[np.float64]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    plain = np.ascontiguousarray(block, dtype="<f8")
    turned = np.ascontiguousarray(plain.T)
    return np.array([crc32(row.data) for row in turned], CHECK), np.array([crc32(line.data) for line in plain], CHECK)
