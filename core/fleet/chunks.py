"""How a recording travels: as pieces, each with a hash of all before it, so that a cut costs one piece and no doubt.

First a line of JSON (`PackHead`), then pieces: length (4 bytes, big-endian), hash (32 bytes), content. The hash is
SHA-256 over the hash before it and the content; the first one is over the digest of the whole file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.burnin.record.pack import write_pack
from core.burnin.record.reader import FILE
from core.platform.errors import BadInput, EnvironmentProblem, reason_of
from core.platform.paths import private_dir
from core.words import tr
from core.words.refusal import first_refusal

PIECE = 256 * 1024
MOST_HEAD = 10_000
HASH = 32
FRAME = 4 + HASH
PART, HEAD = "part", "part.json"
"""Of a file that is not whole yet: what came of it, and its head."""


class PackHead(BaseModel):
    """What comes, and from where on."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: Literal["pack"] = "pack"
    format: Literal["rigwright-pack"] = "rigwright-pack"
    version: Annotated[int, Field(ge=1)] = 1
    run: Annotated[int, Field(ge=1)]
    bytes: Annotated[int, Field(ge=1, le=2**40)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    since: Annotated[int, Field(ge=0)] = 0


def send_pack(data_dir: Path, run_id: int, since: int) -> None:
    """Writes the recording of a run to standard output, from byte `since` on where it is still the same file.

    That file stays in the data folder until the next is asked for from the start. Raises BadInput and
    EnvironmentProblem; BrokenPipeError when nobody reads any more.
    """
    folder = private_dir(data_dir / "packs" / f"run-{run_id}")
    path = folder / FILE
    if since == 0 or not path.is_file() or path.stat().st_size < since:
        path, since = write_pack(data_dir, run_id, folder), 0
    for piece in pieces(path, run_id, since):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def pieces(path: Path, run_id: int, since: int) -> Iterator[bytes]:
    """Head and pieces of a file; `since` is cut to a whole number of pieces."""
    since -= since % PIECE
    with path.open("rb") as stream:
        digest = _digest(stream)
        head = PackHead(run=run_id, bytes=path.stat().st_size, sha256=digest, since=since)
        yield head.model_dump_json().encode() + b"\n"
        stream.seek(0)
        link = bytes.fromhex(digest)
        while content := stream.read(PIECE):
            link = sha256(link + content).digest()
            if stream.tell() > since:
                yield len(content).to_bytes(4, "big") + link + content


class PackReceiver:
    """Takes in what arrives, in whatever portions, and keeps whole pieces in `folder`; another one goes on from there.

    `since` is what to ask for. `done` when the file is there and has its digest.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = private_dir(folder)
        self.done = False
        self._buffer = b""
        self._head: PackHead | None = None
        self._link = b""
        self._before = self._kept_head()
        self.since = self._kept_bytes()

    @property
    def head(self) -> PackHead | None:
        """What the machine said that comes; None before its first line."""
        return self._head

    def _kept_head(self) -> PackHead | None:
        try:
            return PackHead.model_validate_json((self.folder / HEAD).read_bytes())
        except (OSError, ValueError):
            return None

    def _kept_bytes(self) -> int:
        part = self.folder / PART
        if self._before is None or not part.is_file():
            return 0
        return min(part.stat().st_size, self._before.bytes - 1) // PIECE * PIECE

    def take(self, portion: bytes) -> None:
        """Raises BadInput for what does not fit its hash, EnvironmentProblem where it cannot be kept."""
        self._buffer += portion
        try:
            if self._head is None:
                self._take_head()
            while self._head is not None and not self.done and self._take_piece():
                pass
        except OSError as error:
            raise EnvironmentProblem(
                tr("{path} could not be written: {reason}.", path=self.folder, reason=reason_of(error))
            ) from error

    def _take_head(self) -> None:
        line, end, rest = self._buffer.partition(b"\n")
        if not end:
            if len(line) > MOST_HEAD:
                raise BadInput(tr("What arrived is no recording: its first line does not end."))
            return
        try:
            head = PackHead.model_validate_json(line)
        except ValidationError as error:
            place, reason = first_refusal(error)
            raise BadInput(
                tr("What arrived is no recording: {place}: {reason}.", place=place or "-", reason=reason)
            ) from error
        same = self._before is not None and (self._before.sha256, self._before.bytes) == (head.sha256, head.bytes)
        if head.since and not (same and head.since <= self.since):
            raise BadInput(tr("The machine goes on with another recording than before. Fetch it from the start."))
        self._link = bytes.fromhex(head.sha256)
        part = self.folder / PART
        if head.since:
            with part.open("r+b") as stream:
                while stream.tell() < head.since:
                    self._link = sha256(self._link + stream.read(PIECE)).digest()
                stream.truncate(head.since)
        else:
            (self.folder / HEAD).write_text(json.dumps(head.model_dump()), encoding="utf-8")
            part.write_bytes(b"")
        self.since = head.since
        self._head, self._buffer = head, rest

    def _take_piece(self) -> bool:
        """Whether there was a whole one."""
        head = self._head
        assert head is not None
        size = int.from_bytes(self._buffer[:4], "big")
        if len(self._buffer) >= 4 and not 0 < size <= min(PIECE, head.bytes - self.since):
            raise BadInput(tr("A piece of the recording has a wrong size. Fetch it again."))
        if len(self._buffer) < FRAME + size or len(self._buffer) < FRAME:
            return False
        content = self._buffer[FRAME : FRAME + size]
        link = sha256(self._link + content).digest()
        if link != self._buffer[4:FRAME]:
            raise BadInput(tr("A piece of the recording was changed on its way. Fetch it again."))
        with (self.folder / PART).open("ab") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        self._link, self.since, self._buffer = link, self.since + size, self._buffer[FRAME + size :]
        if self.since == head.bytes:
            self._finish(head)
        return True

    def _finish(self, head: PackHead) -> None:
        part = self.folder / PART
        with part.open("rb") as stream:
            whole = _digest(stream) == head.sha256
        if not whole:
            part.unlink()
            raise BadInput(tr("The recording is not the one that was announced. Fetch it again."))
        part.chmod(0o600)
        part.replace(self.folder / FILE)
        (self.folder / HEAD).unlink(missing_ok=True)
        self.done = True


def _digest(stream: BinaryIO) -> str:
    digest = sha256()
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()
