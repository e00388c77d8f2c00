"""The largest numbers that a message may hold. Each fits the column, the interval and the sum that Postgres makes of it."""

import math
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

MOST_INTEGER = 2**63 - 1
"""What Postgres holds in a bigint. JSON from outside with a larger number is refused where it is read."""

MOST_SMALLINT = 2**15 - 1
"""What Postgres holds in a smallint: attempts are stored so."""

MOST_WALL_TIME_S = 315_576_000.0
"""Ten years. An interval of Postgres holds 290,000 years; more than ten is a slip of the keyboard."""

MOST_TOKENS = 10**12
"""Tokens of one budget or of one step. Nine million steps of this size still add up to a bigint."""

MOST_COST_USD = 1e9
"""US dollars of one budget or of one step."""

MOST_CALLS = 10**9
"""Calls of a model in one step."""

MOST_UNIX_S = 253_402_300_799.0
"""The last second of the year 9999, where Postgres and Python agree that dates end."""


MOST_WORD_CHARACTERS = 8_000
"""Characters of an answer or an instruction: a hundred lines of a log fit, a whole log does not. Every stage that hears it reads it."""

MOST_MESSAGE_CHARACTERS = 20_000
"""Characters of a message in a conversation: a question or a description, which are bounded by as many in their contracts."""

MOST_STATEMENT_CHARACTERS = 100_000
"""Characters of SQL that a person puts in the place of ours."""


def _within(most: float) -> BeforeValidator:
    """A number that was counted, not chosen: what is out of bounds becomes the bound, since refusing it would lose a whole step."""

    def clamp(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if isinstance(value, float) and math.isnan(value):
            return 0
        return min(max(value, 0), most)

    return BeforeValidator(clamp)


CountedTokens = Annotated[int, Field(ge=0, le=MOST_TOKENS), _within(MOST_TOKENS)]
"""Tokens that a model's server reported, or their sum."""

CountedCalls = Annotated[int, Field(ge=0, le=MOST_CALLS), _within(MOST_CALLS)]

CountedCost = Annotated[float, Field(ge=0, le=MOST_COST_USD), _within(MOST_COST_USD)]
"""US dollars, worked out from the tokens that a server reported."""
