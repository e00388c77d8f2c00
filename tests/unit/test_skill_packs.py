"""Skills that hold experience for `tune`: what is whole is read, what is broken is reported and left out."""

import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.tune.plan import FixKind
from contracts.verdicts import TuningClass, VerdictKind
from tests.support.experience import SHIPPED, write_pack
from tests.support.said import said
from workers.kinds.tune.experience.library import Library, read_library
from workers.kinds.tune.experience.pieces import read_pieces
from workers.settings import Settings
from workers.skills import Skill, skill_folders

WHOLE = """# For readers

## Split keys {#split-keys}

- kinds: data_skew, straggler
- engines: scope
- remedies: split_hot_keys

Do it:

```python
## no heading {#no}
- kinds: nonsense
```

- a list of the text

## Second {#second}
Only text.
"""


def only(library: Library) -> str:
    """The one problem."""
    (problem,) = library.problems
    return said(problem.sentence())


def test_a_pack_is_read_with_its_fields_and_its_text_as_it_stands(tmp_path: Path) -> None:
    """T33: experience is a file that people write."""
    write_pack(tmp_path, en=WHOLE)

    library = read_library([tmp_path])
    first, second = library.pieces

    assert library.problems == ()
    assert (first.experience_id, first.title, first.tuning_class) == ("mine/split-keys", "Split keys", TuningClass.DATA_SKEW)
    assert first.kinds == (VerdictKind.DATA_SKEW, VerdictKind.STRAGGLER)
    assert (first.engines, first.remedies) == (("scope",), (FixKind.SPLIT_HOT_KEYS,))
    assert first.text.startswith("Do it:")
    assert first.text.endswith("- a list of the text")
    assert "## no heading {#no}" in first.text
    assert (second.text, second.engines, second.kinds) == ("Only text.", ("spark", "scope"), ())


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("## No slug\n\nx", "line 1: The heading is not `## Heading {#slug}`"),
        ("## A {#B}\n\nx", "is not `## Heading {#slug}`"),
        ("## A {#../../etc}\n\nx", "is not `## Heading {#slug}`"),
        ("## A {#a}\n\n- kinds: data_skew\n", "has no text"),
        ("## A {#a}\n\n- kinds: data_skwe\n\nx", "kinds has no value “data_skwe”"),
        ("## A {#a}\n- remedies: pray\nx", "remedies has no value “pray”"),
        ("## A {#a}\n- engines: flink\nx", "There is no engine “flink”. The engines are spark, scope"),
        ("## A {#a}\n\n" + "x" * 30_000, "more than 20,000 characters"),
    ],
)
def test_a_broken_piece_is_told_of_with_its_line_and_the_others_are_read(tmp_path: Path, section: str, expected: str) -> None:
    write_pack(tmp_path, en=f"{section}\n\n## Good {{#good}}\n\ntext\n")

    library = read_library([tmp_path])

    assert expected in only(library)
    assert [piece.slug for piece in library.pieces] == ["good"]


def test_a_slug_stands_once_in_a_file(tmp_path: Path) -> None:
    write_pack(tmp_path, en="## A {#a}\n\nfirst\n\n## B {#a}\n\nsecond\n")

    library = read_library([tmp_path])

    assert only(library) == "mine/experience.en.md, line 5: An earlier piece has the slug a. It is left out."
    assert [piece.text for piece in library.pieces] == ["first"]


def test_links_inside_a_mounted_folder_are_followed(tmp_path: Path) -> None:
    """Kubernetes mounts a ConfigMap so: each file a link into a hidden folder beside it."""
    write_pack(tmp_path / "..data", "mine", en=WHOLE)
    (tmp_path / "mine").mkdir()
    for name in ("SKILL.md", "experience.en.md"):
        (tmp_path / "mine" / name).symlink_to(Path("..") / "..data" / "mine" / name)

    library = read_library([tmp_path])

    assert (len(library.pieces), library.problems) == (2, ())


def test_a_folder_that_is_not_there_is_told_of_and_the_next_one_is_read(tmp_path: Path) -> None:
    write_pack(tmp_path, en=WHOLE)

    library = read_library([tmp_path / "nowhere", tmp_path])

    assert only(library).endswith("nowhere: There is no such folder. It is left out.")
    assert len(library.pieces) == 2


def test_another_folder_given_by_mistake_is_refused(tmp_path: Path) -> None:
    for number in range(201):
        (tmp_path / f"d{number}").mkdir()

    assert "at most 200" in only(read_library([tmp_path]))


def test_a_tune_pack_without_experience_is_reported(tmp_path: Path) -> None:
    write_pack(tmp_path)

    assert (
        only(read_library([tmp_path]))
        == "mine: It holds no experience. It needs at least one of these files: experience.en.md, experience.zh.md. It is left out."
    )


PACK = Skill("mine", "x", "", "", Path("mine/SKILL.md"), Path("mine"), kind="tune", fields={"class": "other"})
PARTS = ("## A {#a}", "## B {#b-1}", "##", "## {#x}", "```", "~~~~", "````", "- kinds: spill", "- kinds:", "text", "", "   ", "- x: y")
lines = st.sampled_from(PARTS)


@given(st.lists(st.one_of(lines, st.text(max_size=30)), max_size=40))
def test_any_text_is_read_without_an_error_and_every_heading_is_a_piece_or_a_problem(parts: list[str]) -> None:
    text = "\n".join(parts)

    pieces, problems = read_pieces(PACK, TuningClass.OTHER, "en", text)

    assert len({piece.slug for piece in pieces}) == len(pieces)
    assert all(piece.text.strip() and piece.text.split("\n")[0] in text for piece in pieces)
    assert len(pieces) + len(problems) <= sum(part.startswith("## ") for part in text.split("\n"))


def test_the_setting_names_folders_and_the_shipped_ones() -> None:
    """F8, K25."""
    settings = Settings.model_validate({"skills": "shipped, /etc/bullpen/skills"})

    assert skill_folders(settings) == (SHIPPED, Path("/etc/bullpen/skills"))
    assert skill_folders(Settings()) == (SHIPPED,)


@pytest.mark.skipif(find_spec("hatchling") is None, reason="building the wheel needs hatchling")
def test_a_wheel_holds_the_shipped_packs_where_they_are_looked_for(tmp_path: Path) -> None:
    """F8."""
    """An installed release has its own copy."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=SHIPPED.parent, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")

    code = (
        "from workers.kinds.tune.experience.library import read_library; from workers.skills.folders import shipped_folder; "
        "print(shipped_folder(), len(read_library([shipped_folder()]).pieces))"
    )
    printed = subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "installed", check=True, capture_output=True, text=True).stdout

    assert printed.split() == [str(tmp_path / "installed" / "workers" / "skill_packs"), str(len(read_library([SHIPPED]).pieces))]
