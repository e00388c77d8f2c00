"""What `bullpen skills` shows and tests of the skills of this kind: their procedures, and the dialogues in `evals/`."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.base import Json
from contracts.jobs import EngineChoice
from contracts.procedures import CallStep
from contracts.statements import passage, say
from workers.engines.procedures import as_mermaid, as_text, read_procedure
from workers.kinds.analyze.evaluation.playing import Played, Player
from workers.kinds.analyze.evaluation.scoring import score
from workers.kinds.analyze.roles.conversation import KIND
from workers.kinds.analyze.rules.tools_named import is_known, near, no_tool, tool_remarks
from workers.kinds.base import Bench
from workers.skills import Skill, SkillProblem
from workers.skills.evals import Dialogue, DialoguePlayed, TurnPlayed
from workers.skills.loading import PROCEDURE

MOST_NOTE = 400


def listed(skills: Sequence[Skill]) -> Mapping[str, Json]:
    """Skill → how many steps its procedure has, and which tools it calls."""
    found: dict[str, Json] = {}
    for skill in skills:
        procedure = read_procedure(skill.procedure).procedure if skill.procedure else None
        if procedure is not None:
            tools = dict.fromkeys(step.call for step in procedure.steps if isinstance(step, CallStep))
            found[skill.name] = {"steps": len(procedure.steps), "tools": list(tools)}
    return found


def problems(skills: Sequence[Skill]) -> Sequence[SkillProblem]:
    """The faults of procedures, with their lines: without its procedure, a skill is followed by its text. Tools and arguments that this
    machine does not know are remarks, since a worker elsewhere may have them."""
    return [problem for skill in skills for problem in (*_of_names(skill), *_of_procedure(skill))]


def _of_names(skill: Skill) -> Iterator[SkillProblem]:
    """Tools that the skill narrows its steps to, and nobody knows. A skill that names no kind may be for other agents too, with tools of
    theirs: only a name that is nearly one of ours is remarked on."""
    for tool in skill.tool_names or ():
        if not is_known(tool.partition("(")[0]) and (skill.kind == KIND or near(tool)):
            yield skill.remark("allowed-tools", no_tool(tool))


def _of_procedure(skill: Skill) -> Iterator[SkillProblem]:
    if skill.procedure is None:
        return
    read, file = read_procedure(skill.procedure), skill.shown(PROCEDURE)
    for fault in read.faults:
        yield SkillProblem(file, say("analyze.procedure.fault", fault=passage(fault.message)), fault.line)
    if read.procedure is not None:
        for line, reason in tool_remarks(read, read.procedure):
            yield SkillProblem(file, reason, line, is_left_out=False)


def draw(skill: Skill, language: str) -> Sequence[str]:
    """The steps of a procedure as lines."""
    procedure = read_procedure(skill.procedure).procedure if skill.procedure else None
    return as_text(procedure, language) if procedure is not None else ()


def mermaid(skill: Skill, language: str) -> str:
    """The steps of a procedure as a flow chart."""
    procedure = read_procedure(skill.procedure).procedure if skill.procedure else None
    return as_mermaid(procedure, language) if procedure is not None else ""


def play(bench: Bench, skill: Skill, dialogues: Sequence[Dialogue], engine: EngineChoice) -> Iterator[DialoguePlayed]:
    """The dialogues, each played through whole jobs when it is taken."""
    del skill  # the message chooses the skill, as it does for a user
    player = Player(bench, engine)
    for dialogue in dialogues:
        turns = [
            TurnPlayed(user=str(turn.user), checks=score(played, turn.expect), note=_note(played))
            for turn, played in zip(dialogue.turns, player.play(dialogue), strict=True)
        ]
        yield DialoguePlayed(dialogue.id, tuple(turns))


def _note(played: Played) -> str:
    calls = ", ".join(tool for tool, _, _ in played.calls)
    return " ".join(f"{calls} | {played.ended or played.text}".split())[:MOST_NOTE]
