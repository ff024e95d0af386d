"""Which PSU powers what: chosen in the table, or by dragging a row onto a PSU."""

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QComboBox

from core.parts.vocabulary import Category
from core.plan.card_edits import SetPsu
from core.plan.edits import AddPart, SetQuantity
from gui.planner.connections.psus import POWERED_MIME, PSU, WHAT
from tests.gui.conftest import QUIET
from tests.gui.pointer import drop_of
from tests.shipped import parts_by_id


def shown(model):
    return [(model.index(row, WHAT).data(), model.index(row, PSU).data()) for row in range(model.rowCount())]


def panel_of(window, path=QUIET):
    window.open(path)
    panel = window.plan.connections
    window.plan.side.setCurrentWidget(panel)
    return panel


def card(window):
    return window.document.build.of(Category.GPU)[0]


def test_each_card_and_the_board_stand_with_the_psu_that_was_chosen_for_them(window):
    rows = shown(panel_of(window).psus)
    assert rows[0] == ("board", "automatic: PSU 1")
    assert [what.split(":")[0] for what, _ in rows[1:]] == [f"slot {slot}" for slot in (1, 2, 3, 4, 5, 7)]
    assert {psu for _, psu in rows} == {"automatic: PSU 1", "automatic: PSU 2"}


def test_one_psu_leaves_nothing_to_choose(window):
    panel = panel_of(window)
    assert panel.choices.isVisible()
    window.document.edit(SetQuantity("corsair-ax1600i", 1))
    assert not panel.choices.isVisible()


def test_a_psu_is_chosen_in_the_table_undone_and_left_to_the_program_again(qtbot, window):
    panel = panel_of(window)
    model = panel.psus
    before = model.index(1, PSU).data()
    other = 1 if before.endswith("2") else 2
    assert model.setData(model.index(1, PSU), other)
    qtbot.waitUntil(lambda: card(window).psus == (other,))
    assert shown(model)[1][1] == f"PSU {other}"
    window.document.undo_stack.undo()
    assert shown(model)[1][1] == before
    window.document.undo_stack.redo()
    model.setData(model.index(1, PSU), 0)
    qtbot.waitUntil(lambda: card(window).psus == ())


def test_the_box_offers_automatic_and_every_psu(window):
    panel = panel_of(window)
    index = panel.psus.index(1, PSU)
    panel.choices.edit(index)
    box = panel.choices.findChild(QComboBox)
    assert [box.itemText(row) for row in range(box.count())] == ["automatic", "PSU 1", "PSU 2"]
    assert box.currentText() == "automatic"


def test_a_row_dragged_onto_a_psu_hangs_there(qtbot, window):
    panel = panel_of(window)
    drop(panel, panel.psus.mimeData([panel.psus.index(2, WHAT)]))
    qtbot.waitUntil(lambda: card(window).psus == (None, 1))


def test_a_cable_of_the_tree_dragged_onto_another_psu_takes_its_card_along(qtbot, window):
    panel = panel_of(window)
    drop(panel, panel.wiring.mimeData([panel.wiring.index(0, 0, panel.wiring.index(1, 0))]))
    qtbot.waitUntil(lambda: 1 in card(window).psus)


def drop(panel, data):
    """On the first PSU of the tree."""
    panel.cables.dropEvent(drop_of(data, panel.cables.visualRect(panel.wiring.index(0, 0)).center()))


def test_a_psu_without_plugs_left_is_reported(window):
    panel = panel_of(window)
    window.document.edit(SetPsu(card(window).part.id, 2))
    assert any(psu == "PSU 2, unpowered" for _, psu in shown(panel.psus))
    assert "psu-balance" in {finding.rule for finding in window.document.assessment.findings}


def test_what_another_program_drags_onto_a_psu_is_ignored(window):
    panel = panel_of(window)
    before = window.document.build
    numbers = (b"one", b"0", b"-1", b"9" * 40, "²".encode())
    for content in (b"", b"\xff\n1", b"x" * 5_000_000, b"no-such\n1", *(b"x\n" + number for number in numbers)):
        data = QMimeData()
        data.setData(POWERED_MIME, content)
        drop(panel, data)
        assert window.document.build == before, content[:20]


def test_a_psu_stands_with_the_pdu_that_it_is_plugged_into(window):
    panel = panel_of(window)
    window.document.edit(AddPart(parts_by_id()["apc-ap9559"]))
    head = panel.wiring.index(0, 0)
    assert head.data().endswith("on APC Basic Rack PDU AP9559")
    assert "Plugged into APC Basic Rack PDU AP9559 on circuit 1" in head.data(Qt.ItemDataRole.ToolTipRole)
