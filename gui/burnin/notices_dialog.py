"""Whom a run tells of its first failure and its end: mail, webhook, a file for Prometheus."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.errors import BadInput
from core.language import tr
from core.notify.send import Notice, NoticeKind, send
from core.notify.settings import PORTS, NoticeSettings, Security, read_settings, settings_from, write_settings
from gui.actions import without_mnemonic
from gui.background import run_in_background
from gui.widgets import messages
from gui.widgets.text import Label, sentence


class NoticesDialog(QDialog):
    """What is left empty is not used."""

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self.setWindowTitle(tr("Run notices"))
        self.webhook, self.server, self.user = QLineEdit(self), QLineEdit(self), QLineEdit(self)
        self.password, self.sender_address, self.to = QLineEdit(self), QLineEdit(self), QLineEdit(self)
        self.prometheus = QLineEdit(self)
        self.security = QComboBox(self)
        self.port = QSpinBox(self)
        self.said = sentence(self)
        self.attempt = QPushButton(tr("Send a test"), self)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.addButton(self.attempt, QDialogButtonBox.ButtonRole.ActionRole)
        self._arrange()
        self._fill(read_settings(data_dir))
        self.security.currentIndexChanged.connect(self._usual_port)
        self.attempt.clicked.connect(self._try)
        self.buttons.accepted.connect(self._save)
        self.buttons.rejected.connect(self.reject)

    def settings(self) -> NoticeSettings:
        """What is typed. Raises BadInput."""
        values: dict[str, Any] = {
            "webhook": self.webhook.text().strip() or None,
            "prometheus": self.prometheus.text().strip() or None,
        }
        receivers = [address for address in self.to.text().replace(",", " ").split() if address]
        if self.server.text().strip() or receivers:
            if not receivers:
                raise BadInput(tr("Mail needs a recipient."))
            values["mail"] = {
                "server": self.server.text().strip(),
                "port": self.port.value(),
                "security": self.security.currentData(),
                "user": self.user.text().strip(),
                "password": self.password.text(),
                "sender": self.sender_address.text().strip() or receivers[0],
                "to": receivers,
            }
        return settings_from(values)

    def _fill(self, settings: NoticeSettings) -> None:
        self.webhook.setText(settings.webhook or "")
        self.prometheus.setText(settings.prometheus or "")
        mail = settings.mail
        self.port.setValue(mail.port if mail else PORTS[Security.STARTTLS])
        if mail:
            self.server.setText(mail.server)
            self.security.setCurrentIndex(self.security.findData(mail.security))
            self.user.setText(mail.user)
            self.password.setText(mail.password)
            self.sender_address.setText(mail.sender)
            self.to.setText(", ".join(mail.to))

    @Slot()
    def _usual_port(self) -> None:
        self.port.setValue(PORTS[Security(self.security.currentData())])

    @Slot()
    def _save(self) -> None:
        try:
            write_settings(self._data_dir, self.settings())
        except BadInput as error:
            self.said.setText(str(error))
        else:
            self.accept()

    @Slot()
    def _try(self) -> None:
        try:
            settings = self.settings()
            if not (settings.webhook or settings.mail):
                raise BadInput(tr("Fill in a webhook, or a mail server and a recipient."))
        except BadInput as error:
            self.said.setText(str(error))
            return
        self.said.setText(tr("Sending…"))
        self.attempt.setEnabled(False)
        machine = platform.node()
        title = tr("Rigwright on {machine}: test", machine=machine)
        notice = Notice(NoticeKind.TEST, title, tr("Notices of runs will look like this one."), machine)
        run_in_background(self, lambda: send(settings, notice), self._tried, self._not_tried)

    def _tried(self, problems: list[str]) -> None:
        self.attempt.setEnabled(True)
        self.said.setText(" ".join(problems) or tr("The test was sent."))

    def _not_tried(self, error: Exception) -> None:
        self.attempt.setEnabled(True)
        messages.show_error(self, error)

    def _arrange(self) -> None:
        for name, text in (
            (Security.STARTTLS, tr("STARTTLS")),
            (Security.TLS, tr("TLS")),
            (Security.NONE, tr("not encrypted")),
        ):
            self.security.addItem(text, name.value)
        self.port.setRange(1, 65535)
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.webhook.setPlaceholderText("https://")
        self.to.setPlaceholderText("name@example.org")
        self.sender_address.setPlaceholderText(tr("the first recipient"))
        form = QFormLayout()
        for text, field in (
            (tr("&Webhook"), self.webhook),
            (tr("&Mail server"), self.server),
            (tr("&Encryption"), self.security),
            (tr("P&ort"), self.port),
            (tr("&User"), self.user),
            (tr("&Password"), self.password),
            (tr("&From"), self.sender_address),
            (tr("&To"), self.to),
            (tr("File for P&rometheus"), self.prometheus),
        ):
            label = Label(text, self)
            label.setBuddy(field)
            field.setAccessibleName(without_mnemonic(text))
            form.addRow(label, field)
        intro = tr("A run notifies these of its first failure and of its end, even if its runner was killed.")
        layout = QVBoxLayout(self)
        layout.addWidget(sentence(self, intro))
        layout.addLayout(form)
        layout.addWidget(self.said)
        layout.addWidget(self.buttons)
        self.setMinimumWidth(480)
