"""Skill packs: what is whole is read, what is broken or hostile is told of and left out."""

import subprocess
import sys
import zipfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.tune.plan import FixKind
from contracts.verdicts import TuningClass, VerdictKind
from tests.support.experience import SHIPPED, write_pack
from workers.kinds.tune.experience.library import Library, read_library
from workers.kinds.tune.experience.pieces import read_pieces
from workers.settings import Settings
from workers.skills import skill_folders
from workers.skills.files import Unusable
from workers.skills.front_matter import FrontMatter, read_front_matter
from workers.skills.packs import SkillPack

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
    return f"{problem.place} {problem.reason}"


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
    ("section", "said"),
    [
        ("## No slug\n\nx", "line 1 is no `## Heading {#slug}`"),
        ("## A {#B}\n\nx", "is no `## Heading {#slug}`"),
        ("## A {#../../etc}\n\nx", "is no `## Heading {#slug}`"),
        ("## A {#a}\n\n- kinds: data_skew\n", "has no text"),
        ("## A {#a}\n\n- kinds: data_skwe\n\nx", "kinds: there is no 'data_skwe'"),
        ("## A {#a}\n- remedies: pray\nx", "remedies: there is no 'pray'"),
        ("## A {#a}\n- engines: flink\nx", "engines: there is no 'flink'; they are spark, scope"),
        ("## A {#a}\n\n" + "x" * 30_000, "has more than 20000 characters"),
    ],
)
def test_a_broken_piece_is_told_of_with_its_line_and_the_others_are_read(tmp_path: Path, section: str, said: str) -> None:
    write_pack(tmp_path, en=f"{section}\n\n## Good {{#good}}\n\ntext\n")

    library = read_library([tmp_path])

    assert said in only(library)
    assert [piece.slug for piece in library.pieces] == ["good"]


def test_a_slug_stands_once_in_a_file(tmp_path: Path) -> None:
    write_pack(tmp_path, en="## A {#a}\n\nfirst\n\n## B {#a}\n\nsecond\n")

    library = read_library([tmp_path])

    assert only(library) == "mine/experience.en.md, line 5 has the slug a, which an earlier piece has"
    assert [piece.text for piece in library.pieces] == ["first"]


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("name: other\ntitle: x\n", "is called other, but its folder is mine"),
        ("title: x\n", "name: Field required"),
        ("name: mine\n", "title: Field required"),
        ("name: ../mine\ntitle: x\n", "name: String should match pattern"),
        ("name: mine\ntitle: x\nkind: tune\n", "needs a class"),
        ("name: mine\ntitle: x\nkind: tune\nclass: none\n", "needs a class"),
        ("name: mine\ntitle: x\nkind: tune\nclass: slow\n", "a pack of kind tune needs a class"),
        ("name: mine\ntitle: x\npriority: high\n", "priority: Input should be a valid integer"),
        ("name: mine\ntitle: [x\n", "is not YAML"),
        ("just words\n", "is not a mapping"),
        (f"name: mine\ntitle: x\n{BOMB}", "aliases (*name) are not allowed"),
        ("name: mine\ntitle: " + "[" * 5_000 + "\n", "front matter that is"),
        ("name: mine\ntitle: !!python/object/apply:os.system [id]\n", "title: Input should be a valid string"),
        ("? [a, b]\n: x\n", "is not YAML"),
        ("x: " + "y" * 20_000 + "\n", "more than 16000 characters"),
    ],
)
def test_broken_front_matter_is_reported(tmp_path: Path, front: str, said: str) -> None:
    write_pack(tmp_path, front=front, en=WHOLE)

    library = read_library([tmp_path])

    assert said in only(library)
    assert library.pieces == ()


@pytest.mark.parametrize(
    ("text", "said"), [("", "does not begin with front matter"), ("# x", "does not begin"), ("---\nname: x\n", "without a closing line")]
)
def test_front_matter_stands_between_two_lines(text: str, said: str) -> None:
    with pytest.raises(Unusable, match=said):
        read_front_matter(text)


def test_files_that_are_no_text_are_told_of(tmp_path: Path) -> None:
    for name, raw in {"binary": b"\xff\xfe\x00", "nul": b"---\x00", "large": b"x" * (600 * 1024)}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_bytes(raw)
    (tmp_path / "folder" / "SKILL.md").mkdir(parents=True)
    (tmp_path / "empty").mkdir()

    said = {problem.place: problem.reason for problem in read_library([tmp_path]).problems}

    assert said == {
        "binary/SKILL.md": "is not UTF-8 (byte 0)",
        "empty/SKILL.md": "is missing",
        "folder/SKILL.md": "is not a regular file",
        "large/SKILL.md": "is larger than 512 KiB",
        "nul/SKILL.md": "holds a NUL character, so it is not text",
    }


def test_links_that_lead_out_or_in_a_circle_are_not_followed(tmp_path: Path) -> None:
    skills, secret = tmp_path / "skills", tmp_path / "secret"
    write_pack(secret, "mine", en=WHOLE)
    skills.mkdir()
    (skills / "mine").symlink_to(secret / "mine")
    pack = write_pack(skills, "linked")
    (pack / "experience.en.md").symlink_to(secret / "mine" / "experience.en.md")
    (pack / "experience.zh.md").symlink_to(pack / "experience.zh.md")

    library = read_library([skills])

    assert library.pieces == ()
    assert sorted(f"{problem.place} {problem.reason}" for problem in library.problems) == [
        "linked/experience.en.md leads out of the folder by a link",
        "linked/experience.zh.md cannot be read: its links lead in a circle",
        "mine/SKILL.md leads out of the folder by a link",
    ]


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

    assert only(library).endswith("nowhere is not a folder")
    assert len(library.pieces) == 2


def test_another_folder_given_by_mistake_is_refused(tmp_path: Path) -> None:
    for number in range(201):
        (tmp_path / f"d{number}").mkdir()

    assert "at most 200 packs" in only(read_library([tmp_path]))


def test_a_tune_pack_without_experience_is_reported(tmp_path: Path) -> None:
    write_pack(tmp_path)

    assert only(read_library([tmp_path])) == "mine holds no experience: experience.en.md or experience.zh.md"


PACK = SkillPack(Path("mine"), FrontMatter.model_validate({"name": "mine", "title": "x", "kind": "tune", "class": "other"}))
PARTS = ("## A {#a}", "## B {#b-1}", "##", "## {#x}", "```", "~~~~", "````", "- kinds: spill", "- kinds:", "text", "", "   ", "- x: y")
lines = st.sampled_from(PARTS)


@given(st.lists(st.one_of(lines, st.text(max_size=30)), max_size=40))
def test_any_text_is_read_without_an_error_and_every_heading_is_a_piece_or_a_problem(parts: list[str]) -> None:
    text = "\n".join(parts)

    pieces, problems = read_pieces(PACK, TuningClass.OTHER, "en", text)

    assert len({piece.slug for piece in pieces}) == len(pieces)
    assert all(piece.text.strip() and piece.text.split("\n")[0] in text for piece in pieces)
    assert len(pieces) + len(problems) <= sum(part.startswith("## ") for part in text.split("\n"))


yaml_like = st.text(alphabet="abc:-[]{}&*!|>'\"#,? \n\t0~%@`é中", max_size=60)


@given(st.one_of(st.text(max_size=200), yaml_like))
def test_any_front_matter_is_read_or_refused_with_a_word(text: str) -> None:
    with suppress(Unusable):
        assert read_front_matter(f"---\n{text}\n---\n").name


def test_the_setting_names_folders_and_the_shipped_ones() -> None:
    settings = Settings.model_validate({"skills": "shipped, /etc/bullpen/skills"})

    assert skill_folders(settings) == (SHIPPED, Path("/etc/bullpen/skills"))
    assert skill_folders(Settings()) == (SHIPPED,)


@pytest.mark.skipif(find_spec("hatchling") is None, reason="building the wheel needs hatchling")
def test_a_wheel_holds_the_shipped_packs_where_they_are_looked_for(tmp_path: Path) -> None:
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
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "installed", check=True, capture_output=True, text=True).stdout

    assert said.split() == [str(tmp_path / "installed" / "workers" / "skill_packs"), str(len(read_library([SHIPPED]).pieces))]
