"""What judged a run: the digest of its rules, the environment of its processes, the libraries that they loaded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from core.burnin.record.origin import LoadedLibraries
from core.language import plain, tr, trc
from core.report.document import Block, Heading, KeyValues
from core.report.formatting import semicolons
from core.report.recorded_run import RecordedRun


def judged_by_rows(record: RecordedRun) -> Iterator[tuple[str, str]]:
    """What it was and by which file, version and digest; nothing of a run that an older program recorded."""
    origin = record.store.origin(record.run.id)
    if origin is None:
        return
    yield tr("Profile (SHA-256)"), origin.profile_digest
    yield from origin.environment.items()
    for loaded in record.store.libraries(record.run.id):
        yield from _loaded(record, loaded)
    if origin.follows is not None:
        before = tr("run {run}, digest {digest}", run=origin.follows, digest=origin.follows_digest or tr("unknown"))
        yield trc("the run before", "Follows"), before


def judged_by_blocks(record: RecordedRun) -> Iterator[Block]:
    """The chapter of a report."""
    rows = tuple(judged_by_rows(record))
    if rows:
        yield Heading(tr("What judged it"))
        yield KeyValues(rows)


def judged_by_data(record: RecordedRun) -> dict[str, Any] | None:
    """For JSON."""
    origin = record.store.origin(record.run.id)
    loaded = record.store.libraries(record.run.id)
    return None if origin is None else asdict(origin) | {"loaded": [asdict(one) for one in loaded]}


def _loaded(record: RecordedRun, loaded: LoadedLibraries) -> Iterator[tuple[str, str]]:
    who = tr("Sampler")
    if loaded.device_id:
        who = tr("Worker of {device}", device=record.short_label(loaded.device_id))
    files: list[str] = [
        plain("{path} ({digest})", path=one.path, digest=one.sha256 or tr("unreadable")) for one in loaded.libraries
    ]
    for one in loaded.packages:
        named = plain("{name} {version}", name=one.name, version=one.version)
        listed = tr("RECORD {digest}", digest=one.record_sha256 or tr("unknown"))
        files.append(plain("{package}, {path} ({digest})", package=named, path=one.path, digest=listed))
    yield who, semicolons(files)
