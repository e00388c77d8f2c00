"""Skills as documents: a library as a table, a skill with all that is known of it, and problems as a list."""

from collections.abc import Mapping, Sequence

from contracts.base import Json
from contracts.statements import Shown, Value, code, count, listing, name, names, passage, say
from workers.saying.document import Align, Block, CodeBlock, Column, Document, Fact, Facts, Heading, Item, Items, Paragraph, Table, Tone
from workers.skills.skill import Library, Skill, SkillProblem


def library_document(skills: Sequence[Skill], held: Mapping[str, Json], problems: Sequence[SkillProblem]) -> Document:
    """A row for each skill, and what is left out. `held`: what kinds of jobs take from skills, by name."""
    columns = (
        Column(title=say("skills.show.skill"), wraps=False),
        Column(title=say("skills.show.kind"), wraps=False),
        Column(title=say("skills.show.priority"), align=Align.RIGHT, wraps=False),
        Column(title=say("skills.show.holds")),
        Column(title=say("skills.show.title")),
    )
    rows = tuple(
        (
            name(skill.name),
            name(skill.kind or "-"),
            count(skill.priority, exact=True),
            listing(*_holds(skill, held.get(skill.name, {}))),
            passage(skill.title),
        )
        for skill in skills
    )
    blocks: list[Block] = [Table(columns=columns, rows=rows)] if rows else [Paragraph(text=say("skills.show.no_skill"))]
    left_out = [problem for problem in problems if problem.is_left_out]
    if left_out:
        blocks += [Heading(text=say("skills.show.left_out")), _problem_list(left_out)]
    remarks = len(problems) - len(left_out)
    if remarks:
        blocks.append(Paragraph(text=say("skills.show.remarks", n=count(remarks)), tone=Tone.DIM))
    return Document(title=say("skills.show.skills", n=count(len(skills))), blocks=tuple(blocks))


def skill_document(skill: Skill, held: Json, problems: Sequence[SkillProblem], graph: Sequence[str] = ()) -> Document:
    """What is known of a skill; its instructions are left to their own command."""
    tools: Shown = say("skills.show.any_tool") if skill.tool_names is None else names(skill.tool_names)
    foreign = tuple(tool for tool in skill.tool_names or () if tool not in (skill.allowed_tools or ()))
    facts: list[Fact] = [
        Fact(label=say("skills.show.name"), value=name(skill.name)),
        Fact(label=say("skills.show.description"), value=passage(skill.description or "-")),
        Fact(label=say("skills.show.kind"), value=name(skill.kind or "-")),
        Fact(label=say("skills.show.priority"), value=count(skill.priority, exact=True)),
        Fact(label=say("skills.show.triggers"), value=names(skill.triggers) if skill.triggers else name("-")),
        Fact(label=say("skills.show.tools"), value=tools),
    ]
    if foreign:
        facts.append(Fact(label=say("skills.show.foreign_tools"), value=names(foreign)))
    facts += [
        Fact(label=say("skills.show.holds"), value=listing(*_holds(skill, held))),
        Fact(label=say("skills.show.file"), value=name(str(skill.source))),
        Fact(label=say("skills.show.version"), value=name(skill.hash[:12])),
    ]
    blocks: list[Block] = [Facts(facts=tuple(facts))]
    if skill.references:
        files = tuple(
            Item(text=say("skills.show.reference", path=name(reference.path), n=count(reference.size_bytes)))
            for reference in skill.references
        )
        blocks += [Heading(text=say("skills.show.references")), Items(items=files)]
    if graph:
        blocks += [Heading(text=say("skills.show.graph")), CodeBlock(text="\n".join(graph))]
    if problems:
        blocks += [Heading(text=say("skills.show.problems")), _problem_list(problems)]
    return Document(title=passage(skill.title), blocks=tuple(blocks))


def problems_document(library: Library, problems: Sequence[SkillProblem]) -> Document:
    """The verdict on the skills of some folders."""
    left_out = [problem for problem in problems if problem.is_left_out]
    failing = [problem for problem in problems if problem.is_fault and not problem.is_left_out]
    remarks = [problem for problem in problems if not problem.is_fault]
    blocks: list[Block] = []
    if left_out:
        blocks += [Heading(text=say("skills.show.left_out")), _problem_list(left_out)]
    if failing:
        blocks += [Heading(text=say("skills.show.fails")), _problem_list(failing)]
    if remarks:
        blocks += [Heading(text=say("skills.show.remarks_on")), _problem_list(remarks)]
    if not problems:
        blocks.append(Paragraph(text=say("skills.show.all_valid"), tone=Tone.GOOD))
    return Document(title=say("skills.show.skills", n=count(len(library.skills))), blocks=tuple(blocks))


def _problem_list(problems: Sequence[SkillProblem]) -> Items:
    tones = {True: Tone.WARNING, False: Tone.NORMAL}
    return Items(items=tuple(Item(text=problem.sentence(), tone=tones[problem.is_fault]) for problem in problems))


def _holds(skill: Skill, held: Json) -> list[Value]:
    parts: list[Value] = []
    if held.get("pieces"):
        languages = names(str(language) for language in held.get("languages", ()))
        parts.append(
            say("skills.show.pieces", n=count(int(held["pieces"])), tuning_class=code(str(held.get("class"))), languages=languages)
        )
    if skill.procedure is not None:
        parts.append(say("skills.show.procedure"))
    if skill.references and not held.get("pieces"):
        parts.append(say("skills.show.files", n=count(len(skill.references))))
    return parts or [say("skills.show.instructions")]
