"""What each step of a `tune` job costs: `python -m tests.bench.tune [--queries 12000] [--mb 300] [BUNDLE ...]`.

Each bundle is run as a job of its own in this process, on servers of its own, with an empty cache: the shipped samples, made logs of tiny
queries and of large stages (see `eventlog_made`), and those named. Printed are CPU seconds, openings of the bundle, parses, facts loaded
from the cache and runs of the verdicts. The plan's seconds are those of its replays.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.eventlog_made import large_stages, tiny_queries
from tests.conftest import TEMPLATE, make_template
from tests.support.servers import Servers
from tests.support.tune_counts import JobCount, StepCount, counted
from tests.support.tune_jobs import SAMPLES, own_services, tune
from workers.telemetry import configure_logging

MB = 1_000_000
SCRIPT = SAMPLES / "spark_skew" / "nightly_engagement.py"


def made(folder: Path, name: str, lines: Iterator[bytes]) -> Path:
    """A bundle with such a log and a script."""
    bundle = folder / name
    bundle.mkdir()
    shutil.copy(SCRIPT, bundle)
    with (bundle / "eventlog").open("wb") as log:
        log.writelines(lines)
    return bundle


def line(step: StepCount) -> str:
    """A step as a line of the table."""
    return f"  {step.stage:18} {step.cpu_s:8.3f} s {step.openings:9} {len(step.parsed):7} {len(step.loaded):7} {step.judged:9}"


def total(count: JobCount) -> StepCount:
    """All steps as one."""
    found = StepCount("in all", openings=count.openings, judged=count.judged)
    for step in count.steps:
        found.parsed += step.parsed
        found.loaded += step.loaded
        found.cpu_s += step.cpu_s
    return found


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundles", type=Path, nargs="*", help="folders or files")
    parser.add_argument("--queries", type=int, default=12_000, help="in the made log of tiny queries: 28 KB each")
    parser.add_argument("--mb", type=int, default=300, help="size of the made log of large stages")
    options = parser.parse_args()
    configure_logging("console", "warning")
    with tempfile.TemporaryDirectory() as name, Servers(Path(name, "servers")) as servers:
        folder = Path(name)
        make_template(servers)
        bundles = [
            *(SAMPLES / sample for sample in ("spark_skew", "scope_skew", "scope_shuffle")),
            made(folder, f"{options.queries} tiny queries", tiny_queries(options.queries)),
            made(folder, f"{options.mb} MB of large stages", large_stages(options.mb * MB)),
            *options.bundles,
        ]
        with own_services(servers.database_url(TEMPLATE), servers.valkey.url, folder) as services:
            for bundle in bundles:
                services.database.statement("DELETE FROM artefact_facts")
                with counted() as count:
                    tune(services, [bundle])
                print(f"{bundle.name:20}    CPU     openings  parsed  loaded  judgements")
                for step in (*count.steps[1:], total(count)):
                    print(line(step), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
