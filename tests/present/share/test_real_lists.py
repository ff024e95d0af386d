"""Lists that people made, retold in lists/: each line's reviewed part, or that it is similar to some or unknown.

Each file has its source, the list, and a row for each line that is reported: count, state, part, text.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.catalogue import Catalogue
from core.parts.compute import GpuSpec
from core.parts.identity import Identities, PartName
from core.parts.part import Origin, Part
from core.parts.vocabulary import Category
from core.present.share.list_entries import read_entries
from core.present.share.list_lines import LineReader, ListLine, State
from core.present.share.part_list import build_from, read_part_list
from tests.present.share.test_list_forms import lines_of

FOLDER = Path(__file__).parent / "lists"
RULE = "\n-----\n"


@dataclass(frozen=True)
class Case:
    """A list and what is expected of it."""

    name: str
    text: str
    rows: tuple[str, ...]


def _case(path: Path) -> Case:
    source, text, rows = path.read_text(encoding="utf-8").split(RULE)
    assert source.startswith("source: ")
    return Case(path.name, text, tuple(rows.splitlines()))


CASES = [_case(path) for path in sorted(FOLDER.iterdir())]


def _row(line: ListLine) -> str:
    return f"{line.count}x {line.state.value} {line.part.id if line.part else '-'} | {line.text}"


def test_each_line_of_a_real_list_is_its_part_or_no_part(catalogue: Catalogue) -> None:
    read = {case.name: read_part_list(case.text, catalogue) for case in CASES}
    differing = {
        case.name: [*set(map(_row, read[case.name].lines)) ^ set(case.rows)] or "another order"
        for case in CASES
        if tuple(map(_row, read[case.name].lines)) != case.rows
    }
    assert differing == {}
    for name, part_list in read.items():
        build, left = build_from(part_list.lines, name, catalogue.part)
        assert left == (), name
        assert sum(line.quantity for line in build.lines) == sum(line.count for line in part_list.recognised), name


def test_how_many_lines_of_real_lists_are_recognised() -> None:
    states = Counter(row.split()[1] for case in CASES for row in case.rows)
    assert len(CASES) >= 80
    assert states["exact"] + states["chosen"] >= 220
    assert states["similar"] >= 60
    assert states["unknown"] <= 365, "most of them are parts that do not ship, of machines without a GPU worth the name"


def test_every_card_of_a_multi_gpu_rig_that_ships_is_recognised() -> None:
    cards = [
        row for case in CASES for row in case.rows if any(chip in row for chip in ("3090", "4090", "5090", "PRO 6000"))
    ]
    surely = [row for row in cards if " exact " in row or " chosen " in row]
    unknown = [row for row in cards if " unknown " in row]
    assert len(surely) >= 22
    assert len(unknown) <= 4, unknown


NAMED = [row.split(" | ", 1) for case in CASES for row in case.rows if " exact " in row]
"""Of each line that is surely a part: what stands before its text, and the text."""
VARIANTS = ("Ti", "SUPER", "PRO", "Plus", "II", "Slim", "SHIFT", "Max", "Mini", "V2", "LCD", "XL")


@pytest.fixture(scope="module")
def parts(catalogue: Catalogue) -> dict[str, Part]:
    """Those that the lists name, and all cards, for which chips are chosen."""
    ids = {head.split()[2] for head, _ in NAMED}
    return {part.id: part for part in catalogue.parts() if part.id in ids or "rtx-3090" in part.id}


@given(data=st.data())
def test_the_order_of_the_catalogue_does_not_matter(parts: dict[str, Part], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(list(parts.values())))
    lines = [text for _, text in data.draw(st.lists(st.sampled_from(NAMED), min_size=1, max_size=5))]
    answers = []
    for order in (list(parts.values()), shuffled):
        names = [PartName(one.id, one.category, one.title, one.part_numbers) for one in order]
        reader = LineReader(Identities(names, parts.get), "USD", date(2026, 11, 1))
        entries = read_entries("\n".join([*lines, "4x RTX 3090"])).entries
        answers.append([reader.lines(entry) for entry in entries])
    assert answers[0] == answers[1]


@given(data=st.data())
def test_the_order_of_a_list_does_not_matter(catalogue: Catalogue, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.sampled_from(NAMED), min_size=2, max_size=6, unique_by=lambda row: row[1]))
    lines = [text for _, text in rows]
    one = read_part_list("\n".join(lines), catalogue).lines
    other = read_part_list("\n".join(data.draw(st.permutations(lines))), catalogue).lines
    assert Counter(map(_row, one)) == Counter(map(_row, other))


@given(row=st.sampled_from(NAMED), word=st.sampled_from(VARIANTS), where=st.integers(0, 8))
def test_a_name_with_one_variant_word_more_is_never_the_same_part(
    catalogue: Catalogue, row: list[str], word: str, where: int
) -> None:
    head, text = row
    words = text.split()
    where = min(where, words.index("@") if "@" in words else where)  # behind it stands at what clocks it runs
    part = catalogue.part(head.split()[2])
    assert part is not None
    if word.casefold() in f"{text} {part.title}".casefold():
        return
    other = " ".join([*words[:where], word, *words[where:]])
    for line in lines_of(other, catalogue):
        assert line.part is None or line.part.id != head.split()[2], other


@given(row=st.sampled_from(NAMED), data=st.data())
def test_a_name_with_another_number_is_never_the_same_part(
    catalogue: Catalogue, row: list[str], data: st.DataObject
) -> None:
    head, text = row
    part = catalogue.part(head.split()[2])
    assert part is not None
    numbers = [word for word in text.split() if word in part.title.split() and any(map(str.isdigit, word))]
    if not numbers:
        return
    word = data.draw(st.sampled_from(numbers))
    digit = data.draw(st.sampled_from([at for at, letter in enumerate(word) if letter.isdigit()]))
    changed = f"{word[:digit]}{(int(word[digit]) + 1) % 10}{word[digit + 1 :]}"
    for line in lines_of(text.replace(word, changed), catalogue):
        assert line.part is None or line.part.id != part.id, changed


def test_chosen_lines_say_so(catalogue: Catalogue) -> None:
    lines = [line for case in CASES for line in read_part_list(case.text, catalogue).lines]
    for line in lines:
        assert (line.part is not None) == (line.state in (State.EXACT, State.CHOSEN))
        if line.state is State.CHOSEN and line.part:
            assert "only the chip is named" in line.sentence
            assert line.part in line.candidates


def _imported(part: Part, number: int, name: str) -> Part:
    return part.model_copy(
        update={"id": f"opendb-{number}", "name": name, "origin": Origin.IMPORTED, "part_numbers": (), "price": None}
    )


def test_a_data_set_that_is_taken_in_makes_no_line_worse(catalogue: Catalogue) -> None:
    """Such sets have each part again, in other words, of other colours and of other years, and names of chips alone."""
    shipped = list(catalogue.parts())
    ids = {head.split()[2] for head, _ in NAMED}
    more = [part for part in shipped if part.id in ids or part.category is Category.GPU]
    forms = ("{}", "{} Black", "{} (2025)", "{} Edition", "{} RGB White")
    copies = [
        _imported(part, len(forms) * at + form, forms[form].format(part.name))
        for at, part in enumerate(more)
        for form in range(len(forms))
    ]
    bare = [
        _imported(part, 1_000_000 + at, f"{part.spec.product} 24GB Card")
        for at, part in enumerate(more)
        if isinstance(part.spec, GpuSpec)
    ]
    reader = LineReader(Identities.of((*copies, *bare, *shipped)), "USD", date(2026, 11, 1))
    before = LineReader(Identities.of(shipped), "USD", date(2026, 11, 1))
    for case in CASES:
        for entry in read_entries(case.text).entries:
            for old, new in zip(before.lines(entry), reader.lines(entry), strict=False):
                if old.part:
                    assert new.part is not None and new.part.id == old.part.id, old.text
                if old.state is State.SIMILAR and new.part is not None:
                    assert new.part.origin is Origin.IMPORTED and "Edition" not in old.text, old.text
