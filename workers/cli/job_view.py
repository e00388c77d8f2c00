"""How a job looks on a terminal: its facts as lines and tables, in the reader's language."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from contracts.base import Json
from contracts.jobs import FINISHED
from contracts.reports import Usage
from contracts.statements import Join, Sayable, Term, Value, count, listing, name, names, passage, say, term, usd
from workers.cli.context import console
from workers.cli.display import brief, duration, short_id, shortened, shown, value_lines
from workers.cli.lines import blank, command, print_line, say_values, table, wide
from workers.cli.reach.jobs import summaries_of
from workers.cli.voice import Voice, age
from workers.console.stage_labels import stage_label, task_in
from workers.coordinator.choices import choice_words
from workers.kinds.about import marked, marks_of
from workers.kinds.shown import content_of, is_by_person, question_standing, result_document
from workers.reading.answering import answer_command
from workers.reading.decisions import DecisionFacts
from workers.reading.deliverables import Content
from workers.reading.facts import Feedback, JobFacts
from workers.reading.jobs import Job
from workers.reading.questions import QuestionFacts
from workers.reading.stages import StageFacts
from workers.reading.steps import StepFacts
from workers.reading.words import OUTCOMES
from workers.saying.terminal import print_document

OUTCOME_CHARACTERS = 160
"""Of a step's outcome in the table; `--json` has all of it. On a terminal of 80 columns these are seven lines."""
NOTE_CHARACTERS = 1_200
"""Of a note, which is a line of its own below the table: the longest note of a model's failure, so that its reason is never cut off."""


def print_content(found: Content, voice: Voice) -> None:
    """One version of a deliverable, value by value."""
    marks: list[Value] = [name(found.origin)]
    if found.pinned:
        marks.append(term("fleet.show.pinned"))
    if found.current is False:
        marks.append(term("fleet.show.not_current"))
    about = listing(*marks, join=Join.PLAIN)
    version = say("fleet.show.version", version=count(found.version), marks=about, age=age(found.created_at))
    print_line(f"[bold]{shown(found.stage)}[/] {voice(version)}")
    if found.parameters:
        print_line(voice(say("fleet.show.parameters", names=names(found.parameters))))
    say_values(list(value_lines(voice.json(found.content))))


def print_job(facts: JobFacts, decisions: tuple[DecisionFacts, ...] | None, voice: Voice, *, details: bool, steps: bool) -> None:
    """Everything that `bullpen show` tells: what is asked or answered, then how that came about. `steps`: the latter as tables."""
    facts = _in_language(facts, voice)
    _print_head(facts, voice, whole=steps)
    print_questions(facts.job, tuple(question for question in facts.questions if question.is_open), voice)
    if facts.result is not None:
        console.print()
        print_result(facts, voice, details=details)
    if facts.feedback is not None:
        console.print()
        _print_feedback(facts.feedback, voice)
    if steps:
        _print_stages(facts.stages, voice)
        _print_steps(facts.steps, voice)
        print_questions(facts.job, tuple(question for question in facts.questions if not question.is_open), voice)
    else:
        _print_course(facts, voice)
    if facts.costs is not None:
        console.print()
        print_line(f"[bold]{voice(term('fleet.show.used'))}[/] {voice(_used(facts.costs.total))}")
    if decisions is not None:
        _print_decisions(decisions, voice)


def _in_language(facts: JobFacts, voice: Voice) -> JobFacts:
    """The same with what its steps did in the reader's language, where the job has another."""
    if voice.language == facts.job.language:
        return facts
    summaries = {step: voice.plain(text) for step, text in summaries_of(facts.job).items()}
    return replace(facts, steps=tuple(replace(step, summary=summaries.get(step.id, step.summary)) for step in facts.steps))


def _label(facts: JobFacts, stage: str, voice: Voice) -> str:
    """What a stage is called in plain words."""
    task = next((step.task for step in facts.steps if step.stage == stage), None)
    return stage_label(stage, task or task_in(facts.job.kind, stage), voice.language)


_COURSE_STEPS = 8
"""Steps, the last ones, that are shown as lines; all of them are in the tables of `--steps`."""


def _print_course(facts: JobFacts, voice: Voice) -> None:
    """How a result came about, in a few lines."""
    if facts.steps:
        console.print()
        left = len(facts.steps) - _COURSE_STEPS
        earlier = f"[dim]{voice(say('fleet.show.earlier', n=count(left)))}[/]" if left > 0 else ""
        print_line(f"[bold]{voice(term('fleet.show.course'))}[/] {earlier}".rstrip())
        listed = table("", "", wide(""))
        listed.show_header = False
        for step in facts.steps[-_COURSE_STEPS:]:
            did = _outcome(step, voice)
            state = "" if step.status == "succeeded" else f"{voice.state(step.status)} "
            listed.add_row(
                f"  {shown(_label(facts, step.stage, voice))}",
                duration(step.duration_s),
                f"{state}{brief(did, OUTCOME_CHARACTERS)}".rstrip(),
            )
        console.print(listed)
    _print_notes(facts.steps, voice)
    for question in facts.questions:
        if not question.is_open and question.state != "void":
            answered = f"{voice.head(term('fleet.show.answered'))}{brief(question.answer, OUTCOME_CHARACTERS)}"
            print_line(f"{shown(_label(facts, question.asker, voice))}  [green]{answered}[/]", indent=2)
    missing = [_label(facts, stage.name, voice) for stage in facts.stages if stage.version is None]
    if missing and facts.job.status not in FINISHED:
        print_line(voice(say("fleet.show.to_do", stages=names(missing))), indent=2, style="dim")
    console.print()
    command(voice.head(term("fleet.show.more")), f"bullpen show {short_id(facts.job.id)} --steps")


def _print_head(facts: JobFacts, voice: Voice, *, whole: bool) -> None:
    job = facts.job
    old = age(job.created_at)
    since = voice(say("fleet.show.age", age=old, rev=count(job.rev, exact=True)) if whole else say("fleet.show.ago", age=old))
    print_line(f"[bold]{shown(job.kind)}[/] {job.id}  {voice.state(job.status)}  {since}")
    if whole:
        _print_about(job, voice)
    for label, text in ((term("fleet.show.error"), job.error), (term("fleet.show.plan"), facts.plan_fault)):
        if text:
            print_line(f"[red]{voice.head(label)}[/]{voice(text)}")
    if not job.admitted:
        print_line(f"[yellow]{voice(say('fleet.show.owner_at_cap'))}[/]")


def _print_about(job: Job, voice: Voice) -> None:
    about = (
        (term("fleet.show.owner"), job.owner),
        (term("fleet.show.priority"), job.priority),
        (term("fleet.show.engine"), job.engine),
        (term("fleet.show.session"), job.session_id),
        (term("fleet.show.forked_from"), job.forked_from),
        (term("fleet.show.correlation"), job.correlation_id),
        (term("fleet.show.answers_to"), job.reply_to),
    )
    parts = (say("fleet.show.about", label=label, value=name(value)) for label, value in about if value is not None)
    print_line(voice(listing(*parts, join=Join.PLAIN)), indent=2, style="dim")


def print_result(facts: JobFacts, voice: Voice, *, details: bool = False) -> None:
    """A job's result as its kind shows it, or value by value, after what a person wrote of it. The job has one."""
    content = content_of(facts)
    report = result_document(facts.job.kind, content, facts.job.id, details=details, by_person=is_by_person(facts))
    if report is None:
        for mark in marks_of(facts):
            print_line(voice(mark), style="yellow")
        say_values(list(value_lines(voice.json(content), indent=1)))
    else:
        print_document(console, marked(report, facts), voice.language)


def _print_stages(stages: tuple[StageFacts, ...], voice: Voice) -> None:
    titles = (term("fleet.show.stage"), term("fleet.show.role"), term("fleet.show.state"), term("fleet.show.of_version"))
    listed = table(*_titles(titles, voice), wide(voice(term("fleet.show.needs"))), wide(voice(term("fleet.show.why")), share=2))
    for stage in stages:
        state = "drifted" if stage.drifted else "fresh" if stage.fresh else "stale" if stage.versions else "missing"
        needs = shown(", ".join(stage.needs) or "-")
        why = "" if stage.why is None else voice.plain(stage.why)
        listed.add_row(shown(stage.name), stage.role or "-", voice.state(state), _version(stage, voice), needs, brief(why, 200))
    blank(listed)


def _version(stage: StageFacts, voice: Voice) -> str:
    if stage.version is None:
        return "-"
    version = say("fleet.show.version_of", version=count(stage.version), versions=count(stage.versions))
    return voice(listing(version, term("fleet.show.pinned"), join=Join.PLAIN)) if stage.pinned else voice(version)


def _titles(titles: tuple[Term, ...], voice: Voice) -> Iterator[str]:
    return (voice(title) for title in titles)


def _print_steps(steps: tuple[StepFacts, ...], voice: Voice) -> None:
    if not steps:
        return
    paid = any(step.usage is not None for step in steps)
    titles = (
        term("fleet.show.step"), term("fleet.show.stage"), term("fleet.show.status"), term("fleet.show.attempt"),
        term("fleet.show.took"), term("fleet.show.engine"), *((term("fleet.show.tokens"), term("fleet.show.usd")) if paid else ()),
    )  # fmt: skip
    listed = table(*_titles(titles, voice), wide(voice(term("fleet.show.outcome"))))
    for step in steps:
        attempt = voice(say("fleet.show.attempt_of", attempt=count(step.attempt), most=count(step.max_attempts)))
        listed.add_row(
            short_id(step.id), shown(step.stage), voice.state(step.status), attempt,
            duration(step.duration_s), shown(step.engine or "-"), *(_usage_cells(step) if paid else []),
            brief(_outcome(step, voice), OUTCOME_CHARACTERS),
        )  # fmt: skip
    blank(listed)
    _print_notes(steps, voice)


def _print_notes(steps: tuple[StepFacts, ...], voice: Voice) -> None:
    """What steps note, once where a stage that was done again notes the same."""
    for stage, note in dict.fromkeys((step.stage, note) for step in steps for note in step.notes):
        of = say("fleet.show.about", label=term("fleet.show.note"), value=name(stage))
        print_line(f"[dim]{voice.head(of)}{shown(shortened(note, NOTE_CHARACTERS))}[/]")


def _outcome(step: StepFacts, voice: Voice) -> str:
    text = voice.plain(step.error.message) if step.error and step.status != "succeeded" else step.summary or ""
    if step.status == "succeeded" and step.outcome != "completed":
        outcome = OUTCOMES.get(step.outcome or "", name(step.outcome))
        return voice.plain(say("saying.labelled", label=outcome, value=passage(text)) if text else outcome)
    return text


def _usage_cells(step: StepFacts) -> list[str]:
    """Tokens in and out, and the cost."""
    used = step.usage
    if used is None:
        return ["-", "-"]
    return [f"{used.input_tokens}+{used.output_tokens}", f"{used.cost_usd:.4f}" if used.cost_usd or used.priced_calls else "-"]


def _used(used: Usage) -> Sayable:
    """What was used of models."""
    calls = say("fleet.show.model_calls", calls=count(used.model_calls, exact=True))
    tokens_in, tokens_out = count(used.input_tokens, exact=True), count(used.output_tokens, exact=True)
    unpriced = used.model_calls - used.priced_calls
    if used.priced_calls and unpriced > 0:
        cost, rest = usd(used.cost_usd), say("fleet.show.model_calls", calls=count(unpriced, exact=True))
        return say("fleet.show.usage_partly_priced", calls=calls, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost, unpriced=rest)
    if used.cost_usd or used.priced_calls:
        return say("fleet.show.usage", calls=calls, tokens_in=tokens_in, tokens_out=tokens_out, cost=usd(used.cost_usd))
    return say("fleet.show.usage_without_price", calls=calls, tokens_in=tokens_in, tokens_out=tokens_out)


_LONG_CHOICE = 30
"""Characters; choices that are longer have a line each."""


def print_questions(job: Job, questions: tuple[QuestionFacts, ...], voice: Voice) -> None:
    """The questions of a job, and how to answer those that are open."""
    several = sum(1 for question in questions if question.is_open) > 1
    for question in questions:
        if question.state == "void":
            continue
        console.print()
        of = say(
            "fleet.show.question_of",
            asker=passage(_asker(job, question, voice)),
            age=age(question.created_at),
            request=name(question.request_id),
        )
        print_line(f"[bold]{voice(term('fleet.show.question'))}[/] {voice(of)}")
        print_line(voice(question.form.text), indent=2)
        if question.is_open and (standing := question_standing(job.kind, question.payload.get("detail"))) is not None:
            print_line(f"[dim]{voice(standing)}[/]", indent=2)
        if question.form.guidance:
            first, *text = voice(question.form.guidance).split("\n")
            print_line(f"{voice.head(term('fleet.show.how_to_find_out'))}{first}", indent=2)
            for line in text:  # a file to edit: what is copied from the screen must be what it is
                print_line(line, indent=2, whole=True)
        if question.form.choices:
            choices = [_choice(choice, voice) for choice in question.form.choices]
            if any(len(choice) > _LONG_CHOICE for choice in choices):
                print_line(voice.head(term("fleet.show.choices")).rstrip(), indent=2)
                for choice in choices:
                    print_line(shown(choice), indent=4)
            else:
                print_line(f"{voice.head(term('fleet.show.choices'))}{voice(listing(*map(passage, choices), join=Join.PLAIN))}", indent=2)
        if question.is_open:
            answer_with = answer_command(job.id, question, voice.language, several=several)
            command(voice.head(term("fleet.show.answer_with")), answer_with, indent=2)
        else:
            print_line(f"[green]{voice.head(term('fleet.show.answered'))}[/]{shown(question.answer)}", indent=2)


def _asker(job: Job, question: QuestionFacts, voice: Voice) -> str:
    return stage_label(question.asker, task_in(job.kind, question.asker), voice.language)


def _choice(choice: Sayable, voice: Voice) -> str:
    """A choice with its word in the reader's language, where that is another."""
    word = choice_words().get(choice) if isinstance(choice, str) else None
    own = None if word is None else voice.plain(word)
    return voice.plain(choice) if own in (None, choice) else f"{own} ({voice.plain(choice)})"


_VERDICTS = {
    "right": term("fleet.show.right"),
    "wrong": term("fleet.show.wrong"),
    "good": term("fleet.show.good"),
    "bad": term("fleet.show.bad"),
}


def _print_feedback(feedback: Feedback, voice: Voice) -> None:
    since = say("fleet.show.ago", age=age(feedback.at))
    label = f"[bold]{voice(term('fleet.show.feedback'))}[/]"
    judged = judged_in(feedback.detail)
    print_line(f"{label} {voice(since)}" if judged is None else f"{label} {voice.head(since)}{voice(judged)}")


def judged_in(detail: Json) -> Value | None:
    """What somebody judged, in words; None for the feedback of a kind that has other names for it."""
    adopted, ignored = (names(map(str, detail.get(word) or ())) for word in ("adopted", "ignored"))
    if (given := detail.get("verdict")) is not None:
        verdict = _VERDICTS.get(given, name(given))
        if "cause" in detail:
            verdict = say("fleet.show.judged", verdict=verdict, cause=name(detail["cause"]), ticket=name(detail.get("ticket_id", "-")))
        return verdict
    took, left = say("fleet.show.adopted", fixes=adopted), say("fleet.show.ignored", fixes=ignored)
    if adopted.items and ignored.items:
        return say("fleet.show.took_and_left", adopted=took, ignored=left)
    return took if adopted.items else left if ignored.items else None


def _print_decisions(decisions: tuple[DecisionFacts, ...], voice: Voice) -> None:
    titles = (term("fleet.show.revision"), term("fleet.show.rule"), term("fleet.show.status"))
    listed = table(*_titles(titles, voice), wide(voice(term("fleet.show.moves"))), voice(term("fleet.show.release")))
    for decision in decisions:
        made = voice.json(decision.moves)
        moves = "; ".join(f"{move} {', '.join(_move(item) for item in items)}" for move, items in made.items())
        facts = (str(decision.rev), shown(decision.rule), voice.state(decision.status))
        listed.add_row(*facts, brief(moves or "-", 300), shown(decision.release))
    blank(listed)


def _move(item: Any) -> str:
    if isinstance(item, dict):
        asked: Json = item  # pyright: ignore[reportUnknownVariableType] JSON has no static type
        return str(asked.get("text", ""))
    if isinstance(item, list):
        return " to ".join(str(part) for part in item)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] as above
    return str(item)
