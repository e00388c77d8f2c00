"""`bullpen skills test` on a skill of one's own, over data of one's own."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import NOWHERE_POSTGRES, NOWHERE_REDIS, Commands, commands_on

SKILL = """\
---
name: hall-heat
description: Finds machines that run too hot in a hall of the factory. 查找车间里温度过高的机器。
allowed-tools: query_source
metadata:
  kind: analyze
  triggers: hot machines, 高温机器
---

Look at the newest readings.
"""
PROCEDURE = """\
topic: heat
vocabulary:
  topics:
    - {name: heat, label: {en: heat, zh: 高温}, words: [hot, 高温]}
  columns:
    - {name: temp_c, label: {en: temperature (°C), zh: 温度 (°C)}, words: [temperature, 温度], better: low}
  levels:
    - {name: machine, label: {en: machines, zh: 机器}, words: [machine]}
steps:
  - id: halls
    call: query_source
    with: {source: "'factory'", sql: "'SELECT DISTINCT hall FROM readings ORDER BY hall'"}
  - id: which
    when: "!(params.hall)"
    ask: {en: "Which hall?", zh: "哪个车间？"}
    tool: query_source
    missing: [{name: hall, label: {en: hall, zh: 车间}, options: "results.halls.rows[*][0]"}]
  - id: measured
    call: query_source
    with:
      source: "'factory'"
      sql: "'SELECT machine AS id, max(temp_c) AS temp_c FROM readings WHERE hall = :hall GROUP BY machine ORDER BY machine'"
      values: "{hall: params.hall}"
      limit: "`500`"
    table: {rows: rows, key: id, level: machine}
  - id: hot
    find: {rows: results.measured.rows, key: id, level: machine, any: [{column: temp_c, above: 80}], column: temp_c}
"""
DIALOGUES = """\
- id: hot-machines
  lang: en
  turns:
    - user: Which machines are too hot?
      expect:
        params_request: {tool_name: query_source, missing_params: [hall], options: ["O'Brien", North]}
        calls: [{tool: query_source}]
    - user: East
      expect: {waits_for_human: true, must_say_all: ["“East” is not one of the choices"]}
    - user: O'Brien
      expect:
        calls: [{tool: query_source}]
        must_say_all: ["60 machines", press-59, "95"]
        table: {rows_to_client: 60, rows_to_model_max: 5}
- id: once
  turns:
    - user: "Which machines are too hot?"
      expect: {waits_for_human: true}
    - user: North
      expect: {calls: [], must_say_verbatim: "Cool it down?", suggestions: {min: 9, max: 9}}
- id: misspelt
  turns: [{user: "Which machines are too hot?", expect: {must_say_all: [never said]}}]
"""


SUGGESTED = 3


@pytest.fixture
def bullpen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    with commands_on(NOWHERE_POSTGRES, NOWHERE_REDIS, tmp_path / "home", monkeypatch) as commands:
        commands.setenv(skills=f"shipped,{tmp_path / 'skills'}", embeddings="none")
        yield commands


def test_the_dialogues_of_a_skill_are_played_over_its_own_data(bullpen: Commands, tmp_path: Path) -> None:
    """Its sixty machines come whole, and what the user writes is a value of the statement."""
    folder = tmp_path / "skills" / "hall-heat"
    (folder / "evals" / "factory").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "procedure.yaml").write_text(PROCEDURE)
    (folder / "evals" / "d.yaml").write_text(DIALOGUES)
    (folder / "evals" / "sources.yaml").write_text("- {name: factory, files: factory}\n")
    rows = [f"O'Brien,press-{number},{36 + number}" for number in range(60)]
    (folder / "evals" / "factory" / "readings.csv").write_text("\n".join(["hall,machine,temp_c", *rows, "North,saw-1,20"]))

    found = bullpen.json("skills", "test", "hall-heat", code=1)

    assert [problem["text"] for problem in found["problems"]] == []
    right, once, wrong = found["dialogues"]
    assert [turn for turn in right["turns"] if not all(turn["checks"].values())] == []
    assert once["turns"][1]["checks"] == {"ended": True, "calls": False, "must_say_verbatim": False, "suggestions": False}
    assert once["turns"][1]["why"] == {
        "calls": "expected no call; made: query_source",
        "must_say_verbatim": "expected Cool it down?; came: no such sentence",
        "suggestions": f"expected {{min: 9, max: 9}}; came: {SUGGESTED} suggestions",
    }
    assert wrong["turns"][0]["checks"]["must_say_all"] is False
    assert "BULLPEN_SOURCE_FACTORY_URL" not in os.environ
    assert not (tmp_path / "home").exists()


def test_a_statement_that_cannot_be_run_ends_the_step_and_is_no_all_clear(bullpen: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "hall-heat"
    (folder / "evals" / "factory").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "procedure.yaml").write_text(PROCEDURE.replace("WHERE hall", "WHERE hal"))
    (folder / "evals" / "d.yaml").write_text(DIALOGUES.split("- id: once")[0])
    (folder / "evals" / "sources.yaml").write_text("- {name: factory, files: factory}\n")
    (folder / "evals" / "factory" / "readings.csv").write_text("hall,machine,temp_c\nO'Brien,press-1,20\nNorth,saw-1,20")

    (dialogue,) = bullpen.json("skills", "test", "hall-heat", code=1)["dialogues"]

    last = dialogue["turns"][-1]
    assert not all(last["checks"].values())
    assert "hal" in last["note"]
    assert "has a problem" not in last["note"]


def test_a_query_that_fails_and_a_procedure_with_a_fault_are_not_right(bullpen: Commands, tmp_path: Path) -> None:
    """The dialogue expects nothing of the query, and its failure is said all the same."""
    folder = tmp_path / "skills" / "hall-heat"
    (folder / "evals" / "factory").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "procedure.yaml").write_text(PROCEDURE.replace("SELECT DISTINCT hall FROM readings", "SELECT DISTINCT hall FROM reedings"))
    (folder / "evals" / "d.yaml").write_text("- {id: a, turns: [{user: 'Which machines are too hot?'}]}\n")
    (folder / "evals" / "sources.yaml").write_text("- {name: factory, files: factory}\n")
    (folder / "evals" / "factory" / "readings.csv").write_text("hall,machine,temp_c\nNorth,saw-1,20\n")

    found = bullpen.json("skills", "test", "hall-heat", code=1)
    (folder / "procedure.yaml").write_text(PROCEDURE.replace("limit:", "limmit:"))
    faulty = bullpen("skills", "test", "hall-heat", "--only", "nothing")

    (turn,) = found["dialogues"][0]["turns"]
    assert turn["checks"]["errors"] is False
    assert "query_source: " in turn["why"]["errors"]
    assert faulty.exit_code == 1
    assert "with.limmit is not known here. Perhaps limit." in " ".join(faulty.stderr.split())


EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "hall-heat"


def test_the_example_of_the_docs_is_valid_and_passes_its_own_dialogues(bullpen: Commands, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "skills" / "hall-heat")

    valid = bullpen.out("skills", "validate", tmp_path / "skills", "--strict")
    printed = bullpen.out("skills", "test", "hall-heat")

    assert "Everything is valid." in valid
    assert "0 of 0 questions and 6 of 6 turns are right." in printed
