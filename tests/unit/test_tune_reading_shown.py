"""What is shown of reading: to the model that chooses what is read next, and to the reader of the report."""

import json

import pytest

from contracts.bundles import ArtefactRead, Catalogue
from contracts.statements import say
from contracts.tune.plan import TuningPlan
from contracts.tune.steps import Causes, Evidence, ExperienceFound, KeyCode
from contracts.verdicts import Findings
from tests.support.advice import script_of
from tests.support.said import said
from tests.support.tune_bundles import KINDS
from tests.support.tune_jobs import SAMPLES
from workers.engines.artefacts.tables import read_tables
from workers.engines.spark.eventlog import read_run
from workers.kinds.tune.report.basis import reading_shown
from workers.kinds.tune.rules.by_model.digest import reading_digest
from workers.kinds.tune.rules.by_model.thoughts import Unread
from workers.kinds.tune.rules.causes import suppose
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.first_look import classification, classify_by_words
from workers.kinds.tune.rules.summarise import report
from workers.llm import render_prompt
from workers.saying.document import Facts

SKEWED = SAMPLES / "spark_skew"
TOLD = "why is it slow {analysis} {0}?"
PRELIMINARY = classify_by_words("", (), Catalogue(bundle="b", content_hash="0"))


@pytest.fixture(scope="module")
def findings() -> Findings:
    """Of the skewed sample."""
    script = script_of((SKEWED / "nightly_engagement.py").read_text("utf-8"), "nightly_engagement.py")
    tables = read_tables(json.loads((SKEWED / "tables.json").read_text("utf-8")))
    return find(read_run(SKEWED / "eventlog.zstd"), script.facts, tables)


def read(name: str, number: int = 0) -> ArtefactRead:
    summary = say("tune.not_known.nothing_measured")
    return ArtefactRead(name=name, kind="plain_log", sha256="0" * 64, round=number, reason=say("tune.read.anyway"), summary=summary)


def prompt_of(findings: Findings, *artefacts: ArtefactRead) -> str:
    found = classification(findings, PRELIMINARY, artefacts)
    causes = suppose(found, KeyCode(), ExperienceFound(query=""), findings, "")
    evidence = Evidence(read=artefacts, findings=findings)
    unread = [Unread("shuffle.log", KINDS["shuffle_log"], 10)]
    digest = reading_digest(evidence, Causes(hypotheses=causes.hypotheses), unread, TOLD, "en", 30_000)
    return render_prompt("file-recommender/tuning-reading", {**digest.for_prompt(), "most": 3})


def test_what_is_read_next_is_chosen_by_the_hypotheses_the_users_words_what_was_found_and_the_rules(findings: Findings) -> None:
    """T19: and a user's braces are only text."""
    prompt = prompt_of(findings, read("driver.log"))

    for part in ("# The hypotheses", "# Not read, by number", "# What was found", "# What was read", "# The description"):
        assert part in prompt
    assert TOLD in prompt
    assert all(name in prompt for name in ("shuffle.log", "driver.log", "H1"))
    assert prompt.split("Rules:")[1].split("#")[0].count("\n- ") == 3


def test_what_was_read_and_what_follows_from_it_grow_with_each_round(findings: Findings) -> None:
    """T20: the next choice sees both files, and what the facts of both say."""
    once, twice = prompt_of(findings, read("driver.log")), prompt_of(findings, read("driver.log"), read("tables.json", 1))

    assert "tables.json" not in once
    assert "driver.log" in twice
    assert "tables.json" in twice


def test_the_report_says_of_each_file_that_was_read_what_it_holds(findings: Findings) -> None:
    """T25."""
    artefacts = (read("driver.log"), read("tables.json", 1))
    found = classification(findings, PRELIMINARY, artefacts)
    made = report(findings, found, TuningPlan(), language="en", read=artefacts)

    (facts,) = [block for block in reading_shown(made) if isinstance(block, Facts)]

    assert [said(fact.label) for fact in facts.facts] == ["driver.log", "tables.json"]
    assert all(said(fact.value) for fact in facts.facts)
    assert not list(reading_shown(report(findings, found, TuningPlan(), language="en")))
