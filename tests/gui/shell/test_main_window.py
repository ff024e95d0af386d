import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeySequence

from core.plan.edits import AddPart, SetDetails
from gui.planner.document import PlanDocument
from gui.shell.main_window import MainWindow
from gui.shell.pages import BURNIN, PLAN, PREDICTIONS, RUNS
from gui.shell.recovery import Recovery
from gui.widgets.actions import ACTIONS
from gui.widgets.theme import Mode, theme
from tests.gui.conftest import FIRST_ATTEMPT, QUIET
from tests.gui.pointer import drop_of


def trigger(window, name):
    window.menus.actions[name].trigger()


def another(qtbot, data_dir):
    """A further window on the folder, as after a new start."""
    window = MainWindow(data_dir)
    qtbot.addWidget(window)
    window.show()
    return window


def test_every_action_stands_in_a_menu_under_its_key(window):
    shown = {action for menu in window.menus.menus.values() for action in menu.actions()}
    keys = [key.toString() for action in shown for key in action.shortcuts()]
    for spec in ACTIONS:
        assert window.menus.actions[spec.name] in shown
        assert window.menus.actions[spec.name].toolTip()
    assert len(keys) == len(set(keys))
    assert {"Ctrl+N", "Ctrl+O", "Ctrl+S", "Ctrl+Z", "Ctrl+F", "Ctrl+E", "Ctrl+Q", "F11"} <= set(keys)


def test_new_open_save_and_save_as(window, answers, tmp_path):
    answers.open_path = FIRST_ATTEMPT
    trigger(window, "open")
    assert window.document.build.name == "Six RTX 3090, first attempt"
    window.document.edit(SetDetails(notes="mine"))
    answers.save_path = tmp_path / "copy"
    trigger(window, "save_as")
    saved = tmp_path / "copy.rig.json"
    assert json.loads(saved.read_text())["notes"] == "mine"
    window.document.edit(SetDetails(notes="changed"))
    trigger(window, "save")
    assert json.loads(saved.read_text())["notes"] == "changed"
    trigger(window, "new")
    assert window.document.build.lines == ()
    assert answers.questions == []


def test_save_asks_for_a_name_the_first_time(window, answers, tmp_path):
    window.document.edit(SetDetails(name="六卡静音"))
    answers.save_path = tmp_path / "六卡静音.rig.json"
    trigger(window, "save")
    assert answers.save_path.exists()
    assert window.windowTitle().startswith("六卡静音.rig.json")
    assert window.statusBar().currentMessage() == f"Saved: 六卡静音, as {answers.save_path}"


@pytest.mark.parametrize(
    ("answer", "name", "expected"),
    [
        ("save", "draft.rig.json", (True, True)),
        ("save", None, (False, False)),
        ("discard", "draft.rig.json", (True, False)),
        ("cancel", "draft.rig.json", (False, False)),
    ],
)
def test_unsaved_work_is_asked_about_with_verbs(window, answers, tmp_path, answer, name, expected):
    """Expected: whether the window closes, and whether there is a file."""
    window.document.edit(SetDetails(name="Draft"))
    answers.save_path = name and tmp_path / name
    answers.queue = [answer]
    assert (window.close(), bool(list(tmp_path.glob("*.rig.json")))) == expected
    assert answers.questions == [("Save the changes to Draft?", ["Save", "Discard"])]


def test_typing_that_was_not_yet_taken_in_counts_as_unsaved(window, answers):
    window.plan.details.name.setText("Typed")
    window.plan.notes.setPlainText("noted")
    answers.queue = ["cancel"]
    assert not window.close()
    assert window.document.build.name == "Typed"
    assert window.document.build.notes == "noted"


def test_the_title_shows_the_file_and_the_unsaved_mark(window):
    window.open(QUIET)
    assert window.windowTitle() == f"{QUIET.name}[*] - Rigwright"
    assert not window.isWindowModified()
    window.document.edit(SetDetails(name="x"))
    assert window.isWindowModified()
    trigger(window, "undo")
    assert not window.isWindowModified()
    trigger(window, "redo")
    assert window.document.build.name == "x"


def test_a_damaged_file_gives_a_sentence_and_the_old_build_stays(window, answers, tmp_path):
    window.open(QUIET)
    before = window.document.build
    damaged = tmp_path / "damaged.rig.json"
    damaged.write_text("{")
    window.open(damaged)
    assert len(answers.sentences) == 1
    assert "damaged" in answers.sentences[0]
    assert window.document.build is before


def test_each_template_opens_from_its_menu(window):
    actions = window.menus.templates.actions()
    assert len(actions) >= 3
    for action in actions:
        action.trigger()
        assert window.document.build.lines
        assert window.document.path is None


def test_files_opened_last_are_offered_again(window):
    window.open(QUIET)
    window.open(FIRST_ATTEMPT)
    recent = window.menus.recent.actions()
    assert [action.text() for action in recent] == [FIRST_ATTEMPT.name, QUIET.name]
    recent[1].trigger()
    assert window.document.path == QUIET


def test_a_dropped_build_file_is_opened(window):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(QUIET))])
    window.dropEvent(drop_of(data))
    assert window.document.path == QUIET


def test_pages_turn_by_keys_and_are_made_when_shown(qtbot, window):
    qtbot.keyClick(window, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    assert window.pages.currentIndex() == PREDICTIONS
    assert window.pages.predictions is not None
    for action, page in (("next_page", BURNIN), ("next_page", RUNS), ("next_page", PLAN), ("previous_page", RUNS)):
        trigger(window, action)
        assert window.pages.currentIndex() == page
    assert window.pages.burnin is not None
    assert window.pages.runs is not None


def test_the_other_pages_are_made_a_moment_after_the_first_paint(qtbot, window):
    qtbot.waitUntil(lambda: window.pages.runs is not None)
    assert window.pages.burnin is not None
    assert window.pages.predictions is not None
    assert window.pages.currentIndex() == PLAN


def test_find_goes_to_the_search_field_from_any_page(window):
    trigger(window, "next_page")
    window.activateWindow()
    trigger(window, "find")
    assert window.pages.currentIndex() == PLAN
    assert window.focusWidget() is window.plan.parts.search


def test_light_and_dark_are_chosen_and_kept(window):
    trigger(window, "theme_dark")
    assert theme().dark
    assert window.settings.theme is Mode.DARK
    trigger(window, "theme_light")
    assert not theme().dark
    trigger(window, "theme_system")
    assert window.settings.theme is Mode.SYSTEM


def test_full_screen_goes_and_comes_back(window):
    trigger(window, "full_screen")
    assert window.isFullScreen()
    trigger(window, "full_screen")
    assert not window.isFullScreen()


def test_the_data_folder_is_opened(window, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    trigger(window, "data_folder")
    assert opened == [str(window.data_dir)]


def test_quit_closes_the_window(window):
    trigger(window, "quit")
    assert not window.isVisible()


@pytest.mark.parametrize("suffix", [".html", ".pdf", ".json"])
def test_the_report_is_written_beside_the_window_and_shown(qtbot, window, answers, tmp_path, monkeypatch, suffix):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(Path(url.toLocalFile())) is None)
    window.open(QUIET)
    answers.save_path = tmp_path / f"report{suffix}"
    trigger(window, "export")
    qtbot.waitUntil(lambda: opened == [answers.save_path])
    assert answers.save_path.stat().st_size > 1000
    message = f"Written: Six RTX 3090, quiet, as {answers.save_path}"
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == message)


def test_a_report_that_cannot_be_written_gives_a_sentence(qtbot, window, answers, tmp_path):
    window.open(QUIET)
    answers.save_path = tmp_path / "none" / "report.html"
    trigger(window, "export")
    qtbot.waitUntil(lambda: bool(answers.sentences))
    assert "could not be written" in answers.sentences[0]


@pytest.mark.parametrize(
    ("answer", "closes", "stopped"), [("keep", True, []), ("stop", True, [7]), ("cancel", False, [])]
)
def test_closing_during_a_run_asks_what_becomes_of_it(window, answers, monkeypatch, answer, closes, stopped):
    page, ended = window.pages.require_burnin(), []
    monkeypatch.setattr(page, "active_run", lambda: 7)
    monkeypatch.setattr(page, "stop_now", lambda: ended.append(7))
    answers.queue = [answer]
    assert window.close() is closes
    assert answers.questions == [("A burn-in is running.", ["Keep running", "Stop and close"])]
    assert ended == stopped
    monkeypatch.undo()


def test_the_status_bar_says_what_the_run_does(window):
    page = window.pages.require_burnin()
    page.run_state_changed.emit("Run 3: soak", True)
    assert window.status.run_text == "Run 3: soak"
    window.status.set_run_state("", False)
    assert window.status.run_text == "No run"


def test_the_burn_in_menu_has_the_actions_of_the_page(window):
    page = window.pages.require_burnin()
    actions = [action for action in window.menus.menus["run"].actions() if not action.isSeparator()]
    assert actions == [*page.run_actions(), *window.workspace.attendance.actions()]


def test_a_run_is_compared_with_the_plan_as_it_stands(window):
    page = window.pages.require_burnin()
    assert page.plan._plan_text() is None
    window.open(QUIET)
    window.plan.details.name.setText("Typed")
    assert json.loads(page.plan._plan_text())["name"] == "Typed"


def test_an_interrupted_run_is_taken_up_on_the_burn_in_page(window, monkeypatch):
    trigger(window, "previous_page")
    shown = []
    monkeypatch.setattr(window.pages.require_burnin(), "show_run", shown.append)
    window.pages.runs.resume_wanted.emit(4)
    assert window.pages.currentIndex() == BURNIN
    assert shown == [4]


def test_geometry_is_remembered(qtbot, window, answers, data_dir):
    window.resize(780, 690)
    window.plan.splitters()["plan-middle"].setSizes([200, 300])
    sizes = window.plan.splitters()["plan-middle"].sizes()
    window.close()
    again = another(qtbot, data_dir)
    assert (again.width(), again.height()) == (780, 690)
    assert again.plan.splitters()["plan-middle"].sizes() == pytest.approx(sizes, abs=3)


def test_a_name_without_its_ending_replaces_no_other_file_unasked(window, answers, tmp_path):
    other = tmp_path / "rig.rig.json"
    other.write_text("kept")
    answers.save_path = tmp_path / "rig"
    answers.queue = ["cancel"]
    assert not window.workspace.files.save_as()
    assert answers.questions[-1] == ("rig.rig.json already exists. Replace it?", ["Replace"])
    assert other.read_text() == "kept"
    answers.queue = ["replace"]
    assert window.workspace.files.save_as()
    assert other.read_text() != "kept"


def test_nor_does_a_report(window, answers, tmp_path):
    window.open(QUIET)
    other = tmp_path / "report.html"
    other.write_text("kept")
    answers.save_path = tmp_path / "report"
    answers.queue = ["cancel"]
    window.workspace.export()
    assert other.read_text() == "kept"
    assert answers.questions[-1] == ("report.html already exists. Replace it?", ["Replace"])


def test_undo_names_a_part_with_an_ampersand_in_full(window):
    part = window.connection.find_part("corsair-ax1600i").model_copy(update={"maker": "Bolt & Co"})
    window.document.edit(AddPart(part))
    assert window.menus.actions["undo"].text() == "&Undo Add Bolt && Co AX1600i"
    assert window.document.undo_stack.command(0).text() == "Add Bolt & Co AX1600i"


def test_what_is_being_typed_when_the_session_ends_is_kept_for_the_next_start(qtbot, window, data_dir):
    window.plan.side.setCurrentWidget(window.plan.notes)
    window.plan.notes.setFocus()
    qtbot.keyClicks(window.plan.notes, "half a sentence")
    window.keep_unsaved()
    assert "half a sentence" in (data_dir / "unsaved.json").read_text(encoding="utf-8")


def test_unsaved_work_outlives_a_start_that_is_ended_before_it_was_offered(qtbot, data_dir, answers):
    document = PlanDocument(lambda _: None)
    document.edit(SetDetails(name="Lost"))
    recovery = Recovery(data_dir, document)
    recovery.write()
    window = MainWindow(data_dir)
    qtbot.addWidget(window)
    assert window.document.build.lines == ()
    window.keep_unsaved()
    assert [work.name for work in recovery.left_behind()] == ["Lost"]


def test_what_is_damaged_is_kept_aside_and_told_once(qtbot, data_dir, answers):
    damaged = ("window.ini", "unsaved.json", "references.json")
    for name in damaged:
        (data_dir / name).write_bytes(b"\xff\x00 no more")
    for sentences in (3, 3):
        window = another(qtbot, data_dir)
        qtbot.waitUntil(lambda: len(answers.sentences) >= 3)
        qtbot.wait(200)
        window.close()
        assert len(answers.sentences) == sentences
    for name, sentence in zip(damaged, answers.sentences, strict=True):
        assert f"was set aside as {name}.damaged" in sentence
        assert (data_dir / f"{name}.damaged").read_bytes() == b"\xff\x00 no more"


def test_work_that_cannot_be_restored_is_kept_aside(qtbot, data_dir, answers):
    left = json.dumps({"build": "of another program", "path": None, "name": "Lost"})
    (data_dir / "unsaved.json").write_text(left)
    answers.queue = ["restore"]
    window = another(qtbot, data_dir)
    qtbot.waitUntil(lambda: bool(answers.sentences))
    assert "was set aside as unsaved.json.damaged" in answers.sentences[-1]
    window.close()
    assert (data_dir / "unsaved.json.damaged").read_text() == left


def test_the_undo_key_reaches_the_stack_even_from_the_notes(qtbot, window):
    window.document.edit(SetDetails(name="Second"))
    window.plan.side.setCurrentWidget(window.plan.notes)
    window.plan.notes.setFocus()
    qtbot.keySequence(window.plan.notes, QKeySequence(QKeySequence.StandardKey.Undo))
    assert window.document.build.name == "New build"
