"""From a raw row of an exported file to a `Ticket`, or to the reason why the row is not a ticket."""

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, cast

from pydantic import ValidationError

from contracts.base import clean_json
from contracts.refusals import at, in_words, place_of
from contracts.statements import Join, Statement, Value, count, listing, name, names, passage, say, term
from contracts.tickets import Ticket, TicketProblem
from workers.tickets.blanks import answers_nothing, unlabelled
from workers.tickets.field_names import ALIASES
from workers.tickets.labelled import take_parts
from workers.tickets.lists import parted
from workers.tickets.metric_readings import Reading, alarm, is_reading, phenomena_of
from workers.tickets.prose import take_apart
from workers.tickets.prose_words import FULL_STOP

MAX_DEPTH = 20
"""Levels that metadata may be nested: deeper is an accident or an attack, and recursion over it is not safe."""

DRAWN = "drawn"
"""Key of metadata: the fields that no column had, so that they were drawn from prose."""

UNREAD = "(not read yet)"
"""The cause of a ticket until a model has read it. It is never stored."""

COMMENTS = "comments"
"""Key of metadata: what people at work wrote in a ticket. No search sees it."""

_MAX_PROSE = 20_000
_STATEMENT_END = re.compile(r"[。；！!;\n]+(?=.)|\.\s+")
_FEWEST_STATEMENTS = 2
"""Sentences. An observation that is the whole description says no more than it."""
_MAX_METADATA = 100_000
_MAX_ANOMALY = 4_000
_MAX_METHOD = 20_000
_FIELD_OF = {name: field for field, names in ALIASES.items() for name in (field, *names)}
_CODE_NAMES = ("cause_id", "cause_code", "root_cause_id", "root_cause_code", "根因编号", "根因编码", "根因代码")
"""Columns with the code of a ticket's cause: metadata `cause_id`, see workers.tickets.wording.py."""
_KINDS: Mapping[type, Value] = {
    bool: term("refused.row.is.true_or_false"),
    int: term("refused.row.is.number"),
    float: term("refused.row.is.number"),
    str: term("refused.row.is.text"),
    list: term("refused.row.is.list"),
    dict: term("refused.row.is.object"),
}
_KEPT_BYTE = re.compile(r"[\udc80-\udcff]")
_TOO_DEEP = say("refused.row.deep", n=count(MAX_DEPTH))
_MOST_FAULTS = 3
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKER = re.compile(r"^\s*(?:[-*•·▪●◦]\s+|\d{1,2}(?:[.．](?!\d)|[)）、])\s*|[（(]\d{1,2}[)）]\s*|[①-⑳]\s*)")
_SENTENCE_END = re.compile(rf"(?<=[。；;！？!?])\s*|{FULL_STOP}", re.IGNORECASE)


class RowRefused(ValueError):
    """A row is no ticket."""

    def __init__(self, says: Statement) -> None:
        """`says`: why, as the end of a sentence that begins with the row."""
        super().__init__(says.code)
        self.says = says


class NotJson(RowRefused):
    """What Python's JSON parser takes and JSON does not know: NaN, an infinity, a byte that is not UTF-8."""


def field_of(name: str) -> str | None:
    """The field of a ticket that a column or key means, or None: then it is metadata."""
    return _FIELD_OF.get(_plain_name(name))


def drawn_of(metadata: Mapping[str, Any]) -> list[str]:
    """The fields that were drawn from prose. A file may have a field of that name that is something else."""
    drawn: object = metadata.get(DRAWN)
    fields = cast("list[object]", drawn) if isinstance(drawn, list) else []
    return [field for field in fields if isinstance(field, str)]


def metadata_key(name: str) -> str:
    """The key of metadata that a column or key becomes: its own name, but one for every name of the cause's code."""
    return "cause_id" if _plain_name(name) in _CODE_NAMES else name


def is_code_name(name: str) -> bool:
    """Whether a column holds the code of a ticket's cause."""
    return _plain_name(name) in _CODE_NAMES


def _plain_name(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


def parse_json(text: str) -> Any:
    """JSON as the standard has it. Raises `ValueError`, also for bytes that `surrogateescape` kept, or `RecursionError` for nesting that no
    ticket needs."""
    if _KEPT_BYTE.search(text):
        raise NotJson(say("refused.row.encoding", option=name("--encoding")))
    return _parse(text)


def _parse(text: str) -> Any:
    return json.loads(text, parse_constant=refuse_constant, parse_float=finite_float)


def refuse_constant(constant: str) -> Any:
    """For `parse_constant`: NaN and the infinities are not JSON."""
    raise NotJson(say("refused.row.no_value", value=name(constant)))


def finite_float(digits: str) -> float:
    """For `parse_float`: 1e999 is JSON, but it cannot be stored."""
    value = float(digits)
    if not isfinite(value):
        raise NotJson(say("refused.row.too_large", value=name(digits[:30])))
    return value


def to_ticket(line: int, raw: object, *, cause_later: bool = False) -> Ticket | TicketProblem:
    """The ticket of one row. Keys that are not fields of a ticket become metadata; a field's own name takes precedence over an alias.
    `cause_later`: a ticket without a cause has `UNREAD` as its cause, for a model to read it."""
    if not isinstance(raw, Mapping):
        fields = names(("ticket_id", "description", "root_cause"))
        return TicketProblem(line=line, reason=say("refused.row.no_object", given=_kind(raw), fields=fields))
    fields, metadata = _sort_out(cast("Mapping[str, Any]", raw))
    identity = fields.get("ticket_id")
    ticket_id = str(identity) if isinstance(identity, str | int) else None
    try:
        fields["metadata"] = _metadata(fields.get("metadata"), metadata)
        take_parts(fields, fields["metadata"])
        if fields.get("description") is None and (readings := _readings(fields.get("anomalies"))) is not None:
            fields["description"] = alarm(readings)
        fields["anomalies"] = _anomalies(fields.get("anomalies")) or _drawn(fields, fields["metadata"])
        if isinstance(causes := fields.get("root_cause"), list):
            fields["root_cause"] = "; ".join(sorted(str(cause) for cause in cast("list[Any]", causes)))
        if isinstance(identity, int) and not isinstance(identity, bool):
            fields["ticket_id"] = str(identity)
        for answer in ("root_cause", "solution"):
            if isinstance(text := fields.get(answer), str):
                fields[answer] = "" if answers_nothing(text) else unlabelled(text)
        if cause_later and not fields.get("root_cause"):
            fields["root_cause"] = UNREAD
            fields["metadata"][DRAWN] = [*dict.fromkeys([*drawn_of(fields["metadata"]), "root_cause"])]
        return Ticket.model_validate({key: _tidy(value) for key, value in fields.items() if value is not None})
    except ValidationError as error:
        return TicketProblem(line=line, ticket_id=_short(ticket_id), reason=_reasons(error))
    except (ValueError, RecursionError) as error:
        return TicketProblem(line=line, ticket_id=_short(ticket_id), reason=why_not_json(error))


def why_not_json(error: ValueError | RecursionError) -> Statement:
    """What `parse_json` refused."""
    if isinstance(error, RowRefused):
        return error.says
    if isinstance(error, json.JSONDecodeError):
        return say("refused.row.no_json", fault=passage(error.msg), column=count(error.colno, exact=True))
    if isinstance(error, RecursionError):
        return _TOO_DEEP
    return say("refused.row.digits")


def split_phenomena(text: str) -> list[dict[str, str]]:
    """Free text as separate phenomena: by bullets or numbers if it has them, else by lines, else by sentences. A fenced
    block (a log, a query) belongs to the text before it. A text that is too long for a description is kept whole as the observation
    method."""
    found: list[dict[str, str]] = []
    for item in _items(text):
        if not re.search(r"\w", item):
            continue
        if len(item) <= _MAX_ANOMALY:
            found.append({"description": item})
        else:
            found.append({"description": item[: _MAX_ANOMALY - 1] + "…", "observation_method": item[:_MAX_METHOD]})
    return found


def _items(text: str) -> list[str]:
    fences = _FENCE.findall(text)
    written = _FENCE.sub("\n\x00\n", text.replace("\x00", "\ufffd")).splitlines()
    lines = [part for line in written if line.strip() for part in parted(line)]
    prose = [line for line in lines if line != "\x00"]
    numbered = any(_MARKER.match(line) for line in prose)
    if len(prose) == 1 and not numbered and not fences:
        return [part.strip() for part in _SENTENCE_END.split(prose[0]) if part.strip()]
    items: list[str] = []
    rest = iter(fences)
    for line in lines:
        if line == "\x00":
            block = next(rest)
            items[-1:] = [f"{items[-1]}\n{block}"] if items else [block]
        elif not items or not numbered or _MARKER.match(line):
            items.append(_MARKER.sub("", line).strip())
        else:
            items[-1] += "\n" + line.strip()
    return items


def _sort_out(raw: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    fields: dict[str, Any] = {}
    other: dict[str, Any] = {}
    by_own_name = {key for key in raw if key == field_of(key)}
    for key, value in raw.items():
        field = field_of(key)
        if field is None or (key != field and (field in by_own_name or field in fields)):
            if value not in (None, ""):
                name = metadata_key(key)
                other[key if raw.get(name) or name in other else name] = value
        else:
            fields[field] = value
    return fields, other


def _metadata(own: Any, other: dict[str, Any]) -> dict[str, Any]:
    if isinstance(own, str):
        try:
            own = _parse(own) if own.strip() else None
        except (ValueError, RecursionError) as error:
            raise _refused("metadata", why_not_json(error)) from None
    if own is not None and not isinstance(own, Mapping):
        raise _refused("metadata", say("refused.row.no_metadata", given=_kind(own)))
    merged = {**other, **cast("Mapping[str, Any]", own or {})}
    _check_tree(merged)
    if len(json.dumps(merged, ensure_ascii=False)) > _MAX_METADATA:
        raise _refused("metadata", say("refused.part.long", n=count(_MAX_METADATA, exact=True)))
    return cast("dict[str, Any]", clean_json(merged))


def _check_tree(value: object) -> None:
    """Refuse what cannot be stored as JSON, level by level: this itself must not recurse."""
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                below += cast("dict[str, object]", item).values()
            elif isinstance(item, list):
                below += cast("list[object]", item)
            elif isinstance(item, float) and not isfinite(item):
                raise _refused("metadata", say("refused.row.no_value", value=name(item)))
        if not below:
            return
        level = below
    raise _refused("metadata", _TOO_DEEP)


def _anomalies(value: Any) -> list[Any]:
    if isinstance(value, str):
        if value.lstrip().startswith(("[", "{")):
            try:
                parsed = _parse(value)
            except (ValueError, RecursionError):
                return split_phenomena(value)
            return _anomalies(parsed if isinstance(parsed, list) else [parsed])
        return split_phenomena(value)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _refused("anomalies", say("refused.row.no_anomalies", given=_kind(value)))
    given = [item for item in cast("list[Any]", value) if item not in (None, "")]
    return [found for item in given for found in (phenomena_of(item) if is_reading(item) else [_anomaly(item)])]


def _drawn(fields: dict[str, Any], metadata: dict[str, Any]) -> list[Any]:
    """Where no list of phenomena is given, those that the description tells."""
    description = fields.get("description")
    if not isinstance(description, str) or "anomalies" in fields or len(_STATEMENT_END.split(description.strip())) < _FEWEST_STATEMENTS:
        return []
    found = take_apart(description[:_MAX_PROSE]).observations
    if found:
        metadata[DRAWN] = [*drawn_of(metadata), "observations"]
    return [{"description": each.description, "observation_method": each.method} for each in found]


def _readings(value: Any) -> list[Reading] | None:
    """The phenomena when all of them are readings of metrics; None when they are something else."""
    items = cast("list[Any]", value) if isinstance(value, list) else [None]
    readings = [item for item in items if is_reading(item)]
    return readings if len(readings) == len(items) else None


def _anomaly(item: Any) -> Any:
    if isinstance(item, str):
        return {"description": item.strip()}
    if isinstance(item, dict):
        return {key: _tidy(value) for key, value in cast("dict[Any, Any]", item).items() if value is not None}
    return item


def _tidy(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _reasons(error: ValidationError) -> Statement:
    """The first few faults, each with its place, without the value: it may be long, and it may be private."""
    faults = error.errors()
    first = [at(place_of(fault["loc"]), in_words(fault)) for fault in faults[:_MOST_FAULTS]]
    more = len(faults) - len(first)
    rest = [say("refused.row.more", n=count(more, exact=True))] if more else []
    return first[0] if len(faults) == 1 else say("refused.row.faults", faults=listing(*first, *rest, join=Join.CLAUSES))


def _refused(place: str, fault: Statement) -> RowRefused:
    return RowRefused(at(place, fault))


def _kind(value: object) -> Value:
    if value is None:
        return name("null")
    return _KINDS.get(type(value)) or name(type(value).__name__)


def _short(text: str | None) -> str | None:
    return None if text is None else cast("str", clean_json(text))[:200]
