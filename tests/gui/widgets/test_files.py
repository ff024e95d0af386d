"""Files that are named and shown."""

from PySide6.QtGui import QDesktopServices

from gui.widgets import files


def test_a_report_that_no_program_shows_is_still_found(answers, monkeypatch, tmp_path):
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    files.show_file(tmp_path / "报告.pdf")
    assert str(tmp_path / "报告.pdf") in answers.sentences[0]
