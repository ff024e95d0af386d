"""Short texts of the kernel's own tools: lscpu, lsblk, /proc/cpuinfo and /proc/meminfo."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.machine.asbuilt.as_built import FoundDrive, MachineFacts
from core.machine.asbuilt.smbios import meant
from core.machine.asbuilt.texts.contents import Subject, TextContents, TextKind, bytes_of

_NO_DRIVE = re.compile(r"loop|zram|ram|sr|fd|nbd|md|dm-")
_IN_ENGLISH = {
    **dict.fromkeys(("Modellname", "Nom de modèle", "Nombre del modelo", "型号名称", "型號名稱"), "Model name"),
    **dict.fromkeys(("Sockel", "Socket(s)", "«Socket(s)»", "座"), "Socket(s)"),
    **dict.fromkeys(
        ("Kern(e) pro Sockel", "Cœur(s) par socket", "Núcleo(s) por «socket»", "每个座的核数"), "Core(s) per socket"
    ),
}
"""Keys of lscpu in German, French, Spanish and Chinese."""
_TREE = "├─└│`|-"


def read_lscpu(lines: Sequence[str]) -> TextContents:
    """The same name for each socket; of hybrid systems, the first one."""
    fields: dict[str, str] = {}
    for line in lines:
        key, colon, value = line.replace("\uff1a", ":").partition(":")
        if colon:
            fields.setdefault(_IN_ENGLISH.get(key.strip(), key.strip()), value.strip())
    name, sockets, cores = fields.get("Model name"), fields.get("Socket(s)", ""), fields.get("Core(s) per socket", "")
    if not name or not sockets.isdecimal() or not 1 <= int(sockets) <= 64:
        return TextContents(TextKind.LSCPU)
    count = int(sockets)
    total = count * int(cores) if cores.isdecimal() else None
    return TextContents(TextKind.LSCPU, MachineFacts(cpus=(" ".join(name.split()),) * count, cores=total))


def read_json_table(tree: Any) -> TextContents:
    """What lscpu -J and lsblk -J write; nothing of another JSON."""
    rows = tree.get("lscpu") if isinstance(tree, dict) else None
    if isinstance(rows, list):
        return read_lscpu([f"{row.get('field')} {row.get('data')}" for row in _flat(rows)])
    blocks = tree.get("blockdevices") if isinstance(tree, dict) else None
    cells = [row for row in blocks if isinstance(row, dict)] if isinstance(blocks, list) else []
    drives = (_drive({key.upper(): str(value) for key, value in row.items() if value is not None}) for row in cells)
    return TextContents(TextKind.LSBLK, MachineFacts(drives=tuple(drive for drive in drives if drive)))


def _flat(rows: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Newer versions nest what belongs to a processor below its maker."""
    pending: list[Any] = [rows]
    while pending:
        branch = pending.pop()
        if isinstance(branch, list):
            pending += reversed(branch)
        elif isinstance(branch, Mapping):
            yield branch
            pending.append(branch.get("children"))


def read_cpuinfo(lines: Sequence[str]) -> TextContents:
    """The name of each socket's processor; every thread has a block, and the last one may be cut."""
    names: dict[str, str] = {}
    name = ""
    for line in lines:
        key, _, value = line.partition(":")
        match key.strip():
            case "model name":
                name = " ".join(value.split())
            case "physical id" if name:
                names.setdefault(value.strip(), name)
    return TextContents(TextKind.CPUINFO, MachineFacts(cpus=tuple(names[socket] for socket in sorted(names))))


def read_meminfo(lines: Sequence[str]) -> TextContents:
    """What the kernel has of main memory."""
    match = re.match(r"MemTotal:\s+(\d{1,15}) kB", lines[0]) if lines else None
    return TextContents(TextKind.MEMINFO, MachineFacts(ram_gb=round(int(match[1]) / 2**20, 1) if match else None))


def read_lsblk(lines: Sequence[str]) -> TextContents:
    """Whole drives, as far as the table has a column for the model."""
    drives = tuple(_drives(lines))
    return TextContents(
        TextKind.LSBLK, MachineFacts(drives=drives), covered=frozenset((Subject.DRIVES,)) if drives else frozenset()
    )


def _drives(lines: Sequence[str]) -> Iterator[FoundDrive]:
    """Columns are told by where their headings stand: a model has blanks, and a cell may be empty."""
    if not lines or "MODEL" not in (heading := lines[0]):
        return
    names = re.findall(r"\S+", heading)
    edges = [match.start() for match in re.finditer(r"\S+", heading)]
    for line in lines[1:]:
        if not line.strip() or line[:1] in _TREE or line.startswith(" "):
            continue
        if drive := _drive(dict(zip(names, _cells(line, edges), strict=False))):
            yield drive


def _drive(cells: Mapping[str, str]) -> FoundDrive | None:
    name, model = cells.get("NAME", "").removeprefix("/dev/"), meant(cells.get("MODEL"))
    removable = cells.get("RM") in ("1", "True")
    if not name or not model or _NO_DRIVE.match(name) or cells.get("TYPE", "disk") != "disk" or removable:
        return None
    size = cells.get("SIZE", "")
    size_gb = round(int(size) / 1e9, 1) if size.isdecimal() else _size_gb(size)
    return FoundDrive(name, model, size_gb, meant(cells.get("SERIAL")))


def _cells(line: str, edges: Sequence[int]) -> Iterator[str]:
    """A cell goes from the blank before or within its heading to the next one; numbers stand to the right."""
    starts = [0]
    for edge in edges[1:]:
        at = min(edge, len(line))
        while at > starts[-1] and at <= len(line) and line[at - 1 : at].strip() and at > 0:
            at -= 1
        starts.append(at)
    for at, start in enumerate(starts):
        end = starts[at + 1] if at + 1 < len(starts) else len(line)
        yield line[start:end].strip()


def _size_gb(text: str) -> float | None:
    """lsblk counts in powers of 1024; drives are sold in GB of 10^9 bytes."""
    size = bytes_of(text if text.endswith("B") else f"{text}B")
    return round(size / 1e9, 1) if size else None
