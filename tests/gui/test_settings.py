import pytest
from PySide6.QtCore import QByteArray

from gui.settings import FILE_NAME, MAX_RECENT, Settings
from gui.widgets.theme import Mode


def test_what_was_kept_is_there_at_the_next_start(qtbot, tmp_path):
    first = Settings(tmp_path)
    first.theme = Mode.DARK
    first.set_layout("window", QByteArray(b"\x00\x01where"))
    first.set_flag("hide", True)
    first.flush()
    second = Settings(tmp_path)
    assert second.theme is Mode.DARK
    assert second.layout("window") == QByteArray(b"\x00\x01where")
    assert second.flag("hide", False)
    assert not second.flag("other", False)


def test_recent_files_are_newest_first_and_without_those_that_are_gone(qtbot, tmp_path):
    settings = Settings(tmp_path)
    paths = [tmp_path / f"{number}, 六卡.rig.json" for number in range(MAX_RECENT + 2)]
    for path in paths:
        path.touch()
        settings.add_recent(path)
    settings.add_recent(paths[3])
    paths[-1].unlink()
    recent = settings.recent_files()
    assert recent[0] == paths[3]
    assert len(recent) == MAX_RECENT - 1
    assert paths[-1] not in recent


def test_a_damaged_settings_file_gives_the_defaults(qtbot, tmp_path):
    (tmp_path / FILE_NAME).write_text("[General]\ntheme=purple\nrecent=[[[\n")
    settings = Settings(tmp_path)
    assert settings.theme is Mode.SYSTEM
    assert settings.recent_files() == []
    assert settings.layout("window").isEmpty()


@pytest.mark.parametrize(
    "content", [b"[General]\nrecent=[[[\n", b"\xff\xfe\x00theme", b"no ini at all\n", b"[General]\nroom=1e999999{\n"]
)
def test_a_damaged_settings_file_is_kept_aside_and_told_once(qtbot, tmp_path, content):
    (tmp_path / FILE_NAME).write_bytes(content)
    settings = Settings(tmp_path)
    aside = f"{FILE_NAME}.damaged"
    assert settings.damage.endswith(f"could not be read and was set aside as {aside}. It starts with the defaults.")
    assert (tmp_path / aside).read_bytes() == content
    settings.theme = Mode.DARK
    settings.flush()
    again = Settings(tmp_path)
    assert (again.damage, again.theme) == ("", Mode.DARK)
