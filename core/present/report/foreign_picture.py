"""Whether a picture of somebody else can be set: a process of its own tries it first.

A drawing of a few bytes can ask for hours of work or end the process that draws it (patterns of patterns, filters,
fifty thousand groups within each other), and a photograph of half a megabyte can unfold to gigabytes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from core.platform.processes import own_environment, own_python
from core.words import tr

MOST_PIXELS = 25_000_000
MOST_CPU_S = 3
"""Of a processor; an ordinary logo takes some hundredths."""
_ELSEWHERE = re.compile(rb"href\s*=\s*[\"'](?!#)", re.IGNORECASE)
_JPEG_SIZE = re.compile(rb"\xff[\xc0-\xc3\xc5-\xc7\xc9-\xcb\xcd-\xcf]..\x08(..)(..)", re.DOTALL)
_FEW_THREADS = {"RAYON_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
"""So that the memory that the process reserves is the memory that the picture takes."""
_MOST_MEMORY = 2_000_000_000


def picture_fault(content: bytes, kind: str) -> str | None:
    """Why a picture ("svg", "png" or "jpg") cannot be used, without a full stop; None where it can. Takes a second."""
    if kind == "svg":
        if (fault := _svg_fault(content)) is not None:
            return fault
    elif _pixels(content) > MOST_PIXELS:
        return tr("it has more than {most} million pixels", most=MOST_PIXELS // 1_000_000)
    with TemporaryDirectory(prefix="rigwright-picture-") as folder:
        path = Path(folder, f"picture.{kind}")
        path.write_bytes(content)
        tried = subprocess.run(
            own_python("-m", "core.present.report.foreign_picture", str(path)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=own_environment() | _FEW_THREADS,
            check=False,
        )
    if tried.returncode < 0:
        return tr("drawing it takes too long or too much memory")
    answer = tried.stdout.decode("utf-8", "replace").strip()
    return None if tried.returncode == 0 else answer or tr("it cannot be drawn")


def _svg_fault(content: bytes) -> str | None:
    try:
        content.decode()
    except UnicodeDecodeError:
        return tr("it is not UTF-8 text")
    return tr("it refers to other files or pictures") if _ELSEWHERE.search(content) else None


def _pixels(content: bytes) -> int:
    """As the file says, the largest of several; 0 where it says nothing."""
    if content.startswith(b"\x89PNG"):
        return int.from_bytes(content[16:20], "big") * int.from_bytes(content[20:24], "big")
    sizes = ((int.from_bytes(high, "big"), int.from_bytes(wide, "big")) for high, wide in _JPEG_SIZE.findall(content))
    return max((high * wide for high, wide in sizes), default=0)


def _try(path: Path) -> int:
    import typst

    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    page = path.with_name("page.typ")
    page.write_text(f'#image("{path.name}", height: 14mm, fit: "contain")\n', "utf-8")
    try:
        typst.compile(page, root=path.parent, format="pdf")
    except typst.TypstError as error:
        print(str(error).splitlines()[0].rstrip("."))  # noqa: T201 - the answer
        return 1
    return 0


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(_try(Path(sys.argv[1])))
