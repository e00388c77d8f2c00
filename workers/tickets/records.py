"""Tickets as the interfaces of ticket tools give them, as a table: what an export in CSV has as columns is nested in JSON.

Jira's search, Azure's work items, GitHub's issues, PagerDuty's incidents, Zendesk's tickets and ServiceNow's
tables. A field is named as the tool shows it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from contracts.base import Json
from workers.tickets.blanks import says_nothing
from workers.tickets.columns import HUMP, meaning_of
from workers.tickets.sections import sections_of
from workers.tickets.xml_records import OWN_TEXT

LISTS = ("tickets", "issues", "incidents", "alerts", "records", "result", "results", "items", "nodes", "data", "value", "values")
"""Keys of a document under which tools put their tickets."""

AROUND = frozenset({*LISTS, "data", "repository", "search", "organization", "user", "response"})
"""Keys of objects in which such a list may lie deeper, as in the answers of GraphQL."""

_SIGNS: tuple[tuple[frozenset[str], ...], ...] = (
    (frozenset({"key", "fields"}),),
    (frozenset({"id", "fields"}),),
    (frozenset({"number", "title", "body"}),),
    (frozenset({"incident_number", "title"}), frozenset({"incident_key", "title"})),
    (frozenset({"id", "subject", "description", "status"}),),
    (frozenset({"number", "short_description"}),),
)
"""Keys that only a ticket of Jira, Azure DevOps, GitHub, PagerDuty, Zendesk or ServiceNow has together."""

_SHOWN_AS = {"key": "Issue key", "id": "Issue id", "issuetype": "Issue Type", "project": "Project key"}
"""Fields of Jira whose names in an export differ."""
_LABELS = ("display_value", "displayName", "display_name", "name", "value", "summary", "title", "login")
_VALUES = ("value_text", "value_literal", "value_link", "value_numeric")
_BODIES = (OWN_TEXT, "body", "content", "plain_body", "comment", "text", "details")
_LISTED = ("comments", "nodes", "notes")
_WRITTEN = (*_BODIES, "notes")
_SHOWN_TEXT = "@display_value"
"""The attribute with what people see where the text is the key of another record."""
_NAMED = ("display_name", "name", "title", "field")
"""How an element of a list of fields is called."""
_FIELDS = frozenset({"custom_fields", "customFields", "fields"})
"""Keys of lists of fields."""
_NOT_KEPT = frozenset({"self", "expand", "avatarUrls", "url", "node_id", "reactions", "links", "via"})
_ISSUE = re.compile(r"https://[^/\s]{1,200}/([\w.-]{1,100}/[\w.-]{1,100})/(?:issues|pull)/(\d{1,12})")
_HOLDERS = frozenset({"custom_fields", "customFields", "details", "attributes", "properties", "extra"})
"""Keys of objects whose fields are as good as those of the ticket."""
_DEEPEST = 4
"""Levels of objects whose fields become columns."""
_MOST_LEVELS = 60
_MOST_CELLS = 50
"""Columns of one name: further texts of a record are in the last of them."""


def is_of_tool(record: object) -> bool:
    """Whether a record is a ticket as a tool's interface gives it."""
    return isinstance(record, Mapping) and any(keys <= record.keys() for signs in _SIGNS for keys in signs)  # pyright: ignore[reportUnknownMemberType] JSON


def field_names(document: object) -> dict[str, str]:
    """Id → name of the fields that an installation has added: Jira's `names`, Zendesk's `ticket_fields`."""
    if not isinstance(document, Mapping):
        return {}
    known = cast("Json", document)
    jira = known.get("names")
    named = {str(key): str(value) for key, value in cast("Json", jira).items()} if isinstance(jira, Mapping) else {}
    zendesk = known.get("ticket_fields")
    for field in cast("list[Any]", zendesk) if isinstance(zendesk, list) else []:
        if isinstance(field, Mapping) and "id" in field and "title" in field:
            named[str(field["id"])] = str(field["title"])  # pyright: ignore[reportUnknownArgumentType] JSON
    return named


def cells_of(record: Json, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """The record as (column, text); a column with several texts comes as often."""
    return [(header, text) for header, text in _cells(record, names) if text.strip()]


def as_table(rows: Iterable[list[tuple[str, str]]]) -> tuple[tuple[str, ...], list[list[str]]]:
    """Headers, each as often as a row has it, and the cells of each row."""
    sorted_rows: list[dict[str, list[str]]] = []
    widths: dict[str, int] = {}
    for row in rows:
        held: dict[str, list[str]] = {}
        for header, text in row:
            held.setdefault(header, []).append(text)
        for header, texts in held.items():
            if len(texts) > _MOST_CELLS:
                texts[_MOST_CELLS - 1 :] = ["\n\n".join(texts[_MOST_CELLS - 1 :])]
            widths[header] = max(widths.get(header, 0), len(texts))
        sorted_rows.append(held)
    headers = tuple(header for header, width in widths.items() for _ in range(width))
    return headers, [
        [text for header, width in widths.items() for text in (held.get(header, []) + [""] * width)[:width]] for held in sorted_rows
    ]


def _cells(record: Json, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    fields = record.get("fields")
    if isinstance(fields, Mapping) and ("key" in record or "id" in record):
        is_keyed = "key" in record
        yield (_SHOWN_AS["key"], str(record["key"])) if is_keyed else ("ID", str(record["id"]))
        for key, value in cast("Json", fields).items():
            shown = names.get(key, _SHOWN_AS.get(key, key)) if is_keyed else _reference(str(key))
            yield from ((shown, text) for text in texts_of(value) if is_keyed or shown != "Id")
    else:
        yield from _flat(record, names)


def _flat(record: Json, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The cells of a record whose fields are its own entries."""
    address = next((found for key in ("html_url", "url") if (found := _ISSUE.fullmatch(str(record.get(key) or "")))), None)
    if address and "html_url" not in record:
        yield "html_url", address[0]  # as `gh issue list --json` calls it `url`, which others have too
    for key, value in record.items():
        if key in _NOT_KEPT:
            continue
        if key == "number" and address:
            yield key, f"{address[1]}#{address[2]}"
        elif _are_fields(value, names, is_list_of_fields=key in _FIELDS):
            yield from _custom(cast("list[Any]", value), names)
        elif _are_remarks(value):
            yield from ((key if key in _LISTED else "comments", text) for text in texts_of(value))
        elif isinstance(value, Mapping) and (key in _HOLDERS or _is_nested(cast("Json", value))):
            yield from _named_by_tag(cast("Json", value)) or _nested(key, cast("Json", value), 1)
        elif key == "body" and isinstance(value, str) and "title" in record:
            yield from _issue_text(value)
        else:
            yield from ((names.get(key, key), text) for text in texts_of(value))


def _named_by_tag(holder: Json) -> list[tuple[str, str]]:
    """The fields of an object in XML that holds only those, each with its name and its value in children called after it:
    `<customfield><customfieldname>`, `<customfieldvalues>`. Empty where it holds something else."""
    found: list[tuple[str, str]] = []
    for tag, value in holder.items():
        for field in cast("list[Any]", value if isinstance(value, list) else [value]):
            known = cast("Json", field) if isinstance(field, Mapping) else {}
            named = known.get(f"{tag}name")
            values = next((known[key] for key in (f"{tag}values", f"{tag}value") if key in known), None)
            if not isinstance(named, str):
                return []
            found += [(named, text) for text in texts_of(_innermost(values))]
    return found


def _innermost(value: Any) -> Any:
    """What an object of one entry holds, and that in turn."""
    while isinstance(value, Mapping) and len(cast("Json", value)) == 1:
        (value,) = cast("Json", value).values()
    return cast("Any", value)


def _reference(key: str) -> str:
    """A field as its tool shows it: of `Custom.RootCause`, a reference name of Azure DevOps, `Root Cause`."""
    return HUMP.sub(" ", key.rpartition(".")[2]) if "." in key and " " not in key else key


def _is_nested(value: Json) -> bool:
    """Whether an object has neither one text nor one name that stands for it."""
    known = value.get("type") == "doc" or any(value.get(key) for key in (*_BODIES, *_LISTED))
    return not known and not any(isinstance(value.get(key), str) for key in _LABELS)


def _nested(path: str, value: Json, level: int) -> Iterator[tuple[str, str]]:
    """The fields of an object as `path.field`."""
    for key, inner in value.items():
        if key in _NOT_KEPT:
            continue
        if isinstance(inner, Mapping) and level < _DEEPEST and _is_nested(cast("Json", inner)):
            yield from _nested(f"{path}.{key}", cast("Json", inner), level + 1)
        else:
            yield from ((f"{path}.{key}", text) for text in texts_of(inner))


def _are_fields(value: Any, names: Mapping[str, str], *, is_list_of_fields: bool) -> bool:
    """Whether a list holds fields, each with what it is called and its value. An id calls a field only where its name is known, or in a
    list that can hold nothing else: what can be chosen in a field has an id too."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return bool(items) and all(
        isinstance(item, Mapping)
        and _value_of(cast("Json", item))
        and (is_list_of_fields or _is_called(cast("Json", item)) or str(cast("Json", item).get("id")) in names)
        for item in items
    )


def _value_of(field: Json) -> str:
    """The key of the value of an element of a list of fields; empty: it is not one."""
    is_named = "id" in field or _is_called(field)
    return next((key for key in ("value", "values") if is_named and key in field), "")


def _is_called(field: Json) -> bool:
    """Whether an element of a list of fields says its name, which may be in an object of its own."""
    return any(name in field for name in _NAMED) or any(_name_in(inner) for key, inner in field.items() if key not in ("value", "values"))


def _name_in(inner: object) -> str:
    """What an object that says what a field is calls it."""
    return str(cast("Json", inner).get("name") or "") if isinstance(inner, Mapping) else ""


def _are_remarks(value: Any) -> bool:
    """Whether a list holds what people wrote, each with when."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return bool(items) and all(
        isinstance(item, Mapping)
        and any(isinstance(cast("Json", item).get(key), str) for key in _WRITTEN)
        and any(str(key).startswith("creat") for key in cast("Json", item))
        for item in items
    )


def _custom(fields: list[Any], names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Fields that an installation has added, as a list of objects with `id`, `name` or `display_name`, and `value`."""
    for field in fields:
        if isinstance(field, Mapping):
            known = cast("Json", field)
            value = known.get(_value_of(known) or "value")
            described = (_name_in(inner) for inner in known.values() if inner is not value)
            shown = next((known[name] for name in _NAMED if isinstance(known.get(name), str) and known[name]), None)
            shown = shown or next(filter(None, described), "") or names.get(str(known.get("id")), f"custom field {known.get('id')}")
            yield from ((str(shown), text) for text in texts_of(value))


def _issue_text(body: str) -> Iterator[tuple[str, str]]:
    """The text of an issue; the sections of its form that are fields of a ticket, each under its heading."""
    before, sections = sections_of(body)
    rest = [before]
    for heading, text in sections:
        if says_nothing(text):
            continue
        if meaning_of(heading) is None:
            rest.append(f"## {heading}\n{text}")
        else:
            yield heading, text
    yield "body", "\n\n".join(part for part in rest if part.strip())


def texts_of(value: Any) -> list[str]:
    """The texts of a value: one, or one for each comment of a list."""
    if value is None:
        return []
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if any(isinstance(item, Mapping) and any(key in item for key in _BODIES) for item in items):
            return [text for item in items for text in texts_of(item)]
        return [", ".join(text for item in items for text in texts_of(item))]
    if isinstance(value, Mapping):
        return _of_object(cast("Json", value))
    return [value if isinstance(value, str) else json.dumps(value)]


def _of_object(value: Json) -> list[str]:
    if value.get("type") == "doc":
        return [_document(value, 0).strip()]
    for key in _LISTED:
        if isinstance(value.get(key), list):
            return texts_of(value[key])
    if shown := value.get(_SHOWN_TEXT):
        return [str(shown)]
    if written := next((value[key] for key in _WRITTEN if isinstance(value.get(key), str) and value[key].strip()), ""):
        return [written]
    for key in _BODIES:
        if value.get(key):
            return texts_of(value[key])
    label = next((value[key] for key in (*_LABELS, *_VALUES) if isinstance(value.get(key), str)), None)
    if label is not None:
        return [label]
    return [json.dumps({key: inner for key, inner in value.items() if key not in _NOT_KEPT}, ensure_ascii=False)] if value else []


_BLOCKS = frozenset({"paragraph", "heading", "codeBlock", "listItem", "blockquote", "tableRow", "rule", "panel"})


def _document(node: Any, level: int) -> str:
    """The text of a node of Atlassian's document format; blocks end their line."""
    if not isinstance(node, Mapping) or level > _MOST_LEVELS:
        return ""
    known = cast("Json", node)
    kind = known.get("type")
    if kind == "text":
        return str(known.get("text") or "")
    if kind == "hardBreak":
        return "\n"
    content = known.get("content")
    text = "".join(_document(inner, level + 1) for inner in cast("list[Any]", content)) if isinstance(content, list) else ""
    if kind == "codeBlock":
        return f"```\n{text.strip()}\n```\n"
    return f"{text.rstrip()}\n" if kind in _BLOCKS else text
