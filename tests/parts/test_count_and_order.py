"""How many parts a question finds, and the figure that its list is sorted by."""

import pytest

from core.parts.query import BY_TITLE, Query, candidates
from core.parts.vocabulary import Category


def test_the_limit_does_not_change_the_count(catalogue):
    assert catalogue.count(Query(limit=1)) == 3


@pytest.mark.parametrize("text", ["", "3090"])
def test_a_list_tells_the_figure_it_is_sorted_by(catalogue, text):
    hits = catalogue.find(Query(text, Category.GPU, sort="width_slots", descending=True))
    assert [hit.figure for hit in hits] == [3.5, 2]


def test_parts_without_the_figure_come_last_and_tell_none(catalogue):
    assert [hit.figure for hit in catalogue.find(Query("", Category.GPU, sort="length_mm"))] == [338, None]


@pytest.mark.parametrize("sort", ["", BY_TITLE])
def test_a_list_sorted_by_no_figure_tells_none(catalogue, sort):
    assert {hit.figure for hit in catalogue.find(Query("3090", sort=sort))} == {None}


def test_the_index_of_words_is_asked_once_and_not_for_every_part(catalogue):
    (question, *_) = candidates(Query("3090", Category.GPU))
    plan = catalogue._rows(f"EXPLAIN QUERY PLAN {question.sql}", question.values)
    assert "part_words" in plan[0][3]
