"""A text that holds several fields of a ticket, each behind its name: "Cause: disk full. Solution: archives moved away".

A name counts where it begins a line. Within a line it counts only where the whole text is so labelled: it begins with a name, and each
further name begins a sentence. Anything else is left as it is, and the preview of an import says so.
"""

import re
from collections.abc import Mapping
from typing import Any

from workers.tickets.field_names import ALIASES

_SPLIT = {
    "description": ("root_cause", "solution"),
    "root_cause": ("solution", "anomalies", "root_cause"),
    "solution": ("root_cause", "solution", "anomalies"),
}
"""Field → the fields that a text of it may hold. A description has labels of its own ("Problem: ...")."""
_NAMES = {
    name.replace("_", " "): field
    for field in ("root_cause", "solution", "anomalies")
    for name in (field, *ALIASES[field])
    if name not in ("异常", "causes", "root_causes")
}
_NAME = "|".join(re.escape(name).replace(r"\ ", "[ _-]") for name in sorted(_NAMES, key=len, reverse=True))
_LABEL = re.compile(rf"(?:^|(?P<within>(?<=[.。;；!！])))[ \t]*(?P<name>{_NAME})[ \t]*[:：][ \t]*", re.IGNORECASE | re.MULTILINE)


def parts_of(text: str, field: str) -> dict[str, str]:
    """The fields that a text of `field` holds; only `field` itself where it is left as it is."""
    allowed = _SPLIT[field]
    labels = [label for label in _LABEL.finditer(text) if _field_of(label) in allowed]
    is_whole = bool(labels) and labels[0]["within"] is None and not text[: labels[0].start()].strip()
    labels = [label for label in labels if is_whole or label["within"] is None]
    if not labels:
        return {field: text}
    found = {field: text[: labels[0].start()].strip()} if text[: labels[0].start()].strip() else dict[str, str]()
    ends = [*(label.start() for label in labels[1:]), len(text)]
    for label, end in zip(labels, ends, strict=True):
        part, held = text[label.end() : end].strip(), _field_of(label)
        part = part.rstrip(".。;；") if held == "root_cause" else part
        if part:
            found[held] = f"{found[held]}\n{part}" if held in found else part
    return found


def has_label_within(text: str, field: str) -> bool:
    """Whether a text that is left as it is names another field at the beginning of a sentence."""
    if field not in _SPLIT or parts_of(text, field) != {field: text}:
        return False
    return any(label["within"] is not None and _field_of(label) in _SPLIT[field] for label in _LABEL.finditer(text))


def take_parts(fields: dict[str, Any], metadata: dict[str, Any]) -> None:
    """Give each part to its field; where that is filled, the part is kept in metadata under the field's name."""
    for field in _SPLIT:
        text = fields.get(field)
        if not isinstance(text, str):
            continue
        parts: Mapping[str, str] = parts_of(text, field)
        if field == "description" and not parts.get(field):
            continue
        fields[field] = parts.get(field, "")
        for other, part in parts.items():
            if other == field:
                continue
            if not fields.get(other):
                fields[other] = part
            elif fields[other] != part:
                metadata.setdefault(f"{other} in {field}", part)


def _field_of(label: re.Match[str]) -> str:
    return _NAMES[re.sub(r"[ _-]", " ", label["name"].casefold())]
