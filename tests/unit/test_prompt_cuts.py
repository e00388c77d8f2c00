"""Every prompt that has a user's data says what of them it left out, so that `bullpen show JOB --calls` can show it."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
ASKING = {"ask", "work", "ask_checked"}


def _calls() -> Iterator[tuple[str, ast.Call]]:
    for file in sorted((ROOT / "workers").rglob("*.py")):
        if "llm" in file.relative_to(ROOT).parts:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and any(given.arg == "prompt" for given in node.keywords):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in ASKING:
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", node


def test_every_call_of_a_model_says_what_its_prompt_left_out() -> None:
    calls = dict(_calls())

    without = [
        place
        for place, call in calls.items()
        if not any(
            given.arg == "prompt_cuts" or (given.arg is None and isinstance(given.value, ast.Name | ast.Attribute | ast.Call))
            for given in call.keywords
        )
    ]

    assert len(calls) > 15
    assert without == []
