"""Paths between GPUs and power cables, in their models and in the panel."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from core.parts.vocabulary import Category
from core.plan.edits import AddPart, RemovePart, SetLines, SetQuantity
from gui.planner.build_files import TEMPLATES
from gui.planner.connections.cables import FROM, TO, WATTS, WiringModel
from gui.planner.connections.panel import PathsModel
from gui.planner.connections.psus import PsusModel
from tests.gui.conftest import FIRST_ATTEMPT, QUIET, change_figures

Fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
DGX, DSS = TEMPLATES / "nvidia-dgx-1.rig.json", TEMPLATES / "dell-dss-8440.rig.json"
SPOKEN = Qt.ItemDataRole.AccessibleTextRole


@pytest.fixture
def paths(document):
    return PathsModel(document)


@pytest.fixture
def wiring(document):
    return WiringModel(document)


@pytest.fixture
def panel(window):
    """The panel in sight, of an empty build."""
    window.plan.side.setCurrentWidget(window.plan.connections)
    return window.plan.connections


def follow(document, *models):
    for model in models:
        if isinstance(model, PathsModel):
            model.show_paths(document.assessment)
        elif isinstance(model, PsusModel):
            model.show_wiring(document.build, document.assessment.wiring)
        else:
            model.show_wiring(document.assessment)


def words(model):
    return [
        [model.index(row, column).data() for column in range(model.columnCount())] for row in range(model.rowCount())
    ]


def heads(model):
    return [model.index(row, FROM).data() for row in range(model.rowCount())]


def lines(model, group):
    head = model.index(group, 0)
    return [
        tuple(model.index(row, column, head).data() for column in (FROM, TO, WATTS))
        for row in range(model.rowCount(head))
    ]


def test_the_models_keep_qts_rules_through_edits(document, paths, wiring):
    models = (paths, wiring, PsusModel(document))
    testers = [QAbstractItemModelTester(model, Fatal) for model in models]
    for path in (QUIET, FIRST_ATTEMPT, DGX, DSS):
        document.open(path)
        follow(document, *models)
    document.open(QUIET)
    document.edit(RemovePart("corsair-ax1600i"))
    follow(document, *models)
    document.new()
    follow(document, *models)
    assert [tester.model().rowCount() for tester in testers] == [0, 0, 0]


def test_cards_of_one_desktop_cpu_reach_each_other_through_its_host_bridge(document, paths):
    document.open(FIRST_ATTEMPT)
    follow(document, paths)
    assert words(paths) == [["·", "PHB", "PHB"], ["PHB", "·", "PHB"], ["PHB", "PHB", "·"]]
    assert [paths.headerData(row, Qt.Orientation.Vertical) for row in range(3)] == ["slot 2", "slot 5", "slot 7"]
    across = [paths.headerData(column, Qt.Orientation.Horizontal, SPOKEN) for column in range(3)]
    assert across == [f"Slot {link.slot.position}: {link.card.part.title}" for link in paths.rows]
    assert paths.legend() == "PHB: the CPU's PCIe host bridge"
    spoken = paths.index(0, 1).data(SPOKEN)
    assert spoken == "Slots 2 and 5: PHB, the CPU's PCIe host bridge, at most 15.8 GB/s each way"


def test_a_bridge_between_two_cards_is_marked(document, catalogue, paths):
    document.open(QUIET)
    card = catalogue.require("asus-tuf-rtx-3090-oc-24g")
    bridge = catalogue.require("nvidia-nvlink-bridge-rtx-3090-4-slot")
    line = replace(document.build.of(Category.GPU)[0], part=card, quantity=2, slots=(1, 5))
    others = tuple(other for other in document.build.lines if other.part.category is not Category.GPU)
    document.edit(SetLines("Two cards", (*others, line)))
    document.edit(AddPart(bridge))
    follow(document, paths)
    assert words(paths) == [["·", "NV"], ["NV", "·"]]
    assert "NVLink over" in paths.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert paths.index(0, 1).data(Qt.ItemDataRole.BackgroundRole) is not None
    assert "NV: NVLink" in paths.legend()


def test_every_cable_stands_under_its_psu_with_its_socket_and_watts(document, wiring):
    document.open(QUIET)
    follow(document, wiring)
    assert [head[:5] for head in heads(wiring)] == ["PSU 1", "PSU 2"]
    rows = lines(wiring, 0) + lines(wiring, 1)
    fed = [to for _, to, _ in rows if to.startswith("slot")]
    assert sorted(fed) == sorted(f"slot {slot}, socket {socket}" for slot in (1, 2, 3, 4, 5, 7) for socket in (1, 2))
    assert all(float(watts) > 100 for _, to, watts in rows if to.startswith("slot"))
    assert any(begin == "free" for begin, _, _ in rows)


def test_shared_cables_and_unfed_sockets_have_a_word_and_a_colour(document, wiring):
    document.open(FIRST_ATTEMPT)
    follow(document, wiring)
    assert heads(wiring)[-1] == "Unpowered: 6"
    unfed = wiring.index(0, FROM, wiring.index(1, 0))
    assert unfed.data() == "unpowered"
    assert wiring.row(unfed).tone == "fail"
    assert "ASUS TUF" in unfed.data(SPOKEN)
    shared = [row for row in range(9) if "shared" in wiring.index(row, FROM, wiring.index(0, 0)).data()]
    assert len(shared) == 3
    assert "shares a cable" in wiring.index(shared[0], FROM, wiring.index(0, 0)).data(Qt.ItemDataRole.ToolTipRole)


def test_the_panel_is_worked_out_only_when_it_is_seen(window):
    panel = window.plan.connections
    window.open(QUIET)
    assert panel.wiring.rowCount() == 0
    window.plan.side.setCurrentWidget(panel)
    assert panel.wiring.rowCount() == 2
    window.document.edit(SetQuantity("corsair-ax1600i", 1))
    assert panel.wiring.rowCount() >= 1


def test_a_cable_selects_the_line_that_it_leads_to(window, panel):
    window.open(QUIET)
    head = panel.wiring.index(1, 0)
    panel.cables.setCurrentIndex(panel.wiring.index(0, 0, head))
    assert window.plan.table.selected_ids() == [window.document.build.of(Category.GPU)[0].part.id]
    panel.matrix.setCurrentIndex(panel.paths.index(0, 1))
    assert "Slots 1 and 2" in panel.path_words.text()


def test_a_reading_that_cannot_be_is_refused_in_words(window, panel):
    window.open(DGX)
    assert "Built-in NVLink connects the modules" in panel.no_paths.text()
    assert panel.no_paths.isVisible()
    window.open(DSS)
    assert panel.no_paths.text() == "The board's data does not say how its slots are connected."
    assert not panel.matrix.isVisible(), "a table of question marks tells nothing"
    window.open(QUIET)
    change_figures(window.document, Category.PSU, cables=None)
    assert panel.wiring_words.text() == "Not all cables are assigned; unknown: Corsair AX1600i: cables"
    assert heads(panel.wiring)[0].startswith("PSU 1  at least ")
    assert heads(panel.wiring)[-1].startswith("Cables unknown")


def test_an_empty_build_says_what_will_be_there(panel):
    assert panel._empty.isVisible()
    assert not panel._body.isVisible()


def test_the_panel_is_picked_by_keyboard(qtbot, window, panel):
    window.open(QUIET)
    panel.cables.setFocus()
    panel.cables.setCurrentIndex(QModelIndex())
    qtbot.keyClick(panel.cables, Qt.Key.Key_Down)
    qtbot.keyClick(panel.cables, Qt.Key.Key_Down)
    assert panel.cables.currentIndex().isValid()
    assert panel.cables.accessibleName()
    assert panel.matrix.accessibleName()
