"""The evaluation of `ask`: every dialogue played through whole jobs, and what was right in it."""

from collections import Counter
from pathlib import Path
from statistics import median

from contracts.base import Contract
from contracts.jobs import EngineChoice
from workers.errors import InvalidInput
from workers.kinds.ask.evaluation.dialogues import Dialogue
from workers.kinds.ask.evaluation.form import AskEvaluation, QuestionSet
from workers.kinds.ask.evaluation.material import DataFolder
from workers.kinds.ask.evaluation.playing import Player, databases, import_documents, log
from workers.kinds.ask.evaluation.scoring import Played, Score
from workers.kinds.ask.evaluation.singles import Answered, ask_singles, read_singles, single_figures
from workers.kinds.base import Bench, EvaluationResult

_TEXT = 1_500
"""Characters of an answer that a report holds."""


class TurnReport(Contract):
    """A turn that was played."""

    dialogue: str
    user: str
    route: tuple[str, ...]
    final_intent: str
    ends_with: str
    wrong: tuple[str, ...]
    """The parts that were not as expected."""
    text: str = ""
    """The beginning of what the user read."""
    took_ms: int


class QuestionReport(Contract):
    """A single question that was asked."""

    id: str
    database: str
    question: str
    sql: str
    is_verified: bool
    is_right: bool
    took_ms: int
    error: str = ""


class AskReport(EvaluationResult):
    """What the evaluation of `ask` found."""

    turns: tuple[TurnReport, ...] = ()
    questions: tuple[QuestionReport, ...] = ()


def run_evaluation(bench: Bench, form: AskEvaluation) -> AskReport:
    """Play the dialogues. Raises `InvalidInput` when the data is not there."""
    if form.data is None:
        raise InvalidInput("Dialogues and questions are read from a folder. Name the folder: --data FOLDER")
    if form.questions is not None:
        return _singles(bench, form.data, form.questions, form.engine)
    data = _dialogues_of(form.data)
    dialogues = [dialogue for dialogue in data.dialogues() if dialogue.id.startswith(form.only or "")]
    if any(dialogue.has_documents for dialogue in dialogues):
        import_documents(bench, data)
    player = Player(bench, form.engine)
    found: list[tuple[Dialogue, list[tuple[Played, Score]]]] = []
    with bench.progress("dialogues", len(dialogues)) as done:
        for number, dialogue in enumerate(dialogues, start=1):
            with databases(bench, data, dialogue.databases), log(bench, data, dialogue.logs):
                found.append((dialogue, player.play(dialogue)))
            done(number)
    return AskReport(figures=_figures(found), turns=tuple(_turns(found)))


def _singles(bench: Bench, folder: Path, wanted: QuestionSet, engine: EngineChoice) -> AskReport:
    if not (folder / "nl2sql" / "questions.jsonl").is_file():
        raise InvalidInput(f"{folder} holds no nl2sql/questions.jsonl. Name the folder of the evaluation data: --data FOLDER")
    singles = read_singles(folder, wanted)
    found: list[Answered] = []
    with bench.progress("questions", len(singles)) as done:
        for answered in ask_singles(bench, DataFolder(folder), singles, engine):
            found.append(answered)
            done(len(found))
    questions = tuple(
        QuestionReport(
            id=each.single.id, database=each.single.database, question=each.single.question, sql=each.sql,
            is_verified=each.is_verified, is_right=each.is_right, took_ms=each.took_ms, error=each.stated,
        )
        for each in found
    )  # fmt: skip
    return AskReport(figures=single_figures(found), questions=questions)


def _dialogues_of(folder: Path) -> DataFolder:
    if not (folder / "ask" / "dialogues.jsonl").is_file():
        raise InvalidInput(f"{folder} holds no ask/dialogues.jsonl. Name the folder of the evaluation data: --data FOLDER")
    return DataFolder(folder)


def _figures(found: list[tuple[Dialogue, list[tuple[Played, Score]]]]) -> dict[str, float]:
    turns = [
        (played, score, turn.expect)
        for dialogue, played_turns in found
        for (played, score), turn in zip(played_turns, dialogue.turns, strict=True)
    ]
    routes = Counter(tuple(expect["route"]) for _, _, expect in turns)
    intents = Counter(expect["final_intent"] for _, _, expect in turns)
    n = max(1, len(turns))

    def share(part: str) -> float:
        values = [score.parts[part] for _, score, _ in turns if part in score.parts]
        return round(sum(values) / len(values), 4) if values else 0.0

    silent = ("question", "refusal", "tables")
    answered = [score.parts["result"] for played, score, _ in turns if "result" in score.parts and played.ends_with not in silent]
    return {
        "turns": len(turns),
        "turns_right": round(sum(score.is_right for _, score, _ in turns) / n, 4),
        "dialogues_right": round(sum(all(score.is_right for _, score in played) for _, played in found) / max(1, len(found)), 4),
        "route": share("route"),
        "route_commonest": round(max(routes.values(), default=0) / n, 4),
        "final_intent": share("intent"),
        "final_intent_commonest": round(max(intents.values(), default=0) / n, 4),
        "ending": share("ending"),
        "forbidden_calls": sum(score.forbidden for _, score, _ in turns),
        "results_answered": len(answered),
        "result_right_where_answered": round(sum(answered) / len(answered), 4) if answered else 0.0,
        "job_ms_p50": median(played.took_ms for played, _, _ in turns) if turns else 0.0,
    }


def _turns(found: list[tuple[Dialogue, list[tuple[Played, Score]]]]) -> list[TurnReport]:
    return [
        TurnReport(
            dialogue=dialogue.id, user=turn.user, route=played.route, final_intent=played.final_intent, ends_with=played.ends_with[:200],
            wrong=(*(part for part, right in score.parts.items() if not right), *(["forbidden"] if score.forbidden else [])),
            text="\n".join([played.text, *played.options])[:_TEXT], took_ms=played.took_ms,
        )
        for dialogue, played_turns in found
        for (played, score), turn in zip(played_turns, dialogue.turns, strict=True)
    ]  # fmt: skip
