"""How a job looks on a terminal: its facts as lines and tables."""

from typing import Any
from uuid import UUID

from contracts.base import Json
from workers.cli.context import console
from workers.cli.display import ago, brief, duration, short_id, shown, styled, told_feedback, told_usage, value_lines
from workers.cli.lines import blank, command, say, say_values, table, wide
from workers.reading.decisions import DecisionFacts
from workers.reading.deliverables import Content
from workers.reading.facts import JobFacts
from workers.reading.jobs import Job
from workers.reading.questions import QuestionFacts
from workers.reading.stages import StageFacts
from workers.reading.steps import StepFacts


def print_content(found: Content) -> None:
    """One version of a deliverable, value by value."""
    marks = [found.origin, *(["pinned"] if found.pinned else []), *(["not current"] if found.current is False else [])]
    say(f"[bold]{shown(found.stage)}[/] version {found.version} ({', '.join(marks)}), {ago(found.created_at)} ago")
    say_values(list(value_lines(found.content)))


def print_job(facts: JobFacts, decisions: tuple[DecisionFacts, ...] | None, *, details: bool) -> None:
    """Everything that `bullpen show` tells."""
    _print_head(facts)
    _print_stages(facts.stages)
    _print_steps(facts.steps)
    if facts.costs is not None:
        console.print()
        say(f"[bold]used[/] {told_usage(facts.costs.total)}")
    print_questions(facts.job, facts.questions)
    if facts.result is not None:
        console.print()
        say(f"[bold]result[/] ({shown(facts.result.stage)} version {facts.result.version})")
        print_result(facts.job.kind, facts.result.content, facts.job.id, details=details)
    if facts.feedback is not None:
        console.print()
        say(f"[bold]feedback[/] {ago(facts.feedback.at)} ago: {shown(told_feedback(facts.feedback.detail))}")
    if decisions is not None:
        _print_decisions(decisions)


def _print_head(facts: JobFacts) -> None:
    job = facts.job
    say(f"[bold]{shown(job.kind)}[/] {job.id}  {styled(job.status)}  {ago(job.created_at)} old, revision {job.rev}")
    about = {
        "owner": job.owner, "priority": job.priority, "engine": job.engine, "session": job.session_id, "forked from": job.forked_from,
        "correlation": job.correlation_id, "answers to": job.reply_to,
    }  # fmt: skip
    say(", ".join(f"{name} {shown(value)}" for name, value in about.items() if value is not None), indent=2, style="dim")
    for label, text in (("error", job.error), ("plan", facts.plan_fault)):
        if text:
            say(f"[red]{label}:[/] {shown(text)}")
    if not job.admitted:
        say("[yellow]It waits: its owner has as many jobs running as they may.[/]")


def print_result(kind: str, content: Any, job_id: UUID, *, details: bool = False) -> None:
    """A job's result: a diagnosis or a tuning report as such, anything else value by value."""
    if kind == "diagnose":
        from workers.cli.diagnosis import print_diagnosis, read_diagnosis  # a kind's own code is loaded for its own jobs

        if (diagnosis := read_diagnosis(content)) is not None:
            print_diagnosis(diagnosis)
            return
    if kind == "tune":
        from workers.cli.tuning import print_report, read_report  # as above

        if (report := read_report(content)) is not None:
            print_report(report, job_id, details=details)
            return
    say_values(list(value_lines(content, indent=1)))


def _print_stages(stages: tuple[StageFacts, ...]) -> None:
    listed = table("stage", "role", "state", "version", wide("needs"), wide("why", share=2))
    for stage in stages:
        state = "drifted" if stage.drifted else "fresh" if stage.fresh else "stale" if stage.versions else "missing"
        version = "-" if stage.version is None else f"{stage.version} of {stage.versions}{', pinned' if stage.pinned else ''}"
        needs = shown(", ".join(stage.needs) or "-")
        listed.add_row(shown(stage.name), stage.role or "-", styled(state), version, needs, brief(stage.why or "", 200))
    blank(listed)


def _print_steps(steps: tuple[StepFacts, ...]) -> None:
    if not steps:
        return
    paid = any(step.usage is not None for step in steps)
    listed = table("step", "stage", "status", "attempt", "took", "engine", *(["tokens", "USD"] if paid else []), wide("outcome"))
    for step in steps:
        listed.add_row(
            short_id(step.id), shown(step.stage), styled(step.status), f"{step.attempt} of {step.max_attempts}",
            duration(step.duration_s), shown(step.engine or "-"), *(_usage_cells(step) if paid else []), brief(_outcome(step), 300),
        )  # fmt: skip
        for note in step.notes:
            listed.add_row(*[""] * (len(listed.columns) - 1), f"[dim]note: {brief(note, 300)}[/]")
    blank(listed)


def _outcome(step: StepFacts) -> str:
    text = step.error.message if step.error and step.status != "succeeded" else step.summary or ""
    if step.status == "succeeded" and step.outcome != "completed":
        return f"{step.outcome}: {text}".rstrip(": ")
    return text


def _usage_cells(step: StepFacts) -> list[str]:
    """Tokens in and out, and the cost."""
    used = step.usage
    if used is None:
        return ["-", "-"]
    return [f"{used.input_tokens}+{used.output_tokens}", f"{used.cost_usd:.4f}" if used.cost_usd else "-"]


def print_questions(job: Job, questions: tuple[QuestionFacts, ...]) -> None:
    """The questions of a job, and how to answer those that are open."""
    several = sum(1 for question in questions if question.is_open) > 1
    for question in questions:
        if question.state == "void":
            continue
        console.print()
        say(f"[bold]question[/] of {shown(question.asker)}, {ago(question.created_at)} ago, request {question.request_id}")
        say(shown(question.form.text), indent=2)
        if question.is_open and (standing := _standing(job, question)):
            say(f"[dim]where it stands: {standing}[/]", indent=2)
        if question.form.guidance:
            say("how to find out: " + shown(question.form.guidance), indent=2)
        if question.form.choices:
            say("choices: " + shown(", ".join(question.form.choices)), indent=2)
        if question.is_open:
            command("answer with:", answer_command(job, question, several=several), indent=2)
        else:
            say(f"[green]answered:[/] {shown(question.answer)}", indent=2)


def _standing(job: Job, question: QuestionFacts) -> str:
    if job.kind != "diagnose":
        return ""
    from workers.cli.diagnosis import question_standing  # a kind's own code is loaded for its own jobs

    return question_standing(question.payload.get("detail"))


def answer_command(job: Job, question: QuestionFacts, *, several: bool) -> str:
    """The command that answers this question; `several`: others of the job are open too."""
    example = question.form.choices[0] if question.form.choices else "..."
    named = f" --request {short_id(question.request_id)}" if several else ""
    return f'bullpen answer {short_id(job.id)} "{example}"{named}'


def _print_decisions(decisions: tuple[DecisionFacts, ...]) -> None:
    listed = table("revision", "rule", "status", wide("moves"), "release")
    for decision in decisions:
        moves = "; ".join(f"{name} {', '.join(_move(item) for item in items)}" for name, items in decision.moves.items())
        listed.add_row(str(decision.rev), shown(decision.rule), styled(decision.status), brief(moves or "-", 300), shown(decision.release))
    blank(listed)


def _move(item: Any) -> str:
    if isinstance(item, dict):
        asked: Json = item  # pyright: ignore[reportUnknownVariableType] JSON has no static type
        return str(asked.get("text", ""))
    if isinstance(item, list):
        return " to ".join(str(part) for part in item)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] as above
    return str(item)
