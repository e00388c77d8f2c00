"""What `bullpen skills` shows and tests of the skills of this kind: their procedures, and the dialogues in `evals/`."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.base import Json
from contracts.jobs import EngineChoice
from contracts.procedures import CallStep, Procedure
from contracts.statements import listing, name, say
from workers.engines.procedures import as_mermaid, as_text, read_procedure
from workers.kinds.analyze.evaluation.explaining import explained
from workers.kinds.analyze.evaluation.playing import Played, Player
from workers.kinds.analyze.roles.conversation import KIND
from workers.kinds.analyze.rules.columns_named import column_faults
from workers.kinds.analyze.rules.tools_named import is_known, near, no_tool, sources_named, text_remarks, tool_faults, tool_remarks
from workers.kinds.base import Bench
from workers.skills import Skill, SkillProblem
from workers.skills.evals import SOURCES, Dialogue, DialoguePlayed, TurnPlayed, read_evals
from workers.skills.loading import EVALS, PROCEDURE

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
    """The faults of procedures, with their lines: without its procedure, a skill is followed by its text. Arguments that a tool does not
    take are faults too. A tool that this machine does not know is a remark, since a worker elsewhere may have it."""
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
        yield SkillProblem(file, say("analyze.procedure.fault", fault=fault.message), fault.line)
    if read.procedure is not None:
        for line, reason in (*tool_faults(read, read.procedure, skill.allowed_tools), *column_faults(read, read.procedure)):
            yield SkillProblem(file, reason, line, is_left_out=False, always_fails=True)
        for line, reason in (*tool_remarks(read, read.procedure), *text_remarks(read, read.procedure)):
            yield SkillProblem(file, reason, line, is_left_out=False)
        yield from _of_sources(skill, read.procedure)


def _of_sources(skill: Skill, procedure: Procedure) -> Iterator[SkillProblem]:
    """Sources of the evaluations that no step names. Where a step works its source out, nothing can be said."""
    used = sources_named(procedure)
    if used is None:
        return
    evals = read_evals(skill)
    for source, line in evals.source_lines.items():
        if source not in used:
            there = listing(*map(name, sorted(used))) if used else name("-")
            reason = say("analyze.eval.unused_source", source=name(source), there=there)
            yield SkillProblem(skill.shown(f"{EVALS}/{SOURCES}"), reason, line, is_left_out=False)


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
        turns = [_turn(turn.user, played, turn.expect) for turn, played in zip(dialogue.turns, player.play(dialogue), strict=True)]
        yield DialoguePlayed(dialogue.id, tuple(turns))


def _turn(user: str | Json, played: Played, expect: Json) -> TurnPlayed:
    checks, why = explained(played, expect)
    return TurnPlayed(user=str(user), checks=checks, note=_note(played), why=why)


def _note(played: Played) -> str:
    calls = ", ".join(tool for tool, _, _ in played.calls)
    return " ".join(f"{calls} | {played.ended or played.text}".split())[:MOST_NOTE]
