"""Copies of unsaved work: each is kept until it is restored or given up, and a copy that cannot be written is told."""

import os
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.plan.edits import SetDetails
from core.plan.file import load_build, save_build
from gui.planner.document import PlanDocument
from gui.shell.recovery import Recovery
from tests.gui.conftest import shown_window


def work(name):
    """A document with an unsaved change."""
    document = PlanDocument(lambda _: None)
    document.edit(SetDetails(name=name))
    return document


def left(data_dir, name, *, age_s):
    """A copy that a crashed program left, so old."""
    recovery = Recovery(data_dir, work(name))
    assert recovery.write() is None
    stamp = (data_dir / "unsaved.json").stat().st_mtime - age_s
    os.utime(data_dir / "unsaved.json", (stamp, stamp))
    return recovery


def old_and_new(data_dir):
    """A copy of yesterday that was put off, and one of a minute ago."""
    recovery = left(data_dir, "Old", age_s=86_400)
    recovery.put_off(recovery.left_behind()[0])
    left(data_dir, "New", age_s=60)


@contextmanager
def opened(qtbot, data_dir, answers, *queue):
    answers.queue = list(queue)
    with shown_window(qtbot, data_dir) as window:
        qtbot.waitUntil(lambda: not answers.queue)
        yield window


def test_copies_that_are_put_off_are_numbered_and_all_kept(qtbot, data_dir):
    for number, name in enumerate(("First", "Second", "Third")):
        recovery = left(data_dir, name, age_s=1000 - number)
        [newest, *_] = recovery.left_behind()
        recovery.put_off(newest)
    names = sorted(path.name for path in Path(data_dir).glob("unsaved*"))
    assert names == ["unsaved-later-2.json", "unsaved-later-3.json", "unsaved-later.json"]
    assert [one.name for one in Recovery(data_dir, work("x")).left_behind()] == ["Third", "Second", "First"]


def names_left(data_dir):
    return [one.name for one in Recovery(data_dir, work("x")).left_behind()]


def test_the_start_offers_them_all_with_their_dates_and_the_newest_first(qtbot, data_dir, answers):
    old_and_new(data_dir)
    works = Recovery(data_dir, work("x")).left_behind()
    with opened(qtbot, data_dir, answers, "cancel", "cancel"):
        assert [question for question, _ in answers.questions] == [
            f"Rigwright ended without saving {one.name}, last changed {one.changed_at:%Y-%m-%d %H:%M}. Restore it?"
            for one in works
        ]
    assert names_left(data_dir) == ["New", "Old"]


def test_new_work_and_a_second_crash_do_not_overwrite_what_was_put_off(qtbot, data_dir, answers):
    left(data_dir, "A", age_s=60)
    with opened(qtbot, data_dir, answers, "cancel") as window:
        window.document.edit(SetDetails(name="B"))
        window.keep_unsaved()
        crashed = (data_dir / "unsaved.json").read_bytes()
    (data_dir / "unsaved.json").write_bytes(crashed)
    with opened(qtbot, data_dir, answers, "cancel", "cancel"):
        pass
    assert names_left(data_dir) == ["B", "A"]


def test_one_that_is_restored_leaves_the_others_for_the_next_start(qtbot, data_dir, answers):
    old_and_new(data_dir)
    with opened(qtbot, data_dir, answers, "restore") as window:
        assert (window.document.build.name, window.document.dirty) == ("New", True)
        assert names_left(data_dir) == ["New", "Old"]
    assert names_left(data_dir) == ["Old"]


def test_an_older_one_is_restored_and_then_is_the_copy_of_the_open_build_alone(qtbot, data_dir, answers):
    old_and_new(data_dir)
    with opened(qtbot, data_dir, answers, "discard", "restore") as window:
        assert window.document.build.name == "Old"
        assert [path.name for path in Path(data_dir).glob("unsaved*")] == ["unsaved.json"]


def test_a_copy_that_cannot_be_written_is_reported_once_until_it_can_be_again(qtbot, data_dir, monkeypatch):
    document = work("Mine")
    recovery = Recovery(data_dir, document)
    failures = []
    recovery.failed.connect(failures.append)

    def full(path, content):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("gui.shell.recovery.write_whole", full)
        recovery._keep()
        recovery._keep()
        assert len(failures) == 1
        assert "Unsaved work is not protected" in failures[0]
        assert "(the disk is full)" in failures[0]
    recovery._keep()
    with monkeypatch.context() as broken:
        broken.setattr("gui.shell.recovery.write_whole", full)
        recovery._keep()
    assert len(failures) == 2


def test_the_window_tells_of_a_copy_that_cannot_be_written(window, answers, qtbot):
    window.workspace.recovery.failed.emit("Unsaved work is not protected.")
    assert answers.sentences == ["Unsaved work is not protected."]


@pytest.fixture
def file(window, tmp_path):
    """A build that is open in the window with a change, and was changed on the disk since."""
    path = tmp_path / "mine.rig.json"
    window.document.edit(SetDetails(name="Mine"))
    window.document.save(path)
    theirs = SetDetails(name="Theirs").apply(window.document.build)
    save_build(theirs, path)
    window.document.edit(SetDetails(notes="half a day of work"))
    return path


def stored(path):
    return load_build(path, lambda _: None)


QUESTION = (
    "mine.rig.json was changed by another program since you opened it.",
    ["Save as…", "Replace with mine", "Open theirs"],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("cancel", (False, "Theirs", "Mine", True)),
        ("mine", (True, "Mine", "Mine", False)),
        ("theirs", (True, "Theirs", "Theirs", False)),
        ("save_as", (True, "Theirs", "Mine", False)),
    ],
)
def test_a_file_that_another_program_changed_is_replaced_only_as_answered(
    window, answers, file, tmp_path, answer, expected
):
    """Expected: whether it was saved, the name in the file, the name in the window, and whether that has changes."""
    answers.queue = [answer]
    answers.save_path = tmp_path / "other.rig.json"
    saved = window.workspace.files.save()
    assert answers.questions[-1] == QUESTION
    assert (saved, stored(file).name, window.document.build.name, window.document.dirty) == expected
    if answer == "mine":
        assert stored(file).notes == "half a day of work"
        assert window.workspace.files.save(), "it is asked once"
    if answer == "save_as":
        assert stored(answers.save_path).notes == "half a day of work"
        assert window.document.path == answers.save_path


def test_restored_work_knows_what_its_file_was(window, answers, file, data_dir):
    """The crash came before the question: it is asked after the restart all the same."""
    window.keep_unsaved()
    [left_work] = window.workspace.recovery.left_behind()
    window.workspace.recovery.take_up(left_work)
    answers.queue = ["cancel"]
    assert not window.workspace.files.save()
    assert answers.questions[-1] == QUESTION


def test_a_file_that_nobody_changed_is_saved_without_a_question(window, answers, tmp_path):
    path = tmp_path / "mine.rig.json"
    for name in ("One", "Two"):
        window.document.edit(SetDetails(name=name))
        window.document.save(path)
    assert stored(path).name == "Two"
    window.document.open(path)
    window.document.edit(SetDetails(name="Three"))
    assert window.workspace.files.save()
    assert answers.questions == []
