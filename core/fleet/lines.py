"""What a machine tells of its runs: lines of JSON that `rigwright stream` writes and whoever looks after it reads.

The first line is `MachineLine`. What follows is told once: an event and a minute have a place in the run, and the
cursor of a state says up to where all was told. Fields that a newer program adds are ignored; sentences are English.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from core.burnin.record.rows import EventLevel, Outcome, RunStatus
from core.platform.errors import BadInput
from core.words import tr
from core.words.refusal import first_refusal

FORMAT = "rigwright-stream"
VERSION = 1
MOST_BYTES = 1_000_000
"""Of a line: a machine of sixteen cards needs some ten thousand."""
Text = Annotated[str, Field(max_length=2_000)]
Word = Annotated[str, Field(max_length=200)]


class Cursor(BaseModel):
    """Up to where a run was told: its number, the last event, and the minutes since its start."""

    model_config = ConfigDict(frozen=True)

    run: Annotated[int, Field(ge=1, le=2**31 - 1)]
    event: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    minutes: Annotated[int, Field(ge=0, le=10_000_000)] = 0

    def __str__(self) -> str:
        return f"{self.run}.{self.event}.{self.minutes}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """From "7.123.38". Raises BadInput."""
        words = text.split(".")
        try:
            return cls.model_validate(dict(zip(cls.model_fields, words, strict=True)))
        except ValueError as error:
            raise BadInput(
                tr("{cursor!r} is no cursor. Copy it from a line of {rigwright stream}, such as 7.123.38.", cursor=text)
            ) from error


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="null")


class MachineLine(_Line):
    """Who speaks. `identity` stays when the machine is named otherwise or starts from another drive."""

    type: Literal["machine"] = "machine"
    format: Literal["rigwright-stream"] = "rigwright-stream"
    version: Annotated[int, Field(ge=1)] = VERSION
    rigwright: Word
    identity: Word
    """Serial number of the board, else of the machine; else the lowest MAC address, else the installation's id."""
    name: Word
    """Host name: for people alone."""
    system: Word | None = None
    board: Word | None = None
    boot_id: Word
    at: Word
    """The machine's clock, UTC, ISO 8601: it may be wrong by years."""
    key: Word | None = None
    """The installation's public key, 32 bytes in hexadecimal; None while it has sealed nothing."""


class CardLine(BaseModel):
    """One device of a run as it is now. Figures are absent where nothing measures them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Word
    """UUID of a GPU, "cpu"."""
    label: Word
    name: Word
    burned: bool
    figures: dict[Word, float] = Field(default_factory=dict)
    """The newest of each metric of `core.fleet.stream.STREAMED`, in its unit."""
    errors: dict[Word, int] = Field(default_factory=dict)
    """By kind."""
    outcome: Outcome | None = None
    """Of a run that has its verdict."""


class StateLine(_Line):
    """How the run that goes on stands, or the newest one; without any, `run` is None."""

    type: Literal["state"] = "state"
    at: Word
    cursor: Word | None = None
    run: int | None = None
    fleet_id: Word | None = None
    profile: Word | None = None
    simulated: bool = False
    status: RunStatus | None = None
    changed: bool = False
    """The record of a run that ended failed its check: then it has no outcome."""
    silent_s: float | None = None
    """For how long its runner has not answered, where it does not."""
    stage: Word | None = None
    stage_kind: Word | None = None
    stage_number: int | None = None
    stages: int = 0
    stage_pct: float = 0.0
    run_pct: float = 0.0
    elapsed_s: float = 0.0
    remaining_s: float = 0.0
    outcome: Outcome | None = None
    """The verdict on the machine."""
    reasons: tuple[Text, ...] = ()
    cards: tuple[CardLine, ...] = ()


class EventLine(_Line):
    """What happened in a run."""

    type: Literal["event"] = "event"
    run: int
    id: int
    time_s: float
    at: Word
    device: Word | None = None
    level: EventLevel
    kind: Word
    message: Text


class MinuteLine(_Line):
    """A whole minute of a run: by device the mean of each metric that was measured in it."""

    type: Literal["minute"] = "minute"
    run: int
    minute: int
    """From the start of the run; 0 is its first one."""
    cards: dict[Word, dict[Word, float]]


Line = MachineLine | StateLine | EventLine | MinuteLine
_LINES: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="type")])


def read_line(line: str | bytes) -> Line:
    """One line of a machine. Raises BadInput that says what is wrong with it."""
    if len(line) > MOST_BYTES:
        raise BadInput(tr("The machine sent a line of {bytes} bytes: that is no line of a stream.", bytes=len(line)))
    try:
        return _LINES.validate_json(line)
    except ValidationError as error:
        place, reason = first_refusal(error)
        raise BadInput(
            tr("The machine sent a line that cannot be read: {place}: {reason}.", place=place, reason=reason)
        ) from error
