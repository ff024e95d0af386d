"""Language models by their published shape: those that are shipped (assets/models/models.toml), and a user's own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, ConfigDict, Field, ValidationError, model_serializer

from core.parts.values import Value
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_text, read_toml
from core.platform.json_value import JsonValue
from core.platform.paths import ASSETS
from core.words import either, joined, listed, tr
from core.words.refusal import refusals

MODELS_FILE = ASSETS / "models" / "models.toml"
MAX_BYTES = 1_000_000
HEAD_WIDTH = 128
Size = Annotated[int, Field(ge=1, le=10_000_000)]
Parameters = Annotated[float, Field(ge=1e6, le=1e14)]
Words = Annotated[str, Field(min_length=2, max_length=200)]


@dataclass(frozen=True, slots=True)
class Attention(JsonValue):
    """Layers of one kind. What a layer keeps of each token is said per layer."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    layers: Size
    queries: Size
    """Query heads times the width of one."""
    kv_heads: Size
    """Over so many cards at most tensor parallelism spreads the cache. 1 for latent attention."""
    kv_values: Annotated[int, Field(ge=0, le=10_000_000)]
    """Of K and V together, per token: 2 x heads x width of one; the latent of MLA; 0 of linear attention."""
    window: Size | None = None
    """Tokens that are kept at most; None: all."""
    state_values: Annotated[int, Field(ge=0, le=100_000_000)] = 0
    """Of a linear layer: the state of one sequence, however long; one in 32 bit counts as two."""

    def values(self, tokens: float) -> float:
        """Kept by all these layers for a sequence of so many tokens."""
        tokens_held = tokens if self.window is None else min(tokens, self.window)
        return self.layers * (self.kv_values * tokens_held + self.state_values)


@dataclass(frozen=True, slots=True)
class LanguageModel(JsonValue):
    """A decoder-only transformer. Raises ValueError, with a sentence, for figures that contradict each other."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+([-.][a-z0-9]+)*$", max_length=60)]
    title: Words
    parameters: Parameters
    layers: Size
    width: Size
    inner: Size
    """Width of the feed-forward layer as one token sees it: of all experts that it passes together."""
    attention: Annotated[tuple[Attention, ...], Field(min_length=1, max_length=12)]
    vocabulary: Size
    longest_context: Size
    source: Words
    active_parameters: Parameters | None = None
    """Of a mixture of experts: those that one token passes. None: all."""
    tied: bool = False
    """The output layer is the table of embeddings."""
    also_called: Annotated[tuple[Words, ...], Field(max_length=12)] = ()

    def __post_init__(self) -> None:
        if (in_attention := sum(kind.layers for kind in self.attention)) != self.layers:
            raise ValueError(
                tr(
                    "its attention lists {listed} layers, the model has {layers}",
                    listed=in_attention,
                    layers=self.layers,
                )
            )
        if self.active_parameters is not None and self.active_parameters > self.parameters:
            raise ValueError(tr("more parameters are active than there are"))
        if self.table > self.parameters:
            raise ValueError(tr("vocabulary times width is more than all parameters"))

    @model_serializer(mode="wrap")
    def _with_active(self, of_fields: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        return of_fields(self) | {"active_parameters": self.active}

    @property
    def active(self) -> float:
        """Parameters that one token passes."""
        return self.active_parameters or self.parameters

    @property
    def is_mixture(self) -> bool:
        """Whether each token passes only some of its experts."""
        return self.active < self.parameters

    @property
    def table(self) -> float:
        """Parameters of one table of embeddings."""
        return float(self.vocabulary * self.width)

    @property
    def embeddings(self) -> float:
        """Parameters of the embeddings and the output layer, one table where both are the same."""
        return self.table * (1 if self.tied else 2)

    def cache_values(self, tokens: float) -> float:
        """Values of K and V, and states of linear layers, of one sequence of so many tokens."""
        return sum(kind.values(tokens) for kind in self.attention)

    def split_cache_values(self, tokens: float, cards: int) -> float:
        """Of those, what each of several tensor-parallel cards holds: a head is on one card, and each card has one."""
        return sum(kind.values(tokens) / min(cards, kind.kv_heads) for kind in self.attention)

    def attention_flop(self, tokens: float) -> float:
        """Of one token that looks back on so many: 2 products of 2 FLOP per query value and token."""
        return sum(
            4.0 * kind.layers * kind.queries * min(tokens, kind.window or tokens)
            for kind in self.attention
            if kind.kv_values
        )


def _each_once(models: tuple[LanguageModel, ...]) -> tuple[LanguageModel, ...]:
    count = Counter(name for model in models for name in _names_of(model))
    if twice := [name for name in count if count[name] > 1]:
        raise ValueError(tr("{name!r} names two models", name=twice[0]))
    return models


class _ModelsFile(Value):
    model: Annotated[tuple[LanguageModel, ...], Field(min_length=1, max_length=500), AfterValidator(_each_once)]


def read_models(path: Path) -> tuple[LanguageModel, ...]:
    """The [[model]] tables of a TOML file. Raises BadInput with all faults, one a line."""
    try:
        content = _ModelsFile.model_validate(read_toml(read_text(path, MAX_BYTES)))
    except Unreadable as error:
        raise BadInput(tr("{path} is not valid TOML: {reason}.", path=path, reason=error.args[0])) from error
    except ValidationError as error:
        raise BadInput("\n".join(f"{path}, {field}: {reason}." for field, reason in refusals(error))) from error
    return content.model


@cache
def presets() -> tuple[LanguageModel, ...]:
    """The models that are shipped, the smallest first."""
    return tuple(sorted(read_models(MODELS_FILE), key=lambda model: (model.parameters, model.id)))


def model_named(name: str, own: Iterable[LanguageModel] = ()) -> LanguageModel:
    """The model with this id, title or other name, whatever its case and punctuation; `own` before those shipped.

    Raises BadInput, with the nearest names, where there is none.
    """
    models = (*own, *presets())
    by_name: dict[str, LanguageModel] = {}
    for model in models:
        for one in _names_of(model):
            by_name.setdefault(one, model)
    if named := by_name.get(_plain_name(name)):
        return named
    missing = tr("There is no language model {name!r}.", name=name)
    close = get_close_matches(_plain_name(name), list(by_name), n=6, cutoff=0.5)
    if ids := list(dict.fromkeys(by_name[one].id for one in close))[:3]:
        raise BadInput(joined([missing, tr("Did you mean {close}?", close=either(ids))]))
    some = [model.id for model in models[:3]]
    raise BadInput(joined([missing, tr("There are, among others: {ids}.", ids=listed(some))]))


def model_of_size(parameters: float) -> LanguageModel:
    """A dense model of about so many parameters, in the proportions of today's open ones.

    Width over layers grows from 64 (1B) to 128 (8B and up); feed-forward 3.5 times as wide, eight heads of K and V, a
    vocabulary of 128,256 (as Llama 3). Raises ValueError below 50 million.
    """
    if parameters < 50e6:
        raise ValueError("a language model has 50 million parameters or more")
    ratio = min(128.0, max(48.0, 128.0 * (parameters / 8e9) ** 0.33))
    tied, vocabulary = parameters < 4e9, 128_256 if parameters >= 0.8e9 else 32_000
    tables = vocabulary * (1 if tied else 2)
    layers = max(1, round(_reaching(parameters, lambda one: _dense(one, ratio * one, tables))))
    width = max(64, round(_reaching(parameters, lambda one: _dense(layers, one, tables))))
    kv_heads = _kv_heads(width)
    return LanguageModel(
        id=f"dense-{parameters / 1e9:.3g}b".replace("+", ""),
        title=tr("dense model of {billions:.3g} billion parameters", billions=parameters / 1e9),
        parameters=parameters,
        layers=layers,
        width=width,
        inner=round(3.5 * width),
        attention=(Attention(layers, width, kv_heads, 2 * kv_heads * HEAD_WIDTH),),
        vocabulary=vocabulary,
        longest_context=131_072,
        source=tr("proportions of Llama 3"),
        tied=tied,
    )


def _dense(layers: float, width: float, tables: int) -> float:
    """Parameters: queries and output, K and V, three matrices 3.5 times as wide, tables of embeddings."""
    return layers * width * (12.5 * width + 2 * _kv_heads(width) * HEAD_WIDTH) + tables * width


def _kv_heads(width: float) -> int:
    return max(1, min(8, int(width) // HEAD_WIDTH))


def _reaching(parameters: float, size_of: Callable[[float], float]) -> float:
    """Where a growing size reaches so many parameters."""
    low, high = 1.0, 1e6
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if size_of(middle) < parameters else (low, middle)
    return high


def _names_of(model: LanguageModel) -> frozenset[str]:
    return frozenset(_plain_name(one) for one in (model.id, model.title, *model.also_called))


def _plain_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower())
