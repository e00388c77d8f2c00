"""The plain form as rows: CSV, and the sheets of a workbook. A row describes a table, a column, a metric or a term."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from contracts.base import Json
from contracts.catalogue import CatalogueProblem
from contracts.statements import Code, say
from workers.catalogue.forms.of_tools import openmetadata_tables
from workers.engines.delimited import find_table
from workers.errors import InvalidInput
from workers.saying.reasons import reason_of

SPELLINGS = {
    "source": ("source", "db", "database"),
    "name": ("name", "table", "table_name", "column", "column_name", "metric", "term", "field"),
    "schema_name": ("schema_name", "schema", "table_schema"),
    "description": ("description", "comment", "definition_text", "remarks", "meaning", "definition"),
    "type": ("type", "data_type", "column_type", "col_type", "datatype", "datatypedisplay"),
    "minimum": ("minimum", "min"),
    "maximum": ("maximum", "max"),
    "nulls": ("nulls", "null_count"),
    "rows": ("rows", "row_count", "num_rows"),
    "restriction": ("restriction", "where", "filter"),
}

_HEADINGS = {
    name: heading
    for heading, names in {
        "table": "tablename|表名|表英文名|英文表名|数据表|tabelle",
        "column": "columnname|fieldname|字段名|字段|字段名称|列名|字段英文名|英文字段名|spalte|spaltenname|feld|feldname",
        "type": "字段类型|数据类型|类型|datentyp|typ",
        "description": (
            "shortdescription|longdescription|注释|字段注释|字段说明|说明|备注|描述|字段描述|含义|中文名|中文名称|字段中文名|表中文名|"
            "beschreibung|bemerkung"
        ),
        "primary_key": "primarykey|isprimarykey|pk|ispk|主键|是否主键|primärschlüssel",
        "term": "termname|businessterm|术语|业务术语|名词|begriff",
        "metric": "指标|指标名|指标名称|kennzahl",
        "definition": "定义|释义",
        "synonyms": "synonym|abbreviation|acronym|同义词|别名|synonyme",
        "status": "glossarystatus|termstatus",
        "asset": "assettype|objecttype",
    }.items()
    for name in names.split("|")
}
"""Headings of other tools and languages, without blanks, `_` and `*`, by ours."""
_OF_COLUMNS = ("table", "table_name", "column", "column_name")
"""Headings that say which table or column a row is about."""
_OF_TITLES = frozenset({*_OF_COLUMNS, "name", "field"})
_LABELS = {"column": "description", "table": "table_label"}
"""What a second heading for the same thing is: `字段名称` beside `字段名`."""
_KNOWN = frozenset({*(spelling for spellings in SPELLINGS.values() for spelling in spellings), *_HEADINGS.values()})
_OF_TERMS = frozenset({"definition", "synonyms", "relatedterms"})
"""Headings that only terms have beside a name."""
_TRUE = frozenset({"yes", "true", "1", "y", "x", "pk", "pri", "ja", "是", "√", "✓"})
_LISTED = ("synonyms", "tables", "columns")
_TERM = "term"
"""In the sort of an asset that a catalogue of several sorts exports: `Business Term`."""
_WITHDRAWN = frozenset({"deprecated", "rejected", "obsolete"})
_NAME = r"((?a:[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*))"
_NAMES_TABLE = re.compile(rf"[\d.、\s]*(?:表名|表英文名|英文表名|数据表|table(?:[ _]name)?)\s*[:：]\s*{_NAME}.*", re.IGNORECASE | re.DOTALL)
"""A title that names the table of the columns below it: `表名：t_order（订单表）`."""
_BEGINS_WITH_NAME = re.compile(rf"[\d.、\s]*{_NAME}\s*(?:[(（].*|[^\x00-\x7f].*)?", re.DOTALL)
"""`2.1 t_order（订单表）`, but not `Data dictionary v2`."""
_IDENTIFIER = re.compile(r"[\w$.]+", re.ASCII)

Found = CatalogueProblem | tuple[str, str, Json]
"""A problem, or a place, the group of what is described, and its description."""


def field(entry: Mapping[str, Any], name: str) -> Any:
    """A field by any of its spellings."""
    return next((entry[spelling] for spelling in SPELLINGS[name] if entry.get(spelling) not in (None, "")), None)


def read_rows(text: str, source: str, sheet: str = "") -> Iterator[Found]:
    """What the rows describe: a row a column, or a table where the column is empty; or a row a term or a metric. `sheet`: the name of a
    sheet, which is a table's where no heading and no title names one. Raises `InvalidInput`."""
    try:
        rows = list(_rows(text, sheet))
    except csv.Error as error:
        raise InvalidInput.of(say("refused.import.csv", reason=reason_of(error))) from None
    heads = {name for _, row in rows for name in row}
    if "entitytype" in heads and "fullyqualifiedname" in heads:
        yield from ((str(table["name"]), "tables", table) for table in openmetadata_tables(row for _, row in rows))
        return
    kind = _kind(heads)
    if kind:
        yield from _entries(rows, kind)
        return
    tables: dict[tuple[str, str], Json] = {}
    for line, row in rows:
        values = {name: value for name, value in row.items() if value}
        name = values.get("table") or values.get("table_name") or values.get("name")
        if not name:
            if values:
                yield CatalogueProblem(place=f"line {line}", reason=say("refused.import.part.no_table"))
            continue
        own, schema = str(field(values, "source") or source), field(values, "schema_name")
        table = tables.setdefault((own, f"{schema}.{name}" if schema else name), {"columns": [], "source": own})
        _add_row(table, values)
    for (_, name), table in tables.items():
        yield name, "tables", {**table, "name": name}


def term_rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[Json]:
    """The terms or metrics that the rows of a table in a document describe; none where its headings are those of something else."""
    heads = _heads(header)
    try:
        kind = _kind(set(heads))
    except InvalidInput:
        return
    named = ((line, dict(zip(heads, row, strict=False))) for line, row in enumerate(rows, start=1) if kind)
    yield from (found[2] for found in _entries(named, kind) if not isinstance(found, CatalogueProblem))


def read_sheets(sheets: Iterable[tuple[str, str]], source: str) -> Iterator[Found]:
    """What the sheets of a workbook describe together: one may list the tables, and others the columns of each. A sheet that describes
    nothing is a problem."""
    tables: dict[str, Json] = {}
    for sheet, text in sheets:
        try:
            for found in read_rows(text, source, sheet):
                if isinstance(found, CatalogueProblem) or found[1] != "tables":
                    yield found
                else:
                    known = tables.setdefault(found[0].lower(), {"columns": []})
                    columns = [*known["columns"], *found[2]["columns"]]
                    tables[found[0].lower()] = {**known, **found[2], "columns": columns}
        except InvalidInput as error:
            if error.says is not None:
                yield CatalogueProblem(place=sheet, reason=error.says)
    yield from ((str(table["name"]), "tables", table) for table in tables.values())


def _kind(heads: set[str]) -> str:
    """The group of what a row describes: terms, metrics; empty: a table or a column. Raises `InvalidInput` where no heading says it."""
    if heads.intersection(_OF_COLUMNS):
        return ""
    has_type = heads.intersection(SPELLINGS["type"])
    for kind in ("metric", "term"):
        if kind in heads:
            return f"{kind}s"
    if "name" in heads and not has_type and heads & _OF_TERMS:
        return "terms"
    if "name" in heads and has_type:
        raise InvalidInput.of(say("refused.import.no_table_heading", heading=Code(text="table")))
    if not heads.intersection(SPELLINGS["name"]):
        raise InvalidInput.of(
            say("refused.import.no_heading", heading=Code(text="table"), term=Code(text="term"), metric=Code(text="metric"))
        )
    return ""


def _rows(text: str, sheet: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows below a header, each with its line, by our headings. What stands alone in a row above a header is the title of what is below
    it, which may have a header of its own again; of several columns that describe, all are taken."""
    text, delimiter = find_table(text)
    below = text.lstrip("\n")
    above = len(text) - len(below)
    reader = csv.reader(io.StringIO(below), delimiter=delimiter)
    lines = [(above + reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
    header: list[str] = []
    heads: list[str] = []
    table = sheet
    for place, (line, cells) in enumerate(lines):
        filled = [cell.strip() for cell in cells if cell.strip()]
        after = lines[place + 1][1] if place + 1 < len(lines) else []
        is_again = bool(header) and (after == header or _is_header(after))
        if len(filled) == 1 and len(cells) > 1 and (not header or (sheet and (is_again or _NAMES_TABLE.fullmatch(filled[0])))):
            table = _titled(filled[0]) or (filled[0].replace("：", ":").rpartition(":")[2].strip() if header else table)
            header = [] if is_again else header
        elif not header:
            header, heads = cells, _apart(_heads(cells), [row for _, row in lines[place + 1 :]])
            yield from _empty(heads)
        elif cells != header:
            row: dict[str, str] = {}
            for name, cell in zip(heads, cells, strict=False):
                if name and cell.strip():
                    row[name] = f"{row[name]}; {cell.strip()}" if name in row and name in ("description", "synonyms") else cell.strip()
            if row and table and "column" in heads and not {"table", "table_name"} & set(heads):
                row["table"] = table
            yield line, row


def _titled(title: str) -> str:
    """The table that a title names; empty: it is a free text."""
    found = _NAMES_TABLE.fullmatch(title) or _BEGINS_WITH_NAME.fullmatch(title)
    return found[1] if found else ""


def _is_header(cells: Sequence[str]) -> bool:
    """Whether a row has headings of columns: one for their names, and one that we know beside it."""
    heads = {head for head in _heads(cells) if head in _KNOWN}
    return len(heads) > 1 and bool(heads & _OF_TITLES)


def _apart(heads: list[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The headings, of which one is the name of a column, and one of a table: the one with the most identifiers below it."""
    heads = ["column" if head == "field" and "column" in heads else head for head in heads]
    for name, label in _LABELS.items():
        places = [place for place, head in enumerate(heads) if head == name]
        if len(places) > 1:
            found = {place: sum(place < len(row) and bool(_IDENTIFIER.fullmatch(row[place].strip())) for row in rows) for place in places}
            chosen = max(places, key=lambda place: found[place])
            heads = [label if place in found and place != chosen else head for place, head in enumerate(heads)]
    return heads


def _empty(heads: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """A row that has the headings only, so that a file without rows is known by them."""
    yield 0, dict.fromkeys(filter(None, heads), "")


def _heads(cells: Sequence[str]) -> list[str]:
    """Our headings of a header."""
    plain = [cell.strip().lower().removesuffix("*").strip() for cell in cells]  # OpenMetadata marks what is required
    heads = [_HEADINGS.get(re.sub(r"[\s_*]+", "", name), name) for name in plain]
    if "cluster" in heads and "schema" in heads:  # Amundsen's: `database` is the sort of database there
        heads = ["" if name == "database" else name for name in heads]
    if "name" in heads and {"table", "table_name"} & set(heads) and not {"column", "column_name"} & set(heads):
        heads = ["column" if name == "name" else name for name in heads]  # Amundsen's columns: `name` is theirs
    return heads


def _entries(rows: Iterable[tuple[int, Mapping[str, str]]], group: str) -> Iterator[Found]:
    """A row a term or a metric. Synonyms are separated by commas, semicolons or `|`."""
    for line, row in rows:
        entry: Json = {name: value for name, value in row.items() if value}
        if shown := entry.pop("displayname", None):
            entry["synonyms"] = ",".join(filter(None, (str(shown), entry.get("synonyms"))))
        for listed in _LISTED:
            if listed in entry:
                entry[listed] = re.sub(r"[|;；、]", ",", str(entry[listed]))
        name, asset = str(field(entry, "name") or f"line {line}"), str(entry.pop("asset", _TERM))
        if _TERM not in asset.lower():
            yield CatalogueProblem(place=name, reason=say("refused.import.part.asset", asset=Code(text=asset)))
        elif str(entry.get("status", "")).lower() in _WITHDRAWN:
            yield CatalogueProblem(place=name, reason=say("refused.import.part.withdrawn", status=Code(text=str(entry["status"]))))
        elif entry:
            yield f"line {line}", group, entry


def _add_row(table: Json, values: Mapping[str, str]) -> None:
    column = values.get("column") or values.get("column_name")
    if label := values.get("table_label"):
        table.setdefault("description", label)
    about: Json = {name: value for name in ("type", "description", "minimum", "maximum") if (value := field(values, name))}
    if listed := values.get("values"):
        about["values"] = [value.strip() for value in listed.split("|")]
    if column:
        table["columns"].append({"name": column, **about})
        if values.get("primary_key", "").lower() in _TRUE:
            table.setdefault("primary_key", []).append(column)
    elif "description" in about:
        table["description"] = about["description"]
    if tags := values.get("tags"):
        table["tags"] = [tag.strip() for tag in tags.split("|")]
    if (rows := values.get("rows", "")).isdigit():
        table["rows"] = int(rows)
