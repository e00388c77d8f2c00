"""`SkillMiddleware` in a plain LangChain agent, over HTTP with a server that speaks the OpenAI protocol."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware, TodoListMiddleware
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from tests.support.openai_server import Heard, OpenAIServer, Say, openai_server
from workers.skills.middleware import SELECT_SKILL, SkillMiddleware
from workers.skills.skill import READ_REFERENCE

CALLED: list[str] = []
BODY = "Call match_scenario first. {{ 7 * 7 }} {% raise %}"


@tool
def match_scenario(text: str) -> str:
    """Finds the scenario."""
    CALLED.append("match_scenario")
    return "DTW-11 " + "x" * 200


@tool
def delete_everything() -> str:
    """Deletes."""
    CALLED.append("delete_everything")
    return "gone"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    CALLED.clear()
    with openai_server() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(
        tmp_path,
        "coverage",
        "Finds weak coverage.",
        "Call match_scenario first. {{ 7 * 7 }} {% raise %}",
        "allowed-tools: match_scenario Bash(rm:*)\n",
    )
    (tmp_path / "coverage" / "references").mkdir()
    (tmp_path / "coverage" / "references" / "limits.md").write_text("RSRP < -110 dBm\n")
    write(tmp_path, "capacity", "Finds used up resource blocks.", "容量分析步骤。先查 PRB。", "metadata:\n  title: 容量分析\n")
    return tmp_path


def write(root: Path, name: str, description: str, body: str, more: str = "") -> None:
    (root / name).mkdir(exist_ok=True)
    (root / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n{more}---\n\n{body}\n", encoding="utf-8")


def agent(server: OpenAIServer, folder: Path, *more: Any, **options: Any) -> Any:
    model = ChatOpenAI(model="test-model", base_url=server.base_url, api_key="k", max_retries=0)  # pyright: ignore[reportArgumentType]
    skills = SkillMiddleware([folder], keep_tools=("write_todos",), **options)
    return create_agent(
        model, [match_scenario, delete_everything], middleware=[skills, *more], system_prompt="You help.", checkpointer=InMemorySaver()
    )


def call(name: str, **arguments: Any) -> Say:
    return Say(None, calls=((name, json.dumps(arguments)),))


def say_to(agent: Any, text: str, thread: str = "t") -> dict[str, Any]:
    return agent.invoke({"messages": [HumanMessage(text)]}, {"configurable": {"thread_id": thread}, "recursion_limit": 60})


def offered(heard: Heard) -> set[str]:
    return {tool["function"]["name"] for tool in heard.body.get("tools", ())}


def description_of(name: str, heard: Heard) -> str:
    return next(tool["function"]["description"] for tool in heard.body["tools"] if tool["function"]["name"] == name)


def system(heard: Heard) -> str:
    content = heard.body["messages"][0]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def test_a_new_conversation_selects_a_skill_and_works_under_its_instructions(server: OpenAIServer, folder: Path) -> None:
    """K9, K11, K12, K26."""
    server.will(call(SELECT_SKILL, skill_name="Coverage"), call("match_scenario", text="x"), Say("Five cells."))

    state = say_to(agent(server, folder), "分析弱覆盖")

    first, second, third = server.asked
    assert offered(first) == {SELECT_SKILL, "match_scenario", "delete_everything"}
    assert offered(second) == offered(third) == {"match_scenario", READ_REFERENCE}
    assert system(first) == "You help."
    assert "## Guide for the current task: coverage" in system(second)
    assert "Call match_scenario first. {{ 7 * 7 }} {% raise %}" in system(second)
    assert "- references/limits.md" in system(second)
    assert (state["active_skill"], state["messages"][-1].text) == ("coverage", "Five cells.")
    assert CALLED == ["match_scenario"]


def test_the_offer_lists_the_skills_as_they_are_now(server: OpenAIServer, folder: Path) -> None:
    server.will(Say("Hello."))
    chat = agent(server, folder)
    say_to(chat, "hello")
    write(folder, "interference", "Finds interfering cells.", "Look.")

    say_to(chat, "and now?")

    descriptions = [description_of(SELECT_SKILL, heard) for heard in server.asked]
    assert ["interference" in description for description in descriptions] == [False, True]
    assert all("Finds weak coverage." in description for description in descriptions)


def test_while_the_skills_work_is_pending_only_an_explicit_wish_opens_the_choice(server: OpenAIServer, folder: Path) -> None:
    """K10, K26 and decision 10."""
    todos = call("write_todos", todos=[{"content": "match", "status": "in_progress"}])
    server.will(
        call(SELECT_SKILL, skill_name="coverage"),
        todos,
        Say("Shall I go on?"),
        Say("On it."),
        call(SELECT_SKILL, skill_name="capacity"),
        Say("好"),
    )
    chat = agent(server, folder, TodoListMiddleware())

    say_to(chat, "weak coverage")
    say_to(chat, "yes")
    state = say_to(chat, "switch to capacity")

    closed, opened, after = server.asked[3:6]
    assert SELECT_SKILL not in offered(closed)
    assert SELECT_SKILL in offered(opened)
    assert "当前任务指南: 容量分析" in system(after)
    assert state["active_skill"] == "capacity"


def test_a_greeting_selects_no_skill(server: OpenAIServer, folder: Path) -> None:
    """K7, K26."""
    server.will(call(SELECT_SKILL, skill_name="none"), Say("Hello."))

    state = say_to(agent(server, folder), "你好")

    assert state.get("active_skill") is None
    assert system(server.asked[1]) == "You help."


@pytest.mark.parametrize("value", ["", "none", "null", None])
def test_no_skill_clears_what_was_active(server: OpenAIServer, folder: Path, value: str | None) -> None:
    """K7."""
    server.will(call(SELECT_SKILL, skill_name="coverage"), Say("Done."), call(SELECT_SKILL, skill_name=value), Say("Hello."))
    chat = agent(server, folder)
    say_to(chat, "weak coverage")

    state = say_to(chat, "thanks")

    assert (state["active_skill"], state["skill_content"]) == (None, None)
    assert offered(server.asked[3]) == {"match_scenario", "delete_everything"}


def test_an_unknown_skill_changes_nothing_and_is_answered_with_the_names(server: OpenAIServer, folder: Path) -> None:
    """K8."""
    server.will(call(SELECT_SKILL, skill_name="billing"), Say("Sorry."))

    state = say_to(agent(server, folder), "bill me")

    answer = state["messages"][-2]
    assert answer.status == "error"
    assert "There are: capacity, coverage." in answer.text
    assert state.get("active_skill") is None


def test_a_hidden_tool_is_not_run_when_the_model_calls_it(server: OpenAIServer, folder: Path) -> None:
    server.will(
        call(SELECT_SKILL, skill_name="coverage"), call("delete_everything"), call(SELECT_SKILL, skill_name="capacity"), Say("I may not.")
    )

    state = say_to(agent(server, folder), "weak coverage")

    refusals = [message.text for message in state["messages"] if getattr(message, "status", "") == "error"]
    assert refusals == [
        "The skill coverage does not use 'delete_everything'. It uses: Bash, match_scenario.",
        "A skill may not be selected now.",
    ]

    assert CALLED == []
    assert state["active_skill"] == "coverage"


def test_two_selections_in_one_message_leave_the_last(server: OpenAIServer, folder: Path) -> None:
    both = Say(None, calls=((SELECT_SKILL, '{"skill_name": "coverage"}'), (SELECT_SKILL, '{"skill_name": "capacity"}')))
    server.will(both, Say("Done."))

    state = say_to(agent(server, folder), "both?")

    assert state["active_skill"] == "capacity"
    assert "当前任务指南" in system(server.asked[1])


def test_two_conversations_never_mix_their_skills(server: OpenAIServer, folder: Path) -> None:
    server.will(
        call(SELECT_SKILL, skill_name="coverage"), Say("a"), call(SELECT_SKILL, skill_name="capacity"), Say("b"), Say("c"), Say("d")
    )
    chat = agent(server, folder)
    say_to(chat, "weak coverage", "one")
    say_to(chat, "resource blocks", "two")

    say_to(chat, "go on", "one")
    say_to(chat, "go on", "two")

    third, fourth = server.asked[4:6]
    assert "Call match_scenario first." in system(third)
    assert "容量分析步骤" in system(fourth)


def test_a_conversation_keeps_its_text_and_its_files_when_the_folder_changes(server: OpenAIServer, folder: Path) -> None:
    server.will(call(SELECT_SKILL, skill_name="coverage"), Say("a"), call(READ_REFERENCE, path="references/limits.md"), Say("b"))
    chat = agent(server, folder)
    say_to(chat, "weak coverage")
    write(folder, "coverage", "Other.", "Other way.")
    (folder / "coverage" / "references" / "limits.md").write_text("changed")

    state = say_to(chat, "go on")

    assert "Call match_scenario first." in system(server.asked[2])
    assert state["messages"][-2].text == "RSRP < -110 dBm\n"


@pytest.mark.parametrize("path", ["../capacity/SKILL.md", "/etc/passwd", "references/../references/limits.md", "a\0b", ""])
def test_only_the_listed_files_of_the_skill_are_read(server: OpenAIServer, folder: Path, path: str) -> None:
    server.will(call(SELECT_SKILL, skill_name="coverage"), call(READ_REFERENCE, path=path), Say("b"))

    state = say_to(agent(server, folder), "weak coverage")

    assert state["messages"][-2].text == "The files of the current skill are: references/limits.md."


def test_a_template_that_cannot_be_rendered_leaves_the_agent_without_a_skill(server: OpenAIServer, folder: Path) -> None:
    """K12."""
    server.will(call(SELECT_SKILL, skill_name="coverage"), Say("b"))

    say_to(agent(server, folder, template="{{ base_prompt }} {{ nothing.there }}"), "weak coverage")

    assert [system(heard) for heard in server.asked] == ["You help.", "You help."]


def test_context_editing_that_excludes_the_selection_leaves_its_record(server: OpenAIServer, folder: Path) -> None:
    """K13, K14: first in the chain, with the editing of the context behind it."""
    editing = ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=10, keep=0, exclude_tools=(SELECT_SKILL,))])
    server.will(call(SELECT_SKILL, skill_name="coverage"), call("match_scenario", text="x"), Say("a"))

    say_to(agent(server, folder, editing), "weak coverage")

    results = [message["content"] for message in server.asked[2].body["messages"] if message["role"] == "tool"]
    assert results[0].startswith("Skill selected: coverage.")
    assert results[1] == "[cleared]"
    assert "Call match_scenario first." in system(server.asked[2])


async def _ask(chat: Any, text: str) -> dict[str, Any]:
    return await chat.ainvoke({"messages": [HumanMessage(text)]}, {"configurable": {"thread_id": "t"}})


def test_it_works_in_an_asynchronous_agent(server: OpenAIServer, folder: Path) -> None:
    import asyncio

    server.will(call(SELECT_SKILL, skill_name="coverage"), call("match_scenario", text="x"), Say("a"))

    state = asyncio.run(_ask(agent(server, folder), "weak coverage"))

    assert (state["active_skill"], CALLED) == ("coverage", ["match_scenario"])
