"""The evaluation of `analyze`: every dialogue played through whole jobs, and what was right in it."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from uuid import uuid4

from contracts.analyze.answer import AnalyzeAnswer
from contracts.base import Contract, Json
from contracts.jobs import EngineChoice
from workers.engines.procedures.checklist import steps_in
from workers.errors import InvalidInput
from workers.kinds.analyze.evaluation.careless import CarelessModel
from workers.kinds.analyze.evaluation.form import AnalyzeEvaluation
from workers.kinds.analyze.evaluation.playing import Played, Player, as_text, read_dialogues
from workers.kinds.analyze.evaluation.scoring import score
from workers.kinds.analyze.roles.conversation import KIND
from workers.kinds.base import Bench, EvaluationResult
from workers.settings import SHIPPED_SKILLS
from workers.skills import Library, Skill, load_skills
from workers.skills.evals import Dialogue

HARD = ("order", "must_not_call", "verbatim", "params_request", "max_calls", "ended")
"""Parts that must be right in every turn: a single wrong one is a fault, not a lower score."""

OTHERS = 3
"""Skills of other authors that are followed."""

SIMULATIONS = ("query_simulation_results", "compare_simulation_data")


class TurnReport(Contract):
    """A turn that was played."""

    dialogue: str
    user: str
    calls: tuple[str, ...]
    ending: str
    wrong: tuple[str, ...]
    """The parts that were not as expected."""
    text: str
    took_ms: int


class AnalyzeReport(EvaluationResult):
    """What the evaluation of `analyze` found."""

    turns: tuple[TurnReport, ...]


Scored = tuple[Dialogue, list[tuple[Played, dict[str, bool]]]]


def run_evaluation(bench: Bench, form: AnalyzeEvaluation) -> AnalyzeReport:
    """Play the dialogues. Raises `InvalidInput` when the data is not there."""
    folder = form.data / "analyze"
    if not (folder / "dialogues.jsonl").is_file():
        raise InvalidInput(f"{form.data} holds no analyze/dialogues.jsonl. Name the folder of the evaluation data: --data FOLDER")
    dialogues = [dialogue for dialogue in read_dialogues(folder / "dialogues.jsonl") if dialogue.id.startswith(form.only or "")]
    others = other_skills(form.data / "skills")
    bench.change_settings(networks=folder, skills=(SHIPPED_SKILLS, str(others[0].folder.parent)) if others else (SHIPPED_SKILLS,))
    if form.engine == "scripted":
        bench.script_model(CarelessModel().answer)
    found = play_all(bench, dialogues, EngineChoice.AUTO if form.engine == "scripted" else EngineChoice(form.engine))
    followed, of_others = follow_others(bench, others if not form.only else [], form.engine)
    measured = figures(found) | ({"other_skills": len(of_others), "other_skills_followed": followed} if of_others else {})
    return AnalyzeReport(figures=measured, turns=(*reports(found), *of_others))


def other_skills(folder: Path) -> list[Skill]:
    """The first skills of other authors whose text has steps; an empty list without the data."""
    library = load_skills([folder]).of_kind(KIND) if folder.is_dir() else Library()
    able = sorted((skill for skill in library.skills if len(steps_in(skill.body)) > 2), key=lambda skill: skill.name)
    return able[:: max(1, len(able) // OTHERS)][:OTHERS]


def follow_others(bench: Bench, skills: Sequence[Skill], engine: str) -> tuple[float, list[TurnReport]]:
    """Each skill of another author walked to its end: as a checklist without a model, else by the model. The share that came there."""
    chosen = EngineChoice.AUTO if engine == "scripted" else EngineChoice(engine)
    ended = 0
    turns: list[TurnReport] = []
    for skill in skills:
        session = uuid4()
        question = f"Help me with this: {skill.description[:300]}"
        job = bench.run_job({"kind": "analyze", "question": question, "skill": skill.name}, chosen, session_id=session)
        answer = AnalyzeAnswer.model_validate(job.result) if job.result is not None else None
        steps = len(answer.checklist) if answer else 0
        for _ in range(steps):
            job = bench.run_job({"kind": "analyze", "question": "next"}, chosen, session_id=session)
            answer = AnalyzeAnswer.model_validate(job.result) if job.result is not None else None
        is_done = answer is not None and answer.skill == skill.name and all(item.is_done for item in answer.checklist) and answer.says != ()
        ended += is_done
        turns.append(
            TurnReport(
                dialogue=f"skill {skill.name}", user=question[:80], calls=(), ending=f"{steps} steps", wrong=() if is_done else ("end",),
                text="", took_ms=job.took_ms,
            )
        )  # fmt: skip
    return (round(ended / len(skills), 4) if skills else 1.0), turns


def play_all(bench: Bench, dialogues: Sequence[Dialogue], engine: EngineChoice) -> list[Scored]:
    """Every dialogue, scored turn by turn."""
    player = Player(bench, engine)
    found: list[Scored] = []
    with bench.progress("dialogues", len(dialogues)) as done:
        for number, dialogue in enumerate(dialogues, start=1):
            played = player.play(dialogue)
            found.append((dialogue, [(each, score(each, turn.expect)) for each, turn in zip(played, dialogue.turns, strict=True)]))
            done(number)
    return found


def figures(found: Sequence[Scored]) -> dict[str, float]:
    """The shares, with what somebody gets who calls nothing and says nothing beside them."""
    turns = [(played, parts) for _, scored in found for played, parts in scored]
    silent = [score(Played(), turn.expect) for dialogue, _ in found for turn in dialogue.turns]
    n = max(1, len(turns))

    def share(part: str, of: Sequence[dict[str, bool]]) -> float:
        values = [parts[part] for parts in of if part in parts]
        return round(sum(values) / len(values), 4) if values else 1.0

    scores = [parts for _, parts in turns]
    result: dict[str, float] = {
        "turns": len(turns),
        "turns_right": round(sum(all(parts.values()) for parts in scores) / n, 4),
        "turns_right_silent": round(sum(all(parts.values()) for parts in silent) / n, 4),
        "dialogues_right": round(sum(all(all(parts.values()) for _, parts in scored) for _, scored in found) / max(1, len(found)), 4),
        "hard_gates_held": round(sum(all(parts.get(part, True) for part in HARD) for parts in scores) / n, 4),
    }
    for part in (
        "order",
        "must_not_call",
        "verbatim",
        "facts",
        "params_request",
        "skill",
        "select_skill_visible",
        "table",
        "chart",
        "language",
    ):
        result[part] = share(part, scores)
    result["simulated_before_yes"] = sum(
        not parts.get("must_not_call", True) and any(tool in SIMULATIONS for tool, _, _ in played.calls) for played, parts in turns
    )
    result["job_ms_p50"] = median(played.took_ms for played, _ in turns) if turns else 0.0
    return result


def reports(found: Sequence[Scored]) -> list[TurnReport]:
    """The turns one by one."""
    return [
        TurnReport(
            dialogue=dialogue.id,
            user=as_text(turn.user),
            calls=tuple(_call(tool, arguments) for tool, arguments, _ in played.calls),
            ending=played.answer.ending.value if played.answer else "form" if played.form else played.ended[:300],
            wrong=tuple(part for part, right in parts.items() if not right),
            text=played.text[:4_000],
            took_ms=played.took_ms,
        )
        for dialogue, scored in found
        for (played, parts), turn in zip(scored, dialogue.turns, strict=True)
    ]


def _call(tool: str, arguments: Json) -> str:
    return f"{tool}({', '.join(f'{name}={value}' for name, value in arguments.items())})"[:400]
