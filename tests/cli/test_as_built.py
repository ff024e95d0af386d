"""`rigwright as-built` on a saved copy of a machine: the comparison, what is kept, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli.app import app
from core.machine.asbuilt.inspection import inspect
from core.platform.errors import BadInput
from tests.machine.asbuilt.recorded import devices_of, write_machine
from tests.machine.asbuilt.test_real_boards import DEVBOX

runner = CliRunner()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return save(tmp_path, DEVBOX)


def save(folder: Path, machine, under: str = "machine", **how: bool) -> Path:
    path = folder / f"{under}.json"
    root = write_machine(folder / under, machine, **how)
    path.write_text(inspect(devices_of(machine.cards), root).as_json(), encoding="utf-8")
    return path


def call(saved: Path, *words: str) -> tuple[int, str]:
    data = saved.parent / "data"
    done = runner.invoke(app, ["as-built", "--from", str(saved), "--data-dir", str(data), *words])
    text = done.output + (str(done.exception) if done.exception and not isinstance(done.exception, SystemExit) else "")
    return done.exit_code, text


@pytest.mark.usefixtures("data_dir")
def test_a_machine_as_planned_ends_with_0_and_one_without_a_card_with_1(tmp_path: Path, saved: Path) -> None:
    code, printed = call(saved, "--build", "digits-devbox")
    assert (code, printed.count("as planned")) == (0, 14)
    saved = save(tmp_path, replace(DEVBOX, cards=DEVBOX.cards[:3]), under="less")
    code, printed = call(saved, "--build", "digits-devbox")
    assert code == 1
    assert "missing" in printed
    assert "PCIEX16_7: Check power, seating and risers" in printed


def test_slots_and_serials_are_kept(tmp_path: Path) -> None:
    saved = save(tmp_path, DEVBOX, as_root=False)
    code, printed = call(saved, "--slot", "04:00.0=3", "--serial", "gpu-a1=0324", "--json")
    assert code == 0
    [card] = [card for card in json.loads(printed)["cards"] if card["device"] == "GPU-a1"]
    assert (card["position"], card["serial"], card["serial_typed"]) == (3, "0324", True)
    assert [card["position"] for card in json.loads(call(saved, "--json")[1])["cards"]].count(3) == 1
    code, printed = call(saved, "--slot", "04:00.0=none", "--json")
    assert [card["position"] for card in json.loads(printed)["cards"]] == [None] * 4


def test_without_a_plan_the_machine_is_reported_and_who_may_read_the_rest(tmp_path: Path) -> None:
    code, printed = call(save(tmp_path, DEVBOX, as_root=False))
    assert code == 0
    assert "Board: ASUSTeK COMPUTER INC. X99-E WS" in printed
    assert "sudo rigwright as-built --save machine.json" in printed


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--slot", "3"), "Write it as --slot"),
        (("--slot", "99:00.0=3"), "No card is at 99:00.0"),
        (("--slot", "04:00.0=left"), "a position from 1 to 24"),
        (("--slot", "04:00.0=77"), "a position from 1 to 24"),
        (("--simulate", "plan"), "needs the plan"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(saved: Path, words: tuple[str, ...], says: str) -> None:
    code, printed = call(saved, *words)
    assert code != 0
    assert says in printed


MACHINES = Path(__file__).parent.parent / "machine" / "asbuilt" / "texts" / "machines"


@pytest.mark.usefixtures("data_dir")
def test_texts_of_another_machine_are_compared_and_what_none_tells_is_not_missing(tmp_path: Path) -> None:
    texts = [MACHINES / "romed8-2t" / "dmidecode.txt", MACHINES / "threadripper-3960x-lscpu" / "lscpu.txt"]
    done = runner.invoke(app, ["as-built", *(f"--from={text}" for text in texts)])
    assert isinstance(done.exception, BadInput)
    assert "two machines" in str(done.exception)
    done = runner.invoke(app, ["as-built", f"--from={texts[0]}", "--build", "digits-devbox"])
    assert done.exit_code == 0
    assert "missing" not in done.output
    assert "dmidecode.txt (dmidecode): board" in done.output
    assert "lspci -nn" in done.output
    done = runner.invoke(app, ["as-built", f"--from={texts[0]}", "--json"])
    document = json.loads(done.output)
    assert document["texts"][0]["file"] == "dmidecode.txt"
    assert {"subject": "GPUs", "command": "lspci -nn"} in document["untold"]


@pytest.mark.usefixtures("data_dir")
def test_a_build_of_texts_has_their_parts_and_says_what_they_lack(tmp_path: Path) -> None:
    build = tmp_path / "new.rig.json"
    folder = MACHINES / "romed8-2t"
    cards = MACHINES / "p100-pair" / "lspci.txt"
    done = runner.invoke(app, ["new", str(build), "--from", str(folder), "--from", str(cards)])
    assert done.exit_code == 0
    parts = {line["part"]["id"] if isinstance(line["part"], dict) else line["part"]: line for line in _lines(build)}
    assert {"asrock-rack-romed8-2t", "amd-epyc-7262", "nvidia-tesla-p100-pcie-16gb"} <= parts.keys()
    assert "Not in these texts: drives" in done.output
    assert "From dmidecode.txt, lspci.txt" in build.read_text(encoding="utf-8")


def _lines(build: Path) -> list[dict]:
    return json.loads(build.read_text(encoding="utf-8"))["lines"]
