"""A-weighted levels of sampled sound."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

LOW_HZ, MIDDLE_HZ, UPPER_HZ, HIGH_HZ = 20.598997, 107.65265, 737.86223, 12194.217
"""Poles of the A-weighting (IEC 61672-1, annex E)."""
REFERENCE_HZ = 1000.0
"""Here the weighting is 0 dB."""
SEGMENT_S = 0.25
"""Spectra of such pieces: lines 4 Hz apart, as fine as the lowest part of the weighting needs."""


def a_weighting_db(frequencies_hz: Values) -> Values:
    """The weighting at each frequency above 0 Hz, dB: 0 at 1 kHz, -19.1 at 100 Hz, -2.5 at 10 kHz."""
    weights = _power(np.concatenate(([REFERENCE_HZ], np.asarray(frequencies_hz, dtype=float))))
    found: Values = 10 * np.log10(weights[1:] / weights[0])
    return found


def level_db(samples: Values, rate_hz: int) -> float:
    """Equivalent A-weighted level (LAeq) of one channel, in dB over a root mean square of 1; -inf of silence.

    `samples` of shape (n,) span -1 to 1. Spectra of half-overlapping Hann windows are summed (Welch), since a plain
    spectrum of a piece would spread low hum over the frequencies that the weighting lets through.
    """
    size = min(max(2, ceil(rate_hz * SEGMENT_S)), len(samples))
    if size < 2:
        return float("-inf")
    pieces = np.lib.stride_tricks.sliding_window_view(samples - samples.mean(), size)[:: max(1, size // 2)]
    window = np.hanning(size + 1)[:-1]
    spectra = np.abs(np.fft.rfft(pieces * window, axis=1)) ** 2
    frequencies: Values = np.fft.rfftfreq(size, 1 / rate_hz).astype(np.float64)
    weights = _power(frequencies) / _power(np.array([REFERENCE_HZ]))
    # Every line but the first and, of an even size, the last stands for a negative frequency too.
    both = np.full(len(frequencies), 2.0)
    both[0] = 1.0
    both[-1] = 1.0 if size % 2 == 0 else 2.0
    mean_square = float((spectra.mean(axis=0) * weights * both).sum() / (size * (window**2).sum()))
    return float(10 * np.log10(mean_square)) if mean_square > 0 else float("-inf")


def mean_level_db(levels: Values) -> float:
    """The equivalent level of a time from those of equal parts of it: energies are averaged. NaN of none."""
    known = levels[~np.isnan(levels)]
    return float(10 * np.log10(np.mean(10 ** (known / 10)))) if len(known) else float("nan")


def _power(frequencies_hz: Values) -> Values:
    """The square of the weighting's gain, not yet 1 at 1 kHz."""
    f2 = frequencies_hz**2
    found: Values = (HIGH_HZ**2 * f2**2) ** 2 / (
        (f2 + LOW_HZ**2) ** 2 * (f2 + MIDDLE_HZ**2) * (f2 + UPPER_HZ**2) * (f2 + HIGH_HZ**2) ** 2
    )
    return found
