"""Logs of other people's machines: each is read as a person who knows the parts would read it.

`kernel_logs/corpus.csv` says of each where it comes from and what it blames: how grave, which part, where, and the
program that was on the GPU. Excerpts are abridged; addresses, serial numbers and names of machines were changed.
"""

import csv
from pathlib import Path

from core.machine.telemetry.kernel_log.finding import Part, slot_of
from core.machine.telemetry.kernel_log.log_file import KernelLines
from core.machine.telemetry.kernel_log.reading import Blamed, read_log

FOLDER = Path(__file__).parent / "kernel_logs"
TABLE = {row["log"]: row for row in csv.DictReader((FOLDER / "corpus.csv").read_text(encoding="utf-8").splitlines())}


def summary_of(blamed: Blamed) -> str:
    finding = blamed.finding
    where = finding.name if finding.part in (Part.CPU, Part.MEMORY) else finding.address
    program = finding.program if finding.by_program else ""
    return " ".join(filter(None, (finding.gravity.value.upper(), finding.part.value, where or "-", program)))


def test_the_table_has_every_log() -> None:
    assert sorted(TABLE) == sorted(path.stem for path in FOLDER.glob("*.log"))
    assert len(TABLE) >= 120
    assert all(row["source"] for row in TABLE.values())


def test_a_log_blames_the_part_that_failed_and_no_other_with_or_without_times(tmp_path: Path) -> None:
    """As journalctl writes its lines with --output=cat, too."""
    bare, wrong = tmp_path / "bare.log", {}
    for name, row in TABLE.items():
        lines = KernelLines(FOLDER / f"{name}.log")
        blamed = [summary_of(one) for one in read_log(lines)]
        bare.write_text("\n".join(KernelLines(FOLDER / f"{name}.log")), encoding="utf-8")
        without_times = [summary_of(one) for one in read_log(KernelLines(bare))]
        right = sorted(blamed) == sorted(filter(None, row["blamed"].split("; "))) and (lines.recognised or blamed)
        if not right or without_times != blamed:
            wrong[name] = blamed, row["blamed"], without_times
    assert wrong == {}


def test_a_card_is_one_whatever_its_function() -> None:
    assert slot_of("0000:41:00.0") == slot_of("0000:41:00") == "0000:41:00"
