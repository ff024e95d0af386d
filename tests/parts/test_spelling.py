"""Words as people type them, with errors, numbers and other names, and what the shipped catalogue shows first."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.catalogue import Catalogue
from core.parts.part import Part
from core.parts.query import Filter, Query
from core.parts.spelling import counted, distance, unknown_words
from core.parts.vocabulary import Category
from core.plan.templates import usual_parts


@pytest.fixture(scope="module")
def shipped(module_data_dir: Path) -> Iterator[Catalogue]:
    with closing(Catalogue(module_data_dir)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("typed", "searched", "category", "title"),
    [
        ("treadripper", "threadripper", Category.CPU, "Threadripper"),
        ("treadr", "threadripper", Category.CPU, "Threadripper"),
        ("motherbord", "motherboard", Category.MOTHERBOARD, ""),
        ("gigabite 3090", "gigabyte 3090", Category.GPU, "3090"),
        ("corsiar psu", "corsair psu", Category.PSU, "Corsair"),
        ("supermirco", "supermicro", None, "Supermicro"),
        ("4090ti", "4090", Category.GPU, "4090"),
        ("rtx 4090 nonsens", "rtx 4090", Category.GPU, "4090"),
        ("4x 4090ti", "4090", Category.GPU, "4090"),
    ],
)
def test_typing_errors(shipped: Catalogue, typed: str, searched: str, category: Category | None, title: str) -> None:
    answer = shipped.answer(Query(typed))
    assert (answer.query.text, len(answer.unknown)) == (searched, 1)
    assert answer.unknown[0] in typed
    assert title in answer.hits[0].title
    assert category in (None, answer.hits[0].category)


@pytest.mark.parametrize(
    ("typed", "category", "title"),
    [
        ("RTX PRO 6000", Category.GPU, "RTX PRO 6000"),
        ("rtx 4090", Category.GPU, "RTX 4090"),
        ("3090", Category.GPU, "3090"),
        ("3090ti", Category.GPU, "3090 Ti"),
        ("H200", Category.GPU, "H200"),
        ("h100", Category.GPU, "H100"),
        ("a6000", Category.GPU, "A6000"),
        ("quadro a6000", Category.GPU, "RTX A6000"),
        ("quadro rtx pro 6000", Category.GPU, "RTX PRO 6000"),
        ("4090 water block", Category.WATER_BLOCK, "4090"),
        ("h100 nvlink bridge", Category.NVLINK_BRIDGE, "H100"),
        ("psu", Category.PSU, ""),
        ("PSU 1600", Category.PSU, "1600"),
        ("psu cable", Category.CABLE, "cable"),
        ("mobo", Category.MOTHERBOARD, ""),
        ("mainboard", Category.MOTHERBOARD, ""),
        ("video card", Category.GPU, ""),
        ("Grafikkarte", Category.GPU, ""),
        ("Netzteil", Category.PSU, ""),
        ("Gehäuse", Category.CASE, ""),
        ("gehause", Category.CASE, ""),
        ("Lüfter", Category.FAN, ""),
        ("显卡", Category.GPU, ""),
        ("顯示卡", Category.GPU, ""),
        ("主板", Category.MOTHERBOARD, ""),
        ("主機板", Category.MOTHERBOARD, ""),
        ("電源供應器", Category.PSU, ""),
        ("機殼", Category.CASE, ""),
        ("風扇", Category.FAN, ""),
        ("記憶體", Category.RAM, ""),
        ("2x 16gb", Category.RAM, "2 x 16 GB"),
        ("4090 FE", Category.GPU, "4090 Founders Edition"),
        ("3090fe", Category.GPU, "3090 Founders Edition"),
        ("华硕 3090", Category.GPU, "ASUS"),
        ("技嘉 显卡", Category.GPU, "Gigabyte"),
        ("超微 主板", Category.MOTHERBOARD, "Supermicro"),
        ("epyc turin", Category.CPU, "EPYC 9"),
        ("genoa 64 cores", Category.CPU, "EPYC 9"),
        ("sp5 board", Category.MOTHERBOARD, ""),
    ],
)
def test_the_first_part_shown(shipped: Catalogue, typed: str, category: Category, title: str) -> None:
    answer = shipped.answer(Query(typed))
    first = answer.hits[0]
    assert (answer.unknown, answer.quantity, first.category) == ((), None, category)
    assert title in first.title


@pytest.mark.parametrize("text", ["4090", "h200"])
def test_cards_come_before_all_that_is_made_for_them(shipped: Catalogue, text: str) -> None:
    for filters in ((), (Filter("maker", tuple({hit.title.split()[0] for hit in shipped.search(text)})),)):
        categories = [hit.category for hit in shipped.find(Query(text, filters=filters))]
        last_card = max(place for place, category in enumerate(categories) if category is Category.GPU)
        accessories = {Category.WATER_BLOCK, Category.NVLINK_BRIDGE} & set(categories)
        assert accessories
        assert min(map(categories.index, accessories)) > last_card


def test_a_short_list_is_not_filled_by_accessories(shipped: Catalogue) -> None:
    assert [hit.category for hit in shipped.search("a6000", limit=1)] == [Category.GPU]


@pytest.mark.parametrize(
    "text", ["nosuchpart", "asus-turbo-rtx-3090-24", "zzzz qqqq 3090", "2x nosuchpart", "3090 noctua"]
)
def test_where_no_other_words_help_nothing_is_found(shipped: Catalogue, text: str) -> None:
    answer = shipped.answer(Query(text))
    assert (answer.hits, answer.unknown, answer.left_out) == ([], (), ())


@pytest.mark.parametrize(
    ("typed", "category", "title", "left_out"),
    [
        ("gpu", Category.GPU, "", ()),
        ("used gpu", Category.GPU, "", ("used",)),
        ("motherboard", Category.MOTHERBOARD, "", ()),
        ("PNY RTX 5090 OC", Category.GPU, "5090", ()),
        ("PEX88096 switch board", Category.CARRIER, "PEX88096", ("board",)),
        ("PEX88096 backplane", Category.CARRIER, "PEX88096", ()),
        ("PEX88096 switch", Category.CARRIER, "PEX88096", ()),
        ("MCIO to x16 adapter", Category.CARRIER, "MCIO", ()),
        ("open frame mining rig 8 GPU", Category.CASE, "eight cards", ("rig", "8", "GPU")),
        ("breakout board server PSU", Category.PSU, "breakout board", ()),
        ("Dell 1600W server PSU breakout", Category.PSU, "Dell", ()),
        ("used RTX 3090", Category.GPU, "3090", ("used",)),
        ("Corsair AX1600i 1600W PSU", Category.PSU, "AX1600i", ()),
        ("RTX 3090 24GB", Category.GPU, "3090", ()),
        ("RTX 3090 24 GB", Category.GPU, "3090", ()),
        ("RTX 4090 D", Category.GPU, "4090 D", ()),
        ("3090 seasonic noctua", Category.PSU, "Noctua Edition", ("3090",)),
    ],
)
def test_words_too_many_hide_nothing(
    shipped: Catalogue, typed: str, category: Category, title: str, left_out: tuple[str, ...]
) -> None:
    answer = shipped.answer(Query(typed))
    assert answer.hits, typed
    assert (answer.hits[0].category, {*answer.unknown, *answer.left_out}) == (category, set(left_out))
    assert title in answer.hits[0].title


def test_a_word_of_another_category_is_left_out(shipped: Catalogue) -> None:
    answer = shipped.answer(Query("seasonic noctua 3090", Category.PSU))
    assert {hit.category for hit in answer.hits} == {Category.PSU}
    assert (answer.query.text, answer.left_out) == ("seasonic noctua", ("3090",))


def test_a_limit_on_figures_leaves_no_word_out(shipped: Catalogue) -> None:
    nothing = Query("rtx 3090", Category.GPU, (Filter("memory_gb", low=1e6),))
    answer = shipped.answer(nothing)
    assert (answer.hits, answer.query, answer.left_out) == ([], nothing, ())


def test_a_letter_of_a_model_number_is_no_typing_error(shipped: Catalogue) -> None:
    assert shipped.answer(Query("epyc 7v22")).hits == [], "the 7H12 is another CPU"


def test_a_number_is_never_taken_for_another(shipped: Catalogue) -> None:
    assert shipped.answer(Query("asus rtx 3095")).query.text == "asus rtx"


def test_words_of_a_part_saved_since_are_near(module_data_dir: Path, own_part: Callable[..., Part]) -> None:
    with closing(Catalogue(module_data_dir)) as earlier, closing(Catalogue(module_data_dir)) as other:
        assert earlier.answer(Query("zyxwvutt")).hits == []
        other.save_user_part(own_part(name="Zyxwvut"))
        assert [hit.id for hit in earlier.answer(Query("zyxvwut")).hits] == ["own-card"]
        other.delete_user_part("own-card")
        assert earlier.answer(Query("zyxvwut")).hits == []


def test_the_answer_counts_as_its_question(shipped: Catalogue) -> None:
    answer = shipped.answer(Query("2x motherbord", limit=1000))
    assert shipped.count(answer.query) == len(answer.hits)


@pytest.mark.parametrize(
    ("typed", "quantity", "text"),
    [
        ("4x 4090", 4, "4090"),
        ("4 x rtx 3090", 4, "rtx 3090"),
        ("2× psu", 2, "psu"),
        ("2×psu", 2, "psu"),
        ("8X H100", 8, "H100"),
        ("2 slot", None, "2 slot"),
        ("x16 riser", None, "x16 riser"),
        ("8x", None, "8x"),
        ("8x ", None, "8x "),
        ("8x lanes", None, "8x lanes"),
        ("X99", None, "X99"),
        ("2x 16 GB", None, "2x 16 GB"),
        ("3x 8-pin", None, "3x 8-pin"),
        ("0x 4090", None, "0x 4090"),
        ("4090 x 2", None, "4090 x 2"),
        ("5090 x trio", None, "5090 x trio"),
        ("4x -", None, "4x -"),
    ],
)
def test_how_many_are_wanted(typed: str, quantity: int | None, text: str) -> None:
    assert counted(typed) == (quantity, text)


@pytest.mark.parametrize(
    ("one", "other", "steps", "begun"),
    [
        ("treadripper", "threadripper", 1, 1),
        ("noctau", "noctua", 1, 1),
        ("corsair", "corsair", 0, 0),
        ("treadr", "threadripper", 6, 1),
        ("ca", "abc", 3, 1),
        ("", "abc", 3, 0),
        ("abc", "", 3, 3),
    ],
)
def test_steps_from_word_to_word(one: str, other: str, steps: int, begun: int) -> None:
    assert distance(one, other) == steps
    assert distance(one, other, unfinished=True) == begun


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_steps_are_the_same_both_ways(one: str, other: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert abs(len(one) - len(other)) <= distance(one, other) <= max(len(one), len(other))
    assert distance(one, other, unfinished=True) == min(distance(one, other[:end]) for end in range(len(other) + 1))


def test_what_was_searched_instead_is_reported() -> None:
    assert unknown_words(("treadripper",), "threadripper") == 'Nothing matches "treadripper"; shown: "threadripper".'
    assert unknown_words(("ab", "cd"), "3090") == 'Nothing matches "ab" or "cd"; shown: "3090".'
    both = 'No part has all these words. Left out: "ab" and "cd"; shown: "3090".'
    assert unknown_words(("ab",), "3090", ("cd",)) == both


def test_what_a_build_lacks_comes_first_among_answers_about_as_good(shipped: Catalogue) -> None:
    lacking = frozenset({Category.PSU})
    assert shipped.find(Query(first=lacking))[0].category is Category.PSU, "without words"
    assert shipped.find(Query(first=lacking | {Category.GPU}))[0].category is Category.GPU, "as one chooses them"
    corsair = shipped.find(Query("corsair", first=lacking))
    assert corsair[0].category is Category.PSU
    assert {hit.id for hit in corsair} == {hit.id for hit in shipped.find(Query("corsair"))}
    assert shipped.find(Query("rtx 4090", first=lacking))[0].category is Category.GPU
    assert shipped.find(Query("ax1600i", first=frozenset({Category.GPU})))[0].category is Category.PSU


def test_what_people_choose_comes_first_without_words(shipped: Catalogue) -> None:
    lacking, chosen = frozenset({Category.PSU, Category.GPU}), usual_parts()
    assert all(map(shipped.part, chosen))
    every = shipped.find(Query(first=lacking, chosen=chosen, limit=10_000))
    assert {hit.id for hit in every[: len(chosen)]} == chosen
    cards = [hit for hit in every[: len(chosen)] if hit.category is Category.GPU]
    assert every[: len(cards)] == cards
    assert [hit.price is None for hit in cards] == sorted(hit.price is None for hit in cards)
    psus = shipped.find(Query(category=Category.PSU, chosen=chosen, limit=10_000))
    assert {hit.id for hit in psus[:3]} <= chosen
    assert {hit.id for hit in psus} == {hit.id for hit in shipped.find(Query(category=Category.PSU, limit=10_000))}
    by_power = Query(category=Category.PSU, sort="power_w", chosen=chosen)
    assert shipped.find(by_power) == shipped.find(Query(category=Category.PSU, sort="power_w")), "an order holds"
    assert shipped.find(Query("corsair", chosen=chosen)) == shipped.find(Query("corsair"))


def test_counts_per_category_follow_the_words(shipped: Catalogue) -> None:
    every, worded = shipped.counts(), shipped.counts("rtx 4090")
    assert 0 < worded[Category.GPU] < every[Category.GPU]
    assert worded[Category.RAM] == 0
    assert set(worded) == set(Category)
    assert worded[Category.GPU] == shipped.count(Query("rtx 4090", Category.GPU))
    assert shipped.counts("  ") == every
    assert sum(shipped.counts("nonsenseword").values()) == 0
