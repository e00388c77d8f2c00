"""Whole `analyze` jobs over data of an operator's own: all rows judged or said, the newest figures, forms, follow-ups, edits."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from contracts.analyze.answer import AnalyzeAnswer, Ending, TableShown
from contracts.jobs import EngineChoice, JobStatus
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.depots import BAD_SCANS, SCAN_PROCEDURE, SCAN_SKILL, SCANS, offer_depots, write_depots, write_skill
from tests.support.said import said
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob
from workers.settings import load_settings


@pytest.fixture(scope="module")
def skills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("skills")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, databases: Databases, skills: Path) -> Iterator[EmbeddedBench]:
    home = tmp_path_factory.mktemp("home")
    write_depots(skills, home / "depots")
    own = {"home": home, "embeddings": "none", "skills": (str(skills),)}
    with pytest.MonkeyPatch.context() as patch, silent_bench(load_settings().model_copy(update=own), databases) as running:
        offer_depots(running, home / "depots", patch)
        yield running


class Talk:
    """A conversation."""

    def __init__(self, bench: EmbeddedBench) -> None:
        self.bench = bench
        self.session: UUID = uuid4()

    def ask(self, question: str, **fields: object) -> FinishedJob:
        return self.bench.run_job({"kind": "analyze", "question": question, **fields}, EngineChoice.RULES, session_id=self.session)

    def say(self, question: str, **fields: object) -> AnalyzeAnswer:
        return answer_of(self.ask(question, **fields))

    def fill(self, question: str, *replies: str) -> AnalyzeAnswer:
        """A question whose forms are answered by these replies."""
        job = self.ask(question)
        for reply in replies:
            assert job.status is JobStatus.WAITING_HUMAN, job
            job = self.bench.answer(job.job_id, reply)
        return answer_of(job)


def answer_of(job: FinishedJob) -> AnalyzeAnswer:
    assert job.status is JobStatus.SUCCEEDED, (job.status, job.error)
    return AnalyzeAnswer.model_validate(job.result)


def text(answer: AnalyzeAnswer) -> str:
    return "\n".join(line if isinstance(line, str) else said(line) for line in answer.says)


def shown(table: TableShown) -> dict[str, tuple[object, ...]]:
    """Column in words → its cells."""
    return {label["und"]: tuple(row[place] for row in table.rows) for place, label in enumerate(table.labels)}


@pytest.fixture
def talk(bench: EmbeddedBench) -> Talk:
    return Talk(bench)


@pytest.fixture
def late(talk: Talk) -> Talk:
    """After the list of this week and the comparison with the week before."""
    talk.fill("late parcels", "week=2026-11-23\nlimit=5")
    talk.say("yes")
    return talk


def variant(skills: Path, name: str, old: str, new: str) -> str:
    """The skill of scans with another part in its procedure; the message that chooses it."""
    write_skill(skills, name, SCAN_SKILL.replace("slow-scans", name).replace("slow scans", name), SCAN_PROCEDURE.replace(old, new))
    return name


def test_all_rows_are_judged_and_not_the_sample_of_a_tool(talk: Talk) -> None:
    answer = talk.say("slow scans")

    assert f"{BAD_SCANS} of {SCANS} scans have a problem" in text(answer)


def test_cut_rows_are_said_and_are_never_an_all_clear(talk: Talk, skills: Path) -> None:
    answer = talk.say(variant(skills, "cut-scans", "ORDER BY id'\"", 'ORDER BY id\'", limit: "`100`"'), skill="cut-scans")

    assert "None of the" not in text(answer)
    assert "Of the 100 scans that could be judged, none has a problem." in text(answer)
    assert "Only 100 of 300 scans are at hand. The others are not counted." in text(answer)
    assert "Only 100 of 300 scans" in text(talk.say("the worst 3 scans"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "any: [{column: took_s, above: 9}]",
            "any: [{column: tok_s, equals: 1}]",
            "The rows have no column tok_s. Perhaps took_s is meant.",
        ),
        ("rows: rows, key: id", "rows: rows, key: ident", "The rows have no column ident. They have: id, took_s."),
    ],
)
def test_a_column_that_no_row_has_ends_the_analysis(talk: Talk, skills: Path, old: str, new: str, message: str) -> None:
    name = variant(skills, f"typo-{'column' if 'tok_s' in new else 'key'}", old, new)
    answer = talk.say(name, skill=name)

    assert answer.ending is Ending.FAILED
    assert message in text(answer)


def test_a_column_that_is_missing_beside_others_is_said(talk: Talk, skills: Path) -> None:
    name = variant(skills, "half-typo", "above: 9}]", "above: 90}, {column: tok_s, above: 1}]")
    answer = talk.say(name, skill=name)

    assert "None of the" not in text(answer)
    assert "No row has the column tok_s that the procedure names" in text(answer)


def test_after_a_comparison_the_newest_measurement_is_meant_and_both_are_labelled(late: Talk) -> None:
    """The procedure measures this week first, and the week before after a yes."""
    within = late.say("how many depots have a late share above 5 %?")
    earlier = late.say("how many depots had a late share above 5 % the week before?")
    worst = late.say("the worst 2 depots")

    assert "2 of 6 depots have late share (%) this week above 5: D02, D03." in text(within)
    assert "2 of 6 depots have late share (%) week before above 5: D01, D04." in text(earlier)
    assert text(worst).splitlines() == ["1. D02: late share (%) this week 7.5", "2. D03: late share (%) this week 6.2"]


def test_the_table_of_a_comparison_has_both_measurements_with_their_names(talk: Talk) -> None:
    talk.fill("late parcels", "week=2026-11-23\nlimit=5")
    (table,) = talk.say("yes").tables

    assert shown(table)["late share (%) this week"][:2] == (4.0, 7.5)
    assert shown(table)["late share (%) week before"][:2] == (9.0, 3.0)


def test_a_limit_is_a_parameter(talk: Talk) -> None:
    assert "3 of 6 depots have a problem" in text(talk.fill("late parcels", "week=2026-11-23\nlimit=3.5"))
