"""What is promised for every command: --json, --data-dir before and after it, one JSON document and nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import typer.main

from core.cli.app import app
from core.parts.shipped import CATALOGUE
from core.platform.paths import ASSETS

TOOL_LOG = Path(__file__).parent.parent / "machine" / "telemetry" / "tool_logs" / "smi-identities.csv"
WITHOUT_JSON = {"open", "stream", "pack", "unpack"}  # a window; lines and bytes for programs

# What each command is called with below; a command that is added must be added here.
CALLS: dict[str, tuple[str, ...]] = {
    "templates": (),
    "parts search": ("3090",),
    "parts categories": (),
    "parts show": ("asus-x99-e-ws",),
    "parts coverage": (),
    "parts fits": ("six-rtx-3090-first-attempt", "psu"),
    "parts schema": ("psu",),
    "parts validate": (str(CATALOGUE / "ups" / "apc.toml"),),
    "parts set": ("asus-x99-e-ws", "--price", "500 EUR"),
    "parts new": ("my-psu", "power_w=1000", "--category", "psu", "--maker", "Me", "--name", "Mine"),
    "parts own": (),
    "parts export": ("-o", "mine.json"),
    "parts take": ("mine.json",),
    "parts remove": ("my-psu",),
    "parts prices-out": ("-o", "prices.csv", "--category", "psu"),
    "parts prices-in": ("prices.csv",),
    "about": (),
    "parts prices": ("prices.csv",),
    "parts prices-undo": (),
    "parts currency": ("EUR", "--rate", "USD=0.92@2026-11-20", "--vat", "19", "--with-vat"),
    "parts import": ("set",),
    "parts compare-release": ("set", "-o", "changes.csv"),
    "parts quarantine": (),
    "parts forget-import": (),
    "builds schema": (),
    "new": ("made.rig.json", "--template", "digits-devbox"),
    "add": ("made.rig.json", "asus-turbo-rtx-3090-24g"),
    "set": ("made.rig.json", "turbo", "--limit", "300"),
    "swap": ("made.rig.json", "turbo", "gigabyte-rtx-3090-turbo-24g"),
    "remove": ("made.rig.json", "gigabyte-rtx-3090-turbo-24g"),
    "check": ("six-rtx-3090-first-attempt",),
    "fix": ("digits-devbox",),
    "find": ("--network", "cnn", "--money", "1500 USD"),
    "place": ("digits-devbox",),
    "explain": ("slot-overlap",),
    "predict": ("digits-devbox",),
    "compare": ("digits-devbox", "nvidia-dgx-station"),
    "picture": ("digits-devbox", "-o", "machine.svg"),
    "share": ("digits-devbox", "-o", "list.txt"),
    "import-list": ("list.txt", "listed.rig.json"),
    "validate": (str(ASSETS / "measurements" / "cases.csv"),),
    "cost": ("digits-devbox", "--tariff", "0.3"),
    "gpus": ("--network", "cnn"),
    "devices": (),
    "as-built": ("--build", "two-rtx-5090-desktop", "--simulate", "2x5090"),
    "runs": (),
    "language": (),
    "kernel-log": ("dmesg.txt",),
    "doctor": (),
    "burn": ("--simulate", "2x3090", "--minutes", "0.1", "--profile", "every-check"),
    "status": (),
    "watch": (),
    "telemetry": ("1", "-o", "run.jsonl"),
    "certificate": ("1", "-o", "certificate.pdf"),
    "rma": ("1", "--gpu", "1", "-o", "card.zip"),
    "facts": ("1", "--customer", "A lab"),
    "noise": ("1",),
    "wall": ("1",),
    "verify": ("1",),
    "seal": ("1",),
    "key": (),
    "references list": ("3090",),
    "references add": ("1",),
    "close": ("1",),
    "stop": (),
    "skip": (),
    "mark": ("fan 3 rattles",),
    "note": ("1", "new paste"),
    "notices": (),
    "swap-test": ("1", "--device", "0"),
    "import-log": (str(TOOL_LOG),),
    "forget": ("1", "--yes"),
    "profiles show": ("every-check",),
    "profiles stages": (),
    "profiles schema": (),
    "calibrate": ("digits-devbox", "--sound", "48", "--distance", "1", "--background", "30"),
    "report": ("digits-devbox", "-o", "build.json"),
}
CODES = {"check": 1, "references add": 2, "close": 2, "stop": 2, "skip": 2, "mark": 2}
"""The others end with 0: the first attempt fails, a simulated run is no reference, and the run has ended when it is
closed or stopped."""


def commands(group: Any = None, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its name as it is typed."""
    for name, command in (group or typer.main.get_command(app)).commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        else:
            yield before + name, command


def test_every_command_takes_json_and_a_data_folder() -> None:
    options = {name: {word for option in command.params for word in option.opts} for name, command in commands()}
    assert [name for name, words in options.items() if "--data-dir" not in words] == []
    assert {name for name, words in options.items() if "--json" not in words} == WITHOUT_JSON
    assert set(CALLS) == set(options) - WITHOUT_JSON


def test_every_command_has_a_sentence_of_help() -> None:
    assert [name for name, command in commands() if not (command.help or "").split("\n")[0].endswith(".")] == []


def untouched(folder: Path, filled: Path) -> bool:
    """Whether nothing was written to a data folder since the first start."""
    now, then = ({path.name: path.read_bytes() for path in one.iterdir()} for one in (folder, filled))
    return now == then


def doubts(document: str) -> list[str]:
    """What keeps the run of a document from PASS."""
    contents = json.loads(document)
    reasons = [reason for verdict in contents.get("verdicts", []) for reason in verdict["reasons"]]
    interruptions = [one["message"] for one in contents.get("interruptions", [])]
    return interruptions + [reason["text"] for reason in reasons if reason["outcome"] != "PASS"]


@pytest.mark.process
def test_json_is_one_document_in_the_data_folder_and_nothing_else(
    rigwright: Any, tmp_path: Path, filled_folder: Path
) -> None:
    place = tmp_path / "elsewhere"
    row = tmp_path / "set/open-db/PSU" / f"{UUID(int=1)}.json"
    row.parent.mkdir(parents=True)
    row.write_text('{"metadata": {"name": "Maker WiredPsu", "manufacturer": "Maker"}, "wattage": 850}')
    (tmp_path / "dmesg.txt").write_text("[    0.000000] Linux version 6.8.0-60-generic\n")
    for name, words in CALLS.items():
        ended = rigwright(*name.split(), *words, "--json", "--data-dir", str(place), folder=tmp_path)
        assert (name, ended.returncode) == (name, CODES.get(name, 0)), ended.stderr or doubts(ended.stdout)
        if ended.returncode == 2:
            assert (name, ended.stdout) == (name, "")
            assert ended.stderr.startswith("Error: ")
        else:
            json.loads(ended.stdout)
            # A busy machine may take seconds to list its devices, which is told beside the document.
            waited = "Waiting for the devices to be listed"
            assert (name, [line for line in ended.stderr.splitlines() if not line.startswith(waited)]) == (name, [])
    assert (place / "runs.sqlite").is_file()
    assert untouched(tmp_path / "data", filled_folder)
    assert (tmp_path / "build.json").is_file()


def test_the_data_folder_may_stand_before_the_command(rigwright: Any, tmp_path: Path, filled_folder: Path) -> None:
    for words in (("runs",), ("parts", "categories")):
        place = tmp_path / words[0]
        assert rigwright("--data-dir", str(place), *words).returncode == 0
        assert list(place.iterdir()) != []
    assert untouched(tmp_path / "data", filled_folder)
    after, before = tmp_path / "after", tmp_path / "before"
    assert rigwright("--data-dir", str(before), "runs", "--data-dir", str(after)).returncode == 0
    assert (after / "runs.sqlite").is_file()
    assert not (before / "runs.sqlite").exists()
