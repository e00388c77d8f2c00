"""The evaluations in a skill's folder, and `bullpen skills` on skills of one's own."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from contracts.jobs import EngineChoice
from contracts.statements import listing, name
from tests.support.commands import NOWHERE_POSTGRES, NOWHERE_REDIS, Commands, commands_on
from tests.support.said import said
from workers.kinds import registry
from workers.kinds.base import Bench, Ref
from workers.skills import Skill, load_skills
from workers.skills.evals import Dialogue, DialoguePlayed, TurnPlayed, read_evals

DIALOGUE = '{"id": "d1", "title": "t", "turns": [{"user": "hello", "expect": {"language": "en"}}, {"user": {"cancel": true}}]}\n'


def write(root: Path, name: str = "mine", *, front: str = "", **evals: str) -> Skill:
    folder = root / name
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Finds weak coverage of cells.\n{front}---\n\nDo it.\n", "utf-8")
    for file, text in evals.items():
        (folder / "evals" / file.replace("__", ".")).write_text(text, "utf-8")
    return next(skill for skill in load_skills([root]).skills if skill.name == name)


def test_questions_and_dialogues_are_read_from_yaml_and_json_lines(tmp_path: Path) -> None:
    yaml = "- id: d2\n  turns:\n    - user: 'yes'\n      expect: {max_calls: 2, skill: ''}\n- id: d3\n  turns: [{user: 好}]\n"
    choosing = "fits: [weak coverage]\nothers:\n  - 天气\n"
    evals = read_evals(write(tmp_path, choosing__yaml=choosing, a__jsonl=DIALOGUE, b__yaml=yaml))

    assert (evals.fits, evals.others, evals.problems) == (("weak coverage",), ("天气",), ())
    assert [dialogue.id for dialogue in evals.dialogues] == ["d1", "d2", "d3"]
    assert evals.dialogues[0].turns[1].user == {"cancel": True}
    assert evals.dialogues[1].turns[0].expect == {"max_calls": 2, "skill": ""}


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("a__jsonl", DIALOGUE + "{nonsense\n", "mine/evals/a.jsonl, line 2: The line is not JSON"),
        ("a__jsonl", DIALOGUE * 2, "line 2: An earlier dialogue has the id d1."),
        ("a__yaml", "- id: x\n  turns: []\n", "line 2: turns must have 1 or more items."),
        ("a__yaml", "- turns: [{user: x}]\n", "line 1: id is missing"),
        ("a__yaml", "- id: x\n  turns: [{user: x}]\n- 3\n", "line 3: - must be a mapping"),
        ("a__yaml", "a: &a [x]\nb: *a\n", "line 2: Aliases"),
        ("a__yaml", "[", "The file is not YAML"),
        ("choosing__yaml", "fit: [x]\n", "line 1: fit is not known here"),
    ],
)
def test_a_fault_in_an_evaluation_is_reported_with_its_line(tmp_path: Path, file: str, text: str, expected: str) -> None:
    (problem,) = read_evals(write(tmp_path, **{file: text})).problems

    assert expected in said(problem.sentence())
    assert said(problem.sentence(), "zh") != said(problem.sentence())


@pytest.fixture
def bullpen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    with commands_on(NOWHERE_POSTGRES, NOWHERE_REDIS, tmp_path / "home", monkeypatch) as commands:
        commands.setenv(skills=str(tmp_path / "skills"), embeddings="none")
        yield commands


def test_the_list_shows_what_skills_hold_and_what_is_left_out_in_the_wanted_language(bullpen: Commands, tmp_path: Path) -> None:
    write(tmp_path / "skills", "coverage", front="metadata:\n  title: 覆盖分析\n  priority: 7\n")
    (tmp_path / "skills" / "broken.md").write_text("---\nname: broken\n")

    english, chinese = bullpen.out("skills", "list"), bullpen.out("skills", "list", "--language", "zh")

    assert "覆盖分析" in english
    assert "broken.md, line 1: The front matter has no closing line `---`. It is left out." in english
    assert "broken.md 第 1 行：front matter 缺少结尾的 `---` 行。该内容未载入。" in chinese


def test_a_skill_is_shown_with_its_body_and_its_files(bullpen: Commands, tmp_path: Path) -> None:
    skill = write(tmp_path / "skills", "coverage", front="allowed-tools: query_source Bash(git:*)\n")
    (skill.folder / "limits.md").write_text("RSRP < -110\x1b[31m dBm")

    shown = bullpen.out("skills", "show", "Coverage")

    assert "query_source, Bash(git:*)" in shown
    assert "Not tools of this fleet: Bash(git:*)" in shown
    assert bullpen.out("skills", "show", "coverage", "--body").strip() == "Do it."
    (skill.folder / "procedure.yaml").write_text("steps:\n  - {id: a, say: hello}\n")
    assert bullpen.out("skills", "show", "coverage", "--file", "procedure.yaml").startswith("steps:")
    assert "Do you mean coverage?" in bullpen("skills", "show", "coverge").stderr
    assert "\x1b" not in bullpen.out("skills", "show", "coverage", "--file", "limits.md")
    assert bullpen.json("skills", "show", "coverage")["references"] == ["limits.md"]


@pytest.mark.parametrize(
    ("command", "code", "expected"),
    [
        (("show", "nothing"), 4, "There are: coverage."),
        (("show", "coverage", "--file", "../coverage/SKILL.md"), 4, "The skill has no file"),
        (("show", "coverage", "--graph"), 2, "has no procedure"),
        (("show", "coverage", "--language", "klingon"), 2, "klingon"),
        (("test", "nothing"), 4, "There is no skill “nothing”."),
    ],
)
def test_a_command_that_cannot_be_done_says_what_there_is(
    bullpen: Commands, tmp_path: Path, command: tuple[str, ...], code: int, expected: str
) -> None:
    write(tmp_path / "skills", "coverage")

    result = bullpen("skills", *command)

    assert result.exit_code == code
    assert expected in " ".join(result.stderr.split())


def test_validate_fails_on_what_is_left_out_and_with_strict_on_remarks(bullpen: Commands, tmp_path: Path) -> None:
    fine, remarked, broken = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    write(fine, "coverage")
    write(remarked, "coverage", front="priority: 3\n")
    write(broken, "coverage", a__jsonl="{")

    codes = [bullpen("skills", "validate", str(folder)).exit_code for folder in (fine, remarked, broken)]
    strict = [bullpen("skills", "validate", "--strict", str(folder)).exit_code for folder in (fine, remarked)]

    assert codes == [0, 0, 1]
    assert strict == [0, 1]
    assert bullpen("skills", "validate", str(fine / "coverage")).exit_code == 0
    assert bullpen("skills", "validate", str(tmp_path / "nowhere")).exit_code == 1


def test_the_questions_of_a_skill_are_tested_against_all_skills(bullpen: Commands, tmp_path: Path) -> None:
    write(
        tmp_path / "skills",
        "coverage",
        front="metadata:\n  triggers: weak coverage, RSRP\n",
        choosing__yaml="fits: [weak coverage by RSRP]\nothers: [who won the match]\n",
    )
    wrong = write(tmp_path / "skills", "other", choosing__yaml="fits: [how is the weather]\n")

    right = bullpen("skills", "test", "coverage")
    failed = bullpen("skills", "test", wrong.name)

    assert (right.exit_code, failed.exit_code) == (0, 1)
    assert "2 of 2 questions" in right.stdout
    assert "how is the weather" in failed.stdout


def play(bench: Bench, skill: Skill, dialogues: Sequence[Dialogue], engine: EngineChoice) -> Iterable[DialoguePlayed]:
    for dialogue in dialogues:
        turns = (TurnPlayed(str(turn.user), {"language": turn.user == "hello"}, note="in French") for turn in dialogue.turns)
        yield DialoguePlayed(dialogue.id, tuple(turns))


def test_dialogues_are_played_by_the_kind_of_the_skill(bullpen: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry.load_kinds(())
    (kind,) = [kind for kind in registry.all_kinds() if kind.name == "tune"]
    assert kind.skills is not None
    playing = replace(kind, skills=replace(kind.skills, play=Ref(f"{__name__}:play")))
    monkeypatch.setattr("workers.kinds.skills_shown.all_kinds", lambda: [playing])
    write(tmp_path / "skills", "coverage", front="metadata:\n  kind: tune\n", d__jsonl=DIALOGUE)

    result = bullpen("skills", "test", "coverage")
    found = bullpen("skills", "test", "coverage", "--json")

    assert result.exit_code == found.exit_code == 1
    assert "language: not as expected" in result.stdout
    assert "in French" in result.stdout
    assert "1 of 2 turns are right" in result.stdout


PROCEDURE = """\
steps:
  - id: looked
    call: query_source
    with: {source: "'shop'", sqll: "'SELECT 1'", limit: "`5000`"}
  - id: which
    ask: yes
    tool: query_sauce
    missing: [{name: hall}]
  - id: again
    call: query_source
    with: {source: "'shop'", limit: "`true`", values: "{a: message}"}
"""


def test_a_call_that_fails_in_every_job_is_a_fault_and_an_unknown_tool_a_remark(bullpen: Commands, tmp_path: Path) -> None:
    front = "allowed-tools: query_sorce query_source\nmetadata:\n  kind: analyze\n  trigger: hot\n"
    skill = write(tmp_path / "skills", "coverage", front=front, sources__yaml="- {name: shap, sample: true}\n")
    (skill.folder / "procedure.yaml").write_text(PROCEDURE)
    write(tmp_path / "skills", "other", front="metadata:\n  kind: analyse\n")

    found = bullpen.json("skills", "validate", code=1)

    assert not found["valid"]
    there = said(listing(*map(name, sorted(kind.name for kind in registry.all_kinds())))) + "."
    refuses = "query_source refuses this call in every job: "
    assert {(problem["place"].split("/")[-1], problem["reason"]) for problem in found["problems"] if problem["fault"]} == {
        ("procedure.yaml:4", refuses + "with.sqll is not known here. Perhaps sql."),
        ("procedure.yaml:4", refuses + "with.limit must be 2,000 or less."),
        ("procedure.yaml:11", refuses + "with.limit must be a whole number."),
        ("procedure.yaml:10", refuses + "it needs sql."),
    }
    assert {(problem["place"].split("/")[-1], problem["reason"]) for problem in found["problems"] if not problem["fault"]} == {
        ("SKILL.md:4", "This machine knows no tool query_sorce. Do you mean query_source?"),
        ("SKILL.md:7", "trigger is no field that is read. Do you mean triggers?"),
        ("procedure.yaml:6", "The user reads “yes” here, since each value in the file is a text. Write the sentence of this ask."),
        ("procedure.yaml:7", "This machine knows no tool query_sauce. Do you mean query_source?"),
        ("sources.yaml:1", "No step of the procedure names the source shap. They name: shop."),
        ("SKILL.md:5", "No kind of job is called analyse, so no job follows this skill. There are: " + there),
    }
    shown = "".join(bullpen("skills", "validate", "--language", "zh").stdout.split())  # lines are wrapped anywhere
    assert "query_source在每个任务中都会拒绝该调用：with.sqll在此处不存在，是否想写sql。" in shown


def test_a_procedure_calls_only_tools_that_its_skill_allows(bullpen: Commands, tmp_path: Path) -> None:
    skill = write(tmp_path / "skills", "coverage", front="allowed-tools: search_catalogue\nmetadata:\n  kind: analyze\n")
    (skill.folder / "procedure.yaml").write_text(
        "steps:\n  - id: looked\n    call: query_source\n    with: {source: \"'shop'\", sql: \"'SELECT 1'\"}\n"
    )

    (problem,) = bullpen.json("skills", "validate", code=1)["problems"]

    assert (problem["line"], problem["fault"], problem["left_out"]) == (3, True, False)
    assert "does not name query_source, so the call is refused in every job" in problem["reason"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "gb18030"])
def test_a_procedure_in_another_encoding_is_a_fault(bullpen: Commands, tmp_path: Path, encoding: str) -> None:
    skill = write(tmp_path / "skills", "coverage", front="metadata:\n  kind: analyze\n")
    (skill.folder / "procedure.yaml").write_text("steps:\n  - {id: a, say: 您好}\n", encoding)

    (problem,) = bullpen.json("skills", "validate", code=1)["problems"]

    assert problem["file"] == "coverage/procedure.yaml"
    assert "UTF-8" in problem["reason"] or "NUL" in problem["reason"]


@pytest.mark.parametrize(
    ("file", "text", "line", "expected"),
    [
        ("d__yaml", "- id: a\n  turns:\n    - user: x\n    - user: 12\n", 4, "turns.2.user must be a text"),
        ("d__yaml", "- id: a\n  turns:\n    - user: x\n    - usr: x\n", 4, "turns.2.usr is not known here. Perhaps user"),
        ("d__yaml", "- id: a\n  title: Overdue: check\n", 2, "a text that holds a colon and a space needs quotation marks"),
        ("d__yaml", "- id: a\n  turns:\n    -user: x\n    - user: y\n", None, "a list item needs a space after the hyphen"),
        ("sources__yaml", "- {name: hall, file: x}\n", 1, "file is not known here. Perhaps files"),
        ("choosing__yaml", "fit: [x]\n", 1, "fit is not known here. Perhaps fits"),
        (
            "d__yaml",
            "- id: a\n  turns:\n    - user: x\n    - user: y\n      expect: {suggestions: {min: 3, max: 2}}\n",
            4,
            "min of 3 above its max",
        ),
        (
            "d__yaml",
            "- id: a\n  turns: [{user: x, expect: {calls: [{tool: query_source}], max_calls: {query_source: 0}}}]\n",
            2,
            "turns.1.expect.max_calls allows 0 of query_source, but calls expects 1",
        ),
        ("d__yaml", "- id: a\n  turns: [{user: x, expect: {language: english}}]\n", 2, "can only be one of en and zh"),
    ],
)
def test_a_fault_of_a_dialogue_points_to_its_turn(
    bullpen: Commands, tmp_path: Path, file: str, text: str, line: int | None, expected: str
) -> None:
    write(tmp_path / "skills", "coverage", **{file: text})

    problem = bullpen.json("skills", "validate", code=1)["problems"][0]

    assert expected in problem["reason"]
    assert line is None or problem["line"] == line


def test_a_check_that_cannot_fail_is_a_fault(bullpen: Commands, tmp_path: Path) -> None:
    wrong = [
        {"id": "a", "turns": [{"user": "x", "expect": {"must_not_cal": ["query_source"]}}]},
        {"id": "b", "turns": [{"user": "x"}, {"user": "y", "expect": {"must_not_call": ["query_sauce"]}}]},
        {"id": "c", "turns": [{"user": "x", "expect": {"chart": "pie_chart"}}]},
        {"id": "d", "turns": [{"user": "x", "expect": {"params_request": True}}]},
    ]
    write(tmp_path / "skills", "coverage", d__jsonl="\n".join(map(json.dumps, wrong)))

    texts = [problem["text"] for problem in bullpen.json("skills", "validate", code=1)["problems"]]

    assert texts[0] == (
        "coverage/evals/d.jsonl, line 1: a, turns.1.expect.must_not_cal is not known here. Perhaps must_not_call. It is left out."
    )
    assert "line 2: b, turns.2.expect: this machine knows no tool query_sauce" in texts[1]
    assert "c, turns.1.expect.chart must be 'grouped_bar_chart', " in texts[2]
    assert "d, turns.1.expect.params_request must be a mapping" in texts[3]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("- {name: hall, files: nowhere}", "There is no nowhere in evals/."),
        ("- {name: hall, files: ../../..}", "There is no ../../.. in evals/."),
        ("- {name: hall}", "a source has exactly one of files, sample, kind"),
        ("- {name: Hall, sample: true}", "name must match the pattern"),
    ],
)
def test_a_source_of_dialogues_lies_in_the_skill(tmp_path: Path, text: str, fault: str) -> None:
    (problem,) = read_evals(write(tmp_path, sources__yaml=text)).problems

    assert fault in said(problem.sentence())
