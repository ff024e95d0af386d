"""Levels of sound whose level is known by arithmetic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.machine.sound.meter import RATE_HZ, a_weights, level_db, mean_level_db
from tests.machine.sound.generated import sine

TABLE = {
    31.5: -39.4, 63: -26.2, 100: -19.1, 250: -8.6, 500: -3.2, 1000: 0.0, 2000: 1.2, 4000: 1.0, 10_000: -2.5,
    16_000: -6.6,
}  # fmt: skip
"""IEC 61672-1, table 3: the weighting at nominal frequencies, dB."""


@pytest.mark.parametrize(("frequency_hz", "weight_db"), TABLE.items())
def test_the_weighting_is_that_of_the_standard(frequency_hz: float, weight_db: float) -> None:
    assert 10 * np.log10(a_weights(np.array([frequency_hz]))[0]) == pytest.approx(weight_db, abs=0.15)


@pytest.mark.parametrize(("frequency_hz", "weight_db"), [(100, -19.1), (1000, 0.0), (3163.3, 1.2), (10_000, -2.5)])
@pytest.mark.parametrize("rms", [0.5, 1e-3])
def test_a_sine_has_the_level_of_its_root_mean_square(frequency_hz: float, weight_db: float, rms: float) -> None:
    assert level_db(sine(frequency_hz, rms), RATE_HZ) == pytest.approx(20 * np.log10(rms) + weight_db, abs=0.1)


def test_pink_noise_has_the_sum_of_its_weighted_parts() -> None:
    count = 10 * RATE_HZ
    frequencies = np.fft.rfftfreq(count, 1 / RATE_HZ)
    audible = (frequencies >= 20) & (frequencies <= 20_000)
    spectrum = np.zeros(len(frequencies), complex)
    phases = np.random.default_rng(7).uniform(0, 2 * np.pi, audible.sum())
    spectrum[audible] = np.exp(1j * phases) / np.sqrt(frequencies[audible])
    power = np.abs(spectrum) ** 2
    weighted = (power[audible] * a_weights(frequencies[audible])).sum() / power.sum()
    pink = np.fft.irfft(spectrum, count)
    pink *= 0.1 / np.sqrt((pink**2).mean())
    assert level_db(pink, RATE_HZ) == pytest.approx(-20 + 10 * np.log10(weighted), abs=0.2)


def test_hum_does_not_spread_into_what_is_heard() -> None:
    assert level_db(sine(20.5, 0.5), RATE_HZ) < -6 - 45


def test_a_constant_offset_is_no_sound() -> None:
    tone = sine(1000, 0.01)
    assert level_db(tone + 0.3, RATE_HZ) == pytest.approx(level_db(tone, RATE_HZ), abs=0.01)
    assert level_db(np.zeros(RATE_HZ), RATE_HZ) == float("-inf")
    assert level_db(np.zeros(0), RATE_HZ) == float("-inf")


@settings(max_examples=20, deadline=None)
@given(st.floats(1e-4, 0.5), st.floats(1.1, 1.9))
def test_the_level_rises_with_the_sound_decibel_by_decibel(rms: float, factor: float) -> None:
    tone = sine(700, rms, 0.5)
    assert level_db(factor * tone, RATE_HZ) - level_db(tone, RATE_HZ) == pytest.approx(20 * np.log10(factor), abs=1e-6)


def test_energies_are_averaged_and_what_was_not_measured_is_left_out() -> None:
    assert mean_level_db(np.array([40.0, 40.0, np.nan])) == pytest.approx(40.0)
    assert mean_level_db(np.array([50.0, -np.inf])) == pytest.approx(50 - 3.01, abs=0.01)
    assert np.isnan(mean_level_db(np.array([np.nan])))
