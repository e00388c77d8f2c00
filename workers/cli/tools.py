"""`bullpen tools`: the tools that steps may call, and what the steps of a job were granted and called."""

from typing import Annotated, Any

import typer

from contracts.tools import ToolOffer
from workers.cli.context import console, job_id, print_json
from workers.cli.display import brief, shown
from workers.cli.lines import say, table, wide
from workers.cli.reach.fleet import calls_of, tool_offers

app = typer.Typer(no_args_is_help=True, help="Tools that steps may call, and the calls of a job.", rich_markup_mode="rich")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_command(as_json: AsJson = False) -> None:
    """List the registered tools. What a step may call of them depends on its pointers, its role and its skill."""
    found = tool_offers()
    if as_json:
        print_json([{"name": name, "opened_by": opens, **({} if offer is None else offer.to_json())} for offer, name, opens in found])
        return
    listed = table("tool", "effect", "cost", wide("opened by"), wide("what it does", share=3))
    for offer, name, opens in found:
        facts = ("?", "?", "?", "its server does not answer") if offer is None else _facts(offer, opens)
        listed.add_row(shown(name), *facts)
    console.print(listed)


def _facts(offer: ToolOffer, opens: list[str]) -> tuple[str, str, str, str]:
    return str(offer.effect), str(offer.cost), f"key of a {' or '.join(opens)}", brief(offer.description, 200)


@app.command("calls")
def calls_command(
    job: Annotated[str, typer.Argument(help="The job: its id, or at least 6 characters of its beginning or end.")], as_json: AsJson = False
) -> None:
    """Show what the steps of a job were granted, and what they called."""
    found = job_id(job)
    grants, calls = calls_of(found)
    if as_json:
        print_json({"granted": grants, "calls": calls})
        return
    for row in grants:
        tools = ", ".join(map(_granted, row["granted"])) or "nothing"
        say(shown(f"{row['stage']}, attempt {row['attempt']}, may call: {tools}"))
    if not calls:
        console.print("No step called a tool.")
        return
    listed = table("stage", "no", "tool", "outcome", "ms", wide("message"))
    for row in calls:
        duration = "" if row["duration_ms"] is None else str(row["duration_ms"])
        listed.add_row(
            shown(row["stage"]), str(row["number"]), shown(row["tool"]), row["outcome"], duration, brief(row["message"] or "", 300)
        )
    console.print(listed)


def _granted(item: dict[str, Any]) -> str:
    places = item["places"]
    if places is None:
        return item["tool"]
    more = f", and {len(places) - 5} more" if len(places) > 5 else ""
    return f"{item['tool']} ({', '.join(places[:5])}{more})"
