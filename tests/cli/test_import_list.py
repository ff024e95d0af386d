"""The command that takes a pasted part list in: what it writes, what it says of each line, what it ends with."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli.app import app
from core.plan.file import load_build

pytestmark = pytest.mark.usefixtures("data_dir")


def run(folder: Path, text: str, *words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(
        app, ["import-list", "-", str(folder / "made.rig.json"), "--data-dir", str(folder / "data"), *words], input=text
    )
    return ended.exit_code, ended.output


def test_a_build_is_written_with_the_lists_prices(tmp_path: Path) -> None:
    code, text = run(tmp_path, "GPUs: 4x RTX 3090 ($2,800)\nCPU: AMD EPYC 7532 - 504 €\nOS: Ubuntu\nPSU: Zilog 12\n")
    assert code == 0
    assert "4x RTX 3090: only the chip is named; taken as NVIDIA GeForce RTX 3090 Founders Edition" in text
    assert "700.00" in text and "Zilog 12: nothing like it in the catalogue" in text and "1 line names no part" in text
    build = load_build(tmp_path / "made.rig.json", lambda _: None)
    lines = {line.part.id: line for line in build.lines}
    assert lines["nvidia-rtx-3090-founders-edition"].quantity == 4
    price = lines["amd-epyc-7532"].part.price
    assert (price.amount, price.currency, price.kind) == (504, "EUR", "own")


def test_json_says_of_each_line_what_it_is(tmp_path: Path) -> None:
    text = "Part | Qty | Each\nRTX 3090 | 4 | $700\nROMED8-2T | 1 | $600\nSamsung 990 PRO | 2 | $300\nPSU: Zilog 12\n"
    code, output = run(tmp_path, text, "--json")
    told = json.loads(output)
    assert code == 0 and told["written"] == str(tmp_path / "made.rig.json")
    card, board, drive, psu = told["lines"]
    assert (card["text"], card["state"], card["count"]) == ("RTX 3090", "chosen", 4)
    assert card["part"] == "nvidia-rtx-3090-founders-edition" and card["part"] in card["candidates"]
    assert card["price"] == {"amount": 700, "currency": "USD"}
    assert (board["state"], board["part"], board["candidates"]) == ("exact", "asrock-rack-romed8-2t", [])
    assert (drive["state"], drive["part"], drive["count"]) == ("similar", None, 2)
    assert "samsung-990-pro-2tb" in drive["candidates"]
    assert psu == {
        "text": "Zilog 12",
        "state": "unknown",
        "part": None,
        "count": 1,
        "price": None,
        "price_assumed": False,
        "candidates": [],
    }
    assert (told["notes"], told["not_taken"]) == (1, [])


@pytest.mark.parametrize("text", ["PSU: Zilog 12\n", "Storage: Samsung 990 PRO\n", "Dear all\n", ""])
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_nothing_recognised_ends_with_4_and_writes_no_file(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    ended = CliRunner().invoke(
        app,
        ["import-list", "-", str(tmp_path / "made.rig.json"), "--data-dir", str(tmp_path / "data"), *words],
        input=text,
    )
    code = ended.exit_code if ended.exception is None or isinstance(ended.exception, SystemExit) else None
    assert code == 4 or getattr(ended.exception, "exit_code", None) == 4
    assert not (tmp_path / "made.rig.json").exists()
