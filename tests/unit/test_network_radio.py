"""The simulated network: the published models, the load, and what a change does."""

import numpy as np
import pytest

from workers.engines.network.radio import Layout, make_network, measure
from workers.engines.network.radio.indicators import FAR_RANK
from workers.engines.network.radio.levels import levels_of
from workers.engines.network.radio.network import Network
from workers.engines.network.radio.propagation import (
    ANTENNA_GAIN_DBI,
    antenna_gain_dbi,
    horizontal_loss_db,
    path_loss_db,
    vertical_loss_db,
)

SMALL = Layout(sites=7, distance_m=500, cell_mbps=6, seed=3)


def single(*values: float) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    return np.array(values, dtype=np.float32)


@pytest.fixture(scope="module")
def network() -> Network:
    return make_network(SMALL)


def test_path_loss_is_that_of_the_published_table() -> None:
    """TR 36.873, table 7.2-1, computed by hand for 25 m, 2 GHz and a kilometre: 161.04 - 9.24 + 9.76 - 30.76 + 6.02 - 0.00."""
    assert path_loss_db(single(1_000.0), single(25.0), 2_000.0)[0] == pytest.approx(136.8, abs=0.1)
    assert path_loss_db(single(100.0), single(25.0), 2_000.0)[0] == pytest.approx(136.8 - 39.1, abs=0.1)


def test_a_higher_antenna_loses_less() -> None:
    low, high = path_loss_db(single(800.0, 800.0), single(25.0, 50.0), 2_600.0)

    assert high < low - 3


def test_the_antenna_pattern_is_that_of_the_published_table() -> None:
    """TR 36.814, table A.2.1.1-2: 3 dB at half the beam width, 25 dB backwards, 20 dB at most vertically."""
    assert horizontal_loss_db(single(35.0, 180.0, -325.0)).tolist() == pytest.approx([3.0, 25.0, 3.0])
    assert vertical_loss_db(single(10.0, 40.0), single(5.0, 5.0)).tolist() == pytest.approx([3.0, 20.0])
    assert antenna_gain_dbi(single(20.0), single(20.0))[0] == pytest.approx(ANTENNA_GAIN_DBI - 25.0)


def test_the_same_seed_makes_the_same_network(network: Network) -> None:
    again = make_network(SMALL)

    assert np.array_equal(measure(again).grids["sinr_db"], measure(network).grids["sinr_db"])
    assert not np.array_equal(make_network(Layout(sites=7, distance_m=500, seed=4)).cells.azimuth_deg, network.cells.azimuth_deg)


def test_tiles_give_what_the_whole_map_gives_at_once(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    tiled = levels_of(network)

    monkeypatch.setattr("workers.engines.network.radio.levels.TILE_M", 100_000.0)
    whole = levels_of(network)

    assert np.array_equal(tiled.cell[:, 0], whole.cell[:, 0])
    assert np.allclose(tiled.rsrp_dbm, whole.rsrp_dbm, atol=1e-3)


def test_the_strongest_cell_serves_and_indicators_are_in_their_ranges(network: Network) -> None:
    state = measure(network)

    assert (np.diff(state.levels.rsrp_dbm, axis=1) <= 0).all()
    assert (state.grids["prb_util_pct"] >= 0).all()
    assert (state.grids["prb_util_pct"] <= 100).all()
    assert (state.grids["overlap_degree"] >= 1).all()
    assert (state.grids["rsrq_db"] <= -3).all()
    assert state.cells["samples"].sum() == pytest.approx(network.area.demand_mbps.sum() / 0.1)


def test_less_power_lowers_the_level_by_as_much(network: Network) -> None:
    before = measure(network)
    after = measure(network.with_cells(power_dbm=network.cells.power_dbm - 6))

    assert (before.grids["rsrp_dbm"] - after.grids["rsrp_dbm"]).mean() == pytest.approx(6.0, abs=1e-3)


def test_more_traffic_means_more_load_and_less_quality(network: Network) -> None:
    busy = make_network(Layout(sites=7, distance_m=500, cell_mbps=12, seed=3))

    assert np.nanmean(measure(busy).cells["prb_util_pct"]) > np.nanmean(measure(network).cells["prb_util_pct"])
    assert measure(busy).grids["sinr_db"].mean() < measure(network).grids["sinr_db"].mean()


def test_a_second_carrier_halves_the_load_or_better(network: Network) -> None:
    state, wide = measure(network), measure(network.with_cells(carriers=network.cells.carriers * 2))

    assert (wide.load <= state.load / 2 + 1e-9).all()


def test_a_missing_relation_breaks_handovers_of_both_cells_only(network: Network) -> None:
    from dataclasses import replace

    from workers.engines.network.radio.indicators import border_pairs

    state = measure(network)
    low, high, _ = border_pairs(network, state.serving)
    pair = int(low[0]), int(high[0])

    after = measure(replace(network, missing=frozenset({pair})))

    worse = state.cells["ho_success_pct"] - after.cells["ho_success_pct"] > 0.01
    assert set(np.flatnonzero(worse)) == set(pair)


def test_a_lone_site_and_one_without_traffic_are_measured() -> None:
    lone = measure(make_network(Layout(sites=1, cell_mbps=0.0)))

    assert (lone.levels.nearer_sites < FAR_RANK).all()
    assert (lone.load == 0).all()
