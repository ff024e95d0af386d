"""What a user does in the editor of parts, and what the catalogue has afterwards."""

from PySide6.QtCore import Qt

from core.parts.form_figure import form_figures_of

TURBO = "asus-turbo-3090"


def figure(category, name):
    return next(one for one in form_figures_of(category) if one.name == name)


def part(window, part_id=TURBO):
    return window.connection.find_part(part_id)


def write(qtbot, line, text):
    line.selectAll()
    if text:
        qtbot.keyClicks(line, text)
    else:
        qtbot.keyClick(line, Qt.Key.Key_Delete)


def field(editor, name):
    return editor.form.rows[name].control.field


def save(qtbot, editor):
    with qtbot.waitSignal(editor.saved):
        qtbot.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def cells(dialog):
    """What stands in the rows of a list, as they are shown."""
    return [tuple(column.text(row) for column in dialog.model.columns) for row in dialog.model.rows]
