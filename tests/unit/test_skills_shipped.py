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


FRONTS = [
    "name: mine\ndescription: x\n",
    "name: mine\ndescription: x\nmetadata:\n  triggers: a, b\n  priority: 10\n",
    "name: mine\ndescription: x\nmetadata:\n  a: [b]\n",
    "name: mine\ndescription: x\nallowed-tools: [a, b]\n",
    "name: mine\ndescription: x\nallowed-tools:\n  - a\n",
    "name: mine\ndescription: [x]\n",
    "name: mine\ndescription: {a: b}\n",
    "name: mine\ndescription: 'a: b'\n",
    "name: mine\ndescription: a: b\n",
    "name: mine\ndescription: >-\n  a\n\n  b\n",
    "name: mine\ndescription: ''\n",
    "name: mine\ndescription: &a x\nlicense: *a\n",
    "name: mine\ndescription: " + "x" * 1_024 + "\n",
    "name: mine\ndescription: " + "x" * 1_025 + "\n",
    "name: mine\ndescription: x\ncompatibility: " + "x" * 501 + "\n",
    "name: mine\ndescription: x\ntriggers: a\n",
    "name: mine\n",
    "description: x\n",
    "name: mine\nname: mine\ndescription: x\n",
    "name: Mine\ndescription: x\n",
    "name: other\ndescription: x\n",
    "name: mine--x\ndescription: x\n",
    "name: -mine\ndescription: x\n",
    "name: mine_x\ndescription: x\n",
]


@pytest.mark.parametrize("front", FRONTS)
def test_what_is_not_remarked_on_passes_the_reference_validator_and_the_reverse(front: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "SKILL.md").write_text(f"---\n{front}---\n\nText\n", "utf-8")

    assert bool(load_skills([tmp_path]).problems) is bool(validate(tmp_path / "mine"))
