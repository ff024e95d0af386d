"""Commands about seals: verify a run or a file, sign a run later, show and export the key."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.burnin.record.store import RunStore
from core.burnin.seal_words import change_lines, state_sentence
from core.burnin.sealing import RunCheck, SealState, check_run, known_keys, seal_run
from core.cli.options import AsJson, DataDir, console, print_json, say
from core.cli.passphrase import given_passphrase
from core.cli.recorded_run import MAX_RUN, OneRun
from core.errors import BadInput, EnvironmentProblem, ExitCode
from core.language import joined, tr
from core.paths import data_dir, recordings_dir
from core.seal.keys import PublicKey, own_public_key, read_public_key, set_passphrase, signing_key
from core.seal.sealed_file import FileState, check_file
from core.whole_file import write_whole

STATE_EXIT = {SealState.INTACT: ExitCode.PASS, SealState.CHANGED: ExitCode.FAIL}
"""What is neither is not proven: INCOMPLETE."""
WHAT_IT_PROVES = tr(
    "A seal proves that nothing was changed since, and which key sealed it; not that a measurement was right."
)
_OF_FILE = {FileState.CHANGED: SealState.CHANGED, FileState.NOT_SEALED: SealState.NOT_SEALED}


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command(
        "verify",
        help=tr("Verify that a run or a file is unchanged since it was sealed; if not, say what was changed."),
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
    if subject.isascii() and subject.isdecimal() and not Path(subject).is_file():
        check, lines, name = _checked_run(place, int(subject), trusted)
    else:
        check, lines, name = _checked_file(place, Path(subject), trusted)
    sentence = state_sentence(check, name)
    if as_json:
        print_json(_as_dict(check) | {"changes": lines, "sentence": sentence})
    else:
        console.print(escape(sentence))
        for line in lines:
            console.print(f"  {escape(line)}")
        for line in _told(check):
            console.print(escape(line))
        console.print(WHAT_IT_PROVES)
    raise typer.Exit(STATE_EXIT.get(check.state, ExitCode.INCOMPLETE))


def _checked_run(place: Path, run_id: int, trusted: list[PublicKey]) -> tuple[RunCheck, list[str], str]:
    if run_id > MAX_RUN:
        raise BadInput(tr("There is no run {run}. See the recorded ones with: rigwright runs.", run=run_id))
    with closing(RunStore(place)) as store:
        check = check_run(store, run_id, trusted)
        return (
            check,
            change_lines(store, run_id, check.changes) if check.changes else [],
            tr("Run {run}", run=run_id),
        )


def _checked_file(place: Path, path: Path, trusted: list[PublicKey]) -> tuple[RunCheck, list[str], str]:
    try:
        found = check_file(path.read_bytes())
    except OSError as error:
        raise BadInput(
            tr("{path} cannot be read. Name a file that Rigwright has sealed, or a run's number.", path=path)
        ) from error
    state = _OF_FILE.get(found.state)
    if state is None:
        assert found.seal is not None
        known = found.seal.key in known_keys(place, trusted)
        state = SealState.INTACT if known else SealState.UNKNOWN_KEY
    return RunCheck(state, seal=found.seal), [tr("Changed: {part}.", part=part) for part in found.parts], path.name


def _as_dict(check: RunCheck) -> dict[str, Any]:
    seal = check.seal
    told = {name: value for name, value in seal.statement.items() if name != "checks"} if seal else None
    return {
        "state": check.state.value,
        "key": seal.key.fingerprint if seal else None,
        "digest": check.head.hex() if check.head else (told or {}).get("digest"),
        "statement": told,
    }


def _told(check: RunCheck) -> list[str]:
    """What the seal says, for who compares it with paper."""
    if check.seal is None:
        return []
    told = check.seal.statement
    lines: list[str] = [tr("Digest of the recording: {digest}", digest=told["digest"])] if told.get("digest") else []
    lines += [tr("Key: {fingerprint}", fingerprint=check.seal.key.fingerprint)]
    if told.get("simulated"):
        lines.append(tr("SIMULATED: no hardware was measured."))
    if told.get("interruptions"):
        lines.append(tr("Sealed with interruptions: {interruptions}.", interruptions=", ".join(told["interruptions"])))
    if told.get("not_completed"):
        lines.append(tr("Not completed: {stages}.", stages=", ".join(told["not_completed"])))
    return lines


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
        try:
            write_whole(export.expanduser().absolute(), own.pem())
        except OSError as error:
            raise EnvironmentProblem(tr("{file} could not be written. Choose another place.", file=export)) from error
    written = tr("Written: {path}", path=export) if export else ""
    say(
        as_json,
        {"key": own.fingerprint, "written": str(export) if export else None},
        joined([own.fingerprint, written]),
    )
