"""What tracing costs a step: `python -m tests.bench.tracing [--jobs 150] [--rounds 3]`. It needs the extra `otel`.

The same jobs run on the same servers by a fleet without and with `BULLPEN_OTEL`, in turn; the CPU time of its processes is divided by the
steps. A server on this machine takes the spans; its own CPU time is not part of the figures.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

import psutil

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import own_database
from tests.conftest import make_template
from tests.support.fleet import FleetProcesses
from tests.support.otlp_server import otlp_server
from tests.support.relay import ROLES, create_outside
from tests.support.servers import Servers

STEPS = 3
"""Of a job."""


def main() -> None:
    """Measure, and print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    figures: dict[str, list[float]] = {"off": [], "on": []}
    with tempfile.TemporaryDirectory() as folder, Servers(Path(folder, "servers")) as servers, otlp_server() as collector:
        template = make_template(servers)
        for number in range(given.rounds):
            for way in figures:
                env = {"BULLPEN_LOG_LEVEL": "warning"}
                if way == "on":
                    env |= {"BULLPEN_OTEL": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
                servers.flush_broker()
                with (
                    own_database(servers, template) as url,
                    FleetProcesses(Path(folder, f"{way}-{number}"), url, servers.valkey.url, env) as fleet,
                ):
                    figures[way].append(_cpu_ms_a_step(fleet, given.jobs))
        spans = len(collector.spans)
    for way, values in figures.items():
        print(f"{way:4} {statistics.median(values):6.2f} cpu-ms a step ({', '.join(f'{value:.2f}' for value in values)})")
    print(f"{spans / (given.rounds * given.jobs * STEPS):.1f} spans a step")


def _cpu_ms_a_step(fleet: FleetProcesses, jobs: int) -> float:
    create_outside(fleet.db)
    fleet.start(COORDINATOR, *ROLES, ready=False)
    fleet.wait_status(fleet.submit_many(10))  # warm
    before = _cpu_s(fleet)
    fleet.wait_status(fleet.submit_many(jobs), within_s=600)
    return (_cpu_s(fleet) - before) * 1000 / (jobs * STEPS)


def _cpu_s(fleet: FleetProcesses) -> float:
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in fleet.pids().values())


if __name__ == "__main__":
    main()
