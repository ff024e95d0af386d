"""Builds by command: what each changes, what it says, and that a refused change leaves the file as it was."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.cli.lookup import TEMPLATES
from core.parts.part import Condition
from core.plan.build import Build
from core.plan.file import load_build

CARD, OTHER_CARD, BOARD = "asus-turbo-rtx-3090-24g", "gigabyte-rtx-3090-turbo-24g", "asus-x99-e-ws"
PSU = "corsair-ax1600i"


@pytest.fixture
def mine(rigwright: Any, tmp_path: Path) -> Path:
    """A build of a board and two cards."""
    path = tmp_path / "mine.rig.json"
    for words in (("new", str(path)), ("add", str(path), BOARD), ("add", str(path), CARD, "-n", "2")):
        assert rigwright(*words).returncode == 0
    return path


@pytest.fixture
def two_psus(rigwright: Any, mine: Path) -> Path:
    """The same with two PSUs."""
    assert rigwright("add", str(mine), PSU, "-n", "2").returncode == 0
    return mine


def read(path: Path) -> Build:
    return load_build(path, {}.get)


def test_the_psu_of_each_card_can_be_set_and_left_to_the_program_again(rigwright: Any, two_psus: Path) -> None:
    for typed, psus in (("2", (2, 2)), ("1,2", (1, 2)), ("auto,1", (None, 1)), ("auto", ())):
        ended = rigwright("set", str(two_psus), "gpu", "--psu", typed)
        assert ended.returncode == 0, ended.stderr
        assert read(two_psus).lines[1].psus == psus
    for typed in ("3", "0", "1,1,1", "first", ""):
        assert rigwright("set", str(two_psus), "gpu", "--psu", typed).returncode == 2, typed
    assert rigwright("set", str(two_psus), "psu", "--psu", "1").returncode == 2


def test_a_machine_is_put_together_by_command(rigwright: Any, mine: Path) -> None:
    build = read(mine)
    assert (build.name, [(line.part.id, line.quantity) for line in build.lines]) == ("mine", [(BOARD, 1), (CARD, 2)])
    assert len(build.lines[1].slots) == 2, "cards take the first slots where they fit"
    assert json.loads(rigwright("check", str(mine), "--json").stdout)["build"] == "mine"


CHANGES = (
    (("add", CARD, "--slot", "7"), f"Changed: 3 x ASUS TURBO-RTX3090-24G ({CARD}), in slots 1, 3 and 7; was 2"),
    (("add", OTHER_CARD, "-n", "2", "--slot", "5,7"), "Added: 2 x Gigabyte GeForce RTX 3090 TURBO 24G"),
    (("add", "gigabyte rtx 3090 turbo"), "Added: 1 x Gigabyte GeForce RTX 3090 TURBO 24G"),
    (("add", BOARD), "Changed: 2 x ASUS X99-E WS"),
    (("remove", "turbo"), "Removed: 2 x ASUS TURBO-RTX3090-24G"),
    (("swap", "gpu", OTHER_CARD), "Added: 2 x Gigabyte GeForce RTX 3090 TURBO 24G"),
    (("set", "gpu", "--quantity", "1"), "Changed: 1 x ASUS TURBO"),
    (("set", "gpu", "--slots", "5,7"), "in slots 5 and 7; was 2, in slots 1 and 3"),
    (("set", "gpu", "--slots", "none"), "2 without a slot"),
    (("set", "gpu", "--risers", "3"), "on risers in slot 3"),
    (("set", "gpu", "--limit", "280W"), "limited to 280 W"),
    (("set", "gpu", "--condition", "owned"), "owned"),
    (("set", "--condition", "used"), "Parts: used; was new."),
    (("set", "--name", "Ada", "--notes", "for the lab"), "Name: Ada; was mine."),
    (("set", "--region", "us-120v-15a"), "Mains: US 120 V 15 A; was EU 230 V 16 A."),
    (("set", "--circuit", "120x20x0.8"), "Mains: Custom 120 V 20 A; was EU 230 V 16 A."),
    (("set", "--other-loads", "300,0"), "Mains: 2 circuits EU 230 V 16 A with 300 W and 0 W of other loads"),
    (("set", "--fans", "60"), "Fans: 60 % of full speed; was automatic."),
    (("set", "--coincidence", "1"), "Coinciding power peaks: 1; was 0.7."),
    (("set", "--plug-room", "40"), "Plug clearance: 40 mm; was 35 mm."),
)


def test_each_change_says_what_changed_and_what_the_check_finds(rigwright: Any, mine: Path) -> None:
    content, before = mine.read_bytes(), read(mine)
    for words, sentence in CHANGES:
        mine.write_bytes(content)
        ended = rigwright(words[0], str(mine), *words[1:])
        assert (words, ended.returncode, ended.stderr) == (words, 0, "")
        assert sentence in ended.stdout
        assert "\nCheck: " in ended.stdout
        assert read(mine) != before, words


def test_cards_wait_for_a_board_which_places_them(rigwright: Any, tmp_path: Path) -> None:
    path = tmp_path / "cards-first.rig.json"
    assert rigwright("new", str(path)).returncode == 0
    assert "2 wait for a board" in rigwright("add", str(path), CARD, "-n", "2").stdout
    added = rigwright("add", str(path), BOARD)
    assert added.returncode == 0, added.stderr
    assert f"Changed: 2 x ASUS TURBO-RTX3090-24G ({CARD}), in slots " in added.stdout
    assert len(read(path).lines[0].slots) == 2


REFUSED = (
    (("add", "rtx 3090"), "'rtx 3090' matches "),
    (("add", "asus turbo rtx 3090 xyz"), f"Similar: {CARD}"),
    (("add", "asus-turbo-rtx-3090-24"), f"Did you mean {CARD}"),
    (("add", ""), "no part ''"),
    (("add", "\udcff"), "not UTF-8 text"),
    (("add", CARD, "-n", "0"), "A quantity is 1 to 64"),
    (("add", CARD, "-n", "99"), "A quantity is 1 to 64"),
    (("add", CARD, "--slot", "9"), "The board has no slot 9"),
    (("add", CARD, "--slot", "5,6"), "--slot names 2 slots for 1"),
    (("add", CARD, "--slot", "1"), "a slot is named twice"),
    (("add", CARD, "--slot", "one"), "is not a list of slots"),
    (("add", BOARD, "--slot", "1"), "does not sit in an expansion slot"),
    (("remove", "4090"), f"mine has no part that matches '4090'. Give the id of one: {BOARD}, {CARD}"),
    (("remove", "asus"), "2 parts of mine match 'asus'"),
    (("swap", "gpu", BOARD), "not a GPU"),
    (("swap", "gpu", "x99 ws"), "no part 'x99 ws'"),
    (("set",), "Nothing to set"),
    (("set", "gpu"), "Nothing to set for 'gpu'"),
    (("set", "--limit", "280"), "name it after the file"),
    (("set", "gpu", "--limit", "0"), "a power limit is 1 to 5000 W"),
    (("set", "gpu", "--limit", "warm"), "is not a number of W"),
    (("set", "gpu", "--limit", "nan"), "a power limit is 1 to 5000 W"),
    (("set", "gpu", "--slots", "1,2,3"), "3 slots given for 2 cards"),
    (("set", "gpu", "--risers", "5"), "are not among its slots"),
    (("set", "gpu", "--quantity", "3", "--slots", "9"), "The board has no slot 9"),
    (("set", BOARD, "--limit", "100"), "is not a GPU"),
    (("set", "--circuit", "12V"), "is not a circuit"),
    (("set", "--circuit", "12x5"), "a voltage of 90 to 420 V"),
    (("set", "--other-loads", "1,2,3,4,5,6,7,8,9"), "1 to 8 circuits"),
    (("set", "--other-loads", "nan"), "other loads on a circuit are 0 to"),
    (("set", "--region", "moon"), "Unknown region 'moon'"),
    (("set", "--name", ""), "1 to 200 characters"),
    (("set", "--name", "Ada", "--fans", "5"), "fans run at"),
    (("set", "--coincidence", "2"), "coincidence must be between"),
    (("set", "--fans", "fast"), "is not a number of %"),
    (("set", "--condition", "auto"), "--condition is new, used, owned"),
    (("set", "gpu", "--condition", "broken"), "not 'broken'"),
)


def test_a_change_that_cannot_be_is_a_sentence_and_leaves_the_file(rigwright: Any, mine: Path) -> None:
    before = mine.read_bytes()
    for words, sentence in REFUSED:
        ended = rigwright(words[0], str(mine), *words[1:])
        assert (words, ended.returncode, ended.stdout) == (words, 2, "")
        assert sentence in ended.stderr
        assert mine.read_bytes() == before, words


def test_a_dry_run_writes_nothing_and_output_writes_elsewhere(rigwright: Any, mine: Path, tmp_path: Path) -> None:
    before, copy = mine.read_bytes(), tmp_path / "copy.rig.json"
    assert "Nothing was written" in rigwright("remove", str(mine), "gpu", "--dry-run").stdout
    assert mine.read_bytes() == before
    assert rigwright("remove", str(mine), "gpu", "-o", str(copy)).returncode == 0
    assert mine.read_bytes() == before
    assert [line.part.id for line in read(copy).lines] == [BOARD]
    assert rigwright("new", str(tmp_path / "none.rig.json"), "--dry-run").returncode == 0
    assert not (tmp_path / "none.rig.json").exists()


def test_a_template_stays_as_it_is_and_can_be_copied_from(rigwright: Any, tmp_path: Path) -> None:
    template = TEMPLATES / "digits-devbox.rig.json"
    before, copy = template.read_bytes(), tmp_path / "copy.rig.json"
    for name in ("digits-devbox", str(template)):
        refused = rigwright("remove", name, "gpu")
        assert (refused.returncode, "changed copy with -o" in refused.stderr) == (2, True)
    assert rigwright("set", "digits-devbox", "--name", "Mine", "-o", str(copy)).returncode == 0
    assert read(copy).name == "Mine"
    assert template.read_bytes() == before
    made = tmp_path / "made.rig.json"
    assert rigwright("new", str(made), "--template", "digits-devbox", "--region", "us-120v-20a").returncode == 0
    assert (read(made).region, read(made).lines) == ("us-120v-20a", read(copy).lines)


def test_a_file_that_is_there_is_not_made_anew(rigwright: Any, mine: Path) -> None:
    before = mine.read_bytes()
    ended = rigwright("new", str(mine))
    assert (ended.returncode, "already exists" in ended.stderr) == (2, True)
    assert mine.read_bytes() == before


def test_the_answer_as_json_has_the_build_and_the_findings(rigwright: Any, mine: Path) -> None:
    document = json.loads(rigwright("set", str(mine), "gpu", "--slots", "1,2", "--json").stdout)
    assert document["written"] == str(mine)
    assert document["build"] == json.loads(mine.read_text(encoding="utf-8"))
    assert (document["check"]["counts"]["fail"] > 0, document["check"]["worst"]["status"]) == (True, "fail")
    assert len(document["changes"]) == 1
    assert json.loads(rigwright("set", str(mine), "gpu", "--slots", "1,2", "--json").stdout)["changes"] == []


def test_a_build_that_fails_is_still_changed_with_code_0(rigwright: Any, mine: Path) -> None:
    ended = rigwright("set", str(mine), "gpu", "--slots", "1,2")
    assert ended.returncode == 0
    assert "(slot-overlap)" in ended.stdout


def test_the_condition_of_a_line_is_set_and_left_to_the_build_again(rigwright: Any, mine: Path) -> None:
    price = ("check", str(mine), "--json")
    for typed, condition in (("owned", Condition.OWNED), ("used", Condition.USED), ("new", Condition.NEW)):
        assert rigwright("set", str(mine), "gpu", "--condition", typed).returncode == 0
        assert read(mine).lines[1].condition is condition
        sums = json.loads(rigwright(*price).stdout)["price"]
        assert (sums["used"], sums["owned"]) == (2 * (typed == "used"), 2 * (typed == "owned"))
    assert rigwright("set", str(mine), "gpu", "--condition", "auto").returncode == 0
    assert read(mine).lines[1].condition is None
