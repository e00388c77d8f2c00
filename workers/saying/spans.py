"""A statement as text in a language: spans that a medium may style, or plain text.

Values are made text first and put into the template's gaps; what they hold is never read as a template.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from contracts.statements import (
    Bytes,
    Code,
    Count,
    Join,
    Listing,
    Moment,
    Name,
    Number,
    Quote,
    Ratio,
    Ref,
    Seconds,
    Share,
    Shown,
    Statement,
    Term,
    Usd,
    Value,
)
from workers.saying import numbers
from workers.saying.catalogues import INSTALLED, Catalogues, UnknownMessage
from workers.saying.harmless import clean, flat
from workers.saying.spacing import is_unspaced, well_spaced


class SpanKind(StrEnum):
    """What a piece of a text is."""

    PLAIN = "plain"
    """Our own words and numbers."""
    CODE = "code"
    NAME = "name"
    QUOTE = "quote"
    REF = "ref"
    GIVEN = "given"
    """A finished sentence of an earlier release, in the language it was written in."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text in one style."""

    text: str
    kind: SpanKind = SpanKind.PLAIN
    target: str = ""
    """Of a reference: `fix:F1`."""


Spans = tuple[Span, ...]


def text_of(shown: Shown, language: str, catalogues: Catalogues = INSTALLED) -> str:
    """The plain text; code within a sentence has backticks."""
    return plain(spans_of(shown, language, catalogues))


def plain(spans: Sequence[Span]) -> str:
    """Spans as plain text."""
    if len(spans) == 1:
        return spans[0].text
    return "".join(f"`{span.text}`" if span.kind is SpanKind.CODE else span.text for span in spans)


def spans_of(shown: Shown, language: str, catalogues: Catalogues = INSTALLED) -> Spans:
    """The text in pieces; control characters are visible signs. Only finished sentences, passages and joined lines have several lines."""
    return Speaker(language, catalogues).spans(shown)


def _merged(spans: Iterable[Span]) -> Spans:
    """Neighbouring plain spans as one; no empty ones."""
    merged: list[Span] = []
    for span in spans:
        if not span.text:
            continue
        if merged and span.kind is SpanKind.PLAIN and merged[-1].kind is SpanKind.PLAIN:
            merged[-1] = Span(merged[-1].text + span.text)
        else:
            merged.append(span)
    return tuple(merged)


class Speaker:
    """Texts in one language."""

    def __init__(self, language: str, catalogues: Catalogues = INSTALLED) -> None:
        self.language = language
        self._catalogues = catalogues

    def spans(self, shown: Shown) -> Spans:
        """What `spans_of` gives."""
        if isinstance(shown, str):
            return (Span(clean(shown), SpanKind.GIVEN),)
        return self._spaced(_merged(self._value(shown)))

    def text(self, shown: Shown) -> str:
        """What `text_of` gives."""
        return plain(self.spans(shown))

    def framed(self, code: str, **parts: Spans) -> Spans:
        """A message around texts that are spans already, such as a label and its value."""
        return self._spaced(_merged(self._message(code, dict(parts))))

    def _spaced(self, spans: Spans) -> Spans:
        """With the spaces that the language writes."""
        if not is_unspaced(self.language):
            return spans
        return well_spaced(spans, [span.kind is SpanKind.PLAIN for span in spans])

    def _value(self, value: Value) -> Spans:
        """A value as spans."""
        match value:
            case Name(text=text):
                return (Span(flat(text), SpanKind.NAME),)
            case Code(text=text):
                return (Span(flat(text), SpanKind.CODE),)
            case Quote(text=text, is_set_apart=True):
                return (Span(clean(text), SpanKind.QUOTE),)
            case Quote(text=text):
                return self._message("saying.quoted", {"text": (Span(flat(text), SpanKind.QUOTE),)})
            case Ref(to=to, id=id):
                return (Span(flat(id), SpanKind.REF, f"{to}:{id}"),)
            case Term(code=code):
                return self._message(code, {})
            case Statement():
                return self._statement(value)
            case Listing():
                return self._listing([self._value(item) for item in value.items], value.join)
            case Ratio():
                return self._message("saying.times", {"n": (Span(numbers.decimal(value.value, self.language)),)})
            case _:
                return (Span(_quantity(value, self.language)),)

    def _message(self, code: str, values: dict[str, Spans], amounts: dict[str, float] | None = None) -> Spans:
        """The message of a code with values that are spans already."""
        message = self._catalogues.message(code, self.language)
        if message is None:
            return _stand_in(code, values)
        form = message.form((amounts or {}).get(message.chooser, 2))
        spans: list[Span] = []
        for place, part in enumerate(form):
            spans.extend(self._filled(part, values, code) if place % 2 else (Span(part),))
        return tuple(spans)

    def _statement(self, statement: Statement) -> Spans:
        values = {name: self._value(value) for name, value in statement.values.items()}
        amounts = {name: float(value.value) for name, value in statement.values.items() if isinstance(value, Count | Number | Ratio)}
        return self._message(statement.code, values, amounts)

    def _filled(self, name: str, values: dict[str, Spans], code: str) -> Spans:
        """The value of a placeholder; `{Name}` with a capital begins with one."""
        found = values.get(name.lower())
        if found is None:
            if self._catalogues.is_strict:
                raise UnknownMessage(f"{code} has no value for {{{name}}}")
            return (Span(f"‹{name}›"),)
        if name[0].isupper() and found and found[0].kind is SpanKind.PLAIN:
            return (replace(found[0], text=found[0].text[:1].upper() + found[0].text[1:]), *found[1:])
        return found

    def _listing(self, items: Sequence[Spans], join: Join) -> Spans:
        items = [item for item in items if item]
        if len(items) < 2:
            return items[0] if items else ()
        if join is Join.LINES:
            return (*items[0], *(span for item in items[1:] for span in (Span("\n"), *item)))
        if join in (Join.CLAUSES, Join.REASONS, Join.SENTENCES):
            joined = items[0]
            for item in items[1:]:
                joined = self._message(f"saying.join.{join}", {"before": joined, "after": item})
            return joined
        patterns = numbers.list_patterns(self.language, join)
        if join is Join.PLAIN:
            patterns = dict.fromkeys(("2", "start", "middle", "end"), patterns["start"])
        if len(items) == 2:
            return _in_pattern(patterns["2"], items[0], items[1])
        joined = _in_pattern(patterns["start"], items[0], items[1])
        for item in items[2:-1]:
            joined = _in_pattern(patterns["middle"], joined, item)
        return _in_pattern(patterns["end"], joined, items[-1])


def _quantity(value: Value, language: str) -> str:
    match value:
        case Bytes(value=amount):
            return numbers.size(amount, language)
        case Seconds(value=amount):
            return numbers.duration(amount, language)
        case Share(value=amount, digits=digits):
            return numbers.share(amount, language, digits)
        case Count(value=amount, exact=exact):
            return numbers.count(amount, language, exact=exact)
        case Number(value=amount, digits=digits):
            return numbers.decimal(amount, language, digits)
        case Usd(value=amount):
            return numbers.usd(amount, language)
        case Moment(value=at):
            return numbers.moment(at, language)
        case _:
            raise TypeError(f"{value.kind} is no quantity")


def _in_pattern(pattern: str, first: Spans, second: Spans) -> Spans:
    before, _, rest = pattern.partition("{0}")
    between, _, after = rest.partition("{1}")
    return (Span(before), *first, Span(between), *second, Span(after))


def _stand_in(code: str, values: dict[str, Spans]) -> Spans:
    """What is shown of a message that no catalogue has: its code and its values."""
    spans = [Span(code, SpanKind.NAME)]
    for name, value in values.items():
        spans += [Span(f" {name}="), *value]
    return tuple(spans)
