"""What deletes a run, or ends one that took hours, asks before; a script says so with --yes."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.burnin.record.store import RunStore
from core.cli import follow
from core.cli.app import app
from core.cli.commands import runs
from core.cli.follow import may_stop
from tests.burnin.many_cards import begun_with, card_id

RUN = CliRunner()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (runs, follow):
        monkeypatch.setattr(module, "can_ask", lambda: True)


def forget(tmp_path: Path, *words: str, answer: str = "") -> str:
    return RUN.invoke(app, ["forget", "1", "--data-dir", str(tmp_path), *words], input=answer).output


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(("answer", "left"), [("y\n", 0), ("n\n", 1), ("\n", 1), ("", 1)])
def test_forget_asks_and_anything_but_yes_keeps_the_run(
    store: RunStore, tmp_path: Path, answer: str, left: int
) -> None:
    begun_with(store, 1)
    assert "Delete run 1 with all its samples for good?" in forget(tmp_path, answer=answer)
    assert len(store.runs()) == left


def test_a_script_must_say_that_a_run_is_to_be_deleted(store: RunStore, tmp_path: Path) -> None:
    begun_with(store, 1)
    ended = RUN.invoke(app, ["forget", "1", "--data-dir", str(tmp_path)])
    assert ended.exit_code != 0
    assert "--yes" in str(ended.exception)
    assert len(store.runs()) == 1
    forget(tmp_path, "--yes")
    assert store.runs() == []


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(("duration_s", "asks"), [(599.0, False), (601.0, True)])
def test_a_stop_asks_only_about_a_long_run(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, duration_s: float, asks: bool
) -> None:
    run_id = begun_with(store, 1)
    store.add_tick(run_id, duration_s, {card_id(0): {"power_w": 300.0}})
    questions: list[str] = []
    monkeypatch.setattr(follow, "agrees", lambda question: bool(questions.append(question)))
    assert may_stop(store, run_id) is not asks
    assert questions == (["Stop run 1 after 10 min? It can be resumed."] if asks else [])


def test_where_nobody_can_be_asked_a_stop_is_a_stop(store: RunStore) -> None:
    run_id = begun_with(store, 1)
    store.add_tick(run_id, 7200.0, {card_id(0): {"power_w": 300.0}})
    assert may_stop(store, run_id)
