"""What tools that write a schema put beside its DDL: rows of `pg_dump`, batches and descriptions of SQL Server's scripts."""

import re

COPIED = re.compile(r"^COPY [^\n;]{1,2000} FROM stdin;[ \t]*\n.*?^\\\.[ \t]*$", re.MULTILINE | re.DOTALL)
"""Rows of a table as `pg_dump` writes them, up to a line `\\.`; a semicolon in one of them is no end of a statement."""
BATCH = re.compile(r"^[ \t]*GO[ \t]*(?:\d{1,6}[ \t]*)?$", re.MULTILINE | re.IGNORECASE)
"""What ends a batch for SQL Server's tools; it is no SQL."""
DESCRIBED = re.compile(r"^[ \t]*EXEC(?:UTE)?\s+(?:sys\.)?sp_addextendedproperty\b[^;]*?$", re.MULTILINE | re.IGNORECASE)
GIVEN = re.compile(r"@(\w{1,30})\s*=\s*N?'((?:[^']|'')*)'")
DESCRIPTION = "MS_Description"


def plain_ddl(text: str, dialect: str) -> str:
    """The statements alone, in their lines."""
    text = COPIED.sub(lambda found: "\n" * found[0].count("\n"), text.replace("\r\n", "\n"))
    return BATCH.sub(";", DESCRIBED.sub("", text)) if dialect == "tsql" else text


def descriptions(text: str) -> dict[str, str]:
    """`table` or `table.column`, with the schema, in lower case → what SQL Server's script says of it."""
    found: dict[str, str] = {}
    for statement in DESCRIBED.findall(text.replace("\r\n", "\n")):
        given = {name.lower(): value.replace("''", "'") for name, value in GIVEN.findall(statement)}
        if given.get("name") == DESCRIPTION and given.get("level1name"):
            parts = [given.get(f"level{level}name", "") for level in range(3)]
            found[".".join(filter(None, parts)).lower()] = given.get("value", "")
    return found
