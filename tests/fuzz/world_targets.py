"""Targets that meters, kernels, tools and people write: the readers of the corpora, fed with damaged pieces of them."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from core.burnin.measured.level_columns import level_columns
from core.machine.asbuilt.texts.description import read_descriptions
from core.machine.tables.time_table import read_time_table
from core.machine.tables.wall_table import read_wall_table
from core.machine.telemetry.kernel_log.log_file import KernelLines
from core.machine.telemetry.kernel_log.reading import read_log
from core.machine.telemetry.tool_logs.reading import read_tool_log
from core.parts.catalogue import Catalogue
from core.platform.errors import RigwrightError
from core.present.share.part_list import build_from, read_part_list
from tests.fuzz.target import Target

TESTS = Path(__file__).parents[1]
LARGEST = 20_000
"""Bytes of a file of a corpus: mutants of small ones are many."""


def _corpus(folder: str) -> Callable[[], tuple[bytes, ...]]:
    @cache
    def files() -> tuple[bytes, ...]:
        paths = sorted(path for path in (TESTS / folder).rglob("*") if path.is_file() and path.suffix != ".toml")
        return tuple(path.read_bytes() for path in paths if path.stat().st_size <= LARGEST and path.suffix != ".md")

    return files


def _of_file(read: Callable[[Path], object]) -> Callable[[bytes, Path], object]:
    """Refusals are answers; a corpus has files that are refused."""

    def run(content: bytes, folder: Path) -> None:
        path = folder / "file.txt"
        path.write_bytes(content)
        try:
            read(path)
        except RigwrightError as refusal:
            assert refusal.sentence

    return run


FOLDER = TemporaryDirectory(prefix="rigwright-fuzz-", ignore_cleanup_errors=True)


@cache
def _catalogue() -> Catalogue:
    return Catalogue(Path(FOLDER.name))


def _list(content: bytes, _folder: Path) -> None:
    try:
        lines = read_part_list(content.decode("utf-8", "replace"), _catalogue()).lines
    except RigwrightError as refusal:
        assert refusal.sentence
    else:
        build_from(lines, "Pasted", _catalogue().part)


WORLD = (
    Target("kernel log", _of_file(lambda path: read_log(KernelLines(path))), _corpus("machine/telemetry/kernel_logs")),
    Target("tool log", _of_file(read_tool_log), _corpus("machine/telemetry/tool_logs")),
    Target("wall meter", _of_file(read_wall_table), _corpus("machine/wall/exports")),
    Target(
        "level meter", _of_file(lambda path: level_columns(read_time_table(path))), _corpus("machine/sound/exports")
    ),
    Target("machine text", _of_file(lambda path: read_descriptions([path])), _corpus("machine/asbuilt/texts"), share=2),
    Target("part list", _list, _corpus("present/share/lists"), share=3),
)
