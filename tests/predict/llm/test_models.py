"""The shapes of shipped language models agree with themselves, and are looked up by any of their names."""

from pathlib import Path

import pytest

from core.platform.errors import BadInput
from core.predict.llm.models import LanguageModel, model_named, model_of_size, presets, read_models

OWN = """
[[model]]
id = "own-1b"
title = "Own 1B"
parameters = 1.2e9
layers = 16
width = 2048
inner = 8192
vocabulary = 32000
longest_context = 8192
attention = [{ layers = 16, queries = 2048, kv_heads = 8, kv_values = 1024 }]
source = "mine"
"""


def counted(model: LanguageModel) -> float:
    """Parameters by the shape: queries, output, K and V, three matrices of a gated feed-forward layer, embeddings."""
    attention = sum(kind.layers * model.width * (2 * kind.queries + kind.kv_values) for kind in model.attention)
    return attention + 3 * model.layers * model.width * model.inner + model.embeddings


PLAIN = [model for model in presets() if all(kind.kv_values and kind.kv_heads > 1 for kind in model.attention)]
"""Without latent or linear attention, whose projections have other shapes."""


@pytest.mark.parametrize("model", [one for one in PLAIN if not one.is_mixture], ids=lambda one: one.id)
def test_a_dense_models_parameters_follow_from_its_shape(model: LanguageModel) -> None:
    assert counted(model) == pytest.approx(model.parameters, rel=0.002)


@pytest.mark.parametrize("model", [one for one in PLAIN if one.is_mixture], ids=lambda one: one.id)
def test_so_do_the_active_ones_of_a_mixture(model: LanguageModel) -> None:
    assert counted(model) == pytest.approx(model.active, rel=0.01)


@pytest.mark.parametrize("billions", (0.1, 0.5, 1, 3, 8, 13, 70, 405, 1000))
def test_a_model_of_a_size_has_it(billions: float) -> None:
    model = model_of_size(billions * 1e9)
    assert model.parameters == billions * 1e9
    assert counted(model) == pytest.approx(model.parameters, rel=0.02)


@pytest.mark.parametrize("name", ("llama-3.1-8b", "Llama 3.1 8B", "LLAMA 3 8b", "llama3.1:8b", "llama31 8B"))
def test_a_model_is_looked_up_by_any_of_its_names(name: str) -> None:
    assert model_named(name).id == "llama-3.1-8b"


def test_a_name_that_no_model_has_brings_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"no language model 'lama-3\.1-8b'.*Did you mean.*llama-3\.1-8b"):
        model_named("lama-3.1-8b")


def test_a_users_file_is_read_and_comes_before_what_is_shipped(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace("own-1b", "llama-3.1-8b"), "utf-8")
    (own,) = read_models(path)
    assert (own.title, own.width, own.attention[0].kv_values) == ("Own 1B", 2048, 1024)
    assert model_named("llama-3.1-8b", [own]) == own


@pytest.mark.parametrize(
    ("before", "after", "says"),
    (
        ("width = 2048", "wide = 2048", "there is no such field"),
        ("width = 2048", "", "width"),
        ("parameters = 1.2e9", 'parameters = "many"', "not a number"),
        ("{ layers = 16", "{ layers = 15", "its attention lists 15 layers, the model has 16"),
        ("parameters = 1.2e9", "parameters = 2e7", "vocabulary times width is more than all parameters"),
        ("parameters = 1.2e9", "parameters = 1.2e9\nactive_parameters = 2e9", "more parameters are active"),
        ("[[model]]", "[[model", "not valid TOML"),
        ('source = "mine"\n', 'source = "mine"\n' + OWN, "names two models"),
    ),
)
def test_a_faulty_file_is_refused_with_its_fault(before: str, after: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace(before, after), "utf-8")
    with pytest.raises(BadInput, match=says):
        read_models(path)
