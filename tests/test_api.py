"""The public Python interface: its example, as the package's own documentation shows it, and what it refuses."""

import inspect
import textwrap
from contextlib import closing
from datetime import date
from functools import partial
from pathlib import Path

import pytest

import core
from core import api
from core.burnin.record.rows import MACHINE, Outcome, RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Update
from core.find.wish import Wish
from core.parts.money import PER_USD, ExchangeRate, MoneyTerms, write_terms
from core.platform.errors import BadInput
from core.rules.finding import Status
from tests.patience import wait_for


@pytest.mark.process
def test_the_example_of_the_documentation_runs(
    tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("core.platform.paths.platformdirs.user_data_dir", lambda _name: str(data_dir))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(api, "burn", partial(api.burn, minutes=0.3))  # the same stages in less than their minute
    paragraphs = inspect.cleandoc(core.__doc__ or "").split("\n\n")
    example = textwrap.dedent("\n\n".join(part for part in paragraphs if part.startswith("    ")))
    exec(compile(example, "core/__init__.py", "exec"), {})
    printed = capsys.readouterr().out
    assert "PASS" in printed.splitlines()[-1]
    assert (tmp_path / "acceptance.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.process
def test_a_run_brings_its_verdicts_and_is_watched(data_dir: Path, tmp_path: Path) -> None:
    seen = []
    run = api.burn(
        simulate="2x3090,fault=lost@1:2s", stages=("known-answer",), minutes=0.1, folder=data_dir,
        build=api.load("six-rtx-3090-quiet", folder=data_dir), watch=seen.append,
    )  # fmt: skip
    assert run.outcome is Outcome.FAIL
    assert run.verdicts[0].device_id == MACHINE
    assert {update.run.id for update in seen} == {run.number}
    assert "SIMULATED" in api.write_report(run, tmp_path / "run.html").read_text(encoding="utf-8")


@pytest.mark.process
def test_whoever_stops_watching_stops_the_run(data_dir: Path) -> None:
    def interrupt(update: Update) -> None:
        if update.run.status is RunStatus.RUNNING:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        api.burn(simulate="1x3090", stages=("known-answer",), minutes=5, folder=data_dir, watch=interrupt)
    with closing(RunStore(data_dir)) as store:
        (run,) = store.runs()
        wait_for(lambda: store.run(run.id).status is RunStatus.FINISHED, "the verdict")
        assert store.verdicts(run.id)[0].outcome is Outcome.INCOMPLETE


def test_a_build_is_read_checked_predicted_and_reported(data_dir: Path, tmp_path: Path) -> None:
    build = api.load("six-rtx-3090-first-attempt", folder=data_dir)
    assert api.check(build)[0].status is Status.FAIL
    assert api.predict(build) == api.assess(build).prediction
    assert api.write_report(build, tmp_path / "build.json").stat().st_size > 0


def test_what_is_not_there_is_said(data_dir: Path) -> None:
    with pytest.raises(BadInput, match="no file or template of that name"):
        api.load("no-such-build", folder=data_dir)
    with pytest.raises(BadInput, match="no-such-profile"):
        api.burn(profile="no-such-profile", simulate="1x3090", folder=data_dir)
    with pytest.raises(BadInput, match="needs the plan"):
        api.burn(simulate="plan", folder=data_dir)


def test_a_machine_is_searched_in_the_catalogue_of_a_folder(data_dir: Path) -> None:
    answer = api.find(Wish(money=100), folder=data_dir)
    assert [proposal.outcome.best for proposal in answer.proposals] == [None]
    assert answer.proposals[0].outcome.proven


def test_everything_public_is_documented() -> None:
    assert [name for name in api.__all__ if not (getattr(api, name).__doc__ or "").strip()] == []


def test_prices_are_estimated_and_converted_by_the_guide_of_a_folder(data_dir: Path) -> None:
    build = api.load("six-rtx-3090-quiet", folder=data_dir)
    used = {"USD"} | {line.part.price.currency for line in build.lines if line.part.price}
    rates = {code: ExchangeRate(value=0.5 / PER_USD[code], as_of=date(2026, 11, 20)) for code in used}
    write_terms(data_dir, MoneyTerms(currency="CHF", rates=rates))
    plain, guided = api.assess(build), api.assess(build, guide=api.price_guide(build, folder=data_dir))
    (dollars,), (francs,) = plain.price.totals, guided.price.totals
    assert (dollars.currency, francs.currency) == ("USD", "CHF")
    plain_low, guided_low = ({part_id: one.low for part_id, one in each.price.estimates} for each in (plain, guided))
    assert plain_low and all(guided_low[part_id] == pytest.approx(low / 2) for part_id, low in plain_low.items())
    assert guided.price.unpriced < plain.price.unpriced
    every = sum(line.quantity for line in build.lines)
    for total in (plain.price, guided.price):
        assert total.unpriced + total.estimated + sum(row.parts for row in total.totals) == every
