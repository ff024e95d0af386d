"""A machine from the texts that somebody made on it, merged into what is read of a machine here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.machine.asbuilt.as_built import MachineFacts
from core.machine.asbuilt.inspection import Inspection, completed, is_saved, read_saved_text
from core.machine.asbuilt.texts.cards_of_texts import cards_of, gpus_of, merged_entries, unserved_of
from core.machine.asbuilt.texts.contents import (
    FileText,
    MissingSubject,
    Subject,
    TextContents,
    TextKind,
    TextSource,
    contradiction_of,
)
from core.machine.asbuilt.texts.dmidecode import read_dmidecode
from core.machine.asbuilt.texts.inxi import read_inxi
from core.machine.asbuilt.texts.lshw import is_lshw_json, read_lshw, read_lshw_json
from core.machine.asbuilt.texts.lspci import read_lspci, read_tree
from core.machine.asbuilt.texts.nvidia_smi import read_list, read_query, read_table, read_topology, read_xml
from core.machine.asbuilt.texts.sections import MOST_BYTES, lines_of, sections, text_of
from core.machine.asbuilt.texts.tables import read_cpuinfo, read_json_table, read_lsblk, read_lscpu, read_meminfo
from core.machine.telemetry.device import Device
from core.platform.errors import BadInput
from core.words import tr

MOST_FILES = 200
"""Of a folder."""
COMMANDS = "sudo dmidecode; sudo lspci -nnvv; nvidia-smi -q; lscpu; lsblk -d -o NAME,SIZE,TYPE,SERIAL,MODEL"
"""Which together tell all that is asked for."""
_READERS: Mapping[TextKind, Callable[[Sequence[str]], TextContents]] = {
    TextKind.SMI_QUERY: read_query,
    TextKind.SMI_XML: read_xml,
    TextKind.SMI_TABLE: read_table,
    TextKind.SMI_LIST: read_list,
    TextKind.SMI_TOPOLOGY: read_topology,
    TextKind.LSCPU: read_lscpu,
    TextKind.CPUINFO: read_cpuinfo,
    TextKind.DMIDECODE: read_dmidecode,
    TextKind.LSBLK: read_lsblk,
    TextKind.LSPCI: read_lspci,
    TextKind.LSPCI_TREE: read_tree,
    TextKind.LSHW: read_lshw,
    TextKind.INXI: read_inxi,
    TextKind.MEMINFO: read_meminfo,
}
_COMMANDS_OF = {
    Subject.BOARD: "sudo dmidecode",
    Subject.CPU: "lscpu",
    Subject.MODULES: "sudo dmidecode",
    Subject.SLOTS: "sudo dmidecode",
    Subject.CARDS: "lspci -nn",
    Subject.LINKS: "sudo lspci -nnvv",
    Subject.DRIVES: "lsblk -d -o NAME,SIZE,TYPE,SERIAL,MODEL",
    Subject.VBIOS: "nvidia-smi -q",
}
"""What a machine should tell of itself, and the command that has it."""
_ORDER = list(TextKind)


def read_descriptions(paths: Sequence[Path]) -> Inspection:
    """What the files tell together, whatever their order; of a folder, all files of it that are recognised.

    A description that Rigwright saved stands alone. Raises BadInput.
    """
    texts: list[FileText] = []
    for path, alone in _files(paths):
        contents, saved = _read(path)
        if saved is not None:
            if len(paths) > 1 or not alone:
                raise BadInput(tr("{path} was saved by Rigwright and is complete: use it alone.", path=path))
            return saved
        if not contents and alone:
            raise BadInput(_unrecognised(path))
        texts += [FileText(path.name, one) for one in contents]
    if not texts:
        raise BadInput(_unrecognised(paths[0]))
    return _merged(sorted(texts, key=lambda text: (_ORDER.index(text.contents.kind), text.file, repr(text.contents))))


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Each file, and whether it was named itself."""
    for path in paths:
        if not path.is_dir():
            yield path, True
            continue
        files = (one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
        within = sorted(one for one in files if one.stat().st_size <= MOST_BYTES)
        if len(within) > MOST_FILES:
            raise BadInput(tr("{path} has more than {count} files. Name the texts.", path=path, count=MOST_FILES))
        yield from ((one, False) for one in within)


def _read(path: Path) -> tuple[list[TextContents], Inspection | None]:
    text = text_of(path)
    if text.lstrip()[:1] in ("{", "["):
        tree = _json(text)
        if is_lshw_json(tree):
            return _with_content([read_lshw_json(tree)]), None
        if is_saved(tree):
            return [], read_saved_text(text, path)
        if tree is not None:
            return _with_content([read_json_table(tree)]), None
    return _with_content([_READERS[one.kind](one.lines) for one in sections(lines_of(text))]), None


def _json(text: str) -> Any:
    """Older versions of lshw leave out the brackets around several nodes."""
    for form in (text, f"[{text.strip().rstrip(',')}]"):
        try:
            return json.loads(form)
        except (ValueError, RecursionError):
            continue
    return None


def _with_content(texts: Sequence[TextContents]) -> list[TextContents]:
    return [text for text in texts if text.entries or any(text.subjects())]


def _unrecognised(path: Path) -> str:
    return tr(
        "{path} describes no machine that can be read. On that machine, save the texts of these commands to files "
        "and use them all: {commands}.",
        path=path,
        commands=COMMANDS,
    )


def _merged(texts: Sequence[FileText]) -> Inspection:
    """`texts` in the order in which they are trusted."""
    if (contradiction := contradiction_of(texts)) is not None:
        raise BadInput(
            tr(
                "The texts are of two machines, or of one before and after a change: {what} is {one} in {file} and "
                "{other} in {other_file}. Use texts of one machine.",
                what=contradiction.what,
                one=contradiction.first[1],
                file=contradiction.first[0],
                other=contradiction.second[1],
                other_file=contradiction.second[0],
            )
        )
    contents = [text.contents for text in texts]
    entries = merged_entries(one.entries for one in contents)
    cards = cards_of(entries)
    by_address = {card.address: card for card in cards}
    devices = tuple(completed(device, by_address.get(device.bus_id or "")) for device in gpus_of(contents, cards))
    return Inspection(
        datetime.now(UTC).isoformat(timespec="seconds"),
        _facts(contents),
        devices,
        cards,
        firmware_slots=next((one.slots for one in contents if one.slots), ()),
        kernel_slots={address.partition(".")[0]: one.slot for address, one in entries.items() if one.slot} or None,
        bus=unserved_of(contents, cards),
        texts=tuple(_sources(texts)),
        untold=tuple(_missing_subjects(contents, devices)),
    )


def _facts(texts: Sequence[TextContents]) -> MachineFacts:
    """Each fact from the first text that has it."""
    facts = MachineFacts()
    for one in fields(MachineFacts):
        values = (getattr(text.facts, one.name) for text in texts)
        facts = replace(facts, **{one.name: next((value for value in values if value), getattr(facts, one.name))})
    return facts


def _sources(texts: Sequence[FileText]) -> Iterator[TextSource]:
    """Each file and kind once."""
    subjects: dict[tuple[str, TextKind], set[Subject]] = {}
    for text in texts:
        subjects.setdefault((text.file, text.contents.kind), set()).update(text.contents.subjects())
    for (file, kind), present in sorted(subjects.items(), key=lambda row: (row[0][0], _ORDER.index(row[0][1]))):
        yield TextSource(file, kind, tuple(subject for subject in Subject if subject in present))


def _missing_subjects(texts: Sequence[TextContents], devices: Sequence[Device]) -> Iterator[MissingSubject]:
    present = {subject for text in texts for subject in text.subjects()}
    if not any(device.pcie_lanes_max for device in devices):
        present -= {Subject.LINKS}
    covered = frozenset().union(*(text.covered for text in texts))
    if any(text.attached_gpus and text.attached_gpus > len(devices) for text in texts):
        yield MissingSubject(Subject.CARDS, str(TextKind.SMI_QUERY))
        present |= {Subject.CARDS}
    for subject, command in _COMMANDS_OF.items():
        if subject not in present:
            yield MissingSubject(subject, "" if subject in covered else command)
