"""A PySpark script as its syntax tree tells it: what is read, joined by which keys, grouped, repartitioned, in which line."""

import ast
import warnings
from collections.abc import Callable

from contracts.code import ScriptFacts
from contracts.statements import name, quote, say
from workers.engines.code.python_names import Names
from workers.engines.code.python_reader import ScriptReader
from workers.engines.code.strings import Strings, python_literal
from workers.engines.scripts.facts import SCRIPT_CHARS, TOO_LONG, facts_of
from workers.engines.scripts.ledger import Ledger, Spot
from workers.engines.scripts.source_text import Lines


def read_script(text: str) -> ScriptFacts:
    """The operations of a Python script. A text that does not parse is reported in `unreadable`; nothing is raised."""
    if len(text) > SCRIPT_CHARS:
        return ScriptFacts(unreadable=TOO_LONG)
    source = text.lstrip("\ufeff")
    ledger, names = Ledger(), Names()
    lines = Lines(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a user's script, say an unknown escape: no business of ours
            tree = ast.parse(source)
        ScriptReader(ledger, names, Strings(lines, python_literal(lines, names.constants)), _spots(lines)).block(tree.body)
    except SyntaxError as error:
        return ScriptFacts(unreadable=say("code.problem.no_python", error=quote(error.msg), line=name(error.lineno or 1)))
    except (ValueError, RecursionError, MemoryError) as error:
        return ScriptFacts(unreadable=say("code.problem.not_parsed", error=name(type(error).__name__)))
    return facts_of(ledger, names.functions, language="python")


def _spots(lines: Lines) -> Callable[[ast.Call, str], Spot]:
    """The place of the method's own name, since a chain of calls may span several lines."""

    def spot(call: ast.Call, name: str) -> Spot:
        function = call.func
        if not isinstance(function, ast.Attribute):
            return Spot(*lines.place(lines.offset(call.lineno, call.col_offset)), "")
        end = lines.offset(function.end_lineno or call.lineno, function.end_col_offset or 0)
        arguments = ", ".join(ast.unparse(argument) for argument in call.args)
        return Spot(*lines.place(max(0, end - len(name))), f"{name}({arguments})")

    return spot
