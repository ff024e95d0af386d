"""The import as a whole: read, check, merge, and put each category into the catalogue in one transaction."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from core.lab.opendb.files import RawFile, raw_files
from core.lab.opendb.rows import Row, parsed, part_of
from core.lab.opendb.specs import FOLDERS
from core.parts.catalogue import Catalogue
from core.parts.part import Part
from core.parts.quarantined import Quarantined
from core.parts.specs import GpuSpec, Spec
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.words import tr

Pair = tuple[Row, Part]
MAX_DIFFERENCES = 2
"""Rows that differ in more figures than this share a part number by mistake, and stay two parts."""
_MIN_NUMBER = 5
"""Shorter numbers are split-off pieces ("16")."""
_SEPARATORS = str.maketrans("", "", " -_/.#")


def merged(pairs: Iterable[Pair]) -> tuple[list[Part], int]:
    """One part for each product, and how many rows went into another. The reasons are noted at the rows.

    The row that people verified, or that knows more, keeps its figures; the others fill its gaps. The identity is that
    of the alphabetically first row, so that it stays the same at the next import.
    """
    products: list[Pair] = []
    places: dict[tuple[str, str], int] = {}
    swallowed = 0
    for row, part in sorted(pairs, key=_best_first):
        maker = part.maker.lower()
        keys = [(maker, number) for number in map(_squashed, part.part_numbers) if len(number) >= _MIN_NUMBER]
        place = next((places[key] for key in keys if key in places), None)
        if place is not None and _joined(products, place, row, part):
            swallowed += 1
        else:
            place = len(products)
            products.append((row, part))
        for key in keys:
            places.setdefault(key, place)
    return [part for _, part in products], swallowed


def _joined(products: list[Pair], place: int, row: Row, part: Part) -> bool:
    first, holder = products[place]
    figures, other = _figures(holder.spec), _figures(part.spec)
    differing = [name for name in figures.keys() & other.keys() if figures[name] != other[name]]
    shared = ", ".join(part.part_numbers[:3])
    if len(differing) > MAX_DIFFERENCES:
        why = tr("is also a part number of {part}, which is a different product", part=first.title)
        row.doubt("part_numbers", shared, why)
        return False
    for name in sorted(differing):
        why = tr("differs from {known} in {identity}, which is kept", known=figures[name], identity=first.identity)
        row.doubt(name, other[name], why)
    gaps = {name: other[name] for name in other.keys() - figures.keys()}
    changes = {
        "id": min(holder.id, part.id),
        "part_numbers": tuple(dict.fromkeys((*holder.part_numbers, *part.part_numbers))),
        "spec": holder.spec.model_copy(update=gaps),
    }
    products[place] = (first, holder.model_copy(update=changes))
    return True


def _best_first(pair: Pair) -> tuple[bool, int, str]:
    row, part = pair
    return not row.verified, -len(part.spec.model_fields_set), part.id


def _figures(spec: Spec) -> dict[str, object]:
    return {name: value for name, value in vars(spec).items() if value not in (None, ())}


def _squashed(number: str) -> str:
    return number.translate(_SEPARATORS).lower()


TELL_EVERY = 500
"""Rows between two reports of progress."""
ODD_POWER = 1.6
"""A card of more than so many times its chip's usual power carries the figure of the recommended PSU."""


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is."""

    category: Category | None
    """None while the files are read."""
    done: int
    total: int | None
    """None while it is not known."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a category's rows: rows = parts + merged + refused."""

    category: Category
    rows: int
    parts: int
    merged: int
    """Rows that describe the product of another row."""
    refused: int
    doubted: int
    """Figures that were left out of rows that were taken."""


Tell = Callable[[ImportProgress], None]


def tell_nobody(progress: ImportProgress) -> None:
    """Where nobody wants to know."""
    del progress


def import_opendb(catalogue: Catalogue, path: Path, tell: Tell = tell_nobody) -> list[Imported]:
    """Takes the data set at `path` into the catalogue, in the place of the one imported before.

    Everything is read before anything is written; each category is written at once or not at all. Where no row of a
    category can be taken, its parts of the earlier import stay. Raises BadInput when there is no data set, when it is
    damaged, or when no row at all can be taken, and passes on what `tell` raises.
    """
    with _without_collector():
        files = _read(path, tell)
        report = [
            _import_category(catalogue, category, files.pop(folder), tell)
            for folder, (category, _) in FOLDERS.items()
            if folder in files
        ]
    if not any(row.parts for row in report):
        count = sum(row.rows for row in report)
        raise BadInput(
            tr(
                "{path}: none of its {rows:,} rows can be imported, so the earlier import is kept. See "
                "why with: {rigwright parts quarantine}",
                path=path,
                rows=count,
            )
        )
    return report


@contextmanager
def _without_collector() -> Iterator[None]:
    """A million values come to life and stay: looking through them for cycles again and again takes half the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read(path: Path, tell: Tell) -> dict[str, list[RawFile]]:
    """The files by folder, not yet parsed: as text the data set takes least memory."""
    files: dict[str, list[RawFile]] = defaultdict(list)
    by_name: dict[str, RawFile] = {}
    for count, file in enumerate(raw_files(path)):
        if count % TELL_EVERY == 0:
            tell(ImportProgress(None, count, None))
        if file.folder not in FOLDERS:
            continue
        twin = by_name.get(file.name)
        if twin is not None and isinstance(parsed(twin), dict):
            files[file.folder].append(file._replace(content=b"", refused=tr("has the same identity as another file")))
        else:
            by_name[file.name] = file
            files[file.folder].append(file)
    return files


@dataclass(frozen=True, slots=True)
class _Read:
    """The rows of a category: the parts in them, and what was left out."""

    parts: list[Part]
    quarantined: list[Quarantined]
    report: Imported


def _read_category(category: Category, files: list[RawFile], tell: Tell) -> _Read:
    rows: list[Row] = []
    pairs: list[tuple[Row, Part]] = []
    unreadable: list[Quarantined] = []
    for done, file in enumerate(files):
        if done % TELL_EVERY == 0:
            tell(ImportProgress(category, done, len(files)))
        raw = parsed(file)
        if isinstance(raw, Quarantined):
            unreadable.append(raw)
            continue
        row, part = part_of(file, raw)
        rows.append(row)
        if part is not None:
            pairs.append((row, part))
    parts, swallowed = merged(_without_odd_power(pairs))
    doubts = [doubt for row in rows for doubt in row.doubts]
    doubted = sum(bool(doubt.field) for doubt in doubts)
    report = Imported(category, len(files), len(parts), swallowed, len(files) - len(pairs), doubted)
    return _Read(parts, [*unreadable, *doubts], report)


def _import_category(catalogue: Catalogue, category: Category, files: list[RawFile], tell: Tell) -> Imported:
    read = _read_category(category, files, tell)
    if read.parts:
        catalogue.replace_imported_parts(category, read.parts, read.quarantined)
    else:
        catalogue.replace_quarantine(category, read.quarantined)
    tell(ImportProgress(category, len(files), len(files)))
    return read.report


def read_opendb(path: Path, tell: Tell = tell_nobody) -> dict[Category, list[Part]]:
    """The parts of the data set at `path` by category, as an import would take them; nothing is written.

    Raises BadInput when there is no data set, or when it is damaged.
    """
    with _without_collector():
        files = _read(path, tell)
        return {
            category: _read_category(category, files.pop(folder), tell).parts
            for folder, (category, _) in FOLDERS.items()
            if folder in files
        }


def _without_odd_power(pairs: Iterable[tuple[Row, Part]]) -> list[tuple[Row, Part]]:
    """The cards, without a power limit that is far above that of other cards with the same chip."""
    pairs = list(pairs)
    limits: dict[str, list[float]] = defaultdict(list)
    for _, part in pairs:
        if isinstance(part.spec, GpuSpec) and part.spec.power_limit_w is not None:
            limits[part.spec.product].append(part.spec.power_limit_w)
    usual = {product: median(watts) for product, watts in limits.items()}
    return [(row, _checked_power(row, part, usual)) for row, part in pairs]


def _checked_power(row: Row, part: Part, usual: dict[str, float]) -> Part:
    spec = part.spec
    if not isinstance(spec, GpuSpec) or spec.power_limit_w is None:
        return part
    typical = usual[spec.product]
    if spec.power_limit_w <= ODD_POWER * typical:
        return part
    why = tr("is far above the {typical:g} W of other cards with this chip", typical=typical)
    row.doubt("power_limit_w", spec.power_limit_w, why)
    return part.model_copy(update={"spec": spec.model_copy(update={"power_limit_w": None})})
