"""What the menus do to hand a build on: duplicate it, compare it, copy it as a list, write one page, take a list in."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMainWindow

from core.plan.build import MAX_NAME, Build
from core.words import tr
from gui.parts.catalogue_connection import CatalogueConnection
from gui.planner.build_files import BuildFiles
from gui.planner.document import PlanDocument
from gui.widgets import files, messages
from gui.widgets.messages import open_dialog

COPIES = {"copy_markdown": "markdown", "copy_bbcode": "bbcode", "copy_text": "text", "copy_table": "table"}
"""Formats by the actions that copy them."""


class ShareActions(QObject):
    """Dialogs are loaded when first asked for. `message` is a short sentence for the status bar."""

    message = Signal(str)

    def __init__(
        self, window: QMainWindow, connection: CatalogueConnection, document: PlanDocument, build_files: BuildFiles
    ) -> None:
        super().__init__(window)
        self._window = window
        self._connection = connection
        self._document = document
        self._files = build_files

    def connect_actions(self, actions: dict[str, QAction]) -> None:
        """Gives the actions of the menus their work."""
        for name, form in COPIES.items():
            actions[name].triggered.connect(partial(self._copy, form))
        actions["duplicate"].triggered.connect(self.duplicate)
        actions["compare"].triggered.connect(self.compare)
        actions["paste_list"].triggered.connect(self.paste_list)
        actions["one_page"].triggered.connect(self.write_page)
        actions["purchasing"].triggered.connect(self.write_purchasing)

    @Slot()
    def duplicate(self) -> None:
        """Goes on with a copy under another name; the original stays as its file has it."""
        build = self._taken_in()
        name = tr("{name} (copy)", name=build.name)[:MAX_NAME]
        if self._files.may_replace():
            self._document.begin(replace(build, name=name))
            self.message.emit(tr("This is a copy. It has no file yet."))

    @Slot()
    def compare(self) -> None:
        """Holds the build against others."""
        from gui.share.compare_dialog import CompareDialog

        self._taken_in()
        open_dialog(CompareDialog(self._document, self._connection.find_part, self._window))

    @Slot()
    def paste_list(self) -> None:
        """Takes a list of another site in, as a new build."""
        from gui.share.paste_dialog import PasteDialog

        dialog = PasteDialog(self._connection.catalogue, self._window)
        dialog.build_wanted.connect(self._begin)
        open_dialog(dialog)

    @Slot()
    def write_page(self) -> None:
        """Writes one page with parts and total."""
        from core.present.share.one_page import one_page
        from gui.share.report_export import export_document

        self._taken_in()
        assessment, name = self._document.assessment, self._document.suggested_file_name()
        on_written = partial(self._tell_written, assessment.build.name)
        export_document(self._window, lambda: one_page(assessment), name, first="pdf", on_written=on_written)

    @Slot()
    def write_purchasing(self) -> None:
        """Writes the list for purchasing: a line for each part with number, quantity, price and source."""
        suggested = self._document.suggested_file_name().removesuffix(".rig.json")
        name, kinds = Path.home() / f"{suggested}.csv", tr("Purchasing list (*.csv)")
        if (path := files.file_to_write(self._window, tr("Export purchasing list"), name, kinds)) is not None:
            self._write(path)

    def _write(self, path: Path) -> None:
        from core.present.share.part_text import TextFormat, write_text

        self._taken_in()
        if messages.succeeds(self._window, partial(write_text, self._document.assessment, TextFormat.CSV, path)):
            self._tell_written(self._document.build.name, path)

    def _tell_written(self, name: str, path: Path) -> None:
        from gui.share.report_export import written_words

        self.message.emit(written_words(name, path))

    def _copy(self, form: str, _checked: bool = False) -> None:
        from core.present.share.part_text import TextFormat, build_text

        build = self._taken_in()
        QGuiApplication.clipboard().setText(build_text(self._document.assessment, TextFormat(form)))
        self.message.emit(tr("Copied: {name}.", name=build.name))

    @Slot(object)
    def _begin(self, build: Build) -> None:
        if self._files.may_replace():
            self._files.begin(build)

    def _taken_in(self) -> Build:
        """The build with what is being typed."""
        self._files.before_asking.emit()
        return self._document.build
