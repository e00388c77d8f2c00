"""Is the answer of a turn what was expected: calls and their order, gates, figures, words. Each part is right or wrong."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from contracts.analyze.answer import Ending
from contracts.base import Json
from contracts.procedures import ChartType
from workers.engines.language import language_of
from workers.kinds.analyze.evaluation.playing import Played
from workers.kinds.analyze.work.drawing import type_of
from workers.skills.skill import name_key

SEARCHES = frozenset({"search_terminology", "search_design_doc"})
PAGES = "get_network_rows"


def score(played: Played, expect: Mapping[str, Any], *, is_strict: bool = False) -> dict[str, bool]:
    """The parts that the turn expects, and whether each is right. `is_strict`, for a skill's own dialogues: no call beyond those that are
    expected or allowed, and no failure of a tool that is not expected."""
    calls = own_calls(played)
    made = Counter(tool for tool, _, _ in calls)
    parts: dict[str, bool] = {"ended": not played.ended or played.form is not None}
    if "calls" in expect:
        parts["order"] = calls_fit(calls, expect, is_strict=is_strict)
    if is_strict and failed_calls(played):
        parts["errors"] = _failures_are_expected(played, expect)
    if "must_not_call" in expect:
        parts["must_not_call"] = not any(made[tool] for tool in expect["must_not_call"])
    if "max_calls" in expect:
        parts["max_calls"] = all(made[tool] <= most for tool, most in expect["max_calls"].items())
    if "params_request" in expect:
        parts["params_request"] = _form_fits(played, expect["params_request"])
    return parts | _skill(played, expect) | _shown(played, expect) | _words(played, expect) | _facts(played, expect)


def own_calls(played: Played) -> list[tuple[str, Json, Json | None]]:
    """The calls without those that only read on in a table."""
    return [call for call in played.calls if call[0] != PAGES]


def failed_calls(played: Played) -> list[tuple[str, str]]:
    """The calls that failed, or whose result says an error: the tool, and what it said."""
    reported = [(tool, str(result["error"])) for tool, _, result in own_calls(played) if result and result.get("error")]
    return [*reported, *played.failed]


def _failures_are_expected(played: Played, expect: Mapping[str, Any]) -> bool:
    expected = Counter(call["tool"] for call in expect.get("calls", ()) if call.get("error"))
    return Counter(tool for tool, _ in failed_calls(played)) <= expected


def _failed(result: Json | None) -> bool:
    return result is None or bool(result.get("error"))


def calls_fit(calls: Sequence[tuple[str, Json, Json | None]], expect: Mapping[str, Any], *, is_strict: bool = False) -> bool:
    """The expected calls in their order with at least these arguments; the two searches in any order. More calls only where they are
    allowed; in the data set, also of tools that are expected here too (the same query at another level)."""
    wanted = list(expect["calls"])
    may = set(expect.get("may_call", ()))
    if not is_strict:
        may |= {call["tool"] for call in wanted if call["tool"] not in SEARCHES}
    for tool, arguments, result in calls:
        place = _place(tool, wanted, any_order=bool(expect.get("knowledge_in_any_order")))
        if place is not None and _call_fits(wanted[place], arguments, result):
            wanted.pop(place)
        elif tool not in may:
            return False
    return not wanted


def _place(tool: str, wanted: Sequence[Json], *, any_order: bool) -> int | None:
    if not wanted:
        return None
    if any_order and tool in SEARCHES:
        return next((place for place, call in enumerate(wanted[:2]) if call["tool"] == tool), None)
    return 0 if wanted[0]["tool"] == tool else None


def _call_fits(wanted: Json, arguments: Json, result: Json | None) -> bool:
    given: Json = wanted.get("args", {})
    plain = {name: value for name, value in given.items() if name != "indicators_include"}
    if any(arguments.get(name) != value for name, value in plain.items()):
        return False
    if not set(given.get("indicators_include", ())) <= set(arguments.get("indicators", ())):
        return False
    if wanted.get("error"):
        return _failed(result)
    returns: Json = wanted.get("returns", {})
    return all(_same((result or {}).get(name), value) for name, value in returns.items())


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, list) and isinstance(ours, list):
        return sorted(map(str, ours)) == sorted(map(str, theirs))  # pyright: ignore[reportUnknownArgumentType] JSON has no static type
    return ours == theirs


def _form_fits(played: Played, wanted: Json) -> bool:
    form = played.form
    if form is None or form.tool_name != wanted["tool_name"] or set(form.missing_params) != set(wanted["missing_params"]):
        return False
    known: Json = wanted.get("known_params_include", {})
    options = {option.value for found in form.options.values() for option in found}
    return all(form.known_params.get(name) == value for name, value in known.items()) and set(wanted.get("options", ())) <= options


def family(name: str) -> str:
    """A skill's name, in whichever of its spellings."""
    return name_key(name).replace("optimization", "optimisation")


def skill_now(played: Played) -> str:
    """The skill that is followed after the turn."""
    return played.answer.skill if played.answer else played.ended.rpartition(" ")[2]


def _skill(played: Played, expect: Mapping[str, Any]) -> dict[str, bool]:
    now = skill_now(played)
    parts: dict[str, bool] = {}
    if "skill_any_of" in expect:
        parts["skill"] = family(now) in set(map(family, expect["skill_any_of"]))
    if "skill" in expect:
        parts["skill"] = family(now) == family(expect["skill"])
    if "skill_unchanged" in expect:
        parts["skill_unchanged"] = now == played.skill_before
    if "select_skill_visible" in expect and played.answer is not None:
        parts["select_skill_visible"] = played.answer.offers_skills == expect["select_skill_visible"]
    return parts


def _shown(played: Played, expect: Mapping[str, Any]) -> dict[str, bool]:
    answer = played.answer
    parts: dict[str, bool] = {}
    if "suggestions" in expect:
        wanted: Json = expect["suggestions"]
        n = len(answer.suggestions) if answer else 0
        parts["suggestions"] = wanted["min"] <= n <= wanted["max"] and (not wanted.get("multi_select") or bool(answer and answer.several))
    if "table" in expect:
        wanted = expect["table"]
        tables = answer.tables if answer else ()
        parts["table"] = any(len(table.rows) == wanted["rows_to_client"] for table in tables) and all(
            table.rows_to_model <= wanted["rows_to_model_max"] for table in tables
        )
    if "chart" in expect:
        parts["chart"] = _draws(played, ChartType(expect["chart"]))
    if "must_say_verbatim" in expect:
        parts["verbatim"] = answer is not None and expect["must_say_verbatim"] in answer.verbatim
    if "asks_for_simulation" in expect:
        parts["verbatim"] = answer is not None and answer.ending is Ending.WAITS and bool(answer.verbatim)
    if "waits_for_human" in expect:
        parts["waits"] = played.form is not None
    return parts


def _draws(played: Played, wanted: ChartType) -> bool:
    answer = played.answer
    if answer is None:
        return False
    if wanted is ChartType.TABLE:
        return bool(answer.tables) and not answer.charts
    return any(type_of(chart) is wanted for chart in answer.charts)


def _words(played: Played, expect: Mapping[str, Any]) -> dict[str, bool]:
    text = played.text.casefold()
    parts: dict[str, bool] = {}
    if "must_say_any" in expect:
        parts["must_say"] = all(any(word.casefold() in text for word in group) for group in expect["must_say_any"])
    if "must_say_all" in expect:
        parts["must_say_all"] = all(word.casefold() in text for word in expect["must_say_all"])
    if "must_not_say" in expect:
        parts["must_not_say"] = not any(word.casefold() in text for word in expect["must_not_say"])
    if "language" in expect and played.answer is not None:
        parts["language"] = language_of(_without_names(played.words)) == expect["language"]
    return parts


def _without_names(words: str) -> str:
    """Names of cells and grids are in no language."""
    return re.sub(r"[A-Za-z]*\d[\w-]*", " ", words)


def _facts(played: Played, expect: Mapping[str, Any]) -> dict[str, bool]:
    """The figures of the answer against those computed from the files."""
    facts: Json | None = expect.get("facts")
    answer = played.answer
    if facts is None:
        return {}
    if answer is None:
        return {"facts": False}
    right: list[bool] = []
    if "problem_cells" in facts:
        found = next((item for item in answer.found if item.level == "cell"), None)
        keys = [problem.key for problem in found.problems] if found else []
        right += [found is not None and sorted(keys) == sorted(facts["problem_cells"]), len(keys) == facts["count"]]
        worst = found.problems[0] if found and found.problems else None
        right += [worst is not None and worst.key == facts["worst_cell"], worst is not None and worst.value == facts["worst_value"]]
    elif "mean_before" in facts:
        compared = answer.compared[-1] if answer.compared else None
        right.append(
            compared is not None and _close(compared.mean_before, facts["mean_before"]) and _close(compared.mean_after, facts["mean_after"])
        )
        right.append(compared is not None and sorted(compared.still) == sorted(facts["still_problem"]))
        right.append(compared is not None and facts["worse_after"] in [item.key for item in compared.worse])
    else:
        found = next((item for item in answer.found if item.by), None)
        right.append(found is not None and all(sorted(found.by.get(kind, ())) == sorted(keys) for kind, keys in facts.items()))
    return {"facts": all(right)}


def _close(ours: float | None, theirs: float) -> bool:
    return ours is not None and abs(ours - theirs) <= 0.051
