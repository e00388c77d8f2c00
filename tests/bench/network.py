"""A network of 10,000 cells and 200,000 grids: `python -m tests.bench.network [--cells 10000] [--grids 200000] [--json FILE]`.

Made, simulated, its root causes found, and simulated again with the advised changes. Measured: CPU seconds of each, which other work on the
machine does not lengthen, the time of all by the clock, and the memory of the process at its highest.
"""

import argparse
import json
import math
import resource
import sys
import time
from pathlib import Path

from contracts.network import Cause
from workers.engines.network.causes import find_causes
from workers.engines.network.optimising import advise, promise
from workers.engines.network.radio import Layout, make_network, measure

DISTANCE_M = 550.0
SECTORS = 3


def run(cells: int, grids: int) -> dict[str, float]:
    """The figures."""
    sites = math.ceil(cells / SECTORS)
    area_m2 = sites * DISTANCE_M**2 * math.sqrt(3) / 2
    figures: dict[str, float] = {}
    clock = time.perf_counter()
    started = time.process_time()
    network = make_network(Layout(sites=sites, distance_m=DISTANCE_M, grid_m=math.sqrt(area_m2 / grids), cell_mbps=6.0, seed=1))
    figures["cells"], figures["grids"] = float(len(network.cells)), float(len(network.area))
    figures["make_s"] = _since(started)
    started = time.process_time()
    before = measure(network)
    figures["simulate_s"] = _since(started)
    started = time.process_time()
    causes = find_causes(before)
    figures["root_causes_s"] = _since(started)
    figures["problem_cells"] = float(sum(cause is not Cause.NONE for cause in causes.cells))
    started = time.process_time()
    advice = advise(before, causes)
    promise(before, causes, advice)
    figures["advice_s"] = _since(started)
    started = time.process_time()
    measure(advice.network)
    figures["simulate_again_s"] = _since(started)
    figures["cpu_s"] = sum(value for name, value in figures.items() if name.endswith("_s"))
    figures["clock_s"] = time.perf_counter() - clock
    figures["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures


def _since(started: float) -> float:
    return time.process_time() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--grids", type=int, default=200_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = run(options.cells, options.grids)
    for name, value in figures.items():
        sys.stdout.write(f"{name:18} {value:12,.2f}\n")
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
