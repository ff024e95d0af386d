"""Whom a run tells of its first failure and its end: webhooks, mail, chat services, a file for Prometheus."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from core.notify.send import notice_to_try, send
from core.notify.settings import NoticeSettings, Security, read_settings, settings_from, shown, write_settings
from core.platform.errors import BadInput
from core.words import tr
from gui.widgets import messages
from gui.widgets.background import run_in_background
from gui.widgets.form import column_of, form_of
from gui.widgets.text import sentence

_ADDRESS = Qt.ItemDataRole.UserRole


class NoticesDialog(QDialog):
    """Lists the addresses that are notified; a new one and a mail server are typed below. What is empty is not used."""

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self.setWindowTitle(tr("Run notices"))
        self.addresses = QListWidget(self)
        self.remove = QPushButton(tr("Remove"), self)
        self.address, self.server, self.user = QLineEdit(self), QLineEdit(self), QLineEdit(self)
        self.password, self.sender_address, self.to = QLineEdit(self), QLineEdit(self), QLineEdit(self)
        self.prometheus = QLineEdit(self)
        self.security = QComboBox(self)
        self.message = sentence(self)
        self.attempt = QPushButton(tr("Send a test"), self)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.addButton(self.attempt, QDialogButtonBox.ButtonRole.ActionRole)
        self._arrange()
        before = read_settings(data_dir)
        for address in before.addresses:
            item = QListWidgetItem(shown(address), self.addresses)
            item.setData(_ADDRESS, address)
        self.prometheus.setText(before.prometheus or "")
        self.remove.clicked.connect(lambda: self.addresses.takeItem(self.addresses.currentRow()))
        self.attempt.clicked.connect(self._try)
        self.buttons.accepted.connect(self._save)
        self.buttons.rejected.connect(self.reject)

    def settings(self) -> NoticeSettings:
        """What is listed and typed. Raises BadInput."""
        listed = [self.addresses.item(row).data(_ADDRESS) for row in range(self.addresses.count())]
        addresses, prometheus = [*listed, *self.address.text().split()], self.prometheus.text().strip() or None
        values: dict[str, Any] = {"addresses": addresses, "prometheus": prometheus}
        receivers = self.to.text().replace(",", " ").split()
        host, _, port = self.server.text().strip().partition(":")
        if host or receivers:
            if not receivers:
                raise BadInput(tr("Mail needs a recipient."))
            values["mail"] = {
                "server": host,
                "port": port or None,
                "security": self.security.currentData(),
                "user": self.user.text().strip(),
                "password": self.password.text(),
                "sender": self.sender_address.text().strip() or receivers[0],
                "to": receivers,
            }
        return settings_from(values)

    @Slot()
    def _save(self) -> None:
        try:
            write_settings(self._data_dir, self.settings())
        except BadInput as error:
            self.message.setText(str(error))
        else:
            self.accept()

    @Slot()
    def _try(self) -> None:
        try:
            settings = self.settings()
            if not settings.addresses:
                raise BadInput(tr("Fill in an address, or a mail server and a recipient."))
        except BadInput as error:
            self.message.setText(str(error))
            return
        self.message.setText(tr("Sending…"))
        self.attempt.setEnabled(False)
        notice = notice_to_try(platform.node())
        run_in_background(self, lambda: send(settings, notice), self._tried, self._not_tried)

    def _tried(self, problems: list[str]) -> None:
        self.attempt.setEnabled(True)
        self.message.setText(" ".join(problems) or tr("The test was sent."))

    def _not_tried(self, error: Exception) -> None:
        self.attempt.setEnabled(True)
        messages.show_error(self, error)

    def _arrange(self) -> None:
        kinds = {Security.STARTTLS: tr("STARTTLS"), Security.TLS: tr("TLS"), Security.NONE: tr("not encrypted")}
        for kind, text in kinds.items():
            self.security.addItem(text, kind.value)
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.addresses.setMaximumHeight(6 * self.fontMetrics().height())
        self.address.setPlaceholderText("https://…  tgram://…  discord://…  ntfy://…")
        self.server.setPlaceholderText("mail.example.org:587")
        self.to.setPlaceholderText("name@example.org")
        self.sender_address.setPlaceholderText(tr("the first recipient"))
        form = form_of(
            (tr("&Notified"), self.addresses),
            (tr("New &address"), self.address),
            (tr("&Mail server"), self.server),
            (tr("&Encryption"), self.security),
            (tr("&User"), self.user),
            (tr("&Password"), self.password),
            (tr("&From"), self.sender_address),
            (tr("&To"), self.to),
            (tr("File for P&rometheus"), self.prometheus),
            margins=None,
            spacing=None,
        )
        form.insertRow(1, "", self.remove)
        intro = tr("A run notifies these of its first failure and of its end, even if its runner was killed.")
        column_of(sentence(self, intro), form, self.message, self.buttons, into=self, margins=None)
        self.setMinimumWidth(480)
