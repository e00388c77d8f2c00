"""A Scala script as its syntax tree tells it: the same calls as in PySpark, and the RDDs that Scala still likes."""

import ast
from collections.abc import Callable

from contracts.code import ScriptFacts
from contracts.statements import name, say
from workers.engines.code.python_names import Names
from workers.engines.code.python_reader import ScriptReader
from workers.engines.code.scala_tree import ScalaTree, TooSlow
from workers.engines.code.strings import Strings
from workers.engines.scripts.facts import SCRIPT_CHARS, TOO_LONG, facts_of
from workers.engines.scripts.ledger import Ledger, Spot
from workers.engines.scripts.source_text import Lines


def read_scala(text: str) -> ScriptFacts:
    """The operations of a Scala script. Code that the parser does not understand is skipped; `unreadable` names the first such line."""
    if len(text) > SCRIPT_CHARS:
        return ScriptFacts(language="scala", unreadable=TOO_LONG)
    ledger, names = Ledger(), Names()
    try:
        tree = ScalaTree(text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text)
    except TooSlow:
        return ScriptFacts(language="scala", unreadable=say("code.problem.broken_script"))
    try:
        reader = ScriptReader(ledger, names, Strings(tree.lines, tree.literal), _spots(tree.lines))
        reader.block(tree.statements())
    except RecursionError:
        ledger.unread.insert(0, say("code.problem.nested_script"))
    if tree.broken_line is not None:
        ledger.unread.insert(0, say("code.problem.no_scala", line=name(tree.broken_line)))
    return facts_of(ledger, names.functions, language="scala")


def _spots(lines: Lines) -> Callable[[ast.Call, str], Spot]:
    """The place of the method's own name, and the text of the call from there on."""

    def spot(call: ast.Call, name: str) -> Spot:
        function = call.func
        ends = lines.offset(call.end_lineno or call.lineno, call.end_col_offset or 0)
        begins = lines.offset(call.lineno, call.col_offset)
        if isinstance(function, ast.Attribute):
            begins = max(0, lines.offset(function.end_lineno or call.lineno, function.end_col_offset or 0) - len(name))
        return Spot(*lines.place(begins), " ".join(lines.text[begins:ends].split()))

    return spot
