"""find: searches the shipped catalogue, proves its answer, writes it, and ends with a code for scripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.plan.file import load_build
from core.platform.errors import ExitCode
from tests.shipped import parts_by_id


def test_a_proven_machine_is_written_and_passes_its_check(rigwright: Any, tmp_path: Path) -> None:
    path = tmp_path / "two.rig.json"
    wish = tmp_path / "wish.toml"
    wish.write_text("card_memory_gb = 24\ncards = 2\nmoney = 9000\n")
    ended = rigwright("find", str(wish), "--objective", "cheapest", "-o", str(path), "--json")
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    (proposal,) = answer["proposals"]
    assert answer["proven"]
    assert proposal["machine"]["price"]["amount"] <= 9000
    written = Path(answer["written"]["cheapest"])
    assert written == tmp_path / "two-cheapest.rig.json"
    build = load_build(written, parts_by_id().get)
    assert build.worker_count == 2
    assert rigwright("check", str(written)).returncode == 0


def test_what_cannot_be_names_the_wish_that_would_have_to_give_way(rigwright: Any) -> None:
    ended = rigwright("find", "--money", "600 USD", "--memory", "12", "--objective", "cheapest")
    assert ended.returncode == ExitCode.INCOMPLETE
    assert "Proven: no machine" in ended.stdout
    assert "Without the limit of money: " in ended.stdout


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ((), "names money"),
        (("--money", "much"), "is not a budget"),
        (("--money", "5000 USD", "--own", "x=many"), "PART=4"),
        (("--cards", "0"), "cards"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_in_a_sentence(rigwright: Any, typed: tuple[str, ...], words: str) -> None:
    ended = rigwright("find", *typed)
    assert ended.returncode == ExitCode.USAGE
    assert words in ended.stderr
