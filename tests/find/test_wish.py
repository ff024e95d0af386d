"""A wish is valid by construction, whether it is typed or read."""

from pathlib import Path

import pytest

from core.find.wish import Place, Wish, read_wish, wish_from
from core.parts.vocabulary import CaseKind
from core.platform.errors import BadInput
from core.predict.speed.networks import Network


def test_a_wish_of_a_file_is_overridden_by_what_is_typed(tmp_path: Path) -> None:
    path = tmp_path / "wish.toml"
    path.write_text('network = "cnn"\nmoney = 4000\nplace = "rack"\nowned = { some-card = 4 }\n')
    wish = read_wish(path, {"money": 5000})
    assert (wish.network, wish.money, wish.place, wish.owned) == (Network.CNN, 5000, Place.RACK, {"some-card": 4})


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({}, "names money"),
        ({"money": -1}, "money"),
        ({"money": 4000, "regoin": "x"}, "regoin: there is no such field"),
        ({"money": 4000, "region": "mars"}, "unknown region 'mars'"),
        ({"money": 4000, "must": ["a-part"], "must_not": ["a-part"]}, "a-part must be in it and must not"),
        ({"money": 4000, "cards": 0}, "cards"),
        ({"money": float("nan")}, "money"),
    ],
)
def test_a_wish_that_cannot_be_names_what_is_wrong(values: dict[str, object], named: str) -> None:
    with pytest.raises(BadInput, match="The wish cannot be used: ") as refused:
        wish_from(values)
    assert named in str(refused.value)


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wish.toml"
    path.write_text("money = \n")
    with pytest.raises(BadInput, match=r"wish\.toml is not valid TOML"):
        read_wish(path)


def test_only_an_open_frame_allows_one() -> None:
    for place in Place:
        assert (CaseKind.OPEN_FRAME in place.case_kinds) == (place is Place.OPEN_FRAME)


def test_what_money_alone_buys_has_no_cheapest() -> None:
    assert not Wish(money=3000).suffices
    assert Wish(money=3000, memory_gb=24).suffices
