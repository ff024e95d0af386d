"""x"""

from __future__ import annotations

import pytest

from core.burnin.record.run_facts import RunFacts, told_facts
from core.burnin.record.store import RunStore
from core.burnin.sealing import SealState, check_run, seal_run
from core.errors import BadInput
from tests.report.recorded import record_run


def test_every_change_stays_on_record(store: RunStore) -> None:
    run_id = record_run(store)
    store.set_facts(run_id, told_facts(customer="A lab", room_temperature_c=23.5))
    store.set_facts(run_id, told_facts(customer="B lab", room_temperature_c=23.5))
    assert store.facts(run_id) == RunFacts(customer="B lab", room_temperature_c="23.5")
    changes = [(change.name, change.value) for change in store.fact_changes(run_id)]
    assert changes == [("customer", "A lab"), ("room_temperature_c", "23.5"), ("customer", "B lab")]


def test_they_are_no_part_of_the_sealed_record(store: RunStore) -> None:
    run_id = record_run(store)
    seal_run(store, run_id)
    store.set_facts(run_id, told_facts(order="4711"))
    assert check_run(store, run_id).state is SealState.INTACT


def test_what_is_too_long_or_no_figure_is_refused() -> None:
    with pytest.raises(BadInput, match="customer cannot be saved"):
        told_facts(customer="x" * 201)
    with pytest.raises(BadInput, match="room temperature cannot be saved"):
        told_facts(room_temperature_c="warm")
