"""Somebody elsewhere is told of the first failure and the end of a run, once each, by mail, webhook and text file."""

import json
import socket
import socketserver
import ssl
import stat
import subprocess
import sys
import threading
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_string
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from typer.testing import CliRunner

from core.burnin.record.rows import EventLevel, Outcome, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run import order
from core.cli.app import app
from core.notify import watcher
from core.notify.send import Notice, NoticeKind, send
from core.notify.settings import (
    NoticeSettings,
    Security,
    read_settings,
    service_at,
    settings_from,
    shown,
    write_settings,
)
from core.platform.errors import BadInput, EnvironmentProblem
from tests.gui.burnin.fake_run import FakeRun, gpu

NOTICE = Notice(NoticeKind.TEST, "Rigwright: test", "Some text, 温度.", "bench")


@pytest.fixture
def web():
    """A server that keeps what is posted to it; it answers 500 where `web.broken`."""
    posted = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(500 if server.broken else 200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.broken, server.posted = False, posted
    server.address = f"http://127.0.0.1:{server.server_port}/hook"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def post_office():
    """A mail server as simple as RFC 5321 lets it be."""
    mails = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            self.wfile.write(b"220 here\r\n")
            while line := self.rfile.readline():
                word = line.strip().upper()
                if word == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    parts = []
                    while (part := self.rfile.readline()) != b".\r\n":
                        parts.append(part)
                    mails.append(b"".join(parts).decode())
                self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else b"250 ok\r\n")
                if word == b"QUIT":
                    return

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.mails, server.port = mails, server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def mail_settings(port):
    to = ("me@x.org", "you@x.org")
    mail = {"server": "127.0.0.1", "port": port, "security": Security.NONE, "sender": "rig@x.org", "to": to}
    return settings_from({"mail": mail})


def test_a_webhook_gets_json_and_chats_their_text(web):
    assert send(NoticeSettings(addresses=(web.address,)), NOTICE) == []
    (notice,) = web.posted
    assert notice["kind"] == "test"
    assert notice["content"] == notice["text"] == "Rigwright: test\nSome text, 温度."


def test_a_webhook_that_fails_is_reported_in_a_sentence(web):
    web.broken = True
    assert send(NoticeSettings(addresses=(web.address,)), NOTICE) == [
        "The webhook could not be reached: it answered 500."
    ]
    assert "could not be reached" in send(NoticeSettings(addresses=("http://127.0.0.1:9/",)), NOTICE)[0]


def test_mail_goes_to_all_who_are_named(post_office):
    assert send(mail_settings(post_office.port), NOTICE) == []
    assert all("Subject: Rigwright: test" in mail and "From: rig@x.org" in mail for mail in post_office.mails)
    read = [message_from_string(mail) for mail in post_office.mails]
    assert [mail["To"] for mail in read] == ["me@x.org", "you@x.org"]
    assert {mail.get_content_type() for mail in read} == {"text/plain"}
    assert {mail.get_payload(decode=True).decode().strip() for mail in read} == {NOTICE.text}


def test_mail_that_fails_is_reported_with_its_reason():
    (problem,) = send(mail_settings(9), NOTICE)
    assert problem.startswith("Sending failed (mail to me@x.org, you@x.org through 127.0.0.1): ")
    assert "refused" in problem


def test_a_mail_server_whose_certificate_nobody_vouches_for_gets_nothing(tmp_path):
    key = ed25519.Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    day = datetime(2026, 1, 1, tzinfo=UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, day, day.replace(year=2100)).sign(key, None)
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (tmp_path / "pem").write_bytes(key.private_bytes(pem, *plain) + made.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "pem")
    with socket.create_server(("127.0.0.1", 0)) as server:
        seen = []

        def serve():
            with closing(server.accept()[0]) as client, suppress(OSError):
                seen.append(context.wrap_socket(client, server_side=True).recv(100))

        thread = threading.Thread(target=serve)
        thread.start()
        mail = {"server": "127.0.0.1", "port": server.getsockname()[1], "security": Security.TLS}
        (problem,) = send(settings_from({"mail": mail | {"sender": "a@x.org", "to": ["b@x.org"]}}), NOTICE)
        thread.join()
    assert "certificate" in problem
    assert not any(seen)


def test_a_chat_service_gets_title_and_text_and_its_refusal_is_reported(web):
    place = web.address.partition("://")[2]
    chat = settings_from({"addresses": [f"json://me:geheim@{place}"]})
    assert send(chat, NOTICE) == []
    assert (web.posted[0]["title"], web.posted[0]["message"]) == (NOTICE.title, NOTICE.text)
    web.broken = True
    (problem,) = send(chat, NOTICE)
    assert problem.startswith(f"Sending failed (json://me:****@{place}): ")
    assert "500" in problem


def test_each_kind_of_notice_has_its_colour(web):
    chat = NoticeSettings(addresses=(f"json://{web.address.partition('://')[2]}",))
    for kind, verdict in ((NoticeKind.FAILURE, None), (NoticeKind.END, "PASS"), (NoticeKind.END, "INCOMPLETE")):
        send(chat, replace(NOTICE, kind=kind, verdict=verdict))
    assert [posted["type"] for posted in web.posted] == ["failure", "success", "warning"]


@pytest.mark.parametrize(
    ("security", "port", "secure_mode"), [("starttls", 587, "starttls"), ("tls", 465, "ssl"), ("none", 25, "insecure")]
)
def test_settings_of_before_become_addresses_that_say_the_same(tmp_path, security, port, secure_mode):
    mail = {"server": "mail.x.org", "port": port, "security": security, "user": "me@x.org", "password": "p@s/s:w%?rd"}
    mail |= {"sender": "rig@y.org", "to": ["a@x.org", "b@x.org"]}
    old = {"webhook": "https://x.org/hook", "mail": mail, "prometheus": "/run.prom"}
    (tmp_path / order.NOTICES_FILE).write_text(json.dumps(old))
    settings = read_settings(tmp_path)
    assert settings.prometheus == "/run.prom"
    webhook, address = settings.addresses
    assert webhook == "https://x.org/hook"
    service = service_at(address)
    assert (service.smtp_host, service.port, service.secure_mode) == ("mail.x.org", port, secure_mode)
    assert (service.user, service.password) == ("me@x.org", "p@s/s:w%?rd")
    assert service.verify_certificate
    assert service.from_addr[1] == "rig@y.org"
    assert [one for _, one in service.targets] == ["a@x.org", "b@x.org"]
    write_settings(tmp_path, settings)
    assert read_settings(tmp_path) == settings


def test_no_key_of_a_service_is_shown():
    assert shown("tgram://123456789:abcdefg_hijklmnop/12315544/") == "tgram://1...p/12315544/"
    assert shown("nonsense://secret") == "nonsense://…"


def test_the_library_of_services_is_loaded_only_for_them(tmp_path):
    code = (
        "import sys; from core.notify import watcher; from core.cli.commands import notices;"
        "from core.notify.settings import settings_from; settings_from({'webhook': 'https://x.org'});"
        "sys.exit('apprise' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_settings_are_kept_for_their_owner_alone_and_never_show_the_password(tmp_path):
    assert read_settings(tmp_path).empty
    settings = settings_from(
        {"mail": {"server": "x.org", "password": "secret", "sender": "a@x.org", "to": ["b@x.org"]}}
    )
    write_settings(tmp_path, settings)
    assert read_settings(tmp_path) == settings
    assert "secret" not in str(settings.shown())
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / order.NOTICES_FILE).stat().st_mode) == 0o600
    write_settings(tmp_path, NoticeSettings())
    assert not (tmp_path / order.NOTICES_FILE).exists()


@pytest.mark.parametrize(
    "values",
    [
        {"webhook": "file:///etc/passwd"},
        {"addresses": ["tgram://"]},
        {"addresses": ["nonsense"]},
        {"addresses": ["slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/?template=/etc/passwd"]},
        {"addresses": ["mailto://x.org?from=a@x.org&to=b@x.org&PGPpub=https://x.org/key"]},
        {"mail": {"server": "x", "sender": "a@b", "to": []}},
        {"sms": "1"},
    ],
)
def test_what_cannot_be_used_is_refused(values):
    with pytest.raises(BadInput, match="cannot be used: "):
        settings_from(values)


def test_damaged_settings_are_reported(tmp_path):
    (tmp_path / order.NOTICES_FILE).write_text("{")
    with pytest.raises(EnvironmentProblem, match="it is damaged"):
        read_settings(tmp_path)


@pytest.fixture
def watched(tmp_path):
    """A run that goes on, its watch, and the notices of each look."""
    with closing(FakeRun(tmp_path, [gpu(0), gpu(1)])) as run, closing(RunStore(tmp_path)) as store:
        run.begin(0, 0.0)
        settings = NoticeSettings(prometheus=str(tmp_path / "run.prom"))
        yield run, watcher.Watch(store, run.id, settings)


def test_first_failure_and_end_are_reported_once_each(watched):
    run, watch = watched
    run.tick(1.0)
    assert watch.look() == []
    run.event(2.0, "The device was lost: gone", EventLevel.ERROR, "lost", run.devices[1].id)
    (notice,) = watch.look()
    assert notice.kind is NoticeKind.FAILURE
    assert "(SIMULATED)" in notice.title
    assert notice.text.endswith(": lost")
    run.event(3.0, "The device was lost: gone", EventLevel.ERROR, "lost", run.devices[0].id)
    assert watch.look() == []
    assert not watch.over
    run.end(0, 4.0, status=StageStatus.DONE)
    run.finish(Outcome.FAIL, "GPU 1 was lost.")
    (end,) = watch.look()
    assert (end.kind, end.verdict) == (NoticeKind.END, "FAIL")
    assert watch.over
    assert watch.look() == []


def test_a_runner_that_does_not_answer_is_reported(watched, monkeypatch):
    _, watch = watched
    monkeypatch.setattr("core.burnin.run.follow.silent_s", lambda *_: 61.0)
    assert [notice.kind for notice in watch.look()] == [NoticeKind.SILENT]
    assert watch.look() == []


def test_prometheus_reads_figures_errors_and_progress(watched, tmp_path):
    run, watch = watched
    run.load = 1.0
    run.errors = {1: 3}
    run.tick(5.0, (0, 0.5))
    watch.look()
    lines = (tmp_path / "run.prom").read_text().splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    (active,) = (value for name, value in values.items() if name.startswith("rigwright_run_active"))
    assert active == "1"
    (wrong,) = (value for name, value in values.items() if name.startswith("rigwright_device_errors_total"))
    assert wrong == "3"
    hot = [name for name in values if name.startswith("rigwright_device_temperature_celsius")]
    assert len(hot) == 2
    assert all('simulated="true"' in name for name in hot)


def test_the_watcher_runs_to_the_end_and_tells_it(tmp_path, web, monkeypatch):
    monkeypatch.setattr(watcher, "POLL_S", 0.05)
    write_settings(tmp_path, NoticeSettings(addresses=(web.address,)))
    with closing(FakeRun(tmp_path)) as run:
        thread = threading.Thread(target=watcher.watch, args=(tmp_path, run.id))
        thread.start()
        run.finish(Outcome.PASS)
        thread.join(20)
    assert not thread.is_alive()
    assert [notice["verdict"] for notice in web.posted] == ["PASS"]


def test_a_run_starts_a_watcher_only_where_somebody_is_to_be_notified(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(order, "_answer", lambda *_: {"type": "recorded", "run": 4})
    monkeypatch.setattr(order, "_tell_others", lambda folder, run_id: started.append(run_id))
    monkeypatch.setattr(order, "_spawn", lambda *_: FakeProcess())
    order.start_run(tmp_path, order.BurnOrder(simulate="1x3090"))
    assert not started
    write_settings(tmp_path, NoticeSettings(addresses=("https://x.org/",)))
    order.start_run(tmp_path, order.BurnOrder(simulate="1x3090"))
    assert started == [4]


class FakeProcess:
    def wait(self):
        return 0


def test_the_command_sets_shows_tries_and_forgets(tmp_path, web):
    def call(*words):
        return CliRunner().invoke(app, ["notices", "--data-dir", str(tmp_path), *words])

    assert "No notices of runs are sent" in call().output
    assert isinstance(call("--test").exception, BadInput)
    assert web.address in call("--webhook", web.address, "--test").output
    assert len(web.posted) == 1
    secret = tmp_path / "secret"
    secret.write_text("pass word\n")
    done = call(
        "--mail-to", "me@x.org", "--mail-server", "mail.x.org:2525", "--mail-user", "me", "--password-file", str(secret)
    )
    assert "mail to me@x.org through mail.x.org" in done.output
    assert "me:pass%20word@mail.x.org:2525" in read_settings(tmp_path).addresses[1]
    assert "pass" not in call("--json").output
    addresses = tmp_path / "addresses"
    addresses.write_text("ntfy://topic\n\njson://x.org\n")
    call("--service-file", str(addresses))
    assert read_settings(tmp_path).addresses[2:] == ("ntfy://topic", "json://x.org")
    assert "json" not in call("--service", "ntfy://other").output
    call("--service", "none", "--mail-server", "none")
    assert read_settings(tmp_path).addresses == (web.address,)
    assert isinstance(call("--webhook", "ftp://x").exception, BadInput)
    call("--off")
    assert read_settings(tmp_path).empty
