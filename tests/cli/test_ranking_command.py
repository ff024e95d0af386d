"""`rigwright gpus` ranks the catalogue for a kind of network and says why."""

import json
import re
from typing import Any

import pytest


@pytest.mark.parametrize("network", ["cnn", "lstm", "transformer"])
def test_it_ranks_with_reasons(rigwright: Any, network: str) -> None:
    ended = rigwright("gpus", "--network", network, "--limit", "5", "--json")
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert [row["place"] for row in answer["gpus"]] == [1, 2, 3, 4, 5]
    scores = [row["score"]["expected"] for row in answer["gpus"]]
    assert scores == sorted(scores, reverse=True)
    assert all(row["reasons"] for row in answer["gpus"])
    assert answer["why"].endswith(".")


def test_a_model_of_seven_billion_parameters_puts_those_first_that_hold_it(rigwright: Any) -> None:
    ended = rigwright("gpus", "--network", "transformer", "--budget-parameters", "7e9", "--limit", "200", "--json")
    fits = [row["memory"]["fits"] for row in json.loads(ended.stdout)["gpus"]]
    assert fits[0] == "yes"
    assert fits == sorted(fits, key=["yes", "tight", "unknown", "no"].index)


def test_it_prints_a_table_with_reasons_and_prices(rigwright: Any) -> None:
    ended = rigwright("gpus", "--network", "CNN", "--by-price", "--limit", "3")
    assert ended.returncode == 0, ended.stderr
    for words in ("tensor cores count most", "images/s", "What counts first", "Left out for lack of figures"):
        assert words in ended.stdout
    priced = r"\b\d+ USD(?: used\b|, (?:launch )?20\d\d-\d\d| \(launch 20\d\d-\d\d\))"
    assert len(re.findall(priced, ended.stdout)) == 3, "a price in each row, dated or of used ones"


def test_all_are_ranked_in_one_currency_and_none_by_what_its_maker_asked_once(rigwright: Any) -> None:
    words = ("--network", "cnn", "--by-price", "--limit", "1000", "--json")
    rows = json.loads(rigwright("gpus", *words).stdout)["gpus"]
    ranked = [row for row in rows if row["per_price"]]
    assert {row["compared_price"]["currency"] for row in ranked} == {"USD"}
    assert {row["price"]["currency"] for row in ranked if row["price"]} > {"USD"}, "its own currency stays beside it"
    worth = [row["per_price"]["expected"] for row in ranked]
    assert worth == sorted(worth, reverse=True)
    past = [row for row in rows if row["price"] and not row["compared_price"]]
    assert past and all(row["price"]["kind"] in ("launch", "list") or row["price"]["as_of"] < "2023" for row in past)


@pytest.mark.parametrize(
    "words", [(), ("--network", "mlp"), ("--network", "cnn", "--budget-parameters", "0")], ids=["none", "mlp", "zero"]
)
def test_what_cannot_be_ranked_is_refused(rigwright: Any, words: tuple[str, ...]) -> None:
    ended = rigwright("gpus", *words)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr != ""
