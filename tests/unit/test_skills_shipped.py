"""The skills of this release hold to the Agent Skills specification, by its reference validator."""

from pathlib import Path

import pytest
from skills_ref import validate

from tests.support.experience import SHIPPED
from tests.support.said import said
from workers.skills import load_skills
from workers.skills.evals import read_evals


@pytest.mark.parametrize("folder", sorted(path for path in SHIPPED.iterdir() if path.is_dir()), ids=lambda path: path.name)
def test_a_shipped_skill_passes_the_reference_validator(folder: Path) -> None:
    assert validate(folder) == []


def test_nothing_is_remarked_on_the_shipped_skills() -> None:
    library = load_skills([SHIPPED])

    found = [*library.problems, *(problem for skill in library.skills for problem in read_evals(skill).problems)]

    assert [said(problem.sentence()) for problem in found] == []
