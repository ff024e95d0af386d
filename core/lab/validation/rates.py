"""A file of measured language-model rates: CSV in UTF-8 with a header row, a rate a row.

Columns: `cards` (maker and product), `count`, `model`, `parameters_b` (billions), `quant_bits` (of a weight), `task`
(of `Task`), `tokens_per_s` (of all cards together), `source`, `date`. These may be missing or empty: `part` (an id,
where the cards' name fits several), `active_b` (of a mixture of experts), `format`, `batch` (requests or sequences at
once), `context` (tokens of a request when it ends, of a prompt or of a training sequence), `memory_gb` (peak of one
card), `engine`, `split`, `offload`, `recompute`, `optimiser`, `suspicious`, `notes`. What a file has no column for, its
words say: engine, split and peak are usually among the source and the notes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

from core.lab.validation.facts import YES, NotAFigure, figure
from core.platform.errors import BadInput
from core.platform.foreign import read_text
from core.predict.llm.workload import MOST_REQUESTS, Method, Offload, Optimiser, Software, Split, WeightFormat
from core.words import joined, tr

Choice = TypeVar("Choice", bound=StrEnum)

RATE_COLUMNS = ("source", "date", "cards", "count", "model", "parameters_b", "quant_bits", "task", "tokens_per_s")
"""Without which a file is of something else."""
USUAL_CONTEXT = 512
"""Tokens, where nobody says: benchmarks of engines generate 128 to 512."""
USUAL_SEQUENCES = 4
"""On each card at once in training, where nobody says; general knowledge."""
LLAMA_CPP = "llama.cpp"
_ENGINES = (
    ("Ollama", re.compile(r"ollama(?!\.)")),
    (LLAMA_CPP, re.compile(r"llama[.-]?(?:cpp|bench)")),
    ("vLLM", re.compile(r"\bvllm\b")),
    ("exllama", re.compile(r"exllama")),
    ("MLC", re.compile(r"\bmlc\b")),
)
_SOFTWARE = (
    (Software.PLAIN, re.compile(r"transformers|deepspeed")),
    (Software.TUNED, re.compile(r"torchtune|foundry|\bfsdp\b|llmq|lit-gpt|unsloth|axolotl")),
)
"""What decides memory and speed of training besides the card."""
_SPLITS = (
    (Split.LAYERS, re.compile(r"layer split|by layers")),
    (Split.TENSOR, re.compile(r"tensor parallel|\btp\b")),
    (Split.ZERO_3, re.compile(r"\bfsdp\b|zero[ -]?3")),
)
_FORMATS = (
    *((one, re.compile(one.value.replace("_", "[_ ]?"))) for one in WeightFormat if one.is_gguf),
    (WeightFormat.NVFP4, re.compile(r"nvfp4")),
    (WeightFormat.MXFP4, re.compile(r"mxfp4")),
    (WeightFormat.FP8, re.compile(r"\bfp8\b")),
    (WeightFormat.BF16, re.compile(r"\bb?f(?:p|loat)?16\b")),
    (WeightFormat.INT4, re.compile(r"\b(?:awq|gptq|int4|exl2|4-bit)\b")),
)
_PEAK = re.compile(r"peak ([\d.]+) gi?b")
_ACTIVE = re.compile(r"-a(\d+(?:\.\d+)?)b\b")


class Task(StrEnum):
    """What was measured."""

    DECODE = "decode"
    PREFILL = "prefill"
    FULL = "train-full"
    LORA = "lora"
    QLORA = "qlora"

    @property
    def method(self) -> Method:
        """The method of the workload."""
        return _METHODS.get(self, Method.INFERENCE)


_METHODS = {Task.FULL: Method.FULL, Task.LORA: Method.LORA, Task.QLORA: Method.QLORA}


@dataclass(frozen=True, slots=True)
class MeasuredRate:
    """One row; where `unread` says why it cannot be read, its figures mean nothing."""

    line: int
    source: str
    cards: str
    model: str
    task: Task = Task.DECODE
    count: int = 1
    parameters_b: float = 1.0
    active_b: float | None = None
    weights: WeightFormat | None = None
    """None: no format with so many bits is predicted."""
    batch: int = 1
    context: int = USUAL_CONTEXT
    tokens_per_s: float = 0.0
    memory_gb: float | None = None
    """Peak of one card, GiB."""
    part: str = ""
    engine: str = ""
    software: Software = Software.ANY
    split: Split = Split.LAYERS
    offload: Offload = Offload.NONE
    recompute: bool = True
    optimiser: Optimiser = Optimiser.ADAM
    suspicious: bool = False
    """The row contradicts itself or what its card can do."""
    unread: str = ""

    @property
    def of_llama_cpp(self) -> bool:
        """Whether llama.cpp itself made it, with CUDA: other backends and Ollama have rates of their own."""
        return self.engine.lower() == LLAMA_CPP


def are_rates(path: Path) -> bool:
    """Whether the header of a file has the columns of rates. Raises BadInput for what is no text."""
    return set(RATE_COLUMNS) <= set(csv.DictReader(StringIO(read_text(path))).fieldnames or ())


def read_rates(path: Path) -> list[MeasuredRate]:
    """All rows, those that cannot be read with the line and the reason. Raises BadInput for a table that is none."""
    rows = csv.DictReader(StringIO(read_text(path)))
    try:
        return [_rate(row, rows.line_num) for row in rows]
    except csv.Error as error:
        line, reason = rows.line_num, str(error)
        raise BadInput(
            tr("{path}, line {line}: the table cannot be read ({reason}).", path=path, line=line, reason=reason)
        ) from error


def _rate(row: Mapping[str | None, Any], line: int) -> MeasuredRate:
    cells = {name: text.strip() for name, text in row.items() if name and isinstance(text, str)}
    names: dict[str, Any] = {name: cells.get(name, "") for name in ("source", "cards", "model")}
    try:
        return MeasuredRate(line, **names, **dict(_read(cells)))
    except NotAFigure as error:
        return MeasuredRate(line, **names, unread=tr("line {line}: {reason}", line=line, reason=error.args[0]))


def _read(cells: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Every other field of a row. Raises NotAFigure with the column's name."""
    words = f"{cells.get('model', '')} {cells['source']} {cells.get('notes', '')}".lower()
    task = _one_of("task", cells["task"], Task)
    count = _whole("count", cells["count"], 1024)
    engine = cells.get("engine") or next((name for name, pattern in _ENGINES if pattern.search(words)), "")
    yield from {"task": task, "count": count, "engine": engine, "part": cells.get("part", "")}.items()
    yield "parameters_b", _figure("parameters_b", cells["parameters_b"], 100_000.0)
    yield "tokens_per_s", _figure("tokens_per_s", cells["tokens_per_s"], 1e9)
    at_once = USUAL_SEQUENCES if task.method.trains else 1
    yield "batch", _whole("batch", cells.get("batch", ""), MOST_REQUESTS, empty=at_once)
    yield "context", _whole("context", cells.get("context", ""), 10_000_000, empty=USUAL_CONTEXT)
    yield "weights", _weights(cells, task)
    active = cells.get("active_b") or _group(_ACTIVE, cells.get("model", "").lower())
    yield "active_b", _figure("active_b", active, 100_000.0) if active else None
    peak = cells.get("memory_gb") or _group(_PEAK, words)
    yield "memory_gb", _figure("memory_gb", peak, 10_000.0) if peak else None
    run_by = f"{engine.lower()} {words}"
    yield "software", next((one for one, pattern in _SOFTWARE if pattern.search(run_by)), Software.ANY)
    yield "split", _split(cells.get("split", ""), words, task, count, engine)
    offloaded = Offload.OPTIMISER if "offloaded to cpu" in words else Offload.NONE
    yield "offload", _one_of("offload", cells["offload"], Offload) if cells.get("offload") else offloaded
    in_backward = Optimiser.ADAM_8BIT_IN_BACKWARD if "in backward" in words else Optimiser.ADAM
    yield "optimiser", _one_of("optimiser", cells["optimiser"], Optimiser) if cells.get("optimiser") else in_backward
    yield "recompute", cells.get("recompute", "") != "no"
    yield "suspicious", cells.get("suspicious", "") == YES or "suspicious" in words


def _weights(cells: Mapping[str, str], task: Task) -> WeightFormat | None:
    """The named format, else that of the method or of so many bits."""
    if stated := cells.get("format"):
        return _one_of("format", stated, WeightFormat)
    if task.method is not Method.INFERENCE:
        return WeightFormat.NF4 if task is Task.QLORA else WeightFormat.BF16
    name = cells["model"].lower()
    if named := next((one for one, pattern in _FORMATS if pattern.search(name)), None):
        return named
    bits = _figure("quant_bits", cells["quant_bits"], 64.0)
    return WeightFormat.BF16 if bits == 16 else WeightFormat.FP8 if bits == 8 else _of_bits(bits)


def _of_bits(bits: float) -> WeightFormat | None:
    return WeightFormat.INT4 if 4.0 <= bits <= 4.6 else WeightFormat.Q4_K_M if 4.6 < bits <= 5.1 else None


def _split(stated: str, words: str, task: Task, count: int, engine: str) -> Split:
    """As the row says, else as several cards usually share a model in the method and the engine."""
    if stated:
        return _one_of("split", stated, Split)
    if count == 1:
        return Split.DATA if task.method.trains else Split.LAYERS
    if named := next((one for one, pattern in _SPLITS if pattern.search(words)), None):
        return named
    if task.method.trains:
        return Split.ZERO_3
    return Split.LAYERS if engine.startswith(LLAMA_CPP) else Split.TENSOR


def _group(pattern: re.Pattern[str], words: str) -> str:
    match = pattern.search(words)
    return match[1] if match else ""


def _figure(column: str, text: str, most: float) -> float:
    """Over 0, and `most` at most."""
    try:
        value = figure(text)
    except NotAFigure as error:
        raise NotAFigure(joined([column, error.args[0]])) from error
    if not 0 < value <= most:
        why = tr("is {text!r}, which is not between {low:g} and {high:g}", text=text, low=0.0, high=most)
        raise NotAFigure(joined([column, why]))
    return value


def _whole(column: str, text: str, most: int, empty: int | None = None) -> int:
    if not text and empty is not None:
        return empty
    value = _figure(column, text, float(most))
    if value != int(value):
        raise NotAFigure(joined([column, tr("is {text!r}, which is not valid there", text=text)]))
    return int(value)


def _one_of(column: str, text: str, choices: type[Choice]) -> Choice:
    try:
        return choices(text.lower())
    except ValueError as error:
        raise NotAFigure(joined([column, tr("is {text!r}, which is not valid there", text=text)])) from error
