"""The machine as built is a value that the run's record gives back as it took it."""

from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.rows import UnreadableRecord
from core.burnin.record.store import RunStore
from core.machine.asbuilt.as_built import (
    AsBuilt,
    AsBuiltLine,
    BuiltCard,
    LineState,
    LineSubject,
    MachineFacts,
    MemoryModule,
)
from tests.burnin.begun_run import begun

MISSING = AsBuiltLine(LineSubject.CARD, "PCIEX16_3", "GeForce RTX 3090", "", LineState.MISSING, slot=3)
FOUND = AsBuilt(
    "2026-05-31T10:00:00+00:00",
    MachineFacts(board="ASUS X99-E WS", modules=(MemoryModule("DIMM_A1", 16.0, "DDR4"),)),
    (BuiltCard("GPU-1", "NVIDIA GeForce RTX 3090", position=1, pci_address="0000:01:00.0"),),
    (
        AsBuiltLine(
            LineSubject.CARD, "PCIEX16_1", "GeForce RTX 3090", "GeForce RTX 3090", LineState.AS_PLANNED, "GPU-1", 1
        ),
        MISSING,
    ),
)


def test_a_run_gives_it_back(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        run_id = begun(store)
        assert store.as_built(run_id) is None
        store.set_as_built(run_id, FOUND)
        assert store.as_built(run_id) == FOUND
        store.delete(run_id)
        assert store.as_built(run_id) is None


def test_a_damaged_record_is_reported_in_words(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        run_id = begun(store)
        store.set_as_built(run_id, FOUND)
        store._db.execute("UPDATE as_built SET told = '{\"lines\": 3}'")
        with pytest.raises(UnreadableRecord, match="machine as built of run 1"):
            store.as_built(run_id)


def test_a_missing_card_blocks_until_it_is_accepted_by_name() -> None:
    assert FOUND.blocking == (MISSING,)
    accepted = AsBuilt(FOUND.taken_at, FOUND.machine, FOUND.cards, FOUND.lines, accepted=("slot 3",))
    assert accepted.blocking == ()


def test_a_card_is_found_by_its_device() -> None:
    card = FOUND.card("GPU-1")
    assert card.pci_address == "0000:01:00.0"
    assert FOUND.card("GPU-2") is None
