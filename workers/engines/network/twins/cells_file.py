"""A user's own network: the cells of a file, to be simulated.

`cells.csv` has a row for each cell: `cell_id`, `site`, its place (`x_m` and `y_m`, or `longitude` and `latitude`), `height_m`,
`azimuth_deg` and `tilt_deg`; and may have `power_dbm`, `carriers` and `traffic_mbps`, the demand in the busy hour.
"""

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from contracts.statements import count, quote, say
from contracts.statements import name as identifier
from workers.engines.network.causes.configuration import site_distance
from workers.engines.network.radio import Area, Cells, Network, measure
from workers.engines.network.radio.layout import grids_around
from workers.engines.network.radio.network import NOMINAL_POWER_DBM, Floats
from workers.errors import InvalidInput

CELLS_NAME = "cells.csv"

MOST_CELLS = 20_000
MOST_GRIDS = 200_000
"""Of more, the grids are made larger: such an area takes about four seconds of CPU to simulate."""
GRID_M = 50.0
MOST_EXTENT_M = 300_000.0
"""A network that is larger than this has a wrong coordinate in it."""

USUAL_TRAFFIC_MBPS = 6.0
METRES_PER_DEGREE = 111_320.0

_LIMITS: dict[str, tuple[float, float]] = {
    "height_m": (3.0, 300.0), "azimuth_deg": (-360.0, 720.0), "tilt_deg": (-10.0, 90.0), "power_dbm": (0.0, 60.0), "carriers": (1.0, 20.0),
    "traffic_mbps": (0.0, 10_000.0),
}  # fmt: skip
_DEFAULTS = {"power_dbm": NOMINAL_POWER_DBM, "carriers": 1.0, "traffic_mbps": USUAL_TRAFFIC_MBPS}


def read_network(path: Path) -> Network:
    """The network of a file. Raises `InvalidInput`, which names the line."""
    rows = _rows(path)
    rows.sort(key=lambda row: row["site"])
    columns = {name: np.array([_number(path, row, name) for row in rows]) for name in _LIMITS}
    place = _places(path, rows)
    sites = {name: number for number, name in enumerate(dict.fromkeys(row["site"] for row in rows))}
    site = np.array([sites[row["site"]] for row in rows], dtype=np.int64)
    _, first = np.unique(site, return_index=True)
    cells = Cells(
        ids=tuple(row["cell_id"] for row in rows), sites=tuple(row["site"] for row in rows), site=site,
        x_m=place[first][site, 0], y_m=place[first][site, 1], height_m=columns["height_m"][first][site],
        azimuth_deg=columns["azimuth_deg"] % 360, tilt_deg=columns["tilt_deg"], power_dbm=columns["power_dbm"],
        carriers=columns["carriers"].astype(np.int64),
    )  # fmt: skip
    return _with_traffic(Network(cells=cells, area=_area(cells)), columns["traffic_mbps"])


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = [{key.strip(): (value or "").strip() for key, value in row.items() if key} for row in csv.DictReader(lines)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput.of(
            say("network.refused.cells_unread", file=identifier(path.name), reason=identifier(type(error).__name__))
        ) from None
    if not 0 < len(rows) <= MOST_CELLS:
        raise InvalidInput.of(
            say("network.refused.cells", file=identifier(path.name), n=count(len(rows), exact=True), most=count(MOST_CELLS, exact=True))
        )
    for number, row in enumerate(rows, start=2):
        row["line"] = str(number)
        if not row.get("cell_id") or not row.get("site"):
            raise InvalidInput.of(say("network.refused.cell_id", file=identifier(path.name), line=identifier(number)))
    if len({row["cell_id"] for row in rows}) < len(rows):
        raise InvalidInput.of(say("network.refused.same_cell", file=identifier(path.name)))
    return rows


def _number(path: Path, row: dict[str, str], name: str) -> float:
    text = row.get(name, "")
    if not text and name in _DEFAULTS:
        return _DEFAULTS[name]
    low, high = _LIMITS.get(name, (-math.inf, math.inf))
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and low <= value <= high):
        raise InvalidInput.of(
            say(
                "network.refused.number",
                file=identifier(path.name),
                line=identifier(row["line"]),
                field=identifier(name),
                given=quote(text[:40]),
                low=identifier(f"{low:g}"),
                high=identifier(f"{high:g}"),
            )
        )
    return value


def _places(path: Path, rows: list[dict[str, str]]) -> Floats:
    """East and north in metres."""
    if "x_m" in rows[0]:
        found = np.array([[_number(path, row, "x_m"), _number(path, row, "y_m")] for row in rows])
    else:
        degrees = np.array([[_number(path, row, "longitude"), _number(path, row, "latitude")] for row in rows])
        middle = degrees.mean(axis=0)
        found = (degrees - middle) * METRES_PER_DEGREE * np.array([math.cos(math.radians(float(middle[1]))), 1.0])
    if float(np.ptp(found, axis=0).max()) > MOST_EXTENT_M:
        raise InvalidInput.of(say("network.refused.extent", file=identifier(path.name), most=identifier(f"{MOST_EXTENT_M / 1000:.0f} km")))
    return found


def _area(cells: Cells) -> Area:
    """Grids around the sites; larger ones where there would be too many."""
    places = cells.site_places
    distance = float(np.clip(np.median(site_distance(places)), 100.0, 5_000.0))
    covered = len(places) * distance**2
    return grids_around(places, distance, max(GRID_M, math.sqrt(covered / MOST_GRIDS)))


def _with_traffic(network: Network, traffic_mbps: Floats) -> Network:
    """Each cell's traffic on the grids that it serves, the same on each."""
    even = replace(network, area=replace(network.area, demand_mbps=np.full(len(network.area), 0.01)))
    serving = measure(even).serving
    grids = np.bincount(serving, minlength=len(traffic_mbps))
    return replace(network, area=replace(network.area, demand_mbps=(traffic_mbps / np.maximum(grids, 1))[serving]))
