"""The text of a select item as it is written. The parser notes the places of names and literals only, so an item is what lies
between the commas around it."""

from bisect import bisect_right
from functools import lru_cache

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from workers.engines.sql.trees import place_of

OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
BEFORE = frozenset({TokenType.COMMA, TokenType.SELECT, TokenType.DISTINCT, TokenType.ALL})
BEHIND = frozenset(
    {
        *(TokenType.COMMA, TokenType.FROM, TokenType.INTO, TokenType.WHERE, TokenType.SEMICOLON, TokenType.UNION, TokenType.EXCEPT),
        *(TokenType.INTERSECT, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.LIMIT, TokenType.HAVING, TokenType.LATERAL),
    }
)


def item_text(node: exp.Expr, text: str, dialect: str) -> str:
    """A select item as the user wrote it; as it is printed where its place is not known."""
    place = place_of(node)
    tokens, starts, depths, selects = _read(text, dialect) if place is not None else _NOTHING
    at = bisect_right(starts, place.start) - 1 if place is not None else -1
    if place is None or at < 0 or place.start > tokens[at].end:
        return node.sql(dialect or None)
    select = selects[at]
    level = depths[select]
    first = at
    while first - 1 > select and not (depths[first - 1] == level and tokens[first - 1].token_type in BEFORE):
        first -= 1
    last = at
    while (
        last + 1 < len(tokens) and depths[last + 1] >= level and not (depths[last + 1] == level and tokens[last + 1].token_type in BEHIND)
    ):
        last += 1
    return text[tokens[first].start : tokens[last].end + 1]


_Read = tuple[list[Token], list[int], list[int], list[int]]
_NOTHING: _Read = ([], [], [], [])


@lru_cache(maxsize=4)
def _read(text: str, dialect: str) -> _Read:
    """The words of a text; of each its start, how many brackets are open around it (a bracket counts as outside itself), and the place of
    the last SELECT before it that no more are open around. A statement of many items is read once."""
    try:
        tokens = Dialect.get_or_raise(dialect or None).tokenize(text)
    except SqlglotError:
        return _NOTHING
    depths, selects, depth = list[int](), list[int](), 0
    before: list[tuple[int, int]] = []
    for number, token in enumerate(tokens):
        depth -= token.token_type in CLOSING
        depths.append(depth)
        selects.append(next((place for level, place in reversed(before) if level <= depth), 0))
        if token.token_type is TokenType.SELECT:
            while before and before[-1][0] >= depth:
                before.pop()
            before.append((depth, number))
        depth += token.token_type in OPENING
    return tokens, [token.start for token in tokens], depths, selects
