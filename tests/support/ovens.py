"""A skill of an operator, for a bakery's ovens: text without a procedure, and the tools that it names, one of which changes something."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from contracts.base import Contract
from contracts.pointers import ServicePointer
from contracts.roles import RoleName
from contracts.tools import Effect
from workers.errors import InvalidInput
from workers.roles.registry import allow_tools
from workers.tools import Tool, ToolContext
from workers.tools.registry import replaced

OVEN = """\
---
name: oven-check
description: Checks an oven of the bakery. 检查面包房的烤箱。
metadata: {title: Oven check, triggers: "oven, bakery, 烤箱", kind: analyze}
allowed-tools: read_oven heat_oven list_ovens
---

# Oven check

1. Read the oven with `read_oven`.
2. If it is cold, heat it with `heat_oven`.
3. Write down what you did.
"""


class Oven(Contract):
    oven: str


class Degrees(Contract):
    degrees: float


class Bakery(Contract):
    name: str = ""


class OvenRow(Contract):
    oven: str
    degrees: float


class Ovens(Contract):
    ovens: tuple[OvenRow, ...]
    hall: str


HEATED: list[str] = []


def read_oven(ctx: ToolContext, arguments: Oven) -> Degrees:
    if arguments.oven == "B9":
        raise InvalidInput("There is no oven B9. There are: B1, B2.")
    return Degrees(degrees=21.5)


def heat_oven(ctx: ToolContext, arguments: Oven) -> Degrees:
    HEATED.append(arguments.oven)
    return Degrees(degrees=220.0)


def list_ovens(ctx: ToolContext, arguments: Bakery) -> Ovens:
    return Ovens(ovens=(OvenRow(oven="B1", degrees=21.5), OvenRow(oven="B2", degrees=180.0)), hall="north")


OPENS = frozenset({"service"})
TOOLS = {
    "read_oven": Tool("read_oven", "Reads an oven.", Oven, Degrees, read_oven, opens=OPENS),
    "heat_oven": Tool("heat_oven", "Heats an oven.", Oven, Degrees, heat_oven, effect=Effect.WRITE, opens=OPENS),
    "list_ovens": Tool("list_ovens", "Lists the ovens.", Bakery, Ovens, list_ovens, opens=OPENS),
}
POINTER = ServicePointer(place="bakery", line="the bakery", score=1.0, keys=tuple(TOOLS))


@contextmanager
def ovens(skills: Path) -> Generator[None]:
    """The skill in this folder, and its tools for the analyst."""
    (skills / "oven-check").mkdir(parents=True)
    (skills / "oven-check" / "SKILL.md").write_text(OVEN, "utf-8")
    with patch.dict("workers.roles.registry._allowed"), replaced(TOOLS, {"bakery": lambda services, owner: (POINTER,)}):
        allow_tools(RoleName.ANALYST, "analyze.act", *TOOLS)
        yield
