"""Why a runner gave up, where the recording itself could not take it: kept in a file beside it until somebody looks.

On a disk that takes nothing any more that is the user's runtime folder, which mostly lies in memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from core.errors import RigwrightError
from core.protocol import decode, encodable
from core.runtime_dir import private_dir, runtime_dir
from core.whole_file import NEW_FILE

MOST_BYTES = 10_000
_TYPE = "gave-up"


def leave(data_dir: Path, run_id: int, cause: str) -> bool:
    """Keeps the sentence in the first place that takes it; False where none does."""
    told = json.dumps({"type": _TYPE, "run": run_id, "pid": os.getpid(), "cause": encodable(cause)}).encode()
    for path in _places(data_dir, run_id):
        with suppress(OSError):
            path.unlink(missing_ok=True)
            with os.fdopen(os.open(path, NEW_FILE, 0o600), "wb") as stream:
                stream.write(told)
                stream.flush()
                os.fsync(stream.fileno())
            return True
    return False


def take(data_dir: Path, run_id: int, pid: int | None) -> str | None:
    """What the runner with this process id left, once; None where it left nothing."""
    for path in _places(data_dir, run_id):
        with suppress(OSError):
            with path.open("rb") as stream:
                told = decode(stream.read(MOST_BYTES).decode("utf-8", errors="replace"))
            path.unlink()
            if told and told["type"] == _TYPE and (told.get("run"), told.get("pid")) == (run_id, pid):
                return cause if isinstance(cause := told.get("cause"), str) else None
    return None


def _places(data_dir: Path, run_id: int) -> Iterator[Path]:
    yield data_dir / "logs" / f"run-{run_id}" / "gave-up.json"
    folder = sha256(os.fsencode(data_dir.absolute())).hexdigest()[:16]
    with suppress(RigwrightError, OSError):
        yield private_dir(runtime_dir() / "gave-up") / f"{folder}-{run_id}.json"
