"""The bench: `python -m tests.bench [--rounds 5] [--jobs 150] [--only inline,chain] [--json FILE] [--beside FOLDER]`.

Every contestant runs jobs of six steps that hand on documents of 2 KB, on the same two servers, one after the other in a changing order;
the others' processes are frozen meanwhile. The steps of ours are of six roles. Figures are medians over the rounds; ratios are medians of
the ratios in the same round. Logs are at `warning` for all.

`--layout`: `one` process for all roles and the coordinator, as `bullpen up` starts it; `halves`, two processes with three roles each and a
coordinator; `roles`, a process a role and a coordinator.

There are two chains of Celery. `chain as started` is what `celery worker --concurrency 2` starts: its default pool, no task events; targets
refer to it. `celery chain` has our pool, layout and task events, which are consumed as Flower consumes them. LangGraph runs its graph in
the processes of its callers, two. So does DBOS, which needs a Python of its own: `--dbos-python` or `BENCH_DBOS_PYTHON` (see
tests/bench/dbos_workflow.py). `--work-ms 20 --threads 16`: steps that wait.

At the end, on a server of its own: the diagnoser's step on 10,000 tickets (`--only diagnose`; see tests/bench/diagnose.py); and the
what-if replay against the kept runs of its pairs (`--only whatif`; see tests/bench/spark_pairs); and each reading on 100,000 jobs, with
what starting a command costs (`--only reading`; see tests/bench/reading.py).
"""

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.bench import diagnose, reading
from tests.bench.chain import Chain, like_ours, plain
from tests.bench.dbos_workflow import dbos_workflow
from tests.bench.fleet import LAYOUTS, Fleet
from tests.bench.floor import floor
from tests.bench.langgraph_saver import langgraph_saver
from tests.bench.load import DOCUMENT_BYTES, WORK_MS
from tests.bench.measure import Contestant, Meter, Round, Servers, machine, median, percentile
from tests.bench.spark_pairs import prediction
from workers.local.postgres import EmbeddedPostgres
from workers.local.valkey import EmbeddedValkey
from workers.telemetry import configure_logging

COORDINATOR, INLINE, CHAIN, PLAIN = "ours, coordinator", "ours, inline", "celery chain", "chain as started"
DIAGNOSE, WHATIF, READING = "diagnose", "whatif", "reading"

LANGGRAPH = "langgraph, postgres"

TARGETS = (
    (INLINE, "cpu", PLAIN, "at most", 1.0),
    (INLINE, "throughput", PLAIN, "at least", 1.0),
    (INLINE, "idle p50", PLAIN, "at most", 1.3),
    (INLINE, "throughput", LANGGRAPH, "at least", 1.0),
    (COORDINATOR, "cpu", PLAIN, "at most", 1.4),
    (COORDINATOR, "idle p50", PLAIN, "at most", 1.6),
)
"""Ratios to another contestant in the same round, in the layouts `one` and `halves`."""

ROLES_TARGETS = ((INLINE, "cpu", PLAIN, "at most", 1.3),)
"""The same where each role has a process."""

WAITING_TARGETS = ((INLINE, "cpu", PLAIN, "at most", 1.2), (COORDINATOR, "cpu", PLAIN, "at most", 1.5))
"""The same with steps that wait."""

PACKAGES = ("celery", "kombu", "redis", "psycopg", "sqlalchemy", "langgraph", "langgraph-checkpoint-postgres")


def main() -> int:
    """The exit code: 0 when every target that was measured is met."""
    options = _options()
    configure_logging("console", "warning")
    words = _words(options)
    met = _fleets(options) if not words or set(words) - {DIAGNOSE, WHATIF, READING} else 0
    if not words or DIAGNOSE in words:
        met |= 0 if diagnose.run(diagnose.SIZES[0]) else 1
    if not words or WHATIF in words:
        met |= prediction.run()
    if not words or READING in words:
        met |= reading.run()
    return met


def _fleets(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="bullpen-bench-") as folder:
        postgres, valkey = (
            EmbeddedPostgres(Path(folder, "postgres"), options={"max_connections": "600"}),
            EmbeddedValkey(Path(folder, "valkey"), durable=options.append_only),
        )
        postgres.start()
        valkey.start()
        try:
            servers = Servers(postgres.url, postgres.pid or 0, valkey.url, valkey.pid or 0)
            return _run(options, servers, Path(folder))
        finally:
            valkey.stop()
            postgres.stop()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=150, help="jobs of six steps in a burst")
    parser.add_argument("--samples", type=int, default=30, help="idle jobs a round, one at a time")
    parser.add_argument("--threads", type=int, default=4, help="of each worker process, but those of the chain as started")
    parser.add_argument("--document-bytes", type=int, default=2048, help="of the text that each step hands on")
    parser.add_argument("--work-ms", type=float, default=0.0, help="that each step waits, as for a model")
    parser.add_argument("--layout", default="one", choices=tuple(LAYOUTS), help="what each worker process serves")
    parser.add_argument("--append-only", action="store_true", help="Redis appends every command to a file")
    parser.add_argument(
        "--dbos-python",
        default=os.environ.get("BENCH_DBOS_PYTHON"),
        help="a Python with dbos, psutil and structlog; without it DBOS is left out",
    )
    parser.add_argument("--pool", default="threads", choices=("threads", "prefork", "solo"))
    parser.add_argument("--only", default="", help="words, comma-separated: contestants with one of them in their name")
    parser.add_argument("--beside", type=Path, action="append", default=[], help="a folder with another version of this code, run as well")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _words(options: argparse.Namespace) -> list[str]:
    return [word.strip() for word in options.only.split(",") if word.strip()]


def _contestants(options: argparse.Namespace, servers: Servers, folder: Path) -> list[Contestant]:
    threads, pool, layout = options.threads, options.pool, options.layout
    os.environ |= {DOCUMENT_BYTES: str(options.document_bytes), WORK_MS: str(options.work_ms)}
    found: list[Contestant] = [
        Chain(servers, folder, plain(), broker=0),
        Chain(servers, folder, like_ours(layout, pool, threads), broker=1),
        Fleet(servers, folder, advance="coordinator", broker=2, threads=threads, layout=layout, pool=pool),
        Fleet(servers, folder, advance="inline", broker=3, threads=threads, layout=layout, pool=pool),
        langgraph_saver(servers, folder, broker=4, threads=threads),
        floor(servers, folder, broker=5, threads=threads),
    ]
    if options.dbos_python:
        found.append(dbos_workflow(servers, folder, broker=4, threads=threads, python=options.dbos_python))
    for number, checkout in enumerate(options.beside):
        for advance, broker in (("coordinator", 6 + 2 * number), ("inline", 7 + 2 * number)):
            how: dict[str, Any] = {"threads": threads, "layout": layout, "pool": pool, "checkout": checkout.resolve()}
            found.append(Fleet(servers, folder, advance=advance, broker=broker, **how))
    words = _words(options)
    return [item for item in found if not words or any(word in item.name for word in words)]


def _run(options: argparse.Namespace, servers: Servers, folder: Path) -> int:
    facts = {**machine(), **{name: version(name) for name in PACKAGES}, "python": sys.version.split()[0]}
    with psycopg.connect(servers.postgres_url, autocommit=True) as admin:
        facts["postgres"] = admin.info.parameter_status("server_version") or ""
        contestants = _contestants(options, servers, folder)
        for name in [item.database for item in contestants if item.database]:
            admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    meter = Meter(servers)
    started: list[Contestant] = []
    rounds: dict[str, list[Round]] = {item.name: [] for item in contestants}
    try:
        for item in contestants:
            started.append(item)
            item.start()
            item.burst("warm-up", 20)
            item.check("warm-up", 20)
            item.freeze()
        for number in range(options.rounds):
            turn = number % len(contestants)
            for item in [*contestants[turn:], *contestants[:turn]]:
                rounds[item.name].append(_round(item, meter, number, options))
            _say(f"round {number + 1} of {options.rounds} done")
    finally:
        for item in started:
            item.end()
        meter.close()
    print(_table(rounds, options, facts))
    if options.json:
        raw = {name: [asdict(load) for load in measured] for name, measured in rounds.items()}
        options.json.write_text(json.dumps({"facts": facts, "options": vars(options), "rounds": raw}, default=str, indent=1))
    targets = WAITING_TARGETS if options.work_ms else ROLES_TARGETS if options.layout == "roles" else TARGETS
    verdicts = list(_verdicts(rounds, targets))
    for text, _ in verdicts:
        print(f"{text}, layout {options.layout}")
    return 0 if all(met for _, met in verdicts) else 1


def _round(item: Contestant, meter: Meter, number: int, options: argparse.Namespace) -> Round:
    item.thaw()
    time.sleep(0.2)
    item.burst(f"again-{number}", 4)
    tag = f"round-{number}"
    measured = meter.burst(item, tag, options.jobs)
    item.check(tag, options.jobs)
    for sample in range(options.samples + 2):
        took_s = item.once(f"idle-{number}")
        if sample >= 2:
            measured.latency_s.append(took_s)
        time.sleep(0.01)
    item.freeze()
    return measured


def _figures(measured: list[Round]) -> dict[str, float]:
    return {
        "jobs/s": median(load.jobs_per_s for load in measured),
        "cpu": median(load.cpu_s_per_1000 for load in measured),
        "p50": median(percentile(load.latency_s, 0.5) for load in measured) * 1000,
        "p95": median(percentile(load.latency_s, 0.95) for load in measured) * 1000,
        "commits": median(load.commits_per_step for load in measured),
        "wal": median(load.wal_bytes_per_step for load in measured),
        **{part: median(load.cpu_parts[part] for load in measured) for part in measured[0].cpu_parts},
    }


def ratios(measured: list[Round], other: list[Round]) -> dict[str, float]:
    """Medians of the ratios to another contestant in the same round."""
    pairs = list(zip(measured, other, strict=True))
    return {
        "throughput": median(a.jobs_per_s / b.jobs_per_s for a, b in pairs),
        "cpu": median(a.cpu_s_per_1000 / b.cpu_s_per_1000 for a, b in pairs),
        "idle p50": median(percentile(a.latency_s, 0.5) / percentile(b.latency_s, 0.5) for a, b in pairs),
    }


def _table(rounds: dict[str, list[Round]], options: argparse.Namespace, facts: dict[str, str]) -> str:
    head = (
        f"{'':20} {'jobs/s':>7} {'CPU s per':>10} {'of it':>8} {'':>8} {'':>6} {'':>6} {'idle ms':>8} {'':>6} {'commits':>8} {'WAL':>7}"
        f" {'ratio to chain as started':>26}\n"
        f"{'':20} {'':>7} {'1000 steps':>10} {'workers':>8} {'postgres':>8} {'redis':>6} {'bench':>6}"
        f" {'p50':>8} {'p95':>6} {'a step':>8} {'B/step':>7} {'jobs/s':>8} {'CPU':>7} {'p50':>7}"
    )
    lines = [f"{name} {value}" for name, value in facts.items()]
    lines = ["  ".join(lines[:5]), "  ".join(lines[5:])]
    lines.append(
        f"{options.rounds} interleaved rounds of {options.jobs} jobs x 6 steps, {options.samples} idle jobs each; pool {options.pool}, "
        f"{options.threads} a process; layout {options.layout}; documents of {options.document_bytes} B; "
        f"{options.work_ms:g} ms of work a step; "
        f"Postgres durable, Redis {'appends to a file' if options.append_only else 'in memory'}; logs at warning"
    )
    lines += ["", head]
    for name, measured in rounds.items():
        f = _figures(measured)
        line = (
            f"{name:20} {f['jobs/s']:7.1f} {f['cpu']:10.2f} {f['workers']:8.2f} {f['postgres']:8.2f} {f['redis']:6.2f} {f['bench']:6.2f}"
            f" {f['p50']:8.1f} {f['p95']:6.1f} {f['commits']:8.2f} {f['wal']:7.0f}"
        )
        if PLAIN in rounds:
            r = ratios(measured, rounds[PLAIN])
            line += f" {r['throughput']:8.2f} {r['cpu']:7.2f} {r['idle p50']:7.2f}"
        lines.append(line)
    return "\n".join([*lines, ""])


def _verdicts(rounds: dict[str, list[Round]], targets: Any) -> Any:
    for name, what, other, how, limit in targets:
        if name in rounds and other in rounds:
            value = ratios(rounds[name], rounds[other])[what]
            met = value <= limit if how == "at most" else value >= limit
            yield f"{'pass' if met else 'FAIL'}  {name}: {what} {value:.2f} of that of {other}, {how} {limit}", met


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
