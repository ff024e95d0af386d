"""What a machine is for and what it may be: the question that the search answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, model_validator

from core.parts.values import Positive, Several, Value
from core.parts.vocabulary import CaseKind
from core.plan.mains import BY_ID, DEFAULT_REGION, MAX_CIRCUITS
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_text, read_toml
from core.predict.conditions import Conditions
from core.predict.speed.networks import Network
from core.words import Worded, listed, tr, trc
from core.words.refusal import first_refusal

MAX_BYTES = 100_000
MOST_CARDS = 16
LEAST_CARD_GB = 8.0
"""Memory of a card below which networks of today do not train at useful sizes, however fast a small one does."""
PartId = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]


class Place(Worded):
    """Where the machine stands, which decides what kinds of case may hold it."""

    TOWER = "tower", trc("case", "tower")
    RACK = "rack", trc("case", "rack")
    OPEN_FRAME = "open_frame", trc("case", "open frame")
    """Where nothing need be closed: any case, too."""

    @property
    def case_kinds(self) -> frozenset[CaseKind]:
        """The kinds of case that may stand there."""
        match self:
            case Place.TOWER:
                return frozenset({CaseKind.TOWER})
            case Place.RACK:
                return frozenset({CaseKind.RACK})
            case Place.OPEN_FRAME:
                return frozenset({CaseKind.TOWER, CaseKind.RACK, CaseKind.OPEN_FRAME})


class Wish(Value):
    """Valid by construction: it names a limit of money, or what the machine must reach; None is no limit."""

    network: Network = Network.TRANSFORMER
    """Kind of reference network that it trains."""
    rate: Positive | None = None
    """Samples of that network (images, tokens) a second at least."""
    money: Annotated[float, Field(gt=0, le=1e12)] | None = None
    """All parts together cost at most."""
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    used: bool = True
    """Parts that are no longer sold may be bought used."""
    owned: Annotated[dict[PartId, Annotated[int, Field(ge=1, le=64)]], Field(default_factory=dict, max_length=100)]
    """How many there are of parts that need not be bought, by id."""

    noise_dba: Annotated[float, Field(ge=10, le=90)] | None = None
    """In training, the machine alone in free field, at `distance_m`: not even the high end of the band is louder."""
    distance_m: Annotated[float, Field(ge=0.1, le=20)] = 1.0
    region: str = DEFAULT_REGION
    """Kind of mains circuit."""
    circuits: Annotated[int, Field(ge=1, le=MAX_CIRCUITS)] = 1
    """How many of them feed the machine, with nothing else on them."""
    place: Place = Place.TOWER
    room_c: Annotated[float, Field(ge=-10, le=50)] = 25.0

    memory_gb: Positive | None = None
    """Memory of all GPUs together, at least."""
    card_memory_gb: Positive | None = None
    """Memory of each card, at least; None is `LEAST_CARD_GB`, but for cards that are named or owned."""
    cards: Annotated[int, Field(ge=1, le=MOST_CARDS)] | None = None
    """Exactly so many cards."""
    must: Several[PartId] = ()
    """Parts that it has, by id."""
    must_not: Several[PartId] = ()
    """Parts that it has not, by id."""
    makers: Several[str] = ()
    """Makers of which the cards are; empty: any."""
    not_makers: Several[str] = ()
    """Makers of which nothing in it is."""
    cuda: bool = True
    """Only cards that run CUDA."""
    ecc: bool = False
    """RAM, CPU and board correct errors."""
    bmc: bool = False
    """The board has a management controller."""

    ram_gb: Annotated[float, Field(ge=0, le=100_000)] = 0.0
    """RAM at least; never less than the memory of all GPUs."""
    drive_gb: Annotated[float, Field(ge=0, le=1_000_000)] = 2000.0
    cores_per_card: Annotated[float, Field(ge=0, le=64)] = 2.0
    channels_share: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Memory channels that hold a module, of all that board and CPU have."""
    open_questions: bool = False
    """Builds, too, of which a rule that may fail them cannot tell for lack of a figure."""

    @model_validator(mode="after")
    def _asks_for_something(self) -> Wish:
        if self.money is None and not self.suffices:
            raise ValueError(tr("a wish names money, or what the machine must reach: a rate, memory or cards"))
        if self.region not in BY_ID:
            raise ValueError(
                tr("unknown region {region!r}; known: {regions}", region=self.region, regions=", ".join(BY_ID))
            )
        if both := {*self.must} & {*self.must_not}:
            raise ValueError(tr("{parts} must be in it and must not", parts=listed(sorted(both))))
        return self

    @property
    def suffices(self) -> bool:
        """Whether it names what a machine must reach: only then is there a cheapest one that does."""
        return any(one is not None for one in (self.rate, self.memory_gb, self.card_memory_gb, self.cards)) or bool(
            self.must
        )

    @property
    def conditions(self) -> Conditions:
        """Under which temperatures and noise are predicted."""
        return Conditions(distance_m=self.distance_m, room_c=self.room_c)

    def without(self, *names: str) -> Wish:
        """The wish with these fields as if nobody had set them. Raises ValueError if nothing is left to ask for."""
        return Wish.model_validate(self.model_dump(exclude_unset=True, exclude={*names}))


def wish_from(values: Mapping[str, Any]) -> Wish:
    """A wish of the fields of `Wish`. Raises BadInput that names the field."""
    try:
        return Wish.model_validate(dict(values))
    except ValidationError as error:
        field, reason = first_refusal(error)
        if not field:
            raise BadInput(tr("The wish cannot be used: {reason}.", reason=reason)) from error
        raise BadInput(tr("The wish cannot be used: {field}: {reason}.", field=field, reason=reason)) from error


def read_wish(path: Path, changes: Mapping[str, Any] | None = None) -> Wish:
    """A wish of a TOML file, with some fields set otherwise. Raises BadInput that names file and field."""
    try:
        values = read_toml(read_text(path, MAX_BYTES))
    except Unreadable as error:
        raise BadInput(tr("The wish {path} is not valid TOML: {reason}.", path=path, reason=error.reason)) from error
    return wish_from(values | dict(changes or {}))
