"""The cases of `bullpen eval skills`, and the skills without the sentences that the queries were taken from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.evals.libraries.json_lines import read_lines
from workers.errors import InvalidInput
from workers.skills import Library


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and the name of the skill that fits it."""

    id: str
    text: str
    gold: str

    @property
    def masked(self) -> str:
        """The question without the skill's name."""
        parts = r"[\W_]*".join(map(re.escape, re.split(r"[\W_]+", self.gold)))
        return re.sub(rf"(?i)(?<![^\W_]){parts}(?![^\W_])", " ", self.text)


def read_queries(path: Path) -> list[Query]:
    """The queries with their skills. Raises `InvalidInput`."""
    try:
        return [Query(str(row.get("id", number)), row["query"], row["gold"]) for number, row in enumerate(read_lines(path))]
    except KeyError as error:
        raise InvalidInput(f"{path}: a line lacks {error}.") from None


def read_others(paths: Sequence[Path]) -> list[str]:
    """Questions that no skill fits, each once."""
    found: dict[str, None] = {}
    for path in paths:
        for row in read_lines(path):
            turns = [turn["user"] for turn in row.get("turns", ()) if isinstance(turn.get("user"), str)]
            for text in (row.get("question"), row.get("question_zh"), *turns):
                if isinstance(text, str) and text.strip():
                    found[text] = None
    return list(found)


def without_queries(library: Library, queries: Sequence[Query]) -> Library:
    """The skills without the lines of their bodies that hold one of the queries word for word. Authors list there when a skill is to be
    used, and queries that were taken from such a list would be found by themselves."""
    texts = {_plain(query.text) for query in queries}
    skills = tuple(
        replace(skill, body="\n".join(line for line in skill.body.split("\n") if not _holds(_plain(line), texts)))
        for skill in library.skills
    )
    return Library(skills, library.unread)


def without_bodies(library: Library) -> Library:
    """The skills with name, title, triggers and description alone."""
    return Library(tuple(replace(skill, body="") for skill in library.skills), library.unread)


def _holds(line: str, texts: set[str]) -> bool:
    return any(text and text in line for text in texts)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()
