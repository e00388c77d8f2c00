"""LogQL queries made up at random, for property tests."""

from hypothesis import strategies as st

from contracts.logs import (
    Binary,
    BinaryMatching,
    BothTests,
    CompareOp,
    Conversion,
    Decolorize,
    Drop,
    EitherTest,
    Extraction,
    FilterOp,
    Grouping,
    JsonParser,
    Keep,
    LabelChoice,
    LabelFilter,
    LabelFormat,
    LabelReplace,
    LineFilter,
    LineFormat,
    Literally,
    LogfmtParser,
    LogQuery,
    Matcher,
    MatchOp,
    NumberTest,
    PatternParser,
    RangeAggregation,
    RegexpParser,
    Rename,
    Sought,
    TextTest,
    Unit,
    Unpack,
    Unwrap,
    VectorAggregation,
    VectorOf,
)
from workers.engines.logql.cursor import RESERVED
from workers.engines.logql.names import COUNTED_VECTOR, RANGE_FUNCTIONS, SORTING_VECTOR, VECTOR_FUNCTIONS

labels = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,8}", fullmatch=True).filter(lambda text: text not in RESERVED)
texts = st.text(max_size=12) | st.sampled_from(['"', "`", "\\", '\\"', "{{.a}}", "\n", '"} |= "', "\\d+", "`\\", "日志"])
durations = st.integers(1, 10**19)
numbers = st.floats(allow_nan=False, allow_infinity=False)

matchers = st.builds(Matcher, label=labels, op=st.sampled_from(MatchOp), value=texts)
choices = st.builds(LabelChoice, label=labels) | st.builds(LabelChoice, label=labels, op=st.sampled_from(MatchOp), value=texts)
extractions = st.lists(st.builds(Extraction, label=labels, expression=st.none() | texts), max_size=3).map(tuple)
renames = st.builds(Rename, label=labels, source=labels) | st.builds(Rename, label=labels, template=texts)
line_filters = st.builds(
    LineFilter,
    op=st.sampled_from(FilterOp),
    sought=st.lists(st.builds(Sought, text=texts, is_address=st.booleans()), min_size=1, max_size=3).map(tuple),
)
label_tests = st.recursive(
    st.builds(TextTest, label=labels, op=st.sampled_from(MatchOp), value=texts)
    | st.builds(TextTest, label=labels, op=st.sampled_from([MatchOp.EQUAL, MatchOp.NOT_EQUAL]), value=texts, is_address=st.just(True))
    | st.builds(NumberTest, label=labels, op=st.sampled_from(CompareOp), value=numbers)
    | st.builds(NumberTest, label=labels, op=st.sampled_from(CompareOp), value=st.integers(-(10**15), 10**15), unit=st.sampled_from(Unit)),
    lambda inner: st.builds(BothTests, left=inner, right=inner) | st.builds(EitherTest, left=inner, right=inner),
    max_leaves=5,
)
stages = (
    line_filters
    | st.builds(JsonParser, extractions=extractions)
    | st.builds(LogfmtParser, is_strict=st.booleans(), keeps_empty=st.booleans(), extractions=extractions)
    | st.builds(RegexpParser, pattern=texts)
    | st.builds(PatternParser, pattern=texts)
    | st.builds(LineFormat, template=texts)
    | st.builds(LabelFormat, renames=st.lists(renames, min_size=1, max_size=3).map(tuple))
    | st.builds(Keep, labels=st.lists(choices, min_size=1, max_size=3).map(tuple))
    | st.builds(Drop, labels=st.lists(choices, min_size=1, max_size=3).map(tuple))
    | st.builds(LabelFilter, test=label_tests)
    | st.builds(Unwrap, label=labels, conversion=st.sampled_from(Conversion))
    | st.sampled_from([Unpack(), Decolorize()])
)
logs = st.builds(LogQuery, matchers=st.lists(matchers, max_size=3).map(tuple), stages=st.lists(stages, max_size=4).map(tuple))
groupings = st.none() | st.builds(Grouping, labels=st.lists(labels, max_size=3).map(tuple), is_without=st.booleans())
ranges = st.builds(
    RangeAggregation,
    function=st.sampled_from(sorted(RANGE_FUNCTIONS)),
    parameter=st.none() | numbers,
    log=logs,
    range_ns=durations,
    offset_ns=st.just(0) | durations | durations.map(lambda value: -value),
    grouping=groupings,
)
matchings = st.none() | st.builds(
    BinaryMatching,
    labels=st.lists(labels, max_size=2).map(tuple),
    is_ignoring=st.booleans(),
    group=st.sampled_from(["left", "right"]),
    include=st.lists(labels, max_size=2).map(tuple),
)
metrics = st.recursive(
    ranges | st.builds(Literally, value=numbers) | st.builds(VectorOf, value=numbers),
    lambda inner: (
        st.builds(
            VectorAggregation,
            function=st.sampled_from(sorted(VECTOR_FUNCTIONS - COUNTED_VECTOR - SORTING_VECTOR)),
            of=inner,
            grouping=groupings,
        )
        | st.builds(VectorAggregation, function=st.sampled_from(sorted(COUNTED_VECTOR)), parameter=numbers, of=inner, grouping=groupings)
        | st.builds(LabelReplace, of=inner, target=texts, replacement=texts, source=texts, pattern=texts)
        | st.builds(
            Binary,
            op=st.sampled_from(["or", "and", "unless", "==", "!=", ">", ">=", "<", "<=", "+", "-", "*", "/", "%", "^"]),
            left=inner,
            right=inner,
            is_bool=st.booleans(),
            matching=matchings,
        )
    ),
    max_leaves=5,
)
queries = logs | metrics
