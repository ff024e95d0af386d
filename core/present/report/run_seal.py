"""The seal of a run in what is made of it: digest, key and QR code; and what is written of a run that was changed.

Of a changed record itself nothing is shown, no verdict and no figure: any row of it may be the one that was changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import RunStatus
from core.burnin.sealing import RunCheck, SealState, change_lines, check_run, known_keys, statement_of
from core.platform.errors import ExitCode, RigwrightError
from core.present.report.document import Badge, Block, Document, Heading, Illustration, KeyValues, Paragraph, Tone
from core.present.report.formatting import stamp, utc_now
from core.present.report.statement import CHANGED, VERSION, PaperKind, Statement
from core.seal.keys import SigningKey, signing_key
from core.seal.sealed_file import sealed
from core.version import __version__
from core.words import current_language, tr

WHAT_IT_PROVES = tr(
    "A seal proves that nothing was changed since, and which key sealed it. It does not prove that a measurement was "
    "right, that the clock was, or that the owner of the key is honest: compare the fingerprint with what the owner "
    "tells you. {rigwright verify} FILE says whether this file is intact."
)
GOES_ON = tr("The run has not ended: neither it nor this file is sealed.")
_QUIET_ZONE = 4
"""Modules of white round a QR code (ISO/IEC 18004)."""


@dataclass(frozen=True, slots=True)
class RunSeal:
    """What a report tells of the seal of its run, and the key that seals the report."""

    check: RunCheck
    changes: tuple[str, ...] = ()
    key: SigningKey | None = None
    no_key: str = ""
    """Why the file itself gets no seal, in a sentence."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What a seal says of the run; see `statement_of`."""

    @property
    def changed(self) -> bool:
        """Whether the record failed its check: nothing that is made of it has a verdict."""
        return self.check.state is SealState.CHANGED

    @property
    def digest(self) -> str | None:
        """Of the record, hexadecimal."""
        return self.check.head.hex() if self.check.head else None

    @property
    def fingerprint(self) -> str | None:
        """Of the key that sealed the record; where that has none yet, of the key that seals what is made of it."""
        if self.check.seal is not None:
            return self.check.seal.key.fingerprint
        return self.key.public.fingerprint if self.key else None

    @property
    def code(self) -> str | None:
        """The text of the QR code: to be compared with what `rigwright verify` prints."""
        if self.digest is None or self.check.seal is None or self.changed:
            return None
        return f"RIGWRIGHT {self.digest} {self.fingerprint}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        code = self.code
        return {
            "state": self.check.state.value,
            "digest": self.digest,
            "key": self.fingerprint,
            "changes": list(self.changes),
            "qr": code,
            "qr_svg": qr_svg(code) if code else None,
        }

    def statement(self, kind: PaperKind, *, language: str | None = None) -> Statement:
        """For a file of that kind, in the language that is spoken unless another one is named."""
        digest = self.digest or None
        spoken = language or current_language()
        fields = {"digest": digest, "kind": kind, "language": spoken, "record": self.check.state, "version": VERSION}
        if self.changed:
            fields |= {"outcome": None, "simulated": self.about["simulated"] or self._sealed_as_simulated}
        return Statement.model_validate({**self.about, **fields})

    @property
    def _sealed_as_simulated(self) -> bool:
        return self.check.seal is not None and bool(self.check.seal.statement.get("simulated"))

    def sealed(self, statement: Statement) -> Callable[[bytes], bytes] | None:
        """Seals a file that says this; None where no key can be used."""
        if (key := self.key) is None:
            return None
        return lambda content: sealed(content, statement.signed(), key)


def read_run_seal(store: RunReader, run_id: int) -> RunSeal:
    """Holds the record against its seal. What is made of a run that goes on is not sealed: it has no seal yet.

    Raises BadInput for an imported run, of which nothing is made.
    """
    store.require_measured(run_id)
    check = check_run(store, run_id)
    if check.state is not SealState.CHANGED and store.run(run_id).status is not RunStatus.FINISHED:
        check = RunCheck(SealState.UNSIGNED)
        return RunSeal(check, no_key=GOES_ON, about=statement_of(store, run_id, check))
    lines, about = tuple(change_lines(store, run_id, check.changes)), statement_of(store, run_id, check)
    try:
        return RunSeal(check, lines, signing_key(Path(store.path).parent), about=about)
    except RigwrightError as problem:
        why = tr("This file is not sealed. {problem}", problem=problem.args[0])
        return RunSeal(check, lines, no_key=why, about=about)


def not_proven(seal: RunSeal) -> str:
    """Beside a verdict that nothing proves, in a sentence; "" where its record is sealed, or there is none."""
    if seal.about.get("outcome") is None:
        return ""
    match seal.check.state:
        case SealState.NOT_SEALED:
            return tr("NOT PROVEN: the recording is not sealed.")
        case SealState.UNSIGNED:
            return tr("NOT PROVEN: the recording is not signed.")
        case SealState.UNKNOWN_KEY:
            return tr("NOT PROVEN: an unknown key signed the recording.")
        case _:
            return ""


def seal_blocks(seal: RunSeal) -> Iterator[Block]:
    """The chapter of a report."""
    yield Heading(tr("Seal"))
    rows = [(tr("Record"), state_words(seal.check))]
    if seal.digest:
        rows.append((tr("Digest (SHA-256)"), seal.digest))
    if seal.fingerprint:
        rows.append((tr("Key (Ed25519)"), seal.fingerprint))
    yield KeyValues(tuple(rows))
    for line in seal.changes:
        yield Paragraph(line, Tone.FAIL)
    if seal.no_key:
        yield Paragraph(seal.no_key, Tone.WARN)
    if (code := seal.code) is not None:
        yield Illustration(
            tr("Digest and key"), lambda: qr_svg(code), code, tr("QR code of {code}", code=code), share=0.16
        )
    yield Paragraph(WHAT_IT_PROVES)


def state_words(check: RunCheck) -> str:
    """In a few words."""
    match check.state, check.seal:
        case SealState.CHANGED, _:
            return tr("CHANGED since it was recorded")
        case ((SealState.INTACT | SealState.UNKNOWN_KEY), seal) if seal is not None:
            return tr("intact since {time}", time=stamp(str(seal.statement.get("sealed_at"))))
        case SealState.UNSIGNED, _:
            return tr("hash chain intact, not signed")
        case _:
            return tr("not sealed: recorded by a program without seals")


def qr_svg(code: str) -> str:
    """A QR code as SVG text, level M."""
    import segno

    made = segno.make_qr(code, error="m", boost_error=False)
    return str(made.svg_inline(border=_QUIET_ZONE, omitsize=True, light="#ffffff"))


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
