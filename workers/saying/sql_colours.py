"""A SQL statement with its keywords, texts, numbers and comments in elements of their own, for a style sheet to colour.

The tokenizer of sqlglot distinguishes the words; it reads letter by letter: no pattern runs over what a user or a model wrote.
"""

from collections.abc import Iterator

from workers.saying.html_text import escaped

LONGEST = 50_000
"""Characters of a statement that is coloured; a longer one is shown plain."""


def coloured_sql(text: str) -> str:
    """The statement as HTML: `k` keywords, `s` texts, `m` numbers, `c` comments. Plain where it is too long or has no tokens."""
    if len(text) > LONGEST:
        return escaped(text)
    from sqlglot.errors import SqlglotError
    from sqlglot.tokenizer_core import TokenType
    from sqlglot.tokens import Tokenizer

    try:
        tokens = Tokenizer().tokenize(text)
    except (SqlglotError, RecursionError):
        return escaped(text)
    plain = {TokenType.VAR, TokenType.IDENTIFIER}
    kinds = {TokenType.STRING: "s", TokenType.NUMBER: "m"}
    parts, at = list[str](), 0
    for token in tokens:
        parts += _between(text[at : token.start])
        word = text[token.start : token.end + 1]
        kind = kinds.get(token.token_type) or ("k" if token.token_type not in plain and word.isidentifier() else "")
        parts.append(f'<span class="{kind}">{escaped(word)}</span>' if kind else escaped(word))
        at = token.end + 1
    return "".join((*parts, *_between(text[at:])))


def _between(text: str) -> Iterator[str]:
    """Blanks and comments."""
    if text.strip():
        yield f'<span class="c">{escaped(text)}</span>'
    elif text:
        yield text
