"""How the weights of a diagnosis' opening are found: `python -m tests.bench.opening_weights`. Starts its own Postgres.

The cases: reworded openings of database tickets (tests/bench/openings: Chinese, English, and English on Chinese tickets) and incidents over
several systems (`mixed_history` of `BULLPEN_EVAL_DATA`, and the history that ships). Each is weighed twice: with its cause in the evidence,
where that is right, and without it, where `none of them` is right.

Nothing is reported of a case that was fitted. Tickets, with their translations, are split in two by a hash of their id; the weights are
fitted on one half and used on the other, and the other way round, for several splits. The last line has the weights over all cases, which
the product has, rounded (workers/kinds/diagnose/rules/differential/opening.py).

The fit: the weighted mean of log P(right), P by a softmax over the causes and `none of them` on their scores; each set counts as much as
each other, and the cases without their cause `ABSENT` of it; a small L2 penalty; no likeness counts against a cause. The function is nearly
concave, and L-BFGS is not needed for a dozen weights: Adam with a falling step.
"""

import argparse
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from contracts.tickets import Ticket, TicketEvidence
from workers.engines.language import language_of
from workers.evaluation.bench import EmbeddedBench, embedded_bench
from workers.kinds.diagnose.evaluation.cases import Case, make_cases, reworded
from workers.kinds.diagnose.evaluation.incidents import read_incidents
from workers.kinds.diagnose.evaluation.play import History
from workers.kinds.diagnose.rules.differential.merged import merged
from workers.kinds.diagnose.rules.differential.opening import Likenesses, likenesses, novelty
from workers.kinds.diagnose.rules.differential.systems import read_systems, system_of_incident
from workers.kinds.diagnose.rules.posterior import priors_of
from workers.kinds.diagnose.rules.profiles import DIFFERENTIAL
from workers.kinds.diagnose.samples import mixed_history_path
from workers.settings import Settings
from workers.telemetry import configure_logging
from workers.tickets import read_tickets

ABSENT = 0.2
"""The part of a set that its cases without their cause count: of the incidents written for the two histories 20 of 106 have a new cause."""
PENALTY = 0.005
"""L2, per squared nat; the constant of `none of them` is free of it."""
SPLITS = ("", "b", "c", "d")
_STEPS = 800
_OPENINGS = Path(__file__).parent / "openings"
_SURE = 0.7

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One opening, with its cause in the evidence or without."""

    group: str
    key: str
    """The same for a ticket and its translation."""
    near: Floats
    """Likenesses, shape (causes, kinds)."""
    start: Floats
    """Log prior and what is known of the system, of each cause and of `none of them` at the end."""
    novelty: float
    right: tuple[int, ...]
    """Places of the right cause; none: `none of them` is right."""


def main() -> None:
    """Fit, and print what holds on the other halves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("BULLPEN_EVAL_DATA", "../shared/data")))
    data: Path = parser.parse_args().data
    configure_logging("console", "warning")
    with embedded_bench(Settings(), lambda what, total: nullcontext(lambda done: None), print) as bench:
        rows = [row for group, key, case, evidence in _cases(bench, data) for row in _rows(group, key, case, evidence)]
    print(f"{len(rows)} openings, {sum(not row.right for row in rows)} of them without their cause")
    for name, held in (("all", rows), *((group, [row for row in rows if row.group == group]) for group in sorted({r.group for r in rows}))):
        print(f"{name:12s} {_held_out(rows, held)}")
    print("weights over all:", _named(fit(rows)))


def _cases(bench: EmbeddedBench, data: Path) -> Iterator[tuple[str, str, Case, TicketEvidence]]:
    """Each case with its set, its key and what the retriever finds at the first turn."""
    pairs = pairs_of(data)
    for group, name, language in (("zh", "zh", "zh"), ("en", "en", "en"), ("en on zh", "en_zh", "zh")):
        tickets = read_all_tickets([data / "db_incidents" / f"tickets_{language}.jsonl"])
        history = History(bench.empty_database(f"history_{name}"), bench.embedder, tickets)
        for case in reworded(make_cases(tickets), openings_of(name)).cases:
            yield group, pairs.get(case.ticket.ticket_id, case.ticket.ticket_id), case, history.evidence(case.opening, [])
    for group, folder in (("mixed", data / "mixed_history"), ("ships", mixed_history_path())):
        tickets = read_all_tickets([*sorted(folder.glob("*.csv")), folder / "tickets.jsonl"])
        history = History(bench.empty_database(f"history_{group}"), bench.embedder, tickets)
        for case in read_incidents(folder, tickets).evaluation.cases:
            yield group, case.ticket.ticket_id, case, history.evidence(case.opening, [])


def pairs_of(data: Path) -> dict[str, str]:
    """English ticket → the Chinese one that it translates."""
    lines = (data / "db_incidents" / "tickets_en.jsonl").read_text("utf-8").splitlines()
    return {str(row["id"]): str(row["pair_zh"]) for row in map(json.loads, lines) if row.get("pair_zh")}


def openings_of(name: str) -> list[tuple[str, str]]:
    """Ticket and opening, of one file of reworded openings."""
    rows = [json.loads(line) for line in (_OPENINGS / f"{name}.jsonl").read_text("utf-8").splitlines() if line.strip()]
    return [(str(row["ticket_id"]), str(row["opening"])) for row in rows]


def read_all_tickets(paths: Sequence[Path]) -> list[Ticket]:
    """The tickets of these files, each id once."""
    found = (item for path in paths for _, item in read_tickets(path))
    return list({item.ticket_id: item for item in found if isinstance(item, Ticket)}.values())


def _rows(group: str, key: str, case: Case, evidence: TicketEvidence) -> Iterator[Row]:
    yield _row(group, key, case.opening, evidence, case.right_causes)
    if case.right_causes:
        yield _row(group, key, case.opening, _without(evidence, case.right_causes), frozenset())


def _without(evidence: TicketEvidence, gone: frozenset[str]) -> TicketEvidence:
    """The evidence as if the history had no ticket of these causes."""
    cards = ((card, {cause: count for cause, count in card.cause_tickets.items() if cause not in gone}) for card in evidence.phenomena)
    return evidence.model_copy(
        update={
            "causes": tuple(cause for cause in evidence.causes if cause.cause_id not in gone),
            "tickets": tuple(ticket for ticket in evidence.tickets if ticket.cause_id not in gone),
            "phenomena": tuple(card.model_copy(update={"cause_tickets": left, "cause_count": len(left)}) for card, left in cards if left),
            "same_causes": tuple(pair for pair in evidence.same_causes if gone.isdisjoint(pair)),
            "total_causes": evidence.total_causes - len(gone),
        }
    )


def _row(group: str, key: str, opening: str, evidence: TicketEvidence, right: frozenset[str]) -> Row:
    evidence, _ = merged(evidence, DIFFERENTIAL, language_of(opening))
    near = likenesses(evidence, opening)
    systems = read_systems(evidence)
    known = systems.weigh(system_of_incident(systems, evidence, [opening]), evidence)
    start = np.log(priors_of(evidence.causes, DIFFERENTIAL)) + np.array(known)
    ids = [cause.cause_id for cause in evidence.causes]
    places = tuple(at for at, cause in enumerate(ids) if cause in right)
    return Row(group, key, np.array([near[cause] for cause in ids]), start, novelty(evidence, opening), places)


def fit(rows: Sequence[Row]) -> Floats:
    """The weights: of each likeness, of `none of them`, and of novelty."""
    counts: defaultdict[tuple[str, bool], int] = defaultdict(int)
    for row in rows:
        counts[row.group, bool(row.right)] += 1
    shares = [(1 - ABSENT if row.right else ABSENT) / counts[row.group, bool(row.right)] for row in rows]
    kinds = len(Likenesses._fields)
    weights, mean, square = np.ones(kinds + 2), np.zeros(kinds + 2), np.zeros(kinds + 2)
    penalised = np.array([1.0] * kinds + [0.0, 1.0])
    for step in range(1, _STEPS + 1):
        slope = 2 * PENALTY * penalised * weights - sum(share * _slope(weights, row) for share, row in zip(shares, rows, strict=True))
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        pace = 0.3 * (1 - step / (_STEPS + 1))
        weights = weights - pace * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
        weights[:kinds] = weights[:kinds].clip(min=0.0)
    return weights


def _chances(weights: Floats, row: Row) -> Floats:
    kinds = len(Likenesses._fields)
    scores = row.start + np.append(row.near @ weights[:kinds], weights[kinds] + weights[kinds + 1] * row.novelty)
    chances = np.exp(scores - scores.max())
    return chances / chances.sum()


def _slope(weights: Floats, row: Row) -> Floats:
    """Of log P(right)."""
    chances = _chances(weights, row)
    wanted = np.zeros_like(chances)
    places = list(row.right or (len(chances) - 1,))
    wanted[places] = chances[places] / max(float(chances[places].sum()), 1e-12)
    away = wanted - chances
    return np.concatenate([away[:-1] @ row.near, [away[-1], away[-1] * row.novelty]])


def half_of_key(key: str, split: str = "") -> int:
    """The half of a ticket, for one split."""
    return int(hashlib.sha256(f"{split}{key}".encode()).hexdigest(), 16) % 2


_FITS: dict[tuple[str, int], Floats] = {}


def _held_out(rows: Sequence[Row], shown: Sequence[Row]) -> str:
    """What weights that did not see these openings make of them."""
    logs: list[float] = []
    known: list[tuple[float, bool]] = []
    strange: list[float] = []
    for split in SPLITS:
        for row in shown:
            half = half_of_key(row.key, split)
            if (split, half) not in _FITS:
                _FITS[split, half] = fit([other for other in rows if half_of_key(other.key, split) != half])
            chances = _chances(_FITS[split, half], row)
            best = int(chances[:-1].argmax())
            if row.right:
                logs.append(float(-np.log(max(float(chances[list(row.right)].sum()), 1e-12))))
                known.append((float(chances[best]), best in row.right))
            else:
                strange.append(float(chances[best]))
    sure = [right for chance, right in known if chance >= _SURE]
    nearly = [right for chance, right in known if _SURE <= chance < 0.9]
    named = sum(chance >= _SURE for chance in strange)
    return (
        f"first right {np.mean([right for _, right in known]):.3f}  nats {np.mean(logs):.2f}  "
        f"right at 0.7 and more {sum(sure)} of {len(sure)}, at 0.7 to 0.9 {sum(nearly)} of {len(nearly)}  "
        f"without its cause at 0.7 and more {named} of {len(strange)}"
    )


def _named(weights: Floats) -> dict[str, float]:
    return {name: round(float(value), 2) for name, value in zip((*Likenesses._fields, "none", "novelty"), weights, strict=True)}


if __name__ == "__main__":
    main()
