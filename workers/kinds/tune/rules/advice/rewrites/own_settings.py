"""Settings that the script itself makes: they win over those of the submission, so a change of one is a change of its line."""

import re
from collections.abc import Iterator, Sequence

from contracts.tune.plan import Setting
from workers.engines.scripts.given import NamedScript
from workers.engines.scripts.source_text import Lines
from workers.kinds.tune.rules.advice.rewrites.patches import Edit, apply_edits, diff_of
from workers.kinds.tune.rules.advice.rewrites.source import Source

BETWEEN = r"""["'`]?\s*[,=]\s*(["']?)("""
"""Between a setting's name and its value, in a call or in a statement: `"name", 4`, `name = 4`."""


def settings_made(scripts: Sequence[NamedScript], settings: Sequence[Setting]) -> tuple[str, str]:
    """(script, diff) of the first script that makes some of these settings; both empty where none does."""
    for script in scripts:
        edits = [edit for setting in settings for edit in _edits(script, setting)]
        new = apply_edits(script.text, edits) if edits else None
        if new is not None and _is_whole(script, new):
            return script.name, diff_of(script.name, script.text, new)
    return "", ""


def _edits(script: NamedScript, setting: Setting) -> Iterator[Edit]:
    place, value = script.facts.setting_places.get(setting.name), script.facts.settings.get(setting.name)
    if place is None or value is None:
        return
    written = re.compile(re.escape(setting.name) + BETWEEN + re.escape(value) + r")\b", re.IGNORECASE)
    found = written.search(script.text, Lines(script.text).offset(place.line, 0))
    if found:
        yield Edit(found.start(2), found.end(2), setting.value if found[1] else _bare(setting.value, script.facts.language))


def _bare(value: str, language: str) -> str:
    """A value that is not within quotation marks, as the language writes it."""
    if value.isdecimal() or language == "sql":
        return value
    if value in ("true", "false"):
        return value.capitalize() if language == "python" else value
    return f'"{value}"'


def _is_whole(script: NamedScript, new: str) -> bool:
    """The changed script still parses."""
    return script.facts.language not in ("python", "scala") or Source.read_as(new, script.facts.language) is not None
