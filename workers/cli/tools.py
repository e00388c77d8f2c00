"""`bullpen tools`: the tools that steps may call, and what the steps of a job were granted and called."""

from typing import Annotated, Any

import typer

from contracts.statements import Join, Value, count, listing, name, names, say
from contracts.tools import ToolOffer
from workers.cli.context import console, job_id, print_json
from workers.cli.display import brief, shown
from workers.cli.lines import table
from workers.cli.list_words import WORDS, ListLanguage, ListWords, list_words
from workers.cli.reach.doing import do
from workers.cli.telling import tell
from workers.operations.fleet import tools
from workers.operations.jobs import tool_calls

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Tools that steps may call, and the calls of a job.", rich_markup_mode="rich"
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_command(language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """List the registered tools. What a step may call of them depends on its pointers, its role and its skill."""
    found = do(tools)
    if as_json:
        print_json([{"name": tool.name, "opened_by": tool.opened_by, **(tool.offer.to_json() if tool.offer else {})} for tool in found])
        return
    words = list_words(language)
    listed = table(*words.words("tool", "effect", "cost"), words.wide("opened_by"), words.wide("does", share=3))
    for tool in found:
        facts = ("?", "?", "?", words.word("no_answer")) if tool.offer is None else _facts(tool.offer, tool.opened_by, words)
        listed.add_row(shown(tool.name), *facts)
    console.print(listed)


def _facts(offer: ToolOffer, opens: tuple[str, ...], words: ListWords) -> tuple[str, str, str, str]:
    kinds = listing(*(WORDS.get(kind, name(kind)) for kind in opens), join=Join.OR)
    key = words(say("lists.key_of", kinds=kinds)) if opens else "-"
    return words.word(offer.effect), words.word(offer.cost), key, brief(offer.description, 200)


@app.command("calls")
def calls_command(
    job: Annotated[str, typer.Argument(help="The job: its id, or at least 6 characters of its beginning or end.")],
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """Show what the steps of a job were granted, and what they called."""
    found = job_id(job)
    seen = do(tool_calls, found)
    grants, calls = seen.granted, seen.calls
    if as_json:
        print_json({"granted": grants, "calls": calls})
        return
    words = list_words(language)
    for row in grants:
        tools = listing(*(_granted(item) for item in row["granted"]), join=Join.PLAIN) if row["granted"] else WORDS["none"]
        tell(say("lists.may_call", stage=name(row["stage"]), attempt=count(row["attempt"]), tools=tools))
    if not calls:
        tell(say("lists.no.calls"))
        return
    listed = table(*words.words("stage", "number_in_step", "tool", "outcome", "ms"), words.wide("message"))
    for row in calls:
        duration = "" if row["duration_ms"] is None else str(row["duration_ms"])
        facts = (shown(row["stage"]), str(row["number"]), shown(row["tool"]), words.word(row["outcome"]), duration)
        listed.add_row(*facts, brief(row["message"] or "", 300))
    console.print(listed)


def _granted(item: dict[str, Any]) -> Value:
    places = item["places"]
    if places is None:
        return name(item["tool"])
    shown_places = names(places[:5])
    listed = shown_places if len(places) <= 5 else say("lists.places_more", places=shown_places, n=count(len(places) - 5))
    return say("lists.tool_at", tool=name(item["tool"]), places=listed)
