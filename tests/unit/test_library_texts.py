"""The texts of the libraries: every code has a message in every language, and every message a use."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import workers.bundles
import workers.engines
import workers.kinds
import workers.logs
import workers.prometheus
from contracts.artefacts import LogEventKind
from contracts.base import Contract
from contracts.code import OperationKind
from contracts.figures import FigureId
from contracts.network import Cause, Level
from contracts.pipelines.review import ReviewPart
from contracts.pipelines.trial import CheckKind
from contracts.queries import Aggregate, Arithmetic, DatePart, Operator, Relation, TimeUnit
from contracts.scope import PlanOperatorKind
from contracts.spark import RunFacts
from contracts.sql_explanation import QueryRole
from contracts.sql_review import Defect, WriteMode
from contracts.statements import Shown
from contracts.tables import JoinEvidence
from contracts.whatif import Change, ChangeKind
from tests.support.said import said
from tests.support.texts import catalogue_problems, codes_used, foreign_words
from workers.bundles.names import kind_name
from workers.bundles.registry import kind_of, load_kinds
from workers.engines.artefacts.descriptions import CommonKind
from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.catalogue import LOCALE
from workers.engines.network.thresholds import IndicatorName
from workers.engines.results.findings import Month, Weekday
from workers.engines.scope.descriptions import ScopeKind
from workers.engines.scope.messages import MessageList
from workers.engines.scope.verdicts import judge_scope
from workers.engines.spark.verdicts import judge
from workers.engines.spark.verdicts.measures import TaskMeasure
from workers.engines.spark.verdicts.single_task import OneTask
from workers.engines.spark.whatif import Replay
from workers.engines.sql.explain.conditions import Comparison
from workers.engines.sql.explain.explanation import SetKind
from workers.engines.sql.explain.vocabulary import Measure, Neighbour, Numbering, NumberPart, Unit
from workers.engines.sql.names import NameProblemKind

SAMPLES = Path(workers.kinds.__path__[0]) / "tune" / "samples"
KNOWN = (
    *("stages", "tasks", "executors", "group", "by", "distinct", "processor", "reducer", "combiner", "scan", "block", "frame", "zip"),
    *("pyspark", "yaml", "properties", "conf", "spark-defaults", "eventlog"),
)
"""Words of the field that a Chinese text keeps."""

SOURCES = tuple(Path(package.__path__[0]) for package in (workers.engines, workers.bundles, workers.logs, workers.prometheus))
ENUMS = {
    "pipelines.trial.passed": [CheckKind],
    "pipelines.mode": [WriteMode],
    "pipelines.part": [ReviewPart],
    "sql_explain.part": [NumberPart],
    "sql_explain.measure": [Measure],
    "sql_explain.trunc": [Unit],
    "sql_explain.this": [Unit],
    "sql_explain.units": [Unit],
    "sql_explain.amount": [Unit],
    "sql_explain.numbering": [Numbering],
    "sql_explain.neighbour": [Neighbour],
    "sql_explain.compare": [Comparison],
    "sql_explain.set": [SetKind],
    "sql_explain.title_of": [QueryRole],
    "sql_review.summary": [Defect],
    "sql_review.advice": [Defect],
    "sql_review.name": [NameProblemKind],
    "verdicts.figure": [FigureId],
    "spark.measure": [TaskMeasure],
    "spark.one_task": [OneTask],
    "spark.whatif.assumed": [ChangeKind],
    "artefacts.log_event": [LogEventKind],
    "artefacts.description": [CommonKind],
    "artefacts.kind": [CommonKind],
    "scope.description": [ScopeKind],
    "scope.kind": [ScopeKind],
    "scope.count": [PlanOperatorKind, OperationKind, MessageList],
    "scope.problem.no": [MessageList],
    "results.weekday": [Weekday],
    "results.month": [Month],
    "queries.operator": [Operator],
    "queries.aggregate": [Aggregate],
    "queries.unit": [TimeUnit],
    "queries.part": [DatePart],
    "queries.arithmetic": [Arithmetic],
    "queries.relation": [Relation],
    "queries.evidence": [JoinEvidence],
    "network.cause": [Cause],
    "network.indicator": [IndicatorName],
    "network.refused.no_indicator": [Level],
}


def all_said(folder: Path) -> Iterator[Shown]:
    """All that the libraries say of a bundle: what its artefacts hold, the verdicts, and what a change would bring."""
    kinds, facts = load_kinds(()), list[Contract]()
    for path in sorted(folder.iterdir()):
        head = b"" if path.suffix == ".zstd" else path.read_bytes()[: 1 << 16]
        kind = kinds["spark_event_log"] if path.suffix == ".zstd" else kind_of(path.name, head, kinds)[0]
        parsed = kind.parse(ArtefactSource(path.name, path, path.stat().st_size))
        facts += parsed.facts
        yield from filter(None, (kind.description, kind_name(kind.name), parsed.summary, parsed.problem))
    verdicts = judge_scope(facts)
    for run in (fact for fact in facts if isinstance(fact, RunFacts)):
        verdicts = judge(run)
        gain = Replay(run).gain((Change(kind=ChangeKind.BALANCE, stage_ids=(4, 99)), Change(kind=ChangeKind.NO_GC)))
        yield from (gain.method, *gain.assumptions)
    for verdict in verdicts:
        yield verdict.summary
        yield from (text for figure in verdict.figures for text in (figure.name, figure.source))


def test_the_catalogues_of_the_libraries_have_every_message_that_the_code_uses_and_no_other() -> None:
    used = codes_used(SOURCES, ENUMS)
    for refusal in [code for code in used.values if code.startswith("refused.")]:
        del used.values[refusal]  # refusals are in the fleet's catalogue, which test_saying_catalogues.py checks

    assert catalogue_problems(LOCALE, used) == []


@pytest.mark.parametrize("sample", sorted(folder.name for folder in SAMPLES.iterdir() if folder.is_dir()))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_found_in_a_sample_is_said_in_the_readers_language_alone(sample: str, language: str) -> None:
    texts = list(all_said(SAMPLES / sample))

    assert len(texts) > 20
    assert [(said(text, "en"), word) for text in texts for word in foreign_words(text, language, known=KNOWN)] == []
