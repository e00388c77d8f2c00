"""A question about logs, read into a query: part by part, each part covering its words, so that what is left over is seen."""

import re
from datetime import datetime, timedelta

from contracts.log_questions import LogReading, LogVocabulary
from contracts.logs import Conversion, FilterOp, LabelTest, LineFilter, Matcher, MatchOp, Sought, Stage
from contracts.statements import Statement, code, names, say, seconds
from workers.engines.logql.asking.building import build, parsers_for
from workers.engines.logql.asking.fragments import has_id, take_literals, take_quoted, take_status
from workers.engines.logql.asking.grouping import Group, group_of, number_of
from workers.engines.logql.asking.leftover import is_only_reference, times_left, unplaced_words
from workers.engines.logql.asking.marked import Marked
from workers.engines.logql.asking.naming import ends_of_values, every_application, in_order, label_for, says_all, take_level, take_values
from workers.engines.logql.asking.shapes import Shape, read_shape
from workers.engines.logql.asking.times import Asked, back_from, read_step, read_time
from workers.engines.logql.tokens import DURATION_NS

QUESTION_CHARS_MAX = 2_000
"""Characters of a question that are read."""

DEFAULT_RANGE_NS = 24 * DURATION_NS["h"]
"""The time that is looked at when the question names none. It is said in the reading."""

_LONG_WORD = re.compile(r"(\S{150})\S+")
"""No name of a label or field is longer."""


def read_log_question(question: str, vocabulary: LogVocabulary, now: datetime, before: LogReading | None = None) -> LogReading:
    """What a question asks for. `before`: the reading of the question that this one goes on from.

    The reading has a query, or says what is missing; words without a part in it are listed, and so is all that was assumed.
    """
    marked = Marked(_LONG_WORD.sub(r"\1", question[:QUESTION_CHARS_MAX]))
    assumed: list[Statement] = []
    quoted_names, filters = _named_in_quotes(marked, vocabulary)
    matchers = [*quoted_names, *take_values(marked, vocabulary)]
    vocabulary = _of_applications(vocabulary, [*matchers, *(before.matchers if before is not None else ())])
    asked = read_time(marked, now)
    step_ns = read_step(marked)
    about_single = has_id(marked)
    status, status_filter, status_field = take_status(marked, vocabulary)
    filters += [*take_literals(marked, ends_of_values(vocabulary)), *([status_filter] if status_filter else [])]
    matchers += take_level(marked, vocabulary, has_texts=any(_is_quote(line_filter) for line_filter in filters))
    shape = read_shape(marked, about_single=about_single)
    if step_ns is not None and (shape.function is None or not shape.says_lines):
        shape.is_metric = True
    groups = _groups(shape, vocabulary, matchers)
    is_all = says_all(marked) or any(group.label == label_for("application", vocabulary) for group in groups if group.field is None)
    number = number_of(shape, vocabulary)
    shown = [found for words in shape.shown if (found := group_of(words, vocabulary)) is not None and (found.guessed or found.field)]
    assumed += [_guess(group) for group in (*groups, *shown) if group.guessed]
    parsers = parsers_for([*groups, *shown], number, status_field)
    unplaced = list(unplaced_words(marked))
    known = [word for word in unplaced if _in_lines(word, vocabulary)]
    filters += [LineFilter(op=FilterOp.MATCHES, sought=(Sought(text=f"(?i){re.escape(_stem(word))}"),)) for word in known]
    if before is None and not any(_chooses(matcher, vocabulary) for matcher in matchers):
        matchers += every_application(vocabulary, is_all=is_all, is_plain=len(known) == len(unplaced))
    taken = _Taken(in_order(reversed(matchers)), tuple(filters), parsers, (status,) if status is not None else ())
    if before is not None:
        taken, asked, shape = _continued(taken, asked, shape, before, marked)
    if asked is None:
        assumed.append(say("logs.assumed.time", length=seconds(DEFAULT_RANGE_NS / 1e9)))
        asked = back_from(now, timedelta(microseconds=DEFAULT_RANGE_NS / 1_000))
    length = asked.length_ns
    stepped = step_ns if step_ns is not None and step_ns < length and shape.is_metric else None
    reading = LogReading(
        question=question[:QUESTION_CHARS_MAX], is_metric=shape.is_metric, matchers=taken.matchers, filters=taken.filters,
        parsers=taken.parsers, tests=taken.tests, function=_function(shape), quantile=shape.quantile,
        unwrap=number.label if number is not None else None, unwrap_as=number.conversion if number is not None else Conversion.NUMBER,
        group_by=tuple(dict.fromkeys(group.label for group in groups)), top=shape.top if groups else None, is_bottom=shape.is_bottom,
        counts_groups=shape.counts_groups and bool(groups), above=shape.above, range_ns=(stepped or length) if shape.is_metric else None,
        step_ns=stepped, start=asked.start, end=asked.end, unplaced=tuple(word for word in unplaced if word not in known),
    )  # fmt: skip
    if number is not None and number.guessed:
        assumed.append(_guess(number))
    missing = _missing(reading, vocabulary)
    reading = reading.model_copy(update={"assumed": tuple(assumed), "missing": missing})
    return reading if missing else reading.model_copy(update={"query": build(reading, [group.label for group in groups])})


def _stem(word: str) -> str:
    """The word without the ending of a plural."""
    word = word.lower()
    return word[:-1] if word.isascii() and word.endswith("s") and len(word) > 4 and not word.endswith("ss") else word


def _in_lines(word: str, vocabulary: LogVocabulary) -> bool:
    stem = _stem(word)
    return len(stem) >= 2 and any(known.startswith(stem) for known in vocabulary.words)


class _Taken:
    """Which lines are meant."""

    def __init__(
        self, matchers: tuple[Matcher, ...], filters: tuple[LineFilter, ...], parsers: tuple[Stage, ...], tests: tuple[LabelTest, ...]
    ) -> None:
        self.matchers, self.filters, self.parsers, self.tests = matchers, filters, parsers, tests


def _named_in_quotes(marked: Marked, vocabulary: LogVocabulary) -> tuple[list[Matcher], list[LineFilter]]:
    """Names of applications and hosts may be in quotation marks too; the rest of what is quoted are texts of the lines."""
    named = take_values(marked, vocabulary) if any(mark in marked.text for mark in "'\"“‘「`") else []
    return named, take_quoted(marked)


def _of_applications(vocabulary: LogVocabulary, matchers: list[Matcher]) -> LogVocabulary:
    """The vocabulary with the fields of the applications that are asked about."""
    label = label_for("application", vocabulary)
    named = {matcher.value for matcher in matchers if matcher.label == label and matcher.op is MatchOp.EQUAL}
    fields = tuple(field for field in vocabulary.fields if not named or not field.applications or named & set(field.applications))
    return vocabulary.model_copy(update={"fields": fields})


def _is_quote(line_filter: LineFilter) -> bool:
    return " " in line_filter.sought[0].text


def _guess(group: Group) -> Statement:
    return say("logs.assumed.extracted", name=code(group.label), pattern=code(group.guessed or ""))


def _groups(shape: Shape, vocabulary: LogVocabulary, matchers: list[Matcher]) -> list[Group]:
    fixed = {matcher.label for matcher in matchers}
    groups = [found for words in shape.groups if (found := group_of(words, vocabulary)) is not None]
    return [group for group in groups if group.label not in fixed] or groups


def _continued(taken: _Taken, asked: Asked | None, shape: Shape, before: LogReading, marked: Marked) -> tuple[_Taken, Asked | None, Shape]:
    """The question before holds where this one says nothing else."""
    matchers = in_order(before.matchers + taken.matchers)
    parsers = before.parsers + tuple(stage for stage in taken.parsers if stage not in before.parsers)
    filters = tuple(dict.fromkeys(before.filters + taken.filters))
    tests = tuple(dict.fromkeys(before.tests + taken.tests))
    if asked is None and before.start is not None and before.end is not None:
        asked = Asked(before.start, before.end)
    if not shape.is_metric and not shape.says_lines and before.is_metric and not is_only_reference(marked):
        shape.is_metric, shape.function, shape.quantile = True, before.function, before.quantile
    return _Taken(matchers, filters, parsers, tests), asked, shape


def _function(shape: Shape) -> str | None:
    return (shape.function or "count_over_time") if shape.is_metric else None


def _chooses(matcher: Matcher, vocabulary: LogVocabulary) -> bool:
    """Whether the matcher says which application, host or environment is meant."""
    return matcher.op.value in ("=", "=~") and matcher.label != label_for("level", vocabulary)


def _missing(reading: LogReading, vocabulary: LogVocabulary) -> tuple[Statement, ...]:
    application = label_for("application", vocabulary) or next(iter(vocabulary.labels), None)
    missing: list[Statement] = []
    if not any(_chooses(matcher, vocabulary) for matcher in reading.matchers):
        known = vocabulary.labels.get(application or "", ())
        if application is None or not known:
            missing.append(say("logs.missing.labels"))
        else:
            missing.append(say("logs.missing.application", label=code(application), known=names(known[:12])))
    if left := times_left(reading.unplaced):
        missing.append(say("logs.missing.time", words=names(left)))
    needs_number = reading.function not in (None, "count_over_time", "rate", "bytes_over_time")
    if reading.is_metric and needs_number and reading.unwrap is None:
        numbers = [field.name for field in vocabulary.fields if field.is_number]
        missing.append(say("logs.missing.number", known=names(numbers[:12])) if numbers else say("logs.missing.any_number"))
    return tuple(missing)
