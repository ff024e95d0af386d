"""What the README and the manual's page on the terminal show is what the program does."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
TERMINAL = (ROOT / "assets" / "manual" / "terminal.md").read_text(encoding="utf-8")


def test_its_build_file_can_be_checked(rigwright: Any, tmp_path: Path) -> None:
    example = TERMINAL.split("```json\n")[1].split("```")[0]
    path = tmp_path / "two.rig.json"
    path.write_text(example, encoding="utf-8")
    ended = rigwright("check", str(path), "--json")
    assert ended.returncode == 4, "parts are missing" + ended.stderr
    assert json.loads(ended.stdout)["build"] == "Two cards"


def test_its_commands_make_the_same_build(rigwright: Any, tmp_path: Path) -> None:
    example = TERMINAL.split("Build files can be created with commands:")[1].split("```sh\n")[1].split("```")[0]
    for line in example.splitlines():
        ended = rigwright(*shlex.split(line)[1:], folder=tmp_path)
        assert ended.returncode == 0, ended.stderr
    by_command = json.loads((tmp_path / "two.rig.json").read_text(encoding="utf-8"))
    by_hand = json.loads(TERMINAL.split("```json\n")[1].split("```")[0])
    assert by_command["name"] == by_hand["name"]
    lines = [{"quantity": 1, **line} for line in by_hand["lines"]]
    assert [line | {"power_limit_w": 220} if "slots" in line else line for line in lines] == by_command["lines"]


def test_its_nested_figure_can_be_typed(rigwright: Any) -> None:
    (line,) = TERMINAL.split("Figures that are lists")[1].split("```sh\n")[1].split("```")[0].splitlines()
    ended = rigwright(*shlex.split(line)[1:])
    assert ended.returncode == 0, ended.stderr


def packages_in(place: str) -> set[str]:
    return {path.parent.name for path in (ROOT / place).glob("*/__init__.py")}


def test_every_target_picture_and_folder_it_names_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [target for target in re.findall(r"make ([a-z]+)\b[ `]", README) if f"\n{target}:" not in makefile] == []
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", README)
    assert len(pictures) == 2
    assert [path for path in pictures if not (ROOT / path).is_file()] == []
    screen = README.partition("## Architecture on one screen")[2].partition("```\n")[2].partition("```")[0]
    top = re.findall(r"^(\w+)/", screen, re.MULTILINE)
    rooms = re.findall(r"^  ([\w.]+)", screen.partition("gui/")[0], re.MULTILINE)
    assert [folder for folder in top if not (ROOT / folder).is_dir()] == []
    assert [room for room in rooms if not (ROOT / "core" / room).exists()] == []
    in_core, _, in_gui = screen.partition("gui/")
    inner = {
        f"core/{room}": set(names)
        for room, text in re.findall(r"^  (\w+)/ +(.+(?:\n {4,}.+)*)", in_core, re.MULTILINE)
        if (names := re.findall(r"`(\w+)`", text))
    }
    inner["gui"] = set(re.findall(r"\w+", re.sub(r"\(.*\)", "", in_gui.partition("; Qt")[0])))
    inner["gui/burnin"] = set(re.findall(r"\w+", in_gui.partition("(")[2].partition(")")[0]))
    assert inner == {place: packages_in(place) for place in inner}
    assert packages_in("core") == {room for room in rooms if not room.endswith(".py")}
