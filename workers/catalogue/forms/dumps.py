"""What tools that write a schema put beside its DDL: rows of `pg_dump`, batches and descriptions of SQL Server's scripts."""

import re

BATCH = re.compile(r"^[ \t]*GO[ \t]*(?:\d{1,6}[ \t]*)?$", re.MULTILINE | re.IGNORECASE)
"""What ends a batch for SQL Server's tools; it is no SQL."""
LOCKS = re.compile(r"^(?:UN)?LOCK TABLES[^;\n]{0,200};$", re.MULTILINE)
"""What `mysqldump` writes around the rows of a table; no statement on it."""
META = re.compile(r"^\\(?:un)?restrict\b.*$", re.MULTILINE)
"""What `pg_dump` writes for psql alone."""
DESCRIBED = re.compile(r"^[ \t]*EXEC(?:UTE)?\s+(?:sys\.)?sp_addextendedproperty\b[^;]*?$", re.MULTILINE | re.IGNORECASE)
GIVEN = re.compile(r"@(\w{1,30})\s*=\s*N?'((?:[^']|'')*)'")
DESCRIPTION = "MS_Description"


def plain_ddl(text: str, dialect: str) -> str:
    """The statements alone, in their lines."""
    text = META.sub("", LOCKS.sub("", _without_rows(text.replace("\r\n", "\n"))))
    return BATCH.sub(";", DESCRIBED.sub("", text)) if dialect == "tsql" else text


def _without_rows(text: str) -> str:
    """The text without the rows of tables as `pg_dump` writes them: from `COPY ... FROM stdin;` to a line `\\.`, in which a semicolon is no
    end of a statement."""
    lines, is_row = text.split("\n"), False
    for place, line in enumerate(lines):
        begins = not is_row and line.startswith("COPY ") and line.rstrip().endswith(" FROM stdin;")
        ends = is_row and line.rstrip() == "\\."
        if begins or is_row:
            lines[place] = ""
        is_row = begins or (is_row and not ends)
    return "\n".join(lines)


def descriptions(text: str) -> dict[str, str]:
    """`table` or `table.column`, with the schema, in lower case → what SQL Server's script says of it."""
    found: dict[str, str] = {}
    for statement in DESCRIBED.findall(text.replace("\r\n", "\n")):
        given = {name.lower(): value.replace("''", "'") for name, value in GIVEN.findall(statement)}
        if given.get("name") == DESCRIPTION and given.get("level1name"):
            parts = [given.get(f"level{level}name", "") for level in range(3)]
            found[".".join(filter(None, parts)).lower()] = given.get("value", "")
    return found
