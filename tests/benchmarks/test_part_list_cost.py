"""A page of twenty megabytes costs what its list costs; what is no list is refused before a name is looked up."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.parts.catalogue import Catalogue
from core.parts.identity import Identities, Identity
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.present.share.part_list import MAX_BYTES, read_part_list

LIST = (
    (Path(__file__).parent.parent / "present" / "share" / "lists" / "pcpp-us-jarvis.html")
    .read_text(encoding="utf-8")
    .split("\n-----\n")[1]
)
LOOK_UPS_A_LINE = 6
"""As it is written, without what stands in brackets, as a card, each in the category that its head says."""
AT_MOST_MB = 100


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogue]:
    """With what its names are recognised by read already."""
    opened = Catalogue(tmp_path_factory.mktemp("data"))
    opened.identities()
    yield opened
    opened.close()


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each name that is looked up."""
    names: list[str] = []
    called = Identities.called

    def counted(self: Identities, text: str, category: Category | None = None) -> Identity:
        names.append(text)
        return called(self, text, category)

    monkeypatch.setattr(Identities, "called", counted)
    return names


def _page() -> str:
    script = "<script>" + "let price = 'GPU: 4x RTX 3090';" * 100 + "</script>"
    around = script * (MAX_BYTES // len(script) // 2 - 1)
    return f"<html><head><title>x</title></head><body>{around}{LIST}{around}</body></html>"


def test_a_large_page_costs_what_its_list_costs(catalogue: Catalogue, looked_up: list[str]) -> None:
    alone = read_part_list(LIST, catalogue)
    names, looked_up[:] = list(looked_up), []
    page = _page()
    assert len(page) > 0.95 * MAX_BYTES
    tracemalloc.start()
    part_list = read_part_list(page, catalogue)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert part_list.lines == alone.lines
    assert looked_up == names
    assert len(names) <= LOOK_UPS_A_LINE * len(alone.lines)
    assert peak < AT_MOST_MB * 1e6


@pytest.mark.parametrize(
    "text",
    ["GPU: RTX 3090\n" * (MAX_BYTES // 14), "x" * MAX_BYTES, "<" * MAX_BYTES, "a\n" * 100_000, "[b]" * 120_000],
    ids=["lines", "letters", "brackets", "short-lines", "tags"],
)
def test_what_is_no_list_is_refused_before_a_name_is_looked_up(
    catalogue: Catalogue, looked_up: list[str], text: str
) -> None:
    with pytest.raises(BadInput):
        read_part_list(text, catalogue)
    assert looked_up == []
