"""Reference measurements: what cards of a model were measured to do, shipped with the program and added by the user."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from core.machine.asbuilt.identities import same_card
from core.machine.telemetry.device import Device
from core.parts.compute import GpuSpec
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_json, read_text
from core.platform.paths import ASSETS
from core.platform.whole_file import set_aside, write_whole
from core.words import tr
from core.words.units import as_printed

SHIPPED = ASSETS / "references"
OWN = "references.json"
log = logging.getLogger(__name__)
Text = Annotated[str, Field(min_length=1, max_length=500)]


class Reference(BaseModel):
    """One rate of one model, as somebody measured it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    product: Text
    """As the driver names it; the maker's name and "GeForce" do not matter."""
    stage: Text
    """The kind of stage that measures the same: gemm, bandwidth, resnet ..."""
    name: Text
    """The name of the rate in that stage: bfloat16, triad, training ..."""
    rate: Annotated[float, Field(gt=0)]
    unit: Annotated[Text, AfterValidator(as_printed)]
    source: Text
    """Who measured it, with what; a run of our own with its card, driver and date."""
    address: str = ""
    judged: bool = True
    """False: by a program that works otherwise. It is told beside what is measured, and nothing is judged by it."""


_LIST = TypeAdapter(tuple[Reference, ...])


def all_references(data_dir: Path) -> tuple[Reference, ...]:
    """Shipped ones, then the user's own, which count before them. Raises BadInput for a file that cannot be read."""
    return (*shipped_references(), *own_references(data_dir))


def shipped_references() -> Iterator[Reference]:
    """Those of assets/references: a table for each model and source, with its rates."""
    for path in sorted(SHIPPED.glob("*.toml")):
        for table in tomllib.loads(path.read_text(encoding="utf-8"))["reference"]:
            rates = table.pop("rates")
            yield from (Reference.model_validate(table | {"name": name, "rate": rate}) for name, rate in rates.items())


def own_references(data_dir: Path) -> tuple[Reference, ...]:
    """Those that were added by command. A damaged file is kept aside with a warning, and there are none."""
    references, damage = read_own_references(data_dir)
    if damage:
        log.warning(damage)
    return references


def read_own_references(data_dir: Path) -> tuple[tuple[Reference, ...], str]:
    """The same, and in a sentence what became of a damaged file: empty where all is well."""
    path = data_dir / OWN
    if not path.is_file():
        return (), ""
    try:
        return _LIST.validate_python(read_json(read_text(path))), ""
    except (Unreadable, ValidationError, BadInput):
        return (), set_aside(path, tr("Your reference measurements"), tr("Add them again from runs that passed"))


def references_of(device: Device, references: Iterable[Reference]) -> dict[tuple[str, str], Reference]:
    """Those of a card's model, by kind of stage and name of the rate; later ones count."""
    return {(one.stage, one.name): one for one in references if same_card(GpuSpec(product=one.product), device)}


def add_references(data_dir: Path, more: Iterable[Reference]) -> Mapping[tuple[str, str, str], Reference]:
    """Adds to the user's own; one of the same product, stage, rate and source is replaced. Returns what is new."""
    before = {_key(one): one for one in own_references(data_dir)}
    new = {_key(one): one for one in more}
    together = list((before | new).values())
    write_whole(data_dir / OWN, _LIST.dump_json(tuple(together), indent=1) + b"\n")
    return {(one.product, one.stage, one.name): one for key, one in new.items() if before.get(key) != one}


def _key(one: Reference) -> tuple[str, str, str, str]:
    return one.product, one.stage, one.name, one.source
