"""`bullpen feedback`: say whether a finished job was right; the fleet learns from it at once."""

import inspect
import sys
from typing import Annotated

import typer

from contracts.base import Json
from contracts.statements import as_value, say
from contracts.statements import name as identifier
from workers.cli.context import console, job_id, print_json
from workers.cli.display import shown
from workers.cli.forms import options_of, read_form, with_options
from workers.cli.lines import print_line
from workers.cli.reach.doing import do
from workers.cli.reach.jobs import job_of
from workers.cli.telling import confirmed, tell
from workers.errors import InvalidInput
from workers.kinds.registry import all_kinds, find_kind, load_kinds
from workers.operations.actions import feedback
from workers.saying import text_of
from workers.settings import load_settings

ASKS = 7
"""Exit code: somebody has to look first."""


def give(
    job: Annotated[str, typer.Argument(help="The finished job: its id, or at least 6 characters of its beginning or end.")],
    yes: Annotated[bool, typer.Option("--yes", help="Store what is learnt without showing it first.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    values: Json,
) -> None:
    """Let the job's kind learn from what was filled."""
    found = job_id(job)
    name = job_of(found).kind
    kind = find_kind(name)
    taken = None if kind is None else kind.feedback
    if taken is None:
        raise InvalidInput.of(say("refused.cli.no_feedback", job=identifier(found), kind=identifier(name)))
    how = as_value(taken.how_for(str(found)))
    form = taken.form.load()
    if foreign := values.keys() - form.model_fields.keys():
        option = min(foreign).replace("_", "-")
        about = {"job": identifier(found), "kind": identifier(name), "option": identifier(f"--{option}")}
        raise InvalidInput.of(say("refused.cli.no_option", how=how, **about))
    words = read_form(form, values, how).model_dump(mode="json", exclude_unset=True)
    if taken.preview is not None and taken.confirms and not yes:
        _show(do(feedback, found, words, preview=True)["lines"], as_json=as_json)
    given = do(feedback, found, words)
    lines = given.pop("lines")
    if as_json:
        print_json(given)
    else:
        console.print("\n".join(shown(line) for line in lines), soft_wrap=True)


def _show(stated: list[str], *, as_json: bool) -> None:
    """Show what would be stored, and ask. Without a terminal nothing is stored until the same is said with --yes."""
    if as_json:
        print_json({"stored": None, "preview": stated})
        raise typer.Exit(ASKS)
    for line in stated:
        print_line(shown(line))
    if not console.is_terminal or not sys.stdin.isatty():
        tell(say("said.feedback.not_yet", option=identifier("--yes"), command=identifier("bullpen tickets edit")))
        raise typer.Exit(ASKS)
    if not confirmed(say("said.feedback.store")):
        tell(say("said.feedback.not_stored"))
        raise typer.Exit(ASKS)


def feedback_command() -> typer.Typer:
    """The command, with the options of every kind that learns from feedback."""
    load_kinds(load_settings().extensions)
    options: dict[str, inspect.Parameter] = {}
    hints: list[str] = []
    for kind in all_kinds():
        if kind.feedback is not None:
            options |= {name: option for name, option in options_of(kind.feedback.form.load()).items() if name not in options}
            hints.append(text_of(kind.feedback.how_for("JOB"), "en"))
    text = "Rate a finished job, so that the fleet learns from it. Later feedback replaces earlier feedback.\n\n" + "\n\n".join(hints)
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    app.command("feedback")(with_options(give, options, text))
    return app
