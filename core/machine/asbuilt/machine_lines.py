"""Board, CPUs, RAM, drives and PSUs of the plan beside those that the machine tells of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.machine.asbuilt.as_built import AsBuiltLine, FoundDrive, LineState, LineSubject, MachineFacts
from core.parts.compute import RamSpec, StorageSpec
from core.parts.identity import Exact, Identity, Similar, is_called
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.words import joined, plain, tr, trn

AS_ROOT = tr("Only root may read it: sudo {rigwright as-built --save} FILE, then {--from} FILE.")
LACKS_MEMORY_SHARE = 0.9
"""Of the planned main memory: firmware and graphics keep some of it, a missing module takes more."""
_SIZE_TOLERANCE = 0.08
"""Drives of one class differ by so much: 1920 and 2000 GB, 480 and 512 GB are two classes sold as one."""
_MODULE_TOLERANCE = 0.02
_SIZED = re.compile(r"\d\s?[gt]b\b", re.IGNORECASE)
_NO_BOARD, _NO_CPU = tr("The firmware does not report it."), tr("The kernel does not report it.")


def machine_lines(plan: Build, machine: MachineFacts) -> Iterator[AsBuiltLine]:
    """One line for the board, each kind of CPU, the RAM, each kind of drive, the PSUs, where planned."""
    yield from _board(plan, machine)
    yield from _cpus(plan, machine)
    yield from _ram(plan, machine)
    yield from _drives(plan, machine)
    yield from _psus(plan, machine)


def is_drive(part: Part, model: str) -> bool:
    """Whether a drive's model names this part, whatever its size: by a part number that it begins with, or by name."""
    squeezed = _squeezed(model)
    if any(len(number) > 5 and _squeezed(number) in squeezed for number in part.part_numbers):
        return True
    size = part.spec.capacity_gb if isinstance(part.spec, StorageSpec) else None
    return isinstance(is_called(part, f"{model} {size:g} GB" if size and not _SIZED.search(model) else model), Exact)


def _board(plan: Build, machine: MachineFacts) -> Iterator[AsBuiltLine]:
    board = plan.motherboard
    if board is None:
        return
    names = [text for text in (machine.board, machine.system) if text]
    answers = [is_called(board[0], text) for text in names]
    same = any(isinstance(answer, Exact) for answer in answers)
    line = _line(LineSubject.BOARD, tr("Board"), board[0].title, names[0] if names else "", same, _NO_BOARD)
    yield _unless_similar(line, board[0], answers)


def _cpus(plan: Build, machine: MachineFacts) -> Iterator[AsBuiltLine]:
    for line, _ in plan.cpus():
        planned = times(line.quantity, line.part.title)
        shown = times(len(machine.cpus), machine.cpus[0]) if machine.cpus else ""
        answers = [is_called(line.part, name) for name in machine.cpus]
        same = sum(isinstance(answer, Exact) for answer in answers) == line.quantity
        row = _line(LineSubject.CPU, "CPU", planned, shown, same, _NO_CPU)
        yield _unless_similar(row, line.part, answers) if len(answers) == line.quantity else row


def _unless_similar(line: AsBuiltLine, part: Part, answers: Sequence[Identity]) -> AsBuiltLine:
    """Where no name is the part's and one is similar, nobody can tell from here."""
    exact = any(isinstance(answer, Exact) for answer in answers)
    if exact or not any(isinstance(answer, Similar) for answer in answers):
        return line
    why = tr("{name} is similar to {part}, perhaps a variant of it: see its label.", name=line.found, part=part.title)
    return replace(line, state=LineState.NOT_READABLE, why=why, similar=(part.title,))


def _ram(plan: Build, machine: MachineFacts) -> Iterator[AsBuiltLine]:
    kits = [(line.quantity * spec.modules, spec) for line, spec in plan.ram() if spec.modules and spec.module_gb]
    if not kits:
        return
    planned_gb = sum(count * (spec.module_gb or 0) for count, spec in kits)
    planned = joined((_modules_words(count, spec) for count, spec in kits), ", ")
    if machine.modules:
        sizes = sorted(module.size_gb for module in machine.modules)
        planned_sizes = sorted(float(spec.module_gb or 0) for count, spec in kits for _ in range(count))
        same = len(sizes) == len(planned_sizes) and all(
            abs(one - two) <= _MODULE_TOLERANCE * two for one, two in zip(sizes, planned_sizes, strict=True)
        )
        kinds = sorted({module.kind for module in machine.modules if module.kind})
        alike = times(len(sizes), plain("{size_gb:g} GB", size_gb=sizes[0]))
        shown = joined([alike, *kinds]) if len(set(sizes)) == 1 else _sum(sizes)
        yield _line(LineSubject.RAM, "RAM", planned, shown, same, "")
    elif machine.ram_gb is None:
        why: str = tr("The kernel does not report it.")
        yield AsBuiltLine(LineSubject.RAM, "RAM", planned, "", LineState.NOT_READABLE, why=why)
    else:
        enough = LACKS_MEMORY_SHARE * planned_gb <= machine.ram_gb <= 1.1 * planned_gb
        why = joined([tr("Modules were not read."), AS_ROOT]) if "RAM modules" in machine.for_root_only else ""
        state = LineState.AS_PLANNED if enough else LineState.DIFFERENT
        shown = tr("{ram_gb:.0f} GB in total", ram_gb=machine.ram_gb)
        yield AsBuiltLine(LineSubject.RAM, "RAM", planned, shown, state, why=why)


def _drives(plan: Build, machine: MachineFacts) -> Iterator[AsBuiltLine]:
    left = list(machine.drives)
    for line in plan.of(Category.STORAGE):
        spec = line.part.spec
        assert isinstance(spec, StorageSpec)
        taken = [drive for drive in left if _fits(line.part, spec, drive)][: line.quantity]
        taken.sort(key=lambda drive: not is_drive(line.part, drive.model))
        left = [drive for drive in left if drive not in taken]
        planned, shown = times(line.quantity, line.part.title), ", ".join(sorted({drive.model for drive in taken}))
        if not taken:
            why = tr("Check its cable, its power, the BIOS.")
            yield AsBuiltLine(LineSubject.DRIVE, tr("Drive"), planned, "", LineState.MISSING, why=why)
            continue
        same = len(taken) == line.quantity and all(is_drive(line.part, drive.model) for drive in taken)
        yield _line(LineSubject.DRIVE, tr("Drive"), planned, times(len(taken), shown), same, "")


def _fits(part: Part, spec: StorageSpec, drive: FoundDrive) -> bool:
    if is_drive(part, drive.model) and (spec.capacity_gb is None or drive.size_gb is None):
        return True
    if spec.capacity_gb is None or drive.size_gb is None:
        return False
    return abs(drive.size_gb / spec.capacity_gb - 1) <= _SIZE_TOLERANCE


def _psus(plan: Build, machine: MachineFacts) -> Iterator[AsBuiltLine]:
    planned = ", ".join(times(line.quantity, line.part.title) for line, _ in plan.psus())
    if not planned:
        return
    if not machine.psus:
        why = AS_ROOT if "PSU" in machine.for_root_only else tr("The firmware does not report it: see its label.")
        yield AsBuiltLine(LineSubject.PSU, "PSU", planned, "", LineState.NOT_READABLE, why=why)
        return
    planned_w = sorted(spec.power_w for line, spec in plan.psus() if spec.power_w for _ in range(line.quantity))
    reported_w = sorted(psu.capacity_w for psu in machine.psus if psu.capacity_w)
    shown = joined(
        (
            plain("{name}, {watts:.0f} W", name=psu.name, watts=psu.capacity_w) if psu.capacity_w else psu.name
            for psu in machine.psus
        ),
        ", ",
    )
    if not reported_w or not planned_w:
        why = tr("Its wattage is not reported.")
        yield AsBuiltLine(LineSubject.PSU, "PSU", planned, shown, LineState.NOT_READABLE, why=why)
        return
    yield _line(LineSubject.PSU, "PSU", planned, shown, reported_w == planned_w, "")


def _line(subject: LineSubject, what: str, planned: str, actual: str, same: bool, unread: str) -> AsBuiltLine:
    if not actual:
        return AsBuiltLine(subject, what, planned, "", LineState.NOT_READABLE, why=unread)
    return AsBuiltLine(subject, what, planned, actual, LineState.AS_PLANNED if same else LineState.DIFFERENT)


def _modules_words(count: int, spec: RamSpec) -> str:
    return joined([times(count, plain("{size_gb:g} GB", size_gb=spec.module_gb)), spec.ram_type or ""])


def _sum(sizes: list[float]) -> str:
    return trn(
        "{count} module, {total_gb:g} GB in total",
        "{count} modules, {total_gb:g} GB in total",
        count=len(sizes),
        total_gb=sum(sizes),
    )


def times(count: int, what: str) -> str:
    """2 × RTX 3090; of one alone its name."""
    return what if count == 1 else plain("{number} × {what}", number=count, what=what)


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())
