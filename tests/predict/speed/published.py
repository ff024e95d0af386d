"""Published training speeds that the bands are held to: ResNet-50, GNMT and GPT-2, one card and several.

Sources. Lambda: github.com/lambdal/deeplearning-benchmark, pytorch-train-throughput-fp16.csv and -fp32.csv (frameworks
of 2022 to 2024, synthetic or cached data; "FP32" is TF32 on Ampere and later). NVIDIA: github.com/NVIDIA/
DeepLearningExamples, READMEs of ResNet-50 v1.5 in PyTorch, TensorFlow and MXNet, and of GNMT in PyTorch. Server Gear:
server-gear.com/blog, tf_cnn_benchmarks of RTX 3090 and 4090, batch 256. Lambda TF: lambdalabs.com/blog/
2080-ti-deep-learning-benchmarks. MosaicML: github.com/mosaicml/llm-foundry, scripts/train/benchmarking, sequences of
1024. Others as named. Shares were set with the rows of Lambda in sight and checked against the others.
"""

from typing import NamedTuple

from core.predict.speed.networks import GPT_2_MEDIUM, ComputePrecision, Network, Triple
from core.predict.speed.scaling import NVLINK_SHARE, P2P_SHARE, STAGED_SHARE, UNKNOWN_SHARE

RTX_3090, RTX_4090 = "nvidia-rtx-3090-founders-edition", "nvidia-rtx-4090-founders-edition"
V100, A100, A100_40 = "nvidia-tesla-v100-sxm2-16gb", "nvidia-a100-sxm4-80gb", "nvidia-a100-sxm4-40gb"
H100, RTX_5090 = "nvidia-h100-sxm5-80gb", "nvidia-rtx-5090-founders-edition"
CNN, LSTM, TRANSFORMER = Network.CNN, Network.LSTM, Network.TRANSFORMER
MIXED, TF32, FP32 = ComputePrecision.MIXED, ComputePrecision.TF32, ComputePrecision.FP32


class Single(NamedTuple):
    """One card; samples per second of the reference network."""

    part_id: str
    network: Network
    precision: ComputePrecision
    measured: float
    source: str


class Several(NamedTuple):
    """Cards joined by a link of so many GB/s each way, of which collectives reach `share`; `alone` is one card."""

    part_id: str
    count: int
    gbps: float
    share: Triple
    network: Network
    precision: ComputePrecision
    alone: float
    measured: float
    source: str


def as_gpt_2_medium(tokens_per_s: float, parameters: float, layers: int, width: int, sequence: int) -> float:
    """The speed of another transformer at the reference's count of operations: 6 N + 12 L h s per token."""
    gflop = (6 * parameters + 12 * layers * width * sequence) / 1e9
    return tokens_per_s * gflop / GPT_2_MEDIUM.gflop


_LAMBDA = (
    # part, ResNet-50 and GNMT mixed, then FP32 or TF32
    ("nvidia-quadro-rtx-8000", FP32, 651, 88498, 274, 21616),
    (V100, FP32, 833, 79111, 369, 24109),
    (RTX_3090, TF32, 905, 86080, 513, 44869),
    ("nvidia-a10-24gb", TF32, 638, 67836, 349, 37527),
    ("nvidia-a100-pcie-40gb", TF32, 1396, 186947, 882, 101476),
    ("nvidia-a100-pcie-80gb", TF32, 1527, 227949, 1014, 120980),
    (A100, TF32, 1582, 243500, 1066, 129911),
    ("nvidia-rtx-6000-ada", TF32, 1146, 160184, 647, 80854),
    ("nvidia-rtx-a6000", TF32, 916, 116438, 514, 62271),
    (RTX_4090, TF32, 1301, 159511, 721, 84598),
    ("nvidia-h100-pcie-80gb", TF32, 1976, 325525, 1248, 165405),
    (H100, TF32, 2791, 473757, 1895, 247187),
    ("nvidia-h200-sxm5-141gb", TF32, 3079, 570504, 2259, 285142),
)

SINGLE = (
    *(
        Single(part_id, network, precision, measured, "Lambda")
        for part_id, full, cnn, lstm, cnn_full, lstm_full in _LAMBDA
        for network, precision, measured in (
            (CNN, MIXED, cnn), (LSTM, MIXED, lstm), (CNN, full, cnn_full), (LSTM, full, lstm_full),
        )
    ),
    Single(V100, CNN, MIXED, 1200, "NVIDIA, PyTorch"),
    Single(V100, CNN, MIXED, 1270, "NVIDIA, TensorFlow"),
    Single(V100, CNN, MIXED, 1376, "NVIDIA, MXNet"),
    Single(V100, CNN, FP32, 367, "NVIDIA, PyTorch"),
    Single(V100, CNN, FP32, 412, "NVIDIA, TensorFlow"),
    Single(V100, CNN, FP32, 384, "NVIDIA, MXNet"),
    Single(A100, CNN, MIXED, 2470, "NVIDIA, PyTorch"),
    Single(A100_40, CNN, MIXED, 2375, "NVIDIA, TensorFlow"),
    Single(A100, CNN, MIXED, 3410, "NVIDIA, MXNet"),
    Single(A100, CNN, TF32, 938, "NVIDIA, PyTorch"),
    Single(A100_40, CNN, TF32, 909, "NVIDIA, TensorFlow"),
    Single(A100, CNN, TF32, 1056, "NVIDIA, MXNet"),
    Single(RTX_3090, CNN, MIXED, 1182, "Server Gear"),
    Single(RTX_4090, CNN, MIXED, 1776, "Server Gear"),
    Single("nvidia-rtx-2080-ti-founders-edition", CNN, FP32, 294, "Lambda TF"),
    Single("nvidia-titan-rtx", CNN, FP32, 330, "Lambda TF"),
    Single("nvidia-titan-v", CNN, FP32, 300, "Lambda TF"),
    Single("nvidia-titan-xp", CNN, FP32, 236, "Lambda TF"),
    Single("nvidia-gtx-1080-ti-founders-edition", CNN, FP32, 209, "Lambda TF"),
    Single("nvidia-tesla-v100-sxm2-32gb", CNN, FP32, 405, "Lambda TF"),
    # tensorflow.org/performance/benchmarks, DGX-1 with P100, synthetic data, batch 64.
    Single("nvidia-tesla-p100-sxm2-16gb", CNN, FP32, 219, "TensorFlow"),
    Single(V100, LSTM, MIXED, 76438, "NVIDIA"),
    Single(V100, LSTM, FP32, 21860, "NVIDIA"),
    Single(A100_40, LSTM, MIXED, 140909, "NVIDIA"),
    Single(A100_40, LSTM, TF32, 83214, "NVIDIA"),
    # 350 M on 8 cards with gradient accumulation, per card.
    Single(A100, TRANSFORMER, MIXED, 64813, "MosaicML"),
    Single(A100_40, TRANSFORMER, MIXED, 62523, "MosaicML"),
    Single(H100, TRANSFORMER, MIXED, as_gpt_2_medium(78581, 758.9e6, 24, 1536, 1024), "MosaicML"),
    Single(H100, TRANSFORMER, MIXED, as_gpt_2_medium(48910, 1313.9e6, 24, 2048, 1024), "MosaicML"),
    # github.com/languini-kitchen: GPT medium, vocabulary of 16,384, sequences of 512, FP16.
    Single(RTX_3090, TRANSFORMER, MIXED, as_gpt_2_medium(16618, 319e6, 24, 1024, 512), "languini"),
    Single(RTX_3090, TRANSFORMER, MIXED, as_gpt_2_medium(55416, 98e6, 12, 768, 512), "languini"),
    # tylerromero.com, nanoGPT speedrun on two RTX 4090, the baseline, per card.
    Single(RTX_4090, TRANSFORMER, MIXED, as_gpt_2_medium(110350, 124e6, 12, 768, 1024), "T. Romero"),
    # github.com/karpathy/nanoGPT, issue 182: 29 % of an A100's 312 TFLOPS on an RTX 4090.
    Single(RTX_4090, TRANSFORMER, MIXED, 0.29 * 312e3 / GPT_2_MEDIUM.gflop, "nanoGPT"),
    # nanoGPT's README: 300 billion tokens in 4 days on 8 A100 of 40 GB, per card.
    Single(A100_40, TRANSFORMER, MIXED, as_gpt_2_medium(107000, 124e6, 12, 768, 1024), "nanoGPT"),
    # github.com/karpathy/llm.c: 10 billion tokens in 90 minutes on 8 A100; 1558 M at half of an H100's peak; issue 796.
    Single(A100, TRANSFORMER, MIXED, as_gpt_2_medium(231000, 124e6, 12, 768, 1024), "llm.c"),
    Single(H100, TRANSFORMER, MIXED, as_gpt_2_medium(48500, 1558e6, 48, 1600, 1024), "llm.c"),
    Single(RTX_5090, TRANSFORMER, MIXED, as_gpt_2_medium(91887, 124e6, 12, 768, 1024), "llm.c"),
)  # fmt: skip

_LAMBDA_SEVERAL = (
    # part, cards, link, ResNet-50 and GNMT mixed, then FP32 or TF32
    (RTX_3090, 2, 31.5, UNKNOWN_SHARE, 1751, 138466, 979, 63740),
    (RTX_4090, 2, 31.5, STAGED_SHARE, 2468, 210089, 1363, 93923),
    ("nvidia-rtx-a6000", 2, 31.5, P2P_SHARE, 1775, 177238, 995, 79794),
    ("nvidia-rtx-6000-ada", 2, 31.5, P2P_SHARE, 2301, 280958, 1269, 131039),
    ("nvidia-rtx-6000-ada", 4, 31.5, P2P_SHARE, 4548, 619916, 2559, 310297),
    ("nvidia-rtx-6000-ada", 8, 31.5, P2P_SHARE, 9211, 1198279, 5126, 586092),
    (A100, 2, 300, NVLINK_SHARE, 3038, 338035, 2029, 157169),
    (A100, 4, 300, NVLINK_SHARE, 6070, 700678, 4042, 329466),
    (A100, 8, 300, NVLINK_SHARE, 11439, 996656, 7397, 403429),
    (V100, 2, 150, NVLINK_SHARE, 1571, 108835, 710, 33141),
    (V100, 4, 150, NVLINK_SHARE, 3107, 205663, 1422, 62534),
    (V100, 8, 150, NVLINK_SHARE, 6174, 367453, 2817, 111285),
    (H100, 8, 450, NVLINK_SHARE, 22059, 3724477, 14969, 1981346),
)
_ALONE = {(row.part_id, row.network, row.precision): row.measured for row in SINGLE if row.source == "Lambda"}
_FULL = {row[0]: row[1] for row in _LAMBDA}

SEVERAL = (
    *(
        Several(
            part_id, count, gbps, share, network, precision, _ALONE[part_id, network, precision], measured, "Lambda"
        )
        for part_id, count, gbps, share, cnn, lstm, cnn_full, lstm_full in _LAMBDA_SEVERAL
        for network, precision, measured in (
            (CNN, MIXED, cnn), (LSTM, MIXED, lstm), (CNN, _FULL[part_id], cnn_full), (LSTM, _FULL[part_id], lstm_full),
        )
    ),
    Several("nvidia-tesla-p100-sxm2-16gb", 2, 80, NVLINK_SHARE, CNN, FP32, 219, 422, "TensorFlow"),
    Several("nvidia-tesla-p100-sxm2-16gb", 4, 80, NVLINK_SHARE, CNN, FP32, 219, 852, "TensorFlow"),
    Several("nvidia-tesla-p100-sxm2-16gb", 8, 80, NVLINK_SHARE, CNN, FP32, 219, 1734, "TensorFlow"),
    Several(V100, 8, 150, NVLINK_SHARE, CNN, MIXED, 1200, 8322, "NVIDIA, PyTorch"),
    Several(V100, 8, 150, NVLINK_SHARE, CNN, MIXED, 1270, 9510, "NVIDIA, TensorFlow"),
    Several(V100, 8, 150, NVLINK_SHARE, CNN, MIXED, 1376, 10723, "NVIDIA, MXNet"),
    Several(V100, 8, 150, NVLINK_SHARE, CNN, FP32, 367, 2855, "NVIDIA, PyTorch"),
    Several(V100, 8, 150, NVLINK_SHARE, CNN, FP32, 384, 3005, "NVIDIA, MXNet"),
    Several(A100, 8, 300, NVLINK_SHARE, CNN, MIXED, 2470, 16621, "NVIDIA, PyTorch"),
    Several(A100_40, 8, 300, NVLINK_SHARE, CNN, MIXED, 2375, 17400, "NVIDIA, TensorFlow"),
    Several(A100, 8, 300, NVLINK_SHARE, CNN, MIXED, 3410.5, 26674, "NVIDIA, MXNet"),
    Several(V100, 4, 150, NVLINK_SHARE, LSTM, MIXED, 76438, 249168, "NVIDIA"),
    Several(V100, 8, 150, NVLINK_SHARE, LSTM, MIXED, 76438, 447832, "NVIDIA"),
    Several(A100_40, 4, 300, NVLINK_SHARE, LSTM, MIXED, 140909, 463144, "NVIDIA"),
    Several(A100_40, 8, 300, NVLINK_SHARE, LSTM, MIXED, 140909, 822024, "NVIDIA"),
    Several(A100_40, 8, 300, NVLINK_SHARE, LSTM, TF32, 83214, 519952, "NVIDIA"),
    Several(RTX_3090, 2, 31.5, UNKNOWN_SHARE, CNN, MIXED, 1182, 2283, "Server Gear"),
    Several(RTX_3090, 4, 31.5, UNKNOWN_SHARE, CNN, MIXED, 1182, 4266, "Server Gear"),
    Several(RTX_3090, 8, 31.5, UNKNOWN_SHARE, CNN, MIXED, 1182, 7363, "Server Gear"),
    Several(RTX_4090, 2, 31.5, STAGED_SHARE, CNN, MIXED, 1776, 3357, "Server Gear"),
    Several(RTX_4090, 4, 31.5, STAGED_SHARE, CNN, MIXED, 1776, 6143, "Server Gear"),
)  # fmt: skip

_LAMBDA_TRANSFORMERS = (
    # part, cards, link, and of one and of all cards: BERT large and Transformer-XL base mixed, then both FP32 or TF32
    (V100, 2, 150, NVLINK_SHARE, (57, 87), (18493, 40994), (12, 19), (6920, 13696)),
    (V100, 4, 150, NVLINK_SHARE, (57, 157), (18493, 81267), (12, 38), (6920, 27493)),
    (V100, 8, 150, NVLINK_SHARE, (57, 286), (18493, 157692), (12, 70), (6920, 54671)),
    (RTX_3090, 2, 31.5, UNKNOWN_SHARE, (52, 89), (22863, 45546), (24, 38), (12101, 24065)),
    (RTX_4090, 2, 31.5, STAGED_SHARE, (93, 139), (40427, 80755), (44, 55), (22750, 45273)),
    ("nvidia-rtx-a6000", 2, 31.5, P2P_SHARE, (68, 118), (26030, 51607), (33, 49), (14495, 28738)),
    ("nvidia-rtx-6000-ada", 2, 31.5, P2P_SHARE, (79, 153), (36745, 76350), (44, 76), (20477, 40745)),
    ("nvidia-rtx-6000-ada", 4, 31.5, P2P_SHARE, (79, 332), (36745, 161507), (44, 159), (20477, 84026)),
    ("nvidia-rtx-6000-ada", 8, 31.5, P2P_SHARE, (79, 642), (36745, 313768), (44, 311), (20477, 162873)),
    (A100, 2, 300, NVLINK_SHARE, (152, 246), (43078, 85446), (75, 105), (30462, 60462)),
    (A100, 4, 300, NVLINK_SHARE, (152, 488), (43078, 171447), (75, 224), (30462, 120319)),
    (A100, 8, 300, NVLINK_SHARE, (152, 746), (43078, 341796), (75, 251), (30462, 241449)),
    ("nvidia-h100-pcie-80gb", 2, 63, P2P_SHARE, (203, 395), (47919, 95735), (97, 185), (34241, 68129)),
    ("nvidia-h100-pcie-80gb", 4, 63, P2P_SHARE, (203, 759), (47919, 190177), (97, 355), (34241, 135912)),
    ("nvidia-h100-pcie-80gb", 8, 63, P2P_SHARE, (203, 1522), (47919, 379627), (97, 712), (34241, 268063)),
    (H100, 2, 450, NVLINK_SHARE, (307, 604), (62259, 124531), (147, 291), (45697, 91131)),
    (H100, 4, 450, NVLINK_SHARE, (307, 1188), (62259, 249776), (147, 578), (45697, 181778)),
    (H100, 8, 450, NVLINK_SHARE, (307, 2412), (62259, 497053), (147, 1140), (45697, 363567)),
)

TRANSFORMERS = tuple(
    Several(part_id, count, gbps, share, TRANSFORMER, precision, alone, together, f"Lambda, {name}")
    for part_id, count, gbps, share, *rows in _LAMBDA_TRANSFORMERS
    for (alone, together), name, precision in zip(
        rows, ("BERT", "XL", "BERT", "XL"), (MIXED, MIXED, _FULL[part_id], _FULL[part_id]), strict=True
    )
)
"""Other transformers than the reference: what they say is how they scale, from one pass a step to many."""
