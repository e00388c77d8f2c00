"""A text for a user before it becomes a sentence of a language: a message code and typed values.

`say("tune.verdict.skew", stage=name("12"), longest=seconds(842.0))` names a message of a catalogue (`workers/saying`) and what its
`{stage}` and `{longest}` are. Text is made where it is shown, in the reader's language. Only a renderer reads the finished text.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, Discriminator, Field, TypeAdapter, ValidationError

from contracts.base import Contract, Json, Text

MessageCode = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$", max_length=120)]
"""A catalogue's key: `tune.fix.salt.title`. The first part names the kind or the fleet to which the message belongs."""

ValueName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
"""The name of a placeholder."""

LanguageCode = Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$", max_length=35)]
"""A language as BCP 47 writes it: `en`, `zh`, `pt-BR`. Which languages can be shown depends on the installed catalogues."""

Id = Annotated[str, Field(min_length=1, max_length=200)]


class Bytes(Contract):
    """An amount of data, shown in binary units: `2.3 GiB`."""

    kind: Literal["bytes"] = "bytes"
    value: float


class Seconds(Contract):
    """A duration. Shown in the units that fit: `204 ms`, `12.3 s`, `4 min 10 s`."""

    kind: Literal["seconds"] = "seconds"
    value: float


class Share(Contract):
    """A fraction between 0 and 1, shown as a percentage."""

    kind: Literal["share"] = "share"
    value: float
    digits: int | None = Field(default=None, ge=0, le=12)
    """Digits of the percentage behind the decimal point; None: none, or one below a percent."""


class Ratio(Contract):
    """How many times as much: `4.2 times`."""

    kind: Literal["ratio"] = "ratio"
    value: float


class Count(Contract):
    """How many of something; the noun and its plural forms belong to the message."""

    kind: Literal["count"] = "count"
    value: int
    exact: bool = False
    """Shown to the last digit. Otherwise a large count is rounded to three digits: `1.64 million`."""


class Number(Contract):
    """A plain number."""

    kind: Literal["number"] = "number"
    value: float
    digits: int | None = Field(default=None, ge=0, le=12)
    """Digits behind the decimal point; None: one below a hundred unless it is zero, else no digit."""


class Usd(Contract):
    """An amount of money in US dollars."""

    kind: Literal["usd"] = "usd"
    value: float


class Moment(Contract):
    """A point in time, shown in UTC."""

    kind: Literal["moment"] = "moment"
    value: AwareDatetime


class Name(Contract):
    """An identifier, shown as it is: a stage, a setting, a column, a path."""

    kind: Literal["name"] = "name"
    text: Text


class Code(Contract):
    """A piece of code inside a sentence."""

    kind: Literal["code"] = "code"
    text: Text


class Quote(Contract):
    """Text of a user, a ticket or a model, in any language; shown in quotation marks, and never used as a template."""

    kind: Literal["quote"] = "quote"
    text: Text
    is_set_apart: bool = False
    """The layout shows that it is a quotation: in its own lines, without quotation marks."""


class Term(Contract):
    """A word of the catalogue, such as the name of an enum's member."""

    kind: Literal["term"] = "term"
    code: MessageCode


class Target(StrEnum):
    """What a reference points to."""

    FIGURE = "figure"
    FIX = "fix"
    HYPOTHESIS = "hypothesis"
    VERDICT = "verdict"
    TICKET = "ticket"
    JOB = "job"
    STAGE = "stage"
    DEFINITION = "definition"


class Ref(Contract):
    """A reference by id to a part of the report or of the fleet. It is shown as the id, with a link if the page contains that part."""

    kind: Literal["ref"] = "ref"
    to: Target
    id: Id


class Join(StrEnum):
    """How the members of a listing are joined."""

    AND = "and"
    OR = "or"
    PLAIN = "plain"
    """Commas only."""
    CLAUSES = "clauses"
    """Parts of a sentence."""
    REASONS = "reasons"
    """Parts of a sentence that may have commas of their own."""
    SENTENCES = "sentences"
    LINES = "lines"
    """Each on its own line."""


class Listing(Contract):
    """Several values, joined as the language joins them."""

    kind: Literal["listing"] = "listing"
    join: Join = Join.AND
    items: tuple["Value", ...]


def _by_name(values: dict[str, "Value"]) -> dict[str, "Value"]:
    """Equal statements have equal JSON, independent of the order in which their values were given."""
    return dict(sorted(values.items()))


class Statement(Contract):
    """A message of the catalogue and the values of its placeholders."""

    kind: Literal["statement"] = "statement"
    code: MessageCode
    values: Annotated[dict[ValueName, "Value"], AfterValidator(_by_name)] = Field(default_factory=dict)

    def __hash__(self) -> int:
        """Equal statements hash equally, so that sets may hold them."""
        return hash((self.code, tuple(self.values.items())))


Value = Annotated[
    Bytes | Seconds | Share | Ratio | Count | Number | Usd | Moment | Name | Code | Quote | Term | Ref | Listing | Statement,
    Discriminator("kind"),
]
"""What a placeholder may be."""

Sayable = Statement | Text
"""A statement, or a finished sentence from a deliverable of version 0.1, which is shown unchanged."""

Shown = Value | Text
"""Everything that a report can show: a value or a finished sentence."""

Listing.model_rebuild()
Statement.model_rebuild()


_SAYABLE: TypeAdapter[Sayable] = TypeAdapter(Sayable)


def as_stored(says: Sayable) -> Json | str:
    """In the form in which the blackboard keeps it, as JSON."""
    return says if isinstance(says, str) else says.to_json()


def read_stored(content: Any) -> Sayable:
    """What `as_stored` gave. Of a statement of a newer release that this one cannot read its code."""
    try:
        return _SAYABLE.validate_python(content)
    except ValidationError:
        return str(content.get("code", "?")) if isinstance(content, dict) else str(content)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]  JSON has no static type


def say(code: str, /, **values: Value) -> Statement:
    """The message `code` with its values. `code` is a literal in the source: tests look it up in every catalogue."""
    return Statement(code=code, values=values)


def say_member(prefix: str, member: StrEnum, /, **values: Value) -> Statement:
    """The message of an enum's member: `prefix.member`. Its catalogues have a message for each member."""
    return Statement(code=f"{prefix}.{member.value}", values=values)


def term(code: str, /) -> Term:
    """A word of the catalogue; `code` is a literal in the source."""
    return Term(code=code)


def member_term(prefix: str, member: StrEnum, /) -> Term:
    """The word for an enum's member: `prefix.member`."""
    return Term(code=f"{prefix}.{member.value}")


def size(value: float) -> Bytes:
    """An amount of bytes."""
    return Bytes(value=value)


def seconds(value: float) -> Seconds:
    """A duration in seconds."""
    return Seconds(value=value)


def milliseconds(value: float) -> Seconds:
    """A duration in milliseconds."""
    return Seconds(value=value / 1000)


def share(value: float, digits: int | None = None) -> Share:
    """A fraction between 0 and 1."""
    return Share(value=value, digits=digits)


def ratio(value: float) -> Ratio:
    """How many times as much."""
    return Ratio(value=value)


def count(value: int, *, exact: bool = False) -> Count:
    """How many."""
    return Count(value=value, exact=exact)


def number(value: float, digits: int | None = None) -> Number:
    """A plain number."""
    return Number(value=value, digits=digits)


def usd(value: float) -> Usd:
    """US dollars."""
    return Usd(value=value)


def moment(value: datetime) -> Moment:
    """A point in time, with its time zone."""
    return Moment(value=value)


def name(text: object) -> Name:
    """An identifier; a number of a stage or a line becomes text."""
    return Name(text=str(text))


def code(text: str) -> Code:
    """A piece of code."""
    return Code(text=text)


def quote(text: str) -> Quote:
    """Text of a user, a ticket or a model."""
    return Quote(text=text)


def passage(text: str) -> Quote:
    """Text of a user, a ticket or a model in a place whose layout marks it as a quotation: without quotation marks, in its own lines."""
    return Quote(text=text, is_set_apart=True)


def ref(to: Target, id: str) -> Ref:
    """A reference by id."""
    return Ref(to=to, id=id)


def listing(*items: Value, join: Join = Join.AND) -> Listing:
    """Several values in a row."""
    return Listing(items=items, join=join)


def sentences(*items: Value) -> Listing:
    """Several sentences in sequence."""
    return Listing(items=items, join=Join.SENTENCES)


def names(texts: Iterable[str]) -> Listing:
    """Identifiers, separated by commas."""
    return Listing(items=tuple(Name(text=text) for text in texts), join=Join.PLAIN)


def as_value(shown: Shown) -> Value:
    """A value for a placeholder: values are returned unchanged, a finished sentence becomes a passage."""
    return passage(shown) if isinstance(shown, str) else shown


def lines(*items: Shown) -> Statement:
    """A text of several lines."""
    return say("saying.lines", lines=Listing(items=tuple(as_value(item) for item in items), join=Join.LINES))


def sayables_in(shown: Shown) -> tuple[Shown, ...]:
    """The members of a text of several lines; for any other text, the text itself."""
    if isinstance(shown, Statement) and isinstance(found := shown.values.get("lines"), Listing) and found.join is Join.LINES:
        return found.items
    return (shown,)
