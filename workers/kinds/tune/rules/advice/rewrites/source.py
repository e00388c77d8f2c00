"""A script in PySpark or Scala as text and syntax tree: finds a call, the statement around it, and names that are free."""

import ast
import re
import warnings
from functools import cached_property

from contracts.verdicts import ScriptSpot
from workers.engines.code.scala_tree import ScalaTree, TooSlow
from workers.kinds.tune.rules.advice.rewrites.patches import Edit

NEWLINE = re.compile(r"\r\n|\r|\n")
BOM = "\ufeff"
SQL_FUNCTIONS = "pyspark.sql.functions"
ALIASES = ("F", "sf", "spark_functions")
SCALA_FUNCTIONS = "org.apache.spark.sql.functions"
SCALA_BROADCAST = re.compile(
    rf"^\s*import\s+{re.escape(SCALA_FUNCTIONS)}\.(?:_|broadcast\b|\{{[^}}]*\bbroadcast\b[^}}=]*\}})", re.MULTILINE
)
"""An import by which `broadcast` has its plain name."""


class Source:
    """Read with `read`. Positions are characters of `text`."""

    def __init__(self, text: str, tree: ast.Module, language: str = "python") -> None:
        self.text = text
        self.tree = tree
        self.language = language
        first = len(text) - len(text.lstrip(BOM))
        self._starts = [first, *(found.end() for found in NEWLINE.finditer(text))]

    @classmethod
    def read(cls, text: str) -> "Source | None":
        """None for a text that is no Python."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a user's script: no business of ours
                return cls(text, ast.parse(text.lstrip(BOM)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @classmethod
    def read_scala(cls, text: str) -> "Source | None":
        """A Scala script, whose calls have the form of Python's and their places in the script; None for a text that is no Scala."""
        try:
            tree = ScalaTree(text)
            module = ast.Module(body=tree.statements(), type_ignores=[])
        except (RecursionError, TooSlow):
            return None
        return None if tree.broken_line or text.startswith(BOM) else cls(text, module, "scala")

    @classmethod
    def read_as(cls, text: str, language: str) -> "Source | None":
        """By the language of the script."""
        return cls.read_scala(text) if language == "scala" else cls.read(text)

    @property
    def broadcast(self) -> tuple[str, tuple[Edit, ...]]:
        """What the script calls Spark's `broadcast`, and the import that is missing, if it is."""
        if self.language == "scala":
            return ("broadcast" if SCALA_BROADCAST.search(self.text) else f"{SCALA_FUNCTIONS}.broadcast"), ()
        alias, imports = self.functions_alias()
        return f"{alias}.broadcast", imports

    def is_chained(self, node: ast.expr) -> bool:
        """A method behind the expression applies to all of it: Scala's `a join b` needs brackets, and Python's `a + b`."""
        if not isinstance(node, ast.Call | ast.Name | ast.Attribute):
            return False
        if self.language != "scala" or not isinstance(node, ast.Call):
            return True
        behind = self.text[self.end(node.func) : self.end(node)]
        return not behind or behind[0] in "([" or behind.lstrip().startswith("{")

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of every node but the module."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def names(self) -> frozenset[str]:
        """All that the script uses for anything, columns as well."""
        found = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        found |= {node.value for node in ast.walk(self.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        found |= {
            alias.asname or alias.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        return frozenset(found | {node.name for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)})

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Of a node's text."""
        return self._at(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Just behind a node's text."""
        return self._at(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def text_of(self, node: ast.expr) -> str:
        """As it is written, on one line: where it goes over several, as Python itself would write it."""
        written = self.text[self.start(node) : self.end(node)]
        return ast.unparse(node) if NEWLINE.search(written) or "#" in written else written

    def function(self, name: str) -> ast.FunctionDef | None:
        """The first function with this name."""
        return next((node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef) and node.name == name), None)

    def call_at(self, spot: ScriptSpot) -> ast.Call | None:
        """The method call that an operation of the script was read from."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                function = node.func
                line = function.end_lineno or function.lineno
                if line == spot.line and self.end(function) - len(function.attr) == self._starts[line - 1] + spot.column:
                    return node
        return None

    def statement_of(self, node: ast.AST) -> ast.stmt | None:
        """The plain statement whose value is computed with this node every time and at once; None inside a lambda, a loop of a
        comprehension, or a branch of an expression."""
        while not isinstance(node, ast.stmt):
            if isinstance(node, ast.Lambda | ast.comprehension | ast.IfExp | ast.BoolOp | ast.ListComp | ast.SetComp | ast.DictComp):
                return None
            if isinstance(node, ast.GeneratorExp) or node not in self.parents:
                return None
            node = self.parents[node]
        return node if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return) else None

    def line_start(self, statement: ast.stmt) -> tuple[int, str] | None:
        """(position, indentation) for lines inserted before a statement; None where the statement does not begin its line."""
        line = self._starts[statement.lineno - 1]
        before = self.text[line : self.start(statement)]
        return None if before.strip() else (line, before)

    def line_at(self, line: int) -> int:
        """Where a line begins."""
        return self._starts[line - 1]

    def line_end(self, position: int) -> int:
        """Just behind the line break after a position."""
        found = NEWLINE.search(self.text, position)
        return found.end() if found else len(self.text)

    def free_name(self, wanted: str) -> str:
        """The name, with a number where the script uses it already."""
        number, name = 1, wanted
        while name in self.names:
            number += 1
            name = f"{wanted}_{number}"
        return name

    def functions_alias(self) -> tuple[str, tuple[Edit, ...]]:
        """What the script calls `pyspark.sql.functions`, and the import that is missing, if it is."""
        for statement in self.tree.body:
            match statement:
                case ast.ImportFrom(module="pyspark.sql", names=names):
                    given = next((name.asname or name.name for name in names if name.name == "functions"), None)
                case ast.Import(names=names):
                    given = next((name.asname for name in names if name.name == SQL_FUNCTIONS and name.asname), None)
                case _:
                    given = None
            if given:
                return given, ()
        alias = next((name for name in ALIASES if name not in self.names), self.free_name(ALIASES[-1]))
        return alias, (Edit(self._after_imports, self._after_imports, f"from pyspark.sql import functions as {alias}{self.newline}"),)

    def module_alias(self, module: str) -> tuple[str, tuple[Edit, ...]]:
        """What the script calls a module of Python's, and the import that is missing, if it is."""
        imports = (node for node in self.tree.body if isinstance(node, ast.Import))
        given = next((name.asname or name.name for node in imports for name in node.names if name.name == module), None)
        if given:
            return given, ()
        alias = self.free_name(module)
        line = f"import {module}" if alias == module else f"import {module} as {alias}"
        return alias, (Edit(self._after_imports, self._after_imports, f"{line}{self.newline}"),)

    @property
    def newline(self) -> str:
        """The line break that the script uses."""
        found = NEWLINE.search(self.text)
        return found[0] if found else "\n"

    @property
    def _after_imports(self) -> int:
        """Behind the imports that the script begins with, and its docstring."""
        last: ast.stmt | None = None
        for statement in self.tree.body:
            is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and last is None
            if not (is_docstring or isinstance(statement, ast.Import | ast.ImportFrom)):
                break
            last = statement
        return self.line_end(self.end(last)) if last else self._starts[0]

    def _at(self, line: int, column: int) -> int:
        """Python counts columns in bytes."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        written = self.text[start:end]
        return start + (
            column if written.isascii() else len(written.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "surrogatepass"))
        )
