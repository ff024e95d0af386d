"""Parameters of loads are checked where they come in, in words."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import BadInput
from core.loads.params import GemmParams, LoadParams, TransformerParams, checked


@pytest.mark.parametrize(
    ("model", "given", "named"),
    [
        (GemmParams, {"sice": 128}, "sice"),
        (GemmParams, {"size": 100}, "size"),
        (GemmParams, {"size": "large"}, "size"),
        (GemmParams, {"check_every": 0}, "check_every"),
        (GemmParams, {"inject": "die"}, "bitflip, nan, repeatable"),
        (GemmParams, {"inject_at": -1}, "inject_at"),
        (TransformerParams, {"inject": "bitflip"}, "nan"),
        (TransformerParams, {"layers": 0}, "layers"),
        (TransformerParams, {"learning_rate": 2}, "learning_rate"),
        (TransformerParams, ["layers"], "The parameters of the load"),
    ],
)
def test_a_wrong_parameter_is_named(model: type[LoadParams], given: Any, named: str) -> None:
    with pytest.raises(BadInput, match=named):
        checked(model, given)


def test_without_parameters_the_device_decides() -> None:
    assert checked(GemmParams, {}).size is None
    assert checked(TransformerParams, {}).layers is None
    assert checked(GemmParams, {"inject": ""}).inject == ""
