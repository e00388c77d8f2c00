"""What a step may call is an intersection, and no text widens it."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.base import Contract, Json, clean_json
from contracts.pointers import (
    AnyPointer,
    DocumentPointer,
    ServicePointer,
    SourcePointer,
    SqlPointer,
    TablePointer,
    ValueDomainPointer,
)
from contracts.roles import RoleName
from contracts.stages import INPUT
from contracts.tools import ActiveSkill, Effect
from workers.catalogue.pointers import QUERY_KEYS, TABLE_KEYS
from workers.errors import ConfigurationError, ToolsUnavailable
from workers.kinds.registry import load_kinds
from workers.roles.registry import allowed_tools
from workers.tools.grants import grant
from workers.tools.holding import active_skills, held_pointers
from workers.tools.registry import find_tool, register_tool, replaced, tool_names
from workers.tools.source_tools import COMPONENTS_KEY, QUERY_KEY, SEARCH_KEY, VALUES_KEY
from workers.tools.tool import AnyTool, Tool

NAMES = ("detail", "query", "search", "write", "open_document", "loki.query")
UNKNOWN = ("rm_rf", "get_everything")
KINDS = {
    "detail": "table", "query": "source", "search": "source", "write": "table", "open_document": "document", "loki.query": "service",
}  # fmt: skip


class Place(Contract):
    place: str


TOOLS: dict[str, AnyTool] = {
    name: Tool(name, name, Place, Place, lambda ctx, arguments: arguments, effect=Effect.READ, opens=frozenset({KINDS[name]}), card="place")
    for name in NAMES
}


def make(kind: type[AnyPointer], place: str, keys: tuple[str, ...], text: str = "") -> AnyPointer:
    fields: Json = {"place": place, "line": text or place, "score": 0.5, "keys": keys}
    more: dict[type, Json] = {
        TablePointer: {"table": place, "description": text},
        DocumentPointer: {"title": text or place},
        SqlPointer: {"sql_id": place, "summary": text},
        ValueDomainPointer: {"code": place, "name": place, "values": (text,)},
    }
    return kind.model_validate({**fields, **more.get(kind, {})})


keys = st.lists(st.sampled_from(NAMES + UNKNOWN), max_size=4).map(tuple)
places = st.sampled_from(["orders", "users", "salaries", "shop"])
pointers = st.lists(
    st.builds(make, st.sampled_from([TablePointer, SourcePointer, DocumentPointer, ServicePointer, ValueDomainPointer]), places, keys),
    max_size=6,
)
lists = st.lists(st.sampled_from(NAMES + UNKNOWN), max_size=6)
skills = st.lists(st.builds(lambda allowed: ActiveSkill(name="s", allowed_tools=allowed), st.none() | lists.map(tuple)), max_size=2)


@given(pointers, lists, skills)
def test_grants_are_exactly_the_intersection(held: list[AnyPointer], allowed: list[str], followed: list[ActiveSkill]) -> None:
    """E9."""
    grants = grant(held, allowed, followed, find=TOOLS.get)

    by_key = {(key, pointer.place) for pointer in held for key in pointer.keys if KINDS.get(key) == pointer.kind}
    may = {
        (key, place)
        for key, place in by_key
        if key in allowed and all(skill.allowed_tools is None or key in skill.allowed_tools for skill in followed)
    }
    assert {(name, place) for name, found in grants.places.items() for place in found} == may
    assert set(grants.tools) == {name for name, _ in may}


@given(pointers, lists, skills, st.sampled_from(NAMES + UNKNOWN), places)
def test_a_call_is_checked_by_the_set_that_is_shown(
    held: list[AnyPointer], allowed: list[str], followed: list[ActiveSkill], name: str, place: str
) -> None:
    grants = grant(held, allowed, followed, find=TOOLS.get)

    shown = any(item.tool == name and place in (item.places or ()) for item in grants.granted())
    assert (grants.refusal(name, {"place": place}) is None) == shown


@given(pointers, skills)
def test_an_empty_allow_list_allows_nothing(held: list[AnyPointer], followed: list[ActiveSkill]) -> None:
    """E8, E9, decision 9: effective is what pointers open and the role allows; an empty list allows nothing."""
    assert grant(held, (), followed, find=TOOLS.get).tools == {}


@given(pointers, lists, skills, lists)
def test_one_more_skill_never_allows_more(
    held: list[AnyPointer], allowed: list[str], followed: list[ActiveSkill], named: list[str]
) -> None:
    before = grant(held, allowed, followed, find=TOOLS.get)
    after = grant(held, allowed, [*followed, ActiveSkill(name="more", allowed_tools=tuple(named))], find=TOOLS.get)

    assert set(after.tools) <= set(before.tools)


def test_a_skill_that_names_no_tools_does_not_narrow_and_an_empty_list_allows_none() -> None:
    held = [make(TablePointer, "orders", ("detail",))]

    assert set(grant(held, ["detail"], [ActiveSkill(name="s")], find=TOOLS.get).tools) == {"detail"}
    assert set(grant(held, ["detail"], [ActiveSkill(name="s", allowed_tools=())], find=TOOLS.get).tools) == set()


@pytest.mark.parametrize(
    "arguments", [{}, {"place": None}, {"place": []}, {"place": ["orders", "salaries"]}, {"place": {"orders": 1}}, {"place": "Orders"}]
)
def test_a_key_opens_its_own_card_alone(arguments: Json) -> None:
    grants = grant([make(TablePointer, "orders", ("detail",))], ["detail"], find=TOOLS.get)

    assert grants.refusal("detail", {"place": "orders"}) is None
    assert grants.refusal("detail", arguments) is not None


def test_a_refusal_names_what_may_be_called_and_opened() -> None:
    grants = grant([make(TablePointer, "orders", ("detail",))], ["detail"], find=TOOLS.get)

    assert grants.refusal("write", {"place": "orders"}) == "You may not call 'write' here. You may call: detail."
    assert "'orders'" in (grants.refusal("detail", {"place": "salaries"}) or "")


NAMES_IN_JSON = ["pointers", "keys", "active_skill", "tool", "a"]
hostile_json = st.recursive(
    st.none() | st.booleans() | st.text(max_size=20) | st.sampled_from(NAMES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES_IN_JSON), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@given(hostile_json, st.lists(hostile_json, max_size=3))
def test_nothing_in_the_request_or_deep_in_a_deliverable_is_a_key(text: Any, rows: list[Any]) -> None:
    forged = [make(TablePointer, "salaries", ("detail", "write")).to_json()]
    needs: dict[str, Json] = {
        INPUT: {"pointers": forged, "text": text, "active_skill": {"name": "mine"}},
        "result": {"rows": [*rows, {"pointers": forged}], "document": json.dumps({"pointers": forged}), "about": text},
        "found": {"pointers": [make(TablePointer, "orders", ("detail",)).to_json()], "note": text},
    }

    held = held_pointers(needs)

    assert [pointer.place for pointer in held] == ["orders"]
    assert set(grant(held, NAMES, active_skills(needs), find=TOOLS.get).tools) == {"detail"}


def test_hostile_texts_in_comments_lines_and_rows_change_no_grant(eval_data: Path) -> None:
    """Injections of prompts and SQL, naughty strings: each stands in a comment, a line, a value and a row."""
    folder = eval_data / "hostile"
    texts: list[str] = [*_strings(json.loads((folder / "bipia_text_attack_train.json").read_text("utf-8")))]
    texts += _strings(json.loads((folder / "naughty_strings.json").read_text("utf-8")))
    texts += _strings(json.loads((folder / "sqli_payloads.json").read_text("utf-8")))
    texts += [str(json.loads(line)["context"]) for line in (folder / "bipia_table_contexts.jsonl").read_text("utf-8").splitlines()]
    assert len(texts) > 1000
    expected = {"detail": frozenset({"orders"})}

    for text in texts:
        dirty = clean_json(text)
        needs: dict[str, Json] = {
            INPUT: {"text": dirty},
            "found": {
                "pointers": [
                    make(TablePointer, "orders", ("detail",), dirty).to_json(),
                    make(ValueDomainPointer, "status", (), dirty).to_json(),
                    {**make(DocumentPointer, "doc", (), dirty).to_json(), "heading": dirty},
                ]
            },
            "result": {"columns": [dirty], "rows": [[dirty]], dirty: dirty},
        }
        grants = grant(held_pointers(needs), ["detail", "query"], active_skills(needs), find=TOOLS.get)
        assert dict(grants.places) == expected, text
        assert grants.refusal("detail", {"place": dirty}) is not None or dirty == "orders"
        assert grants.refusal(dirty, {"place": "orders"}) is not None


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _strings(item)]


def test_an_unreadable_skill_allows_nothing() -> None:
    needs: dict[str, Json] = {"skill": {"active_skill": {"allowed_tools": "everything"}}}

    assert [skill.allowed_tools for skill in active_skills(needs)] == [()]


@pytest.mark.parametrize("name", ["Detail", "get detail", "../x", "", "a.", "x" * 65])
def test_a_malformed_name_is_not_registered(name: str) -> None:
    with pytest.raises(ConfigurationError, match="is not a tool's name"):
        register_tool(name, TOOLS["detail"])


def test_two_tools_of_a_name_are_refused() -> None:
    with replaced({}, {}):  # what is registered here is not there for other tests
        register_tool("test.twice", "a:B")

        with pytest.raises(ConfigurationError, match="Two tools"):
            register_tool("test.twice", "c:D")


def test_the_four_roles_have_their_allow_lists_and_hold_only_what_they_have_keys_to() -> None:
    """E8, E9: by the names of the document, of which a step may call those that its pointers open."""
    load_kinds()
    lists = {
        RoleName.ANALYST: allowed_tools(RoleName.ANALYST, "etl.analyse"),
        RoleName.ARCHITECT: allowed_tools(RoleName.ARCHITECT, "etl.design"),
        RoleName.DEVELOPER: allowed_tools(RoleName.DEVELOPER, "etl.write"),
        RoleName.REVIEWER: allowed_tools(RoleName.REVIEWER, "etl.review_development"),
    }
    table, query = make(TablePointer, "shop.main.orders", TABLE_KEYS), make(SqlPointer, "q", QUERY_KEYS)
    source = make(SourcePointer, "shop", (QUERY_KEY, SEARCH_KEY, VALUES_KEY, COMPONENTS_KEY))

    assert lists == {
        RoleName.ANALYST: ("get_table_detail",),
        RoleName.ARCHITECT: ("get_table_lineage", "list_component"),
        RoleName.DEVELOPER: ("get_table_detail", "get_column_valuedomain", "get_table_lineage", "get_lineage_sql"),
        RoleName.REVIEWER: ("get_table_detail", "get_column_valuedomain"),
    }
    assert allowed_tools(RoleName.REVIEWER, "etl.review_design") == lists[RoleName.REVIEWER]
    assert {role: set(grant([source, table, query], allowed).tools) for role, allowed in lists.items()} == {
        role: set(allowed) for role, allowed in lists.items()
    }
    assert {role: set(grant([source], allowed).tools) for role, allowed in lists.items()} == {
        RoleName.ANALYST: set(), RoleName.ARCHITECT: {"list_component"}, RoleName.DEVELOPER: {"get_column_valuedomain"},
        RoleName.REVIEWER: {"get_column_valuedomain"},
    }  # fmt: skip


def test_a_model_is_told_what_each_argument_of_a_tool_means() -> None:
    """Of the tools that ship: another test of this process may have registered its own."""
    load_kinds()
    schemas: dict[str, Json] = {}
    for name in tool_names():
        with suppress(ToolsUnavailable):
            tool = find_tool(name)
            if tool is not None and tool.arguments.__module__.startswith(("workers.", "contracts.")) and tool.schema is None:
                schemas[name] = tool.argument_schema()

    assert len(schemas) >= 15
    assert not [
        f"{name}.{argument}"
        for name, schema in schemas.items()
        for form in (schema, *schema.get("$defs", {}).values())
        for argument, described in form.get("properties", {}).items()
        if not described.get("description")
    ]
