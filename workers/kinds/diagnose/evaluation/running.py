"""`bullpen eval diagnose`: every method on every case, beside the baselines, over a Postgres of its own."""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod, DiagnosisProfile
from contracts.roles import RoleName
from contracts.statements import name, say
from contracts.tickets import Ticket, TicketEvidence, TicketProblem
from workers.errors import InvalidInput
from workers.kinds.base import Bench, EvaluationResult
from workers.kinds.diagnose.evaluation.baselines import baselines_of
from workers.kinds.diagnose.evaluation.by_model import ByModel
from workers.kinds.diagnose.evaluation.cases import Case, Evaluation, cause_of, make_cases, reworded, without_causes
from workers.kinds.diagnose.evaluation.figures import BaselineFigures, MethodFigures, figures_of, half_of, knowing_of
from workers.kinds.diagnose.evaluation.form import DiagnoseEvaluation, MethodChoice, Reasoner
from workers.kinds.diagnose.evaluation.incidents import read_incidents
from workers.kinds.diagnose.evaluation.play import History, Mover, Played, play
from workers.kinds.diagnose.evaluation.user import SimulatedUser, User
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.rules.rar import Consult, answer
from workers.kinds.diagnose.rules.turn import led_move
from workers.kinds.diagnose.samples import mixed_history_path
from workers.saying import text_of
from workers.tickets import read_tickets
from workers.tickets.table_files import Item


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the cases are played."""

    max_turns: int = 5
    withhold: bool = False
    """Whether the description of a ticket that stays in the history is removed from it."""
    overlook: float = 0.0
    """The chance that the user denies a phenomenon which is there."""
    unsure: float = 0.0
    """The chance that the user does not know."""
    err: float = 0.0
    """The chance that the user says the opposite."""
    rounds: int = 1
    """Times that each case is played, each time with another seed of the user's."""


class EvaluationReport(EvaluationResult):
    """What an evaluation found."""

    tickets: int
    cases: int
    left_out: int
    """Cases whose ticket was left out of the history; the others' stays, for its cause has no other."""
    dropped: int
    """Tickets that are not cases: without a symptom group that the history has, or without the opening."""
    unread: int = 0
    """Rows of the files that are not tickets, or that occur again."""
    histories: int
    causes: int
    """The number of causes to distinguish, over all histories."""
    chance: float
    """The accuracy of guessing among the causes of a case's history; 0 for a case whose cause is not among them."""
    methods: tuple[MethodFigures, ...]
    baselines: tuple[BaselineFigures, ...]


_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson")
_NO_TICKETS = ("incidents", "openings", "observations")
"""Names of files in a folder of tickets that hold something else."""

Contestant = tuple[DiagnosisMethod, DiagnosisProfile]

ALL: tuple[Contestant, ...] = (
    (DiagnosisMethod.DIFFERENTIAL, DiagnosisProfile.OURS),
    (DiagnosisMethod.GAR, DiagnosisProfile.OURS),
    (DiagnosisMethod.GAR, DiagnosisProfile.SEED),
    (DiagnosisMethod.RAR, DiagnosisProfile.OURS),
    (DiagnosisMethod.HYBRID, DiagnosisProfile.OURS),
    (DiagnosisMethod.HYBRID, DiagnosisProfile.SEED),
)
"""Every method with every profile; RAR has none."""


def run_evaluation(bench: Bench, form: DiagnoseEvaluation) -> EvaluationReport:
    """Read the files, play every case, and write the details. Raises `InvalidInput` for a file that cannot be used, and
    `ConfigurationError` for `--engine llm` without a model.

    A case hides one ticket. It is left out of the history where its cause has other tickets; else it stays. The user says the
    opening, then confirms a phenomenon when at least half of its character 3-grams occur in the hidden ticket's own phenomena; a
    question that names several at once, or has fewer than 6 characters, is denied.
    """
    history, unread = _read(form.tickets or mixed_history_path(), bench)
    incidents, unread_incidents = _read(form.cases, bench) if form.cases else (None, 0)
    make_users: Callable[[], Mapping[str, User]] = dict
    own = form.tickets is None and form.cases is None and form.openings is None
    if folder := form.incidents or (mixed_history_path() if own else None):
        given = read_incidents(folder, history)
        evaluation, make_users = given.evaluation, given.users
    else:
        evaluation = make_cases(history, incidents, by_group=form.by_group, opening=form.opening)
    if form.openings:
        evaluation = reworded(evaluation, _read_openings(form.openings))
    if form.absent:
        evaluation = without_causes(evaluation)
    if form.details:
        _write(form.details, "")
    contestants = ALL if form.method is MethodChoice.ALL else ((DiagnosisMethod(form.method.value), form.profile),)
    conditions = Conditions(
        max_turns=form.max_turns, withhold=form.withhold, overlook=form.overlook, unsure=form.unsure, err=form.err, rounds=form.rounds
    )
    lines: list[str] = []
    report = evaluate(
        evaluation,
        contestants,
        bench,
        conditions,
        keep=lambda name, played: lines.append(_line(name, played)),
        by_model=form.engine is Reasoner.LLM,
        make_users=make_users,
    )
    if form.details:
        _write(form.details, "\n".join(lines) + "\n")
    return report.model_copy(update={"unread": unread + unread_incidents})


def evaluate(
    evaluation: Evaluation,
    contestants: Sequence[Contestant],
    bench: Bench,
    conditions: Conditions,
    *,
    keep: Callable[[str, Played], None] = lambda name, played: None,
    by_model: bool = False,
    make_users: Callable[[], Mapping[str, User]] = dict,
) -> EvaluationReport:
    """Play every case with every contestant. `keep` gets each one. `make_users`: who answers, by the case's id; by default who knows the
    hidden ticket. `by_model`: RAR and the hybrid consult the model of the
    diagnoser; by default they go by the vote. Raises `ConfigurationError` when there is no such model."""
    methods: list[MethodFigures] = []
    halves: dict[str, float] = {}
    done = 0
    histories = _histories(evaluation, bench)
    with bench.progress("Dialogues", len(contestants) * len(evaluation.cases) * conditions.rounds) as progress:
        for method, profile in contestants:
            name = name_of(method, profile)
            database = histories[evaluation.cases[0].history].database
            model = ByModel(bench.open_chat(RoleName.DIAGNOSER, database)) if by_model else None
            played: list[Played] = []
            users = make_users()
            for case in evaluation.cases:
                for seed in range(conditions.rounds):
                    user = users.get(case.ticket.ticket_id) or _user(case, conditions, seed)
                    made = play(
                        case,
                        histories[case.history],
                        _mover(method, profile, model),
                        user,
                        max_turns=conditions.max_turns,
                        withhold=conditions.withhold,
                    )
                    played.append(made)
                    keep(name, made)
                    done += 1
                    progress(done)
            methods.append(figures_of(name, played, model))
            halves |= _halves(name, played)
    causes = {key: {cause_of(ticket) for ticket in tickets} for key, tickets in evaluation.histories.items()}
    guessed = (1 / len(causes[case.history]) for case in evaluation.cases if not case.right_causes.isdisjoint(causes[case.history]))
    baselines = baselines_of(evaluation, withhold=conditions.withhold)
    return EvaluationReport(
        figures=_figures(methods, baselines) | halves,
        tickets=sum(len(tickets) for tickets in evaluation.histories.values()),
        cases=len(evaluation.cases),
        left_out=sum(case.left_out for case in evaluation.cases),
        dropped=evaluation.dropped,
        histories=len(evaluation.histories),
        causes=sum(len(found) for found in causes.values()),
        chance=round(sum(guessed) / len(evaluation.cases), 4),
        methods=tuple(methods),
        baselines=baselines,
    )


def name_of(method: DiagnosisMethod, profile: DiagnosisProfile) -> str:
    """The name of a contestant in tables."""
    alone = method in (DiagnosisMethod.RAR, DiagnosisMethod.DIFFERENTIAL)
    return method.value if alone else f"{method}/{profile}"


def _user(case: Case, conditions: Conditions, seed: int) -> SimulatedUser:
    other = case.opening if case.opening != case.ticket.description else ""
    return SimulatedUser(case.ticket, overlook=conditions.overlook, unsure=conditions.unsure, err=conditions.err, seed=seed, opening=other)


def _halves(name: str, played: Sequence[Played]) -> dict[str, float]:
    """The main figures of both halves of the cases: what was tuned on one of them is to hold on the other."""
    figures: dict[str, float] = {}
    for half in "ab":
        own = [case for case in played if half_of(case) == half]
        if own:
            knowing = knowing_of(own)
            shares = {"cases": len(own), "named_right": knowing.named_right, "right_unknown": knowing.right_unknown}
            shares |= {"sure_and_wrong": knowing.sure_and_wrong, "turns": round(sum(case.turns for case in own) / len(own), 2)}
            figures |= {f"{name.replace('/', '_')}_half_{half}_{what}": float(value) for what, value in shares.items()}
    return figures


def _mover(method: DiagnosisMethod, profile: DiagnosisProfile, model: ByModel | None) -> Mover:
    consult: Consult = model or answer

    def play(request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue) -> Diagnosis | PhenomenonQuestion:
        if model is not None and method is DiagnosisMethod.DIFFERENTIAL:
            return led_move(request, evidence, dialogue, model.lead, model.context_tokens)
        return move(request, evidence, dialogue, method=method, profile=profile, consult=consult)

    return play


def _figures(methods: Sequence[MethodFigures], baselines: Sequence[BaselineFigures]) -> dict[str, float]:
    """Each figure by its name: `gar_ours_top1`, and beside it the methods without a dialogue: `nearest_ticket_top1`."""
    figures: dict[str, float] = {}
    for method in methods:
        name = method.name.replace("/", "_")
        shares = {"top1": method.top1, "top3": method.top3, "unknown": method.unknown, "turns": method.mean_turns}
        counts = {"repeated_questions": method.repeated_questions, "false_citations": method.false_citations}
        figures |= {f"{name}_{what}": float(value) for what, value in (shares | counts).items()}
        if method.questions is not None and method.knowing is not None:
            counted = method.questions.model_dump() | method.knowing.model_dump()
            figures |= {f"{name}_{what}": float(value) for what, value in counted.items()}
            figures[f"{name}_questions"] = method.mean_questions
        if method.calibration is not None:
            figures |= {f"{name}_brier": method.calibration.brier, f"{name}_ece": method.calibration.ece}
    for baseline in baselines:
        name = "_".join(baseline.name.replace("/", " ").replace("-", " ").split())
        figures |= {f"{name}_top1": baseline.top1, f"{name}_top3": baseline.top3}
    return figures


def _histories(evaluation: Evaluation, bench: Bench) -> dict[str, History]:
    """Each history in a database of its own."""
    named = enumerate(sorted(evaluation.histories.items()))
    return {key: History(bench.empty_database(f"history_{number}"), bench.embedder, tickets) for number, (key, tickets) in named}


def _read(path: Path, bench: Bench) -> tuple[list[Ticket], int]:
    """The tickets of a file, and how many rows are none or come again; the bench warns of those. Raises
    `InvalidInput` when no ticket is left."""
    tickets: dict[str, Ticket] = {}
    problems: list[TicketProblem] = []
    for line, item in _items(path):
        if isinstance(item, TicketProblem):
            problems.append(item)
        elif item.ticket_id in tickets:
            problems.append(TicketProblem(line=line, reason=say("refused.row.came_before", ticket=name(item.ticket_id))))
        else:
            tickets[item.ticket_id] = item
    if problems:
        reasons = "; ".join(f"line {problem.line}: {text_of(problem.reason, 'en')}" for problem in problems[:3])
        more = " ..." if len(problems) > 3 else ""
        bench.warn(f"{len(problems)} of {len(tickets) + len(problems)} rows of {path.name} are not used ({reasons}{more}).")
    if not tickets:
        raise InvalidInput(f"{path} holds no ticket. `bullpen tickets import --help` tells the shape.")
    return list(tickets.values()), len(problems)


def _items(path: Path) -> Iterator[Item]:
    """The rows of a file, or of all tables of tickets in a folder."""
    if not path.is_dir():
        yield from read_tickets(path)
        return
    for found in sorted(path.iterdir()):
        if found.suffix.lower() in _TABLES and found.stem not in _NO_TICKETS:
            yield from read_tickets(found)


def _read_openings(path: Path) -> list[tuple[str, str]]:
    """Raises `InvalidInput`."""
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        return [(str(row["ticket_id"]), str(row["opening"])) for row in rows]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InvalidInput(f"{path} holds no openings: {error!r}. Each line needs `ticket_id` and `opening`.") from None


def _write(path: Path, text: str) -> None:
    """Raises `InvalidInput`; tried once before hours of work."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from None


def _line(name: str, played: Played) -> str:
    return json.dumps({"method": name, **dataclasses.asdict(played)}, ensure_ascii=False)
