"""Of the shipped parts and prices, the search proposes what the usual advice on machines for research does."""

from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from core.cli.lookup import open_catalogue
from core.find.candidates import Choice, Offers, candidates, read_offers
from core.find.machine import Reached
from core.find.search import Objective, search
from core.find.wish import LEAST_CARD_GB, Wish
from core.parts.part import Condition
from core.parts.price_guide import advice_guide
from core.parts.vocabulary import Category

TODAY = date(2026, 11, 29)
NODES = 20_000
STUDENT = {"network": "cnn", "money": 1500}
OFFICE = {"network": "lstm", "money": 4000}


@cache
def offers() -> Offers:
    """The shipped parts, priced on a fixed day."""
    with TemporaryDirectory() as folder, open_catalogue(Path(folder)) as catalogue:
        return read_offers(catalogue, replace(advice_guide(catalogue), today=TODAY), "USD")


@cache
def _best(objective: Objective, **values: Any) -> Reached | None:
    wish = Wish.model_validate(values)
    return search(wish, candidates(wish, offers()), objective, nodes=NODES).best


def best(objective: Objective = Objective.FASTEST, **values: Any) -> Reached:
    """The machine of a search that ends in seconds."""
    machine = _best(objective, **values)
    assert machine is not None, values
    return machine


def choice_of(machine: Reached, category: Category) -> Choice:
    """What it has of a category."""
    return next(choice for choice in machine.choices if choice.part.category is category)


def card_ids(**values: Any) -> set[str]:
    """The cards that may be chosen for a wish."""
    return {choice.part.id for choice in candidates(Wish.model_validate(values), offers()).choices[Category.GPU]}


@pytest.mark.parametrize("wish", [STUDENT, pytest.param(OFFICE, marks=pytest.mark.soak)])
def test_a_card_for_research_has_the_memory_that_networks_need(wish: dict[str, Any]) -> None:
    """No small card wins by its price alone."""
    assert choice_of(best(**wish), Category.GPU).spec.memory_gb >= LEAST_CARD_GB


def test_whoever_names_or_owns_a_small_card_gets_it() -> None:
    assert "nvidia-rtx-a400" not in card_ids(**STUDENT)
    assert "nvidia-rtx-a400" in card_ids(**STUDENT, card_memory_gb=4)
    assert card_ids(**STUDENT, must=("nvidia-rtx-a400",)) == {"nvidia-rtx-a400"}
    assert "nvidia-rtx-a400" in card_ids(**STUDENT, owned={"nvidia-rtx-a400": 1})


@pytest.mark.parametrize("wish", [STUDENT, pytest.param(OFFICE, marks=pytest.mark.soak)])
def test_ram_is_no_less_than_the_memory_of_the_largest_card(wish: dict[str, Any]) -> None:
    machine = best(**wish)
    ram = choice_of(machine, Category.RAM)
    gb = ram.line.quantity * ram.spec.modules * ram.spec.module_gb
    assert gb >= choice_of(machine, Category.GPU).spec.memory_gb


def test_what_only_used_prices_are_known_of_is_offered_used() -> None:
    """The card that students buy is listed new by no shop, and is still in production."""
    card = "msi-rtx-3060-ventus-2x-12g-oc"
    (offer,) = (offer for offer in offers().by_category[Category.GPU] if offer.part.id == card)
    assert card in card_ids(**STUDENT, must=(card,))
    assert offer.gone
    assert card not in card_ids(**STUDENT, must=(card,), used=False)
    among = candidates(Wish.model_validate(STUDENT | {"must": (card,)}), offers()).choices[Category.GPU]
    assert {choice.line.condition for choice in among} == {Condition.USED}


def test_money_is_not_spent_for_what_is_no_faster() -> None:
    """The cheapest machine of the same rate costs no more than the fastest for the money."""
    fastest = best(**STUDENT)
    cheapest = best(Objective.CHEAPEST, network="cnn", rate=fastest.rate * 0.99)
    assert cheapest.cents <= fastest.cents
    assert cheapest.rate >= fastest.rate * 0.99
