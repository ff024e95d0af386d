"""Sound of known level, and a program that stands in for the desktop's recorder."""

import sys
from pathlib import Path

import numpy as np

from core.machine.sound.meter import FULL_SCALE, RATE_HZ, SAMPLE, Values


def sine(frequency_hz: float, rms: float, seconds: float = 1.0) -> Values:
    times = np.arange(int(RATE_HZ * seconds)) / RATE_HZ
    wave: Values = rms * np.sqrt(2) * np.sin(2 * np.pi * frequency_hz * times)
    return wave


def pcm(samples: Values) -> bytes:
    return np.clip(np.round(samples * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1).astype(SAMPLE).tobytes()


def fake_recorder(folder: Path, content: bytes, *, says: str = "", endless: bool = False) -> Path:
    """A folder for PATH with a `parec` that writes these samples, once or again and again in their own time."""
    folder.mkdir(exist_ok=True)
    (folder / "sound.raw").write_bytes(content)
    (folder / "parec").write_text(
        f"#!{sys.executable}\n"
        "import sys, time\n"
        f"content = open({str(folder / 'sound.raw')!r}, 'rb').read()\n"
        f"endless, says = {endless}, {says!r}\n"
        "while True:\n"
        "    sys.stdout.buffer.write(content)\n"
        "    sys.stdout.buffer.flush()\n"
        "    if not endless:\n"
        "        break\n"
        f"    time.sleep(len(content) / {RATE_HZ * SAMPLE.itemsize})\n"
        "print(says, file=sys.stderr)\n",
        "utf-8",
    )
    (folder / "parec").chmod(0o755)
    return folder
