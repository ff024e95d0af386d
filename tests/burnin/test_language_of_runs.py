"""A run is recorded in English and read in the language of its reader; what was tampered with is not believed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from core.burnin.record.rows import MACHINE, EventLevel, InterruptionKind, Outcome, ResultStatus, RunDevice, StageResult
from core.burnin.record.store import RunStore
from core.burnin.run.recovery import close_run
from core.burnin.sealing import SealState, check_run
from core.burnin.verdict.causes import causes_of
from core.machine.telemetry.device import Device, DeviceKind
from core.platform.protocol import decode, encodable
from core.words import catalog, english, spoken, tr
from tests.burnin.begun_run import PROFILE, begun
from tests.patience import wait_for

GERMAN = {
    "{stage} started.": "{stage} gestartet.",
    "The device was lost: {reason}": "Das Gerät ist verloren: {reason}",
    "it fell off the bus {seconds:.1f} s after the start": "{seconds:.1f} s nach dem Start vom Bus gefallen",
    "Verdict: {outcome}.": "Prüfergebnis: {outcome}.",
    "PASS": "BESTANDEN",
    "INCOMPLETE": "UNVOLLSTÄNDIG",
    "{device}: {outcome}": "{device}: {outcome}",
    "{devices}: {finding}.": "{devices}: {finding}.",
    "Preflight": "Vorabprüfung",
}


@pytest.fixture(autouse=True)
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A small German."""
    made = Catalog(locale="de")
    for text, translation in GERMAN.items():
        made.add(text, translation)
    (tmp_path / "languages").mkdir()
    with (tmp_path / "languages" / "de.po").open("wb") as file:
        write_po(file, made)
    monkeypatch.setattr(catalog, "FOLDER", tmp_path / "languages")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    catalog.translations.cache_clear()
    yield
    catalog.translations.cache_clear()


LOST = tr(
    "The device was lost: {reason}", reason=tr("it fell off the bus {seconds:.1f} s after the start", seconds=2.5)
)


@pytest.fixture
def run_id(store: RunStore) -> int:
    """One that was cut off after a card had failed."""
    card = Device("GPU-1", DeviceKind.GPU, "RTX", simulated=True)
    titles = [tr("Preflight") for _ in PROFILE.stages]
    number = begun(store, devices=[RunDevice(card, 0, True)], stage_titles=titles)
    with spoken("de"):  # a viewer that speaks German records English, too
        store.add_event(number, 1.0, EventLevel.ERROR, "lost", LOST, device_id="GPU-1")
    store.add_result(number, StageResult(0, "GPU-1", ResultStatus.FAILED, LOST, {"warnings": [LOST], "needs": "lost"}))
    return number


def _recorded(store: RunStore, sql: str) -> list[str]:
    return [row[0] for row in store._db.execute(sql).fetchall()]


def test_a_run_is_recorded_in_english_and_read_in_german(store: RunStore, run_id: int) -> None:
    in_english = "The device was lost: it fell off the bus 2.5 s after the start"
    assert _recorded(store, "SELECT message FROM events") == [in_english]
    assert [event.message for event in store.events(run_id)] == [in_english]
    with spoken("de"):
        in_german = "Das Gerät ist verloren: 2,5 s nach dem Start vom Bus gefallen"
        assert [event.message for event in store.events(run_id)] == [in_german]
        (result,) = store.results(run_id)
        assert (result.reason, result.evidence) == (in_german, {"warnings": [in_german], "needs": "lost"})
        assert english(result.reason) == in_english
        assert {stage.title for stage in store.stages(run_id)} == {"Vorabprüfung"}


@pytest.mark.parametrize("stored", ["", "[]", '{"say": "It passed.", "with": {}}', '{"say": "{0}", "with": {}}'])
def test_a_message_that_does_not_say_what_was_recorded_is_not_believed(
    store: RunStore, run_id: int, stored: str
) -> None:
    before = store.check_chain(run_id)
    store._db.execute("UPDATE sentences SET message = ?", (stored,))
    with spoken("de"):
        assert [event.message for event in store.events(run_id)] == [english(LOST)]
    assert store.check_chain(run_id) == before, "the table is beside the record"


def test_a_run_without_messages_is_read_in_english(store: RunStore, run_id: int) -> None:
    store._db.execute("DELETE FROM sentences")
    with spoken("de"):
        assert [event.message for event in store.events(run_id)] == [english(LOST)]


def test_a_run_that_is_deleted_leaves_no_messages(store: RunStore, run_id: int) -> None:
    store.delete(run_id)
    assert _recorded(store, "SELECT text FROM sentences") == []


def test_what_a_german_viewer_judges_is_recorded_and_sealed_in_english(store: RunStore, run_id: int) -> None:
    with spoken("de"):
        store.mark_interrupted(
            run_id, InterruptionKind.KILLED, tr("Its runner (process {pid}) ended unexpectedly.", pid=7)
        )
        verdicts = close_run(store, run_id)
        assert verdicts[0].outcome is Outcome.FAIL
        assert check_run(store, run_id).state is SealState.INTACT
        in_german = [cause.text for cause in causes_of(store, run_id)]
    reasons = _recorded(store, "SELECT reasons FROM verdicts ORDER BY device_id")
    texts = [reason["text"] for document in reasons for reason in json.loads(document)]
    assert f"Preflight did not end: {english(LOST)}" in texts
    assert not any("Gerät" in text for text in texts)
    assert any("Das Gerät ist verloren" in text for text in in_german)
    assert check_run(store, run_id).state is SealState.INTACT
    machine = next(verdict for verdict in store.verdicts(run_id) if verdict.device_id == MACHINE)
    assert "Its runner (process 7) ended unexpectedly." in [reason.text for reason in machine.reasons]


def test_a_message_travels_between_runner_and_worker() -> None:
    sent = {"type": "done", "status": "failed", "reason": LOST, "evidence": {"warnings": [LOST, "plain"]}}
    received = decode(json.dumps(encodable(sent)))
    assert received["reason"] == english(LOST)
    with spoken("de"):
        assert [str(english(text)) for text in received["evidence"]["warnings"]] == [english(LOST), "plain"]
        assert received["reason"].into("de") == "Das Gerät ist verloren: 2,5 s nach dem Start vom Bus gefallen"


def test_what_only_looks_like_a_message_stays_what_it_is() -> None:
    line = json.dumps({"type": "done", "status": "failed", "evidence": {"say": "{x.__class__}", "with": {"x": "y"}}})
    received = decode(line)
    assert received["evidence"] == {"say": "{x.__class__}", "with": {"x": "y"}}


def test_a_simulated_run_speaks_english_and_is_read_in_german(
    start: Callable[..., int], store: RunStore, write_profile: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIGWRIGHT_LANGUAGE", "de")  # of the viewer that starts it
    number = start(write_profile(("preflight", 1.0, {})), simulate="1x3090")
    wait_for(lambda: store.verdicts(number), "the verdict")
    texts = _recorded(store, "SELECT message FROM events")
    assert "Preflight started." in texts
    assert texts[-1].startswith("Verdict: ")
    with spoken("de"):
        messages = [event.message for event in store.events(number)]
    assert any(text.endswith(" gestartet.") for text in messages)
    assert messages[-1].startswith("Prüfergebnis: ")
