"""The description of a profile over the list of its stages, before a run."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from core.burnin.profile.file import title_of
from core.burnin.profile.profile import Profile, StageSettings
from core.burnin.stages.registry import BY_KIND
from core.language import joined, tr, translated, trn
from gui.burnin.clock import clock
from gui.widgets.text import Markup, escaped, tip
from gui.widgets.views import quiet_selection


class StageList(QWidget):
    """The description of a profile over the list of its stages; stages of rounds are told once, with their number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.description = Markup(self)
        self.description.setWordWrap(True)
        self.list = QTreeWidget(self)
        self.list.setAccessibleName(tr("Stages of the run"))
        self.list.setHeaderLabels([tr("Stage"), tr("Time"), tr("Finds")])
        self.list.setRootIsDecorated(False)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.list.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        quiet_selection(self.list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.description)
        layout.addWidget(self.list, 1)

    def show_profile(self, profile: Profile | None) -> None:
        """None: the options make no run."""
        self.list.clear()
        self.list.setEnabled(profile is not None)
        if profile is None:
            self.description.setText(tr("No run is possible with these options."))
            return
        count = len(profile.stages)
        told = trn("{count} stage, {time}.", "{count} stages, {time}.", count=count, time=clock(profile.seconds))
        words = joined([told, translated(profile.description)])
        self.description.setText(f"<b>{escaped(translated(profile.title))}</b>: {escaped(words)}")
        for stages in _told_together(profile.stages):
            self._add(stages)
        for column in (0, 1):
            self.list.resizeColumnToContents(column)

    def _add(self, stages: list[StageSettings]) -> None:
        first = stages[0]
        several = len(stages) > 1
        title = BY_KIND[first.kind].title if several and first.kind in BY_KIND else title_of(first)
        times = f"{len(stages)} × {clock(first.seconds)}" if several else clock(first.seconds)
        finds = BY_KIND[first.kind].finds if first.kind in BY_KIND else ""
        item = QTreeWidgetItem([title, times, finds])
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(2, finds)
        if first.params:
            item.setToolTip(0, tip("\n".join(f"{name}: {value}" for name, value in first.params.items())))
        self.list.addTopLevelItem(item)


def _told_together(stages: tuple[StageSettings, ...]) -> list[list[StageSettings]]:
    """Stages that are alike but for their titles, at the place of the first of them."""
    groups: dict[str, list[StageSettings]] = {}
    for stage in stages:
        groups.setdefault(stage.model_copy(update={"title": ""}).model_dump_json(), []).append(stage)
    return list(groups.values())
