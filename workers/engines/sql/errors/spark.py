"""Spark's error classes: `[UNRESOLVED_COLUMN.WITH_SUGGESTION] ...`, or the same as JSON."""

import json
import re
from typing import Any, cast

from contracts.sql_errors import SqlError
from contracts.sql_errors import SqlErrorKind as Kind

HEAD = re.compile(r"\[(?P<name>[A-Z_][A-Z0-9_]{3,}(?:\.[A-Z0-9_]+)*)\]\s*(?P<text>.*)", re.DOTALL)
"""How a message begins since Spark 3.3."""

FAMILIES: dict[str, Kind] = {
    "PARSE_SYNTAX_ERROR": Kind.SYNTAX,
    "PARSE_EMPTY_STATEMENT": Kind.SYNTAX,
    "INVALID_SQL_SYNTAX": Kind.SYNTAX,
    "UNCLOSED_BRACKETED_COMMENT": Kind.SYNTAX,
    "INVALID_IDENTIFIER": Kind.SYNTAX,
    "TABLE_OR_VIEW_NOT_FOUND": Kind.UNKNOWN_TABLE,
    "VIEW_NOT_FOUND": Kind.UNKNOWN_TABLE,
    "PARTITIONS_NOT_FOUND": Kind.UNKNOWN_TABLE,
    "SCHEMA_NOT_FOUND": Kind.UNKNOWN_SCHEMA,
    "UNRESOLVED_COLUMN": Kind.UNKNOWN_COLUMN,
    "UNRESOLVED_FIELD": Kind.UNKNOWN_COLUMN,
    "UNRESOLVED_MAP_KEY": Kind.UNKNOWN_COLUMN,
    "UNRESOLVED_USING_COLUMN_FOR_JOIN": Kind.UNKNOWN_COLUMN,
    "COLUMN_NOT_FOUND": Kind.UNKNOWN_COLUMN,
    "FIELD_NOT_FOUND": Kind.UNKNOWN_COLUMN,
    "MISSING_ATTRIBUTES": Kind.UNKNOWN_COLUMN,
    "CANNOT_RESOLVE_STAR_EXPAND": Kind.UNKNOWN_COLUMN,
    "UNRESOLVED_ROUTINE": Kind.UNKNOWN_FUNCTION,
    "CANNOT_LOAD_FUNCTION_CLASS": Kind.UNKNOWN_FUNCTION,
    "NOT_A_SCALAR_FUNCTION": Kind.UNKNOWN_FUNCTION,
    "UNRESOLVABLE_TABLE_VALUED_FUNCTION": Kind.UNKNOWN_FUNCTION,
    "UNSUPPORTED_DATATYPE": Kind.UNKNOWN_TYPE,
    "UNSUPPORTED_TYPED_LITERAL": Kind.UNKNOWN_TYPE,
    "AMBIGUOUS_REFERENCE": Kind.AMBIGUOUS_NAME,
    "AMBIGUOUS_COLUMN_OR_FIELD": Kind.AMBIGUOUS_NAME,
    "AMBIGUOUS_LATERAL_COLUMN_ALIAS": Kind.AMBIGUOUS_NAME,
    "COLUMN_ALREADY_EXISTS": Kind.DUPLICATE_NAME,
    "TABLE_OR_VIEW_ALREADY_EXISTS": Kind.DUPLICATE_NAME,
    "DATATYPE_MISMATCH": Kind.TYPE_MISMATCH,
    "INCOMPATIBLE_COLUMN_TYPE": Kind.TYPE_MISMATCH,
    "UNSUPPORTED_EXPR_FOR_OPERATOR": Kind.MISPLACED_AGGREGATE,
    "INVALID_WHERE_CONDITION": Kind.MISPLACED_AGGREGATE,
    "NESTED_AGGREGATE_FUNCTION": Kind.MISPLACED_AGGREGATE,
    "GROUP_BY_AGGREGATE": Kind.MISPLACED_AGGREGATE,
    "WRONG_NUM_ARGS": Kind.WRONG_ARGUMENTS,
    "INVALID_PARAMETER_VALUE": Kind.WRONG_ARGUMENTS,
    "INVALID_OPTIONS": Kind.WRONG_ARGUMENTS,
    "INVALID_SCHEMA": Kind.WRONG_ARGUMENTS,
    "NUM_COLUMNS_MISMATCH": Kind.COLUMN_COUNT,
    "ASSIGNMENT_ARITY_MISMATCH": Kind.COLUMN_COUNT,
    "INSERT_COLUMN_ARITY_MISMATCH": Kind.COLUMN_COUNT,
    "MISSING_AGGREGATION": Kind.NOT_GROUPED,
    "MISSING_GROUP_BY": Kind.NOT_GROUPED,
    "UNRESOLVED_ALL_IN_GROUP_BY": Kind.GROUPING,
    "UNSUPPORTED_GROUPING_EXPRESSION": Kind.GROUPING,
    "GROUPING_COLUMN_MISMATCH": Kind.GROUPING,
    "GROUPING_ID_COLUMN_MISMATCH": Kind.GROUPING,
    "GROUPING_SIZE_LIMIT_EXCEEDED": Kind.GROUPING,
    "GROUP_BY_POS_AGGREGATE": Kind.GROUPING,
    "GROUP_BY_POS_OUT_OF_RANGE": Kind.GROUPING,
    "ORDER_BY_POS_OUT_OF_RANGE": Kind.GROUPING,
    "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY": Kind.SUBQUERY,
    "INVALID_SUBQUERY_EXPRESSION": Kind.SUBQUERY,
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": Kind.SUBQUERY,
    "SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION": Kind.SUBQUERY,
    "INCOMPARABLE_PIVOT_COLUMN": Kind.PIVOT,
    "NON_LITERAL_PIVOT_VALUES": Kind.PIVOT,
    "PIVOT_VALUE_DATA_TYPE_MISMATCH": Kind.PIVOT,
    "UNPIVOT_VALUE_DATA_TYPE_MISMATCH": Kind.PIVOT,
    "INVALID_LIMIT_LIKE_EXPRESSION": Kind.LIMIT,
    "DIVIDE_BY_ZERO": Kind.DIVISION_BY_ZERO,
    "INTERVAL_DIVIDED_BY_ZERO": Kind.DIVISION_BY_ZERO,
    "ARITHMETIC_OVERFLOW": Kind.OVERFLOW,
    "BINARY_ARITHMETIC_OVERFLOW": Kind.OVERFLOW,
    "INTERVAL_ARITHMETIC_OVERFLOW": Kind.OVERFLOW,
    "CAST_OVERFLOW": Kind.OVERFLOW,
    "CAST_OVERFLOW_IN_TABLE_INSERT": Kind.OVERFLOW,
    "NUMERIC_VALUE_OUT_OF_RANGE": Kind.OVERFLOW,
    "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION": Kind.OVERFLOW,
    "INVALID_NUMERIC_LITERAL_RANGE": Kind.OVERFLOW,
    "CAST_INVALID_INPUT": Kind.BAD_VALUE,
    "CONVERSION_INVALID_INPUT": Kind.BAD_VALUE,
    "INVALID_TYPED_LITERAL": Kind.BAD_VALUE,
    "CANNOT_PARSE_TIMESTAMP": Kind.BAD_VALUE,
    "CANNOT_DECODE_URL": Kind.BAD_VALUE,
    "INVALID_FORMAT": Kind.BAD_PATTERN,
    "INVALID_ESCAPE_CHAR": Kind.BAD_PATTERN,
    "INCONSISTENT_BEHAVIOR_CROSS_VERSION": Kind.BAD_PATTERN,
    "INVALID_ARRAY_INDEX": Kind.OUT_OF_RANGE,
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": Kind.OUT_OF_RANGE,
    "INVALID_INDEX_OF_ZERO": Kind.OUT_OF_RANGE,
    "ELEMENT_AT_BY_INDEX_ZERO": Kind.OUT_OF_RANGE,
    "FORBIDDEN_OPERATION": Kind.UNSUPPORTED,
    "UNSUPPORTED_FEATURE": Kind.UNSUPPORTED,
    "FAILED_FUNCTION_CALL": Kind.BAD_VALUE,
    "FAILED_SQL_EXPRESSION_EVALUATION": Kind.BAD_VALUE,
    "WINDOW_FUNCTION_AND_FRAME_MISMATCH": Kind.WINDOW,
    "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE": Kind.WINDOW,
    "INSUFFICIENT_PERMISSIONS": Kind.PERMISSION,
}
"""The first part of a class, and its kind."""

PARTS: dict[str, Kind] = {
    "INVALID_PARAMETER_VALUE.PATTERN": Kind.BAD_PATTERN,
    "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX": Kind.OUT_OF_RANGE,
    "INVALID_PARAMETER_VALUE.ZERO_INDEX": Kind.OUT_OF_RANGE,
    "INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION": Kind.WINDOW,
    "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE": Kind.WINDOW,
    "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND": Kind.WINDOW,
    "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON": Kind.WINDOW,
    "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_DIFF_TYPES": Kind.WINDOW,
    "DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE": Kind.WINDOW,
    "DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER": Kind.WINDOW,
    "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER": Kind.WINDOW,
    "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH": Kind.COLUMN_COUNT,
    "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN": Kind.COLUMN_COUNT,
    "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE": Kind.OUT_OF_RANGE,
    "DATATYPE_MISMATCH.WRONG_NUM_ARGS": Kind.WRONG_ARGUMENTS,
}
"""Classes whose kind is not that of their family."""

WORDS: tuple[tuple[str, Kind], ...] = (
    ("SYNTAX", Kind.SYNTAX),
    ("WINDOW", Kind.WINDOW),
    ("PIVOT", Kind.PIVOT),
    ("SUBQUERY", Kind.SUBQUERY),
    ("OVERFLOW", Kind.OVERFLOW),
    ("ZERO", Kind.DIVISION_BY_ZERO),
    ("AMBIGUOUS", Kind.AMBIGUOUS_NAME),
    ("DUPLICATE", Kind.DUPLICATE_NAME),
    ("ALREADY_EXISTS", Kind.DUPLICATE_NAME),
    ("NUM_ARGS", Kind.WRONG_ARGUMENTS),
    ("NUM_COLUMNS", Kind.COLUMN_COUNT),
    ("ARITY", Kind.COLUMN_COUNT),
    ("AGGREGATE", Kind.MISPLACED_AGGREGATE),
    ("GROUP", Kind.GROUPING),
    ("LIMIT", Kind.LIMIT),
    ("TYPE", Kind.TYPE_MISMATCH),
    ("PATTERN", Kind.BAD_PATTERN),
    ("FORMAT", Kind.BAD_PATTERN),
    ("REGEX", Kind.BAD_PATTERN),
    ("INDEX", Kind.OUT_OF_RANGE),
    ("RANGE", Kind.OUT_OF_RANGE),
    ("TABLE", Kind.UNKNOWN_TABLE),
    ("SCHEMA", Kind.UNKNOWN_SCHEMA),
    ("COLUMN", Kind.UNKNOWN_COLUMN),
    ("ROUTINE", Kind.UNKNOWN_FUNCTION),
    ("FUNCTION", Kind.UNKNOWN_FUNCTION),
    ("INVALID_INPUT", Kind.BAD_VALUE),
    ("LITERAL", Kind.BAD_VALUE),
    ("PARSE", Kind.BAD_VALUE),
    ("ARGUMENT", Kind.WRONG_ARGUMENTS),
    ("PARAMETER", Kind.WRONG_ARGUMENTS),
    ("UNSUPPORTED", Kind.UNSUPPORTED),
)
"""Words in the name of a class that the tables above do not have."""

LEGACY: dict[str, Kind] = {
    "0051": Kind.GROUPING,
    "0061": Kind.OVERFLOW,
    "0064": Kind.SYNTAX,
    "1004": Kind.WINDOW,
    "1006": Kind.PIVOT,
    "1030": Kind.WINDOW,
    "1034": Kind.WINDOW,
    "1037": Kind.WINDOW,
    "1231": Kind.UNKNOWN_COLUMN,
    "1232": Kind.UNKNOWN_COLUMN,
    "2000": Kind.BAD_VALUE,
    "2303": Kind.TYPE_MISMATCH,
    "2304": Kind.BAD_VALUE,
    "2305": Kind.COLUMN_COUNT,
    "2306": Kind.WRONG_ARGUMENTS,
}
"""Errors without a class of their own, `_LEGACY_ERROR_TEMP_1034`, by number."""

LEGACY_WORDS: tuple[tuple[re.Pattern[str], Kind], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (r"window", Kind.WINDOW),
        (r"aggregat|filter clause|within group", Kind.MISPLACED_AGGREGATE),
        (r"partition column|partition spec", Kind.UNKNOWN_COLUMN),
        (r"regex|pattern|datetime|format", Kind.BAD_PATTERN),
        (r"literal|interval|parse|value out of range|invalid value", Kind.BAD_VALUE),
        (r"cannot resolve|not found", Kind.UNKNOWN_COLUMN),
        (r"duplicate", Kind.DUPLICATE_NAME),
        (r"not supported|unsupported|not allowed", Kind.UNSUPPORTED),
    )
)
"""Words in the text of an error whose number is not known."""

NAMED = (
    "objectName",
    "relationName",
    "routineName",
    "functionName",
    "name",
    "sqlExpr",
    "expression",
    "tableName",
    "columnName",
    "fieldName",
    "error",
)
"""Parameters that hold what the message speaks of, the likeliest first."""

PROPOSING = ("proposal", "suggestion", "alternative", "referenceNames")
"""Parameters that hold what Spark proposes."""

TEXT_PROPOSALS = re.compile(
    r"(?:Did you mean one of the following\?|could be:|given input columns:) \[(?P<names>[^\]]*)\]|Use (?P<other>[`']\w+[`'])"
)
TEXT_NAME = re.compile(r"`[^`]+`(?:\.`[^`]+`)*|\"[^\"]+\"")
TEXT_PLACE = re.compile(
    r"(?:\(line (?P<line>\d+), pos(?:ition)? (?P<pos>\d+)\)|== SQL(?:\(line (?P<other>\d+), position (?P<position>\d+)\))?)"
)
INSTEAD = re.compile(r"\b(?:try_\w+|get|element_at)\b")


def kind_of_class(name: str, text: str = "") -> Kind:
    """The kind of an error class; of a class that is not known, by the words of its name."""
    if name.startswith("_LEGACY_ERROR"):
        by_words = next((kind for pattern, kind in LEGACY_WORDS if pattern.search(text)), Kind.OTHER)
        return LEGACY.get(name.rpartition("_")[2], by_words)
    family = name.partition(".")[0]
    known = PARTS.get(name) or FAMILIES.get(family)
    return known or next((kind for word, kind in WORDS if word in name), Kind.OTHER)


def read_spark(message: str) -> SqlError | None:
    """The error behind a message that names a class; None where it names none."""
    if (found := _as_json(message)) is not None:
        return found
    head = HEAD.search(message)
    if head is None:
        return None
    proposals = TEXT_PROPOSALS.search(head["text"])
    names = [_plain(name) for name in TEXT_NAME.findall(head["text"])]
    place = TEXT_PLACE.search(message)
    line, column = (place["line"] or place["other"], place["pos"] or place["position"]) if place else (None, None)
    return SqlError(
        engine="spark",
        kind=kind_of_class(head["name"], head["text"]),
        engine_class=head["name"],
        names=tuple(names[:1]),
        line=int(line) if line else None,
        column=int(column) + (1 if place and place["pos"] else 0) if column else None,
        proposals=split_names(proposals["names"] or proposals["other"]) if proposals else (),
        message=message,
    )


def _as_json(message: str) -> SqlError | None:
    """The form that `spark.sql.error.messageFormat` MINIMAL and STANDARD give."""
    start = message.find("{")
    if start < 0 or '"errorClass"' not in message:
        return None
    try:
        found: Any = json.loads(message[start:])
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    fields = cast("dict[str, Any]", found)
    name = str(fields.get("errorClass") or "")
    given: Any = fields.get("messageParameters")
    parameters = {str(key): str(text) for key, text in cast("dict[Any, Any]", given).items()} if isinstance(given, dict) else {}
    context: Any = fields.get("queryContext")
    first: Any = cast("list[Any]", context)[0] if isinstance(context, list) and context else {}
    fragment = str(cast("dict[str, Any]", first).get("fragment") or "") if isinstance(first, dict) else ""
    proposals = [text for key in PROPOSING for text in split_names(parameters.get(key, ""))]
    return SqlError(
        engine="spark",
        kind=kind_of_class(name, " ".join((*parameters.values(), str(fields.get("message") or ""), fragment))),
        engine_class=name,
        names=tuple(_plain(parameters[key]) for key in NAMED if parameters.get(key))[:2],
        near=fragment or parameters.get("error", "").strip("'"),
        proposals=tuple(proposals),
        message=message,
    )


def split_names(text: str) -> tuple[str, ...]:
    """The names of a list as Spark writes it: `` `a`.`b`, `c` ``; the function of a sentence that proposes one."""
    text = text.strip().removeprefix("[").removesuffix("]")
    if found := INSTEAD.search(text) if " " in text and "`, `" not in text else None:
        return (found[0],)
    return tuple(_plain(name) for name in TEXT_NAME.findall(text) or re.split(r",\s*", text) if name.strip())


def _plain(name: str) -> str:
    return name.strip().strip('"').replace("`", "")
