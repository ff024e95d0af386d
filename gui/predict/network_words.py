"""Networks, precisions and whether a model fits, in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.predict.speed.memory_fit import Fits, MemoryFit
from core.predict.speed.networks import Network, Precision

translate = QCoreApplication.translate


def network_words(network: Network) -> str:
    """A kind of network, as it is listed."""
    return {
        Network.CNN: translate("Networks", "CNN"),
        Network.LSTM: translate("Networks", "LSTM"),
        Network.TRANSFORMER: translate("Networks", "Transformer"),
    }[network]


def precision_words(precision: Precision) -> str:
    """What matrices are multiplied in."""
    return {
        Precision.MIXED: translate("Networks", "mixed precision"),
        Precision.TF32: "TF32",
        Precision.FP32: "FP32",
    }[precision]


def fit_words(memory: MemoryFit) -> str:
    """Whether a model fits cards of one size."""
    if memory.fits is Fits.NO and memory.fewest_cards:
        return translate("Networks", "over {count} cards").format(count=memory.fewest_cards)
    return {
        Fits.YES: translate("Networks", "it fits"),
        Fits.TIGHT: translate("Networks", "tight"),
        Fits.NO: translate("Networks", "does not fit"),
        Fits.UNKNOWN: translate("Networks", "unknown"),
    }[memory.fits]
