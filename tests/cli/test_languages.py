"""The command line in other languages: help, answers and mistakes are translated, documents stay English."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

import pytest

from core.cli.options import padded
from core.cli.usage import in_our_language
from core.rules.finding import Status
from core.words import chosen_language, into, spoken

Run = Callable[..., CompletedProcess[str]]
MACHINE = Path(__file__).parents[1] / "machine/asbuilt/texts/machines/romed8-2t/dmidecode.txt"


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Path]:
    """Where the choice is kept, away from that of whoever runs the tests."""
    place = tmp_path / "config"
    without = {name: value for name, value in os.environ.items() if name != "RIGWRIGHT_LANGUAGE"}
    with patch.dict(os.environ, without | {"XDG_CONFIG_HOME": str(place)}, clear=True):
        yield place


@contextmanager
def pseudo() -> Iterator[None]:
    with patch.dict(os.environ, {"RIGWRIGHT_LANGUAGE": "pseudo"}):
        yield


def test_the_choice_is_kept_shown_and_taken_back(rigwright: Run, config: Path) -> None:
    assert rigwright("language", "de").returncode == 0
    assert (config / "rigwright" / "language").read_text().strip() == "de"
    assert chosen_language() == "de"
    assert json.loads(rigwright("language", "--json").stdout)["kept"] == "de"
    assert rigwright("language", "system").returncode == 0
    assert json.loads(rigwright("language", "--json").stdout)["kept"] is None


def test_an_unknown_language_is_refused_and_nothing_kept(rigwright: Run, config: Path) -> None:
    ended = rigwright("language", "xx")
    assert ended.returncode == 2
    assert "There is no language 'xx'. Available: en, de, zh_CN, zh_TW, and system" in ended.stderr
    assert not config.exists()


def test_the_environment_decides_over_what_is_kept(rigwright: Run, config: Path) -> None:
    assert rigwright("language", "zh_CN").returncode == 0
    with patch.dict(os.environ, {"RIGWRIGHT_LANGUAGE": "en"}):
        assert chosen_language() == "en"
        printed = rigwright("language").stdout
    assert printed.startswith("Saved: 简体中文.")
    assert "RIGWRIGHT_LANGUAGE is set and takes precedence." in printed


@pytest.mark.process
def test_help_and_mistakes_speak_the_language(process: Run) -> None:
    with pseudo():
        shown = process("predict", "--help").stdout
        wrong = process("chek").stderr
        missing = process("check").stderr
    for words in ("⟦Usage: ⟧", "⟦Options⟧:", "⟦Show this message and exit.⟧", "⟦Intake air of the machine, °C.⟧"):
        assert words in shown
    assert "⟦Error: No such command 'chek'. Did you mean 'check'?⟧" in wrong
    assert "⟦Error: Missing argument 'file'.⟧" in missing


def test_answers_speak_the_language_and_documents_are_english(rigwright: Run) -> None:
    with spoken("pseudo"):
        printed = rigwright("check", "digits-devbox").stdout
        document = rigwright("check", "digits-devbox", "--json").stdout
    english = rigwright("check", "digits-devbox", "--json").stdout
    assert "⟦" in printed
    assert "⟦" not in document
    assert json.loads(document) == json.loads(english)


@pytest.mark.process
def test_support_of_figures_and_lines_as_built_speak_the_language(process: Run) -> None:
    with pseudo():
        part = process("parts", "show", "corsair-ax1600i").stdout
        built = process("as-built", f"--from={MACHINE}", "--build", "digits-devbox").stdout
    assert "⟦confirmed⟧" in part
    assert "⟦Card⟧" in built


@pytest.mark.process
@pytest.mark.parametrize("language", ["de", "zh_CN", "zh_TW"])
def test_a_language_is_spoken_by_help_and_commands(process: Run, language: str) -> None:
    with spoken(language):
        usage, failed = in_our_language("Usage: ").strip(), str(into(Status.FAIL.label))
    if usage == "Usage:" or failed == "FAIL":
        pytest.skip(f"{language} is not translated yet")
    with patch.dict(os.environ, {"RIGWRIGHT_LANGUAGE": language}):
        assert process("--help").stdout.startswith(usage)
        assert process("burn", "--minutes", "x").stderr.startswith(usage)
        checked = process("check", "six-rtx-3090-first-attempt")
    assert (checked.returncode, f"\n{failed} " in checked.stdout) == (1, True)
    assert "slot-overlap" in checked.stdout


def test_what_the_library_says_is_taken_over_with_its_places() -> None:
    with spoken("pseudo"):
        assert in_our_language("Error: Invalid value for '--as': 'x' is not one of 'a', 'b'.") == (
            "⟦Error: Invalid value for '--as': 'x' is not one of 'a', 'b'.⟧"
        )
        number = "Input should be a valid number, unable to parse string as a number"
        assert in_our_language(f"Error: Invalid value for '--room': {number}") == (
            f"⟦Error: Invalid value for '--room': ⟦{number}⟧⟧"
        )
        assert in_our_language("what nobody knows") == "what nobody knows"


def test_chinese_characters_take_two_columns() -> None:
    assert padded("通过", 8) == "通过    "
    assert padded("pass", 8) == "pass    "


def test_an_error_is_written_with_the_marks_of_the_language(rigwright: Run) -> None:
    with spoken("zh_CN"):
        assert rigwright("check", "nosuch").stderr.startswith("错误：无法打开")
    with spoken("de"):
        assert rigwright("check", "nosuch").stderr.startswith("Fehler: ")
