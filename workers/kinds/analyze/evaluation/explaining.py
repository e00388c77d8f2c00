"""The checks of a turn by the names that its file gives them; for each that failed, what was expected and what came."""

from collections.abc import Mapping
from typing import Any

from contracts.base import Json
from workers.kinds.analyze.evaluation.playing import Played
from workers.kinds.analyze.evaluation.scoring import failed_calls, own_calls, score, skill_now
from workers.kinds.analyze.work.drawing import type_of

_IN_FILE = {
    "order": ("calls",),
    "verbatim": ("must_say_verbatim", "asks_for_simulation"),
    "waits": ("waits_for_human",),
    "must_say": ("must_say_any",),
    "skill": ("skill", "skill_any_of"),
}
"""Name of a part of a score → the checks in a file that it stands for."""
MOST_SHOWN = 200
"""Characters of an answer that are shown."""


def explained(played: Played, expect: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, str]]:
    """Check → whether it holds, and for those that do not: what was expected, and what came."""
    checks: dict[str, bool] = {}
    for part, holds in score(played, expect, is_strict=True).items():
        for check in [check for check in _IN_FILE.get(part, (part,)) if check in expect] or [part]:
            checks[check] = holds
    return checks, {check: _sentence(check, played, expect) for check, holds in checks.items() if not holds}


def _sentence(check: str, played: Played, expect: Mapping[str, Any]) -> str:
    wanted = expect.get(check)
    match check:
        case "calls":
            return f"expected {_calls(wanted)}; made: {_made(played)}{_arguments_made(played, wanted)}"
        case "must_not_call" | "max_calls":
            return f"expected {_shown(wanted)}; made: {_made(played)}"
        case "errors":
            failures = "; ".join(f"{tool}: {_cut(message)}" for tool, message in failed_calls(played))
            return f"no tool may fail unless `error: business` is expected; failed: {failures}"
        case "ended":
            return f"the job did not end with an answer: {_cut(played.ended)}"
        case "skill" | "skill_any_of" | "skill_unchanged":
            return f"expected {_shown(played.skill_before if check == 'skill_unchanged' else wanted)}; came: {skill_now(played) or 'none'}"
        case _:
            return f"expected {_shown(wanted)}; came: {_came(check, played)}"


def _came(check: str, played: Played) -> str:
    answer = played.answer
    match check:
        case "params_request" | "waits_for_human":
            form = played.form
            if form is None:
                return "no form"
            options = [option.value for found in form.options.values() for option in found]
            return _shown(
                {
                    "tool_name": form.tool_name,
                    "missing_params": list(form.missing_params),
                    "known_params": dict(form.known_params),
                    "options": options,
                }
            )
        case "must_say_verbatim" | "asks_for_simulation":
            return _shown(list(answer.verbatim)) if answer is not None and answer.verbatim else "no such sentence"
        case "suggestions":
            return f"{len(answer.suggestions) if answer else 0} suggestions"
        case "table":
            tables = answer.tables if answer else ()
            return _shown([{"rows_to_client": len(table.rows), "rows_to_model": table.rows_to_model} for table in tables])
        case "chart":
            return ", ".join(str(type_of(chart) or chart.mark) for chart in answer.charts) if answer and answer.charts else "no chart"
        case _:
            return _cut(played.text or played.ended) or "nothing"


def _calls(wanted: Any) -> str:
    calls: list[Json] = wanted
    parts = (_shown({name: value for name, value in call.items() if name != "tool"}) if len(call) > 1 else "" for call in calls)
    return ", ".join(f"{call['tool']} {part}".strip() for call, part in zip(calls, parts, strict=True)) or "no call"


def _made(played: Played) -> str:
    return ", ".join(tool for tool, _, _ in own_calls(played)) or "none"


def _arguments_made(played: Played, wanted: Any) -> str:
    """The arguments, where some are expected."""
    calls: list[Json] = wanted
    if not any(call.get("args") for call in calls):
        return ""
    return " with " + _cut(", ".join(_shown(arguments) for _, arguments, _ in own_calls(played)))


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return _cut("{" + ", ".join(f"{name}: {_shown(item)}" for name, item in value.items()) + "}")  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] JSON has no static type
    if isinstance(value, list | tuple):
        return _cut("[" + ", ".join(map(_shown, value)) + "]")  # pyright: ignore[reportUnknownArgumentType] as above
    return _cut(str(value).lower() if isinstance(value, bool) else str(value))


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
