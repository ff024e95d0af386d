"""Ways through burn-ins, their records and the preferences, each by keyboard alone."""

from PySide6.QtWidgets import QInputDialog, QMessageBox

from core.words import LANGUAGES
from gui.burnin.run.before_run import SimulateDialog
from gui.guide.manual import Manual
from gui.history.certificate_menu import CertificateDialog
from gui.settings import TEXT_STEP, USUAL_TEXT
from gui.shell.pages import BURNIN, RUNS
from gui.shell.preferences_dialog import PreferencesDialog
from gui.widgets.theme import Mode, theme
from tests.gui.burnin.fake_run import finished_run
from tests.journeys.keyboard import User


def burn_in_simulated_cards(user: User) -> None:
    """Cards are made up, burned in, watched by the keys of the picture, and stopped."""
    _go_to(user, BURNIN)
    page = user.see(user.window.pages.require_burnin)
    user.wait(lambda: page.plan.detect.isEnabled() and page.plan.checks, "the devices of this machine")
    user.push(page.plan.simulate)
    dialog: SimulateDialog = user.dialog(SimulateDialog)
    user.tab_to(dialog.text)
    user.type("2x3090")
    user.press("Return")
    user.back()
    user.wait(lambda: page.plan.startable and page.plan.simulated == "2x3090", "two simulated cards")
    user.press("F5")
    user.wait(lambda: page.active_run() is not None, "the run")
    user.wait(lambda: page.view.recording.sampled_s > 0, "the first samples")
    user.press("Space")
    user.wait(page.view.tools.pause.isChecked, "the held picture")
    user.press("Home")
    user.wait(lambda: not page.view.tools.pause.isChecked(), "the newest samples")
    user.press("Shift+F5")
    user.wait(lambda: page.active_run() is None, "the end of the run")


def runs_note_compare_certificate(user: User) -> None:
    """Two runs that are over: a note, the two beside each other, and a certificate."""
    for _ in range(2):
        finished_run(user.folder)
    _go_to(user, RUNS)
    page = user.window.pages.runs
    assert page is not None
    user.wait(lambda: page.sorted.rowCount() == 2, "two runs")
    user.tab_to(page.table)
    user.press("Down", "Up")
    run_id = user.wait(page.selected_run, "a chosen run")
    user.push(page.note)
    user.dialog(QInputDialog)
    user.type("quiet room")
    user.press("Tab", "Return")
    user.back()
    user.wait(lambda: "quiet room" in [row.run.note for row in page.model.rows], "the note")
    user.tab_to(page.table)
    user.press("Shift+Down")
    user.wait(lambda: len(page.comparison.runs) == 2 and page.comparison.isVisible(), "the runs side by side")
    user.press("Up")
    user.wait(lambda: page.selected_run() == run_id, "one run")
    user.push(page.certificate)
    user.pick(user.see(lambda: page.certificate.menu().actions()[0]))
    dialog: CertificateDialog = user.dialog(CertificateDialog)
    user.type("Example GmbH")
    user.tab_to(dialog.fields["place"])
    user.type("Berlin")
    user.press("Return")
    path = user.folder / "certificate.pdf"
    user.name_file(path)
    user.wait(lambda: user.opened == [path], "the certificate")
    assert path.read_bytes().startswith(b"%PDF")


def preferences_and_manual(user: User) -> None:
    """Theme, text and language are chosen and taken back by Escape, then kept; the manual is searched."""
    window = user.window
    before = user.see(lambda: theme().mode)
    other = Mode.LIGHT if before is Mode.DARK else Mode.DARK
    user.press("Ctrl+,")
    dialog: PreferencesDialog = user.dialog(PreferencesDialog)
    user.tab_to(dialog.theme)
    user.choose(dialog.theme, other.value)
    assert user.see(lambda: theme().mode) is other
    user.press("Escape")
    user.back()
    assert user.see(lambda: theme().mode) is before
    user.press("Ctrl+,")
    dialog = user.dialog(PreferencesDialog)
    user.tab_to(dialog.text)
    user.press("Up")
    user.tab_to(dialog.language)
    user.choose(dialog.language, next(code for code in LANGUAGES if code != user.language))
    user.press("Return")
    user.dialog(QMessageBox)
    user.press("Escape")
    user.back()
    assert user.see(lambda: window.settings.text_percent) == USUAL_TEXT + TEXT_STEP
    user.press("F1")
    manual: Manual = user.dialog(Manual)
    user.tab_to(manual.search)
    user.type("certificate")
    user.wait(lambda: manual.page == "certificate", "the page about certificates")
    user.tab_to(manual.list)
    user.press("Down")
    user.wait(lambda: manual.page != "certificate", "the next page")
    user.tab_to(manual.text)
    user.press("Escape")
    user.back()


JOURNEYS = (burn_in_simulated_cards, runs_note_compare_certificate, preferences_and_manual)


def _go_to(user: User, page: int) -> None:
    """With the key that turns the pages."""
    window = user.window
    for _ in range(window.pages.count()):
        if user.see(window.pages.currentIndex) == page:
            return
        user.press("Ctrl+PgDown")
    user.wait(lambda: window.pages.currentIndex() == page, "the page")
