"""Small values that the specs of several categories share. Lengths in mm, power in W, levels in dBA."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.parts.vocabulary import NoiseCondition, PowerConnector
from core.words import joined, plain, tr

Lanes = Literal[1, 2, 4, 8, 16]
_MOST = 1_000_000
"""No part has more of anything; sums and products of counts so fit the database's whole numbers."""
Positive = Annotated[float, Field(gt=0, le=10 * _MOST)]
Whole = Annotated[int, Field(ge=1, le=_MOST)]
Count = Annotated[int, Field(ge=0, le=_MOST)]
Few = Annotated[int, Field(ge=1, le=50)]
"""Of what is looked at one by one: plugs, cables, fans, mounts."""
Generation = Annotated[int, Field(ge=1, le=7)]
"""Of PCIe."""
Level = Annotated[float, Field(ge=0, le=120)]
MAX_TEXT = 4000
"""Characters of any text, notes included."""
MAX_NAMES = 200
MAX_ROWS = 24
MAX_SOCKETS = 12
"""For power, of one part; the largest boards have eight."""
T = TypeVar("T")
Several = Annotated[tuple[T, ...], Field(max_length=MAX_NAMES)]
"""A list of names of a part: no part has more."""
Rows = Annotated[tuple[T, ...], Field(max_length=MAX_ROWS)]
"""A table of a part: no part has a longer one."""


class Value(BaseModel):
    """A frozen value read from text; unknown keys are refused so that a typing error cannot hide."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False, str_max_length=MAX_TEXT
    )


class ConnectorCount(Value):
    """So many sockets of one kind."""

    kind: PowerConnector
    count: Few


def _few_sockets(counts: tuple[ConnectorCount, ...]) -> tuple[ConnectorCount, ...]:
    """Each is looked at in every way to feed a part."""
    if (count := sum(one.count for one in counts)) > MAX_SOCKETS:
        raise ValueError(tr("a part has at most {most} power sockets, not {number}", most=MAX_SOCKETS, number=count))
    return counts


Sockets = Annotated[Rows[ConnectorCount], AfterValidator(_few_sockets)]
"""The power sockets of one part."""


def plugs_words(kind: PowerConnector | None, count: int | None) -> str | None:
    """Plugs or sockets of a kind: "2 x 8-pin"; None where the kind is unknown."""
    if kind is None:
        return None
    label = kind.label
    return label if count in (None, 1) else plain("{number} x {plug}", number=count, plug=label)


def connectors(sockets: Iterable[ConnectorCount]) -> str:
    """Power sockets in words: "2 x 8-pin + 6-pin"."""
    return joined([plugs_words(row.kind, row.count) or "" for row in sockets], " + ")


def lanes_words(generation: int | None, lanes: int | None) -> str | None:
    """A PCIe link: "PCIe 4.0 x16"; what is unknown is left out."""
    if lanes is None:
        return f"PCIe {generation}.0" if generation else None
    return f"PCIe {generation}.0 x{lanes}" if generation else f"PCIe x{lanes}"


def pcie_words(spec: Any) -> str | None:
    """The link of a spec with `pcie_generation` and `pcie_lanes`."""
    return lanes_words(spec.pcie_generation, spec.pcie_lanes)


class NoisePoint(Value):
    """A measured or rated level."""

    condition: NoiseCondition
    level_dba: Level
    distance_m: Positive | None = None
    """Where the source says none, predictions take 1 m, from which most makers state their levels."""
    rpm: Positive | None = None
    load_w: Positive | None = None
    """What the part drew or delivered meanwhile, W."""
