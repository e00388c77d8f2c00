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
from workers.coordinator.replay import replay_stage
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.about import by_person
from workers.kinds.analyze.view import show_result
from workers.kinds.base import FinishedJob, ShowOptions
from workers.kinds.shown import report_of, rows_of
from workers.reading.facts import read_job_facts
from workers.saying.document import texts_in
from workers.saying.terminal import to_lines
from workers.settings import load_settings
from workers.sources.exporting import export_rows


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
    assert text(worst).splitlines() == ["1. D02: late share (%) this week 7.5", "2. D03: late share (%) this week 6.25"]


def test_the_table_of_a_comparison_has_both_measurements_with_their_names(talk: Talk) -> None:
    talk.fill("late parcels", "week=2026-11-23\nlimit=5")
    (table,) = talk.say("yes").tables

    assert shown(table)["late share (%) this week"][:2] == (4.0, 7.5)
    assert shown(table)["late share (%) week before"][:2] == (9.0, 3.0)


def test_a_limit_is_a_parameter(talk: Talk) -> None:
    assert "3 of 6 depots have a problem" in text(talk.fill("late parcels", "week=2026-11-23\nlimit=3.5"))


@pytest.mark.parametrize(
    "reply",
    [
        "week=2026-11-23\nlimit=5",
        "week=2026-11-23 limit=5",
        "Monday=2026-11-23\nlimit (%)=5",
        "Monday 23.11.2026, limit 5",
        "2026-11-23 5,0",
        '{"params": {"week": "2026-11-23", "limit": 5}}',
    ],
)
def test_a_form_takes_names_and_labels_on_one_line_or_several(talk: Talk, reply: str) -> None:
    answer = talk.fill("late parcels", reply)

    assert answer.about == "Week 2026-11-23"
    assert "2 of 6 depots have a problem: D02, D03." in text(answer)


def test_what_a_form_refuses_is_said_and_what_it_took_stays(talk: Talk) -> None:
    job = talk.ask("late parcels")
    for reply, asked in (("Monday=next week limit=5", "next week"), ("23.11.2026", "")):
        job = talk.bench.answer(job.job_id, reply)
        question = talk.bench.database.statement(
            "SELECT payload FROM requests WHERE job_id = %(id)s AND kind = 'question' AND response IS NULL", {"id": job.job_id}
        )
        if asked:
            assert "“next week” is not a date for Monday, which is written like 2026-11-30" in question[0]["payload"]["text"]

    assert "2 of 6 depots have a problem" in text(answer_of(job))


def test_what_the_question_has_is_not_asked_again(talk: Talk) -> None:
    answer = talk.say("late parcels in the week of 2026-11-16, limit 8")

    assert "Taken from the question: Monday = 2026-11-16, limit (%) = 8." in text(answer)
    assert "2 of 6 depots have a problem: D01, D04." in text(answer)


def test_other_values_do_the_same_analysis_again(late: Talk) -> None:
    answer = late.say("limit=7")

    assert answer.skill == "depot-late"
    assert answer.about == "Week 2026-11-23"
    assert "1 of 6 depots has a problem: D02." in text(answer)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("which depots are in the Harbour area?", "Harbour: 3 (D03, D04, D05)"),
        ("the worst depot in the Harbour area", "Only rows with Harbour:\n1. D03: late share (%) this week 6.25"),
        ("what is the mean late share by area?", "was not understood as a question that the results at hand can answer"),
        ("draw the late share as a wheel of fortune", "was not understood as a question that the results at hand can answer"),
        ("2026-11-23, 2.5", "was not understood as a question that the results at hand can answer"),
    ],
)
def test_a_follow_up_stays_with_its_analysis_and_what_is_not_understood_is_said(late: Talk, words: str, says: str) -> None:
    answer = late.say(words)

    assert answer.skill == "depot-late"
    assert says in text(answer)
    assert "2 of 6" not in text(answer)


def test_a_follow_up_that_names_another_skill_begins_it(late: Talk) -> None:
    assert late.say("slow scans").skill == "slow-scans"


def test_figures_alone_are_for_no_skill(talk: Talk) -> None:
    assert talk.say("2026-11-23, 2.5").ending is Ending.NO_SKILL


def test_an_edited_step_is_marked_as_a_persons_in_the_report(talk: Talk) -> None:
    job = talk.ask("late parcels in the week of 2026-11-23, limit 5")
    replay_stage(talk.bench.database, job.job_id, "act/1", edit={"params": {"week": "2026-11-23", "limit": 2}})
    done = talk.bench.go_on(job.job_id)
    facts = read_job_facts(talk.bench.database, job.job_id)

    assert "Taken from the question: Monday = 2026-11-23.\n3 of 6 depots have a problem" in text(answer_of(done))
    assert [stage.name for stage in by_person(facts)] == ["act/1"]
    assert "act/1" in "\n".join(map(str, texts_in(report_of(facts, "en"))))


def test_rows_of_the_last_table_are_exported_as_they_are(talk: Talk, tmp_path: Path) -> None:
    talk.fill("late parcels", "week=2026-11-23\nlimit=5")
    job = talk.ask("yes")
    rows = rows_of(read_job_facts(talk.bench.database, job.job_id))
    done = export_rows(rows.columns, rows.rows, is_cut=rows.is_cut, to=tmp_path / "rows.csv", exact=True)

    assert (done.rows, done.cut) == (6, None)
    assert (tmp_path / "rows.csv").read_text("utf-8").splitlines()[:2] == [
        "id,area,late_pct,late_pct_before,parcels,parcels_before",
        "D01,North,4.0,9.0,101,100",
    ]


def test_columns_that_a_table_leaves_out_are_named(talk: Talk) -> None:
    answer = talk.fill("late parcels", "week=2026-11-23\nlimit=5")
    document = show_result(answer.to_json(), ShowOptions())

    assert document is not None
    assert any("not shown: area" in line.plain for line in to_lines(document, "en", 120))


def test_whole_numbers_stay_whole(late: Talk) -> None:
    assert "1. D01: parcels this week 101" in text(late.say("the most parcels"))
