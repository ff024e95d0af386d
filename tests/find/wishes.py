"""Twenty wishes as builders have them (wishes.toml), and the shipped parts that they are answered with."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.find.candidates import Candidates, Offers, candidates, read_offers
from core.find.search import Objective
from core.find.wish import Wish, wish_from
from core.parts.catalogue import Catalogue
from core.parts.price_guide import advice_guide


@dataclass(frozen=True)
class Asked:
    """A wish, and what is asked of it."""

    name: str
    wish: Wish
    objective: Objective

    def among(self, offers: Offers) -> Candidates:
        """What it may be answered with."""
        return candidates(self.wish, offers)


@cache
def twenty_wishes() -> tuple[Asked, ...]:
    """All of the file."""
    text = Path(__file__).with_name("wishes.toml").read_text()
    rows = tomllib.loads(text)["case"]
    return tuple(Asked(row["name"], wish_from(row["wish"]), Objective(row["objective"])) for row in rows)


def offers_in(folder: Path) -> Offers:
    """What the catalogue of a data folder has, in dollars."""
    catalogue = Catalogue(folder)
    try:
        return read_offers(catalogue, advice_guide(catalogue), "USD")
    finally:
        catalogue.close()
