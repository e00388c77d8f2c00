"""`bullpen show JOB --calls`: what the steps of a job asked of models and tools, and what came back."""

import json
from collections.abc import Iterator, Sequence

from contracts.base import Json
from workers.cli.context import console
from workers.cli.display import brief, short_id, shown
from workers.cli.lines import print_line, table, wide
from workers.cli.list_words import ListWords
from workers.reading.calls import CallFacts

_PARTS_SHOWN = 12
"""Parts of a prompt in the table, the largest first."""


def print_calls(calls: Sequence[CallFacts], words: ListWords, *, details: bool) -> None:
    """A line for each call; with `details` prompts and answers below."""
    titles = words.words("stage", "call", "what", "outcome", "tokens", "ms")
    listed = table(*titles, wide(words.word("parts"), share=2))
    for call in calls:
        duration = "" if call.duration_ms is None else str(call.duration_ms)
        number = f"{call.call}" if call.kind == "model" else f"{call.call}.{call.place}"
        about = ", ".join(_about(call, words))
        listed.add_row(shown(call.stage), number, shown(call.name), words.word(call.outcome), _tokens(call), duration, about)
    console.print(listed)
    if details:
        for call in calls:
            _print_whole(call, words)


def _tokens(call: CallFacts) -> str:
    return "" if call.kind != "model" else f"{call.usage.get('input_tokens', 0)}/{call.usage.get('output_tokens', 0)}"


def _about(call: CallFacts, words: ListWords) -> Iterator[str]:
    """Tokens by part, what was left out, and what went wrong."""
    if call.edited:
        yield words.word("edited")
    sizes: dict[str, int] = {}
    for message in call.messages if call.kind == "model" else ():
        for part in message.parts:
            name = part.name if message.role in ("system", "user") else message.role
            sizes[name] = sizes.get(name, 0) + part.tokens
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True)[:_PARTS_SHOWN]:
        yield f"{shown(name)} {sizes[name]}"
    for item in call.cut:
        yield f"{words.word('left_out')}: {shown(str(item.get('name', '')))} ({item.get('kept', 0)}/{item.get('of', 0)})"
    if call.message:
        yield brief(call.message, 200)


def _print_whole(call: CallFacts, words: ListWords) -> None:
    number = f"{call.call}" if call.kind == "model" else f"{call.call}.{call.place}"
    model = f" ({shown(call.model)})" if call.model else ""
    console.print()
    print_line(f"[bold]{shown(call.stage)} {number}: {shown(call.name)}[/]{model} {short_id(call.step_id)}")
    for message in call.messages:
        print_line(f"[dim]{shown(message.role)}[/]")
        print_line(words.word("no_texts") if message.text is None else shown(message.text), indent=2)
        if message.calls:
            print_line(shown(json.dumps(message.calls, ensure_ascii=False)), indent=2)
    print_line(f"[dim]{words.word('answer')}[/]")
    print_line("-" if call.answer is None else shown(_answer(call.answer)), indent=2)


def _answer(answer: Json) -> str:
    text = answer.get("text")
    rest = {name: value for name, value in answer.items() if name not in ("text", "usage", "tool_names")}
    return "\n".join(part for part in (text if isinstance(text, str) else "", json.dumps(rest, ensure_ascii=False) if rest else "") if part)
