"""A burn-in to try: four simulated cards, one of which gets a memory error, set up for the user to start."""

from __future__ import annotations

from core.language import tr
from gui.burnin.page import BurninPage

SIMULATED = "4x3090,fault=ecc@2:20s"
PROFILE = "quick-test"


def prepare_tour(page: BurninPage) -> None:
    """Sets the plan bar; a run that goes on is left alone."""
    if page.active_run() is not None:
        page.notice.say(tr("A run is going on. Try this once it is over."))
        return
    bar = page.plan
    bar.simulated = bar.simulation_words = SIMULATED
    bar.profile.setCurrentIndex(bar.profile.findData(PROFILE))
    bar.minutes.setValue(0)
    bar.compare.setChecked(False)
    bar.more.setChecked(True)
    page.detect()
    page.notice.say(tr("Ready: start it with F5. It takes a minute and loads nothing. GPU 2 will fail after 20 s."))
