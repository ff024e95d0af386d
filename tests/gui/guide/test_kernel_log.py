"""A kernel log that the user chooses is shown as a table of what it blames."""

from pathlib import Path

import pytest

from gui.widgets.list_dialog import TextDialog

LOGS = Path(__file__).parents[2] / "machine" / "telemetry" / "kernel_logs"


def tables(window):
    return [child for child in window.findChildren(TextDialog) if child.isVisible()]


def test_what_a_log_blames_is_a_table_the_gravest_first(window, qtbot, answers):
    answers.open_path = LOGS / "switch-fatal.log"
    window.menus.actions["kernel_log"].trigger()
    qtbot.waitUntil(lambda: tables(window) != [])
    [table] = tables(window)
    assert [row[:2] for row in table.model.rows] == [
        ("FAIL", "NVSwitch 0 0000:84:00.0"),
        ("WARN", "NVSwitch 1 0000:85:00.0"),
    ]
    assert "switch-fatal.log" in table.windowTitle()
    table.reject()


@pytest.mark.parametrize(
    ("name", "says"), [("healthy-nvidia-start.log", "nothing to blame"), ("corpus.csv", "no kernel log")]
)
def test_a_log_without_an_error_and_what_is_no_log_are_reported(window, qtbot, answers, tmp_path, name, says):
    (tmp_path / "corpus.csv").write_text("watts,time\n1,2\n")
    answers.open_path = LOGS / name if name.endswith(".log") else tmp_path / name
    window.menus.actions["kernel_log"].trigger()
    qtbot.waitUntil(lambda: answers.sentences != [])
    assert says in answers.sentences[0]
    assert tables(window) == []


def test_who_turns_away_sees_nothing(window, answers):
    window.menus.actions["kernel_log"].trigger()
    assert answers.sentences == []
    assert tables(window) == []
