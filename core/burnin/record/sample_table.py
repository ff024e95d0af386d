"""The samples of runs.sqlite: the newest as rows, one a tick; older ones as chunks, one for each metric and hour.

A day of eight devices is seven hundred thousand rows of eighty metrics. Viewers want few metrics of all that time, and
most metrics stand still or are not offered by a card: a chunk holds the values of one metric alone.

Samples are linked to the chain of their run: each tick by its text, each folded link by its values. The newest rows lie
as text and have one running hash, kept beside the runner's sign of life. When they are folded, the hash is held against
the rows once more, and the values as they are stored from then on become a link.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from core.platform.database import Database

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
    hasher = sha256("\0".join(names).encode())
    hasher.update(np.ascontiguousarray(block, dtype="<f8").data)
    return hasher.digest()


def _checks(block: NDArray[np.float64]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    plain = np.ascontiguousarray(block, dtype="<f8")
    turned = np.ascontiguousarray(plain.T)
    return np.array([crc32(row.data) for row in turned], CHECK), np.array([crc32(line.data) for line in plain], CHECK)


Values = NDArray[np.floating]

TIME = "time_s"
"""The metric under which chunks keep the times of their samples."""
FOLDED_TICKS = 256
"""Ticks after which all rows are folded into chunks."""
CHUNK = 4096
"""Samples of a full chunk: a little more than an hour at one a second."""

Row = Mapping[str, float | None]
Key = tuple[int, str]
"""Run and device."""
COUNTED_BELOW = 2.0**24
"""Single precision counts no further one by one."""
WORTH = 1 / 3
"""Noise hardly shrinks and takes long to unpack: what does not shrink to a third stays as it is."""
_TYPES: dict[bytes, np.dtype[Any]] = {b"f": np.dtype("<f4"), b"d": np.dtype("<f8")}
_PLAIN, _SMALL, _STILL = b"-", b"z", b"="
"""How the values follow: as they are; sorted by the weight of their bytes and made smaller; one for all, then how many
there are."""
_COUNT = struct.Struct("<I")


def add_rows(db: Database, run_id: int, time_s: float, samples: Mapping[str, Row], head: bytes = b"") -> bytes:
    """A row for each device; within a transaction of the caller. Returns the running hash that follows `head`."""
    texts = [
        (device_id, json.dumps({name: value for name, value in row.items() if value is not None}))
        for device_id, row in sorted(samples.items())
    ]
    rows = [(run_id, device_id, time_s, text) for device_id, text in texts]
    db.conn.executemany("INSERT OR REPLACE INTO samples VALUES (?, ?, ?, ?)", rows)
    return next_head(head, time_s, texts) if texts else head


def read_samples(
    db: Database, run_id: int, device_id: str, after_s: float, names: Sequence[str]
) -> NDArray[np.float64]:
    """Shape (n, 1 + len(names)), first column the time in s, NaN where unknown; within a transaction of the caller."""
    key = (run_id, device_id)
    tail = _tail(db, key, after_s)
    chunks = dict(_chunks(db, key, after_s, TIME))
    start = dict(zip(chunks, _starts(chunks.values()), strict=True))
    folded = sum(map(len, chunks.values()))
    block = np.empty((1 + len(names), folded + len(tail)))
    for row, name in enumerate((TIME, *names)):
        is_split = bool(chunks) and name != TIME  # a follower has read all chunks: spares it a question a metric
        of_metric = dict(_chunks(db, key, after_s, name)) if is_split else chunks
        if of_metric.keys() != chunks.keys():
            block[row] = np.nan
        for first_s, values in of_metric.items():
            block[row, start[first_s] : start[first_s] + len(values)] = values
    block[:, folded:] = np.nan
    _fill(block[:, folded:], tail, names)
    return block[:, np.searchsorted(block[0], after_s, side="right") :].T


def last_sample_s(db: Database, run_id: int) -> float:
    """Time of the newest sample of any device, 0 without one; within a transaction of the caller."""
    row = db.execute(
        "SELECT max(max(coalesce((SELECT max(time_s) FROM samples s"  # per device: a jump in the index
        " WHERE s.run_id = d.run_id AND s.device_id = d.device_id), 0),"
        " coalesce((SELECT max(last_s) FROM chunks c WHERE c.run_id = d.run_id AND c.device_id = d.device_id"
        " AND c.metric = :time), 0))) FROM devices d WHERE d.run_id = :run",
        {"run": run_id, "time": TIME},
    ).fetchone()
    return float(row[0] or 0.0)


def fold(db: Database, run_id: int) -> list[tuple[str, tuple[bytes, bytes]]]:
    """Moves all rows of a run into chunks; within a transaction of the caller.

    Returns what is to be linked of the values: for each piece its device, digest and detail.
    """
    rows = db.execute(
        "SELECT device_id, time_s, metrics FROM samples WHERE run_id = ? ORDER BY device_id, time_s", (run_id,)
    ).fetchall()
    pieces = [
        (device_id, piece_of(piece))
        for device_id, group in groupby(rows, key=itemgetter(0))
        for piece in fold_rows(db, (run_id, device_id), [(row[1], json.loads(row[2])) for row in group])
    ]
    db.execute("DELETE FROM samples WHERE run_id = ?", (run_id,))
    return pieces


def newest_head(db: Database, run_id: int) -> bytes:
    """The running hash of the newest samples, those that are rows, as they lie in the file."""
    rows = db.execute(
        "SELECT time_s, device_id, metrics FROM samples WHERE run_id = ? ORDER BY time_s, device_id", (run_id,)
    ).fetchall()
    head = b""
    for time_s, tick in groupby(rows, key=itemgetter(0)):
        head = next_head(head, time_s, [row[1:] for row in tick])
    return head


def stored_digest(db: Database, key: Key) -> bytes:
    """SHA-256 over the chunks of a device, byte for byte."""
    hasher = sha256()
    for row in db.execute(
        "SELECT metric, first_s, last_s, length, data FROM chunks WHERE run_id = ? AND device_id = ? ORDER BY 1, 2", key
    ):
        hasher.update(repr(row[:4]).encode())
        hasher.update(row[4])
    return hasher.digest()


def all_samples(db: Database, key: Key) -> dict[str, NDArray[np.float64]]:
    """Every folded metric of a device, times among them, each of shape (n,): NaN where it is unknown."""
    parts_of: dict[str, list[NDArray[np.float64]]] = {}
    rows = db.execute(
        "SELECT metric, first_s, length, data FROM chunks WHERE run_id = ? AND device_id = ? ORDER BY 2, 1", key
    ).fetchall()
    starts = {first_s: length for name, first_s, length, _ in rows if name == TIME}
    data = {(name, first_s): data for name, first_s, _, data in rows}
    for name in {name for name, *_ in rows}:
        for first_s, length in starts.items():
            if not 0 <= length <= CHUNK:
                raise ValueError(f"a chunk that tells {length} samples holds at most {CHUNK}")
            packed_values = data.pop((name, first_s), None)
            values = np.full(length, np.nan) if packed_values is None else unpacked(packed_values).astype(np.float64)
            if len(values) != length:
                raise ValueError(f"a chunk of {name} does not have the length that it tells")
            parts_of.setdefault(name, []).append(values)
    if data:
        raise ValueError("chunks lie beside the times that they belong to")
    return {name: np.concatenate(parts) for name, parts in parts_of.items()}


def fold_rows(db: Database, key: Key, rows: Sequence[tuple[float, Row]]) -> list[dict[str, Values]]:
    """Appends samples of rising times to the chunks of a device. Returns what was stored, piece by piece."""
    return [_append(db, key, _as_columns(rows[at : at + CHUNK])) for at in range(0, len(rows), CHUNK)]


def add_columns(db: Database, key: Key, columns: Mapping[str, Values]) -> Iterator[dict[str, Values]]:
    """Appends whole columns of rising times, `TIME` among them. Gives what was stored, piece by piece."""
    for at in range(0, len(columns[TIME]), CHUNK):
        yield _append(db, key, {name: values[at : at + CHUNK] for name, values in columns.items()})


def _as_columns(rows: Sequence[tuple[float, Row]]) -> dict[str, Values]:
    names = sorted({name for _, row in rows for name, value in row.items() if value is not None})
    block = np.full((1 + len(names), len(rows)), np.nan)
    _fill(block, rows, names)
    return dict(zip((TIME, *names), block, strict=True))


def _append(db: Database, key: Key, columns: dict[str, Values]) -> dict[str, Values]:
    """Lengthens the last chunk while that is short, otherwise begins the next one. Returns the values as stored."""
    last = db.execute(
        "SELECT first_s, length FROM chunks WHERE run_id = ? AND device_id = ? AND metric = ?"
        " ORDER BY first_s DESC LIMIT 1",
        (*key, TIME),
    ).fetchone()
    more = len(columns[TIME])
    first_s, length = float(columns[TIME][0]), 0
    before: dict[str, Values] = {}
    if last is not None and last[1] + more <= CHUNK:
        first_s, length = last
        before = dict(_columns_of(db, key, first_s))
    nothing, nothing_more = np.full(length, np.nan), np.full(more, np.nan)
    last_s = float(columns[TIME][-1])
    whole = {
        name: _rounded(np.concatenate((before.get(name, nothing), columns.get(name, nothing_more))), exact=name == TIME)
        for name in before.keys() | columns.keys()
    }
    rows = [(*key, name, first_s, last_s, length + more, _packed(values)) for name, values in whole.items()]
    db.conn.executemany("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    return {name: values[length:] for name, values in whole.items()}


def _tail(db: Database, key: Key, after_s: float) -> list[tuple[float, dict[str, Any]]]:
    rows = db.execute(
        "SELECT time_s, metrics FROM samples WHERE run_id = ? AND device_id = ? AND time_s > ? ORDER BY time_s",
        (*key, after_s),
    )
    return [(time_s, json.loads(metrics)) for time_s, metrics in rows.fetchall()]


def _chunks(db: Database, key: Key, after_s: float, name: str) -> Iterator[tuple[float, Values]]:
    rows = db.execute(
        "SELECT first_s, data FROM chunks WHERE run_id = ? AND device_id = ? AND metric = ? AND last_s > ?"
        " ORDER BY first_s",
        (*key, name, after_s),
    )
    return ((first_s, unpacked(data)) for first_s, data in rows.fetchall())


def _columns_of(db: Database, key: Key, first_s: float) -> Iterator[tuple[str, Values]]:
    rows = db.execute(
        "SELECT metric, data FROM chunks WHERE run_id = ? AND device_id = ? AND first_s = ?", (*key, first_s)
    )
    return ((metric, unpacked(data)) for metric, data in rows.fetchall())


def _fill(block: NDArray[np.float64], rows: Sequence[tuple[float, Row]], names: Sequence[str]) -> None:
    """Writes rows into a block of shape (1 + len(names), len(rows)); what a row lacks stays as it is."""
    place = {name: row for row, name in enumerate(names, start=1)}
    for column, (time_s, row) in enumerate(rows):
        block[0, column] = time_s
        for name, value in row.items():
            if value is not None and name in place:
                block[place[name], column] = value


def _starts(chunks: Iterable[Values]) -> Iterator[int]:
    at = 0
    for values in chunks:
        yield at
        at += len(values)


def packed(values: NDArray[np.floating], *, exact: bool = False) -> bytes:
    """Shape (n,), NaN where unknown. Seven digits, which no sensor has; all of them where `exact`, or for counts."""
    return _packed(_rounded(values, exact=exact))


def _rounded(values: Values, *, exact: bool) -> Values:
    """In the precision in which they are stored."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    return np.ascontiguousarray(values, dtype=_TYPES[b"d" if exact or largest >= COUNTED_BELOW else b"f"])


def _packed(plain: Values) -> bytes:
    kind = b"d" if plain.itemsize == 8 else b"f"
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
        if length > CHUNK:
            raise ValueError(f"a chunk that tells {length} samples holds at most {CHUNK}")
        return np.full(length, np.frombuffer(data, dtype, 1, offset=2))
    if form == _PLAIN:
        return np.frombuffer(data, dtype, offset=2)
    planes = np.frombuffer(zlib.decompress(data[2:]), np.uint8).reshape(dtype.itemsize, -1)
    raw = np.empty((planes.shape[1], dtype.itemsize), np.uint8)
    for place, plane in enumerate(planes):  # ten times faster than a transposed copy
        raw[:, place] = plane
    return raw.view(dtype)[:, 0]
