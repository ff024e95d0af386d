"""Commands that hand a build to other people, and take a list of theirs in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from core.assessment import Assessment
from core.cli.lookup import open_catalogue, read_priced_build
from core.cli.options import AsJson, DataDir, console, print_json
from core.plan.file import NO_FILE, save_build
from core.platform.errors import BadInput, ExitCode
from core.platform.foreign import read_text
from core.present.report.write import write_report
from core.present.share.list_lines import ListLine, State
from core.present.share.one_page import one_page
from core.present.share.part_list import MAX_BYTES, PartList, build_from, read_part_list
from core.present.share.part_text import TextFormat, build_text, write_text
from core.words import tr, trn

ONE_PAGE = (".pdf", ".html")


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command(
        "share",
        help=tr(
            "Print a build's parts as a list for a forum, a table or purchasing; or write one "
            "page with parts and total."
        ),
    )(share)
    app.command(
        "import-list",
        help=tr(
            "Make a build from a part list copied from PCPartPicker, BuildCores, a shop or a forum, at its prices; "
            "what was not recognised is listed. Exits 4 if nothing was."
        ),
    )(import_list)


def share(
    file: Annotated[str, typer.Argument(metavar="FILE", help=tr("A build file, or the name of a template."))],
    form: Annotated[
        TextFormat,
        typer.Option("--as", help=tr("Where it will be pasted; csv is for purchasing."), case_sensitive=False),
    ] = TextFormat.MARKDOWN,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help=tr("Write it here: text, or one page as *.pdf or *.html."))
    ] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    build, guide = read_priced_build(file, folder)
    assessment = Assessment(build, guide=guide)
    if output is None:
        text = build_text(assessment, form)
        if as_json:
            print_json({"format": form.value, "text": text})
        else:
            console.out(text, end="", highlight=False)
        return
    if output.suffix.lower() in ONE_PAGE:
        write_report(one_page(assessment), output)
    else:
        write_text(assessment, form, output)
    if as_json:
        print_json({"written": str(output)})
    else:
        console.print(tr("Written: {path}", path=escape(str(output))))


def import_list(
    source: Annotated[
        str, typer.Argument(metavar="LIST", help=tr("A text file with the list; - reads standard input."))
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help=tr("The build file to make, such as mine.rig.json."))],
    name: Annotated[str | None, typer.Option(help=tr("Its name; the file's by default."))] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    if file.exists() or file.is_symlink():
        raise BadInput(tr("{file} already exists. Choose another name.", file=file))
    text = sys.stdin.read(MAX_BYTES + 1) if source == "-" else read_text(Path(source), MAX_BYTES)
    name = name or file.name.removesuffix(".rig.json").removesuffix(".json") or str(tr("New build"))
    with open_catalogue(folder) as catalogue:
        part_list = read_part_list(text, catalogue)
        build, left = build_from(part_list.lines, name, catalogue.part)
    if build.lines:
        save_build(build, file, expected=NO_FILE)
    if as_json:
        print_json(_as_dict(part_list, left, file if build.lines else None))
    else:
        _print_list(part_list, left)
    if not build.lines:
        if not as_json:
            console.print(tr("No part was recognised, so no file was written."))
        raise typer.Exit(ExitCode.INCOMPLETE)
    if not as_json:
        count = sum(line.quantity for line in build.lines)
        words = trn(
            "Written: {path}, {count} part.", "Written: {path}, {count} parts.", path=escape(str(file)), count=count
        )
        console.print(words)


_COLOURS = {State.EXACT: "green", State.CHOSEN: "cyan", State.SIMILAR: "yellow", State.UNKNOWN: "yellow"}


def _print_list(part_list: PartList, left: tuple[ListLine, ...]) -> None:
    for line in part_list.lines:
        price = f"  {line.price_words}" if line.part and line.price else ""
        console.print(f"[{_COLOURS[line.state]}]{line.count}x[/] {escape(line.sentence)}{escape(price)}")
    for line in left:
        console.print(f"[yellow]{tr('not taken')}[/] {escape(line.text)}")
    if part_list.notes:
        remark = trn("{count} line names no part.", "{count} lines name no part.", count=part_list.notes)
        console.print(f"[dim]{escape(remark)}[/]")


def _as_dict(part_list: PartList, left: tuple[ListLine, ...], file: Path | None) -> dict[str, object]:
    return {
        "written": str(file) if file else None,
        "lines": [
            {
                "text": line.text,
                "state": line.state.value,
                "part": line.part.id if line.part else None,
                "count": line.count,
                "price": {"amount": line.price.amount, "currency": line.price.currency} if line.price else None,
                "price_assumed": line.price_assumed,
                "candidates": [part.id for part in line.candidates],
            }
            for line in part_list.lines
        ],
        "not_taken": [line.text for line in left],
        "notes": part_list.notes,
    }
