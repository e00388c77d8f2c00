"""`bullpen jobs` and `bullpen show`."""

from typing import Annotated, Any
from uuid import UUID

import typer
from rich.table import Table

from contracts.base import Json
from contracts.jobs import JobStatus
from contracts.reports import Usage
from workers.cli import job_facts
from workers.cli.context import console, database, job_id, print_json
from workers.cli.diagnosis import print_diagnosis, question_standing, read_diagnosis
from workers.cli.display import ago, brief, duration, short_id, shown, styled, told_feedback, told_usage, value_lines
from workers.cli.tuning import print_report, read_report
from workers.errors import InvalidInput
from workers.kinds.base import ShowOptions
from workers.kinds.registry import find_kind
from workers.saying.catalogues import DEFAULT_LANGUAGE
from workers.saying.terminal import print_document

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def jobs(
    status: Annotated[JobStatus | None, typer.Option(help="Only jobs that stand so.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only jobs of this kind.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only jobs of this owner.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most jobs to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List jobs, the newest first. A job's id is shortened to its end; every command takes that."""
    rows = job_facts.list_jobs(database(), status=status, kind=kind, owner=owner, limit=limit)
    if as_json:
        print_json(rows)
        return
    if not rows:
        narrowed = any(value is not None for value in (status, kind, owner))
        console.print("No job is like that." if narrowed else 'No jobs yet. Submit one: bullpen submit diagnose "..."')
        return
    table = Table("job", "kind", "status", "age", "owner", "about", box=None, padding=(0, 2, 0, 0))
    table.columns[0].no_wrap = table.columns[2].no_wrap = True
    for row in rows:
        about = row["error"] or row["about"]
        table.add_row(
            short_id(row["id"]), shown(row["kind"]), styled(row["status"]), ago(row["created_at"]), brief(row["owner"], 20),
            brief(about, 70),
        )  # fmt: skip
    console.print(table)


def show(
    job: Annotated[str, typer.Argument(help="The job: its id, or 6 characters or more of its beginning or end.")],
    stage: Annotated[str | None, typer.Option(help="Print the deliverable of this stage instead.")] = None,
    version: Annotated[int | None, typer.Option(min=1, help="With --stage: this version. Default: the current one.")] = None,
    decisions: Annotated[bool, typer.Option("--decisions", help="Also list what the boss decided, with the rule that fired.")] = False,
    details: Annotated[bool, typer.Option("--details", help="Of a tuning report all that it holds.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a job: its stages by the rule of freshness, its steps, questions and result."""
    found, db = job_id(job), database()
    if version is not None and stage is None:
        raise InvalidInput("--version goes with --stage: of which stage?")
    if stage is not None:
        current = version is None
        _show_content(job_facts.read_current(db, found, stage) if current else job_facts.read_content(db, found, stage, version), as_json)
        return
    described = job_facts.describe(db, found)
    if decisions:
        described["decisions"] = job_facts.read_decisions(db, found)
    if as_json:
        print_json(described)
        return
    _print_job(described, details=details)


def _show_content(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(row)
        return
    marks = [row["origin"], *(["pinned"] if row["pinned"] else []), *(["not current"] if row.get("current") is False else [])]
    console.print(f"[bold]{shown(row['stage'])}[/] version {row['version']} ({', '.join(marks)}), {ago(row['created_at'])} ago")
    for line in value_lines(row["content"]):
        console.print(shown(line), soft_wrap=True)


def _print_job(job: Json, *, details: bool) -> None:
    age = ago(job["created_at"])
    console.print(f"[bold]{shown(job['kind'])}[/] {job['id']}  {styled(job['status'])}  {age} old, revision {job['rev']}", soft_wrap=True)
    facts = {
        "owner": job["owner"], "priority": job["priority"], "engine": job["engine"], "forked from": job["forked_from"],
        "correlation": job["correlation_id"], "answers to": job["reply_to"],
    }  # fmt: skip
    listed = ", ".join(f"{name} {shown(value)}" for name, value in facts.items() if value is not None)
    console.print("  " + listed, style="dim", soft_wrap=True)
    for label, text in (("error", job["error"]), ("plan", job["plan_fault"])):
        if text:
            console.print(f"[red]{label}:[/] {shown(text)}", soft_wrap=True)
    if not job["admitted"]:
        console.print("[yellow]It waits: its owner has as many jobs running as they may.[/]")
    _print_stages(job["stages"])
    _print_steps(job["steps"])
    if job["usage"] is not None:
        console.print(f"\n[bold]used[/] {told_usage(Usage.model_validate(job['usage']))}", soft_wrap=True)
    print_questions(job["id"], job["questions"])
    if job["result"] is not None:
        console.print(f"\n[bold]result[/] ({shown(job['result']['stage'])} version {job['result']['version']})")
        print_result(job["kind"], job["result"]["content"], job["id"], details=details)
    if job["feedback"] is not None:
        console.print(f"\n[bold]feedback[/] {ago(job['feedback']['at'])} ago: {shown(told_feedback(job['feedback']))}", soft_wrap=True)
    if "decisions" in job:
        _print_decisions(job["decisions"])


def print_result(kind: str, content: Json, job_id: UUID, *, details: bool = False) -> None:
    """A job's result: a diagnosis or a tuning report as such, anything else value by value."""
    if kind == "diagnose" and (diagnosis := read_diagnosis(content)) is not None:
        print_diagnosis(diagnosis)
        return
    if kind == "tune" and (report := read_report(content)) is not None:
        print_report(report, job_id, details=details)
        return
    found = find_kind(kind)
    view = None if found is None or found.view is None else found.view.result.load()
    document = None if view is None else view(content, ShowOptions(job_id, details))
    if document is not None:
        print_document(console, document, DEFAULT_LANGUAGE)
        return
    for line in value_lines(content, indent=1):
        console.print(shown(line), soft_wrap=True)


def _table(*columns: str) -> Table:
    return Table(*columns, box=None, padding=(0, 2, 0, 0), title_justify="left")


def _print_stages(stages: list[Json]) -> None:
    table = _table("stage", "role", "state", "version", "needs", "")
    for stage in stages:
        state = "drifted" if stage["drifted"] else "fresh" if stage["fresh"] else "stale" if stage["versions"] else "missing"
        pinned = ", pinned" if stage["pinned"] else ""
        version = "-" if stage["version"] is None else f"{stage['version']} of {stage['versions']}{pinned}"
        needs = shown(", ".join(stage["needs"]) or "-")
        table.add_row(shown(stage["name"]), stage["role"] or "-", styled(state), version, needs, brief(stage["why"] or "", 60))
    console.print()
    console.print(table)


def _print_steps(steps: list[Json]) -> None:
    if not steps:
        return
    columns = ["step", "stage", "status", "attempt", "took", "engine", "outcome"]
    asked = any(step["usage"] for step in steps)
    table = _table(*columns[:-1], *(["tokens", "USD"] if asked else []), columns[-1])
    for step in steps:
        text = step["error"]["message"] if step["error"] and step["status"] != "succeeded" else step["summary"]
        if step["status"] == "succeeded" and step["outcome"] != "completed":
            text = f"{step['outcome']}: {text}".rstrip(": ")
        table.add_row(
            short_id(step["id"]), shown(step["stage"]), styled(step["status"]), f"{step['attempt']} of {step['max_attempts']}",
            duration(step["duration_s"]), shown(step["engine"] or "-"), *(_usage_cells(step["usage"]) if asked else []),
            brief(text or "", 90),
        )  # fmt: skip
        for note in step["notes"] or ():
            table.add_row(*[""] * (len(table.columns) - 1), f"[dim]note: {brief(note, 90)}[/]")
    console.print()
    console.print(table)


def _usage_cells(usage: Json | None) -> list[str]:
    """Tokens in and out, and the cost, of one step."""
    if not usage:
        return ["-", "-"]
    used = Usage.model_validate(usage)
    return [f"{used.input_tokens}+{used.output_tokens}", f"{used.cost_usd:.4f}" if used.cost_usd else "-"]


def print_questions(found: UUID, questions: list[Json]) -> None:
    """The questions of a job, and how to answer those that are open."""
    several = sum(1 for question in questions if question["state"] == "open") > 1
    for question in questions:
        if question["state"] == "void":
            continue
        asked = f"{shown(question['asker'])}, {ago(question['created_at'])} ago, request {question['request_id']}"
        console.print(f"\n[bold]question[/] of {asked}", soft_wrap=True)
        for line in job_facts.question_text(question).splitlines():
            console.print("  " + shown(line), soft_wrap=True)
        if question["state"] == "open" and (standing := question_standing(question["payload"].get("detail"))):
            console.print(f"  [dim]where it stands: {standing}[/]", soft_wrap=True)
        if question["payload"].get("guidance"):
            console.print("  how to find out: " + shown(question["payload"]["guidance"]), soft_wrap=True)
        choices: list[str] = question["payload"].get("choices") or []
        if choices:
            console.print("  choices: " + shown(", ".join(choices)), soft_wrap=True)
        if question["state"] == "answered":
            console.print(f"  [green]answered:[/] {shown(question['answer'])}", soft_wrap=True)
        else:
            console.print(f"  [yellow]answer with:[/] {shown(job_facts.answer_command(found, question, several))}", soft_wrap=True)


def _print_decisions(decisions: list[Json]) -> None:
    table = _table("revision", "rule", "status", "moves", "release")
    for row in decisions:
        moves = "; ".join(f"{name} {', '.join(_move(item) for item in items)}" for name, items in row["moves"].items())
        table.add_row(str(row["rev"]), shown(row["rule"]), styled(row["status"]), brief(moves or "-", 100), shown(row["release"]))
    console.print()
    console.print(table)


def _move(item: Any) -> str:
    if isinstance(item, dict):
        asked: Json = item  # pyright: ignore[reportUnknownVariableType] JSON has no static type
        return str(asked.get("text", ""))
    if isinstance(item, list):
        return " to ".join(str(part) for part in item)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] as above
    return str(item)
