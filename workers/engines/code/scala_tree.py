"""A Scala program as the Python syntax tree of a program that makes the same calls, so that both are read by the same rules.

Only what calls on tables are made of is brought over; what has no counterpart becomes an expression of its parts. Every node keeps
the place it has in the Scala file."""

import ast
import re
import time
from collections.abc import Iterator
from typing import TypeVar

import tree_sitter_scala
from tree_sitter import Language, Node, Parser

from workers.engines.code.strings import UNKNOWN, Part
from workers.engines.scripts.source_text import Lines
from workers.engines.scripts.words import METHODS, READERS

LANGUAGE = Language(tree_sitter_scala.language())

PARSE_S = 5.0
"""CPU seconds of parsing. Good code takes half a second a megabyte; in broken code the parser's repairs take the square of its length."""

DEPTH = 400
"""Of nested nodes that are looked into; a chain of calls is as deep as it is long."""

PIECE = 8192
"""Bytes that the parser is given at once."""

DEFINITIONS = ("val_definition", "var_definition")
LISTS = ("Seq", "List", "Array", "Vector", "Set")
STATEMENT_PARENTS = ("if_expression", "for_expression", "while_expression", "try_expression", "match_expression", "do_while_expression")
"""Expressions that hold blocks of statements."""

ESCAPED = re.compile(r"\\(.)", re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t", "r": "\n"}

Placed = TypeVar("Placed", bound=ast.AST)


class TooSlow(Exception):
    """The text is so broken that the parser does not come to its end."""


def _parsed(data: bytes) -> Node:
    """Raises `TooSlow`. The parser asks for pieces and tells how far it is, so that other threads go on meanwhile."""
    give_up_at = time.thread_time() + PARSE_S
    try:
        tree = Parser(LANGUAGE).parse(
            lambda at, _: data[at : at + PIECE],
            progress_callback=lambda _, __: time.thread_time() > give_up_at,
        )
    except ValueError:  # it was stopped
        raise TooSlow from None
    return tree.root_node


class ScalaTree:
    """One Scala file."""

    def __init__(self, text: str) -> None:
        """Raises `TooSlow`."""
        self.lines = Lines(text)
        self._root = _parsed(text.encode("utf-8", "replace"))
        self._literals: dict[tuple[int, int], list[Part]] = {}
        self._vals: set[str] = set()
        self._constants: dict[str, str] = {}
        self._parameters: list[str] = []
        """Parameters of the enclosing lambdas, the innermost last. Each stands for a row, as `_` does."""

    @property
    def broken_line(self) -> int | None:
        """The place of the first part that is not valid Scala."""
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            if node.is_error or node.is_missing:
                return node.start_point.row + 1
            if node.has_error:
                waiting += reversed(node.children)
        return None

    def statements(self) -> list[ast.stmt]:
        """The program, in the order of its text."""
        return list(self._statements(self._root, 0))

    def literal(self, node: ast.expr) -> list[Part]:
        """The parts of a string, as `Strings` asks for them."""
        return self._literals.get((node.lineno, node.col_offset), [])

    def _statements(self, node: Node, depth: int) -> Iterator[ast.stmt]:
        for child in node.named_children:
            yield from self._statement(child, depth)

    def _statement(self, node: Node, depth: int) -> Iterator[ast.stmt]:
        if depth > DEPTH:
            return
        value = node.child_by_field_name("right" if node.type == "assignment_expression" else "value")
        name = node.child_by_field_name("left" if node.type == "assignment_expression" else "pattern")
        if (node.type in DEFINITIONS or node.type == "assignment_expression") and value is not None:
            yield self._assigned(node, name, value, depth + 1)
        elif node.type == "function_definition":
            yield from self._function(node, depth)
        elif node.type in STATEMENT_PARENTS or not node.type.endswith(("expression", "identifier", "literal", "string")):
            yield from self._statements(node, depth + 1)
        else:
            yield self._at(ast.Expr(value=self._value(node, depth + 1)), node)

    def _assigned(self, node: Node, name: Node | None, value: Node, depth: int) -> ast.stmt:
        meant = self._value(value, depth)
        if name is None or name.type != "identifier":
            return self._at(ast.Expr(value=meant), node)
        word = _word(name)
        self._vals.add(word)
        if isinstance(meant, ast.Constant) and isinstance(meant.value, str):
            self._constants[word] = meant.value
        return self._at(ast.Assign(targets=[self._name(name)], value=meant), node)

    def _function(self, node: Node, depth: int) -> Iterator[ast.stmt]:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        arguments: list[ast.arg] = []
        for parameter in (child for each in node.children_by_field_name("parameters") for child in each.named_children):
            named, kind = parameter.child_by_field_name("name"), parameter.child_by_field_name("type")
            if named is not None:
                annotation = ast.Constant(value=_word(kind)) if kind is not None else None
                arguments.append(ast.arg(arg=_word(named), annotation=annotation))
                self._vals.add(_word(named))
        inside = list(self._statement(body, depth + 1)) if body is not None else []
        signature = ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[])
        made = ast.FunctionDef(name=_word(name) if name else "", args=signature, body=[*inside, ast.Pass()], decorator_list=[])
        yield self._at(made, node)

    def _value(self, node: Node, depth: int) -> ast.expr:
        if depth > DEPTH:
            return self._at(ast.Constant(value=None), node)
        match node.type:
            case "identifier" | "operator_identifier" | "wildcard" | "type_identifier":
                return self._name(node)
            case "string":
                return self._string(node)
            case "interpolated_string_expression":
                return self._interpolated(node)
            case "integer_literal" | "boolean_literal":
                return self._literal(node)
            case "quote_expression" | "symbol":
                return self._column(node, _word(node).lstrip("'"))
            case "field_expression":
                return self._field(node, depth)
            case "call_expression":
                return self._call(node, depth)
            case "generic_function":  # `df.as[Order]`
                return self._at(ast.Call(func=self._function_of(node, depth), args=[], keywords=[]), node)
            case "instance_expression":
                named = next((child for child in node.named_children if child.type == "type_identifier"), None)
                if named is not None:
                    return self._at(ast.Call(func=self._name(named), args=self._arguments(node, depth), keywords=[]), node)
            case "infix_expression":
                return self._infix(node, depth)
            case "if_expression":
                return self._choice(node, depth)
            case "lambda_expression":
                return self._lambda(node, depth)
            case _:
                pass
        return self._parts(node, depth)

    def _literal(self, node: Node) -> ast.expr:
        if node.type == "boolean_literal":
            return self._at(ast.Constant(value=_word(node) == "true"), node)
        word = _word(node).rstrip("lL").replace("_", "")
        return self._at(ast.Constant(value=int(word) if word.isdecimal() and len(word) < 19 else None), node)

    def _field(self, node: Node, depth: int) -> ast.expr:
        attribute = self._attribute(node, depth)
        is_call = attribute.attr in METHODS or attribute.attr in READERS  # Scala leaves out empty brackets: `df.distinct.count`
        return self._at(ast.Call(func=attribute, args=[], keywords=[]), node) if is_call else attribute

    def _parts(self, node: Node, depth: int) -> ast.expr:
        """An expression without a counterpart, as the set of what is in it."""
        inside = [child.child_by_field_name("value") or child if child.type in DEFINITIONS else child for child in node.named_children]
        return self._at(ast.Set(elts=[self._value(child, depth + 1) for child in inside]), node)

    def _call(self, node: Node, depth: int) -> ast.expr:
        function = self._function_of(node, depth)
        arguments = self._arguments(node, depth)
        if isinstance(function, ast.Call):  # `aggregateByKey(0)(add, merge)` is one call
            return self._at(ast.Call(func=function.func, args=[*function.args, *arguments], keywords=[]), node)
        if isinstance(function, ast.Name) and function.id in LISTS:
            return self._at(ast.List(elts=arguments, ctx=ast.Load()), node)
        if isinstance(function, ast.Name) and function.id in self._vals and len(arguments) == 1 and isinstance(arguments[0], ast.Constant):
            return self._at(ast.Subscript(value=function, slice=arguments[0], ctx=ast.Load()), node)  # orders("customer_id")
        return self._at(ast.Call(func=function, args=arguments, keywords=[]), node)

    def _function_of(self, node: Node, depth: int) -> ast.expr:
        function = node.child_by_field_name("function")
        if function is None:
            return self._parts(node, depth)
        return self._attribute(function, depth) if function.type == "field_expression" else self._value(function, depth + 1)

    def _arguments(self, node: Node, depth: int) -> list[ast.expr]:
        arguments = node.child_by_field_name("arguments")
        if arguments is None:
            return []
        if arguments.type != "arguments":  # a block: `map { x => ... }`
            return [self._value(arguments, depth + 1)]
        return [self._value(child, depth + 1) for child in arguments.named_children if "comment" not in child.type]

    def _attribute(self, node: Node, depth: int) -> ast.Attribute:
        value, field = node.child_by_field_name("value"), node.child_by_field_name("field")
        inner = self._value(value, depth + 1) if value is not None else self._at(ast.Constant(value=None), node)
        made = self._at(ast.Attribute(value=inner, attr=_word(field) if field is not None else "", ctx=ast.Load()), node)
        if field is not None:
            made.end_lineno, made.end_col_offset = field.end_point.row + 1, field.end_point.column
        return made

    def _infix(self, node: Node, depth: int) -> ast.expr:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return self._parts(node, depth)
        sides = [self._value(left, depth + 1), self._value(right, depth + 1)]
        if _word(operator) == "+":
            return self._at(ast.BinOp(left=sides[0], op=ast.Add(), right=sides[1]), node)
        if operator.type != "identifier":
            return self._at(ast.Set(elts=sides), node)
        attribute = self._at(ast.Attribute(value=sides[0], attr=_word(operator), ctx=ast.Load()), node)  # `orders join people`
        attribute.end_lineno, attribute.end_col_offset = operator.end_point.row + 1, operator.end_point.column
        arguments = sides[1].elts if right.type == "tuple_expression" and isinstance(sides[1], ast.Set) else sides[1:]
        return self._at(ast.Call(func=attribute, args=arguments, keywords=[]), node)

    def _choice(self, node: Node, depth: int) -> ast.expr:
        parts = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
        test, body, other = (self._value(part, depth + 1) if part is not None else ast.Constant(value=None) for part in parts)
        return self._at(ast.IfExp(test=test, body=body, orelse=other), node)

    def _lambda(self, node: Node, depth: int) -> ast.expr:
        head = node.child_by_field_name("parameters")
        names = [_word(head)] if head is not None and head.type == "identifier" else []
        self._parameters += names
        made = self._parts(node, depth)
        del self._parameters[len(self._parameters) - len(names) :]
        return made

    def _string(self, node: Node) -> ast.expr:
        word = _word(node)
        quotes = 3 if word.startswith('"""') and len(word) >= 6 else 1
        start = self.lines.offset(node.start_point.row + 1, node.start_point.column) + quotes
        inside = word[quotes : len(word) - quotes]
        made = self._at(ast.Constant(value=inside), node)
        parts: list[Part] = []
        at = 0
        for found in ESCAPED.finditer(inside) if quotes == 1 else ():
            parts += [(inside[at : found.start()], start + at, True), (ESCAPES.get(found[1], found[1]), start + found.start(), False)]
            at = found.end()
        self._literals[made.lineno, made.col_offset] = [*parts, (inside[at:], start + at, True)]
        return made

    def _interpolated(self, node: Node) -> ast.expr:
        interpolator, body = node.child_by_field_name("interpolator"), node.named_children[-1]
        word = _word(body)
        quotes = 3 if word.startswith('"""') and len(word) >= 6 else 1
        start = self.lines.offset(body.start_point.row + 1, body.start_point.column)
        if interpolator is not None and _word(interpolator) == "$":
            return self._column(node, word[quotes : len(word) - quotes])
        parts: list[Part] = []
        at = start + quotes
        for statement in body.named_children:
            if statement.type == "interpolation":
                begin = self.lines.offset(statement.start_point.row + 1, statement.start_point.column)
                known = self._constants.get(_word(statement).strip("${} "), UNKNOWN)
                parts += [(self.lines.text[at:begin], at, True), (known, begin, False)]
                at = self.lines.offset(statement.end_point.row + 1, statement.end_point.column)
        tail = self.lines.text[at : start + len(word) - quotes]
        made = self._at(ast.JoinedStr(values=[ast.Constant(value=tail)]), node)
        self._literals[made.lineno, made.col_offset] = [*parts, (tail, at, True)]
        return made

    def _column(self, node: Node, name: str) -> ast.expr:
        """`$"name"` and `'name` are what `col("name")` is."""
        return self._at(ast.Call(func=ast.Name(id="col", ctx=ast.Load()), args=[ast.Constant(value=name)], keywords=[]), node)

    def _name(self, node: Node) -> ast.Name:
        word = _word(node)
        return self._at(ast.Name(id="_" if word in self._parameters else word, ctx=ast.Load()), node)

    def _at(self, made: Placed, node: Node) -> Placed:
        place = {
            "lineno": node.start_point.row + 1,
            "col_offset": node.start_point.column,
            "end_lineno": node.end_point.row + 1,
            "end_col_offset": node.end_point.column,
        }
        for name, value in place.items():
            setattr(made, name, value)
        return made


def _word(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
