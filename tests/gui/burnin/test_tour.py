"""The tour: from the start of a simulated burn-in to the sealed record, each step at the real widget, left any time."""

from contextlib import closing

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QPushButton, QWidget

from core.burnin.record.rows import EventLevel, Outcome
from core.burnin.run.lock import take_runner_lock
from core.machine.asbuilt.as_built import AsBuilt, BuiltCard, MachineFacts
from gui.burnin.dialogs.failed_card import WhichCardDialog
from gui.burnin.run.tour import GAP_PX, Callout
from gui.shell.pages import BURNIN, PLAN, RUNS
from tests.gui.burnin.fake_run import FakeRun, gpu

BAD = 2


@pytest.fixture
def tour(qtbot, window, quick_reader, monkeypatch):
    monkeypatch.setattr("gui.burnin.run.tour.LOOK_MS", 20)
    window.resize(1300, 800)
    window.menus.actions["tour"].trigger()
    burnin = window.pages.burnin
    qtbot.waitUntil(lambda: burnin.plan.startable and burnin.plan.chosen[0].simulated)
    return window.workspace.beginnings.tour


@pytest.fixture
def run(tour, window, data_dir):
    """The run that the tour has set up, as its runner would record it: in its slots, at the first stage."""
    order = window.pages.burnin.plan.order()
    cards = [gpu(index) for index in range(4)]
    slots = [1, 3, 5, 7]
    with take_runner_lock(data_dir), closing(FakeRun(data_dir, cards, build=order.build)) as run:
        built = [
            BuiltCard(card.id, card.name, slot=f"PCIEX16_{slot}", position=slot, serial=f"SN-{slot}")
            for card, slot in zip(cards, slots, strict=True)
        ]
        run.store.set_as_built(run.id, AsBuilt("2026-01-01T00:00:00+00:00", MachineFacts(), tuple(built)))
        run.begin(0, 0.0)
        run.ticks(range(3))
        yield run


def wait_for_words(qtbot, tour, words):
    qtbot.waitUntil(lambda: words in tour.callout.text())


def frames(tour, window, widget):
    """Whether the middle of the frame is on this widget or within it."""
    middle = tour.callout.framed.center()
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()).contains(middle)


def test_it_leads_from_the_start_to_the_sealed_record(qtbot, window, tour, run):
    burnin, callout = window.pages.burnin, tour.callout
    view = burnin.view
    burnin.show_run(run.id)
    wait_for_words(qtbot, tour, "stages of the quick test")
    assert frames(tour, window, view.stages)
    assert not callout.next.isVisible()

    run.event(3.0, "A memory error.", EventLevel.ERROR, "ecc", run.devices[BAD].id)
    wait_for_words(qtbot, tour, "GPU 2 failed")
    assert frames(tour, window, view.cards.cards[BAD])
    callout.next.click()
    wait_for_words(qtbot, tour, "curve of GPU 2 stands out")
    assert "0:03" in callout.text()
    assert frames(tour, window, view.board)
    callout.next.click()
    wait_for_words(qtbot, tour, "slot PCIEX16_5")
    assert frames(tour, window, view.cards.cards[BAD].state_button)
    view.cards.cards[BAD].state_button.click()
    [shown] = view.findChildren(WhichCardDialog)
    assert shown.board is not None
    assert "SN-5" in shown.where.text()
    shown.close()
    callout.next.click()
    wait_for_words(qtbot, tour, "tested to the end")
    assert not callout.next.isVisible()

    run.play(from_s=3.0)
    run.finish(Outcome.FAIL, "A memory error.")
    wait_for_words(qtbot, tour, "The verdict: FAIL")
    assert frames(tour, window, view.banner)
    callout.next.click()
    wait_for_words(qtbot, tour, "Every run has a certificate")
    assert window.pages.currentIndex() == RUNS
    certificate = window.pages.runs.certificate
    qtbot.waitUntil(lambda: certificate.isEnabled() and frames(tour, window, certificate))
    assert window.pages.runs.selected_run() == run.id
    callout.next.click()
    wait_for_words(qtbot, tour, "Verify the seal")
    assert callout.next.text() == "Done"
    callout.next.click()
    assert window.workspace.beginnings.tour is None


def test_it_is_left_at_any_time_by_button_or_key_and_begun_anew(qtbot, window, tour):
    assert tour.callout.leave.hasFocus()
    qtbot.keyClick(tour.callout.leave, Qt.Key.Key_Escape)
    assert window.workspace.beginnings.tour is None
    qtbot.waitUntil(lambda: not window.findChildren(Callout))
    assert window.pages.burnin.plan.startable
    window.menus.actions["tour"].trigger()
    window.menus.actions["tour"].trigger()
    qtbot.waitUntil(lambda: len(window.findChildren(Callout)) == 1)
    window.workspace.beginnings.tour.callout.leave.click()
    assert window.workspace.beginnings.tour is None


def test_on_another_page_it_waits_in_a_corner(qtbot, window, tour):
    qtbot.waitUntil(lambda: not tour.callout.framed.isEmpty())
    window.pages.setCurrentIndex(PLAN)
    qtbot.waitUntil(lambda: not frames(tour, window, window.pages.burnin))
    assert window.rect().contains(tour.callout.geometry())
    window.pages.setCurrentIndex(BURNIN)
    qtbot.waitUntil(lambda: not tour.callout.framed.isEmpty())


def test_a_run_that_ends_before_its_card_failed_ends_the_tour(qtbot, window, tour, run):
    window.pages.burnin.show_run(run.id)
    wait_for_words(qtbot, tour, "stages of the quick test")
    run.finish(Outcome.INCOMPLETE, "Stopped.")
    qtbot.waitUntil(lambda: window.workspace.beginnings.tour is None)


@pytest.mark.parametrize("where", [(10, 10), (500, 10), (10, 500), (600, 540), (300, 250)])
def test_the_words_never_lie_on_what_they_speak_of(qtbot, where):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    target = QPushButton("Target", window)
    target.setGeometry(*where, 120, 30)
    window.show()
    callout = Callout(window)
    words = "A sentence that is long enough to be written in several lines. " * 3
    callout.say_step(1, 3, words, waits=False, last=False)
    callout.point_at(target)
    assert callout.framed == target.geometry()
    assert not callout.geometry().intersects(target.geometry())
    assert window.rect().adjusted(GAP_PX, GAP_PX, -GAP_PX, -GAP_PX).contains(callout.geometry())
