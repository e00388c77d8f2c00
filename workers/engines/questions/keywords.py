"""Phrases of English questions that say what to do with the data: count, group, compare, order."""

# ruff: noqa: E501 a kind of words a line

from contracts.queries import Aggregate, DatePart, Operator, TimeUnit
from workers.engines.questions.items import COMMON, RARE, Kind

Meaning = tuple[Kind, object]


def _rows(kind: Kind, payload: object, phrases: str) -> dict[tuple[str, ...], Meaning]:
    return {tuple(phrase.split()): (kind, payload) for phrase in phrases.split("|")}


PHRASES: dict[tuple[str, ...], Meaning] = {
    **_rows(
        Kind.COUNT, None,
        "how many|number of|total number of|total count of|total count|total number|count of|count|no. of|total no. of|amount of different|numbers of|the number",
    ),
    **_rows(Kind.DISTINCT, None, "distinct|unique|different|distinct list of"),
    **_rows(Kind.AGGREGATE, Aggregate.AVERAGE, "average|avg|mean|on average"),
    **_rows(Kind.AGGREGATE, Aggregate.SUM, "total|sum|sum of|total amount of|total sum of|combined|overall total|total value of"),
    **_rows(Kind.AGGREGATE, Aggregate.MAXIMUM, "maximum|max"),
    **_rows(Kind.AGGREGATE, Aggregate.MINIMUM, "minimum|min"),
    **_rows(Kind.MOST, COMMON, "most common|most frequent|most frequently used|most used|commonest"),
    **_rows(Kind.MOST, RARE, "rarest|least common|least frequent|least frequently used|least used|most uncommon"),
    **_rows(Kind.MOST, True, "highest|largest|biggest|greatest|most|best|longest|tallest|most expensive|most populous|most populated|heaviest|highest paid|best paid|fastest|oldest of all|maximal|most number of|highest number of|greatest number of|largest number of"),
    **_rows(Kind.MOST, False, "lowest|smallest|least|fewest|shortest|worst|minimal|cheapest|lightest|lowest paid|slowest|least expensive|least number of|lowest number of|fewest number of|smallest number of"),
    **_rows(Kind.LATEST, True, "latest|most recent|newest|most recently|last"),
    **_rows(Kind.LATEST, False, "earliest|oldest|first"),
    **_rows(Kind.TOP, True, "top"),
    **_rows(Kind.TOP, False, "bottom"),
    **_rows(Kind.COMPARE, Operator.GREATER, "greater than|more than|over|above|higher than|larger than|bigger than|exceeding|exceeds|exceed|longer than|older than|>"),
    **_rows(Kind.COMPARE, Operator.GREATER_EQUAL, "at least|no less than|not less than|>=|or more|greater than or equal to|more than or equal to|minimum of"),
    **_rows(Kind.COMPARE, Operator.LESS, "less than|below|under|fewer than|lower than|smaller than|shorter than|cheaper than|<"),
    **_rows(Kind.COMPARE, Operator.LESS_EQUAL, "at most|no more than|not more than|up to|<=|less than or equal to"),
    **_rows(Kind.COMPARE, Operator.EQUAL, "equal to|equals|exactly|=|equal"),
    **_rows(Kind.EACH, None, "per|each|every|for each|in each|of each|by each|for every|in every|grouped by|group by|split by|broken down by|break down by"
            "|each of the|for each of the|for each unique|for each distinct|in each of the|across each|for different|across different|across all|grouped by each"),
    **_rows(Kind.BY, None, "by|by the|based on"),
    **_rows(Kind.ORDER, None, "order by|ordered by|sort by|sorted by|order the results by|order results by|order the result by|ranked by|rank by|sort the results by"
            "|order them by|sort them by|sort results by|ordered|sorted|order the results|in order of|starting from|order by the|ordered by the"),
    **_rows(Kind.DIRECTION, True, "descending|in descending order|descending order|from highest to lowest|highest to lowest|from most to least|most to least|highest first|largest first|from largest to smallest"
            "|in decreasing order|from best to worst|starting from the top|newest first|latest first|most first|from high to low|decreasing order|from newest to oldest"),
    **_rows(Kind.DIRECTION, False, "ascending|in ascending order|ascending order|from lowest to highest|lowest to highest|from least to most|lowest first|smallest first|alphabetically|in alphabetical order|alphabetical order"
            "|in increasing order|chronologically|in chronological order|oldest first|from low to high|from smallest to largest|from oldest to newest"),
    **_rows(Kind.SHOW, None, "return|showing|show|give|list|show me|give me|provide|display|include|along with|also return|also show|please return|and return|report|print|output|as well as|compare|compare the|summarize|calculate|compute|analyze|count up|break down"),
    **_rows(Kind.ASK, None, "what is|what are|what's|what was|what were|which|what|tell me|find|get|who is|who are|who|who were|retrieve|fetch|whose|when was|when were|when did|when is|when"),
    **_rows(Kind.RATIO, False, "ratio of|ratio of the|the ratio|proportion of|proportion of the|fraction of|share of|share of the|ratio"),
    **_rows(Kind.RATIO, True, "percentage of|percent of|percentage of the|what percentage|what percentage of|what percent of|% of"),
    **_rows(Kind.VERSUS, None, "out of|out of all|out of the total|relative to|compared to|divided by|to"),
    **_rows(Kind.BETWEEN, None, "between|ranging from"),
    **_rows(Kind.NOT, None, "not|no|without|non|never|don't|doesn't|didn't|isn't|aren't|haven't|hasn't|wasn't|weren't|do not|does not|did not|have no|has no|had no|has not|have not|excluding|except|other than|that are not|is not|are not|without any|have never|has never|not in|not been|neither|is neither|are neither"),
    **_rows(Kind.AND, None, "and|,|, and|&|plus|and the"),
    **_rows(Kind.OR, None, "or|either|, or|nor|, nor|and/or"),
    **_rows(Kind.NAMED, None, "named|called|titled|with the name|with name|by the name of|with the title|whose name is|with the name of"),
    **_rows(Kind.CONTAINS, Operator.STARTS_WITH, "starts with|start with|starting with|begins with|begin with|beginning with|starts with the letter|start with the letter|beginning with the letter|begins with the letter"),
    **_rows(Kind.CONTAINS, None, "containing|contains|contain|that contain|that contains"),
    **_rows(Kind.EMPTY, None, "missing|empty|null|is null|is missing|is empty|is unknown|unknown"),
    **_rows(Kind.UNIT, TimeUnit.DAY, "day|daily|date|calendar day"),
    **_rows(Kind.UNIT, DatePart.WEEKDAY, "day of the week|days of the week|day of week"),
    **_rows(Kind.UNIT, DatePart.HOUR, "hour of the day|hour of day|hours of the day"),
    **_rows(Kind.UNIT, TimeUnit.WEEK, "week|weekly|calendar week"),
    **_rows(Kind.UNIT, TimeUnit.MONTH, "month|monthly|calendar month"),
    **_rows(Kind.UNIT, TimeUnit.QUARTER, "quarter|quarterly|calendar quarter"),
    **_rows(Kind.UNIT, TimeUnit.YEAR, "year|yearly|annual|annually|calendar year"),
    **{(word,): (Kind.NUMBER, str(number)) for number, word in enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=2)},
    **_rows(Kind.ONE, None, "one"),
    **_rows(Kind.BOTH, None, "both"),
    **_rows(Kind.WEEKEND, True, "on weekends|on the weekend|weekend|weekends|at weekends|at the weekend"),
    **_rows(Kind.WEEKEND, False, "on weekdays|weekday|weekdays"),
    **_rows(Kind.ABOVE_AVERAGE, Operator.GREATER, "above average|above the average|higher than average|higher than the average|more than the average|more than average|greater than the average|greater than average"),
    **_rows(Kind.ABOVE_AVERAGE, Operator.LESS, "below average|below the average|lower than average|lower than the average|less than the average|less than average"),
}  # fmt: skip
"""Phrase of lower-case words → what it does. The longest match wins."""

LONGEST = max(len(phrase) for phrase in PHRASES)
