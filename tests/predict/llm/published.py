"""Published speeds and peaks of memory of language models, which the bands are held to.

Sources. llama.cpp: github.com/XiongjieDai/GPU-Benchmarks-on-LLM-Inference, aa72e0e (llama-bench, CUDA 12.1, 1,024
tokens, layers split over the cards). Qwen: github.com/QwenLM/Qwen, README 2df8e8a (Hugging Face and DeepSpeed on A100
SXM 80GB; steps of 8 sequences, one at once). torchtune: github.com/pytorch/torchtune, README bd2a0fc; the rates of two
rows on an RTX A6000 are more than that card computes and are left out. llm-foundry: github.com/mosaicml/llm-foundry,
scripts/train/benchmarking, 8c8dd48. Others as named.
"""

from dataclasses import replace
from typing import Any, NamedTuple

from core.predict.llm.models import Attention, LanguageModel, model_named, model_of_size
from core.predict.llm.workload import Method, Offload, Optimiser, Software, Split, WeightFormat, Workload, usual
from core.predict.speed.networks import Triple
from core.predict.speed.scaling import NVLINK_SHARE, Ring

RTX_3090, RTX_3090_TI = "nvidia-rtx-3090-founders-edition", "nvidia-rtx-3090-ti-founders-edition"
RTX_4090, A6000 = "nvidia-rtx-4090-founders-edition", "nvidia-rtx-a6000"
A100_PCIE, A100 = "nvidia-a100-pcie-80gb", "nvidia-a100-sxm4-80gb"
H100_PCIE, H100 = "nvidia-h100-pcie-80gb", "nvidia-h100-sxm5-80gb"
PRO_6000 = "nvidia-rtx-pro-6000-blackwell-workstation"
STAGED = Ring((1.5, 5.0, 12.0), "", staged=4, perhaps_staged=4)
DIRECT = Ring((15.0, 30.0, 45.0), "")


class Rate(NamedTuple):
    """Tokens per second."""

    part_id: str
    count: int
    workload: Workload
    measured: float
    ring: Ring | None = None


class Peak(NamedTuple):
    """GiB on the fullest card."""

    name: str
    workload: Workload
    cards: int
    measured: float


def _table(*rows: tuple[Any, ...]) -> tuple[Rate, ...]:
    return tuple(
        Rate(part_id, count, usual(model_named(name), weights=weights, context=1024), measured)
        for part_id, count, *speeds in rows
        for (name, weights), measured in zip(_COLUMNS, speeds, strict=True)
        if measured is not None
    )


_COLUMNS = tuple(
    (name, weights) for name in ("Llama 3 8B", "Llama 3 70B") for weights in (WeightFormat.Q4_K_M, WeightFormat.BF16)
)
LLAMA_CPP = _table(
    # card, how many, 8B in 4 and 16 bit, 70B in 4 and 16 bit
    ("nvidia-rtx-3070-founders-edition", 1, 70.94, None, None, None),
    ("nvidia-rtx-4070-ti", 1, 82.21, None, None, None),
    ("nvidia-rtx-4000-ada", 1, 58.59, 20.85, None, None),
    ("nvidia-rtx-4000-ada", 4, 56.14, 20.58, 7.33, None),
    (RTX_3090, 1, 111.74, 46.51, None, None),
    (RTX_3090, 2, 108.07, 47.15, 16.29, None),
    (RTX_3090, 4, 104.94, 46.40, 16.89, None),
    (RTX_3090, 6, 101.07, 45.55, 16.93, 5.82),
    (RTX_4090, 1, 127.74, 54.34, None, None),
    (RTX_4090, 2, 122.56, 53.27, 19.06, None),
    (RTX_4090, 4, 117.61, 52.69, 18.83, None),
    (RTX_4090, 8, 116.13, 52.12, 18.76, 6.45),
    (A6000, 1, 102.22, 40.25, 14.58, None),
    (A6000, 4, 93.73, 38.87, 14.32, 4.74),
    ("nvidia-a40-48gb", 1, 88.95, 33.95, 12.08, None),
    ("nvidia-a40-48gb", 4, 83.79, 33.28, 11.91, 3.98),
    ("nvidia-l40s-48gb", 1, 113.6, 43.42, 15.31, None),
    ("nvidia-l40s-48gb", 4, 105.72, 42.48, 14.99, 5.03),
    (A100_PCIE, 1, 138.31, 54.56, 22.11, None),
    (A100_PCIE, 4, 117.3, 51.54, 22.68, 7.38),
    (A100, 1, 133.38, 53.18, 24.33, None),
    (A100, 4, 97.7, 45.45, 19.6, 6.92),
    (H100_PCIE, 1, 144.49, 67.79, 25.01, None),
    (H100_PCIE, 4, 118.14, 62.9, 26.2, 9.63),
)
PROMPTS = _table(
    ("nvidia-rtx-4000-ada", 1, 2310.53, 2951.87, None, None),
    (RTX_3090, 1, 3865.39, 4239.64, None, None),
    (RTX_3090, 2, 4004.14, 4690.50, 393.89, None),
    (RTX_4090, 1, 6898.71, 9056.26, None, None),
    (RTX_4090, 2, 8545.0, 11094.5, 905.38, None),
    (A6000, 1, 3621.81, 4315.18, 466.82, None),
    (A100_PCIE, 1, 5800.48, 7504.24, 726.65, None),
    (H100_PCIE, 1, 7760.16, 10342.63, 984.06, None),
)


def _model(name: str, parameters: float, layers: int, width: int, inner: int, vocabulary: int) -> LanguageModel:
    """Of 2023: K and V as wide as the queries."""
    attention = (Attention(layers, width, width // 128, 2 * width),)
    return LanguageModel(name, name, parameters, layers, width, inner, attention, vocabulary, 65_536, "its config.json")


QWEN_1_8B = _model("qwen-1.8b", 1.837e9, 24, 2048, 5504, 151_936)
QWEN_7B = _model("qwen-7b", 7.721e9, 32, 4096, 11_008, 151_936)
QWEN_14B = _model("qwen-14b", 14.167e9, 40, 5120, 13_696, 152_064)
QWEN_72B = _model("qwen-72b", 72.3e9, 80, 8192, 24_576, 152_064)
LLAMA_8B, LLAMA_70B, LLAMA_405B = (model_named(f"llama-3.1-{size}") for size in ("8b", "70b", "405b"))


def _generated(model: str | LanguageModel, weights: WeightFormat, **options: Any) -> Workload:
    return usual(model_named(model) if isinstance(model, str) else model, weights=weights, **options)


_PLAIN = {"software": Software.PLAIN, "context": 2048}
_FOUR = {"split": Split.TENSOR, "context": 1000}
OTHER_ENGINES = (
    # exllama c16cf49 and MLC 502f680: github.com/mlc-ai/llm-perf-bench, pull 1
    Rate(RTX_4090, 1, _generated("Llama 2 7B", WeightFormat.INT4, context=512), 152.56),
    Rate(RTX_4090, 1, _generated("Llama 2 13B", WeightFormat.INT4, context=512), 93.88),
    Rate(RTX_4090, 1, _generated("Llama 2 7B", WeightFormat.INT4, context=512), 191.0),
    Rate(RTX_3090_TI, 1, _generated("Llama 2 7B", WeightFormat.INT4, context=512), 166.7),
    Rate(RTX_3090_TI, 1, _generated("Llama 2 7B", WeightFormat.INT4, context=512), 112.72),
    Rate(RTX_3090_TI, 1, _generated("Llama 2 13B", WeightFormat.INT4, context=512), 69.31),
    # llama.cpp: github.com/ggml-org/llama.cpp, pull 4766; calebcoffie.com/benchmarks/gemma-3-4b-it-gguf
    Rate("nvidia-tesla-p40", 1, _generated("Llama 2 7B", WeightFormat.Q4_0, context=128), 56.29),
    Rate(RTX_3090, 1, _generated("Gemma 3 4B", WeightFormat.Q4_K_M, context=1024), 189.8),
    # vLLM: github.com/noonghunna/club-3090; ollama.linkworksinc.com/posts/vllm-tp4-3090-benchmark (a model of 31B)
    Rate(RTX_3090, 1, _generated("Qwen3.6 27B", WeightFormat.INT4, context=1000), 32.0),
    Rate(RTX_3090, 4, usual(model_of_size(31e9), weights=WeightFormat.INT4, split=Split.TENSOR), 76.9, STAGED),
    Rate(RTX_3090, 4, usual(model_of_size(31e9), weights=WeightFormat.INT4, split=Split.TENSOR), 81.35, STAGED),
    # vLLM: github.com/local-inference-lab/rtx6kpro, e2c2b95
    Rate(PRO_6000, 4, _generated("Qwen3.5 397B-A17B", WeightFormat.NVFP4, **_FOUR), 85.8, DIRECT),
    Rate(PRO_6000, 4, _generated("Qwen3.5 397B-A17B", WeightFormat.NVFP4, requests=32, **_FOUR), 605.9, DIRECT),
    # Hugging Face Transformers: Qwen
    Rate(A100, 1, _generated(QWEN_7B, WeightFormat.BF16, **_PLAIN), 40.93),
    Rate(A100, 1, _generated(QWEN_7B, WeightFormat.INT4, **_PLAIN), 50.09),
    Rate(A100, 1, _generated(QWEN_14B, WeightFormat.BF16, **_PLAIN), 32.22),
    Rate(A100, 1, _generated(QWEN_1_8B, WeightFormat.BF16, **_PLAIN), 54.09),
    Rate(A100, 1, _generated(QWEN_1_8B, WeightFormat.INT4, **_PLAIN), 71.07),
)


def _plain(model: LanguageModel, method: Method, context: int) -> Workload:
    return usual(model, method, context=context, software=Software.PLAIN, rank=64)


def _tuned(model: LanguageModel, method: Method, **options: Any) -> Workload:
    defaults: dict[str, Any] = {"context": 2048, "requests": 2, "software": Software.TUNED, "rank": 8}
    return usual(model, method, **(defaults | options))


_QWEN_STEPS = (
    # seconds of a step at 1,024, 2,048 and 4,096 tokens; peaks in GB
    (QWEN_1_8B, Method.LORA, (1.1, 1.7, 3.3), (8.4, 11.0, 16.2)),
    (QWEN_1_8B, Method.QLORA, (1.4, 2.0, 3.4), (6.6, 7.8, 10.2)),
    (QWEN_7B, Method.LORA, (2.8, 5.2, 10.1), (21.5, 23.8, 29.7)),
    (QWEN_7B, Method.QLORA, (3.5, 7.0, 11.6), (12.3, 13.9, 16.9)),
    (QWEN_14B, Method.LORA, (4.4, 8.4, 17.0), (35.3, 37.4, 42.5)),
    (QWEN_14B, Method.QLORA, (8.2, 11.8, 20.1), (18.9, 19.9, 23.0)),
    (QWEN_72B, Method.QLORA, (41.4, 59.5, 97.7), (62.9, 64.1, 68.0)),
)
_LENGTHS = (1024, 2048, 4096)
GB_IN_GIB = 1e9 / 2**30


def nvlink(gbps: float) -> Ring:
    """A ring of NVLink with so much each way."""
    low, expected, high = NVLINK_SHARE
    pace: Triple = (low * gbps, expected * gbps, high * gbps)
    return Ring(pace, "")


PLAIN_TRAINING = (
    *(
        Rate(A100, 1, _plain(model, method, context), 8 * context / seconds)
        for model, method, steps, _ in _QWEN_STEPS
        for context, seconds in zip(_LENGTHS, steps, strict=True)
    ),
    Rate(A100, 1, _plain(QWEN_1_8B, Method.FULL, 2048), 7123.5),
    Rate(A100, 1, _plain(QWEN_1_8B, Method.FULL, 4096), 11702.9),
    Rate(A100, 2, _plain(QWEN_7B, Method.FULL, 1024), 3640.9, nvlink(300)),
    Rate(A100, 4, _plain(QWEN_72B, Method.LORA, 2048), 1434.0, nvlink(300)),
)
IN_BACKWARD: dict[str, Any] = {"optimiser": Optimiser.ADAM_8BIT_IN_BACKWARD, "split": Split.LAYERS}
_MPT = (
    # billions of parameters, layers, width; tokens per second on so many H100 and on eight A100
    (64.86, 80, 8192, 32, 28242, None),
    (29.98, 48, 7168, 8, 16022, 7330),
    (12.85, 40, 5120, 8, 38336, 18097),
    (6.66, 32, 4096, 8, 85144, 37130),
    (1.316, 24, 2048, 8, 363645, 164109),
)
TUNED_TRAINING = (
    Rate(RTX_4090, 1, _tuned(LLAMA_8B, Method.FULL, offload=Offload.OPTIMISER, **IN_BACKWARD), 1650),
    Rate(RTX_4090, 1, _tuned(LLAMA_8B, Method.LORA), 3083),
    Rate(RTX_4090, 1, _tuned(LLAMA_8B, Method.QLORA), 2413),
    Rate(A100, 8, _tuned(LLAMA_70B, Method.FULL, offload=Offload.WEIGHTS), 1568, nvlink(300)),
    Rate(A100, 8, _tuned(LLAMA_70B, Method.LORA), 3497, nvlink(300)),
    Rate(A100, 8, _tuned(LLAMA_405B, Method.QLORA), 653, nvlink(300)),
    *(
        Rate(card, count, _tuned(replace(_model("mpt", size * 1e9, layers, width, 4 * width, 50_368), tied=True),
                                 Method.FULL, requests=8), measured, nvlink(gbps))
        for size, layers, width, hoppers, on_h100, on_a100 in _MPT
        for card, count, measured, gbps in ((H100, hoppers, on_h100, 450), (A100, 8, on_a100, 300))
        if measured is not None
    ),
)  # fmt: skip
"""The sequences at once of llm-foundry's runs, 8, are an assumption."""

PEAKS = (
    Peak("8B full, paged", _tuned(LLAMA_8B, Method.FULL, offload=Offload.OPTIMISER, **IN_BACKWARD), 1, 18.9),
    Peak("8B full, 48 GB", _tuned(LLAMA_8B, Method.FULL, **IN_BACKWARD), 1, 37.4),
    Peak("8B LoRA", _tuned(LLAMA_8B, Method.LORA), 1, 16.2),
    Peak("8B LoRA, 48 GB", _tuned(LLAMA_8B, Method.LORA, recompute=False), 1, 30.3),
    Peak("8B QLoRA", _tuned(LLAMA_8B, Method.QLORA), 1, 7.4),
    Peak("70B full, in RAM", _tuned(LLAMA_70B, Method.FULL, offload=Offload.WEIGHTS), 8, 13.9),
    Peak("70B LoRA", _tuned(LLAMA_70B, Method.LORA), 8, 27.6),
    Peak("405B QLoRA", _tuned(LLAMA_405B, Method.QLORA), 8, 44.8),
    *(
        Peak(f"{model.id} {method} {context}", _plain(model, method, context), 1, peak * GB_IN_GIB)
        for model, method, _, peaks in _QWEN_STEPS
        for context, peak in zip(_LENGTHS, peaks, strict=True)
    ),
    Peak("qwen-1.8b full 2048", _plain(QWEN_1_8B, Method.FULL, 2048), 1, 43.5 * GB_IN_GIB),
    Peak("qwen-1.8b full 4096", _plain(QWEN_1_8B, Method.FULL, 4096), 1, 47.1 * GB_IN_GIB),
    Peak("qwen-7b full 256", _plain(QWEN_7B, Method.FULL, 256), 2, 69.6 * GB_IN_GIB),
    Peak("qwen-7b full 1024", _plain(QWEN_7B, Method.FULL, 1024), 2, 81.0 * GB_IN_GIB),
    Peak("qwen-72b LoRA 2048", _plain(QWEN_72B, Method.LORA, 2048), 4, 57.2 * GB_IN_GIB),
    Peak("qwen-7b 16 bit", _generated(QWEN_7B, WeightFormat.BF16, context=2048), 1, 16.99 * GB_IN_GIB),
    Peak("qwen-7b 4 bit", _generated(QWEN_7B, WeightFormat.INT4, context=2048), 1, 8.21 * GB_IN_GIB),
    Peak("qwen-14b 16 bit", _generated(QWEN_14B, WeightFormat.BF16, context=2048), 1, 30.15 * GB_IN_GIB),
    Peak("qwen-1.8b 16 bit", _generated(QWEN_1_8B, WeightFormat.BF16, context=2048), 1, 4.23 * GB_IN_GIB),
    Peak("qwen-1.8b 4 bit", _generated(QWEN_1_8B, WeightFormat.INT4, context=2048), 1, 2.91 * GB_IN_GIB),
)
