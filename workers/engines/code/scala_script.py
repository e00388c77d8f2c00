"""A Scala script as its syntax tree tells it: the same calls as in PySpark, and the RDDs that Scala still likes."""

import ast
from collections.abc import Callable

from contracts.code import ScriptFacts
from workers.engines.code.python_names import Names
from workers.engines.code.python_reader import ScriptReader
from workers.engines.code.scala_tree import ScalaTree
from workers.engines.code.strings import Strings
from workers.engines.scripts.ledger import Ledger, Spot
from workers.engines.scripts.source_text import Lines
from workers.engines.sql.script import SCRIPT_CHARS, told


def read_scala(text: str) -> ScriptFacts:
    """Its operations. The parser reads on behind what it does not understand; the first such line is told in `unreadable`."""
    if len(text) > SCRIPT_CHARS:
        return ScriptFacts(language="scala", unreadable=f"The script is longer than {SCRIPT_CHARS} characters.")
    ledger, names = Ledger(), Names()
    tree = ScalaTree(text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text)
    try:
        reader = ScriptReader(ledger, names, Strings(tree.lines, tree.literal), _spots(tree.lines))
        reader.block(tree.statements())
    except RecursionError:
        ledger.unread.insert(0, "The script is nested too deeply to be read to its end.")
    if tree.broken_line is not None:
        ledger.unread.insert(0, f"The script is not all Scala: see line {tree.broken_line}.")
    return ScriptFacts(
        language="scala",
        operations=tuple(ledger.operations),
        functions=tuple(names.functions),
        settings=ledger.settings,
        unreadable=told(ledger.unread),
    )


def _spots(lines: Lines) -> Callable[[ast.Call, str], Spot]:
    """Where the method's own name stands, and the call from there on."""

    def spot(call: ast.Call, name: str) -> Spot:
        function = call.func
        ends = lines.offset(call.end_lineno or call.lineno, call.end_col_offset or 0)
        begins = lines.offset(call.lineno, call.col_offset)
        if isinstance(function, ast.Attribute):
            begins = max(0, lines.offset(function.end_lineno or call.lineno, function.end_col_offset or 0) - len(name))
        return Spot(*lines.place(begins), " ".join(lines.text[begins:ends].split()))

    return spot
