"""`bullpen skills test`: a skill's own evaluations, played."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from contracts.base import Json
from contracts.jobs import EngineChoice
from contracts.refusals import near
from contracts.statements import count, names, passage, quote, say, term
from contracts.statements import name as identifier
from workers.cli.context import print_json
from workers.cli.display import shown
from workers.cli.lines import print_line
from workers.cli.telling import reader, tell, warn, words
from workers.errors import InvalidInput, NotFound
from workers.evaluation.bench import embedded_bench
from workers.evaluation.skill_sources import sources_of_evals
from workers.kinds.skills_shown import belongs, checked_evals, judged, problem_json, use_of
from workers.llm import load_embedder
from workers.settings import load_settings
from workers.skills import Library, Skill, load_skills, skill_folders
from workers.skills.choosing import choose, vectors_of
from workers.skills.evals import DialoguePlayed, SkillEvals, TurnPlayed

SkillName = Annotated[str, typer.Argument(help="The name of a skill; `bullpen skills list` shows the names.")]


def play_evaluations(
    name: SkillName,
    engine: Annotated[EngineChoice, typer.Option(help="Who does the reasoning.")] = EngineChoice.RULES,
    only: Annotated[str, typer.Option(help="Play only the dialogues whose id begins with this.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play a skill's own evaluations: the questions of `evals/choosing.yaml`, and the dialogues beside it.

    Dialogues run as whole jobs on an embedded Postgres, and nothing is kept. Exit code 1: something was not as expected, the skill's
    procedure has a fault, or a file of `evals/` cannot be read.
    """
    library = installed()
    skill = skill_called(library, name)
    evals = checked_evals(skill)
    faults = [problem for problem in judged(library)[2] if problem.is_fault and belongs(problem, skill)]
    for problem in (*faults, *evals.problems):
        warn(problem.sentence())
    questions = _choose_all(library, skill, evals)
    if not as_json:
        _show_questions(questions)
    played = _play_all(skill, evals, engine, only, is_quiet=as_json)
    wrong = [case for case in questions if not case["right"]]
    turns = sum(len(dialogue.turns) for dialogue in played)
    right_turns = sum(turn.is_right for dialogue in played for turn in dialogue.turns)
    if as_json:
        dialogues = [{"id": dialogue.id, "turns": [_turn_json(turn) for turn in dialogue.turns]} for dialogue in played]
        problems = [problem_json(problem, reader().language) for problem in (*faults, *evals.problems)]
        print_json({"skill": skill.name, "questions": questions, "dialogues": dialogues, "problems": problems})
    elif not (questions or played):
        tell(say("said.skills.no_evaluations", skill=identifier(skill.name), folder=identifier(skill.folder / "evals")))
    else:
        right_questions = count(len(questions) - len(wrong), exact=True)
        of = {"questions": count(len(questions), exact=True), "turns": count(turns, exact=True)}
        tell(say("said.skills.right", right_questions=right_questions, right_turns=count(right_turns, exact=True), **of))
    if wrong or right_turns < turns or evals.problems or faults:
        raise typer.Exit(1)


def _turn_json(turn: TurnPlayed) -> Json:
    return {"user": turn.user, "checks": turn.checks, "why": dict(turn.why), "note": turn.note}


def installed() -> Library:
    """The skills of BULLPEN_SKILLS on this machine."""
    return load_skills(skill_folders(load_settings()))


def skill_called(library: Library, name: str) -> Skill:
    """The skill of this name. Raises `NotFound` with the names that there are."""
    skill = library.get(name)
    if skill is None:
        meant = near(name, [skill.name for skill in library.skills])
        known = names(sorted(skill.name for skill in library.skills))
        if not known.items:
            raise NotFound.of(say("refused.cli.no_skills", skill=quote(name[:80])))
        if not meant:
            raise NotFound.of(say("refused.cli.no_skill", skill=quote(name[:80]), there=known))
        raise NotFound.of(say("refused.cli.no_skill_perhaps", skill=quote(name[:80]), meant=identifier(meant), there=known))
    return skill


def _choose_all(library: Library, skill: Skill, evals: SkillEvals) -> list[Json]:
    """Each question of `choosing.yaml` with the skill that was chosen for it. An empty name is no skill."""
    rivals = library.of_kind(skill.kind) if skill.kind else library
    vectors = vectors_of(rivals.skills, load_embedder(load_settings())) if evals.fits or evals.others else None
    found: list[Json] = []
    for questions, is_meant in ((evals.fits, True), (evals.others, False)):
        for question in questions:
            choice = choose(rivals, question, vectors).skill
            chosen = choice.name if choice else ""
            found.append({"question": question, "expected": is_meant, "chosen": chosen, "right": (chosen == skill.name) == is_meant})
    return found


def _play_all(skill: Skill, evals: SkillEvals, engine: EngineChoice, only: str, *, is_quiet: bool) -> list[DialoguePlayed]:
    dialogues = [dialogue for dialogue in evals.dialogues if dialogue.id.startswith(only)]
    if not dialogues:
        return []
    use = use_of(skill)
    if use is None or use.play is None:
        raise InvalidInput.of(
            say("refused.cli.no_dialogues_of_kind", skill=identifier(skill.name), kind=identifier(skill.kind))
            if skill.kind
            else say("refused.cli.no_dialogues", skill=identifier(skill.name))
        )
    played: list[DialoguePlayed] = []
    with embedded_bench(load_settings(), _no_progress, warn) as bench, sources_of_evals(bench, skill, evals.sources):
        for dialogue in use.play.load()(bench, skill, dialogues, engine):
            played.append(dialogue)
            if not is_quiet:
                _show_dialogue(dialogue)
    return played


@contextmanager
def _no_progress(what: str, total: int) -> Generator[Callable[[int], None]]:
    yield lambda done: None


def _show_questions(questions: Sequence[Json]) -> None:
    for case in questions:
        if not case["right"]:
            print_line(f"{_verdict(False)} {shown(case['question'])}")
            chosen = identifier(case["chosen"]) if case["chosen"] else term("said.skills.none")
            tell(say("said.skills.chosen", skill=chosen), indent=2)


def _show_dialogue(dialogue: DialoguePlayed) -> None:
    print_line(f"{_verdict(dialogue.is_right)} {shown(dialogue.id)}")
    for number, turn in enumerate(dialogue.turns, start=1):
        if not turn.is_right:
            tell(say("said.skills.turn", number=count(number, exact=True), text=passage(turn.user)), indent=2)
            for check in (check for check, holds in turn.checks.items() if not holds):
                why = passage(turn.why[check]) if check in turn.why else term("said.skills.unexpected")
                tell(say("said.skills.check", check=identifier(check), why=why), indent=4)
            if turn.note:
                print_line(shown(turn.note), indent=4)


def _verdict(is_right: bool) -> str:
    return f"[green]{words(term('said.skills.is_right'))}[/]" if is_right else f"[red]{words(term('said.skills.is_wrong'))}[/]"
