"""The text of a select item as it is written. The parser notes the places of names and literals only, so an item is what lies
between the commas around it."""

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
    try:
        tokens = Dialect.get_or_raise(dialect or None).tokenize(text) if place is not None else []
    except SqlglotError:
        tokens = []
    at = next((number for number, token in enumerate(tokens) if place is not None and token.start <= place.start <= token.end), None)
    if at is None:
        return node.sql(dialect or None)
    depths = _depths(tokens)
    select = max(
        (number for number in range(at) if tokens[number].token_type is TokenType.SELECT and depths[number] <= depths[at]), default=0
    )
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


def _depths(tokens: list[Token]) -> list[int]:
    """How many brackets are open around each token; a bracket counts as outside itself."""
    found, depth = list[int](), 0
    for token in tokens:
        depth -= token.token_type in CLOSING
        found.append(depth)
        depth += token.token_type in OPENING
    return found
