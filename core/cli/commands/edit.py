"""Commands that make and change build files: new, add, remove, swap; and what edits have changed, in sentences."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.advise.add_or_replace import add_or_replace
from core.assessment import Assessment
from core.cli.asking import devices_awaited
from core.cli.lookup import TEMPLATES, find_build, find_line, find_part, open_catalogue
from core.cli.option_values import numbers
from core.cli.options import AsJson, DataDir, console, errors, print_json
from core.machine.asbuilt.binding import read_notes
from core.machine.asbuilt.inspection import inspect
from core.machine.asbuilt.new_build import build_of
from core.machine.asbuilt.texts.contents import text_sentences
from core.machine.asbuilt.texts.description import read_descriptions
from core.machine.telemetry.detect import detect_devices
from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import Edit, PlaceCards, RemovePart, SetDetails
from core.plan.file import NO_FILE, dump_build, load_build, save_build, update_build
from core.plan.file_name import SUFFIX
from core.plan.hosts import hosts_text
from core.plan.line import Line, is_card
from core.plan.missing import seatless_words
from core.platform.errors import BadInput
from core.platform.paths import data_dir
from core.present.report.build_findings import brief_findings
from core.present.report.terminal import print_blocks
from core.rules.engine import counts_words, summary
from core.rules.finding import Status
from core.words import joined, listed, plain, slots_listed, tr

File = Annotated[Path, typer.Argument(metavar="FILE", help=tr("A build file (*.rig.json)."))]
PartWords = Annotated[str, typer.Argument(metavar="PART", help=tr("An id, or words that match only one part."))]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help=tr("Write the changed build here and leave FILE as it is."))
]
DryRun = Annotated[bool, typer.Option("--dry-run", help=tr("Say what would change, and write nothing."))]
Change = Callable[[Build, Catalogue], Iterable[Edit]]
"""Gives the edits one by one, and is asked for the next when the one before has been tried on the build."""


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command(
        "new",
        help=tr("Make a build file: empty, from a template, or from this machine. An existing file is not replaced."),
    )(new)
    app.command("add", help=tr("Add parts to a build. Without --slot a card goes to the first slot where it fits."))(
        add
    )
    app.command("remove", help=tr("Remove a part from a build, all of its quantity."))(remove)
    app.command("swap", help=tr("Replace a part with another of the same category, keeping quantity and slots."))(swap)


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=tr("The build file to make, such as mine.rig.json."))],
    name: Annotated[str | None, typer.Option(help=tr("Its name; by default the file's, or the template's."))] = None,
    region: Annotated[
        str | None, typer.Option(help=tr("Its mains, such as us-120v-15a; eu-230v-16a by default."))
    ] = None,
    template: Annotated[
        str | None, typer.Option(help=tr("Start from this template, or from a copy of this build."))
    ] = None,
    from_machine: Annotated[
        bool, typer.Option("--from-machine", help=tr("From the parts of this machine, as far as it reports them."))
    ] = False,
    described: Annotated[
        list[Path] | None,
        typer.Option(
            "--from", help=tr("From another machine: what as-built --from takes, a file or a folder. Repeatable.")
        ),
    ] = None,
    dry_run: DryRun = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    if template is not None and (from_machine or described):
        raise BadInput(
            tr("A build starts from a template or from the machine. Leave out --template or --from-machine.")
        )
    if file.exists() or file.is_symlink():
        raise BadInput(
            tr("{file} already exists. Choose another name, or change it with: rigwright add, swap and set.", file=file)
        )
    details = SetDetails(name=name, region=region)
    if from_machine or described:
        begun = _of_machine(described or (), data_dir(folder), _name_of(file))
    else:
        with open_catalogue(folder) as catalogue:
            begun = load_build(find_build(template), catalogue.part) if template is not None else Build(_name_of(file))
    build = details.apply(begun)
    if not dry_run:
        save_build(build, file, expected=NO_FILE)
    _answer(begun, build, None if dry_run else file, as_json, made=True)


def _of_machine(described: Sequence[Path], place: Path, name: str) -> Build:
    """What it has that the catalogue does not know is said on standard error, and stands in the build's notes."""
    if described:
        inspected = read_descriptions(described)
    else:
        with devices_awaited():
            inspected = inspect(detect_devices())
    with open_catalogue(place) as catalogue:
        rebuilt = build_of(inspected, catalogue.parts(), read_notes(place)[0], name)
    if rebuilt.left_out:
        errors.print(escape(tr("Not in the catalogue: {parts}.", parts=joined(rebuilt.left_out, "; "))))
    for sentence in (*rebuilt.stand_ins, *text_sentences(inspected.texts, inspected.untold)):
        errors.print(escape(sentence))
    return rebuilt.build


def add(
    file: File,
    part: PartWords,
    quantity: Annotated[int, typer.Option("-n", "--quantity", help=tr("How many."))] = 1,
    slot: Annotated[
        list[str] | None, typer.Option("--slot", help=tr("Slots of these cards, such as 1,3; repeatable."))
    ] = None,
    output: Output = None,
    dry_run: DryRun = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    slots = numbers("--slot", slot)

    def change(build: Build, catalogue: Catalogue) -> Iterable[Edit]:
        present = build.line(part)
        chosen = present.part if present else find_part(catalogue, part)
        line = build.line(chosen.id)
        yield add_or_replace(build, chosen, None, quantity, catalogue.part)
        if slots:
            if len(slots) > quantity:
                raise BadInput(
                    tr(
                        "--slot names {count} slots for {quantity} of {title}.",
                        count=len(slots),
                        quantity=quantity,
                        title=chosen.title,
                    )
                )
            before = line.slots if line and is_card(chosen) else ()
            yield PlaceCards(chosen.id, (*before, *slots))

    edit_file(file, change, output, dry_run, folder, as_json)


def remove(
    file: File,
    part: PartWords,
    output: Output = None,
    dry_run: DryRun = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:

    def change(build: Build, _: Catalogue) -> Iterable[Edit]:
        yield RemovePart(find_line(build, part).part.id)

    edit_file(file, change, output, dry_run, folder, as_json)


def swap(
    file: File,
    old: Annotated[
        str, typer.Argument(metavar="OLD", help=tr("A part of the build: its id, or words that match only it."))
    ],
    part: Annotated[str, typer.Argument(metavar="NEW", help=tr("An id, or words that match only one such part."))],
    output: Output = None,
    dry_run: DryRun = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:

    def change(build: Build, catalogue: Catalogue) -> Iterable[Edit]:
        line = find_line(build, old)
        chosen = find_part(catalogue, part, line.part.category)
        yield add_or_replace(build, chosen, line.part.id, 1, catalogue.part)

    edit_file(file, change, output, dry_run, folder, as_json)


def edit_file(
    file: Path, change: Change, output: Path | None, dry_run: bool, folder: Path | None, as_json: bool
) -> None:
    """Changes a build file by the edits, says what changed and what the check says of it now.

    Raises BadInput, with the file as it was, when one of the edits does not apply.
    """
    path = find_build(str(file))
    if output is None and not dry_run and (not path.is_file() or path.parent == TEMPLATES):
        raise BadInput(
            tr("{file} is a template or not a file, and cannot be changed. Write a changed copy with -o.", file=file)
        )
    with open_catalogue(folder) as catalogue:

        def changed(build: Build) -> Build:
            for edit in change(build, catalogue):
                build = edit.apply(build)
            return build

        if dry_run:
            before = load_build(path, catalogue.part)
            after = changed(before)
        else:
            before, after = update_build(path, output, catalogue.part, changed)
    _answer(before, after, None if dry_run else output or path, as_json)


def _answer(before: Build, build: Build, path: Path | None, as_json: bool, *, made: bool = False) -> None:
    """Says what was changed, and written to `path` if there is one."""
    findings = Assessment(build).findings
    sentences = changes(before, build)
    worst = next(
        (finding for finding in findings if finding.status in (Status.FAIL, Status.WARN, Status.UNKNOWN)), None
    )
    if as_json:
        counts = {status.value: count for status, count in summary(findings).items()}
        check = {"counts": counts, "worst": worst.as_dict() if worst else None}
        written = str(path) if path else None
        print_json({"written": written, "changes": list(sentences), "build": _document(build), "check": check})
        return
    if made:
        console.print(escape(tr("New build: {build}, {circuit}.", build=build.name, circuit=build.circuit.title)))
    for sentence in () if made else sentences or (tr("Nothing changed: it was already set."),):
        console.print(escape(sentence))
    console.print(
        joined([tr("Check: {counts}.", counts=counts_words(findings)), "" if path else tr("Nothing was written.")])
    )
    if worst is not None:
        print_blocks(console, [brief_findings([worst])])


def _document(build: Build) -> Any:
    return json.loads(dump_build(build))


def _name_of(file: Path) -> str:
    return file.name.removesuffix(SUFFIX).removesuffix(".json")[:200] or str(tr("New build"))


def changes(before: Build, after: Build) -> tuple[str, ...]:
    """A sentence for each difference; empty where there is none."""
    return (*_details(before, after), *_lines(before, after))


def _details(before: Build, after: Build) -> Iterator[str]:
    if before.name != after.name:
        yield tr("Name: {now}; was {before}.", now=after.name, before=before.name)
    if before.notes != after.notes:
        yield tr("Notes: changed.") if after.notes else tr("Notes: removed.")
    for what, now, was in (
        (tr("Mains"), _mains_words(after), _mains_words(before)),
        (tr("Budget"), _budget_words(after), _budget_words(before)),
        (tr("Fans"), _fan_words(after), _fan_words(before)),
        (tr("Parts"), after.condition.label, before.condition.label),
        (tr("Coinciding power peaks"), _number(after.assumptions.coincidence), _number(before.assumptions.coincidence)),
        (
            tr("Plug clearance"),
            _number(after.assumptions.plug_room_mm, " mm"),
            _number(before.assumptions.plug_room_mm, " mm"),
        ),
    ):
        if now != was:
            yield tr("{what}: {now}; was {was}.", what=what, now=now, was=was)


def _lines(before: Build, after: Build) -> Iterator[str]:
    for line in before.lines:
        now = after.line(line.part.id)
        if now is None:
            yield tr("Removed: {part}.", part=_line_words(before, line))
        elif now != line:
            yield tr(
                "Changed: {part}; was {quantity}{seats}.",
                part=_line_words(after, now),
                quantity=line.quantity,
                seats=_seats(before, line),
            )
    for line in after.lines:
        if before.line(line.part.id) is None:
            yield tr("Added: {part}.", part=_line_words(after, line))


def _line_words(build: Build, line: Line) -> str:
    part = f"{line.quantity} x {line.part.title} ({line.part.id})"
    return plain("{part}{seats}", part=part, seats=_seats(build, line))


def _seats(build: Build, line: Line) -> str:
    """Where its cards are and what they may draw, behind a comma each."""
    words: list[str] = [tr("in {slots}", slots=slots_listed(line.slots))] if line.slots else []
    if line.part.category is Category.CARRIER:
        words.append(tr("plugged into {hosts}", hosts=hosts_text(line)))
    if is_card(line.part) and len(line.slots) < line.quantity:
        words.append(seatless_words(build, line.quantity - len(line.slots)))
    if line.risers:
        words.append(tr("on risers in {slots}", slots=slots_listed(line.risers)))
    if line.power_limit_w is not None:
        words.append(tr("limited to {watts:g} W", watts=line.power_limit_w))
    if line.psus:
        words.append(tr("fed from PSU {numbers}", numbers=listed([str(place or "auto") for place in line.psus])))
    if line.condition is not None:
        words.append(line.condition.label)
    return joined([", ", joined(words, ", ")], "") if words else ""


def _mains_words(build: Build) -> str:
    count, loads = len(build.other_loads_w), build.other_loads_w
    circuits = build.circuit.title
    if count != 1:
        circuits = tr("{number} circuits {circuit}", number=count, circuit=build.circuit.title)
    if not any(loads):
        return circuits
    watts = listed([_number(watts, " W") for watts in loads])
    return tr("{circuits} with {watts} of other loads", circuits=circuits, watts=watts)


def _budget_words(build: Build) -> str:
    return build.budget.words if build.budget else tr("none")


def _fan_words(build: Build) -> str:
    if build.fan_share is None:
        return tr("automatic")
    return tr("{share:.0f} % of full speed", share=100 * build.fan_share)


def _number(value: float, unit: str = "") -> str:
    return plain("{value:g}{unit}", value=value, unit=unit)
