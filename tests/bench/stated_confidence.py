"""How the confidence of a diagnosis is calibrated: `python -m tests.bench.stated_confidence`. Starts its own Postgres.

Dialogues are played as `bullpen eval diagnose` plays them (reworded openings with a user who is unsure in 30 % and wrong in 5 % of the
answers; incidents with facts), and reworded openings again with every ticket of their cause left out. At every turn the posterior is kept,
with the right answer. A sharpness and an offset of `none of them` are then chosen on a grid by the weighted mean of log P(right): each set
counts as much as each other, and the cases without their cause `ABSENT` of it. They are chosen on one half of the tickets and used on the
other, and the other way round; the table is of the half that was not fitted, and of the states in which a dialogue ended.

The likelihoods of answers and the weights of the opening are the product's; the latter are fitted by tests/bench/opening_weights.py.
"""

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.tickets import Ticket, TicketEvidence
from tests.bench.opening_weights import ABSENT, Floats, half_of_key, openings_of, pairs_of, read_all_tickets
from workers.evaluation.bench import EmbeddedBench, embedded_bench
from workers.kinds.diagnose.evaluation.cases import Case, make_cases, reworded, without_causes
from workers.kinds.diagnose.evaluation.incidents import read_incidents
from workers.kinds.diagnose.evaluation.play import Dialogue, History, play
from workers.kinds.diagnose.evaluation.user import SimulatedUser, User
from workers.kinds.diagnose.rules.differential.case import CaseState
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.rules.profiles import DIFFERENTIAL
from workers.kinds.diagnose.samples import mixed_history_path
from workers.settings import Settings
from workers.telemetry import configure_logging

SHARPNESSES = tuple(round(0.8 + 0.1 * step, 1) for step in range(13))
OFFSETS = tuple(round(-2 + 0.25 * step, 2) for step in range(13))
_ABSENT_EVERY = 4
_BINS = ((0.0, 0.25), (0.25, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01))


@dataclass(frozen=True)
class State:
    """What was believed at one turn."""

    group: str
    key: str
    chances: Floats
    """Of each cause, the likeliest first, and of `none of them` at the end."""
    right: tuple[int, ...]
    """Places of the right cause; none: `none of them` is right."""
    is_known: bool
    is_last: bool = False


def main() -> None:
    """Play, fit, and print what holds on the other halves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("BULLPEN_EVAL_DATA", "../shared/data")))
    data: Path = parser.parse_args().data
    configure_logging("console", "warning")
    with embedded_bench(Settings(), lambda what, total: nullcontext(lambda done: None), print) as bench:
        states = [*_reworded(bench, data), *_with_facts(bench, data)]
    print(f"{len(states)} states of {sum(state.is_last for state in states)} dialogues")
    fits = {half: fit([state for state in states if half_of_key(state.key) != half]) for half in (0, 1)}
    print("fitted on each half:", fits[1], fits[0], "on all:", fit(states))
    for name, chosen in (("as they are", None), ("held out", fits)):
        _show(name, states, chosen)


def _reworded(bench: EmbeddedBench, data: Path) -> Iterator[State]:
    pairs = pairs_of(data)
    for group, name, language in (("zh", "zh", "zh"), ("en", "en", "en"), ("en on zh", "en_zh", "zh")):
        tickets = read_all_tickets([data / "db_incidents" / f"tickets_{language}.jsonl"])
        history = History(bench.empty_database(f"said_{name}"), bench.embedder, tickets)
        evaluation = reworded(make_cases(tickets), openings_of(name))
        absent = without_causes(evaluation).cases
        for case in (*evaluation.cases, *absent[:: 1 if len(absent) < 40 else _ABSENT_EVERY]):
            user = SimulatedUser(case.ticket, unsure=0.3, err=0.05, opening=case.opening)
            yield from _states(group, pairs.get(case.ticket.ticket_id, case.ticket.ticket_id), case, history, user)


def _with_facts(bench: EmbeddedBench, data: Path) -> Iterator[State]:
    for group, folder in (("mixed", data / "mixed_history"), ("ships", mixed_history_path())):
        tickets: list[Ticket] = read_all_tickets([*sorted(folder.glob("*.csv")), folder / "tickets.jsonl"])
        history = History(bench.empty_database(f"said_{group}"), bench.embedder, tickets)
        given = read_incidents(folder, tickets)
        users = given.users()
        for case in given.evaluation.cases:
            yield from _states(group, case.ticket.ticket_id, case, history, users[case.ticket.ticket_id])


def _states(group: str, key: str, case: Case, history: History, user: User) -> Iterator[State]:
    kept: list[State] = []

    def recording(request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue) -> Diagnosis | PhenomenonQuestion:
        posterior = CaseState(request, evidence, dialogue, DIFFERENTIAL).posterior
        chances = np.array([*(found.confidence for found in posterior.hypotheses), posterior.none])
        right = tuple(at for at, found in enumerate(posterior.hypotheses) if found.cause_id in case.right_causes)
        kept.append(State(group, key, chances.clip(1e-12), right, bool(case.right_causes)))
        return move(request, evidence, dialogue, method=DiagnosisMethod.DIFFERENTIAL)

    play(case, history, recording, user, max_turns=5)
    yield from kept[:-1]
    yield replace(kept[-1], is_last=True)


def fit(states: Sequence[State]) -> tuple[float, float]:
    """Sharpness and offset of `none of them`."""
    shares = _shares(states)

    def likelihood(chosen: tuple[float, float]) -> float:
        return sum(share * _log_right(state, chosen) for share, state in zip(shares, states, strict=True))

    return max(product(SHARPNESSES, OFFSETS), key=likelihood)


def _shares(states: Sequence[State]) -> list[float]:
    counts = Counter((state.group, state.is_known) for state in states)
    return [((1 - ABSENT) if state.is_known else ABSENT) / counts[state.group, state.is_known] for state in states]


def _calibrated(state: State, chosen: tuple[float, float]) -> Floats:
    sharpness, offset = chosen
    parts = state.chances**sharpness
    parts[-1] *= np.exp(offset)
    return parts / parts.sum()


def _log_right(state: State, chosen: tuple[float, float]) -> float:
    chances = _calibrated(state, chosen)
    if state.is_known and not state.right:
        return 0.0
    return float(np.log(chances[list(state.right) if state.is_known else [-1]].sum()))


def _show(name: str, states: Sequence[State], fits: dict[int, tuple[float, float]] | None) -> None:
    rows: list[tuple[float, bool, float, bool]] = []
    for share, state in zip(_shares(states), states, strict=True):
        if state.is_last and len(state.chances) > 1:
            chances = _calibrated(state, fits[half_of_key(state.key)] if fits else (1.0, 0.0))
            rows.append((float(chances[:-1].max()), int(chances[:-1].argmax()) in state.right, share, state.is_known))
    print(name)
    for low, high in _BINS:
        held = [row for row in rows if low <= row[0] < high]
        if held:
            right = sum(share for _, is_right, share, _ in held if is_right) / sum(share for _, _, share, _ in held)
            known = [row for row in held if row[3]]
            counts = f"{sum(row[1] for row in known)} of {len(known)} known causes, {len(held) - len(known)} new ones"
            print(f"  said {low:.2f} to {min(high, 1):.2f}: right {right:.2f} ({counts})")


if __name__ == "__main__":
    main()
