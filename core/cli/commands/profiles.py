"""Commands about burn-in profiles: list them, show one, the stages that they can name, the schema of their files."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

from core.burnin.profile.file import find_profile, profile_schema, shipped_profiles, title_of
from core.burnin.profile.profile import Profile
from core.burnin.stages.registry import GROUPS, STAGES
from core.burnin.stages.stage import Stage
from core.cli.options import AsJson, DataDir, console, print_json
from core.present.report.document import figures_column, table
from core.present.report.terminal import print_blocks
from core.words import duration, joined, listed, tr, translated

profiles = typer.Typer(help=tr("List burn-in profiles and what they can consist of."), rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Adds the commands of this module, as subcommands of `profiles`."""
    app.add_typer(profiles, name="profiles")


@profiles.callback(invoke_without_command=True)
def list_profiles(context: typer.Context, folder: DataDir = None, as_json: AsJson = False) -> None:
    """List the shipped burn-in profiles, the shortest first."""
    del folder
    if context.invoked_subcommand is not None:
        return
    shipped = shipped_profiles()
    if as_json:
        print_json([_summary(profile) for profile in shipped])
        return
    rows = (
        (profile.name, duration(profile.seconds), str(len(profile.stages)), translated(profile.description))
        for profile in shipped
    )
    figures = map(figures_column, (tr("Time"), tr("Stages")))
    print_blocks(console, [table((tr("Profile"), *figures, tr("What it is for")), rows)])
    console.print("\n" + tr("Burn in with one of them: rigwright burn --profile NAME; or with a file of your own."))


@profiles.command(
    "show",
    help=tr(
        "Show a profile as it would run, with repetitions written out; an invalid file is refused with the reason."
    ),
)
def show(
    profile: Annotated[str, typer.Argument(metavar="NAME|FILE", help=tr("A shipped profile or the path of a file."))],
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    del folder
    loaded = find_profile(profile)
    if as_json:
        print_json(_summary(loaded) | loaded.model_dump(mode="json"))
        return
    title, words = escape(translated(loaded.title)), escape(translated(loaded.description))
    console.print(f"[bold]{title}[/], {duration(loaded.seconds)}. {words}")
    rows = []
    for number, stage in enumerate(loaded.stages, start=1):
        params = ", ".join(f"{name} {value}" for name, value in stage.params.items())
        rows.append((str(number), GROUPS[stage.kind], title_of(stage), stage.kind, duration(stage.seconds), params))
    titles = (tr("Group"), tr("Stage"), tr("Kind"), figures_column(tr("Time")), tr("Parameters"))
    print_blocks(console, [table((figures_column(""), *titles), rows)])


@profiles.command("stages", help=tr("List the kinds of stages with what each finds, what it needs and its parameters."))
def stages(folder: DataDir = None, as_json: AsJson = False) -> None:
    del folder
    if as_json:
        print_json([_stage(stage) for stage in STAGES])
        return
    for stage in STAGES:
        takes = tr(
            "{stage}, {time} by default, {group}.",
            stage=escape(stage.title),
            time=duration(stage.seconds),
            group=GROUPS[stage.kind],
        )
        needs = tr("Needs {needs}.", needs=listed([need.words for need in stage.needs])) if stage.needs else ""
        console.print(f"[bold]{stage.kind}[/]  {joined([takes, needs])}")
        console.print("  " + tr("Finds {faults}.", faults=escape(stage.finds)))
        names = ", ".join(stage.params.model_fields) or tr("none")
        console.print("  " + tr("Parameters: {names}.", names=names))


@profiles.command(
    "schema",
    help=tr("Print the JSON Schema of a profile file, for editors and checks; it is JSON with or without --json."),
)
def schema(folder: DataDir = None, as_json: AsJson = False) -> None:
    del folder, as_json
    print_json(profile_schema())


def _summary(profile: Profile) -> dict[str, Any]:
    return {
        "name": profile.name,
        "title": profile.title,
        "description": profile.description,
        "seconds": profile.seconds,
        "stages": [stage.kind for stage in profile.stages],
    }


def _stage(stage: Stage) -> dict[str, Any]:
    return {
        "kind": stage.kind,
        "title": stage.title,
        "group": GROUPS[stage.kind],
        "finds": stage.finds,
        "needs": [need.words for need in stage.needs],
        "load": stage.load,
        "seconds": stage.seconds,
        "params": stage.params.model_json_schema(),
    }
