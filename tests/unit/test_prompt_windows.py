"""Prompts of `ask` and `etl` use a window as it is, from 8 k to 1 M tokens: they leave room for the answer, and a larger one shows more."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from contracts.ask.answers import SqlAnswer, SupervisorAnswer
from contracts.ask.request import AskRequest, Strategy
from contracts.ask.results import Reading, ReadingStatus, TablesFound
from contracts.ask.steps import Understanding
from contracts.ask.tools import Tool
from contracts.etl.answers import AnalysisAnswer, ScriptAnswer
from contracts.pipelines.analysis import AnalysisStep, EtlTarget, SourceWork, TargetColumn
from contracts.pointers import ColumnPointer, TablePointer
from contracts.sql_review import WriteMode
from contracts.tables import ColumnDetail, TableDetail
from tests.support.context import step_context
from workers.engines.definitions.definition import Definition
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.supervising import supervise
from workers.kinds.ask.work.writing import write_sql
from workers.kinds.etl.roles.by_model import Declined, Known, analyse_by_model, write_by_model
from workers.kinds.etl.rules.assignment import JobSpec
from workers.kinds.registry import load_kinds
from workers.llm import ScriptedChat
from workers.llm.chat import ChatLimits
from workers.llm.token_count import estimate_tokens
from workers.settings import Settings

WINDOWS = [8_192, 32_768, 200_000, 1_000_000]
COLUMNS = tuple(
    ColumnDetail(
        name=f"measure_{at}", type="DECIMAL(12,2)", description=f"What was measured at place {at}, in full", minimum="0", maximum="9"
    )
    for at in range(40)
)
TABLES = tuple(
    TableDetail(name=f"reading_{at:04}", schema_name="main", columns=COLUMNS, description=f"Readings of site {at}", rows=1_000)
    for at in range(1_000)
)
LONG = "the readings of every site, by day and by place, without those that were wrong " * 60
ENTRIES = tuple(
    Definition(f"measure {at}", unit="mm", description=f"the sum of measure_{at} of all sites, without those that were wrong")
    for at in range(400)
)


def floor() -> Floor:
    """A deployment with one large source."""
    services = SimpleNamespace(settings=Settings(), database=SimpleNamespace(statement=lambda *given: []))
    ctx = step_context(services=cast("Any", services))
    catalogue = SimpleNamespace(
        terms=lambda source, owner: SimpleNamespace(definitions=ENTRIES, believed=ENTRIES, synonyms={}),
        search=lambda *given, **more: (),
        has_documents=lambda owner: False,
        ranked_by=lambda words: "",
        passages=lambda *given, **more: (),
        own_passages=lambda *given, **more: (),
    )
    source = SimpleNamespace(kind="duckdb")
    made = SimpleNamespace(
        ctx=ctx, owner="default", now=ctx.now, catalogue=catalogue, visible={"sites": source}, asked=lambda wanted: {"sites": source},
        tables=lambda source: TABLES, search=lambda *given, **more: (),
        joins=lambda source: (), dialect=lambda source: "duckdb", logs=SimpleNamespace(visible={}),
    )  # fmt: skip
    return cast("Floor", made)


def supervised(chat: ScriptedChat) -> None:
    here = floor()
    supervise(here.ctx, here, AskRequest(question=LONG, background="Looks after all sites. " * 20), None, chat)


def queried(chat: ScriptedChat) -> None:
    here = floor()
    understanding = Understanding(question=LONG, words=LONG, intent=Tool.GENERATE_SQL, final_intent=Tool.GENERATE_SQL, source="sites")
    step = ToolStep(here.ctx, AskRequest(question=LONG, strategy=Strategy.CONFIRM), understanding, "1", {}, "en")
    write_sql(here, step, TablesFound(reading=Reading(status=ReadingStatus.READ)), chat)


def known() -> Known:
    return Known(dialect="duckdb", tables=TABLES, definitions=[entry.line for entry in ENTRIES], memory=LONG, today="Now it is Monday.")


def analysed(chat: ScriptedChat) -> None:
    with pytest.raises(Declined):
        analyse_by_model(chat, LONG, "sites", known(), language="en", remarks=[{"text": LONG}])


def scripted(chat: ScriptedChat) -> None:
    reads = [AnalysisStep(id=table.name, name="Read", inputs=(), work=SourceWork(table=table.full_name)) for table in TABLES]
    steps = (*reads, AnalysisStep(id="add", name="Add them up", inputs=(TABLES[0].name,)))
    target = EtlTarget(table="totals", mode=WriteMode.OVERWRITE, columns=(TargetColumn(name="n"),))
    spec = JobSpec(job="j", source="sites", dialect="duckdb", steps=steps, made={}, target=target, requirement=LONG)
    write_by_model(chat, spec, known(), [{"text": LONG}])


CALLS: dict[str, tuple[Any, Any]] = {
    "classifier/supervise": (supervised, SupervisorAnswer(tool=Tool.REJECT, final_intent=Tool.REJECT, reason="no")),
    "developer/sql": (queried, SqlAnswer(cannot="no")),
    "analyst/etl": (analysed, AnalysisAnswer(cannot="no")),
    "developer/etl": (scripted, ScriptAnswer(sql="SELECT measure_1 AS n FROM main.reading_0000")),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_prompt_fits_its_window_and_grows_with_it(name: str) -> None:
    load_kinds()
    ask, answer = CALLS[name]
    shown: list[int] = []
    for window in WINDOWS:
        written = {"step": {"final": answer.to_json()}} if name == "developer/sql" else answer
        chat = ScriptedChat(*[written] * 4, limits=ChatLimits(context_tokens=window))

        ask(chat)

        tokens = sum(estimate_tokens(turn.text) for turn in chat.asked[0].turns)
        assert tokens + tokens // 8 + 500 <= window, "room for an answer, also where the server counts an eighth more"
        shown.append(chat.asked[0].text.count("Readings of site"))
        assert tokens > window // 4 or shown[-1] == len(TABLES), "a large catalogue fills it"
        assert LONG[:200] in chat.asked[0].text

    assert shown == sorted(set(shown)), "more tables with each window"
    assert shown[0] >= 1


def test_tables_that_a_search_found_have_room_before_the_others() -> None:
    """However many columns were found before them."""
    place: dict[str, Any] = {"place": "p", "line": "", "score": 1.0, "keys": (), "catalog": "sites", "schema_name": "main"}
    columns = [ColumnPointer(**place, table="other", column=f"c{at}", data_type="INTEGER") for at in range(9)]
    found = TablePointer(**place, table="reading_0999")

    assert Known(dialect="duckdb", tables=TABLES, pointers=[*columns, found]).ranked()[0].name == "reading_0999"
