"""Guards of the pinned Qt: a version that loses references to None aborts after some thousand calls."""

import sys

from PySide6.QtWidgets import QLabel


def test_twenty_thousand_calls_keep_the_references_to_none(qtbot):
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for number in range(20_000):
        label.setText(str(number))
        label.setToolTip("")
    assert abs(sys.getrefcount(None) - before) < 200
