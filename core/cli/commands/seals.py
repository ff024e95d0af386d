"""Commands about seals: verify a run or a file, sign a run later, show and export the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.markup import escape

from core.burnin.record.origin import absence_sentence
from core.burnin.record.store import RunStore
from core.burnin.sealing import (
    RunCheck,
    SealState,
    change_lines,
    check_run,
    known_keys,
    seal_run,
    state_sentence,
    verdict_lines,
)
from core.cli.asking import given_passphrase
from core.cli.options import AsJson, DataDir, console, print_json, say
from core.cli.recorded_run import OneRun, run_in
from core.platform.errors import BadInput, ExitCode
from core.platform.foreign import read_bytes
from core.platform.paths import data_dir, recordings_dir
from core.platform.whole_file import write_output
from core.present.report.statement import VERSION, Statement, statement_lines
from core.seal.keys import PublicKey, Seal, own_public_key, read_public_key, set_passphrase, signing_key
from core.seal.sealed_file import MOST_BYTES, FileState, check_file
from core.words import joined, tr

WHAT_IT_PROVES = tr(
    "A seal proves that nothing was changed since, and which key sealed it; not that a measurement was right."
)
_OF_FILE = {FileState.CHANGED: SealState.CHANGED, FileState.NOT_SEALED: SealState.NOT_SEALED}


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command(
        "verify", help=tr("Verify that a run or a file is unchanged since it was sealed; if not, say what was changed.")
    )(verify)
    app.command(
        "seal", help=tr("Sign the recording of a run that ended without a signature because its key has a passphrase.")
    )(seal)
    app.command(
        "key", help=tr("Show the fingerprint of the key that seals what this installation makes; made at first use.")
    )(key)


def verify(
    subject: Annotated[str, typer.Argument(metavar="FILE|RUN", help=tr("A sealed file, or the number of a run."))],
    trust: Annotated[
        list[Path] | None, typer.Option("--key", help=tr("Public key to trust besides your own; repeat for several."))
    ] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = recordings_dir(folder)
    trusted = [read_public_key(path) for path in trust or ()]
    run = run_in(subject)
    checked = checked_file(place, Path(subject), trusted) if run is None else checked_run(place, run, trusted)
    if as_json:
        print_json(_as_dict(checked.check) | {"changes": checked.lines, "sentence": checked.sentence})
    else:
        for line in checked.verdict:
            console.print(escape(line), style="bold")
        changes = (f"  {line}" for line in checked.lines)
        for line in (checked.sentence, *changes, *_statement_lines(checked.check), WHAT_IT_PROVES):
            console.print(escape(line))
    raise typer.Exit(checked.exit_code)


@dataclass(frozen=True, slots=True)
class Checked:
    """A run or file held against its seal, and what was changed in it."""

    check: RunCheck
    lines: list[str]
    name: str

    @property
    def sentence(self) -> str:
        """The answer."""
        return state_sentence(self.check, self.name)

    @property
    def verdict(self) -> list[str]:
        """First of all: what was judged, where the seal holds."""
        holds = self.check.seal is not None and self.check.state is not SealState.CHANGED
        return verdict_lines(_statement(self.check)) if holds else []

    @property
    def exit_code(self) -> ExitCode:
        """What was made of a record that was not proven proves nothing either."""
        statement = _statement(self.check)
        of_record = statement.get("record")
        if SealState.CHANGED in (self.check.state, of_record):
            return ExitCode.FAIL
        can_be_read = statement.get("version") in (None, VERSION)
        proven = self.check.state is SealState.INTACT and can_be_read and of_record in (None, SealState.INTACT)
        return ExitCode.PASS if proven else ExitCode.INCOMPLETE


def checked_run(place: Path, run_id: int, trusted: Sequence[PublicKey] = ()) -> Checked:
    """Raises BadInput where there is no such run."""
    with closing(RunStore(place)) as store:
        store.require_measured(run_id)
        check = check_run(store, run_id, trusted)
        lines = change_lines(store, run_id, check.changes) if check.changes else []
    return Checked(check, lines, tr("Run {run}", run=run_id))


def checked_file(place: Path, path: Path, trusted: Sequence[PublicKey] = ()) -> Checked:
    """What a file shows is read only where a known key signed it. Raises BadInput for what cannot be read."""
    content = read_bytes(path, MOST_BYTES)
    file = check_file(content)
    lines: list[str] = [tr("Changed: {part}.", part=part) for part in file.parts]
    if file.state is not FileState.WHOLE or file.seal is None:
        state = _OF_FILE[file.state]
    elif file.seal.key not in known_keys(place, trusted):
        state = SealState.UNKNOWN_KEY
    else:
        lines = _contradictions(content, file.seal)
        state = SealState.CHANGED if lines else SealState.INTACT
    return Checked(RunCheck(state, seal=file.seal), lines, path.name)


def _contradictions(content: bytes, seal: Seal) -> list[str]:
    """What the file says otherwise than its seal; that of another version holds nothing that could be compared."""
    from core.present.certificate.reading import differences

    if seal.statement.get("version") != VERSION:
        return []
    try:
        return differences(content, Statement.model_validate(seal.statement))
    except ValidationError:
        return [tr("What is signed into it cannot be read.")]


def _statement(check: RunCheck) -> Mapping[str, Any]:
    """What the seal says; nothing without one."""
    return check.seal.statement if check.seal else {}


def _as_dict(check: RunCheck) -> dict[str, Any]:
    signed = {name: value for name, value in _statement(check).items() if name != "checks"} if check.seal else None
    return {
        "state": check.state.value,
        "key": check.seal.key.fingerprint if check.seal else None,
        "digest": check.head.hex() if check.head else (signed or {}).get("digest"),
        "statement": None if check.state is SealState.CHANGED else signed,
        "absent": [absence_sentence(one) for one in check.absent],
    }


def _statement_lines(check: RunCheck) -> Iterator[str]:
    """What the seal says, for who compares it with paper, and which run before it is not here; of what was changed only
    which seal it was."""
    yield from map(absence_sentence, check.absent)
    if check.seal is not None:
        signed = _statement(check)
        yield from [] if check.state is SealState.CHANGED else statement_lines(signed)
        if signed.get("digest"):
            yield tr("Digest of the recording: {digest}", digest=signed["digest"])
        yield tr("Key: {fingerprint}", fingerprint=check.seal.key.fingerprint)


def seal(run: OneRun, folder: DataDir = None, as_json: AsJson = False) -> None:
    place = data_dir(folder)
    with closing(RunStore(place)) as store:
        made = seal_run(store, run, given_passphrase(place))
    if made is None:
        raise BadInput(tr("Run {run} cannot be sealed: it was recorded by a program without hash chains.", run=run))
    value = {"run": run, "digest": made.statement["digest"], "key": made.key.fingerprint}
    say(
        as_json,
        value,
        tr("Sealed: run {run}, digest {digest}, key {key}.", run=run, digest=value["digest"], key=value["key"]),
    )


def key(
    export: Annotated[
        Path | None, typer.Option(help=tr("Write the public key to this file, for verification."))
    ] = None,
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help=tr("Ask for a new passphrase of the private key; empty for none."))
    ] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = data_dir(folder)
    own = own_public_key(place) or signing_key(place).public
    if passphrase:
        before = given_passphrase(place)
        new = typer.prompt(
            tr("New passphrase"), hide_input=True, confirmation_prompt=True, default="", show_default=False
        )
        set_passphrase(place, new, before=before)
    if export is not None:
        write_output(export, own.pem())
    written = tr("Written: {path}", path=export) if export else ""
    say(
        as_json,
        {"key": own.fingerprint, "written": str(export) if export else None},
        joined([own.fingerprint, written]),
    )
