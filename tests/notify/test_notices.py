"""Somebody elsewhere is told of the first failure and the end of a run, once each, by mail, webhook and text file."""

import json
import socketserver
import stat
import sys
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from typer.testing import CliRunner

from core.burnin.record.rows import EventLevel, Outcome, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run import launch
from core.cli.app import app
from core.errors import BadInput, EnvironmentProblem
from core.notify import watcher
from core.notify.send import Notice, NoticeKind, send
from core.notify.settings import NoticeSettings, Security, read_settings, settings_from, write_settings
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
    mail = {"server": "127.0.0.1", "port": port, "security": Security.NONE, "sender": "rig@x.org", "to": ("me@x.org",)}
    return settings_from({"mail": mail})


def test_a_webhook_gets_json_and_chats_their_text(web):
    assert send(NoticeSettings(webhook=web.address), NOTICE) == []
    (told,) = web.posted
    assert told["kind"] == "test"
    assert told["content"] == told["text"] == "Rigwright: test\nSome text, 温度."


def test_a_webhook_that_fails_is_told_in_a_sentence(web):
    web.broken = True
    assert send(NoticeSettings(webhook=web.address), NOTICE) == ["The webhook could not be reached: it answered 500."]
    assert "could not be reached" in send(NoticeSettings(webhook="http://127.0.0.1:9/"), NOTICE)[0]


def test_mail_goes_to_all_who_are_named(post_office):
    assert send(mail_settings(post_office.port), NOTICE) == []
    (mail,) = post_office.mails
    assert "Subject: Rigwright: test" in mail
    assert "To: me@x.org" in mail


def test_settings_are_kept_for_their_owner_alone_and_never_show_the_password(tmp_path):
    assert read_settings(tmp_path).empty
    settings = settings_from(
        {"mail": {"server": "x.org", "password": "secret", "sender": "a@x.org", "to": ["b@x.org"]}}
    )
    write_settings(tmp_path, settings)
    assert read_settings(tmp_path) == settings
    assert "secret" not in str(settings.shown())
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / launch.NOTICES_FILE).stat().st_mode) == 0o600
    write_settings(tmp_path, NoticeSettings())
    assert not (tmp_path / launch.NOTICES_FILE).exists()


@pytest.mark.parametrize(
    "values", [{"webhook": "file:///etc/passwd"}, {"mail": {"server": "x", "sender": "a@b", "to": []}}, {"sms": "1"}]
)
def test_what_cannot_be_used_is_refused(values):
    with pytest.raises(BadInput, match="notice settings cannot be used"):
        settings_from(values)


def test_damaged_settings_are_told(tmp_path):
    (tmp_path / launch.NOTICES_FILE).write_text("{")
    with pytest.raises(EnvironmentProblem, match="it is damaged"):
        read_settings(tmp_path)


@pytest.fixture
def watched(tmp_path):
    """A run that goes on, its watch, and the notices of each look."""
    with closing(FakeRun(tmp_path, [gpu(0), gpu(1)])) as run, closing(RunStore(tmp_path)) as store:
        run.begin(0, 0.0)
        settings = NoticeSettings(prometheus=str(tmp_path / "run.prom"))
        yield run, watcher.Watch(store, run.id, settings)


def test_first_failure_and_end_are_told_once_each(watched):
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


def test_a_runner_that_does_not_answer_is_told(watched, monkeypatch):
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
    write_settings(tmp_path, NoticeSettings(webhook=web.address))
    with closing(FakeRun(tmp_path)) as run:
        thread = threading.Thread(target=watcher.watch, args=(tmp_path, run.id))
        thread.start()
        run.finish(Outcome.PASS)
        thread.join(20)
    assert not thread.is_alive()
    assert [told["verdict"] for told in web.posted] == ["PASS"]


def test_a_run_starts_a_watcher_only_where_somebody_is_to_be_told(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(launch, "_answer", lambda *_: {"type": "recorded", "run": 4})
    monkeypatch.setattr(launch, "_tell_others", lambda folder, run_id: started.append(run_id))
    monkeypatch.setattr(launch, "_spawn", lambda *_: FakeProcess())
    launch.start_run(tmp_path, launch.BurnOrder(simulate="1x3090"))
    assert not started
    write_settings(tmp_path, NoticeSettings(webhook="https://x.org/"))
    launch.start_run(tmp_path, launch.BurnOrder(simulate="1x3090"))
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
    mail = read_settings(tmp_path).mail
    assert (mail.port, mail.password, mail.sender) == (2525, "pass word", "me@x.org")
    shown = json.loads(call("--json").output)
    assert shown["mail"]["password"] is True
    assert isinstance(call("--webhook", "ftp://x").exception, BadInput)
    call("--off")
    assert read_settings(tmp_path).empty
