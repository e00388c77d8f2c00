"""`bullpen feedback JOB --adopted N | --ignored N`: a user's word on the fixes of a tuning report, over real Postgres and Redis."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from contracts.tune.plan import FixKind
from contracts.verdicts import TuningClass
from tests.support.commands import Commands, commands_on
from tests.support.experience import SHIPPED, end_tune_jobs_in, fix, tuning_report
from workers.coordinator.intake import accept, read_submission
from workers.kinds.tune.experience.finding import ExperienceQuery, find_experience
from workers.kinds.tune.experience.index import index_experience
from workers.kinds.tune.experience.library import read_library

REPORT = tuning_report(
    fix(1, FixKind.FILTER_SENTINEL, "tune-skew/sentinel-keys"),
    fix(2, FixKind.SALT, "tune-skew/salt-join", "tune-skew/two-stage-aggregation"),
    fix(3, FixKind.BROADCAST_JOIN),
)


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as commands:
        end_tune_jobs_in(REPORT, monkeypatch)
        index_experience(commands.db, None, read_library([SHIPPED]).pieces)
        yield commands


def submitted(bullpen: Commands) -> UUID:
    submission = read_submission({"job": {"kind": "tune", "bundle": "sha256:0"}})
    return accept(bullpen.db, submission, owner_cap=10).job_id


def tuned(bullpen: Commands) -> UUID:
    job = submitted(bullpen)
    bullpen.run_all()
    return job


def votes(bullpen: Commands) -> dict[str, tuple[int, int]]:
    """Of every piece of which something was said in jobs about skew: adopted, ignored."""
    query = ExperienceQuery({TuningClass.DATA_SKEW: 1.0, TuningClass.EXCESS_SHUFFLE: 0.5})
    items = find_experience(bullpen.db, None, query, limit=1_000).items
    return {item.experience_id: (item.adopted, item.ignored) for item in items if item.adopted or item.ignored}


def test_fixes_that_were_taken_and_those_that_were_not_count_for_their_experience(bullpen: Commands) -> None:
    """T30."""
    job = tuned(bullpen)

    told = bullpen.out("feedback", job, "--adopted", "F1", "--ignored", "2")

    assert told.splitlines() == [
        "F1 adopted: Do filter_sentinel (counts for tune-skew/sentinel-keys)",
        "F2 ignored: Do salt (counts for tune-skew/salt-join, tune-skew/two-stage-aggregation)",
    ]
    assert ": adopted F1; ignored F2" in bullpen.out("show", job)
    with bullpen.db.session() as connection:
        assert connection.execute("SELECT DISTINCT tuning_class FROM experience_feedback").fetchall() == [{"tuning_class": "data_skew"}]
    assert votes(bullpen) == {
        "tune-skew/sentinel-keys": (1, 0),
        "tune-skew/salt-join": (0, 1),
        "tune-skew/two-stage-aggregation": (0, 1),
    }


def test_a_fix_that_no_experience_led_to_counts_for_all_that_describe_its_remedy(bullpen: Commands) -> None:
    job = tuned(bullpen)

    learnt = bullpen.json("feedback", job, "--adopted", "3")

    assert learnt["noted"][0]["experience"] == []
    assert "all experience with this remedy: a broadcast join" in bullpen.out("feedback", job, "--adopted", "3")
    assert {"tune-skew/broadcast-past-skew", "tune-shuffle/broadcast-small-side"} <= votes(bullpen).keys()


def test_a_second_word_corrects_the_first_and_the_rest_stands(bullpen: Commands) -> None:
    job = tuned(bullpen)
    bullpen.out("feedback", job, "--adopted", "1", "--adopted", "f2")

    learnt = bullpen.json("feedback", job, "--ignored", "1", "--ignored", "3")
    again = bullpen.out("feedback", job, "--ignored", "1")

    assert (learnt["adopted"], learnt["ignored"]) == (["F2"], ["F1", "F3"])
    assert [noted["before"] for noted in learnt["noted"]] == ["adopted", None]
    assert "F1 ignored, as before: " in again
    assert votes(bullpen)["tune-skew/sentinel-keys"] == (0, 1)


def test_feedback_stands_in_the_log_and_in_show_and_the_job_stays_as_it_ended(bullpen: Commands) -> None:
    job = tuned(bullpen)
    before = bullpen.json("show", job)

    bullpen.out("feedback", job, "--adopted", "1")
    bullpen.out("feedback", job, "--ignored", "2")
    after = bullpen.json("show", job)

    assert (after["feedback"]["adopted"], after["feedback"]["ignored"]) == (["F1"], ["F2"])
    assert (after["status"], after["rev"], after["decided_rev"]) == ("succeeded", before["rev"] + 2, before["rev"] + 2)
    assert "adopted F1; ignored F2" in bullpen.out("show", job)
    assert "feedback given" in bullpen.out("watch", job)


def test_what_was_learnt_stays_when_the_job_is_purged(bullpen: Commands) -> None:
    job = tuned(bullpen)
    bullpen.out("feedback", job, "--adopted", "1")

    bullpen.db.statement("DELETE FROM jobs WHERE id = %(id)s", {"id": job})

    assert votes(bullpen) == {"tune-skew/sentinel-keys": (1, 0)}


def test_what_cannot_be_judged_is_refused_with_the_next_move(bullpen: Commands) -> None:
    job = tuned(bullpen)
    other = bullpen.ran("x")
    waiting = submitted(bullpen)

    assert "has no fix F9: it has F1, F2, F3. See: `bullpen show" in bullpen.fails("feedback", job, "--adopted", "9", code=2)
    assert "'F0' is no fix: give its number in the report, 2 or F2" in bullpen.fails("feedback", job, "--adopted", "F0", code=2)
    assert "is no fix" in bullpen.fails("feedback", job, "--ignored", "'; DROP TABLE jobs", code=2)
    assert "Fix F1 is named twice" in bullpen.fails("feedback", job, "--adopted", "1", "--ignored", "F1", code=2)
    said = bullpen.fails("feedback", job, "--right", code=2)
    assert "is of kind tune, which has no --right. For advice: " in said
    assert f"bullpen feedback {job} --adopted 1" in said
    assert "of kind noop, which learns from no feedback." in bullpen.fails("feedback", other, "--adopted", "1", code=2)
    assert "which has no --right" in bullpen.fails("feedback", job, "--right", "--adopted", "1", code=2)
    assert "has not ended: there is nothing to judge yet. Follow it: `bullpen watch" in (
        bullpen.fails("feedback", waiting, "--adopted", "1", code=5)
    )
    assert votes(bullpen) == {}


def test_a_report_that_advises_nothing_has_nothing_to_judge(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    end_tune_jobs_in(tuning_report(), monkeypatch)

    assert "advises nothing" in bullpen.fails("feedback", tuned(bullpen), "--adopted", "1", code=2)
