"""Commands about parts: what is typed wrong, what comes back, what is refused."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from core.parts.entered import as_typed
from core.parts.part import Evidence, Part
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from tests.cli.conftest import Run
from tests.shipped import every_part

CARD = "asus-turbo-rtx-3090-24g"
MINE = ("--category", "psu", "--maker", "Me", "--name", "Mine")


def test_a_price_in_a_list_is_an_object_of_its_own(rigwright: Any) -> None:
    assert rigwright("parts", "set", CARD, "--price", "1499 USD 2026-05-31").returncode == 0
    hits = json.loads(rigwright("parts", "search", CARD.replace("-", " "), "--json").stdout)
    (price,) = [hit["price"] for hit in hits if hit["id"] == CARD]
    assert price == {"amount": 1499, "currency": "USD", "as_of": "2026-05-31", "kind": "own"}


def test_words_searched_instead_are_reported_beside_the_result(rigwright: Any) -> None:
    ended = rigwright("parts", "search", "treadripper", "--json")
    assert ended.stderr == 'Nothing matches "treadripper"; shown: "threadripper".\n'
    assert all("Threadripper" in hit["title"] or hit["category"] != "cpu" for hit in json.loads(ended.stdout))


def test_a_limit_finds_numbers_that_are_words(rigwright: Any) -> None:
    for limit in ("compute_capability=8.6", "memory_gb=24", "memory_gb=24|48"):
        assert json.loads(rigwright("parts", "search", "--where", limit, "--json").stdout) != [], limit


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("set", CARD, "category=psu"), "stays in its category"),
        (("set", CARD, "length_mm=" + "9" * 5000), "length_mm: "),
        (("set", CARD, "length_mm=" + "[" * 5000), "length_mm: "),
        (("set", CARD, "length_mm=268", "--source", "x"), "title of the correction"),
        (("set", CARD, 'noise=[{"condition": "load"}]'), "noise.0.level_dba: this is missing. Nothing was saved."),
        (
            ("set", CARD, 'noise=[{"condition": "load", "level_dba": "loud"}]'),
            "noise.0.level_dba: 'loud' is not a number",
        ),
        (("set", CARD, 'power_connectors=[{"kind": "pcie_9pin", "count": 1}]'), "power_connectors.0.kind: 'pcie_9pin'"),
        (("set", CARD, 'noise=[{"condition": '), "noise: "),
        (("set", CARD), "Nothing to set"),
        (("set", "\udcff", "length_mm=268"), "not UTF-8 text"),
        (("show", "\udcff"), "not UTF-8 text"),
        (("show", "../../etc/passwd"), "no part"),
        (("new", "a/b", "--category", "gpu", "--maker", "M", "--name", "N", "product=P"), "id: "),
        (("new", "a-b", "--category", "gpu", "--maker", "M", "--name", "\x1b[2J", "product=P"), "cannot be shown"),
        (("export", "-o", "/"), "cannot be written"),
        (("prices-out", "-o", "/"), "cannot be written"),
        (("new", "mine", *MINE, "power_w=1000", "--url", "example.org"), "The url of the source"),
    ],
)
def test_what_cannot_be_is_one_sentence(rigwright: Any, words: tuple[str, ...], sentence: str) -> None:
    ended = rigwright("parts", *words)
    assert (ended.returncode, sentence in ended.stderr) == (2, True), ended.stderr
    assert "Traceback" not in ended.stderr
    assert "\x1b" not in ended.stderr
    assert rigwright("parts", "own", "--json").stdout.strip() == "[]"


def test_a_corrected_part_that_comes_back_stays_a_correction(rigwright: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "mine.json")
    rigwright("parts", "set", CARD, "length_mm=270")
    rigwright("parts", "new", "my-psu", "power_w=1000", *MINE)
    before = rigwright("parts", "own", "--json").stdout
    assert rigwright("parts", "export", "-o", file).returncode == 0
    assert json.loads(rigwright("parts", "take", file, "--json").stdout) == {"taken": 0, "same": 2}
    assert rigwright("parts", "own", "--json").stdout == before
    rigwright("parts", "remove", CARD)
    assert json.loads(rigwright("parts", "take", file, "--json").stdout) == {"taken": 1, "same": 1}


def test_an_id_that_is_none_is_told_what_makes_one(rigwright: Any) -> None:
    new = rigwright("parts", "new", "My PSU", *MINE)
    assert new.returncode == 2
    assert "id: 'My PSU' is not an id; use lowercase letters, digits and single hyphens" in " ".join(new.stderr.split())


@pytest.mark.parametrize("part_id", [CARD, "asus-x99-e-ws", "corsair-ax1600i"])
def test_what_show_prints_makes_a_part_like_it_and_corrects_one(rigwright: Any, part_id: str) -> None:
    spec = json.loads(rigwright("parts", "show", part_id, "--json").stdout)["spec"]
    command = shlex.split(rigwright("parts", "show", part_id, "--as-command").stdout)
    assert command[0] == "rigwright"
    made = rigwright(*command[1:])
    assert made.returncode == 0, made.stderr
    assert json.loads(rigwright("parts", "show", f"my-{part_id}", "--json").stdout)["spec"] == spec
    shown = [line.split()[-1] for line in rigwright("parts", "show", part_id).stdout.splitlines() if line]
    assert set(spec) - {"category"} <= set(shown), "each figure stands beside its name in commands"
    figures = [word for word in command if word.partition("=")[0] in spec]
    assert len(figures) > 10
    assert rigwright("parts", "set", part_id, *figures).returncode == 0
    assert json.loads(rigwright("parts", "show", part_id, "--json").stdout)["spec"] == spec


def test_nested_figures_may_be_json_or_toml(rigwright: Any) -> None:
    for typed in ('[{"kind": "pcie_8pin", "count": 3}]', '[{ kind = "pcie_8pin", count = 3 }]'):
        rigwright("parts", "remove", CARD)
        assert rigwright("parts", "set", CARD, f"power_connectors={typed}").returncode == 0
        spec = json.loads(rigwright("parts", "show", CARD, "--json").stdout)["spec"]
        assert spec["power_connectors"] == [{"kind": "pcie_8pin", "count": 3}]


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ("[{}]", "part ?: id: this is missing. Nothing was saved."),
        ('[{"id": 5}]', "part 5: id: '5' is not an id"),
        ('[{"id": "a", "spec": 5}]', "part a: maker: this is missing"),
        ("[5]", "is not a list of parts"),
        ("[" * 3000 + "]" * 3000, "nested too deeply"),
        ('[{"id": ' + "[" * 50 + "]" * 50 + "}]", "id: "),
        (f'[{{"id": "a", "year": {"9" * 5000}}}]', "more than 300 digits"),
    ],
    ids=lambda text: text[:30],
)
def test_a_file_of_parts_that_are_none_is_one_sentence(
    rigwright: Any, tmp_path: Path, parts: str, sentence: str
) -> None:
    file = tmp_path / "mine.json"
    file.write_text(f'{{"format": "rigwright-parts", "version": 1, "parts": {parts}}}')
    ended = rigwright("parts", "take", str(file))
    assert (ended.returncode, sentence in ended.stderr) == (2, True), ended.stderr[:400]


def test_show_tells_a_figure_of_the_chip_from_one_of_the_card(rigwright: Any) -> None:
    lines = rigwright("parts", "show", "asus-rog-strix-rtx-3090").stdout.splitlines()
    shown = {row[-1]: row[1:-2] for line in lines if len(row := re.split(r"  +", line.strip())) == 5}
    assert shown["power_limit_w"] == ["350\N{NO-BREAK SPACE}W", "from the chip"]
    assert shown["memory_gb"] == ["24\N{NO-BREAK SPACE}GB", "confirmed"]


def test_an_unknown_price_is_shown_as_an_estimate_with_what_it_rests_on(rigwright: Any) -> None:
    words = ("new", "my-psu", "--category", "psu", "--maker", "Mine", "--name", "1000 W", "power_w=1000")
    assert rigwright("parts", *words, "form_factor=ATX").returncode == 0
    estimate = json.loads(rigwright("parts", "show", "my-psu", "--json").stdout)["price_estimate"]
    assert 0 < estimate["low"] < estimate["high"] and estimate["similar_parts"] >= 3
    assert f"estimated from {estimate['similar_parts']} similar parts" in rigwright("parts", "show", "my-psu").stdout


def test_what_a_part_is_sold_for_used_is_shown_with_month_and_sources(rigwright: Any) -> None:
    used = json.loads(rigwright("parts", "show", "nvidia-tesla-p40", "--json").stdout)["price_used"]
    assert used["basis"] == "used_band" and used["low"] < used["middle"] < used["high"]
    assert {source["title"][:9] for source in used["sources"]} >= {"GPU Dojo "}
    printed = rigwright("parts", "show", "nvidia-tesla-p40").stdout
    assert re.search(r"^Used price +about ", printed, re.M) and used["prices_since"][:7] in printed


def test_a_list_of_used_prices_is_taken_as_such(rigwright: Any, tmp_path: Path) -> None:
    (tmp_path / "used.csv").write_text("id,amount,currency\nasus-turbo-rtx-3090-24g,777,USD\n")
    assert rigwright("parts", "prices", str(tmp_path / "used.csv"), "--kind", "used").returncode == 0
    price = json.loads(rigwright("parts", "show", "asus-turbo-rtx-3090-24g", "--json").stdout)["price"]
    assert (price["amount"], price["kind"]) == (777, "used")
    refused = rigwright("parts", "prices", str(tmp_path / "used.csv"), "--kind", "launch")
    assert (refused.returncode, "--kind is street or used" in refused.stderr) == (2, True)


def test_a_check_ends_with_the_price_of_the_parts_and_its_date(rigwright: Any) -> None:
    ended = rigwright("check", "digits-devbox")
    assert re.search(r"^Price  +\d", ended.stdout, re.M) and "The oldest price is of 20" in ended.stdout
    assert "GTX TITAN X (Maxwell) (999 USD, launch, 2015-03-17)" in ended.stdout, "named, and not counted"
    price = json.loads(rigwright("check", "digits-devbox", "--json").stdout)["price"]
    assert price["totals"][0]["low"] <= price["totals"][0]["high"] and price["since"] <= price["until"]
    (total,) = price["totals"]
    assert 0 < price["over_a_year_old"] <= total["known"]["parts"] + total["estimated"]["parts"]
    assert f"{round(100 * total['estimated']['share'])} % estimated" in ended.stdout
    assert set(price["not_counted"]) <= {*price["estimates"], *price["unpriced_ids"]}


def test_a_list_by_price_is_in_one_currency_with_the_age_of_each(rigwright: Any) -> None:
    words = ("parts", "search", "--category", "gpu", "--sort", "price", "--limit", "150")
    printed = rigwright(*words).stdout
    dated = r"(?:≈ (\d+) USD \((?:launch )?20\d\d-\d\d|(\d+) USD, (?:20\d\d-\d\d|used))"
    amounts = [float(brought or counted) for brought, counted in re.findall(dated, printed)]
    assert len(amounts) > 100 and "CNY" not in printed
    assert amounts == sorted(amounts)
    currencies = {hit["price"]["currency"] for hit in json.loads(rigwright(*words, "--json").stdout)}
    assert currencies > {"USD"}, "each keeps its own in JSON"


def test_what_an_older_price_makes_of_today_is_told_from_a_price(rigwright: Any) -> None:
    (hit,) = json.loads(rigwright("parts", "search", "intel arc pro b70", "--json").stdout)
    assert hit["price"]["kind"] == "launch" and hit["price"]["amount"] == 949
    (amount,) = re.findall(r"≈ (\d+) USD \(launch 2026-03\)", rigwright("parts", "search", "intel arc pro b70").stdout)
    assert float(amount) == pytest.approx(hit["shown_price"]["amount"], abs=1)


def test_the_currency_of_totals_is_set_once_and_named_with_its_rate(rigwright: Any) -> None:
    before = json.loads(rigwright("check", "digits-devbox", "--json").stdout)["price"]["estimates"]
    set_so = rigwright("parts", "currency", "eur", "--rate", "USD=0.5@2026-11-20")
    assert set_so.stdout.startswith("Prices are shown in EUR, VAT unchanged. Rates: 1 USD is 0.5 (2026-11-20).")
    after = json.loads(rigwright("check", "digits-devbox", "--json").stdout)["price"]
    (total,) = after["totals"]
    assert total["currency"] == "EUR"
    dollars = {part_id: one["low"] for part_id, one in before.items() if one["currency"] == "USD"}
    euros = {part_id: after["estimates"][part_id]["low"] for part_id in dollars}
    assert dollars and euros == {part_id: pytest.approx(low / 2, abs=0.01) for part_id, low in dollars.items()}
    assert "1 USD is 0.5 EUR, as of 2026-11-20." in after["notes"]
    assert "1 USD is 0.5 EUR" in rigwright("check", "digits-devbox").stdout
    assert rigwright("parts", "currency", "none").stdout.startswith("Each price is shown in its own currency")


def test_a_public_list_is_taken_and_what_it_has_more_is_kept_aside(rigwright: Any, tmp_path: Path) -> None:
    (tmp_path / "set.csv").write_text("name,price\nASUS turbo RTX3090 24G,1299\nnobody,5\n")
    assert "which currency" in rigwright("parts", "prices", "set.csv", folder=tmp_path).stderr
    words = ("--currency", "usd", "--date", "2026-11-01", "--source", "A shop's list", "--aside", "aside.csv")
    ended = rigwright("parts", "prices", "set.csv", *words, folder=tmp_path)
    assert ended.returncode == 0
    assert "Prices: 1 new. 1 line matches no part." in ended.stdout
    assert re.search(rf"{CARD} +new .*1299 USD, street, 2026-11-01 +−13 %", ended.stdout)
    assert "line 3: no part matches nobody" in ended.stderr
    assert "nobody" in (tmp_path / "aside.csv").read_text(encoding="utf-8")
    shown = rigwright("parts", "show", CARD).stdout
    assert re.search(r"^Price +1299(\.00)? USD, street, 2026-11-01", shown, re.M) and "1  A shop's list" in shown
    assert rigwright("parts", "prices-undo").stdout == "1 price is as it was before.\n"
    assert "1499 USD, launch" in rigwright("parts", "show", CARD).stdout


@pytest.mark.parametrize("category", Category)
@pytest.mark.parametrize("whole", [False, True])
def test_a_new_part_confirms_what_was_entered_and_nothing_else(
    rigwright: Run, category: Category, *, whole: bool
) -> None:
    """Of every category, with the figures that it needs, and with all that any shipped part has."""
    fields = spec_model(category).model_fields
    of_category = (part.spec for part in every_part() if part.category is category)
    dumps = (spec.model_dump(mode="json", exclude_none=True, exclude_defaults=True) for spec in of_category)
    values: dict[str, Any] = max(dumps, key=len)
    names = [name for name in values if name != "category" and (whole or fields[name].is_required())]
    entered = {name: values[name] for name in names}
    words = [as_typed(category, name, value) for name, value in entered.items()]
    named = ("--category", category.value, "--maker", "Me", "--name", "Mine", "--url", "https://example.org/x")
    made = rigwright("parts", "new", "mine", "--json", *named, "--", *words)
    assert made.returncode == 0, made.stderr
    part = Part.model_validate_json(made.stdout)
    confirmed = {field for field in fields if field != "category" and part.evidence(field) is Evidence.CONFIRMED}
    assert confirmed == set(entered)


def test_a_default_that_was_typed_is_confirmed_and_an_empty_table_is_not(rigwright: Run) -> None:
    named = ("--category", "gpu", "--maker", "Me", "--name", "Mine", "--url", "https://example.org/x", "noise=[]")
    figures = ("product=GeForce RTX 3090", "cooling=blower", "width_slots=2", "memory_gb=24", "form=pcie_card")
    made = rigwright("parts", "new", "mine", "--json", *named, *figures)
    fields = json.loads(made.stdout)["sources"][0]["fields"]
    assert fields == ["cooling", "form", "memory_gb", "product", "width_slots"]
