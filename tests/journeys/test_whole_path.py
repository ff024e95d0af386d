"""The whole path in the real window: template, swap, finding, undo, burn-in on this CPU, curves, stop, report."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices

from core.burnin.record.rows import Outcome, RunStatus
from core.burnin.record.store import RunStore
from core.parts.vocabulary import Category
from core.rules.finding import Status
from gui.shell.main_window import MainWindow
from gui.shell.pages import BURNIN, PLAN, RUNS
from gui.widgets import files

pytestmark = [pytest.mark.journey, pytest.mark.process, pytest.mark.usefixtures("leave_nothing_behind")]


class Opened(QObject):
    """Stands where the desktop opens files: keeps what it is asked to show."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[Path] = []

    @Slot(QUrl)
    def show(self, url: QUrl) -> None:
        self.paths.append(Path(url.toLocalFile()))


@pytest.fixture
def opened() -> Iterator[Opened]:
    keeper = Opened()
    QDesktopServices.setUrlHandler("file", keeper, "show")
    yield keeper
    QDesktopServices.unsetUrlHandler("file")


def failed(window: MainWindow) -> set[str]:
    """The rules whose failure the findings list shows."""
    model = window.plan.findings.model
    findings = [row.finding for row in model.rows]
    return {finding.rule for finding in findings if finding is not None and finding.status is Status.FAIL}


def choose_gpu(window: MainWindow, text: str, part_id: str) -> None:
    """Types into the search field and chooses a result."""
    panel = window.plan.parts
    panel.show_category(Category.GPU)
    panel.search.setText(text)
    row = next(row for row in range(panel.parts.rowCount()) if panel.parts.hit(row).id == part_id)
    panel.results.setCurrentIndex(panel.parts.index(row))


def test_from_a_template_to_the_report_of_a_run(
    window: MainWindow, qtbot: Any, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a template
    template = next(action for action in window.menus.templates.actions() if "3090, quiet" in action.text())
    template.trigger()
    assert window.document.build.count(Category.GPU) == 6
    assert failed(window) == set()
    before = window.document.build

    # a wrong part, the finding, undo
    window.plan.table.select_parts([line.part.id for line in before.of(Category.GPU)])
    choose_gpu(window, "3090 tuf", "asus-tuf-rtx-3090-oc-24g")
    qtbot.waitUntil(window.plan.parts.replace_button.isEnabled)
    qtbot.mouseClick(window.plan.parts.replace_button, Qt.MouseButton.LeftButton)
    assert "slot-overlap" in failed(window)
    window.menus.actions["undo"].trigger()
    assert window.document.build == before
    assert failed(window) == set()

    # a burn-in of this machine's processor, which is chosen by its tick alone
    window.pages.setCurrentIndex(BURNIN)
    page = window.pages.require_burnin()
    qtbot.waitUntil(lambda: bool(page.plan.checks))
    assert page.plan.chosen == []
    page.plan.more.setChecked(True)
    qtbot.waitUntil(page.plan.checks[0].isVisible)
    page.plan.checks[0].click()
    assert [device.id for device in page.plan.chosen] == ["cpu"]
    page.bar.start.trigger()
    qtbot.waitUntil(lambda: page.active_run() is not None)
    recording = page.view.recording
    assert recording is not None
    samples: list[float] = []
    for _ in range(3):
        before_s = recording.sampled_s
        qtbot.waitUntil(lambda before_s=before_s: recording.sampled_s > before_s + 0.5)
        samples.append(recording.sampled_s)
    assert samples == sorted(set(samples)), "the curves grow"
    assert recording.measured("utilisation_pct")

    # stop, verdict
    page.bar.stop.trigger()
    qtbot.waitUntil(lambda: not recording.running)
    run_id = recording.run.id
    store = RunStore(tmp_path)
    assert store.run(run_id).status is RunStatus.FINISHED
    assert store.verdicts(run_id)[0].outcome is Outcome.INCOMPLETE
    store.close()

    # the report
    report = tmp_path / "run.pdf"
    monkeypatch.setattr(files, "file_to_save", lambda *_: report)
    qtbot.waitUntil(page.view.banner.isVisible)
    page.view.banner.report_wanted.emit()
    qtbot.waitUntil(lambda: opened.paths == [report])
    assert report.read_bytes().startswith(b"%PDF")

    # the run among the past ones
    window.pages.setCurrentIndex(RUNS)
    window.pages.setCurrentIndex(PLAN)
