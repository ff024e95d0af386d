"""The page of one card: every figure with what it was held against, and every part that was not run with its reason."""

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum

FORMAT = "rigwright-card-page"
VERSION = 1
POWER_AIM_PCT = 97.0
"""Of its power limit that a card should reach under the hottest products; measured and told, never judged."""
COST_AIM_PCT = 2.0
"""That checking may cost of the bare rate."""


class Did(StrEnum):
    """How a part of the measurement ended. NOT RUN never counts as done."""

    DONE = "done"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class MeasuredPart:
    """One part: how it ended, why where there is something to say, and the time that it took, s."""

    title: str
    did: Did
    reason: str = ""
    seconds: float = 0.0
    needed: bool = True
    """Whether a page without it is incomplete; other programs to compare with are not needed."""


@dataclass(frozen=True, slots=True)
class CardFacts:
    """The device that was measured. None is "not told". Its UUID and serial number stay out of a page."""

    name: str
    kind: str
    """ "gpu", or "cpu" for a rehearsal that is no card's page."""
    capability: str | None = None
    memory_mb: int | None = None
    multiprocessors: int | None = None
    driver: str | None = None
    vbios: str | None = None
    pcie: str | None = None
    power_limit_w: float | None = None
    """In force when the measurement began."""
    power_default_w: float | None = None
    beside: int = 0
    """Other cards that were measured at the same time, with which it shared air and power."""

    @property
    def is_share(self) -> bool:
        """Whether it is a share of a card (MIG)."""
        return " MIG " in self.name


@dataclass(frozen=True, slots=True)
class Program:
    """What measured it."""

    version: str
    commit: str | None
    changed: bool | None
    """Whether the source differed from that commit."""
    python: str
    torch: str | None
    cuda: str | None
    """That torch was built for."""
    missing: tuple[str, ...] = ()
    """Packages of the program that are not installed here."""


@dataclass(frozen=True, slots=True)
class Power:
    """Board power over a stretch of load."""

    mean_w: float
    limit_w: float | None
    clock_mhz: float | None
    temperature_c: float | None
    """The highest."""
    held_by: dict[str, float] = field(default_factory=dict)
    """Share of the readings, %, by reason for lower clocks, in words."""

    @property
    def share_pct(self) -> float | None:
        """Of the limit in force."""
        return 100 * self.mean_w / self.limit_w if self.limit_w else None


@dataclass(frozen=True, slots=True)
class ProductRow:
    """Products in one format: verified and bare in turns."""

    format: str
    size: int
    check_every: int
    verified_tflops: float
    """FLOP over the whole time, checking included."""
    bare_tflops: float
    cost_pct: float
    """Median over rounds of turns: how much slower the verified ones were."""
    cost_from_pct: float
    cost_to_pct: float
    """The least and the most of the rounds."""
    checks: int
    errors: int
    power: Power | None = None


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """Of the card's memory, GB/s, read and written bytes both counted."""

    copy_gbps: float
    buffer_mib: int
    by_clock_gbps: float | None = None
    """By the clock and width that the driver tells."""
    sheet_gbps: float | None = None
    """Of the catalogue's data sheet."""
    sheet: str | None = None
    """Id of the part in the catalogue."""


@dataclass(frozen=True, slots=True)
class StopRow:
    """From a stop request to rest, s. None: not seen."""

    load: str
    done_s: float
    """Until the worker said that the load had ended."""
    rest_s: float | None = None
    """Until the board's power was at rest again, the worker's process ended."""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """Another program's rate in one format, and our verified products right after it."""

    tool: str
    format: str
    tflops: float
    ours_tflops: float | None
    errors: int | None
    """That it reported; None where it checks nothing."""
    power: Power | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """One test or stage that did not simply pass, or the counts of those that did."""

    name: str
    outcome: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """All that was measured of one card."""

    date: str
    """UTC."""
    card: CardFacts
    program: Program
    host: str
    """Processor and kernel: never the machine's name."""
    budget_s: float
    took_s: float = 0.0
    parts: tuple[MeasuredPart, ...] = ()
    products: tuple[ProductRow, ...] = ()
    not_available: dict[str, str] = field(default_factory=dict)
    """Formats that the card or torch lacks, with the reason."""
    bandwidth: Bandwidth | None = None
    tools: tuple[ToolRow, ...] = ()
    stops: tuple[StopRow, ...] = ()
    tests: tuple[Checked, ...] = ()
    stages: tuple[Checked, ...] = ()

    @property
    def hottest(self) -> ProductRow | None:
        """The format that drew the most power."""
        rows = [row for row in self.products if row.power is not None]
        return max(rows, key=lambda row: row.power.mean_w if row.power else 0.0, default=None)

    @property
    def did(self) -> Did:
        """FAILED if any part failed; DONE only with every needed part done."""
        if any(part.did is Did.FAILED for part in self.parts):
            return Did.FAILED
        lacking = [part for part in self.parts if part.needed and part.did is Did.NOT_RUN]
        return Did.NOT_RUN if lacking or not self.parts else Did.DONE

    def as_json(self) -> str:
        """The page as a JSON document, figures as they are."""
        return json.dumps({"format": FORMAT, "version": VERSION, **asdict(self)}, indent=1) + "\n"
