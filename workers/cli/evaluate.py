"""`bullpen eval`: how good the answers are, on cases with known ones."""

import dataclasses
import json
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from contracts.diagnose.request import DiagnosisMethod, DiagnosisProfile
from contracts.roles import RoleName
from contracts.tickets import Ticket, TicketProblem
from workers.blackboard.engine import Database
from workers.cli.context import console, errors, print_json
from workers.cli.display import shown, told_usage
from workers.cli.evaluate_tune import tune
from workers.errors import ConfigurationError, InvalidInput
from workers.evaluation.cases import make_cases
from workers.evaluation.diagnose import ALL, Conditions, EvaluationReport, evaluate
from workers.evaluation.play import Played
from workers.llm import Models, load_embedder
from workers.llm.chat import Chat
from workers.settings import Settings, load_settings
from workers.tickets import read_tickets

app = typer.Typer(help="How good the answers are, on cases with known ones.", no_args_is_help=True)


class MethodChoice(StrEnum):
    """A method, or all of them side by side."""

    GAR = "gar"
    RAR = "rar"
    HYBRID = "hybrid"
    ALL = "all"


class Reasoner(StrEnum):
    """Who reasons where a method may consult a model."""

    RULES = "rules"
    LLM = "llm"


@app.callback()
def group() -> None:
    """How good the answers are, on cases with known ones."""


app.command("tune")(tune)


@app.command()
def diagnose(
    tickets: Annotated[Path, typer.Option("--tickets", help="The history: JSON, JSON lines or CSV, as `tickets import` takes it.")],
    cases: Annotated[Path | None, typer.Option("--cases", help="The incidents, in the same shape. Default: the history's own.")] = None,
    method: Annotated[MethodChoice, typer.Option(help="`all`: every method and profile side by side.")] = MethodChoice.GAR,
    profile: Annotated[DiagnosisProfile, typer.Option(help="Which formulas GAR weighs with.")] = DiagnosisProfile.OURS,
    by_group: Annotated[bool, typer.Option("--by-group", help="Tell apart only the causes of a ticket's `symptom_group`.")] = False,
    opening: Annotated[
        str, typer.Option(help="What the user first says: `description`, or a key of the metadata, e.g. symptom_class.")
    ] = "description",
    withhold: Annotated[bool, typer.Option("--withhold", help="Take the description of a ticket that stays out of the history.")] = False,
    overlook: Annotated[float, typer.Option(min=0.0, max=1.0, help="Chance that the user denies what is there.")] = 0.0,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Times that each case is played.")] = 1,
    max_turns: Annotated[int, typer.Option(min=1, max=20, help="Questions before the diagnoser must conclude.")] = 5,
    details: Annotated[Path | None, typer.Option("--details", help="Write every dialogue's outcome here, as JSON lines.")] = None,
    engine: Annotated[
        Reasoner, typer.Option(help="Who reasons for RAR and the hybrid; `llm`: the model that is configured.")
    ] = Reasoner.RULES,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Diagnose incidents whose cause is known, with a simulated user, over an embedded Postgres.

    A case hides one ticket. It is left out of the history where its cause has other tickets; else it stays. The user says
    the opening, then confirms a phenomenon when at least half of its character 3-grams stand in the hidden ticket's own
    phenomena; a question that names several at once, or has under 6 characters, is denied. docs/evaluation.md explains the
    figures. It works by the rules; with `--engine llm` RAR and the hybrid ask the model of BULLPEN_MODEL, and GAR none.
    """
    settings = load_settings()
    history, unread = _read(tickets)
    incidents, unread_incidents = _read(cases) if cases else (None, 0)
    evaluation = make_cases(history, incidents, by_group=by_group, opening=opening)
    if details:
        _write(details, "")
    contestants = ALL if method is MethodChoice.ALL else ((DiagnosisMethod(method.value), profile),)
    conditions = Conditions(max_turns=max_turns, withhold=withhold, overlook=overlook, rounds=rounds)
    lines: list[str] = []
    with _chats(settings, engine) as open_chat, Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=errors, transient=True, disable=not errors.is_terminal,
    ) as bar:  # fmt: skip
        task = bar.add_task("Dialogues", total=len(contestants) * len(evaluation.cases) * rounds)
        report = evaluate(
            evaluation,
            contestants,
            load_embedder(settings),
            conditions,
            progress=lambda done: bar.update(task, completed=done),
            keep=lambda name, played: lines.append(_line(name, played)),
            open_chat=open_chat,
        )
    report = report.model_copy(update={"unread": unread + unread_incidents})
    if details:
        _write(details, "\n".join(lines) + "\n")
    if as_json:
        print_json(report.to_json())
    else:
        _tell(report)


@contextmanager
def _chats(settings: Settings, engine: Reasoner) -> Generator[Callable[[Database], Chat] | None, None, None]:
    """Talks with the diagnoser's model that belong to no job; None: by the rules. Raises `ConfigurationError` when there is none."""
    if engine is Reasoner.RULES:
        yield None
        return
    if settings.model_of(RoleName.DIAGNOSER) is None:
        raise ConfigurationError("`--engine llm` needs a model. Set BULLPEN_MODEL (docs/models.md), or leave the option out.")
    with ExitStack() as stack:

        def open_chat(db: Database) -> Chat:
            return stack.enter_context(closing(Models(settings, lambda: db))).apart(RoleName.DIAGNOSER)

        yield open_chat


def _read(path: Path) -> tuple[list[Ticket], int]:
    """The tickets of a file, and how many rows are none or come again; those are told on standard error. Raises
    `InvalidInput` when no ticket is left."""
    tickets: dict[str, Ticket] = {}
    problems: list[TicketProblem] = []
    for line, item in read_tickets(path):
        if isinstance(item, TicketProblem):
            problems.append(item)
        elif item.ticket_id in tickets:
            problems.append(TicketProblem(line=line, reason=f"ticket_id {item.ticket_id} came before; that one is kept"))
        else:
            tickets[item.ticket_id] = item
    if problems:
        reasons = "; ".join(f"line {problem.line}: {problem.reason}" for problem in problems[:3])
        more = " ..." if len(problems) > 3 else ""
        errors.print(shown(f"{len(problems)} of {len(tickets) + len(problems)} rows of {path.name} are not used ({reasons}{more})."))
    if not tickets:
        raise InvalidInput(f"{path} holds no ticket. `bullpen tickets import --help` tells the shape.")
    return list(tickets.values()), len(problems)


def _write(path: Path, text: str) -> None:
    """Raises `InvalidInput`; tried once before hours of work."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from None


def _line(name: str, played: Played) -> str:
    return json.dumps({"method": name, **dataclasses.asdict(played)}, ensure_ascii=False)


def _tell(report: EvaluationReport) -> None:
    console.print(
        f"{report.cases} cases over {report.tickets} tickets with {report.causes} causes in {report.histories} "
        f"histor{'y' if report.histories == 1 else 'ies'}; {report.left_out} tickets left out. Chance: {report.chance:.3f}."
    )
    if report.dropped:
        console.print(f"{report.dropped} tickets are no cases: they have no group that the history has, or nothing to open with.")
    table = Table("method", "top-1", "95 %", "top-3", "unknown", "turns", "asked", "repeated", "false cites", "Brier", "ECE", "p50/p95 ms")
    for one in report.methods:
        calibration = one.calibration
        table.add_row(
            one.name,
            f"{one.top1:.3f}",
            f"{one.top1_low:.2f}-{one.top1_high:.2f}",
            f"{one.top3:.3f}",
            f"{one.unknown:.2f}",
            f"{one.mean_turns:.2f}",
            f"{one.mean_questions:.1f}",
            str(one.repeated_questions),
            str(one.false_citations),
            f"{calibration.brier:.3f}" if calibration else "-",
            f"{calibration.ece:.3f} ({calibration.ece_low:.2f}-{calibration.ece_high:.2f})" if calibration else "-",
            f"{one.p50_ms:.0f}/{one.p95_ms:.0f}",
        )
    used = [f"{one.name}: {told_usage(one.usage)}, {one.model_faults} turns by the rules" for one in report.methods if one.usage]
    for baseline in report.baselines:
        table.add_row(baseline.name, f"{baseline.top1:.3f}", "", f"{baseline.top3:.3f}", *[""] * 8)
    console.print(table)
    for line in used:
        console.print(line)
