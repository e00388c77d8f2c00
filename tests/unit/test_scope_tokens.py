"""The tokens of SCOPE and U-SQL scripts."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.said import said
from workers.engines.scope.script import read_scope
from workers.engines.scope.tokens import TokenKind, tokenize

PIECES = st.sampled_from(
    [
        *("SELECT ", "FROM ", "JOIN ", "ON ", "GROUP BY ", "a.b == c.d", "@x = ", "x = ", ";", "(", ")", "{", "}", "[", "]", ",", "*", "."),
        *(
            '"',
            '@"',
            '""',
            "'",
            "\\",
            "//",
            "/*",
            "*/",
            "\n",
            "#CS",
            "#ENDCS",
            "#IF",
            "#DECLARE p string = ",
            "UNION ALL ",
            "REDUCE ",
            "PRODUCE ",
        ),
        *(
            "HASH DISTRIBUTE BY ",
            "INTO 5",
            "OPTION(",
            "CREATE TABLE ",
            "INSERT INTO ",
            "OUTPUT ",
            "TO ",
            "CROSS APPLY ",
            "AS ",
            "=",
            "数据",
            "\ufeff",
        ),
    ]
)
SCRIPTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=60).map("".join))
HIDDEN = st.text(
    alphabet=st.characters(blacklist_characters='"\\*/\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029', blacklist_categories=["Cs"]), max_size=40
)


@given(SCRIPTS)
def test_no_text_breaks_the_tokenizer_and_every_token_stands_where_it_says(text: str) -> None:
    """T8."""
    lines = text.split("\n")
    last = 0

    for token in tokenize(text).tokens:
        assert last <= token.start < token.end <= len(text)
        assert lines[token.line - 1][token.column :].startswith(text[token.start : token.end].split("\n")[0])
        last = token.end


@given(SCRIPTS)
def test_no_text_breaks_the_reader_and_its_lines_are_lines_of_the_script(text: str) -> None:
    """T8."""
    facts = read_scope(text)
    lines = text.count("\n") + 1

    assert all(operation.line <= lines for operation in facts.script.operations)
    assert all(number < operation.number for operation in facts.script.operations for number in operation.inputs)
    assert all(join.operation < len(facts.script.operations) for join in facts.joins)
    assert all(place.line <= lines for place in (*facts.unread, *facts.user_code, *facts.partitionings))


@given(HIDDEN)
def test_strings_and_comments_hide_what_stands_in_them(hidden: str) -> None:
    """T8."""
    keywords = f"JOIN CROSS {hidden} GROUP BY k;"
    text = '/* K */\na = SELECT x, "K" AS s FROM t // K\n;\nb = SELECT @"K""K" AS v FROM a;'.replace("K", keywords)

    facts = read_scope(text)

    assert [operation.kind.value for operation in facts.script.operations] == ["read", "select", "select"]
    assert facts.unread == ()


def test_a_block_of_csharp_is_one_token_with_its_line() -> None:
    """T8."""
    found = tokenize('a = SELECT x FROM t;\n#CS\npublic class P { string s = "#ENDCS not in line"; /* ; */ }\n  #ENDCS\nb')

    block = next(token for token in found.tokens if token.kind is TokenKind.BLOCK)

    assert (block.line, "class P" in block.text) == (2, True)
    assert found.tokens[-1].text == "b"


def test_what_does_not_end_is_told_with_its_line() -> None:
    """T8."""
    assert [(line, said(why)) for line, why in tokenize('x = "open\ny').broken] == [(1, "A string is not closed.")]
    assert [(line, said(why)) for line, why in tokenize('\nx = @"open\ny').broken] == [(2, "A string is not closed.")]
    assert [(line, said(why)) for line, why in tokenize("\n\n/* open").broken] == [(3, "A comment is not closed.")]
    assert [(line, said(why)) for line, why in tokenize("#CS\nint x;").broken] == [(1, "A block of C# is not closed.")]


def test_an_indexer_is_no_quoted_name() -> None:
    """T8: `[Full Name]` is a name of U-SQL, `x[i]` takes one element."""
    assert [token.text for token in tokenize("[Full Name] x[i]").tokens] == ["Full Name", "x", "[", "i", "]"]
