"""The user's code as items of a prompt: blocks of lines with their numbers, those that findings point to first."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.verdicts import Findings
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.by_model.layers import Item
from workers.kinds.tune.rules.code_leads import heavier_first

BLOCK = 15
"""Lines of one item."""
MOST_LINES = 2_000
"""The most lines of a script: the lines behind them are seldom shown."""
LINE_CHARS = 200
"""A line that is longer is shown cut, and so cannot be rewritten."""
LEADS = 8
"""Operations that a script is read by where no finding points into it."""


@dataclass(frozen=True, slots=True, order=True)
class Block:
    """Lines of a script, `first` to `last`. Their order is that of the code."""

    script: int
    first: int
    last: int


def code_shown(scripts: Sequence[NamedScript], findings: Findings) -> tuple[Item, ...]:
    """All blocks, the most important first; their keys are `Block`s."""
    wanted = _wanted(scripts, findings)
    items: list[tuple[int, Item]] = []
    for number, script in enumerate(scripts, start=1):
        lines = script.text.split("\n")[:MOST_LINES]
        for at in range(0, len(lines), BLOCK):
            block = Block(number, at + 1, min(at + BLOCK, len(lines)))
            if any(line.strip() for line in lines[at : block.last]):
                items.append((_rank(block, script.name, wanted), Item(block, _text(block, script.name, lines))))
    return tuple(item for _, item in sorted(items, key=lambda item: item[0]))


def whole_lines(scripts: Sequence[NamedScript], blocks: Sequence[object]) -> frozenset[tuple[int, int]]:
    """(script, line) of all lines that were shown from end to end."""
    found: set[tuple[int, int]] = set()
    for block in blocks:
        if isinstance(block, Block):
            lines = scripts[block.script - 1].text.split("\n")
            found |= {(block.script, line) for line in range(block.first, block.last + 1) if len(lines[line - 1]) <= LINE_CHARS}
    return frozenset(found)


def _wanted(scripts: Sequence[NamedScript], findings: Findings) -> list[tuple[str, int]]:
    """(script, line), the most important first; where a finding does not name its script the name is empty."""
    blamed = [(spot.artefact, spot.line) for verdict in findings.verdicts for spot in verdict.blame.spots]
    leads = [(name, operation.line) for name, _, operation, _ in heavier_first(scripts)[:LEADS]]
    return [*blamed, *leads]


def _rank(block: Block, name: str, wanted: Sequence[tuple[str, int]]) -> int:
    """Place of the first wanted line near to the block; behind them all where there is none."""
    near = range(block.first - 2, block.last + 3)
    return next((at for at, (script, line) in enumerate(wanted) if script in ("", name) and line in near), len(wanted))


def _text(block: Block, name: str, lines: Sequence[str]) -> str:
    shown = (f"{number:5}| {_cut(lines[number - 1])}" for number in range(block.first, block.last + 1))
    return "\n".join([f"script {block.script} ({' '.join(name.split())[:LINE_CHARS]})", *shown])


def _cut(line: str) -> str:
    return line if len(line) <= LINE_CHARS else f"{line[: LINE_CHARS - 1]}…"
