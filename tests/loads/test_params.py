"""Parameters of loads are checked where they come in, in words."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import BadInput
from core.loads.params import LoadParams, checked
from core.loads.products.contract import GemmParams
from core.loads.training.contract import LstmParams, Precision, ResnetParams, TransformerParams, default_precision


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
        (ResnetParams, {"image": 8}, "image"),
        (LstmParams, {"precision": "fp8"}, "'fp32', 'tf32', 'amp-bf16' or 'amp-fp16'"),
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


@pytest.mark.parametrize(
    ("capability", "precision"),
    [
        (None, "fp32"),
        ((6, 1), "fp32"),
        ((7, 0), "amp-fp16"),
        ((7, 5), "amp-fp16"),
        ((8, 0), "amp-bf16"),
        ((12, 0), "amp-bf16"),
    ],
)
def test_training_uses_the_fastest_usual_precision(capability: tuple[int, int] | None, precision: str) -> None:
    assert default_precision(capability) is Precision(precision)
