"""What humans do from a terminal: answer, instruct, revise, unpin, cancel, replay, fork."""

import json
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest

from tests.support.commands import NOWHERE_REDIS, Commands
from workers.app.run_step import advance_and_publish
from workers.cli import human, replay
from workers.cli.context import services


def status(bullpen: Commands, job: object) -> str:
    return bullpen.json("show", job)["status"]


def test_an_answer_lets_the_job_go_on_and_counts_once(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s1.ask=1")

    first = bullpen.json("answer", job, "1 yes")
    again = bullpen.json("answer", job, "1 yes")

    assert first == again
    assert "was answered before: “1 yes”" in bullpen.fails("answer", job, "1 no", "--request", first["request_id"], code=5)
    bullpen.run_all()
    assert status(bullpen, job) == "succeeded"
    assert bullpen.json("show", job)["questions"][0]["answer"] == "1 yes"
    assert "answered: 1 yes" in bullpen.out("show", job)


def test_an_answer_names_its_question_when_several_are_open(bullpen: Commands) -> None:
    job = bullpen.submit("--set", "plan.left.ask=1", "--set", "plan.right.ask=1", kind="noop_graph")
    bullpen.run_all()
    left, _ = (question["request_id"] for question in bullpen.json("show", job)["questions"])

    assert "has 2 open questions. Name one with --request" in bullpen.fails("answer", job, "x", code=2)
    assert f"--request {left[-12:]}" in bullpen.out("show", job)
    assert bullpen.json("answer", job, "x", "--request", left[-12:])["request_id"] == left
    assert "It has: " in bullpen.fails("answer", job, "x", "--request", "abcdef1", code=4)
    assert "fits several questions" in bullpen.fails("answer", job, "x", "--request", left[:6], code=2)


def test_an_answer_may_be_piped_and_may_not_be_empty(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s1.ask=1")

    assert "The answer is empty" in bullpen.fails("answer", job, " ", code=2)
    answered = bullpen("answer", job, "-", stdin="1 yes\n2 no\n")
    assert "Answered question" in answered.stdout
    assert f"Its next question, or the answer: bullpen watch {str(job)[-12:]}" in answered.stderr
    bullpen.run_all()
    assert "no open question" in bullpen.fails("answer", job, "more", code=5)


def test_a_job_in_chinese_is_answered_in_chinese(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s1.ask=1")
    bullpen.db.statement("UPDATE jobs SET language = 'zh' WHERE id = %(id)s", {"id": job})

    assert "已回答问题" in bullpen.out("answer", job, "1 确认")
    assert "已撤回" in bullpen.out("answer", job, "--undo")


def test_an_action_is_kept_while_the_broker_is_away(bullpen: Commands, broker_url: str) -> None:
    job = bullpen.ran("--set", "plan.s1.ask=1")
    bullpen.setenv(broker_url=NOWHERE_REDIS)

    result = bullpen("answer", job, "1 yes")

    assert result.exit_code == 0
    assert "Warning: The broker does not answer. What you did is kept" in " ".join(result.stderr.split())
    bullpen.setenv(broker_url=broker_url)
    bullpen.run_all()
    assert status(bullpen, job) == "succeeded"


def test_an_instruction_goes_to_its_stage_or_asks_which(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s2.ask=1")

    told = bullpen.json("instruct", job, "hurry", "--stage", "s1")
    bullpen.run_all()
    bullpen.out("instruct", job, "be brief")
    bullpen.run_all()

    shown = bullpen.json("show", job)
    assert told["stage"] == "s1"
    assert [stage["versions"] for stage in shown["stages"] if stage["name"] == "s1"] == [2]
    assert "Which stage is your instruction meant for?" in bullpen.out("show", job)
    assert "It has: input, s1" in bullpen.fails("instruct", job, "x", "--stage", "s9", code=4)
    assert "The instruction is empty" in bullpen.fails("instruct", job, "", code=2)


def test_a_wrong_choice_lists_the_choices(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s2.ask=1")
    bullpen.out("instruct", job, "be brief")
    bullpen.run_all()
    asked = {question["payload"]["kind"]: question["request_id"] for question in bullpen.json("show", job)["questions"]}

    text = bullpen.fails("answer", job, "banana", "--request", asked["instruction"], code=2)

    assert "Begin the answer with one of: s1, s2" in text


def test_a_revision_is_pinned_until_it_is_unpinned(bullpen: Commands, tmp_path: Path) -> None:
    job = bullpen.ran("x")
    file = tmp_path / "mine.json"
    file.write_text('{"stage": "mine", "given": {}}')

    assert bullpen.json("revise", job, "s1", file) == {"job_id": str(job), "stage": "s1", "version": 2}
    bullpen.run_all()
    assert bullpen.json("show", job, "--stage", "s2")["content"]["given"] == {"input": "input", "s1": "mine"}
    assert "no longer pinned" in bullpen.out("unpin", job, "s1")
    bullpen.run_all()
    assert bullpen.json("show", job, "--stage", "s2")["version"] == 1
    assert "has no pinned version" in bullpen.fails("unpin", job, "s1", code=5)
    assert "It has: input" in bullpen.fails("revise", job, "s9", file, code=4)
    assert "no request of kind noop" in bullpen.fails("revise", job, "input", "-", stdin='{"plan": 1}', code=2)


def test_an_edit_says_what_it_changes_before_anything_is_written(bullpen: Commands, tmp_path: Path) -> None:
    job = bullpen.ran("x")
    file = tmp_path / "shown.json"
    shown = bullpen.json("show", job, "--stage", "s1")
    shown["content"]["stage"] = "mine"
    file.write_text(json.dumps(shown))

    dry = bullpen.json("revise", job, "s1", file, "--dry-run")
    text = bullpen.out("revise", job, "s1", file, "--dry-run")
    assert bullpen.json("show", job, "--stage", "s1")["version"] == 1
    edit = tmp_path / "edit.json"
    edit.write_text('{"mended": true}')
    copy = bullpen.json("fork", job, "--from", "s2", "--edit", edit, "--dry-run")
    copies = bullpen.db.row("SELECT count(*) AS n FROM jobs WHERE forked_from IS NOT NULL")
    bullpen.out("revise", job, "s1", file)

    assert dry["changes"] == [{"field": "stage", "before": "s1", "after": "mine"}]
    assert dry["again"] == ["s2", "s3", "s4", "s5", "s6"]
    assert 'stage: "s1" -> "mine"' in text
    assert copy["changes"] == [{"field": "mended", "before": None, "after": True}]
    assert copies == {"n": 0}
    assert bullpen.json("show", job, "--stage", "s1")["content"]["stage"] == "mine"


def test_an_edit_is_typed_or_read_from_a_file(bullpen: Commands) -> None:
    job = bullpen.ran("x")

    copy = bullpen.json("fork", job, "--from", "s2", "--edit", ' {"mended": true}', "--dry-run")

    assert copy["changes"] == [{"field": "mended", "before": None, "after": True}]
    assert "The JSON that was typed" in bullpen.fails("fork", job, "--from", "s2", "--edit", '{"mended": tru}', code=2)
    assert "Cannot read edit.json" in bullpen.fails("fork", job, "--from", "s2", "--edit", "edit.json", code=2)


def test_a_job_is_cancelled_once(bullpen: Commands) -> None:
    job = bullpen.submit("x")

    assert bullpen.json("cancel", job) == {"job_id": str(job), "cancelled": True, "status": "cancelled"}
    assert "it was cancelled before" in bullpen.out("cancel", job)
    assert f"is cancelled. Reopen it with `bullpen replay {job}`" in bullpen.fails("instruct", job, "x", code=5)


def test_a_failed_step_is_replayed_with_an_edit(bullpen: Commands, tmp_path: Path) -> None:
    job = bullpen.ran("--set", "plan.s2.break=1")
    step = bullpen.json("show", job)["steps"][-1]["id"]
    file = tmp_path / "edit.json"
    file.write_text('{"mended": true}')

    plan = bullpen.json("replay", step[-12:], "--dry-run")
    assert status(bullpen, job) == "failed"
    done = bullpen.json("replay", step[-12:], "--edit", file)
    bullpen.run_all()

    assert [(row["id"], row["stage"], row["error"]) for row in plan] == [(step, "s2", "EngineError")]
    assert (done["replayed"], done["problems"], done["steps"][0]["stage"]) == (1, 0, "s2")
    assert status(bullpen, job) == "succeeded"
    assert "s2 is done again" in bullpen.out("replay", step)


def test_a_job_is_replayed_where_it_failed(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s2.break=1")

    assert "s2 is done again. Follow it: bullpen watch" in bullpen.out("replay", str(job)[-12:])
    assert "what failed" in bullpen.out("replay", job, "--dry-run")
    assert "Name a step of it" in bullpen.fails("replay", job, "--edit", "-", stdin="{}", code=2)


def test_what_failed_is_replayed_in_bulk_by_its_filters(bullpen: Commands) -> None:
    jobs = [bullpen.submit("--set", "plan.s2.break=1") for _ in range(3)]
    other = bullpen.submit("--set", "plan.s1.break=1")
    bullpen.run_all()

    assert len(bullpen.json("replay", "--failed", "--dry-run")) == 4
    assert len(bullpen.json("replay", "--failed", "--dry-run", "--role", "classifier", "--since", "1h", "--error", "EngineError")) == 1
    assert bullpen.json("replay", "--failed", "--dry-run", "--kind", "noop_graph") == []
    assert bullpen.json("replay", "--failed", "--dry-run", "--since", "2999-01-01") == []
    assert bullpen.json("replay", "--failed", "--dry-run", "--error", "Other") == []
    assert "4 would be replayed" in bullpen.out("replay", "--failed", "--dry-run")
    assert "3 replayed." in bullpen.out("replay", "--failed", "--role", "retriever", "--rate", "500")
    assert {status(bullpen, job) for job in jobs} == {"running"}
    assert status(bullpen, other) == "failed"
    assert "No failed step matches" in bullpen.out("replay", "--failed", "--role", "analyst")


def test_a_job_that_moved_on_does_not_end_a_bulk_replay(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [bullpen.submit("--set", "plan.s2.break=1") for _ in range(2)]
    bullpen.run_all()
    rows = replay.do(replay.jobs.failed_steps)
    bullpen.db.statement("DELETE FROM jobs WHERE id = %(id)s", {"id": jobs[0]})
    monkeypatch.setattr(replay.jobs, "failed_steps", lambda here, asker, **_: rows)

    done = bullpen.json("replay", "--failed", code=1)

    assert (done["replayed"], done["problems"]) == (1, 1)
    assert status(bullpen, jobs[1]) == "running"


def test_a_bulk_replay_asks_on_a_terminal(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    job = bullpen.ran("--set", "plan.s2.break=1")
    monkeypatch.setattr(replay, "ASK_FROM", 0)
    monkeypatch.setattr(replay, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))

    assert bullpen("replay", "--failed", stdin="n\n").exit_code == 1
    assert status(bullpen, job) == "failed"
    assert bullpen("replay", "--failed", stdin="y\n").exit_code == 0
    assert status(bullpen, job) == "running"


def test_a_replay_says_what_it_cannot_do(bullpen: Commands) -> None:
    job = bullpen.submit("x")
    bullpen.run_all()
    bullpen.out("replay", bullpen.json("show", job)["steps"][0]["id"])
    wrong = {
        "replay": (2, "Name a step or a job, or say --failed"),
        f"replay {job} --failed": (2, "Name a step or a job, or say --failed"),
        f"replay {job} --role analyst": (2, "go with --failed"),
        "replay --failed --role boss": (2, "No role is called “boss”. The roles are: coordinator, classifier"),
        "replay --failed --kind later": (2, "No kind of job is called 'later'"),
        "replay --failed --since yesterday": (2, "“yesterday” is no time"),
        "replay --failed --since 5x": (2, "“5x” is no age"),
        "replay abcdef12": (4, "no step or job whose id begins or ends with abcdef12"),
        f"replay {uuid4()}": (4, "There is no step and no job"),
    }
    for arguments, (code, told) in wrong.items():
        assert told in bullpen.fails(*arguments.split(), code=code), arguments


def test_a_step_that_is_live_is_not_replayed(bullpen: Commands) -> None:
    job = bullpen.submit("x")
    advance_and_publish(services(), job)
    step = bullpen.json("show", job)["steps"][0]

    assert "is queued; wait for it, or cancel the job" in bullpen.fails("replay", step["id"], code=5)


def test_a_fork_does_a_stage_again_and_leaves_the_job(bullpen: Commands) -> None:
    job = bullpen.ran("x")

    copy = bullpen.json("fork", job, "--from", "s5")
    bullpen.run_all()

    shown = bullpen.json("show", copy["job_id"])
    assert (shown["forked_from"], shown["status"]) == (str(job), "succeeded")
    assert [step["stage"] for step in shown["steps"]] == ["s5", "s6"]
    assert bullpen.out("fork", job, "--from", "s1").strip() != str(job)
    assert "that can be done again. It has: s1" in bullpen.fails("fork", job, "--from", "input", code=4)


def test_answers_are_typed_one_after_the_other_in_a_terminal(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused answer leaves the question open; an empty line leaves the dialogue, which can be taken up again."""
    job = bullpen.ran("--set", "plan.s1.ask=1")
    assert "--undo" in bullpen.fails("answer", job, code=2)

    typed = iter(["", "x" * 200_000, "1 yes"])
    monkeypatch.setattr(human, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr("builtins.input", lambda _prompt: next(typed))
    waits = human.wait_job

    def wait(found: UUID) -> int:
        bullpen.run_all()
        return waits(found)

    monkeypatch.setattr(human, "wait_job", wait)

    left = bullpen("answer", job)
    assert (left.exit_code, "bullpen answer" in left.stdout) == (7, True)
    done = bullpen("answer", job)
    assert done.exit_code == 0, done.stderr
    assert status(bullpen, job) == "succeeded"
    assert bullpen.json("show", job)["questions"][0]["answer"] == "1 yes"
