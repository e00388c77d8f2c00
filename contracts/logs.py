"""A LogQL query as a value: what is printed, checked, run here and sent to a log server.

A query is built from these parts and printed by `workers.engines.logql`; no text of a user is ever put into a query by joining strings.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Discriminator, Field, NonNegativeInt

from contracts.base import Contract, Text
from contracts.statements import Statement

LabelName = Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_]*$", max_length=200)]
"""A label as LogQL writes it."""

Nanoseconds = Annotated[int, Field(ge=0, le=10**19)]
"""A duration. LogQL's smallest unit, so that every duration is exact."""


class MatchOp(StrEnum):
    """How a label or a text is compared."""

    EQUAL = "="
    NOT_EQUAL = "!="
    MATCHES = "=~"
    MATCHES_NOT = "!~"


class Matcher(Contract):
    """A condition on a label: of a stream in a selector, of an entry in `keep` and `drop`."""

    label: LabelName
    op: MatchOp
    value: Text


class FilterOp(StrEnum):
    """How a line filter looks at a line."""

    CONTAINS = "|="
    CONTAINS_NOT = "!="
    MATCHES = "|~"
    MATCHES_NOT = "!~"
    LIKE = "|>"
    """The line has the shape of a pattern with `<_>` for what may be anything."""
    LIKE_NOT = "!>"


class Sought(Contract):
    """What a line filter looks for."""

    text: Text
    is_address: bool = False
    """Written `ip("...")`: an address, a range of addresses or a network anywhere in the line."""


class LineFilter(Contract):
    """Keeps lines that have any of the texts, or have none of them."""

    kind: Literal["line_filter"] = "line_filter"
    op: FilterOp
    sought: tuple[Sought, ...] = Field(min_length=1)


class Extraction(Contract):
    """A label that a parser makes, and the expression that it is taken from; None: the field of the same name."""

    label: LabelName
    expression: Text | None = None


class JsonParser(Contract):
    """Makes labels of the fields of a JSON line."""

    kind: Literal["json"] = "json"
    extractions: tuple[Extraction, ...] = ()
    """Empty: all fields."""


class LogfmtParser(Contract):
    """Makes labels of `key=value` pairs."""

    kind: Literal["logfmt"] = "logfmt"
    is_strict: bool = False
    keeps_empty: bool = False
    extractions: tuple[Extraction, ...] = ()


class RegexpParser(Contract):
    """Makes labels of the named groups of a regular expression."""

    kind: Literal["regexp"] = "regexp"
    pattern: Text


class PatternParser(Contract):
    """Makes labels of the captures of a pattern such as `<ip> - <_> "<method>"`."""

    kind: Literal["pattern"] = "pattern"
    pattern: Text


class Unpack(Contract):
    """Unfolds what the agent packed into a JSON line."""

    kind: Literal["unpack"] = "unpack"


class Decolorize(Contract):
    """Removes colour codes."""

    kind: Literal["decolorize"] = "decolorize"


class LineFormat(Contract):
    """Writes the line by a template of the log server."""

    kind: Literal["line_format"] = "line_format"
    template: Text


class Rename(Contract):
    """A label that takes the value of another label or of a template."""

    label: LabelName
    source: LabelName | None = None
    template: Text | None = None


class LabelFormat(Contract):
    """Renames or writes labels."""

    kind: Literal["label_format"] = "label_format"
    renames: tuple[Rename, ...] = Field(min_length=1)


class LabelChoice(Contract):
    """A label that `keep` or `drop` names, in all entries or in those whose value fits."""

    label: LabelName
    op: MatchOp | None = None
    value: Text | None = None


class Keep(Contract):
    """Keeps these labels only."""

    kind: Literal["keep"] = "keep"
    labels: tuple[LabelChoice, ...] = Field(min_length=1)


class Drop(Contract):
    """Removes these labels."""

    kind: Literal["drop"] = "drop"
    labels: tuple[LabelChoice, ...] = Field(min_length=1)


class CompareOp(StrEnum):
    """How a label filter compares."""

    EQUAL = "=="
    NOT_EQUAL = "!="
    GREATER = ">"
    GREATER_EQUAL = ">="
    LESS = "<"
    LESS_EQUAL = "<="


class TextTest(Contract):
    """A label's text is compared."""

    kind: Literal["text"] = "text"
    label: LabelName
    op: MatchOp
    value: Text
    is_address: bool = False


class Unit(StrEnum):
    """What the number of a label filter is."""

    NUMBER = "number"
    DURATION = "duration"
    """In nanoseconds."""
    BYTES = "bytes"


class NumberTest(Contract):
    """A label's number, duration or size is compared."""

    kind: Literal["number"] = "number"
    label: LabelName
    op: CompareOp
    value: float
    unit: Unit = Unit.NUMBER


class BothTests(Contract):
    """Both hold."""

    kind: Literal["and"] = "and"
    left: "LabelTest"
    right: "LabelTest"


class EitherTest(Contract):
    """At least one of two holds."""

    kind: Literal["or"] = "or"
    left: "LabelTest"
    right: "LabelTest"


LabelTest = Annotated[TextTest | NumberTest | BothTests | EitherTest, Discriminator("kind")]
"""A condition on labels behind a parser."""


class LabelFilter(Contract):
    """Keeps entries whose labels fit."""

    kind: Literal["label_filter"] = "label_filter"
    test: LabelTest


class Conversion(StrEnum):
    """How the text of an unwrapped label becomes a number."""

    NUMBER = ""
    DURATION = "duration"
    DURATION_SECONDS = "duration_seconds"
    BYTES = "bytes"


class Unwrap(Contract):
    """Takes an entry's number from a label."""

    kind: Literal["unwrap"] = "unwrap"
    label: LabelName
    conversion: Conversion = Conversion.NUMBER


Stage = Annotated[
    LineFilter
    | JsonParser
    | LogfmtParser
    | RegexpParser
    | PatternParser
    | Unpack
    | Decolorize
    | LineFormat
    | LabelFormat
    | Keep
    | Drop
    | LabelFilter
    | Unwrap,
    Discriminator("kind"),
]
"""A step of a pipeline."""


class LogQuery(Contract):
    """Lines: of which streams, through which pipeline."""

    kind: Literal["log"] = "log"
    matchers: tuple[Matcher, ...] = ()
    stages: tuple[Stage, ...] = ()


class Grouping(Contract):
    """Which labels stay."""

    labels: tuple[LabelName, ...] = ()
    is_without: bool = False
    """All labels but these."""


class RangeAggregation(Contract):
    """A number a series, of the lines of the time before a moment."""

    kind: Literal["range"] = "range"
    function: str
    """`count_over_time`, `rate`, ... ; the checker knows which there are."""
    parameter: float | None = None
    """The quantile."""
    log: LogQuery
    range_ns: Nanoseconds
    offset_ns: Annotated[int, Field(ge=-(10**19), le=10**19)] = 0
    grouping: Grouping | None = None


class VectorAggregation(Contract):
    """A number a group, of the series of another expression."""

    kind: Literal["vector_aggregation"] = "vector_aggregation"
    function: str
    """`sum`, `topk`, ... """
    parameter: float | None = None
    """How many series `topk` and its like keep."""
    of: "LogExpression"
    grouping: Grouping | None = None


class BinaryMatching(Contract):
    """Which series of two sides belong together."""

    labels: tuple[LabelName, ...] = ()
    is_ignoring: bool = False
    group: Literal["left", "right"] | None = None
    """The side of which several series may meet the same series of the other."""
    include: tuple[LabelName, ...] = ()


class Binary(Contract):
    """Two expressions, joined by an operator."""

    kind: Literal["binary"] = "binary"
    op: Literal["or", "and", "unless", "==", "!=", ">", ">=", "<", "<=", "+", "-", "*", "/", "%", "^"]
    left: "LogExpression"
    right: "LogExpression"
    is_bool: bool = False
    matching: BinaryMatching | None = None


class Literally(Contract):
    """A number."""

    kind: Literal["literal"] = "literal"
    value: float


class VectorOf(Contract):
    """`vector(1)`: a series without labels."""

    kind: Literal["vector"] = "vector"
    value: float


class LabelReplace(Contract):
    """Writes a label of each series from another label by a regular expression."""

    kind: Literal["label_replace"] = "label_replace"
    of: "LogExpression"
    target: Text
    replacement: Text
    source: Text
    pattern: Text


LogExpression = Annotated[
    LogQuery | RangeAggregation | VectorAggregation | Binary | Literally | VectorOf | LabelReplace, Discriminator("kind")
]
"""A LogQL query: lines or a metric."""


class ProblemLevel(StrEnum):
    """How bad a problem of a query is."""

    ERROR = "error"
    """It is not LogQL, or has no meaning."""
    REFUSED = "refused"
    """It is LogQL, but a server would not run it: no matcher narrows the streams down."""


class LogQLProblem(Contract):
    """What is wrong with a query."""

    level: ProblemLevel = ProblemLevel.ERROR
    what: Statement
    start: NonNegativeInt
    """Character of the query's text; 0 when the problem is of the whole query."""
    end: NonNegativeInt


class CheckedLogQL(Contract):
    """A text, read as a query."""

    query: LogExpression | None
    """None: it could not be read."""
    problems: tuple[LogQLProblem, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Whether it is LogQL with a meaning."""
        return self.query is not None and not any(problem.level is ProblemLevel.ERROR for problem in self.problems)


for model in (BothTests, EitherTest, LabelFilter, VectorAggregation, Binary, LabelReplace, CheckedLogQL):
    model.model_rebuild()
