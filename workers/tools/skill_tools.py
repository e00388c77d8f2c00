"""The tool that reads a skill's own files: the third level of disclosure, after the description and the instructions.

It reads the version on the blackboard, so the path is a key of that version's files and never a path of this machine.
"""

from pydantic import Field

from contracts.base import Contract, Text
from contracts.statements import name, say
from contracts.tools import Cost
from workers.errors import NotFound
from workers.skills.keeping import find_version
from workers.skills.skill import READ_REFERENCE
from workers.tools.tool import Tool, ToolContext

MOST_CHARACTERS = 16_000
"""Characters that one call returns. The next call continues at `next_offset`."""
_MOST_PATHS = 100


class ReferencePart(Contract):
    """A part of one of the skill's files."""

    skill: Text = Field(max_length=200, description="The skill's name.")
    path: Text = Field(
        max_length=500, description="As the skill's instructions name it: `references/thresholds.md`. An empty path lists the files."
    )
    offset: int = Field(default=0, ge=0, description="Characters to skip.")


class ReferenceText(Contract):
    """The text, or the files that there are."""

    path: Text = ""
    text: Text = ""
    next_offset: int | None = None
    """Where the rest begins. None: this is the end."""
    paths: tuple[Text, ...] = ()
    """The skill's files, if there is no file of that path."""
    error: Text | None = None


def _read(ctx: ToolContext, arguments: ReferencePart) -> ReferenceText:
    version = find_version(ctx.services.database, arguments.skill)
    if version is None:
        raise NotFound.of(say("refused.tool.skill_gone", skill=name(arguments.skill)))
    wanted = arguments.path.removeprefix("./")
    text = version.files.get(wanted)
    if text is None:
        paths = tuple(sorted(version.files))[:_MOST_PATHS]
        return ReferenceText(paths=paths, error=None if not wanted else f"The skill has no file {wanted[:200]!r}.")
    end = arguments.offset + MOST_CHARACTERS
    return ReferenceText(path=wanted, text=text[arguments.offset : end], next_offset=end if end < len(text) else None)


READ_SKILL_REFERENCE = Tool(
    READ_REFERENCE,
    "Reads a file that belongs to the skill: details, tables and templates that its instructions refer to. Nothing is executed.",
    ReferencePart, ReferenceText, _read, cost=Cost.LOW, opens=frozenset({"skill"}), card="skill",
)  # fmt: skip
