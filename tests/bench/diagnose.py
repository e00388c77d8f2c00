"""How long the diagnoser's step takes on a history of N tickets, its queries included: `python -m tests.bench.diagnose [N ...]`.

A step is `gather_evidence` and `next_move`. Incidents are held-out tickets of the same kind, in English and Chinese, each
told once: the first turn by its description, the next ones with an answer and an observation. `warm` has worked on ten
other incidents and then read the history ahead, as a retriever does by itself within seconds of its first step; `used` has
worked on these ten and read nothing ahead; `cold` has forgotten all that the process keeps of the history. Beside it, in the
same run, an exact scan: every vector compared, no index.
"""

import argparse
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import Ticket, TicketEvidence
from tests.bench.tickets import synthetic
from workers.app.garbage import settle, tidy
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.kinds.diagnose.rules import next_move, search_terms
from workers.llm import Embedder, load_embedder
from workers.local.postgres import EmbeddedPostgres
from workers.telemetry import configure_logging
from workers.tickets import gather_evidence, import_tickets
from workers.tickets.ahead import read_ahead
from workers.tickets.kept import forget

TARGET_MS = 50.0
"""95th percentile of a warm step on 10,000 tickets with vectors."""

SIZES = (10_000,)
INCIDENTS = 40
"""Per language."""
_TURNS = 3
_ANSWERS = ("1 yes 2 no 3 don't know", "1确认 2否定 3不清楚")

Samples = dict[str, list[float]]
"""What was timed → milliseconds."""


def measure(db: Database, embedder: Embedder | None, incidents: Sequence[tuple[str, Ticket]], *, cold: bool) -> Samples:
    """Every turn of every incident, timed."""
    found: Samples = defaultdict(list)
    for lang, ticket in incidents:
        for turn, gather_ms, engine_ms in _dialogue(db, embedder, ticket, chinese=lang == "zh", cold=cold):
            kind = f"{lang} {'first turn' if turn == 0 else 'next turns'}"
            for name in (kind, "all"):
                found[f"{name}|gather"].append(gather_ms)
                found[f"{name}|engine"].append(engine_ms)
                found[f"{name}|both"].append(gather_ms + engine_ms)
    return found


def _dialogue(db: Database, embedder: Embedder | None, ticket: Ticket, *, chinese: bool, cold: bool) -> Iterator[tuple[int, float, float]]:
    request = DiagnoseRequest(description=ticket.description)
    dialogue: list[tuple[PhenomenonQuestion, str]] = []
    for turn in range(_TURNS):
        # In the fleet two processes read each answer. Here a space keeps what the first has read from the second.
        heard = [(question, answer + " ") for question, answer in dialogue]
        if cold:
            forget(db)
        tidy()  # as a worker does between two steps
        start = time.perf_counter()
        evidence: TicketEvidence = gather_evidence(db, embedder, request.description, *search_terms(heard))
        gathered = time.perf_counter()
        move = next_move(request, evidence, dialogue)
        yield turn, (gathered - start) * 1000, (time.perf_counter() - gathered) * 1000
        if isinstance(move, Diagnosis):
            return
        dialogue.append((move, f"{_ANSWERS[chinese]}, {ticket.anomalies[turn % len(ticket.anomalies)].description}"))


def _ahead(db: Database, model: str | None) -> str:
    """Read the whole history ahead; how long it took, and the memory."""
    before, start, slices = _resident_mb(), time.perf_counter(), 0
    while read_ahead(db, model):
        slices += 1
    return f"history read ahead in {slices} slices, {time.perf_counter() - start:.1f} s, {_resident_mb() - before:+.0f} MB"


def _resident_mb() -> float:
    return psutil.Process().memory_info().rss / 1e6


def exact_scan(db: Database, embedder: Embedder, texts: Sequence[str]) -> list[float]:
    """Milliseconds of comparing every vector of the history, ticket or phenomenon, with one text's; the best 100."""
    times: list[float] = []
    with db.session() as connection, connection.transaction():
        connection.execute("SELECT set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true)")
        for text in texts:
            start = time.perf_counter()
            vector = "[" + ",".join(map(str, embedder.embed([text])[0].tolist())) + "]"
            connection.execute(
                """
                SELECT owner_id FROM embeddings WHERE model = %(model)s
                ORDER BY vector <=> %(vector)s::vector LIMIT 100
                """,
                {"model": embedder.model, "vector": vector},
            ).fetchall()
            times.append((time.perf_counter() - start) * 1000)
    return times


def held_out(count: int = INCIDENTS, seed: int = 11) -> list[tuple[str, Ticket]]:
    """Incidents that are not in the history, half of them Chinese, told in turns: they are not sorted by language."""
    found: dict[str, list[Ticket]] = {"en": [], "zh": []}
    for _, ticket in synthetic(10 * count, seed=seed):
        found["en" if ticket.description.isascii() else "zh"].append(ticket)
    return [pair for pairs in zip(*([(lang, t) for t in of[:count]] for lang, of in found.items()), strict=True) for pair in pairs]


def summary(values: Sequence[float]) -> str:
    """Median and 95th percentile."""
    return f"{statistics.median(values):7.1f} {percentile(values):7.1f}"


def percentile(values: Sequence[float]) -> float:
    """The 95th."""
    return statistics.quantiles(values, n=20)[18]


def run(count: int) -> bool:
    """One size, printed; whether the target is met."""
    with tempfile.TemporaryDirectory(prefix="bullpen-bench-") as folder, EmbeddedPostgres(Path(folder) / "postgres") as server:
        db = Database(server.url)
        migrate(db)
        embedder = load_embedder("wordllama")
        assert embedder is not None
        start = time.perf_counter()
        import_tickets(db, embedder, synthetic(count))
        print(f"{count} tickets, imported in {time.perf_counter() - start:.1f} s; milliseconds, p50 and p95")
        print(f"{'':28} {'gather':>15} {'engine':>15} {'both':>15}")
        incidents = held_out()
        worst = 0.0
        for name, model in (("vectors", embedder), ("words", None)):
            for state in ("used", "warm", "cold"):
                forget(db)
                measure(db, model, held_out(5, seed=12), cold=False)
                if state == "warm":
                    print(_ahead(db, embedder.model if model else None))
                samples = measure(db, model, incidents, cold=state == "cold")
                for kind in dict.fromkeys(key.split("|")[0] for key in samples):
                    columns = " ".join(summary(samples[f"{kind}|{part}"]) for part in ("gather", "engine", "both"))
                    print(f"{name:8}{state:6}{kind:14} {columns}")
                if (name, state) == ("vectors", "warm"):
                    worst = percentile(samples["all|both"])
        print(f"{'exact scan':28} {summary(exact_scan(db, embedder, [ticket.description for _, ticket in incidents]))}")
        db.close()
    if count != SIZES[0]:
        return True
    met = worst <= TARGET_MS
    print(f"{'pass' if met else 'FAIL'}  diagnoser's step on {count} tickets: p95 {worst:.1f} ms, at most {TARGET_MS:.0f}")
    return met


def main() -> int:
    """The exit code: 0 when the target is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.diagnose", description=__doc__)
    parser.add_argument("counts", nargs="*", type=int, default=list(SIZES), help="tickets in the history")
    configure_logging("console", "warning")
    settle()  # as a worker does
    met = [run(count) for count in parser.parse_args().counts]
    return 0 if all(met) else 1


if __name__ == "__main__":
    raise SystemExit(main())
