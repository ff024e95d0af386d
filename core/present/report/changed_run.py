"""What is written of a run whose record failed its check: that it was changed, and what of it. No verdict, no figure.

Nothing of the record itself is shown: any row of it may be the one that was changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.burnin.sealing import known_keys
from core.platform.errors import ExitCode, RigwrightError
from core.present.report.document import Badge, Block, Document, Heading, KeyValues, Paragraph, Tone
from core.present.report.formatting import stamp, utc_now
from core.present.report.run_seal import RunSeal
from core.present.report.statement import CHANGED, PaperKind
from core.version import __version__
from core.words import tr

MOST_LINES = 200


class RecordChanged(RigwrightError):
    """A file was written of a record that failed its check: it says so, and has no verdict."""

    exit_code = ExitCode.FAIL

    def __init__(self, run_id: int, path: Path) -> None:
        super().__init__(
            tr(
                "Run {run} was CHANGED since it was recorded: {path} says so and has no verdict. What was changed: "
                "{rigwright verify} {run}",
                run=run_id,
                path=path,
            )
        )


def changed_document(run_id: int, seal: RunSeal, kind: PaperKind, title: str, folder: Path) -> Document:
    """In place of a report, a certificate or an RMA pack. `folder` has the key that is trusted here."""
    statement = seal.statement(kind)
    return Document(
        kind="run",
        title=title,
        subtitle=tr("The recording was changed after the run. It proves nothing."),
        generated_at=utc_now(),
        version=__version__,
        simulated=statement.simulated,
        badge=Badge(CHANGED, Tone.FAIL),
        blocks=tuple(_blocks(run_id, seal, folder)),
        data={"run": {"id": run_id}, "verdicts": [], "causes": [], "seal": seal.as_dict()},
        sealed=seal.sealed(statement),
        statement=statement,
    )


def _blocks(run_id: int, seal: RunSeal, folder: Path) -> Iterator[Block]:
    yield Paragraph(tr("No verdict is given: what is recorded is not what was recorded when the run ended."), Tone.FAIL)
    yield KeyValues(((tr("Run"), str(run_id)), *_signed(seal, folder)))
    yield Heading(tr("What was changed"))
    for line in seal.changes[:MOST_LINES]:
        yield Paragraph(line, Tone.FAIL)
    yield Paragraph(
        tr(
            "Restore runs.sqlite from a backup, or repeat the run. "
            "{rigwright verify} {run} checks the recording again.",
            run=run_id,
        )
    )
    if seal.no_key:
        yield Paragraph(seal.no_key, Tone.WARN)


def _signed(seal: RunSeal, folder: Path) -> Iterator[tuple[str, str]]:
    """What the seal of the run says of it, which cannot have been changed where its key is known."""
    sealed = seal.check.seal
    if sealed is not None and sealed.key in known_keys(folder, ()) and sealed.statement.get("run") is not None:
        yield tr("Started"), stamp(str(sealed.statement.get("started_at")))
        yield tr("Machine"), str(sealed.statement.get("machine"))
