"""The desktop's own programs that record sound, as a stream of samples."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

from core.machine.sound.meter import RATE_HZ, Second, seconds
from core.platform.errors import BadInput, EnvironmentProblem
from core.platform.os_reasons import reason_of
from core.platform.processes import foreign_environment
from core.words import tr

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
