"""`bullpen submit`, `jobs`, `show`, and what every command shares: ids, errors, harmless text."""

import json
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tests.support.commands import NOWHERE_POSTGRES, NOWHERE_REDIS, Commands
from workers.blackboard import board_rows

ESCAPES = "a\x1b[31mred\x1b]0;title\x07 \x9b2J‮ [bold]b[/bold] :smile:"


def test_a_submission_prints_its_id_and_nothing_else(bullpen: Commands) -> None:
    """D1: a script takes the id from stdout."""
    result = bullpen("submit", "noop", "hello")

    job_id = UUID(result.stdout.strip())
    assert f"bullpen watch {job_id}" in result.stderr
    assert bullpen.json("show", job_id)["status"] == "accepted"
    assert bullpen.json("show", job_id, "--stage", "input")["content"]["text"] == "hello"


def test_a_submission_carries_what_its_options_say(bullpen: Commands) -> None:
    session = uuid4()
    job = bullpen.json(
        "submit", "noop", "--owner", "me", "--priority", "9", "--key", "k1", "--session", session, "--engine", "rules", "--wall-time", "60",
    )  # fmt: skip

    shown = bullpen.json("show", job["job_id"])

    assert job["broker_told"]
    assert (shown["owner"], shown["priority"], shown["session_id"], shown["engine"]) == ("me", 9, str(session), "rules")
    assert (shown["budget"], shown["idempotency_key"]) == ({"wall_time_s": 60.0}, "k1")


def test_a_request_comes_from_a_file_from_stdin_and_from_fields(bullpen: Commands, tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    file.write_text('\ufeff{"text": "of a file", "plan": {"s1": {"fail": 1}}}')

    by_file = bullpen.submit("--file", file, "--set", "plan.s2.ask=1", "--set", "text=a=b")
    by_stdin = UUID(bullpen.out("submit", "noop", "--file", "-", stdin='{"text": "piped"}').strip())

    assert bullpen.json("show", by_file, "--stage", "input")["content"]["plan"] == {"s1": {"fail": 1}, "s2": {"ask": 1}}
    assert bullpen.json("show", by_file, "--stage", "input")["content"]["text"] == "a=b"
    assert bullpen.json("show", by_stdin, "--stage", "input")["content"]["text"] == "piped"


def test_the_same_key_gives_the_same_job_and_another_body_is_refused(bullpen: Commands) -> None:
    first = bullpen.json("submit", "noop", "a", "--key", "k")
    again = bullpen.json("submit", "noop", "a", "--key", "k")

    assert again == {"job_id": first["job_id"], "existing": True, "broker_told": True}
    assert first["job_id"] in bullpen.fails("submit", "noop", "b", "--key", "k", code=5)


def test_a_wrong_submission_says_what_is_wrong(bullpen: Commands) -> None:
    wrong = {
        "later x": "No kind of job is called 'later'. This release knows: ",
        "diagnose": "description is missing",
        "noop --set nothing": "write name=value",
        "noop --set text=a --set text.b=c": "text is already set to a value",
        "noop --set no_such=1": "no_such is not known here",
        "noop --file /no/such/file.json": "Cannot read /no/such/file.json: No such file",
        "noop --priority 10": "should be less than or equal to 9",
        "noop --engine magic": "'auto', 'rules', 'llm'",
    }
    for arguments, told in wrong.items():
        assert told in bullpen.fails("submit", *arguments.split(), code=2)

    assert bullpen.json("jobs") == []


def test_a_file_that_is_no_request_is_refused(bullpen: Commands) -> None:
    wrong = {
        "[1]": "must hold a JSON object",
        '{"a": NaN}': "NaN is not a JSON number",
        "{": "Not JSON",
        '{"kind": "etl"}': "is a request of kind “etl”, not “noop”",
    }
    for body, told in wrong.items():
        assert told in bullpen.fails("submit", "noop", "--file", "-", stdin=body, code=2)


def test_a_job_is_accepted_while_the_broker_is_away(bullpen: Commands) -> None:
    """F2: durable before anything else; the sweep starts it."""
    bullpen.setenv(broker_url=NOWHERE_REDIS)

    result = bullpen("submit", "noop", "x")

    assert result.exit_code == 0
    assert "broker does not answer. The job is accepted and durable" in result.stderr
    assert "brokersecret" not in result.stderr
    assert bullpen.json("show", result.stdout.strip())["status"] == "accepted"


def test_jobs_are_listed_newest_first_and_narrowed(bullpen: Commands) -> None:
    done = bullpen.ran("first", "--owner", "ann")
    waiting = bullpen.ran("second", "--set", "plan.s1.ask=1")

    assert [row["id"] for row in bullpen.json("jobs")] == [str(waiting), str(done)]
    assert [row["about"] for row in bullpen.json("jobs", "--status", "succeeded")] == ["first"]
    assert [row["questions"] for row in bullpen.json("jobs", "--owner", "default")] == [1]
    assert bullpen.json("jobs", "--kind", "diagnose") == []
    assert len(bullpen.json("jobs", "--limit", "1")) == 1
    table = bullpen.out("jobs")
    assert str(done)[-12:] in table
    assert "waiting_human" in table
    assert "No job matches" in bullpen.out("jobs", "--owner", "nobody")
    assert "'accepted', 'running'" in bullpen.fails("jobs", "--status", "asleep", code=2)


def test_show_begins_with_the_answer_and_tells_steps_when_asked(bullpen: Commands) -> None:
    done = bullpen.ran("x", "--set", "plan.s2.fail=1")
    bullpen.db.statement("UPDATE steps SET due_at = now() WHERE status = 'queued'")
    bullpen.run_all()
    asks = bullpen.ran("x", "--set", "plan.s1.ask=1")

    value, text = bullpen.json("show", done), bullpen.out("show", done)
    question = bullpen.json("show", asks)["questions"][0]

    assert [(stage["name"], stage["fresh"], stage["version"]) for stage in value["stages"]][:2] == [("input", True, 1), ("s1", True, 1)]
    assert [(step["stage"], step["attempt"]) for step in value["steps"]][:2] == [("s1", 1), ("s2", 2)]
    assert value["result"] == {"stage": "s6", "version": 1, "content": {"stage": "s6", "given": {"input": "input", "s5": "s5"}}}
    assert text.index("stage: s6") < text.index("How it came about") < text.index("s6 done")
    assert "2 of 3" not in text
    assert "2 of 3" in bullpen.out("show", done, "--steps")
    assert (question["state"], question["payload"]["text"]) == ("open", "s1: question 1?")
    assert f'bullpen answer {str(asks)[-12:]} "..."' in bullpen.out("show", asks)


def test_show_prints_versions_of_a_deliverable(bullpen: Commands) -> None:
    job = bullpen.ran("x")
    bullpen.out("revise", job, "s1", "-", stdin='{"stage": "mine", "given": {}}')

    assert bullpen.json("show", job, "--stage", "s1")["version"] == 2
    assert bullpen.json("show", job, "--stage", "s1", "--version", "1")["origin"] == "role"
    assert "version 2 (human, pinned)" in bullpen.out("show", job, "--stage", "s1")
    assert "It has: " in bullpen.fails("show", job, "--stage", "s1", "--version", "7", code=4)
    assert "no deliverable s9" in bullpen.fails("show", job, "--stage", "s9", code=4)
    assert "--version goes with --stage" in bullpen.fails("show", job, "--version", "1", code=2)


def test_show_lists_decisions_with_their_rules(bullpen: Commands) -> None:
    job = bullpen.ran("x")

    assert [row["rule"] for row in bullpen.json("show", job, "--decisions")["decisions"]] == [*["ready"] * 6, "final"]
    assert "dispatch s1" in bullpen.out("show", job, "--decisions")


def test_show_survives_a_plan_in_a_circle(bullpen: Commands) -> None:
    job = bullpen.submit("x")
    bullpen.db.statement("UPDATE stages SET needs = '{s2}' WHERE name = 's1'")
    bullpen.run_all()

    assert "in a circle" in bullpen.json("show", job)["plan_fault"]
    assert "in a circle" in bullpen.out("show", job)
    assert bullpen.json("why", job)["rule"] == "invalid plan"
    assert "no stage that can be done again" in bullpen.fails("replay", job, code=5)


def test_a_job_is_named_by_its_beginning_or_its_end(bullpen: Commands) -> None:
    job = bullpen.submit("x")
    text = str(job)

    for name in (text, text.upper(), job.hex, text[-12:], text[-6:], text[:23], text[:13]):
        assert bullpen.json("show", name)["id"] == text


def test_an_id_that_fits_several_jobs_lists_them(bullpen: Commands) -> None:
    jobs = [bullpen.submit(name) for name in "ab"]
    text = bullpen.fails("show", str(jobs[0])[:6], code=2)

    assert "fits 2 ids of a job" in text
    assert str(jobs[0]) in text
    assert f"{jobs[1]} (noop, accepted)" in text


def test_a_job_that_is_not_there_is_said_to_be_so(bullpen: Commands) -> None:
    names = {
        "abc": (2, "6 or more characters"),
        "not-an-id": (2, "is no id of a job"),
        "a" * 40: (2, "is no id of a job"),
        "abcdef": (4, "no job whose id begins or ends with abcdef. See `bullpen jobs`"),
        "01a1fc79-4c92-70a1-9353-a2b4414b2eb7": (4, "There is no job 01a1fc79-4c92-70a1-9353-a2b4414b2eb7. `bullpen jobs` lists them."),
    }
    commands = [["show"], ["watch"], ["why"], ["cancel"], ["answer", "x"], ["instruct", "x"], ["unpin", "s1"], ["fork", "--from", "s1"]]
    for name, (code, told) in names.items():
        for command, *more in commands:
            assert told in bullpen.fails(command, name, *more, code=code)


def test_no_text_of_others_reaches_the_terminal_raw(bullpen: Commands) -> None:
    """Tickets, answers and errors may hold escape sequences, and marks that turn the reading direction."""
    job = bullpen.ran(ESCAPES, "--set", "plan.s2.ask=1", "--owner", ESCAPES)
    bullpen.out("answer", job, ESCAPES)
    bullpen.run_all()

    printed = {
        "jobs": bullpen.out("jobs"),
        "show": bullpen.out("show", job),
        "stage": bullpen.out("show", job, "--stage", "input"),
        "watch": bullpen.out("watch", job),
        "json": bullpen.out("show", job, "--stage", "input", "--json"),
        "jsonl": bullpen.out("watch", job, "--json"),
    }

    for name, text in printed.items():
        assert not set("\x1b\x07\x9b\u202e") & set(text), name
    assert "a␛[31mred␛]0;title␇ \ufffd2J\ufffd [bold]b[/bold] :smile:" in printed["stage"]
    assert json.loads(printed["json"])["content"]["text"] == ESCAPES


def test_a_database_that_is_away_is_one_line_and_exit_code_6(bullpen: Commands) -> None:
    bullpen.setenv(database_url=NOWHERE_POSTGRES)

    for command in (["jobs"], ["submit", "noop", "x"], ["pause", "analyst"], ["watch", str(uuid4())], ["purge", "--older-than", "1d"]):
        text = bullpen.fails(*command, code=6)
        assert text.startswith("Error: Postgres at postgresql://someone:***@127.0.0.1:1/nowhere does not answer")
        assert "bullpen up" in text
        assert "dbsecret" not in text


def test_a_database_without_our_schema_says_to_migrate(bullpen: Commands, servers) -> None:
    bullpen.setenv(database_url=servers.postgres.url)

    assert "Run `bullpen db migrate`" in bullpen.fails("jobs", code=6)


def test_the_servers_of_a_running_fleet_are_found(
    bullpen: Commands, monkeypatch: pytest.MonkeyPatch, database_url: str, tmp_path: Path
) -> None:
    monkeypatch.delenv("BULLPEN_DATABASE_URL")
    bullpen.setenv()
    text = bullpen.fails("jobs", code=6)
    assert "BULLPEN_DATABASE_URL not set, and no fleet runs here. Start one with `bullpen up`" in text

    file = tmp_path / "home" / "addresses.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"database_url": database_url, "broker_url": "redis://127.0.0.1:1/0", "flower_url": None, "pid": 1}))
    bullpen.setenv()
    assert bullpen.json("jobs") == []
    assert bullpen.json("settings")["database_url"]["from"] == "bullpen up"
    assert bullpen.json("settings")["broker_url"]["from"] == "environment"

    file.write_text("{")
    bullpen.setenv()
    assert "cannot be read" in bullpen.fails("jobs", code=1)


def test_an_error_that_nobody_foresaw_is_short_unless_debugging(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise RuntimeError("the pipe to redis://:hushhush@there\nbroke")

    monkeypatch.setattr(board_rows, "Board", broken)
    job = bullpen.submit("x")

    short = bullpen.fails("why", job, code=1)
    bullpen.setenv(log_level="debug")
    long = bullpen.fails("why", job, code=1)

    assert short == "Unexpected error: RuntimeError: the pipe to redis://:***@there broke BULLPEN_LOG_LEVEL=debug shows where."
    assert "Traceback" in long
    assert "hushhush" not in short + long
