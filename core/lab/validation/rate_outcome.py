"""Measured rates of language models against what is predicted for the same cards, model and method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, fsum
from typing import Any

from core.lab.validation.cards import NO_FIGURES
from core.lab.validation.outcome import ENOUGH, NO_PART, Aim
from core.lab.validation.rates import MeasuredRate, Task
from core.parts.compute import GpuSpec
from core.parts.identity import Exact, Identities, Similar, cards_of_chip
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.platform.json_value import JsonValue
from core.predict.band import Band
from core.predict.llm.models import LanguageModel, model_named, model_of_size, presets
from core.predict.llm.prediction import ModelPrediction, predict_card
from core.predict.llm.workload import Workload
from core.predict.speed.memory_fit import Fits
from core.words import tr

SAME_SIZE = 0.06
"""Of its parameters, within which a model that is called alike is taken for the one that was measured."""
WORST_ROWS = 5
GDDR_PCT, HBM_PCT = 6.0, 12.0
"""Mean error that is aimed at where llama.cpp answers one request."""
OTHER_ENGINES = (0.75, 1.35)
"""Of the rate predicted for llama.cpp."""
NO_FORMAT = tr("weights of so many bits are in no format that Rigwright predicts")
NO_FIT = tr("the model does not fit these cards as described")


@dataclass(frozen=True, slots=True)
class RateOutcome:
    """One row: predicted, or why not."""

    rate: MeasuredRate
    part_ids: tuple[str, ...] = ()
    memory_kind: str = ""
    predicted: Band | None = None
    """Tokens per second of all cards."""
    memory_gb: Band | None = None
    """Of one card, GiB."""
    reason: str = ""

    @property
    def group(self) -> str:
        """What is judged together."""
        rate = self.rate
        if rate.task is not Task.DECODE:
            return rate.task.value
        requests = "one request" if rate.batch == 1 else "several requests"
        engine = "llama.cpp with CUDA" if rate.of_llama_cpp else "others"
        return f"decode, {requests}, {engine}"

    @property
    def error_pct(self) -> float:
        """Predicted over measured less one, per cent. 0 of what is not predicted."""
        return 100 * (self.predicted.expected / self.rate.tokens_per_s - 1) if self.predicted else 0.0

    @property
    def inside(self) -> bool | None:
        """Whether the measured rate lies within the band."""
        return None if self.predicted is None else within(self.predicted, self.rate.tokens_per_s)

    @property
    def memory_inside(self) -> bool | None:
        """The same of the peak of memory; None where it was not measured."""
        measured = self.rate.memory_gb
        return None if self.memory_gb is None or measured is None else within(self.memory_gb, measured)

    @property
    def counts(self) -> bool:
        """Whether it is judged."""
        return self.predicted is not None and not self.rate.suspicious

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        rate, bands = self.rate, (self.predicted, self.memory_gb)
        predicted, memory_gb = (band.as_dict() if band else None for band in bands)
        return {
            "line": rate.line,
            "source": rate.source,
            "cards": rate.cards,
            "count": rate.count,
            "parts": list(self.part_ids),
            "memory": self.memory_kind or None,
            "model": rate.model,
            "group": self.group,
            "batch": rate.batch,
            "context": rate.context,
            "engine": rate.engine or None,
            "suspicious": rate.suspicious,
            "measured": None if rate.unread else rate.tokens_per_s,
            "predicted": predicted,
            "error_pct": self.error_pct if self.predicted else None,
            "inside": self.inside,
            "memory_measured_gb": rate.memory_gb,
            "memory_predicted_gb": memory_gb,
            "memory_inside": self.memory_inside,
            "not_applicable": self.reason or None,
        }


@dataclass(frozen=True, slots=True)
class RateScore(JsonValue):
    """The rows of a group and a kind of memory. Errors are absolute, per cent of what was measured."""

    group: str
    memory: str
    rows: int
    mean_pct: float
    ninth_tenth_pct: float
    """Which nine rows of ten do not exceed."""
    worst_pct: float
    inside: float
    """Share of the rows."""


def within(band: Band, value: float) -> bool:
    """Whether it lies within the band."""
    return band.low <= value <= band.high


def predict_rates(rates: Iterable[MeasuredRate], parts: Sequence[Part]) -> list[RateOutcome]:
    """In the order of the file."""
    cards = {part.id: part for part in parts if isinstance(part.spec, GpuSpec)}
    identities = Identities.of(cards.values())
    return [_predict(rate, cards_called(rate, identities)) for rate in rates]


def cards_called(rate: MeasuredRate, identities: Identities) -> tuple[Part, ...]:
    """The card that a row is about, or one of each kind that its name may mean.

    Of boards that differ in cooler and clock the plainest stands for all.
    """
    if rate.part and (part := identities.part(rate.part)):
        return (part,)
    match identities.called(rate.cards, Category.GPU):
        case Exact(part):
            return (part,)
        case Similar(parts):
            return cards_of_chip(rate.cards, identities) or parts
    return cards_of_chip(rate.cards, identities)


def workload_of(rate: MeasuredRate) -> Workload:
    """What was measured. Raises BadInput where the row is of no workload."""
    if rate.weights is None:
        raise BadInput(NO_FORMAT)
    return Workload(
        model_of(rate),
        rate.task.method,
        rate.weights,
        context=rate.context,
        requests=rate.batch,
        split=rate.split,
        offload=rate.offload,
        optimiser=rate.optimiser,
        recompute=rate.recompute,
        software=rate.software,
    )


def model_of(rate: MeasuredRate) -> LanguageModel:
    """The model by its name, with or without the format behind it, else one of its size.

    The nearest of the shipped ones before one in today's proportions: a model that exists has heads to share out.
    """
    words = rate.model.split()
    for last in range(len(words), 0, -1):
        try:
            named = model_named(" ".join(words[:last]))
        except BadInput:
            continue
        if _size_apart(named, rate) <= SAME_SIZE:
            return named
    nearest = min(presets(), key=lambda model: _size_apart(model, rate))
    if _size_apart(nearest, rate) <= SAME_SIZE:
        return nearest
    try:
        alike = model_of_size(rate.parameters_b * 1e9)
    except ValueError as error:
        raise BadInput(tr("{model} is no language model of a size that is predicted", model=rate.model)) from error
    return replace(alike, active_parameters=rate.active_b * 1e9) if rate.active_b else alike


def _size_apart(model: LanguageModel, rate: MeasuredRate) -> float:
    """The larger of what parameters and active ones differ by; those of a model that is no mixture are all active."""
    active_b = rate.active_b or rate.parameters_b
    pairs = ((model.parameters, rate.parameters_b * 1e9), (model.active, active_b * 1e9))
    return max(abs(one / other - 1) for one, other in pairs)


def _predict(rate: MeasuredRate, parts: Sequence[Part]) -> RateOutcome:
    one = RateOutcome(rate, tuple(part.id for part in parts), "/".join(sorted({_kind(part) for part in parts})))
    if rate.unread or not parts:
        return replace(one, reason=rate.unread or NO_PART)
    try:
        workload = workload_of(rate)
    except BadInput as error:
        return replace(one, reason=error.args[0].removesuffix("."))
    answers = [predict_card(part, workload, rate.count) for part in parts]
    bands = [band for answer in answers if (band := _of_task(rate.task, answer))]
    if not bands:
        refused = [words for answer in answers for words in answer.unfit]
        why = NO_FIT if any(answer.fits is Fits.NO for answer in answers) else NO_FIGURES
        return replace(one, reason=refused[0].removesuffix(".") if refused else why)
    needs = [card.memory.needed for answer in answers for card in answer.memory]
    return replace(one, predicted=_any_of(bands), memory_gb=_any_of(needs) if needs else None)


def _kind(part: Part) -> str:
    spec = part.spec
    stated = spec.memory_type if isinstance(spec, GpuSpec) else None
    return "HBM" if stated and stated.startswith("HBM") else "GDDR"


def _of_task(task: Task, answer: ModelPrediction) -> Band | None:
    if task is Task.DECODE:
        return answer.decode
    return answer.prefill if task is Task.PREFILL else answer.train


def _any_of(bands: Sequence[Band]) -> Band:
    """Any of these is meant: from the lowest to the highest, the mean in the middle."""
    middle = fsum(band.expected for band in bands) / len(bands)
    return replace(
        bands[0], low=min(band.low for band in bands), expected=middle, high=max(band.high for band in bands)
    )


def rate_scores(outcomes: Iterable[RateOutcome]) -> list[RateScore]:
    """One for each group and kind of memory, sorted; suspicious rows are left out."""
    grouped: dict[tuple[str, str], list[RateOutcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.counts:
            grouped[outcome.group, outcome.memory_kind].append(outcome)
    return [_score(*key, grouped[key]) for key in sorted(grouped)]


def _score(group: str, memory: str, rows: Sequence[RateOutcome]) -> RateScore:
    errors = sorted(abs(row.error_pct) for row in rows)
    ninth_tenth = errors[ceil(0.9 * len(errors)) - 1]
    inside = sum(bool(row.inside) for row in rows) / len(rows)
    return RateScore(group, memory, len(rows), fsum(errors) / len(errors), ninth_tenth, errors[-1], inside)


def worst(outcomes: Iterable[RateOutcome]) -> list[RateOutcome]:
    """The rows that are furthest off, by ratio."""

    def times(row: RateOutcome) -> float:
        ratio = 1 + row.error_pct / 100
        return max(ratio, 1 / ratio)

    return sorted((row for row in outcomes if row.counts), key=times, reverse=True)[:WORST_ROWS]


def rate_aims(outcomes: Iterable[RateOutcome]) -> list[Aim]:
    """What the predictions aim at, and what the rows show."""
    rows = [row for row in outcomes if row.counts]
    single = [row for row in rows if row.rate.task is Task.DECODE and row.rate.batch == 1]
    law = [row for row in single if row.rate.of_llama_cpp]
    gddr, hbm = ([row for row in law if row.memory_kind == kind] for kind in ("GDDR", "HBM"))
    others = [row for row in single if not row.rate.of_llama_cpp]
    rest = [row for row in rows if row not in single]
    peaks = [row for row in rows if row.memory_inside is not None]
    return [
        _mean_aim(tr("llama.cpp with CUDA, one request, GDDR: mean error"), GDDR_PCT, gddr),
        _mean_aim(tr("llama.cpp with CUDA, one request, HBM: mean error"), HBM_PCT, hbm),
        _share_aim(tr("Other engines and backends, one request: within x0.75 to x1.35"), others, _near),
        _share_aim(tr("Everything else: inside the band"), rest, lambda row: bool(row.inside)),
        _share_aim(tr("Peak of a card's memory: inside the band"), peaks, lambda row: bool(row.memory_inside)),
    ]


def _near(row: RateOutcome) -> bool:
    low, high = OTHER_ENGINES
    return low <= 1 / (1 + row.error_pct / 100) <= high


def _mean_aim(title: str, most_pct: float, rows: Sequence[RateOutcome]) -> Aim:
    mean_pct = fsum(abs(row.error_pct) for row in rows) / len(rows) if rows else None
    return Aim(title, "%", most_pct, mean_pct, len(rows))


def _share_aim(title: str, rows: Sequence[RateOutcome], holds: Callable[[RateOutcome], bool]) -> Aim:
    share_pct = 100 * sum(map(holds, rows)) / len(rows) if rows else None
    return Aim(title, "%", 100 * ENOUGH, share_pct, len(rows), least=True)
