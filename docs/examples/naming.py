"""naming.py: do the columns of a table follow one style?"""

import re
from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json, Text
from contracts.reports import Question, Report, asks, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from contracts.statements import name
from workers.coordinator.playbooks import Playbook
from workers.kinds.base import Feedback, FeedbackGiven, Giving, Kind, Ref, ShowOptions, View
from workers.kinds.registry import register_kind
from workers.roles.base import StepContext
from workers.saying.document import Column, Document, Paragraph, Table

STYLES = {"snake": re.compile(r"[a-z][a-z0-9_]*"), "camel": re.compile(r"[a-z][a-zA-Z0-9]*")}
BATCH = 3


class NamingRequest(Contract):
    """What is submitted. A field with a description becomes an option of `bullpen submit naming`."""

    kind: Literal["naming"] = "naming"
    columns: Text = Field(min_length=1)
    style: Literal["snake", "camel"] | None = Field(default=None, description="The style that is right. Default: you are asked.")


class Style(Contract):
    """What the stage `style` yields."""

    style: Literal["snake", "camel"]


class Checked(Contract):
    """What a stage `check/n` yields."""

    wrong: tuple[str, ...]


class NamingReport(Contract):
    """The result of the job."""

    style: str
    columns: int
    wrong: tuple[str, ...]


def columns_of(ctx: StepContext) -> list[str]:
    """The columns of the request, which every stage may read."""
    return [part.strip() for part in ctx.need(NamingRequest, INPUT).columns.split(",") if part.strip()]


def batch(number: int, columns: list[str]) -> tuple[StageSpec, ...]:
    """The stage that checks a batch of columns, when there is one left."""
    if (number - 1) * BATCH >= len(columns):
        return ()
    needs = (INPUT, "style")
    return (StageSpec(name=f"check/{number}", role=RoleName.ANALYST, task="naming.check", needs=needs, params={"number": number}),)


def decide_style(ctx: StepContext) -> Report[Style]:
    """Take the style of the request, or ask for it; the answer is in `ctx.answers()` of the next run."""
    chosen: str | None = ctx.need(NamingRequest, INPUT).style
    for _, response in ctx.answers():
        chosen = str(response["text"]).strip().lower()
    if chosen not in STYLES:
        return asks(Question(text="Which style is right for this table?", choices=tuple(STYLES)))
    return completed(Style.model_validate({"style": chosen}), f"style {chosen}", stages=batch(1, columns_of(ctx)))


def check_batch(ctx: StepContext) -> Report[Checked]:
    """Check one batch, and add the stage that checks the next one."""
    columns, number = columns_of(ctx), int(ctx.params["number"])
    style = STYLES[ctx.need(Style, "style").style]
    wrong = tuple(column for column in columns[(number - 1) * BATCH : number * BATCH] if not style.fullmatch(column))
    return completed(Checked(wrong=wrong), f"{len(wrong)} wrong", stages=batch(number + 1, columns))


def sum_up(ctx: StepContext) -> Report[NamingReport]:
    """Read what all members of the family `check/*` yielded."""
    wrong = tuple(column for checked in ctx.family(Checked, "check/*").values() for column in checked.wrong)
    style = ctx.need(Style, "style").style
    return completed(NamingReport(style=style, columns=len(columns_of(ctx)), wrong=wrong), f"{len(wrong)} columns are wrong")


def show_report(content: Json, options: ShowOptions) -> Document | None:
    """The report on a terminal, as Markdown and in the console."""
    report = NamingReport.model_validate(content)
    summary = f"{len(report.wrong)} of {report.columns} columns are not in {report.style} style."
    rows = tuple((name(column),) for column in report.wrong)
    table = (Table(columns=(Column(title="column"),), rows=rows),) if rows else ()
    return Document(title="Column names", blocks=(Paragraph(text=summary), *table))


class NamingSaid(Contract):
    """The options of `bullpen feedback` for this kind."""

    useful: bool = Field(default=False, description="A naming report: it was of use.")


def learn(given: Giving, rating: NamingSaid) -> FeedbackGiven:
    """Take the feedback; what is said back is printed."""
    return FeedbackGiven(rating, (f"Noted: the report was {'' if rating.useful else 'not '}of use.",))


register_kind(
    Kind(
        playbook=Playbook(
            "naming",
            NamingRequest,
            (
                StageSpec(name="style", role=RoleName.CLASSIFIER, task="naming.style", needs=(INPUT,)),
                StageSpec(name="report", role=RoleName.REVIEWER, task="naming.report", needs=(INPUT, "style", "check/*")),
            ),
            words="columns",
        ),
        summary="Check whether the columns of a table follow one naming style.",
        example='bullpen submit naming "id, customerName, order_date" --style snake',
        tasks={
            (RoleName.CLASSIFIER, "naming.style"): decide_style,
            (RoleName.ANALYST, "naming.check"): check_batch,
            (RoleName.REVIEWER, "naming.report"): sum_up,
        },
        view=View(result=Ref(f"{__name__}:show_report")),
        feedback=Feedback(
            form=Ref(f"{__name__}:NamingSaid"),
            give=Ref(f"{__name__}:learn"),
            how="Say of a naming report whether it was of use: bullpen feedback {job} --useful",
        ),
    )
)
