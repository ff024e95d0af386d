"""The command that reads a kernel log: what it blames, and what it ends with."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli.app import app

LOGS = Path(__file__).parent.parent / "machine" / "telemetry" / "kernel_logs"


def run(*words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(app, ["kernel-log", *words])
    return ended.exit_code, ended.output


@pytest.mark.parametrize(
    ("log", "code", "says"),
    [
        ("off-the-bus-without-xid", 1, ("FAIL", "GPU 0000:b3:00.0", "fallen off the bus", "Reseat")),
        ("firmware-link-corrected", 1, ("WARN", "PCIe port 0000:40:01.1 to bus 41 (1022:1483)", "firmware")),
        ("firmware-nvme-beside-memory", 1, ("FAIL", "PCIe device 0000:5e:00.0 (144d:a808)")),
        ("edac-ue-and-ce", 1, ("FAIL", "Memory CPU_SrcID#1_MC#1_Chan#2_DIMM#0", "Replace the module", "29000 times")),
        ("switch-fatal", 1, ("FAIL", "NVSwitch 0 0000:84:00.0", "SXid 20034")),
        ("mce-amd-fatal-after-reset", 1, ("FAIL", "CPU 21, bank 5", "not corrected")),
        ("xid-desktop-programs", 0, ("WARN", "GPU 0000:41:00", "plasmashell (process 2222)", "first")),
        ("healthy-nvidia-start", 0, ("Nothing to blame",)),
    ],
)
def test_a_log_is_reported_with_part_gravity_meaning_action_and_line(
    log: str, code: int, says: tuple[str, ...]
) -> None:
    ended, text = run(str(LOGS / f"{log}.log"))
    assert (ended, [word for word in says if word not in text]) == (code, [])


def test_json_has_what_is_shown(tmp_path: Path) -> None:
    code, text = run(str(LOGS / "xid-gsp.log"), "--json")
    document = json.loads(text)
    assert (code, document["recognised"], document["blamed"], len(document["findings"])) == (1, True, True, 1)
    assert document["findings"][0] | {"action": "", "meaning": ""} == {
        "part": "gpu", "device": "GPU 0000:9b:00", "address": "0000:9b:00", "kind": "xid", "gravity": "FAIL",
        "blamed": True, "xid": 119, "program": "python", "pid": 4071838, "meaning": "", "action": "", "times": 2,
        "line": (LOGS / "xid-gsp.log").read_text().splitlines()[0],
    }  # fmt: skip


def test_what_is_no_log_ends_with_incomplete_and_says_how_to_get_one(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Sir\n")
    code, text = run(str(tmp_path / "letter.txt"))
    assert code == 4
    assert "letter.txt is no kernel log" in text
    assert json.loads(run(str(tmp_path / "letter.txt"), "--json")[1]) == {
        "recognised": False, "blamed": False, "findings": [],
    }  # fmt: skip
