"""Predicted speeds against published ones: nearly all inside bands that are no wider than software makes them."""

from statistics import median

import pytest

from core.predict.band import Band
from core.predict.speed.card_speed import card_rate
from core.predict.speed.networks import ComputePrecision, Network, samples_per_step
from core.predict.speed.ranking import rank_gpus
from core.predict.speed.scaling import Scaled, scaled
from tests.predict.speed.published import SEVERAL, SINGLE, TRANSFORMERS, Several, Single
from tests.shipped import parts_by_id

MOST = 0.9
WIDEST = 3.4
"""High over low of a single card: out of the box to tuned code alone is a factor of 2.2 on an A100."""
MIDDLE = 0.15
ROUNDING = 0.006


def _rate(row: Single | Several) -> Band:
    rate = card_rate(parts_by_id()[row.part_id], row.network, precision=row.precision).rate
    assert rate is not None
    return rate


def _together(row: Several) -> Scaled:
    low, expected, high = (share * row.gbps for share in row.share)
    memory_gb = getattr(parts_by_id()[row.part_id].spec, "memory_gb", None)
    rates = [_rate(row)] * row.count
    return scaled(row.network, row.precision, rates, (low, expected, high), samples_per_step(row.network, memory_gb))


def _missed(rows: list[tuple[str, Band, float]]) -> list[str]:
    return [
        f"{name}: {measured:.3g} outside {band.low:.3g} to {band.high:.3g}"
        for name, band, measured in rows
        if not band.low * (1 - ROUNDING) <= measured <= band.high * (1 + ROUNDING)
    ]


@pytest.mark.parametrize("network", Network)
def test_most_published_single_cards_lie_inside(network: Network) -> None:
    rows = [(f"{r.part_id} {r.source}", _rate(r), r.measured) for r in SINGLE if r.network is network]
    assert len(rows) >= 12
    missed = _missed(rows)
    assert len(missed) <= (1 - MOST) * len(rows), missed


@pytest.mark.parametrize("network", Network)
def test_the_expected_speed_is_in_the_middle_of_the_published_ones(network: Network) -> None:
    ratios = [row.measured / _rate(row).expected for row in SINGLE if row.network is network]
    assert median(ratios) == pytest.approx(1.0, abs=MIDDLE)


@pytest.mark.parametrize("row", [r for r in SINGLE if (r.network, r.source) == (Network.CNN, "Lambda")], ids=str)
def test_runs_out_of_the_box_lie_within_a_fifth_of_the_expected_speed(row: Single) -> None:
    """Cards with HBM and with GDDR alike. TF32 of the RTX 6000 Ada is further off: nobody says why."""
    odd = (row.part_id, row.precision) == ("nvidia-rtx-6000-ada", ComputePrecision.TF32)
    assert _rate(row).expected == pytest.approx(row.measured, rel=0.3 if odd else 0.2)


def test_bands_are_no_wider_than_software_makes_them() -> None:
    for row in SINGLE:
        band = _rate(row)
        assert band.high / band.low <= WIDEST, row


def test_nvidias_and_others_figures_lie_inside_as_often_as_those_that_were_in_sight() -> None:
    rows = [(f"{r.part_id} {r.source}", _rate(r), r.measured) for r in SINGLE if r.source != "Lambda"]
    assert len(_missed(rows)) <= (1 - MOST) * len(rows)


def test_most_published_machines_of_several_cards_lie_inside() -> None:
    rows = [(f"{r.count} x {r.part_id} {r.source}", _together(r).rate, r.measured) for r in SEVERAL]
    missed = _missed(rows)
    assert len(missed) <= (1 - MOST) * len(rows), missed


@pytest.mark.parametrize("network", Network)
def test_most_published_scaling_efficiencies_lie_inside(network: Network) -> None:
    """One pass a step of a large BERT and the many of a Transformer-XL; more than the sum of all is no scaling."""
    rows = [row for row in (*SEVERAL, *TRANSFORMERS) if row.network is network]
    measured = [
        (f"{r.count} x {r.part_id} {r.source}", _together(r).efficiency, min(1, r.measured / r.count / r.alone))
        for r in rows
    ]
    assert len(measured) >= 20
    missed = _missed(measured)
    assert len(missed) <= 0.15 * len(measured), missed


def test_convolution_nets_scale_better_than_recurrent_ones_as_measured() -> None:
    rows = {n: [row for row in SEVERAL if row.network is n] for n in (Network.CNN, Network.LSTM)}
    measured = {n: median(row.measured / row.count / row.alone for row in of) for n, of in rows.items()}
    expected = {n: median(_together(row).efficiency.expected for row in of) for n, of in rows.items()}
    assert measured[Network.CNN] > measured[Network.LSTM]
    assert expected[Network.CNN] == pytest.approx(measured[Network.CNN], abs=0.05)
    assert expected[Network.LSTM] == pytest.approx(measured[Network.LSTM], abs=0.08)


@pytest.mark.parametrize("network", [Network.CNN, Network.LSTM])
def test_the_ranking_goes_with_measured_speed(network: Network) -> None:
    """Rank correlation with Lambda's mixed-precision runs; the memory that counts in the order is no speed there."""
    runs = [row for row in SINGLE if row.source == "Lambda" and row.precision is ComputePrecision.MIXED]
    mixed = {row.part_id: row.measured for row in runs if row.network is network}
    order = [one.part.id for one in rank_gpus([parts_by_id()[i] for i in mixed], network)]
    fastest = sorted(mixed, key=lambda part_id: -mixed[part_id])
    apart = sum((order.index(i) - fastest.index(i)) ** 2 for i in mixed)
    count = len(mixed)
    assert 1 - 6 * apart / (count * (count**2 - 1)) >= 0.7
