"""How soon a runaway statement is gone: `python -m tests.bench.runaway [--rounds 3] [--json FILE]`.

A statement that would run for ever, on DuckDB, SQLite, Postgres and MariaDB as far as they are installed, with a limit of one second.
Measured are the seconds past the limit until the caller has its refusal, and until the engine no longer runs the statement.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from contracts.sources import SourceKind, SourceLimits
from tests.bench.measure import machine
from tests.integration.test_sources_sessions import ENDLESS
from tests.support import mariadb
from tests.support.servers import Servers
from tests.support.sources import Shop, duckdb_shop, mariadb_shop, postgres_shop, sqlite_shop
from workers.errors import StatementRefused
from workers.sources.limits import run_within
from workers.sources.sessions.base import Opening

TIMEOUT_S = 1.0
LIMIT_S = 1.0
"""Wanted: the seconds past the limit at most."""


@contextmanager
def _shop(kind: SourceKind, folder: Path) -> Generator[Shop]:
    if kind is SourceKind.DUCKDB:
        with duckdb_shop(folder) as shop:
            yield shop
    elif kind is SourceKind.SQLITE:
        with sqlite_shop(folder) as shop:
            yield shop
    elif kind is SourceKind.POSTGRES:
        with Servers(folder) as servers, postgres_shop(servers) as shop:
            yield shop
    else:
        with mariadb.MariaDB() as server, mariadb_shop(server) as shop:
            yield shop


def measure(shop: Shop) -> tuple[float, float]:
    """Seconds past the limit until the refusal, and until nothing runs any more."""
    statement = ENDLESS[shop.kind]
    with shop.engine.open(Opening(timeout_s=TIMEOUT_S)) as session:
        started = time.perf_counter()
        with suppress(StatementRefused):
            run_within(session, statement, {}, SourceLimits(timeout_s=TIMEOUT_S))
            raise SystemExit(f"{shop.kind}: the statement ended by itself")
        refused = time.perf_counter() - started
    while shop.runs_still(statement):
        time.sleep(0.005)
    return refused - TIMEOUT_S, time.perf_counter() - started - TIMEOUT_S


def main() -> int:
    """The exit code: 0 when every statement was gone within the limit."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.runaway")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures: dict[str, float] = {}
    kinds = [kind for kind in ENDLESS if kind is not SourceKind.MYSQL or mariadb.why_not() is None]
    for kind in kinds:
        with tempfile.TemporaryDirectory(prefix="runaway-") as folder, _shop(kind, Path(folder)) as shop:
            found = [measure(shop) for _ in range(options.rounds)]
        figures[f"{kind}_refused_s"] = max(refused for refused, _ in found)
        figures[f"{kind}_gone_s"] = max(gone for _, gone in found)
    print(machine())
    for name, value in figures.items():
        print(f"{name:20} {value:8.3f}")
    if options.json:
        options.json.write_text(json.dumps({"figures": figures}, indent=1))
    return 0 if max(figures.values()) <= LIMIT_S else 1


if __name__ == "__main__":
    sys.exit(main())
