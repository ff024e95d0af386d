"""The command that places cards."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli.app import app
from core.plan.file import load_build
from core.platform.errors import BadInput

pytestmark = pytest.mark.usefixtures("data_dir")


def run(tmp_path: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["place", *words, "--data-dir", str(tmp_path / "data")])
    if isinstance(result.exception, BadInput):
        raise result.exception
    return result.exit_code, result.output


def test_it_prints_slots_links_the_matrix_and_the_reasons(tmp_path: Path) -> None:
    code, text = run(tmp_path, "digits-devbox")
    assert code == 0
    assert "PCIEX16_1" in text
    assert "Gen3 x16" in text
    assert "PLX A" in text
    assert "PIX" in text
    assert "All 4 cards have a slot" in text


def test_it_fails_when_a_card_finds_no_slot_and_says_why(tmp_path: Path) -> None:
    code, text = run(tmp_path, "six-rtx-3090-first-attempt")
    assert code == 1
    assert "4 of 6 ASUS TUF Gaming GeForce RTX 3090 OC 24GB find no slot" in text


def test_it_writes_the_build_with_its_cards_placed(tmp_path: Path) -> None:
    code, _ = run(tmp_path, "six-rtx-3090-first-attempt", "-o", str(tmp_path / "placed.rig.json"))
    placed = load_build(tmp_path / "placed.rig.json", lambda _: None)
    assert code == 1
    assert [line.slots for line in placed.lines if line.slots] == [(2, 5)]


def test_cards_that_sit_may_be_kept_where_they_are(tmp_path: Path) -> None:
    _, text = run(tmp_path, "six-rtx-3090-first-attempt", "--keep", "--json")
    document = json.loads(text)
    assert document["slots"] == {"asus-tuf-rtx-3090-oc-24g": [2, 5, 7]}
    assert document["complete"] is False
    assert {link["slot"] for link in document["links"]} == {2, 5, 7}
    assert {pair["path"] for pair in document["pairs"]} == {"PHB"}


def test_a_build_without_cards_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "empty.rig.json"
    file.write_text('{"format": "rigwright-build", "version": 2, "name": "Empty"}', encoding="utf-8")
    with pytest.raises(BadInput, match="no cards to place"):
        run(tmp_path, str(file))
