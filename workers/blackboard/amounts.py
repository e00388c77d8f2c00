"""Numbers that stand in JSON columns, as SQL reads them: expressions that no content of the column can make fail.

A plain cast fails on a number that is out of the type's range, and the whole statement with it: one row would hide all others.
jsonb holds a number as numeric, so that this cast always succeeds; what is too large for the type becomes its bound.
"""

from typing import LiteralString


def amount(column: LiteralString, name: LiteralString, *, most: LiteralString, as_type: LiteralString) -> LiteralString:
    """SQL for the number `name` in the JSON object `column`, between 0 and `most`; NULL when there is no number."""
    number = f"({column}->>'{name}')::numeric"
    return f"CASE WHEN jsonb_typeof({column}->'{name}') = 'number' THEN LEAST(GREATEST({number}, 0), {most})::{as_type} END"


MOST_TOKENS: LiteralString = "9e18"
MOST_FLOAT: LiteralString = "1e15"

BUDGET_WALL_TIME_S: LiteralString = amount("j.budget", "wall_time_s", most=MOST_FLOAT, as_type="float8")
"""What the budget of job `j` names, here and below; NULL where it names nothing."""
BUDGET_TOKENS: LiteralString = amount("j.budget", "tokens", most=MOST_TOKENS, as_type="bigint")
BUDGET_COST_USD: LiteralString = amount("j.budget", "cost_usd", most=MOST_FLOAT, as_type="float8")

_INPUT: LiteralString = amount("usage", "input_tokens", most=MOST_TOKENS, as_type="numeric")
_OUTPUT: LiteralString = amount("usage", "output_tokens", most=MOST_TOKENS, as_type="numeric")
_COST: LiteralString = amount("usage", "cost_usd", most=MOST_FLOAT, as_type="float8")

USED: LiteralString = f"""
SELECT LEAST(COALESCE(sum(COALESCE({_INPUT}, 0) + COALESCE({_OUTPUT}, 0)), 0), {MOST_TOKENS})::bigint AS tokens,
       COALESCE(sum(COALESCE({_COST}, 0)), 0) AS cost_usd
  FROM steps"""  # noqa: S608  made of constants
"""What steps used: a SELECT without its WHERE."""
