"""The build file `*.rig.json`: self-contained, versioned, and easy to write by hand.

A line names a part by id; `parts` carries the full specs, so that a build opens on a machine whose catalogue lacks
them. A hand-written file may leave `parts` out for everything the catalogue knows.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import SoftFileLock, Timeout

from core.parts.figures import implausible
from core.parts.former_names import with_present_names
from core.parts.part import Condition, Part
from core.plan.assumptions import DEFAULT_ASSUMPTIONS
from core.plan.build import Build
from core.plan.calibration import dump_calibration
from core.plan.file_format import VERSION, BuildFile, StoredCircuit, StoredLine
from core.plan.line import Line, Role
from core.plan.mains import Circuit, custom_circuit
from core.plan.seats import Host, SlotNumber, is_slot_number, on_carrier
from core.platform.errors import BadInput, EnvironmentProblem, reason_of
from core.platform.foreign import Unreadable, read_bytes, read_json
from core.platform.whole_file import write_whole
from core.words import tr
from core.words.refusal import refused_as

MAX_BYTES = 20_000_000
NO_FILE = ""
"""In the place of the digest of a file that is not there."""
LOCK_TIMEOUT_S = 60.0

FindPart = Callable[[str], Part | None]


def load_build(path: Path, find_part: FindPart) -> Build:
    """Opens a build file; parts that it does not carry are looked up with `find_part`.

    Raises BadInput with a sentence that names the file and the place.
    """
    return load_with_digest(path, find_part)[0]


def load_with_digest(path: Path, find_part: FindPart) -> tuple[Build, str]:
    """As `load_build`, with the digest of what was read: `save_build` replaces nothing else."""
    content = read_bytes(path, MAX_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(tr("{path} is not a build file: it is not UTF-8 text.", path=path)) from error
    return parse_build(text, find_part, str(path)), sha256(content).hexdigest()


def parse_build(text: str, find_part: FindPart, where: str = tr("The build")) -> Build:
    """Reads the text of a build file; `where` names it in error sentences. Raises BadInput."""
    stored = _validated(text, where)
    _refuse_implausible(stored, where)
    lines = tuple(_line(line, stored, find_part, where) for line in stored.lines)
    try:
        return Build(
            stored.name,
            lines,
            stored.region,
            stored.notes,
            _circuit(stored.custom_circuit),
            stored.other_loads_w,
            stored.assumptions,
            stored.calibration,
            stored.fan_share,
            tuple(sorted(stored.slot_generations.items())),
            stored.condition,
            stored.budget,
        )
    except ValueError as error:
        raise BadInput(tr("{where}: {reason}.", where=where, reason=error.args[0])) from error


def dump_build(build: Build) -> str:
    """The text of the build file, with the specs of all its parts."""
    stored = {
        "format": "rigwright-build",
        "version": VERSION,
        "name": build.name,
        "region": build.region,
        "notes": build.notes,
        **_dump_site(build),
        "lines": [_dump_line(line) for line in build.lines],
        "parts": {
            line.part.id: line.part.model_dump(mode="json", exclude_defaults=True)
            | {"spec": _dump_spec(line.part), "origin": line.part.origin.value}
            for line in build.lines
        },
    }
    return json.dumps(stored, ensure_ascii=False, indent=1) + "\n"


class ChangedMeanwhile(BadInput):
    """Another program has written the file since it was read."""


def save_build(build: Build, path: Path, *, expected: str | None = None) -> str:
    """Writes the file whole or not at all; the digest of what was written.

    With `expected` (the digest of what was read, NO_FILE where there was none) a file with other contents is left
    alone: raises ChangedMeanwhile. Raises EnvironmentProblem when it cannot write; the old file stays.
    """
    content = dump_build(build).encode("utf-8", errors="replace")  # half a surrogate pair, pasted, must not stop a save
    target = path.resolve()
    try:
        with _locked(target):
            if expected is not None and _digest(target) not in (NO_FILE, expected):
                raise ChangedMeanwhile(
                    tr("{path} was changed by another program since it was read.", path=path)
                    if expected
                    else tr("{path} already exists. Choose another name.", path=path)
                )
            write_whole(target, content)
    except OSError as error:
        raise EnvironmentProblem(
            tr(
                "{path} could not be saved: {reason}. The build is still open; save it elsewhere.",
                path=path,
                reason=reason_of(error),
            )
        ) from error
    return sha256(content).hexdigest()


def update_build(
    path: Path, output: Path | None, find_part: FindPart, change: Callable[[Build], Build]
) -> tuple[Build, Build]:
    """Changes the build of a file and writes it back, or to `output`; the build before and after.

    Where another program has written the file meanwhile, the change is made anew on what is there now.
    """
    target = output or path
    in_place = target.resolve() == path.resolve()
    while True:
        before, digest = load_with_digest(path, find_part)
        after = change(before)
        try:
            save_build(after, target, expected=digest if in_place else None)
        except ChangedMeanwhile:
            continue
        return before, after


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Nobody else compares and replaces the file at the same time. The lock lies beside it for a moment."""
    if not path.parent.is_dir():  # the lock would make the folder
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(path))
    lock = SoftFileLock(path.with_name(f".{path.name[:40]}.lock"), timeout=LOCK_TIMEOUT_S)
    try:
        with lock:
            yield
    except Timeout as error:
        raise EnvironmentProblem(
            tr(
                "{path} could not be saved: another program is saving it. If none is, delete {lock}.",
                path=path,
                lock=lock.lock_file,
            )
        ) from error


def _digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return NO_FILE


def _json(text: str, where: str) -> Any:
    try:
        return read_json(text)
    except Unreadable as error:
        raise BadInput(
            tr(
                "{where} is damaged: {reason}. Use an earlier copy, or correct it there.",
                where=where,
                reason=error.args[0],
            )
        ) from error


def _validated(text: str, where: str) -> BuildFile:
    raw = _json(text, where)
    if not isinstance(raw, dict) or raw.get("format") != "rigwright-build":
        raise BadInput(
            tr('{where} is not a Rigwright build: it does not say "format": "rigwright-build".', where=where)
        )
    version = raw.get("version")
    if isinstance(version, int) and version > VERSION:
        raise BadInput(
            tr(
                "{where} has version {version}, this program reads up to {known}. Update Rigwright.",
                where=where,
                version=version,
                known=VERSION,
            )
        )
    with refused_as(
        lambda place, reason: tr(
            "{where} cannot be read at {place}: {reason}.", where=where, place=place, reason=reason
        ),
        whole=tr("its beginning"),
    ):
        # Strictly, as the schema has it: "2" is no quantity.
        return BuildFile.model_validate_json(with_present_names(text), strict=True)


def _refuse_implausible(stored: BuildFile, where: str) -> None:
    """Figures that no such part has: what is computed of them would be nonsense, or no number at all."""
    for part in stored.parts.values():
        for field, value, (low, high) in implausible(part):
            raise BadInput(
                tr(
                    "{where} cannot be read at parts.{part_id}.spec.{field}: {value:g} is "
                    "outside {low:g} to {high:g}. Check the unit.",
                    where=where,
                    part_id=part.id,
                    field=field,
                    value=value,
                    low=low,
                    high=high,
                )
            )


def _line(line: StoredLine, stored: BuildFile, find_part: FindPart, where: str) -> Line:
    part = stored.parts.get(line.part) or find_part(line.part)
    if part is None:
        raise BadInput(
            tr(
                "{where} names the part {part!r}, which is neither in the file nor in the catalogue. "
                "Correct the id; the parts search finds the right one.",
                where=where,
                part=line.part,
            )
        )
    if part.id != line.part:
        raise BadInput(
            tr(
                "{where}: the part stored under {part!r} has the id {part_id!r}.",
                where=where,
                part=line.part,
                part_id=part.id,
            )
        )
    role = line.role or (Role.DISPLAY if line.display else None)
    try:
        return Line(
            part,
            line.quantity,
            tuple(map(_slot_number, line.slots)),
            line.risers,
            line.power_limit_w,
            line.psus,
            role,
            line.sockets,
            tuple(map(_hosts, line.hosts)),
            line.condition,
        )
    except ValueError as error:
        raise BadInput(tr("{where}: {reason}.", where=where, reason=error.args[0])) from error


def _slot_number(stored: int | str) -> SlotNumber:
    return SlotNumber.parse(stored) if isinstance(stored, str) else SlotNumber(stored)


def _hosts(stored: int | str | tuple[int | str, ...] | None) -> tuple[Host, ...]:
    """One host, several, or none yet; what is written like a seat is one, else the label of a socket."""
    several = () if stored is None else stored if isinstance(stored, tuple) else (stored,)
    return tuple(_slot_number(one) if is_slot_number(one) else one for one in several)


def _dump_position(host: Host) -> int | str:
    return str(host) if isinstance(host, str) or on_carrier(host) else int(host)


def _circuit(stored: StoredCircuit | None) -> Circuit | None:
    return custom_circuit(stored.voltage_v, stored.current_a, stored.continuous_share) if stored else None


def _dump_hosts(hosts: tuple[Host, ...]) -> int | str | list[int | str] | None:
    several = list(map(_dump_position, hosts))
    return None if not several else several[0] if len(several) == 1 else several


def _dump_line(line: Line) -> dict[str, Any]:
    stored = {
        "slots": list(map(_dump_position, line.slots)),
        "hosts": list(map(_dump_hosts, line.hosts)),
        **{name: getattr(line, name) for name in ("risers", "power_limit_w", "psus", "role", "sockets", "condition")},
    }
    return {"part": line.part.id, "quantity": line.quantity} | {
        name: value for name, value in stored.items() if value not in (None, (), [])
    }


def _dump_site(build: Build) -> dict[str, Any]:
    """What differs from a usual build: circuits, assumptions, what was measured and set, and parts that are not new."""
    own = build.custom_circuit
    stored = {
        "custom_circuit": own and {name: getattr(own, name) for name in ("voltage_v", "current_a", "continuous_share")},
        "other_loads_w": None if build.other_loads_w == (0.0,) else build.other_loads_w,
        "assumptions": None if build.assumptions == DEFAULT_ASSUMPTIONS else asdict(build.assumptions),
        "calibration": dump_calibration(build.calibration) if build.calibration else None,
        "fan_share": build.fan_share,
        "slot_generations": {str(slot): generation for slot, generation in build.slot_generations} or None,
        "condition": None if build.condition is Condition.NEW else build.condition,
        "budget": build.budget and asdict(build.budget),
    }
    return {name: value for name, value in stored.items() if value is not None}


def _dump_spec(part: Part) -> dict[str, Any]:
    figures = part.spec.model_dump(mode="json", exclude_defaults=True)
    return {"category": part.category.value, **figures}
