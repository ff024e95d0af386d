"""From the desktop's own recorder to a level for each second, and what is wrong with it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from tempfile import TemporaryFile
from typing import IO

import numpy as np
from numpy.typing import NDArray

from core.platform.errors import BadInput, EnvironmentProblem, reason_of
from core.platform.processes import foreign_environment
from core.words import tr

RATE_HZ = 48_000
SAMPLE = np.dtype("<i4")
"""One channel of signed 32-bit samples: 24-bit microphones hear less than the step of 16 bits."""
SECOND_BYTES = RATE_HZ * SAMPLE.itemsize
FULL_SCALE = 2.0**31
CLIPPED_FROM = 0.999
CLIPPED_SAMPLES = 3
"""So many of a second at full scale: one may be chance."""


class Trouble(StrEnum):
    """Why a second has no level."""

    SILENT = "silent"
    CLIPPED = "clipped"

    @property
    def sentence(self) -> str:
        """What it means, and what to do."""
        if self is Trouble.SILENT:
            return tr("The microphone picks up nothing at all: it is muted, or another input is selected.")
        return tr("The microphone is too loud for its input: lower the input volume and calibrate again.")


@dataclass(frozen=True, slots=True)
class Second:
    """One second of sound. `level_db` is A-weighted, in dB over a root mean square of full scale."""

    level_db: float
    trouble: Trouble | None = None


def seconds(stream: IO[bytes]) -> Iterator[Second]:
    """A value for each whole second of raw samples; ends with the stream, and leaves out what is less than one."""
    while len(piece := _whole(stream)) == SECOND_BYTES:
        yield _judged(np.frombuffer(piece, SAMPLE) / FULL_SCALE)


def _judged(samples: Values) -> Second:
    if samples.min() == samples.max():
        return Second(float("-inf"), Trouble.SILENT)
    clipped = int((np.abs(samples) >= CLIPPED_FROM).sum()) >= CLIPPED_SAMPLES
    return Second(level_db(samples, RATE_HZ), Trouble.CLIPPED if clipped else None)


def _whole(stream: IO[bytes]) -> bytes:
    """A second of bytes, less only at the end: a pipe gives what it has."""
    pieces = bytearray()
    while len(pieces) < SECOND_BYTES and (piece := stream.read(SECOND_BYTES - len(pieces))):
        pieces += piece
    return bytes(pieces)


# A-weighted levels of sampled sound.

Values = NDArray[np.float64]

LOW_HZ, MIDDLE_HZ, UPPER_HZ, HIGH_HZ = 20.598997, 107.65265, 737.86223, 12194.217
"""Poles of the A-weighting (IEC 61672-1, annex E)."""
REFERENCE_HZ = 1000.0
"""Here the weighting is 0 dB."""
SEGMENT_S = 0.25
"""Spectra of such pieces: lines 4 Hz apart, as fine as the lowest part of the weighting needs."""


def a_weights(frequencies_hz: Values) -> Values:
    """The A-weighting of the power at each frequency: 1 at 1 kHz, 0 at 0 Hz."""
    weights: Values = _power(frequencies_hz) / _power(np.array([REFERENCE_HZ]))
    return weights


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
    # Every line but the first and, of an even size, the last stands for a negative frequency too.
    both = np.full(len(frequencies), 2.0)
    both[0] = 1.0
    both[-1] = 1.0 if size % 2 == 0 else 2.0
    mean_square = float((spectra.mean(axis=0) * a_weights(frequencies) * both).sum() / (size * (window**2).sum()))
    return float(10 * np.log10(mean_square)) if mean_square > 0 else float("-inf")


def mean_level_db(levels: Values) -> float:
    """The equivalent level of a time from those of equal parts of it: energies are averaged. NaN of none."""
    measured = levels[~np.isnan(levels)]
    return float(10 * np.log10(np.mean(10 ** (measured / 10)))) if len(measured) else float("nan")


def _power(frequencies_hz: Values) -> Values:
    """The square of the weighting's gain, not yet 1 at 1 kHz."""
    f2 = frequencies_hz**2
    power: Values = (HIGH_HZ**2 * f2**2) ** 2 / (
        (f2 + LOW_HZ**2) ** 2 * (f2 + MIDDLE_HZ**2) * (f2 + UPPER_HZ**2) * (f2 + HIGH_HZ**2) ** 2
    )
    return power


DEFAULT = "microphone"
"""The name of the desktop's default input."""
LONGEST_NAME = 200
_RATE = str(RATE_HZ)
PROGRAMS = {
    "parec": (("--raw", "--format=s32le", f"--rate={_RATE}", "--channels=1"), "--device={name}", ()),
    "arecord": (("-q", "-t", "raw", "-f", "S32_LE", "-r", _RATE, "-c", "1"), "--device={name}", ()),
    "pw-record": (("--raw", "--format", "s32", "--rate", _RATE, "--channels", "1"), "--target={name}", ("-",)),
}
"""Options for raw samples on standard output, how an input is chosen, and what comes last. PulseAudio's first: PipeWire
answers it too, and only recent versions of its own program write without a header."""
ENDS_WITHIN_S = 2.0


class NoSound(EnvironmentProblem):
    """No sound could be recorded."""


def recorder_command(name: str = DEFAULT) -> list[str]:
    """The command that writes the sound of an input. Raises NoSound without a program, BadInput for a bad name."""
    if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
        raise BadInput(
            tr("The name of a microphone is one line of at most 200 characters, such as microphone or hw:1,0.")
        )
    for program, (options, choice, last) in PROGRAMS.items():
        if path := shutil.which(program):
            return [path, *options, *([] if name == DEFAULT else [choice.format(name=name)]), *last]
    raise NoSound(
        tr(
            "No sound recorder was found: parec (PulseAudio), arecord (ALSA) or pw-record "
            "(PipeWire). Install pulseaudio-utils or alsa-utils."
        )
    )


@contextmanager
def listening(name: str = DEFAULT) -> Iterator[Iterator[Second]]:
    """The seconds that an input hears, until left. Raises NoSound where the program ends by itself, with its words."""
    command = recorder_command(name)
    with TemporaryFile() as stderr:
        try:
            program = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, env=foreign_environment()
            )
        except OSError as error:
            raise NoSound(
                tr("{command} cannot be started: {reason}.", command=command[0], reason=reason_of(error))
            ) from error
        try:
            yield _heard(program, stderr)
        finally:
            _end(program)


def _heard(program: subprocess.Popen[bytes], stderr: IO[bytes]) -> Iterator[Second]:
    assert program.stdout is not None
    yield from seconds(program.stdout)
    _end(program)
    stderr.seek(0)
    lines = stderr.read(10_000).decode("utf-8", errors="replace").split("\n")
    words = next((line.strip() for line in reversed(lines) if line.strip()), None)
    raise NoSound(tr("The sound recording ended: {words}", words=words[:300] if words else tr("no error message")))


def _end(program: subprocess.Popen[bytes]) -> None:
    program.terminate()
    try:
        program.wait(ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
    if program.stdout is not None:
        program.stdout.close()
