"""What all parts of a build may cost together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field

from core.words import plain, tr
from core.words.units import number

MAX_AMOUNT = 1e12
CODE = r"^[A-Z]{3}$"


@dataclass(frozen=True, slots=True)
class Budget:
    """An amount, in the currency in which it was set."""

    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)
    amount: Annotated[float, Field(json_schema_extra={"exclusiveMinimum": 0, "maximum": MAX_AMOUNT})]
    currency: Annotated[str, Field(json_schema_extra={"pattern": CODE})]

    def __post_init__(self) -> None:
        if not 0 < self.amount <= MAX_AMOUNT:
            raise ValueError(tr("a budget is more than 0, not {amount:g}", amount=self.amount))
        if not re.match(CODE, self.currency):
            raise ValueError(tr("a currency is three letters, not {currency!r}", currency=self.currency))

    @property
    def words(self) -> str:
        """ "10 000 EUR"."""
        return plain("{amount} {currency}", amount=number(self.amount, 0), currency=self.currency)
