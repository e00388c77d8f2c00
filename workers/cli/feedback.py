"""`bullpen feedback`: say whether a finished job was right; the fleet learns from it at once."""

import inspect
import sys
from typing import Annotated

import typer

from contracts import statements
from contracts.base import Json
from workers.cli.context import console, job_id, print_json
from workers.cli.display import shown
from workers.cli.forms import options_of, read_form, with_options
from workers.cli.lines import say
from workers.cli.reach.actions import give_feedback, preview_feedback
from workers.cli.reach.jobs import job_of
from workers.errors import InvalidInput
from workers.kinds.base import Feedback
from workers.kinds.registry import all_kinds, find_kind, load_kinds
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
        raise InvalidInput.of(statements.say("refused.cli.no_feedback", job=statements.name(found), kind=statements.name(name)))
    form = taken.form.load()
    if foreign := values.keys() - form.model_fields.keys():
        option = min(foreign).replace("_", "-")
        raise InvalidInput.of(
            statements.say(
                "refused.cli.no_option",
                job=statements.name(found),
                kind=statements.name(name),
                option=statements.name(f"--{option}"),
                how=statements.passage(_how(taken, str(found))),
            )
        )
    filled = read_form(form, values, _how(taken, str(found)))
    if taken.preview is not None and not yes:
        _show(preview_feedback(taken, found, filled), as_json=as_json)
    given = give_feedback(taken, found, filled)
    if as_json:
        print_json({"job_id": found, **given.learnt})
    else:
        console.print("\n".join(shown(line) for line in given.lines), soft_wrap=True)


def _show(stated: tuple[str, ...], *, as_json: bool) -> None:
    """Show what would be stored, and ask. Without a terminal nothing is stored until the same is said with --yes."""
    if as_json:
        print_json({"stored": None, "preview": list(stated)})
        raise typer.Exit(ASKS)
    for line in stated:
        say(shown(line))
    if not console.is_terminal or not sys.stdin.isatty():
        say("Nothing is stored yet. To store it, give the same feedback with --yes; to change it afterwards: bullpen tickets edit.")
        raise typer.Exit(ASKS)
    if not typer.confirm("Store it?"):
        say("Nothing was stored.")
        raise typer.Exit(ASKS)


def _how(feedback: Feedback, job: str) -> str:
    return feedback.how.replace("{job}", job)


def feedback_command() -> typer.Typer:
    """The command, with the options of every kind that learns from feedback."""
    load_kinds(load_settings().extensions)
    options: dict[str, inspect.Parameter] = {}
    hints: list[str] = []
    for kind in all_kinds():
        if kind.feedback is not None:
            options |= {name: option for name, option in options_of(kind.feedback.form.load()).items() if name not in options}
            hints.append(_how(kind.feedback, "JOB"))
    text = "Rate a finished job, so that the fleet learns from it. Later feedback replaces earlier feedback.\n\n" + "\n\n".join(hints)
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    app.command("feedback")(with_options(give, options, text))
    return app
