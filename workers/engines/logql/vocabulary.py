"""What a log has: labels with their values, and fields in the lines, learnt from some of them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from contracts.log_questions import FieldForm, LogField, LogVocabulary
from contracts.logs import JsonParser, LogfmtParser
from workers.engines.logql.entries import ERROR, Item, LogEntry
from workers.engines.logql.parsing_stages import json_step, logfmt_step
from workers.engines.logql.tokens import duration_ns, size_bytes

VALUES_MAX = 500
"""Values of a label that are kept; labels with more are for machines, such as ids."""

FIELDS_MAX = 100
APPLICATIONS = ("application", "app", "service", "service_name", "job", "app_name")
"""Names that logs have for the label of the application, whose lines have fields of their own."""
MOST_APPLICATIONS = 20
"""Applications that a field names. One that names as many may be of others too."""

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,199}")
_LOGFMT = re.compile(r"(?:^|\s)[A-Za-z_][\w.]*=")


def learn_vocabulary(entries: Iterable[LogEntry]) -> LogVocabulary:
    """The vocabulary of these entries. Give it a sample: some thousand entries of all times are enough."""
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    fields: dict[tuple[str, FieldForm], _Seen] = {}
    for entry in entries:
        for label, value in entry.labels.items():
            if _NAME.fullmatch(label):
                values[label][value] += 1
        _look_into(entry, fields)
    ordered = sorted(fields.items(), key=lambda item: -item[1].times)[:FIELDS_MAX]
    return LogVocabulary(
        labels={label: tuple(value for value, _ in found.most_common()) for label, found in values.items() if len(found) <= VALUES_MAX},
        fields=tuple(seen.as_field(name, form) for (name, form), seen in ordered),
    )


class _Seen:
    """A field, as the entries have it."""

    def __init__(self) -> None:
        self.times = self.numbers = self.durations = self.sizes = 0
        self.applications: set[str] = set()

    def add(self, value: str, application: str | None) -> None:
        self.times += 1
        if _is_number(value):
            self.numbers += 1
        elif duration_ns(value) is not None:
            self.durations += 1
        elif size_bytes(value) is not None:
            self.sizes += 1
        if application is not None:
            self.applications.add(application)

    def as_field(self, name: str, form: FieldForm) -> LogField:
        most = 0.9 * self.times
        unit = "duration" if self.durations >= most else "bytes" if self.sizes >= most else ""
        return LogField(
            name=name,
            form=form,
            is_number=bool(unit) or self.numbers >= most,
            unit=unit,
            applications=tuple(sorted(self.applications))[:MOST_APPLICATIONS],
        )


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _look_into(entry: LogEntry, fields: dict[tuple[str, FieldForm], _Seen]) -> None:
    is_json = entry.line.lstrip().startswith("{")
    if not is_json and len(_LOGFMT.findall(entry.line)) < 2:
        return
    item = Item(entry)
    (json_step(JsonParser()) if is_json else logfmt_step(LogfmtParser()))(item)
    if ERROR in item.labels:
        return
    application = next((entry.labels[label] for label in APPLICATIONS if label in entry.labels), None)
    form = FieldForm.JSON if is_json else FieldForm.LOGFMT
    for name, value in item.labels.items():
        if name not in entry.labels and not name.endswith("_extracted") and _NAME.fullmatch(name) and len(fields) < 5_000:
            fields.setdefault((name, form), _Seen()).add(value, application)
