"""Wherever the terminal shows a price it is in the currency that is set, and a budget is beside the total."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from core.parts.money import PER_USD, MoneyTerms, write_terms

PLAN = "four-used-rtx-3090"
FOREIGN = re.compile(rf"\b(?:{'|'.join(set(PER_USD) - {'EUR'})})\b|[$£¥]")
RATE = re.compile(r"1 [A-Z]{3} is [\d.e-]+ EUR, as of [\d-]+\.")
"""The note of a rate names both currencies."""
LISTED = re.compile(r"; listed at [^\n]*(?:\n\s+[^\n]*\d{4}-\d\d-\d\d)?")
"""What the page of a part says of the price as its source has it."""


@pytest.fixture
def euros(rigwright: Any, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    write_terms(data_dir, MoneyTerms(currency="EUR"))
    monkeypatch.setenv("COLUMNS", "180")
    return rigwright


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("parts", "search", "3090"),
    ("parts", "search", "3090", "--sort", "price"),
    ("parts", "search", "--category", "psu", "--sort", "price_per_w", "--limit", "5"),
    ("parts", "search", "--category", "gpu", "--budget", "900"),
    ("parts", "search", "--category", "gpu", "--facets"),
    ("parts", "show", "corsair-ax1600i"),
    ("parts", "show", "msi-rtx-5090-32g-gaming-trio-oc"),
    ("predict", PLAN),
    ("check", PLAN),
    ("check", "six-rtx-3090-first-attempt", "--fixes"),
    ("fix", "six-rtx-3090-first-attempt"),
    ("compare", PLAN, "two-rtx-5090-desktop"),
    *(("share", PLAN, "--as", form) for form in ("markdown", "bbcode", "text", "table")),
    ("gpus", "--network", "cnn", "--limit", "30"),
    ("gpus", "--network", "cnn", "--limit", "30", "--by-price", "--budget", "2000", "--memory", "16"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_shows_prices_in_the_set_currency_alone(euros: Any, words: tuple[str, ...]) -> None:
    ended = euros(*words)
    assert ended.returncode in (0, 1), ended.stderr
    text = LISTED.sub("", RATE.sub("", ended.stdout))
    assert "EUR" in text
    assert not FOREIGN.findall(text), [line for line in text.splitlines() if FOREIGN.search(line)]


@pytest.mark.parametrize("columns", ["80", "180"])
def test_a_search_shows_the_price_however_narrow_the_terminal_is(
    euros: Any, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert "EUR" in euros("parts", "search", "corsair ax1600i").stdout


@pytest.mark.parametrize("kind", ["html", "json"])
def test_a_report_and_the_one_page_are_in_it_too(euros: Any, tmp_path: Path, kind: str) -> None:
    for command in ("report", "share") if kind == "html" else ("report",):
        out = tmp_path / f"{command}.{kind}"
        ended = euros(command, PLAN, "-o", str(out))
        assert ended.returncode == 0, ended.stderr
        text = out.read_text(encoding="utf-8")
        if kind == "html":
            text = RATE.sub("", re.sub(r"<[^>]*>", " ", text))
            assert "EUR" in text and not FOREIGN.findall(text)
        else:
            document = json.loads(text)["data"] if "data" in json.loads(text) else json.loads(text)
            (total,) = document["price"]["totals"]
            assert total["currency"] == "EUR"
            stored = [part["price"]["currency"] for part in document["build"]["parts"].values() if "price" in part]
            assert "USD" in stored, "what was paid where and when stays as it is"


def test_json_keeps_the_price_as_it_is_stored_beside_the_one_that_is_shown(euros: Any) -> None:
    assert euros("parts", "set", "corsair-ax1600i", "--price", "500 USD").returncode == 0
    (row,) = json.loads(euros("parts", "search", "corsair ax1600i", "--json").stdout)
    assert (row["price"]["amount"], row["price"]["currency"], row["price"]["kind"]) == (500, "USD", "own")
    assert row["shown_price"] == {
        "amount": pytest.approx(500 * PER_USD["EUR"], abs=0.01),
        "currency": "EUR",
        "estimated": False,
    }
    estimates = json.loads(euros("predict", PLAN, "--json").stdout)["price"]["estimates"].values()
    assert {one["currency"] for one in estimates} == {"EUR"}
    own = [one["price"] for one in estimates if "price" in one]
    assert "USD" in {price["currency"] for price in own} and all(price["as_of"] for price in own)


def test_a_budget_is_set_shown_kept_to_and_removed(euros: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "x.rig.json")
    assert euros("new", file, "--template", PLAN).returncode == 0
    assert "Budget: 20 000 EUR; was none." in euros("set", file, "--budget", "20000").stdout.replace("\u202f", " ")
    check = json.loads(euros("check", file, "--json").stdout)["budget"]
    assert (check["currency"], check["amount"], check["state"]) == ("EUR", 20000, "open")
    for command in ("predict", "check", "compare"):
        words = (command, file, PLAN) if command == "compare" else (command, file)
        assert "Budget" in euros(*words).stdout, command
    fitting = euros("parts", "fits", file, "psu", "--within-budget", "--limit", "3")
    assert "The budget leaves" in fitting.stdout and "without a price of today" in fitting.stdout
    assert "Budget: none; was" in euros("set", file, "--budget", "none").stdout
    assert "has no budget" in euros("parts", "fits", file, "psu", "--within-budget").stderr


def test_a_search_within_a_budget_leaves_out_what_costs_more_and_counts_what_has_no_price(euros: Any) -> None:
    ended = euros("parts", "search", "--category", "gpu", "--budget", "1000 USD", "--limit", "1000", "--json")
    rows = json.loads(ended.stdout)
    assert rows and max(row["shown_price"]["amount"] for row in rows) <= 1000 * PER_USD["EUR"]
    assert "without a price of today are left out" in ended.stderr
    assert euros("parts", "search", "--budget", "5 VND").returncode == 2


def test_gpus_are_narrowed_to_what_fits_within_a_price_and_with_enough_memory(euros: Any) -> None:
    words = ("gpus", "--network", "cnn", "--limit", "1000", "--json")
    limits = ("--memory", "24", "--budget", "4000", "--fits", "four-rtx-4090-blower-epyc", "--replace", "4090")
    every, few = (json.loads(euros(*words, *more).stdout) for more in ((), limits))
    assert every["narrowed_out"] == {}
    assert 0 < len(few["gpus"]) < len(every["gpus"])
    assert all(row["compared_price"]["amount"] <= 4000 for row in few["gpus"])
    assert {"memory", "fit", "unpriced", "dear"} >= set(few["narrowed_out"]) and few["narrowed_out"]["memory"]
    assert len(few["gpus"]) + sum(few["narrowed_out"].values()) + len(few["left_out"]) == len(every["gpus"]) + len(
        every["left_out"]
    )
