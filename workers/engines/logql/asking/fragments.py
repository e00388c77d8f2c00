"""What a question gives literally: words in quotation marks, paths, addresses, ids, names from programs, status codes."""

import re
from collections.abc import Sequence

from contracts.log_questions import FieldForm, LogField, LogVocabulary
from contracts.logs import BothTests, CompareOp, FilterOp, LabelTest, LineFilter, NumberTest, Sought
from workers.engines.logql.asking.marked import Marked

_QUOTED = re.compile(
    r"(?<![\w])'(?P<single>[^'\x00]{2,200}?)'(?!\w)|\"(?P<double>[^\"\x00]{1,200})\"|“(?P<curly>[^”\x00]{1,200})”|‘(?P<curled>[^’\x00]{1,200})’"
    r"|「(?P<corner>[^」\x00]{1,200})」|`(?P<back>[^`\x00]{1,200})`"
)
_WITHOUT = re.compile(r"(?:\b(?:without|not containing|excluding|except|that do not contain|not)\s*|不包含|不含|排除|除了)$", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w/.])/[\w.{}*$:/-]+[\w}*/]")
_HOLE = re.compile(r"\{[^}]*\}|\*+")
_ADDRESS = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w])")
_ID = re.compile(r"(?<![\w-])(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?=\w*\d)[0-9a-fA-F]{16,40}|blk_-?\d+)(?![\w-])")
_DOTTED = re.compile(r"(?<![\w.])[A-Za-z][\w-]*(?:\.[A-Za-z_][\w-]*){1,6}(?![\w])")
_CAMEL = re.compile(r"(?<![\w.-])(?=[A-Za-z]*[a-z][A-Z]|[A-Z][a-z]+[A-Z])[A-Za-z][A-Za-z0-9]{4,}(?![\w-])")
_CAPITALS = re.compile(r"(?<![\w.-])[A-Z]{3,12}(?![\w-])")
_ACRONYMS = frozenset(
    [
        "SSH",
        "SSL",
        "TLS",
        "HTTP",
        "HTTPS",
        "URL",
        "URI",
        "URLS",
        "API",
        "APIS",
        "CPU",
        "RAM",
        "DNS",
        "TCP",
        "UDP",
        "SQL",
        "JSON",
        "XML",
        "UTC",
        "GMT",
        "IDS",
        "IPS",
        "SLA",
        "QPS",
        "TPS",
        "JVM",
        "GPU",
        "VPN",
        "UUID",
        "CSV",
        "AND",
        "NOT",
        "ALL",
        "THE",
    ]
)
"""What is said of things rather than read in lines."""
_VERB = re.compile(r"(?<![\w])(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)(?![\w])")
_STATUS = re.compile(
    r"\b(?:a\s+)?(?:http\s+)?(?:status(?:\s+codes?)?|code|returned|returning|returns)\s*(?:of\s+|is\s+|=+\s*|:\s*)?(?:a\s+)?(?P<a>[1-5]\d\d|[45]xx)\b(?:\s+(?:errors?|responses?)\b)?"
    r"|\b(?:a\s+)?(?P<b>[1-5]\d\d|[45]xx)(?:s\b|\s+(?:status(?:\s+codes?)?|errors?|responses?|codes?)\b)|(?<![\w])(?P<d>[45]xx)(?![\w])"
    r"|(?:状态码|返回码?|响应码?|HTTP)\s*(?:为|是|=)?\s*(?P<c>[1-5]\d\d|[45]xx)(?:\s*(?:错误|状态码|响应))?|(?P<e>[1-5]\d\d|[45]xx)\s*(?:错误|状态码|响应)",
    re.IGNORECASE,
)
_CONTAINING = re.compile(
    r"(?:\b(?:containing|contain|contains|with|matching|saying|that mention|mentioning|the words?|the text|the message)\s*|包含|含有|带有|提到)$",
    re.IGNORECASE,
)


def take_quoted(question: Marked) -> list[LineFilter]:
    """A filter for each text in quotation marks: the user's own words, as they are."""
    filters: list[LineFilter] = []
    for found in question.take_all(_QUOTED):
        text = next(group for group in found.groups() if group is not None)
        before = question.open[: found.start()]
        negated = _WITHOUT.search(before)
        for cue in (negated, _CONTAINING.search(before)):
            if cue is not None:
                question.cover(*cue.span())
        filters.append(_contains(text, negated=negated is not None))
    return filters


def _contains(text: str, *, negated: bool = False) -> LineFilter:
    return LineFilter(op=FilterOp.CONTAINS_NOT if negated else FilterOp.CONTAINS, sought=(Sought(text=text),))


def take_literals(question: Marked, kinds: frozenset[str]) -> list[LineFilter]:
    """Filters for what nobody says without meaning the line: verbs of HTTP, paths, addresses, ids, names from programs.

    `kinds`: names of kinds of things (DataNode), which are said of any of them.
    """
    texts: list[str] = [found[0] for found in question.take_all(_VERB)]
    for found in question.take_all(_PATH):
        texts += [part for part in _HOLE.split(found[0]) if len(part) > 1]
    for pattern in (_ID, _ADDRESS, _DOTTED, _CAMEL, _CAPITALS):
        for found in pattern.finditer(question.open):
            if found[0].lower().removesuffix("s") not in kinds and found[0].lower() not in kinds and found[0] not in _ACRONYMS:
                texts.append(found[0])
                question.cover(*found.span())
    return [_contains(text) for text in dict.fromkeys(texts)]


def has_id(question: Marked) -> bool:
    """Whether the question is about a single thing, by its id."""
    return _ID.search(question.text) is not None


def take_status(question: Marked, vocabulary: LogVocabulary) -> tuple[LabelTest | None, LineFilter | None, LogField | None]:
    """A condition on the status: a test of its field where the lines have one, a filter of the line else."""
    found = question.take(_STATUS)
    if found is None:
        return None, None, None
    text = next(group for group in found.groups() if group).lower()
    field = _number_called(_STATUS_FIELDS, vocabulary)
    if field is None:
        pattern = rf"\b{text[0]}[0-9][0-9]\b" if text.endswith("xx") else rf"\b{text}\b"
        return None, LineFilter(op=FilterOp.MATCHES, sought=(Sought(text=pattern),)), None
    if not text.endswith("xx"):
        return NumberTest(label=field.name, op=CompareOp.EQUAL, value=float(text)), None, field
    least = NumberTest(label=field.name, op=CompareOp.GREATER_EQUAL, value=float(text[0]) * 100)
    if text[0] == "5":
        return least, None, field
    return BothTests(left=least, right=NumberTest(label=field.name, op=CompareOp.LESS, value=float(text[0]) * 100 + 100)), None, field


_STATUS_FIELDS = ("status", "status_code", "code", "http_status")


def field_named(word: str, vocabulary: LogVocabulary) -> LogField | None:
    """The field that a word names."""
    word = word.lower().replace(" ", "_")
    names = (word, word.rstrip("s"), *_FIELD_WORDS.get(word, ()), *_FIELD_WORDS.get(word.rstrip("s"), ()))
    return next((found for name in names if (found := _field_called(name, vocabulary)) is not None), None)


def _field_called(name: str, vocabulary: LogVocabulary) -> LogField | None:
    """The field of this name, or the only one that ends so: `http_request_method`, `statusCode` for `status_code`."""
    plain = {field.name: _SMALL_CAPITAL.sub("_", field.name).lower() for field in vocabulary.fields}
    exact = next((field for field in vocabulary.fields if name in (field.name.lower(), plain[field.name])), None)
    ending = [field for field in vocabulary.fields if plain[field.name].endswith(f"_{name}")]
    return exact or (ending[0] if len(ending) == 1 else None)


def _number_called(names: Sequence[str], vocabulary: LogVocabulary) -> LogField | None:
    fields = [field for name in names if (field := _field_called(name, vocabulary)) is not None]
    return next((field for field in fields if field.is_number), None)


_SMALL_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


_FIELD_WORDS: dict[str, tuple[str, ...]] = {
    "path": ("url", "uri", "endpoint", "route"), "endpoint": ("path", "url", "uri", "route"), "url": ("path", "uri"), "route": ("path", "url"),
    "路径": ("path", "url", "uri"), "接口": ("path", "url", "endpoint"), "方法": ("method",), "状态码": ("status", "status_code", "code"),
    "状态": ("status",), "status_code": ("status", "code"), "code": ("status", "status_code"), "user": ("user_id", "username", "user_name"),
    "用户": ("user", "user_id", "username"), "latency": ("duration", "took_ms", "duration_ms", "latency_ms", "took", "dur", "elapsed"),
    "duration": ("took_ms", "dur", "took", "latency", "duration_ms", "elapsed"), "response_time": ("took_ms", "duration", "duration_ms", "latency", "took", "dur"),
    "time": ("took_ms", "duration", "duration_ms", "latency", "took", "dur", "elapsed"), "耗时": ("took_ms", "duration", "took", "dur", "latency"),
    "响应时间": ("took_ms", "duration", "took", "dur", "latency"), "延迟": ("latency", "took_ms", "duration", "took", "dur"),
    "size": ("bytes", "size_bytes"), "大小": ("size", "bytes"), "bytes": ("size",), "message": ("msg", "message"), "消息": ("msg", "message"),
    "ip": ("client_ip", "source_ip", "remote_addr", "src_ip", "ip_address"), "source_ip": ("client_ip", "ip", "remote_addr"),
    "method": ("http_method", "verb"), "order": ("order_id",), "订单": ("order", "order_id"), "reason": ("error", "cause"), "原因": ("reason", "error"),
}  # fmt: skip
"""What people call a field, and the names that logs have for it."""


def is_json(field: LogField) -> bool:
    """Whether the field is read by the JSON parser."""
    return field.form is FieldForm.JSON
