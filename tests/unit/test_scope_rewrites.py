"""Rewritten SCOPE scripts: what is taken out, hinted or joined separately, read by the language's own parser."""

import pytest

from contracts.code import OperationKind
from contracts.verdicts import ScriptSpot
from workers.engines.scope.script import read_scope
from workers.engines.scripts.given import NamedScript
from workers.engines.scripts.spots import spot_of
from workers.kinds.tune.rules.advice.rewrites.patches import apply_diff
from workers.kinds.tune.rules.advice.rewrites.scope_script import keys_apart, with_broadcast, without_partitioning

JOINED = """// Clicks with their customers.
Clicks = SELECT Id, Url FROM (SSTREAM "/c.ss");
People = SELECT Id, City FROM (SSTREAM "/p.ss");
Both =
    SELECT c.Url, p.City
    FROM Clicks AS c
         LEFT OUTER JOIN People AS p ON c.Id == p.Id;
OUTPUT Both TO SSTREAM "/o.ss";
"""
SPREAD = """A = SELECT K, V FROM (SSTREAM "/a.ss")
    HASH DISTRIBUTE BY K INTO 600;
B = SELECT K, V FROM A WHERE V > 1;
OUTPUT B TO SSTREAM "/o.ss";
"""
USQL = """@c = EXTRACT Id string, Url string FROM "/c.tsv" USING Extractors.Tsv();
@p = EXTRACT Id string, City string FROM "/p.tsv" USING Extractors.Tsv();
@b = SELECT c.Url, p.City FROM @c AS c INNER JOIN @p AS p ON c.Id == p.Id;
OUTPUT @b TO "/o.tsv" USING Outputters.Tsv();
"""


def given(text: str, kind: OperationKind) -> tuple[NamedScript, ScriptSpot]:
    facts = read_scope(text).script
    operation = next(operation for operation in facts.operations if operation.kind is kind)
    return NamedScript("job.script", facts, text), spot_of(operation)


def rewritten(text: str, diff: str) -> str:
    new = apply_diff(diff, text)
    assert new is not None
    assert not read_scope(new).unread
    return new


def test_a_clause_that_partitions_is_taken_out_with_its_buckets() -> None:
    """T29."""
    new = rewritten(SPREAD, without_partitioning(*given(SPREAD, OperationKind.REPARTITION)))

    assert new == SPREAD.replace("\n    HASH DISTRIBUTE BY K INTO 600", "")
    assert read_scope(new).partitionings == ()


@pytest.mark.parametrize(("text", "expected"), [(JOINED, "LEFT OUTER BROADCASTRIGHT JOIN People"), (USQL, "INNER BROADCASTRIGHT JOIN @p")])
def test_the_right_side_of_a_join_is_hinted(text: str, expected: str) -> None:
    """T29."""
    new = rewritten(text, with_broadcast(*given(text, OperationKind.JOIN)))

    assert expected in new
    assert [join.hints for join in read_scope(new).joins] == [("BROADCASTRIGHT",)]


@pytest.mark.parametrize("words", ["FULL OUTER JOIN", "RIGHT OUTER JOIN", "LEFT OUTER PAIR JOIN"])
def test_joins_that_must_keep_their_right_side_or_have_a_hint_are_left(words: str) -> None:
    """T29: a broadcast of the right side would double or lose its rows."""
    text = JOINED.replace("LEFT OUTER JOIN", words)

    assert with_broadcast(*given(text, OperationKind.JOIN)) == ""


def test_heavy_keys_are_joined_in_a_statement_of_their_own() -> None:
    """T29: each row goes through exactly one of the two joins, and only the heavy keys' rows of the right side are sent."""
    new = rewritten(JOINED, keys_apart(*given(JOINED, OperationKind.JOIN), ("Id", "Id"), ("", 'a"b'), "string"))

    assert '(SELECT * FROM Clicks WHERE Id == "" OR Id == "a\\"b") AS c' in new
    assert '(SELECT * FROM Clicks WHERE Id != "" AND Id != "a\\"b") AS c' in new
    assert 'LEFT OUTER BROADCASTRIGHT JOIN (SELECT * FROM People WHERE Id == "" OR Id == "a\\"b") AS p' in new
    assert "Both =\n    SELECT * FROM BothHeavy" not in new.replace("Both =\n    SELECT * FROM BothHeavy", "", 1)
    facts = read_scope(new)
    assert len(facts.joins) == 2
    assert any(operation.kind is OperationKind.UNION for operation in facts.script.operations)


def test_heavy_keys_of_a_number_are_numbers_and_of_an_unknown_type_left() -> None:
    """T29."""
    script, spot = given(USQL, OperationKind.JOIN)

    assert "WHERE Id == -1)" in rewritten(USQL, keys_apart(script, spot, ("Id", "Id"), ("-1",), "long"))
    assert keys_apart(script, spot, ("Id", "Id"), ("-1",), "") == ""
    assert keys_apart(script, spot, ("Id", "Id"), ("x; DROP",), "long") == ""


@pytest.mark.parametrize("clause", [" GROUP BY c.Url, p.City", " WHERE c.Url != null", " UNION ALL SELECT Url, Url AS City FROM Clicks"])
def test_a_statement_that_does_more_than_join_is_not_divided(clause: str) -> None:
    """T29: grouped rows of two statements are not those of one."""
    text = JOINED.replace("ON c.Id == p.Id;", f"ON c.Id == p.Id{clause};")

    assert keys_apart(*given(text, OperationKind.JOIN), ("Id", "Id"), ("",), "string") == ""
