"""Names of files, models and macros, and text of users inside files that are templates or programs. User text is never a path."""

import re
from collections.abc import Iterable

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,59}")
RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))})
"""Names that Windows keeps for devices."""


def file_name(wanted: str, otherwise: str) -> str:
    """A name for a file or a model: the last part of a table's name if that is a plain identifier, else `otherwise`, which is one."""
    last = wanted.rpartition(".")[2].lower()
    chosen = last if IDENTIFIER.fullmatch(last) else otherwise
    if not IDENTIFIER.fullmatch(chosen):
        raise ValueError(f"{chosen[:60]!r} is not an identifier.")
    return f"{chosen}_" if chosen in RESERVED else chosen


def distinct(name: str, taken: Iterable[str]) -> str:
    """The name, with a number behind it if it is taken."""
    used, number, found = set(taken), 2, name
    while found in used:
        found, number = f"{name}_{number}", number + 1
    return found


def comment(text: str) -> str:
    """A text as lines of SQL comments."""
    return "".join(f"-- {line.strip()}\n" for line in re.split(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+", text) if line.strip())


def no_template(text: str) -> str:
    """A text in a file that dbt reads as a template, so that it comes out as it is."""
    return re.sub(r"\{[{%#]", lambda found: "{{ '" + found[0] + "' }}", text)


def markdown(text: str) -> str:
    """A text as plain text in Markdown: nothing in it is markup."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", flat)


def code_span(text: str) -> str:
    """An identifier in a line of Markdown."""
    inner = " ".join(text.split()).replace("|", "\\|")
    fence = "``" if "`" in inner else "`"
    return f"{fence}{inner}{fence}" if fence == "`" else f"{fence} {inner} {fence}"


def fenced(text: str) -> str:
    """A text of several lines as it is, in a block that nothing in it can end."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    body = "\n".join(re.sub(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029]", " ", line).rstrip() for line in text.split("\n"))
    return f"{fence}text\n{body}\n{fence}"
