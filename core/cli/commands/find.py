"""The command that searches the best machine for a wish, with the proof that none of priced parts is better."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.cli.lookup import find_part, open_catalogue
from core.cli.options import AsJson, DataDir, console, errors, print_json
from core.find.answer import Answer, Proposal, find, machine_words, money_words
from core.find.candidates import Choice, read_offers
from core.find.search import NODES, Objective, Progress
from core.find.wish import Place, Wish, read_wish, wish_from
from core.parts.catalogue import Catalogue
from core.parts.money import USUAL
from core.parts.price_guide import advice_guide
from core.plan.file import save_build
from core.plan.file_name import SUFFIX
from core.plan.mains import BY_ID
from core.plan.price_edits import typed_budget
from core.platform.errors import BadInput, ExitCode
from core.predict.speed.networks import Network
from core.present.report.document import Block, Heading, Paragraph, table
from core.present.report.formatting import bullets
from core.present.report.terminal import print_blocks
from core.words import joined, listed, plain, tr

REGIONS = ", ".join(BY_ID)
MOST_NODES = 10_000_000


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "find",
        help=tr(
            "Find the best machine for a wish, of all parts with a price, and prove it. Exit code 4 if something is "
            "not proven, or there is none."
        ),
    )(find_machine)


def find_machine(
    file: Annotated[Path | None, typer.Argument(metavar="WISH", help=tr("A TOML file; options override it."))] = None,
    network: Annotated[
        Network | None, typer.Option(help=tr("The kind of network that it trains."), case_sensitive=False)
    ] = None,
    money: Annotated[str | None, typer.Option(help=tr('What it may cost, such as "8000 EUR".'))] = None,
    rate: Annotated[float | None, typer.Option(help=tr("Images or tokens a second, at least."))] = None,
    memory: Annotated[float | None, typer.Option(help=tr("Memory of all GPUs, at least, GB."))] = None,
    card_memory: Annotated[
        float | None, typer.Option(help=tr("Memory of each card, at least, GB; 8 if nobody says."))
    ] = None,
    cards: Annotated[int | None, typer.Option(help=tr("Exactly so many cards."))] = None,
    noise: Annotated[float | None, typer.Option(help=tr("In training at most, dBA: the high end of the band."))] = None,
    distance: Annotated[float | None, typer.Option(help=tr("From the machine's surface to the ear, m."))] = None,
    room: Annotated[float | None, typer.Option(help=tr("Intake air of the machine, °C."))] = None,
    region: Annotated[str | None, typer.Option(help=tr("Mains circuit: {regions}.", regions=REGIONS))] = None,
    circuits: Annotated[int | None, typer.Option(help=tr("How many circuits feed it."))] = None,
    place: Annotated[
        Place | None, typer.Option(help=tr("Kind of case; an open frame allows any."), case_sensitive=False)
    ] = None,
    own: Annotated[
        list[str] | None, typer.Option(metavar="PART", help=tr("A part that need not be bought; PART=4 for four."))
    ] = None,
    must: Annotated[list[str] | None, typer.Option(metavar="PART", help=tr("A part that it must have."))] = None,
    must_not: Annotated[
        list[str] | None, typer.Option(metavar="PART", help=tr("A part that it must not have."))
    ] = None,
    maker: Annotated[list[str] | None, typer.Option(help=tr("A maker that the cards may be of."))] = None,
    not_maker: Annotated[list[str] | None, typer.Option(help=tr("A maker that nothing may be of."))] = None,
    new: Annotated[bool, typer.Option("--new", help=tr("No part that can only be bought used."))] = False,
    any_card: Annotated[bool, typer.Option("--any-card", help=tr("Cards without CUDA, too."))] = False,
    ecc: Annotated[bool, typer.Option("--ecc", help=tr("Memory that corrects errors."))] = False,
    bmc: Annotated[bool, typer.Option("--bmc", help=tr("A board with a management controller."))] = False,
    open_questions: Annotated[
        bool, typer.Option("--open-questions", help=tr("Machines of which a rule lacks a figure, too."))
    ] = False,
    objective: Annotated[
        list[Objective] | None, typer.Option(help=tr("What to search; default: all."), case_sensitive=False)
    ] = None,
    nodes: Annotated[int, typer.Option(min=1, max=MOST_NODES, help=tr("Stop after so many partial machines."))] = NODES,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=tr("Write each machine as a build file, named after this."))
    ] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    with open_catalogue(folder) as catalogue:
        typed: dict[str, Any] = {
            **{"network": network, "rate": rate, "memory_gb": memory, "card_memory_gb": card_memory, "cards": cards},
            **{"noise_dba": noise, "distance_m": distance, "room_c": room, "region": region, "circuits": circuits},
            **{"place": place, "makers": maker or None, "not_makers": not_maker or None},
            **{"used": False if new else None, "cuda": False if any_card else None, "ecc": ecc or None},
            **{"bmc": bmc or None, "open_questions": open_questions or None},
            "owned": dict(_owned(catalogue, word) for word in own) if own else None,
            "must": [find_part(catalogue, word).id for word in must] if must else None,
            "must_not": [find_part(catalogue, word).id for word in must_not] if must_not else None,
        }
        guide = advice_guide(catalogue)
        if money is not None and (budget := typed_budget(money, guide.terms.currency or USUAL)):
            typed |= {"money": budget.amount, "currency": budget.currency}
        changes = {name: value for name, value in typed.items() if value is not None}
        wish = wish_from(changes) if file is None else read_wish(file, changes)
        offers = read_offers(catalogue, guide, wish.currency)
    status = errors.status(tr("Searching ..."))

    def report(progress: Progress) -> None:
        status.update(_progress_words(progress, wish))

    if errors.is_terminal:
        status.start()
    try:
        answer = find(wish, offers, objective or (), nodes=nodes, report=report)
    finally:
        status.stop()
    written = [(one, _write(one, output)) for one in answer.proposals if output is not None and one.build is not None]
    if as_json:
        files = {one.objective.value: str(path) for one, path in written}
        print_json(answer.as_dict() | {"written": files})
    else:
        _print(answer)
        for _, path in written:
            console.print(escape(tr("Wrote {path}", path=path)))
    if not answer.proven:
        raise typer.Exit(ExitCode.INCOMPLETE)


def _owned(catalogue: Catalogue, word: str) -> tuple[str, int]:
    name, _, count = word.rpartition("=")
    if name and count.isdecimal():
        return find_part(catalogue, name).id, int(count)
    if name:
        raise BadInput(tr("--own {word!r} is not a part and a number. Write PART=4.", word=word))
    return find_part(catalogue, word).id, 1


def _write(proposal: Proposal, output: Path) -> Path:
    """OUT.rig.json becomes OUT-cheapest.rig.json."""
    stem = output.name.removesuffix(SUFFIX)
    path = output.with_name(f"{stem}-{proposal.objective.value}{SUFFIX}")
    assert proposal.build is not None
    save_build(proposal.build, path)
    return path


def _progress_words(progress: Progress, wish: Wish) -> str:
    if progress.best is None:
        return tr("Searching ... {nodes} partial machines looked at", nodes=progress.nodes)
    fields = {"nodes": progress.nodes, "machine": machine_words(progress.best, wish)}
    if progress.gap is None:
        return tr("Searching ... {nodes} partial machines looked at; so far {machine}", **fields)
    return tr(
        "Searching ... {nodes} partial machines looked at; so far {machine}, at most {percent:.0f} % from the best",
        percent=100 * progress.gap,
        **fields,
    )


def _print(answer: Answer) -> None:
    blocks: list[Block] = []
    for proposal in answer.proposals:
        blocks += _blocks(proposal, answer.wish)
    if answer.relaxations:
        blocks += [
            Heading(tr("What would have to give way")),
            Paragraph(bullets([one.words for one in answer.relaxations])),
        ]
    print_blocks(console, blocks)
    unpriced = [
        plain("{count} {category}", count=count, category=category.phrase)
        for category, count in answer.unpriced.items()
        if count
    ]
    if unpriced:
        console.print("\n" + tr("Left out for lack of a price of today: {parts}.", parts=listed(unpriced)))


def _blocks(proposal: Proposal, wish: Wish) -> list[Block]:
    best = proposal.outcome.best
    if best is None:
        return [Heading(proposal.title), Paragraph(proposal.proof)]
    heading = plain("{title}: {money}", title=proposal.title, money=money_words(best.cents, wish))
    rows = [_row(choice, wish) for choice in best.choices]
    sentences = (*proposal.reasons, proposal.proof)
    return [Heading(heading), table(("", "", ""), rows), Paragraph(bullets(sentences))]


def _row(choice: Choice, wish: Wish) -> tuple[str, str, str]:
    amount = money_words(choice.cents, wish)
    price = tr("up to {amount}", amount=amount) if choice.estimated else amount
    count = plain("{count} x", count=choice.line.quantity)
    return choice.part.category.label, joined((count, choice.part.title)), price
