"""The registered network tools: grants, results, terms and design documents."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from contracts.base import Json
from contracts.catalogue import NodeKind
from contracts.network import DesignDocuments, Level, NetworkRows, RootCauseAnalysis, Terms
from contracts.tools import ActiveSkill
from workers.catalogue.forms.documents import read_documents
from workers.catalogue.nodes import Node
from workers.errors import NotFound
from workers.saying import message_of
from workers.settings import Settings
from workers.skills.folders import shipped_folder
from workers.tools.grants import grant
from workers.tools.network.data import REFERENCES, knowledge_of
from workers.tools.network.pointers import KEYS, network_pointers
from workers.tools.registry import find_tool
from workers.tools.tool import ToolContext


def call(name: str, arguments: Json, *, language: str = "en", **settings: Any) -> Any:
    """The result of a tool."""
    tool = find_tool(name)
    assert tool is not None
    services = SimpleNamespace(settings=Settings(_env_file=None, **settings))
    context = ToolContext(owner="ann", services=services, job_id=uuid4(), step_id=uuid4(), language=language)  # type: ignore[arg-type]
    return tool.run(context, tool.arguments.model_validate(arguments))


def test_every_step_may_hold_the_tools_and_an_allow_list_decides() -> None:
    pointers = list(network_pointers(SimpleNamespace(), "ann"))  # type: ignore[arg-type]

    assert set(grant(pointers, KEYS).tools) == set(KEYS)
    assert set(grant(pointers, ()).tools) == set()
    narrowed = ActiveSkill(name="s", allowed_tools=("match_scenario", "query_source"))
    assert set(grant(pointers, KEYS, [narrowed]).tools) == {"match_scenario"}


@pytest.mark.parametrize(
    ("query", "term", "document"),
    [
        ("帮我分析一下滨河新区的弱覆盖问题", "weak-coverage", "coverage"),
        ("滨河老城最近干扰很严重，看看原因", "interference", "interference"),
        ("Which cells are short of capacity, and why?", "capacity", "capacity"),
        ("handovers fail at the station", "handover", "handover"),
        ("越区覆盖的小区", "overshoot", "overshoot"),
        ("why did throughput drop in this drive test", "drive-test", "drive-test"),
        ("下倾角怎么调", "tilt", "antenna"),
        ("给大学城做个综合评估", None, "overall"),
    ],
)
def test_terms_and_documents_are_found_in_both_languages(query: str, term: str | None, document: str) -> None:
    terms: Terms = call("search_terminology", {"query": query})
    documents: DesignDocuments = call("search_design_doc", {"query": query})

    assert term is None or term in [found.id for found in terms.terms[:2]]
    assert documents.documents[0].topic == document
    assert len(terms.terms) <= 3 >= len(documents.documents)


def test_a_document_tells_levels_and_indicators() -> None:
    """K22."""
    coverage = call("search_design_doc", {"query": "weak coverage"}).documents[0]
    interference = call("search_design_doc", {"query": "干扰"}, language="zh").documents[0]

    assert coverage.levels == (Level.CELL, Level.GRID)
    assert coverage.indicators[Level.CELL] == ("rsrp_dbm", "mr_coverage_pct")
    assert interference.levels == (Level.CELL,)
    assert interference.indicators[Level.GRID] == ("sinr_db", "overlap_degree")
    assert interference.title == "干扰问题分析流程"


def test_every_shipped_term_and_document_has_both_languages() -> None:
    knowledge = knowledge_of(Settings(_env_file=None))

    assert len(knowledge.terms) >= 30
    assert len(knowledge.documents) >= 8
    for entry in (*knowledge.terms, *knowledge.documents):
        assert set(entry.title) == set(entry.text) == {"en", "zh"}, entry.id


def test_indicators_that_documents_name_exist() -> None:
    tool = call("query_root_cause_analysis", {"digitaltwinsId": "NET-01", "level": "cell"})
    known = {column.name for column in tool.table.columns}

    for document in knowledge_of(Settings(_env_file=None)).documents:
        assert set(document.indicators.get(Level.CELL, ())) <= known, document.id


def test_a_folder_of_networks_brings_its_own_knowledge(eval_data: Path) -> None:
    terms = call("search_terminology", {"query": "弱覆盖"}, language="zh", networks=eval_data / "analyze")
    documents = call("search_design_doc", {"query": "弱覆盖 覆盖问题"}, language="zh", networks=eval_data / "analyze")

    assert terms.terms[0].id == "term-1"
    assert documents.documents[0].id == "doc-cov"


def test_an_analysis_holds_five_rows_and_the_others_are_read_by_reference() -> None:
    found: RootCauseAnalysis = call(
        "query_root_cause_analysis", {"digitaltwinsId": "NET-01", "indicators": ["rsrp_dbm", "mr_coverage_pct"]}
    )
    rows: NetworkRows = call("get_network_rows", {"reference": found.table.reference, "limit": 500})

    assert len(found.table.sample) == 5
    assert len(rows.rows) == found.table.row_count
    assert len(found.model_dump_json()) < 30_000, "a result stays small"


def test_a_place_that_nobody_knows_ends_the_work() -> None:
    """K17: a business error, which is not tried again."""
    with pytest.raises(NotFound) as raised:
        call("match_scenario", {"text": "火星基地"})
    assert message_of(raised.value, "zh").startswith("没有场景与「火星基地」相符。已知场景：NET-01 ")
    assert message_of(raised.value, "en").startswith("No scenario fits “火星基地”. Known scenarios: NET-01 ")


def test_the_shipped_documents_are_where_the_tools_look() -> None:
    folder = shipped_folder().joinpath(*REFERENCES)

    assert (folder / "terms.md").is_file()
    assert len(list((folder / "design").glob("*.en.md"))) == len(list((folder / "design").glob("*.zh.md"))) >= 8


def test_the_catalogue_reads_the_shipped_documents_too() -> None:
    items = list(read_documents(shipped_folder().joinpath(*REFERENCES), ""))

    terms = {item.key for item in items if isinstance(item, Node) and item.kind is NodeKind.TERM}
    assert {"weak coverage", "弱覆盖", "overlap degree", "路测"} <= terms
