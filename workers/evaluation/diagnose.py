"""`bullpen eval diagnose`: every method on every case, beside the baselines, over a Postgres of its own."""

import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from contracts.base import Contract
from contracts.diagnose.request import DiagnosisMethod, DiagnosisProfile
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.evaluation.baselines import baselines_of
from workers.evaluation.by_model import ByModel
from workers.evaluation.cases import Evaluation, cause_of
from workers.evaluation.figures import BaselineFigures, MethodFigures, figures_of
from workers.evaluation.play import History, Mover, Played, play
from workers.evaluation.user import SimulatedUser
from workers.kinds.diagnose.rules import move
from workers.kinds.diagnose.rules.rar import Consult, answer
from workers.llm import Embedder
from workers.llm.chat import Chat
from workers.local.postgres import EmbeddedPostgres


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the cases are played."""

    max_turns: int = 5
    withhold: bool = False
    """The description of a ticket that stays in the history is taken out of it."""
    overlook: float = 0.0
    """The chance that the user denies a phenomenon which is there."""
    rounds: int = 1
    """Times that each case is played, each time with another seed of the user's."""


class EvaluationReport(Contract):
    """What an evaluation found."""

    tickets: int
    cases: int
    left_out: int
    """Cases whose ticket was left out of the history; the others' stays, for its cause has no other."""
    dropped: int
    """Tickets that are no cases: without a symptom group that the history has, or without the opening."""
    unread: int = 0
    """Rows of the files that are no tickets, or come again."""
    histories: int
    causes: int
    """Causes to be told apart, over all histories."""
    chance: float
    """What guessing among the causes of a case's history would get; nothing where the right one is not among them."""
    methods: tuple[MethodFigures, ...]
    baselines: tuple[BaselineFigures, ...]


Contestant = tuple[DiagnosisMethod, DiagnosisProfile]

ALL: tuple[Contestant, ...] = (
    (DiagnosisMethod.GAR, DiagnosisProfile.OURS),
    (DiagnosisMethod.GAR, DiagnosisProfile.SEED),
    (DiagnosisMethod.RAR, DiagnosisProfile.OURS),
    (DiagnosisMethod.HYBRID, DiagnosisProfile.OURS),
    (DiagnosisMethod.HYBRID, DiagnosisProfile.SEED),
)
"""Every method with every profile; RAR has none."""


def evaluate(
    evaluation: Evaluation,
    contestants: Sequence[Contestant],
    embedder: Embedder | None,
    conditions: Conditions,
    *,
    progress: Callable[[int], None] = lambda done: None,
    keep: Callable[[str, Played], None] = lambda name, played: None,
    open_chat: Callable[[Database], Chat] | None = None,
) -> EvaluationReport:
    """Play every case with every contestant. `progress` is told the dialogues done, `keep` gets each one. `open_chat`:
    a talk with the model that RAR and the hybrid consult, its rate limit kept in that database; by default they go by the vote.

    Starts an embedded Postgres and stops it. Raises `ConfigurationError` where the packages for that are missing.
    """
    methods: list[MethodFigures] = []
    done = 0
    with _histories(evaluation, embedder) as histories:
        for method, profile in contestants:
            name = name_of(method, profile)
            model = None if open_chat is None else ByModel(open_chat(histories[evaluation.cases[0].history].database))
            played: list[Played] = []
            for case in evaluation.cases:
                for seed in range(conditions.rounds):
                    user = SimulatedUser(case.ticket, overlook=conditions.overlook, seed=seed)
                    made = play(
                        case,
                        histories[case.history],
                        _mover(method, profile, model or answer),
                        user,
                        max_turns=conditions.max_turns,
                        withhold=conditions.withhold,
                    )
                    played.append(made)
                    keep(name, made)
                    done += 1
                    progress(done)
            methods.append(figures_of(name, played, model))
    causes = {key: {cause_of(ticket) for ticket in tickets} for key, tickets in evaluation.histories.items()}
    guessed = (1 / len(causes[case.history]) for case in evaluation.cases if case.cause_id in causes[case.history])
    return EvaluationReport(
        tickets=sum(len(tickets) for tickets in evaluation.histories.values()),
        cases=len(evaluation.cases),
        left_out=sum(case.left_out for case in evaluation.cases),
        dropped=evaluation.dropped,
        histories=len(evaluation.histories),
        causes=sum(len(found) for found in causes.values()),
        chance=round(sum(guessed) / len(evaluation.cases), 4),
        methods=tuple(methods),
        baselines=baselines_of(evaluation, withhold=conditions.withhold),
    )


def name_of(method: DiagnosisMethod, profile: DiagnosisProfile) -> str:
    """How a contestant is called in tables."""
    return method.value if method is DiagnosisMethod.RAR else f"{method}/{profile}"


def _mover(method: DiagnosisMethod, profile: DiagnosisProfile, consult: Consult) -> Mover:
    return lambda request, evidence, dialogue: move(request, evidence, dialogue, method=method, profile=profile, consult=consult)


@contextmanager
def _histories(evaluation: Evaluation, embedder: Embedder | None) -> Generator[dict[str, History], None, None]:
    """Each history in a database of its own, on an embedded server that ends with this."""
    with tempfile.TemporaryDirectory() as folder, EmbeddedPostgres(Path(folder) / "postgres") as server:
        databases: list[Database] = []
        histories: dict[str, History] = {}
        try:
            for number, (key, tickets) in enumerate(sorted(evaluation.histories.items())):
                databases.append(_database(server.url, f"history_{number}"))
                histories[key] = History(databases[-1], embedder, tickets)
            yield histories
        finally:
            for database in databases:
                database.close()


def _database(url: str, name: str) -> Database:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    database = Database(url.rsplit("/", 1)[0] + "/" + name)
    migrate(database)
    return database
