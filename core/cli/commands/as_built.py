"""The command that reads the machine that was built, and holds it against its plan."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from core.burnin.run.blink import BLINK_S, blink
from core.burnin.simulated_plan import with_plan
from core.cli.asking import devices_awaited
from core.cli.lookup import read_build
from core.cli.options import AsJson, DataDir, console, errors, print_json
from core.machine.asbuilt.as_built import AsBuilt, BuiltCard, LineState, MachineFacts
from core.machine.asbuilt.binding import add_notes, read_notes
from core.machine.asbuilt.inspection import Inspection, hold_against, inspect
from core.machine.asbuilt.texts.contents import Subject, as_data, text_sentences
from core.machine.asbuilt.texts.description import read_descriptions
from core.machine.telemetry.detect import detect_devices
from core.platform.errors import BadInput, ExitCode
from core.platform.paths import data_dir
from core.platform.whole_file import write_output
from core.present.report.document import Badge, Paragraph, Table, Tone, table
from core.present.report.terminal import print_blocks
from core.words import joined, tr

_TONES = {
    LineState.DIFFERENT: Tone.WARN,
    LineState.MISSING: Tone.FAIL,
    LineState.NOT_PLANNED: Tone.WARN,
    LineState.NOT_SERVED: Tone.FAIL,
}


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "as-built",
        help=tr(
            "Read the machine as built: cards, slots, board, RAM, drives. With --build, compare it "
            "line by line with the plan.\n\nExit code 1 if a planned card is missing or different."
        ),
    )(as_built)


def as_built(
    build: Annotated[str | None, typer.Option(help=tr("Build file or template to compare the machine with."))] = None,
    save: Annotated[Path | None, typer.Option(help=tr("Save what was read to this file, for --from."))] = None,
    described: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            help=tr(
                "Another machine instead of this one: a file from --save, or texts of dmidecode, lspci, lshw, inxi, "
                "nvidia-smi, lscpu, lsblk, nvidia-bug-report.log.gz; a file or a folder. Repeatable."
            ),
        ),
    ] = None,
    slot: Annotated[
        list[str] | None, typer.Option(help=tr("Slot of a card: 0000:41:00.0=3, or =none; saved. Repeatable."))
    ] = None,
    serial: Annotated[
        list[str] | None,
        typer.Option(help=tr("Serial number that no driver reports: 0000:41:00.0=0324; saved. Repeatable.")),
    ] = None,
    blink_at: Annotated[
        str | None, typer.Option("--blink", help=tr("Load this card for 20 s, so that its fan shows where it is."))
    ] = None,
    simulate: Annotated[str | None, typer.Option(help=tr("Simulated cards instead of this machine's."))] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = data_dir(folder)
    plan = read_build(build, folder) if build is not None else None
    inspection = _read(described or (), with_plan(simulate, plan))
    if blink_at is not None:
        _blink(inspection, blink_at, place)
    if slot or serial:
        add_notes(
            place,
            inspection.machine.board,
            {
                _address(inspection, card): _position(value, card)
                for card, value in _pairs(slot, "--slot 0000:41:00.0=3")
            },
            {_device(inspection, card): value for card, value in _pairs(serial, "--serial 0000:41:00.0=0324")},
        )
    notes, damage = read_notes(place)
    if damage:
        errors.print(escape(damage))
    if save is not None:
        write_output(save, inspection.as_json().encode())
        errors.print(escape(tr("Saved to {path}.", path=save)))
    held = hold_against(plan, inspection, notes)
    if as_json:
        print_json(json.loads(held.as_json()) | as_data(inspection.texts, inspection.untold))
    else:
        cards_reported = all(missing.subject is not Subject.CARDS for missing in inspection.untold)
        _show(held, with_plan=plan is not None, cards_reported=cards_reported)
        for sentence in text_sentences(inspection.texts, inspection.untold):
            console.print(escape(sentence))
    raise typer.Exit(ExitCode.FAIL if held.blocking else ExitCode.PASS)


def _read(described: Sequence[Path], simulate: str | None) -> Inspection:
    if described:
        return read_descriptions(described)
    with devices_awaited():
        return inspect(detect_devices(simulate))


def _blink(inspection: Inspection, card: str, place: Path) -> None:
    device_id = _device(inspection, card.strip().lower())
    device = next(device for device in inspection.devices if device.id == device_id)
    blink(
        device,
        place,
        begun=lambda: errors.print(
            escape(tr("{card} is under load for {seconds:.0f} s: listen.", card=device.title, seconds=BLINK_S))
        ),
    )
    errors.print(
        escape(tr("It is idle again. Set its slot: rigwright as-built --slot {address}=N", address=device.bus_id))
    )


def _pairs(texts: Sequence[str] | None, example: str) -> list[tuple[str, str]]:
    pairs = [text.partition("=") for text in texts or ()]
    if any(not key or not sign for key, sign, _ in pairs):
        raise BadInput(tr("Write it as {example}.", example=example))
    return [(key.strip().lower(), value.strip()) for key, _, value in pairs]


def _position(value: str, card: str) -> int | None:
    if value == "none":
        return None
    if not value.isdecimal():
        raise BadInput(tr("{card}={value}: a slot is a position from 1 to 24, or none.", card=card, value=value))
    return int(value)


def _address(inspection: Inspection, card: str) -> str:
    """Raises BadInput."""
    addresses = [device.bus_id for device in inspection.devices if device.bus_id]
    fits = [address for address in addresses if address.lower().endswith(card)]
    if len(fits) != 1:
        there = ", ".join(addresses) or tr("none present")
        raise BadInput(tr("No card is at {card}. Cards are at: {addresses}.", card=card, addresses=there))
    return fits[0]


def _device(inspection: Inspection, card: str) -> str:
    """By PCI address, or by the beginning of the id. Raises BadInput."""
    fits = [device.id for device in inspection.devices if device.id.lower().startswith(card)]
    if len(fits) == 1:
        return fits[0]
    address = _address(inspection, card)
    return next(device.id for device in inspection.devices if device.bus_id == address)


def _show(held: AsBuilt, *, with_plan: bool, cards_reported: bool) -> None:
    """`cards_reported` is whether anything tells of GPUs: where nothing does, there may be some all the same."""
    if held.simulated:
        console.print(tr("SIMULATED: nothing of this machine was read."))
    if with_plan:
        print_blocks(console, [_lines_table(held), *map(Paragraph, _what_to_do(held))])
    else:
        if cards_reported or held.cards:
            print_blocks(console, [_cards_table(held.cards)])
        for name, text in _facts(held.machine):
            console.print(escape(f"{name}: {text}"))
    shown = {line.device for line in held.lines if line.state is LineState.NOT_SERVED}
    for card in held.bus:
        if card.address not in shown:
            console.print(escape(card.sentence))
    if held.machine.for_root_only:
        console.print(
            escape(
                tr(
                    "Only root may read {figures}: sudo rigwright as-built --save machine.json, "
                    "then --from machine.json.",
                    figures=joined(held.machine.for_root_only, ", "),
                )
            )
        )


def _what_to_do(held: AsBuilt) -> list[str]:
    """Each sentence once, with the places that it is about."""
    places: dict[str, list[str]] = {}
    for line in held.lines:
        if line.why and line.state is not LineState.AS_PLANNED:
            places.setdefault(line.why, []).append(line.what)
    return [f"{', '.join(dict.fromkeys(whats))}: {why}" for why, whats in places.items()]


def _lines_table(held: AsBuilt) -> Table:
    rows = []
    for line in held.lines:
        state = Badge(line.state.label, _TONES.get(line.state, Tone.PLAIN))
        rows.append((line.subject.label, line.what, line.planned, line.found, state))
    return table(("", tr("Where"), tr("Planned"), tr("Found"), ""), rows)


def _cards_table(cards: Sequence[BuiltCard]) -> Table:
    rows = []
    for card in cards:
        link = f"PCIe {card.link_generation}.0 x{card.link_lanes}" if card.link_generation and card.link_lanes else "-"
        place, serial = card.slot or tr("not known"), card.serial or tr("not given")
        rows.append((card.product or card.name, card.pci_address or "-", place, link, serial, card.vbios or "-"))
    titles = (tr("Card"), tr("PCI address"), tr("Slot"), tr("Link"), tr("Serial"), "VBIOS")
    return table(titles, rows, empty=tr("No GPU is present."))


def _facts(machine: MachineFacts) -> list[tuple[str, str]]:
    modules = [f"{one.slot} {one.size_gb:g} GB {one.kind or ''}".strip() for one in machine.modules]
    drives = [f"{one.model}{f' {one.size_gb:g} GB' if one.size_gb else ''}" for one in machine.drives]
    ram_gb = machine.ram_gb or sum(one.size_gb for one in machine.modules)
    facts: list[tuple[str, Any]] = [
        (tr("System"), machine.system),
        (tr("Serial number"), machine.serial),
        (tr("Board"), machine.board),
        ("BIOS", machine.bios),
        ("CPU", ", ".join(machine.cpus)),
        ("RAM", ": ".join(filter(None, (f"{ram_gb:g} GB" if ram_gb else "", ", ".join(modules))))),
        (tr("Drives"), ", ".join(drives)),
        ("PSU", ", ".join(f"{psu.name} {psu.capacity_w or ''}".strip() for psu in machine.psus)),
        (tr("Network"), ", ".join(machine.network)),
        (tr("Kernel"), machine.kernel),
        (tr("Driver"), machine.driver),
    ]
    return [(name, text) for name, text in facts if text]
