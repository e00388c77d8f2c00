"""Loading skills: Agent Skills folders and flat files. What is whole is read exactly, what is broken or hostile is reported."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workers.skills
from tests.support.said import said
from tests.support.texts import catalogue_problems, codes_used
from workers.skills import Library, Skill, Unusable, load_skills, read_reference
from workers.skills.front_matter import read_front_matter
from workers.skills.skill import READ_REFERENCE

PACKAGE = Path(workers.skills.__path__[0])


def write_skill(root: Path, front: str | bytes, folder: str = "mine", body: str = "How to.\n") -> Path:
    """A skill folder with this front matter."""
    path = root / folder / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = front if isinstance(front, bytes) else f"---\n{front}---\n\n{body}".encode()
    path.write_bytes(raw)
    return path.parent


def only(library: Library) -> Skill:
    """The one skill of a library that lost nothing."""
    assert [said(problem.sentence()) for problem in library.unread] == []
    (skill,) = library.skills
    return skill


def problems(library: Library) -> list[str]:
    return [said(problem.sentence()) for problem in library.problems]


WHOLE = """name: mine
description: >-
  Cells that do not
  cover their area.
allowed-tools: match_scenario query_root_cause, Bash(git:*) Read
metadata:
  title: Weak coverage
  triggers: weak coverage, 弱覆盖，覆盖空洞
  priority: "20"
  author: us
"""


def test_skills_in_folders_of_categories_are_found(tmp_path: Path) -> None:
    """Case 20."""
    write_skill(tmp_path, "name: lint\ndescription: Lints.\n", "engineering/lint")
    write_skill(tmp_path, "name: review\ndescription: Reviews.\n", "engineering/review")
    write_skill(tmp_path, "name: mail\ndescription: Mails.\n", "mail")
    (tmp_path / "empty").mkdir()

    library = load_skills([tmp_path])

    assert [skill.name for skill in library.skills] == ["lint", "mail", "review"]
    assert [problem.file for problem in library.unread] == ["empty/SKILL.md"]


def test_the_file_of_a_skill_is_found_in_any_case(tmp_path: Path) -> None:
    """`SKILL.MD` was said to be missing."""
    for place, name in enumerate(("SKILL.md", "skill.md", "SKILL.MD", "Skill.md")):
        folder = tmp_path / f"s{place}"
        folder.mkdir()
        (folder / name).write_text(f"---\nname: s{place}\ndescription: Finds what was paid twice.\n---\nHow to.\n")

    library = load_skills((tmp_path,))

    assert sorted(skill.name for skill in library.skills) == ["s0", "s1", "s2", "s3"]


def test_skills_that_lie_too_deep_are_named(tmp_path: Path) -> None:
    """They were dropped in silence, or the folder above was said to lack a file."""
    write_skill(tmp_path, "name: css\ndescription: Styles.\n", "css")
    write_skill(tmp_path, "name: create\ndescription: Creates.\n", "css/create")
    write_skill(tmp_path, "name: review\ndescription: Reviews.\n", "plugins/review/skills/review")

    library = load_skills([tmp_path])

    assert [skill.name for skill in library.skills] == ["css"]
    said_of = {problem.file: said(problem.reason) for problem in (*library.unread, *library.skills[0].problems)}
    assert "review/skills/review" in said_of["plugins/SKILL.md"]
    assert "create" in said_of["css/SKILL.md"]


def test_a_category_that_leads_out_of_the_folder_brings_no_skill(tmp_path: Path) -> None:
    write_skill(tmp_path / "elsewhere", "name: lint\ndescription: Lints.\n", "lint")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "engineering").symlink_to(tmp_path / "elsewhere")

    library = load_skills([tmp_path / "skills"])

    assert library.skills == ()
    assert len(library.unread) == 1


def test_an_agent_skills_folder_is_read_with_all_its_fields(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, WHOLE)
    (folder / "references").mkdir()
    (folder / "references" / "deep.md").write_text("Deep.\n")
    (folder / "procedure.yaml").write_text("steps: []\n")
    (folder / "evals").mkdir()
    (folder / "evals" / "a.yaml").write_text("answers\n")
    (folder / "logo.png").write_bytes(b"\x89PNG\r\n\x00\x00")

    skill = only(load_skills([tmp_path]))

    assert (skill.name, skill.title, skill.description) == ("mine", "Weak coverage", "Cells that do not cover their area.")
    assert (skill.body, skill.kind, skill.priority) == ("How to.", "", 20)
    assert skill.triggers == ("weak coverage", "弱覆盖", "覆盖空洞")
    assert skill.tool_names == ("match_scenario", "query_root_cause", "Bash(git:*)", "Read")
    assert skill.allowed_tools == ("match_scenario", "query_root_cause", READ_REFERENCE)
    assert [reference.path for reference in skill.references] == ["references/deep.md"]
    assert (skill.procedure, skill.source, skill.folder) == ("steps: []\n", folder / "SKILL.md", folder)
    assert skill.fields["author"] == "us"
    assert skill.problems == ()


def test_a_flat_file_is_read_with_the_fields_at_the_top(tmp_path: Path) -> None:
    """K1 and K3: the stem is the name and the title, the description is empty, the priority 0."""
    front = "name: coverage_analysis\ntitle: 覆盖分析\ndescription: 弱覆盖\ntriggers:\n  - 弱覆盖\n  - RSRP\npriority: 50\n"
    (tmp_path / "coverage.md").write_text(f"---\n{front}---\n\n# 指南\n", encoding="utf-8")
    (tmp_path / "bare.md").write_text("---\n---\ntext")
    (tmp_path / "README.md").write_text("# About these skills\n")

    coverage, bare = load_skills([tmp_path]).skills

    assert (coverage.name, coverage.title, coverage.priority) == ("coverage_analysis", "覆盖分析", 50)
    assert (coverage.triggers, coverage.body, coverage.is_flat) == (("弱覆盖", "RSRP"), "# 指南", True)
    assert coverage.problems == ()
    assert (bare.name, bare.title, bare.description, bare.priority, bare.body) == ("bare", "bare", "", 0, "text")


def test_skills_come_by_priority_and_then_by_name(tmp_path: Path) -> None:
    """K4."""
    for name, priority in (("b", 1), ("a", 1), ("c", 100), ("d", -5)):
        write_skill(tmp_path, f"name: {name}\ndescription: x\nmetadata:\n  priority: {priority}\n", name)

    assert [skill.name for skill in load_skills([tmp_path]).skills] == ["c", "a", "b", "d"]


@pytest.mark.parametrize(
    "raw",
    [
        "---\nname: mine\ndescription: 您好\n---\nBody\n",
        "\ufeff---\nname: mine\ndescription: 您好\n---\nBody\n",
        "---\r\nname: mine\r\ndescription: 您好\r\n---\r\nBody\r\n",
        "---\nname: mine\ndescription: 您好\n---",
        "---  \nname: mine\ndescription: '您好'\n---\t\nBody",
        "---\rname: mine\rdescription: 您好\r---\rBody",
    ],
    ids=["plain", "bom", "crlf", "ends at the fence", "blanks", "cr"],
)
def test_front_matter_is_read_however_a_text_editor_wrote_it(tmp_path: Path, raw: str) -> None:
    write_skill(tmp_path, raw.encode())

    skill = only(load_skills([tmp_path]))

    assert (skill.name, skill.description) == ("mine", "您好")
    assert skill.body in ("Body", "")
    assert [said(problem.sentence()) for problem in skill.problems if "byte order mark" not in said(problem.sentence())] == []


@pytest.mark.parametrize("value", ["no", "010", "1.0", "2024-01-02", "~", "0x1F", "true", "1e3"])
def test_a_scalar_is_the_text_that_its_author_wrote(tmp_path: Path, value: str) -> None:
    write_skill(tmp_path, f"name: mine\ndescription: {value}\nmetadata:\n  version: {value}\n")

    skill = only(load_skills([tmp_path]))

    assert (skill.description, skill.fields["version"]) == (value, value)


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        (b"", "mine/SKILL.md, line 1: The file does not begin with front matter: a line `---`, lines `name: ...`"),
        (b"# x", "line 1: The file does not begin with front matter"),
        (b"---\nname: mine\n", "line 1: The front matter has no closing line `---`."),
        (b"---\n- a\n---\n", "line 2: It must be a mapping"),
        (b"---\nname: mine\nx: \xff\n---\n", "line 3: The text is not UTF-8 (byte 18)."),
        (b"\xff\xfe-\x00-\x00", "line 1: The text is not UTF-8 (byte 0)."),
        (b"---\nname: a\x00b\n---\n", "line 2: The file holds a NUL character"),
        (b"x" * (600 * 1024), "It is larger than 512 KiB."),
        ("name: [mine]\n", "line 2: name must be a text."),
        ("description: x\nname: ../mine\n", "line 3: “../mine” cannot be a skill's name."),
        ("name: none\n", "line 2: “none” means “no skill”"),
        ("name: mine\ntitle: [x\n", "The front matter is not YAML"),
        (f"name: mine\n{BOMB}", "Aliases (*name) are not allowed"),
        ("name: mine\ntitle: " + "[" * 5_000 + "\n", "The front matter is not YAML"),
        ("? [a, b]\n: x\n", "A key of the front matter is not a text."),
        ("x: " + "y" * 20_000 + "\n", "more than 16,000 characters"),
        ("name: mine\nx: a\u0007b\n", "line 3: The front matter is not YAML"),
    ],
)
def test_what_cannot_be_read_is_reported_with_its_line_and_left_out(tmp_path: Path, front: str | bytes, expected: str) -> None:
    """K2."""
    write_skill(tmp_path, front)
    write_skill(tmp_path, "name: good\ndescription: x\n", "good")

    library = load_skills([tmp_path])

    assert [skill.name for skill in library.skills] == ["good"]
    (problem,) = library.problems
    assert expected in said(problem.sentence())
    assert said(problem.sentence()).endswith("It is left out.")
    assert problem.file == "mine/SKILL.md"


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("name: mine\nname: yours\ndescription: x\n", "mine/SKILL.md, line 3: name is given twice. The first value counts."),
        ("description: x\n", "The skill has no name. It is called mine after its file or folder."),
        ("name: mine\n", "There is no description"),
        ("name: mine\ndescription: x\nmetadata:\n  priority: high\n", "line 5: priority must be a whole number."),
        ("name: mine\ndescription: x\nmetadata:\n  triggers:\n    a: b\n", "line 5: triggers must be a text or a list of texts."),
        ("name: mine\ndescription: x\npriority: 3\n", "line 4: Write priority under `metadata:`."),
        ("name: mine\ndescription: x\ncolour: red\n", "line 4: colour is not a field of the Agent Skills specification."),
        ("name: mine\ndescription: " + "x" * 1100 + "\n", "line 3: The description is longer than the 1,024 characters"),
        ("name: other\ndescription: x\n", "line 2: The skill is called other, but its folder is mine."),
        ("name: Mine\ndescription: x\n", "line 2: Mine is not a name that the Agent Skills specification allows"),
        ("name: mine\ndescription: x\nmetadata: y\n", "line 4: It must be a mapping"),
        (
            "name: mine\ndescription: Use it when: cells fail\n",
            "line 3: The front matter is not YAML: “mapping values are not allowed here”; a text that holds a colon",
        ),
    ],
)
def test_a_fault_that_does_not_hinder_reading_is_a_remark_with_its_line(tmp_path: Path, front: str, expected: str) -> None:
    write_skill(tmp_path, front)

    skill = only(load_skills([tmp_path]))

    assert any(expected in said(problem.sentence()) for problem in skill.problems), problems(load_skills([tmp_path]))
    assert not any(problem.is_left_out for problem in skill.problems)


def test_a_colon_in_a_plain_description_does_not_lose_it(tmp_path: Path) -> None:
    """YAML refuses it, and authors write it."""
    write_skill(tmp_path, "name: mine\ndescription: Use it when: it's cells\n")

    assert only(load_skills([tmp_path])).description == "Use it when: it's cells"


def test_a_tag_of_yaml_makes_no_object(tmp_path: Path) -> None:
    write_skill(tmp_path, "name: mine\ndescription: !!python/object/apply:os.system [id]\n")

    assert only(load_skills([tmp_path])).description == ""


def test_of_two_skills_with_the_same_name_the_first_counts_and_the_other_is_reported(tmp_path: Path) -> None:
    write_skill(tmp_path, "name: cell_view\ndescription: first\n", "a")
    write_skill(tmp_path, "name: Cell-View\ndescription: second\n", "b")

    library = load_skills([tmp_path])

    assert [skill.description for skill in library.skills] == ["first"]
    assert [said(problem.sentence()) for problem in library.unread] == [
        "b/SKILL.md: A skill called Cell-View is already in a/SKILL.md. It is left out."
    ]


def test_a_skill_replaces_the_skill_of_its_name_in_an_earlier_folder(tmp_path: Path) -> None:
    """F8: a site adds and replaces skills by folders of its own."""
    write_skill(tmp_path / "one", "name: mine\ndescription: first\n")
    write_skill(tmp_path / "two", "name: mine\ndescription: second\n")

    assert only(load_skills([tmp_path / "one", tmp_path / "two"])).description == "second"


def test_a_folder_with_a_skill_file_is_one_skill(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "name: mine\ndescription: x\n")

    assert only(load_skills([folder])).name == "mine"


def test_places_that_hold_no_skills_are_reported(tmp_path: Path) -> None:
    """K2: a missing folder is said."""
    (tmp_path / "folder" / "SKILL.md").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.md").write_text("no front matter")
    (tmp_path / "file").write_text("x")

    found = load_skills([tmp_path / "nowhere", tmp_path / "file", tmp_path, Path("a\0b")])

    assert [said(problem.reason) for problem in found.unread] == [
        "There is no such folder.",
        "It is not a folder.",
        "The file is missing.",
        "It is not a regular file.",
        "The file does not begin with front matter: a line `---`, lines `name: ...` and `description: ...`, and a line `---`.",
        "There is no such folder.",
    ]


def test_a_name_is_found_however_it_is_spelt(tmp_path: Path) -> None:
    write_skill(tmp_path, "name: cell-view\ndescription: x\n", "cell-view")
    library = load_skills([tmp_path])

    assert all(library.get(name) is library.skills[0] for name in ("cell-view", "Cell_View", " CELL VIEW ", "ｃell-view"))
    assert library.get("cell") is None


def test_links_that_lead_out_or_in_a_circle_are_not_followed(tmp_path: Path) -> None:
    skills, secret = tmp_path / "skills", tmp_path / "secret"
    write_skill(secret, "name: mine\ndescription: x\n")
    (tmp_path / "beside.md").write_text("secret")
    folder = write_skill(skills, "name: linked\ndescription: x\n", "linked")
    (skills / "mine").symlink_to(secret / "mine")
    (skills / "flat.md").symlink_to(secret / "mine" / "SKILL.md")
    (folder / "out.md").symlink_to(secret / "mine" / "SKILL.md")
    (folder / "beside.md").symlink_to(Path("../../beside.md"))
    (folder / "folder").symlink_to(secret)
    (folder / "circle.md").symlink_to(folder / "circle.md")
    other = write_skill(skills, "name: other\ndescription: x\n", "other")
    (folder / "other.md").symlink_to(other / "SKILL.md")
    (folder / "inside.md").symlink_to(folder / "SKILL.md")

    library = load_skills([skills])

    linked = library.get("linked")
    assert linked is not None
    assert [reference.path for reference in linked.references] == ["inside.md"]
    assert sorted(said(problem.sentence()) for problem in library.problems) == [
        "flat.md: It leads out of the skill's folder by a link. It is left out.",
        "linked/beside.md: It leads out of the skill's folder by a link. It is left out.",
        "linked/circle.md: Its links lead in a circle, or its path is not a path. It is left out.",
        "linked/other.md: It leads out of the skill's folder by a link. It is left out.",
        "linked/out.md: It leads out of the skill's folder by a link. It is left out.",
        "mine/SKILL.md: It leads out of the skill's folder by a link. It is left out.",
    ]


@pytest.mark.parametrize("path", ["../other/SKILL.md", "/etc/passwd", "a\0b", "", ".", "references", "references/../SKILL.md", "x" * 5_000])
def test_a_reference_is_read_by_its_exact_path_alone(tmp_path: Path, path: str) -> None:
    folder = write_skill(tmp_path, "name: mine\ndescription: x\n")
    (folder / "references").mkdir()
    (folder / "references" / "a.md").write_text("A\r\n")
    skill = only(load_skills([tmp_path]))

    assert read_reference(skill, "references/a.md") == "A\n"
    with pytest.raises(Unusable):
        read_reference(skill, path)


def test_references_of_a_size_that_cannot_be_kept_are_reported(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "name: mine\ndescription: x\n")
    (folder / "huge.md").write_text("x" * (600 * 1024))
    for number in range(20):
        (folder / f"part{number:02}.md").write_text("x" * (500 * 1024))

    skill = load_skills([tmp_path]).skills[0]

    assert len(skill.references) == 16
    assert [said(problem.sentence()) for problem in skill.problems] == [
        "mine/huge.md: It is larger than 512 KiB. It is left out.",
        "mine/part16.md: The skill has too many files, or too large ones. This file and those behind it are not "
        "offered to a step. It is left out.",
    ]


def test_a_large_picture_is_no_fault_of_a_skill(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "name: mine\ndescription: x\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x00" + b"x" * (600 * 1024))
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "a.js").write_text("x")

    skill = only(load_skills([tmp_path]))

    assert (skill.references, skill.problems) == ((), ())


def test_a_folder_with_thousands_of_files_is_read_up_to_a_limit(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "name: mine\ndescription: x\n")
    for number in range(2_100):
        (folder / f"{number:04}.bin").write_bytes(b"\x00")

    (problem,) = load_skills([tmp_path]).skills[0].problems

    assert problem.file == "mine/2000.bin"


def test_the_hash_changes_with_what_a_job_takes_and_with_nothing_else(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "name: mine\ndescription: x\n")
    (folder / "a.md").write_text("A")
    first = only(load_skills([tmp_path])).hash

    (folder / "evals").mkdir()
    (folder / "evals" / "x.yaml").write_text("x")
    unchanged = only(load_skills([tmp_path])).hash
    (folder / "a.md").write_text("B")
    reference = only(load_skills([tmp_path])).hash
    (folder / "procedure.yaml").write_text("steps: []")
    procedure = only(load_skills([tmp_path])).hash

    assert first == unchanged
    assert len({first, reference, procedure}) == 3


def test_tools_that_a_skill_names_are_none_where_it_names_none_and_empty_where_it_names_nothing(tmp_path: Path) -> None:
    for name, field in (
        ("absent", ""),
        ("empty", "allowed-tools: ''\n"),
        ("wrong", "allowed-tools:\n  a: b\n"),
        ("listed", "allowed-tools: [a, b]\n"),
    ):
        write_skill(tmp_path, f"name: {name}\ndescription: x\n{field}", name)
    library = load_skills([tmp_path])

    allowed = {skill.name: skill.active().allowed_tools for skill in library.skills}

    assert allowed == {"absent": None, "empty": (READ_REFERENCE,), "wrong": (READ_REFERENCE,), "listed": ("a", "b", READ_REFERENCE)}


def test_name_and_description_of_every_skill_of_other_authors_are_exact(eval_data: Path) -> None:
    folder = eval_data / "skills"
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()]

    library = load_skills([folder])

    assert library.unread == ()
    assert {skill.folder.name: (skill.name, skill.description) for skill in library.skills} == {
        label["folder"]: (label["name"], label["description"]) for label in labels
    }


def test_a_large_body_is_read_whole(tmp_path: Path) -> None:
    body = "## Part\n\nText 文字.\n" * 4_000
    write_skill(tmp_path, "name: mine\ndescription: x\n", body=body)

    assert only(load_skills([tmp_path])).body == body.strip()


def test_the_catalogues_have_every_message_that_the_code_uses_and_no_other() -> None:
    assert catalogue_problems(PACKAGE / "locale", codes_used([PACKAGE])) == []


yaml_like = st.text(alphabet="abc:-[]{}&*!|>'\"#,? \n\t0~%@`é中", max_size=60)


@given(st.one_of(st.text(max_size=200), yaml_like))
def test_any_front_matter_is_read_or_refused_with_a_reason(text: str) -> None:
    with suppress(Unusable):
        assert read_front_matter(f"---\n{text}\n---\n").body is not None


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"Gr\xfc\xdfe\n", "skills.problem.not_utf8"),
        (b"\x89PNG\r\n\x00\x00", "skills.problem.not_utf8"),
        (b"a\x00b", "skills.problem.nul"),
        (b"x" * 600_000, "skills.problem.too_large"),
    ],
)
def test_a_file_that_is_left_out_is_not_said_to_be_missing(tmp_path: Path, content: bytes, why: str) -> None:
    folder = write_skill(tmp_path, WHOLE)
    (folder / "notes.md").write_bytes(content)
    skill = only(load_skills([tmp_path]))

    with pytest.raises(Unusable) as refused:
        read_reference(skill, "notes.md")

    assert refused.value.reason.code == why
