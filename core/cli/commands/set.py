"""The command that sets what a build file says of a part, of the mains and of itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from core.cli.commands.edit import DryRun, File, Output, edit_file
from core.cli.lookup import find_line
from core.cli.option_values import AUTOMATIC, NONE, circuit, number, numbers, one_of, psus, slot_generations, sockets
from core.cli.options import AsJson, DataDir
from core.parts.catalogue import Catalogue
from core.parts.part import Condition
from core.plan.build import Build
from core.plan.card_edits import (
    PlugCarriers,
    PutOnRisers,
    SetPowerLimit,
    SetPsu,
    SetRole,
    SetSlotGeneration,
    SetSockets,
)
from core.plan.edits import Edit, PlaceCards, SetDetails, SetQuantity
from core.plan.hosts import parse_hosts
from core.plan.line import Line, Role
from core.plan.price_edits import SetBudget, SetBuildCondition, SetCondition, typed_budget
from core.plan.site_edits import SetAssumptions, SetCircuits, SetFanShare
from core.platform.errors import BadInput
from core.words import tr


@dataclass(frozen=True, slots=True)
class _OfPart:
    """What is to be set of a part of the build, as typed; None leaves it as it is."""

    quantity: int | None
    slots: str | None
    risers: str | None
    limit: str | None
    psu: str | None
    role: str | None
    sockets: str | None
    host: str | None
    condition: str | None

    def edits(self, line: Line) -> Iterator[Edit]:
        part_id = line.part.id
        if self.quantity is not None:
            yield SetQuantity(part_id, self.quantity)
        if self.slots is not None:
            yield PlaceCards(part_id, numbers("--slots", [self.slots]))
        if self.risers is not None:
            yield PutOnRisers(part_id, numbers("--risers", [self.risers]))
        if self.limit is not None:
            yield SetPowerLimit(part_id, None if self.limit == NONE else number("--limit", self.limit, "W"))
        if self.role is not None:
            yield SetRole(part_id, None if self.role == AUTOMATIC else one_of("--role", Role, self.role, AUTOMATIC))
        if self.host is not None:
            yield PlugCarriers(part_id, () if self.host == NONE else parse_hosts(self.host))
        if self.sockets is not None:
            yield SetSockets(part_id, sockets(self.sockets))
        if self.condition is not None:
            automatic = self.condition == AUTOMATIC
            condition = None if automatic else one_of("--condition", Condition, self.condition, AUTOMATIC)
            yield SetCondition(part_id, condition)
        if self.psu is not None:
            yield from self._psus(part_id, self.quantity or line.quantity)

    def _psus(self, part_id: str, quantity: int) -> Iterator[Edit]:
        """One PSU feeds all, or each has its own in the order of the list."""
        places = psus(self.psu or "")
        if len(places) == 1:
            yield SetPsu(part_id, places[0])
            return
        if len(places) != quantity:
            raise BadInput(
                tr(
                    "--psu names {number} PSUs for {quantity} parts. Give one for all, or one for each.",
                    number=len(places),
                    quantity=quantity,
                )
            )
        for one, place in enumerate(places, start=1):
            yield SetPsu(part_id, place, (one,))


@dataclass(frozen=True, slots=True)
class _OfBuild:
    """What is to be set of the build itself, as typed; None leaves it as it is."""

    name: str | None
    notes: str | None
    region: str | None
    circuit: str | None
    other_loads: str | None
    fans: str | None
    coincidence: float | None
    plug_room: float | None
    slot_generation: str | None
    condition: str | None
    budget: str | None

    def edits(self, build: Build, currency: str) -> Iterator[Edit]:
        if self.name is not None or self.notes is not None or self.region is not None:
            yield SetDetails(name=self.name, region=self.region, notes=self.notes)
        if self.region is not None or self.circuit is not None or self.other_loads is not None:
            yield self._circuits(build)
        if self.fans is not None:
            yield SetFanShare(None if self.fans == NONE else number("--fans", self.fans, "%") / 100)
        if self.slot_generation is not None:
            for slot, generation in slot_generations(self.slot_generation).items():
                yield SetSlotGeneration((slot,), generation)
        if self.condition is not None:
            yield SetBuildCondition(one_of("--condition", Condition, self.condition))
        if self.coincidence is not None or self.plug_room is not None:
            yield self._assumptions(build)
        if self.budget is not None:
            yield SetBudget(None if self.budget == NONE else typed_budget(self.budget, currency))

    def _circuits(self, build: Build) -> Edit:
        """A region that is set takes the place of a circuit of one's own, as in the window."""
        own = None if self.region is not None else build.custom_circuit
        if self.circuit is not None:
            own = None if self.circuit == NONE else circuit(self.circuit)
        loads = build.other_loads_w
        if self.other_loads is not None:
            loads = tuple(number("--other-loads", word, "W") for word in self.other_loads.split(","))
        return SetCircuits(own, loads)

    def _assumptions(self, build: Build) -> Edit:
        options = {"coincidence": self.coincidence, "plug_room_mm": self.plug_room}
        try:
            chosen = {name: value for name, value in options.items() if value is not None}
            return SetAssumptions(replace(build.assumptions, **chosen))
        except ValueError as error:
            raise BadInput(tr("This cannot be assumed: {reason}.", reason=error)) from error


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "set", help=tr("Change a build file: one of its parts, named after FILE, its mains, or the build itself.")
    )(set_values)


def set_values(
    file: File,
    part: Annotated[
        str | None, typer.Argument(metavar="PART", help=tr("A part of the build: its id, or words that match only it."))
    ] = None,
    quantity: Annotated[int | None, typer.Option("-n", "--quantity", help=tr("How many of PART."))] = None,
    slots: Annotated[
        str | None, typer.Option(help=tr("Slots of PART's cards, such as 1,3; none removes them."))
    ] = None,
    risers: Annotated[
        str | None, typer.Option(help=tr("Which of these slots have their card on a riser; or none."))
    ] = None,
    limit: Annotated[
        str | None, typer.Option(help=tr("Power limit of each GPU of PART, W; none for the card's own."))
    ] = None,
    psu: Annotated[
        str | None,
        typer.Option(
            help=tr("PSU that feeds PART: 2 for all of it, 1,2,2 for one each, auto to let the program choose.")
        ),
    ] = None,
    role: Annotated[
        str | None,
        typer.Option(
            help=tr("What PART's GPUs are for: worker, display or spare, which do no work; auto goes by their size.")
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            help=tr(
                "What the carrier PART plugs into: a slot, the label of an M.2 socket or port (two ports as A+B), C1/2 "
                "for a seat of another carrier; one for each, or none."
            )
        ),
    ] = None,
    sockets_of: Annotated[
        str | None,
        typer.Option(
            "--sockets",
            help=tr("M.2 or U.2 socket of each drive of PART, such as M2_2,M2_3; auto lets the program choose."),
        ),
    ] = None,
    condition: Annotated[
        str | None,
        typer.Option(
            help=tr(
                "Whether PART is bought new or used, or owned, which costs nothing; auto goes by the build. "
                "Without PART, that of the build."
            )
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help=tr("Name of the build."))] = None,
    notes: Annotated[str | None, typer.Option(help=tr("Notes on the build; they replace earlier ones."))] = None,
    region: Annotated[str | None, typer.Option(help=tr("Mains of a region, such as us-120v-15a."))] = None,
    own_circuit: Annotated[
        str | None,
        typer.Option(
            "--circuit", help=tr("A circuit of your own: 230x16 is 230 V, 16 A; 120x20x0.8 uses 80 %; or none.")
        ),
    ] = None,
    other_loads: Annotated[
        str | None,
        typer.Option(help=tr("Other loads on the circuits, W, one for each circuit: 300,0 are two circuits.")),
    ] = None,
    fans: Annotated[
        str | None, typer.Option(help=tr("Case and radiator fans in training, % of full speed; or none."))
    ] = None,
    coincidence: Annotated[
        float | None, typer.Option(help=tr("Share of the cards' power peaks that coincide, 0 to 1."))
    ] = None,
    plug_room: Annotated[float | None, typer.Option(help=tr("Clearance that a plug needs above a card, mm."))] = None,
    slot_generation: Annotated[
        str | None,
        typer.Option(help=tr("PCIe generation that slots are set to in the firmware, such as 1=3,5=3; or 1=auto.")),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help=tr('What all parts may cost together, such as "10000 EUR"; or none.'))
    ] = None,
    output: Output = None,
    dry_run: DryRun = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    of_line, of_all = (condition, None) if part is not None else (None, condition)
    of_part = _OfPart(quantity, slots, risers, limit, psu, role, sockets_of, host, of_line)
    site = (name, notes, region, own_circuit, other_loads, fans, coincidence, plug_room, slot_generation)
    of_build = _OfBuild(*site, of_all, budget)

    def change(build: Build, catalogue: Catalogue) -> Iterable[Edit]:
        yield from of_build.edits(build, catalogue.money.common)
        if part is not None:
            yield from of_part.edits(find_line(build, part))

    _require_sense(part, of_part != _OfPart(*(None,) * 9), of_build != _OfBuild(*(None,) * 11))
    edit_file(file, change, output, dry_run, folder, as_json)


def _require_sense(part: str | None, sets_part: bool, sets_build: bool) -> None:
    if sets_part and part is None:
        raise BadInput(
            tr(
                "--quantity, --slots, --risers, --limit, --psu, --role, --sockets and --host apply to a part: "
                "name it after the file."
            )
        )
    if part is not None and not sets_part:
        raise BadInput(
            tr(
                "Nothing to set for {part!r}. Use --quantity, --slots, --risers, --limit, --psu, --role, --sockets, "
                "--host or --condition.",
                part=part,
            )
        )
    if not (sets_part or sets_build):
        raise BadInput(tr("Nothing to set. See what there is with: rigwright set --help"))
