"""Commands named in prose that only look: `sp_who2`, `ceph osd df`, `show processlist`. The list is in `looking_commands.txt`, one tool a
line; what changes something (`ethtool -s`, `systemctl restart`) is not in it.
"""

import re
from functools import lru_cache
from pathlib import Path

_LIST = Path(__file__).with_name("looking_commands.txt")
_SQL = frozenset(["SHOW", "EXPLAIN", "SELECT"])
_END = "(?![A-Za-z0-9_-])"
_OBJECT = r"(?: (?:/[\w./-]*\w|[a-z]{2,8}\d{1,3}|\d{2,8})(?![A-Za-z0-9_/])|(?<=-u) [A-Za-z][\w.@-]+)"
"""A device, a path, an interface or the number of a process behind a command."""
_ALONE = r"(?! ?[:=(]|\s-)"
"""Behind a name that stands alone: no option, which would be one that is not in the list."""


@lru_cache(1)
def looking_commands() -> re.Pattern[str]:
    """The pattern of a command of the list."""
    found: list[str] = []
    for line in _LIST.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            tool, _, options = line.partition(":")
            found.append(_pattern(tool.strip(), [option.strip() for option in options.split("|") if option.strip()]))
    return re.compile(rf"(?<![A-Za-z0-9_./-])(?:{'|'.join(found)}){_END}")


def _pattern(tool: str, options: list[str]) -> str:
    bare = re.escape(tool.removesuffix("*"))
    listed = "|".join(re.escape(option).replace(r"\ ", r"\s+") for option in sorted(options, key=len, reverse=True))
    if tool in _SQL:
        return rf"(?i:{bare}\s+(?:{listed}))"
    with_option = rf"{bare}\s+(?:{listed}){_END}{_OBJECT}?" if listed else ""
    alone = rf"{bare}{_END}(?:{_OBJECT}|{_ALONE})" if tool.endswith("*") else ""
    return "|".join(part for part in (with_option, alone) if part)


def commands_in(text: str) -> list[str]:
    """The commands of the list that a text names, each once, in order."""
    return list(dict.fromkeys(" ".join(match[0].split()) for match in looking_commands().finditer(text)))
