"""From a row of a ticket tool's export to the fields of a ticket: summary and description in one, comments read, states understood."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contracts.statements import Statement, name, quote, say
from workers.tickets.blanks import answers_nothing, says_nothing
from workers.tickets.columns import POSTMORTEMS, SOLVED, Columns, Role
from workers.tickets.markup import comments_in, plain_text
from workers.tickets.prose import Observation, Told, take_apart
from workers.tickets.sections import cut_sections
from workers.tickets.states import LONGEST_STATE, Standing, ends_unsolved, ends_well, judge, repeats
from workers.tickets.ticket_rows import COMMENTS, DRAWN, RowRefused

UNKNOWN_STATUS = "refused.row.status_unknown"
"""Code of the reason of a row whose status nobody has said to be one of solved tickets."""
_IDLE = re.compile(
    r"^(?:looking into (?:it|this)|(?:i'?m |am )?on it|investigating.{0,30}|checking.{0,20}|assigned.{0,40}|taking (?:over|"
    r"this).{0,20}|ack(?:nowledged)?|"
    r"any (?:news|updates?).{0,30}|thanks?(?: you)?.{0,40}|thx.{0,20}|\+1|same here.{0,30}|ping|done|closed?|closing.{0,60}|"
    r"resolved|fixed|solved|ok(?:ay)?|works(?: again| now)?|"
    r"(?:confirmed|verified)(?:,| by| with)?.{0,40}|customer (?:confirmed|informed).{0,40}|escalated.{0,60}|see above|(?:moving|"
    r"moved) to .{0,40}|auto-?closed.{0,60}|"
    r"收到|已收到|正在(?:看|查|排查|处理).{0,12}|处理中|跟进中|谢谢.{0,12}|已关闭|已解决|已恢复|关闭|关单|确认恢复|用户(?:已)?确认.{0,10}|同上|催一下.{0,10}|自动关闭.{0,20})[.!。！\s]*$",
    re.IGNORECASE,
)
_MOST_OBSERVATIONS = 16


@dataclass(frozen=True)
class Understood:
    """The fields of a ticket, and its metadata: `drawn` there names the fields that no column had."""

    fields: dict[str, Any]
    metadata: dict[str, Any]


MOST_COMMENTS = 8_000
"""Characters of a ticket's comments that are kept for a model to read (`bullpen tickets read`): the first of them, which say most of what
was seen."""


class NotSolved(RowRefused):
    """The row is no solved incident: it is open, was not solved, repeats another one, or names no cause."""


def understand_row(columns: Columns, cells: Sequence[str], *, cause_later: bool = False) -> Understood:
    """The row as the fields of a ticket. Raises `NotSolved`; with `cause_later` a cause that nobody names is empty."""
    by_role: dict[Role, list[str]] = {}
    metadata: dict[str, Any] = {}
    for header, role, cell in zip(columns.headers, columns.roles, cells, strict=False):
        if wanted := columns.sections_in(header):
            cell, parts = cut_sections(cell, wanted)
            for heading, part in parts:
                by_role.setdefault(wanted[heading], []).extend([part] if part and not says_nothing(part) else [])
        text = cell.strip()
        if not text or role is Role.IGNORE or (role is not None and says_nothing(text)):
            continue
        if role is None:
            _keep(metadata, header, text)
        else:
            by_role.setdefault(role, []).append(text)
    helped = _judge_state(by_role, metadata, columns)
    return _assemble(by_role, metadata, helped, columns, cause_later=cause_later)


_REASONS = frozenset({"work finished", "acceptance tests pass", "copied to backlog", "additional work found", "completed", "cut"})
"""Why a work item of Azure DevOps has its state, by the process templates: no word of what helped."""


def _judge_state(by_role: dict[Role, list[str]], metadata: dict[str, Any], columns: Columns) -> list[str]:
    """The solutions that a column of resolutions holds; what is a state is judged, and kept as metadata."""
    helped: list[str] = []
    resolutions = by_role.get(Role.RESOLUTION, [])
    is_over = any(map(ends_well, resolutions))
    for status in by_role.get(Role.STATUS, ()):
        metadata["status"] = status
        if not columns.is_solved(status):
            _refuse_status(status, columns.tool, is_over=is_over)
    for resolution in resolutions:
        if columns.is_solved(resolution):
            metadata["resolution"] = resolution
        elif repeats(resolution) and len(resolution) <= LONGEST_STATE:
            raise NotSolved(say("refused.row.duplicate"))
        elif ends_unsolved(resolution):
            raise NotSolved(say("refused.row.resolution", resolution=quote(resolution[:LONGEST_STATE])))
        elif ends_well(resolution) or (columns.tool == "Azure DevOps" and resolution.strip().casefold() in _REASONS):
            metadata["resolution"] = resolution
        else:
            helped.append(resolution)
    return helped


def _refuse_status(status: str, tool: str | None, *, is_over: bool) -> None:
    """Raise `NotSolved` unless the status says that the incident is over, or, where it is in nobody's words, the resolution. That of a
    postmortem is one of its text, in any words."""
    judged = judge(status, tool)
    if judged is Standing.OPEN:
        raise NotSolved(say("refused.row.status", status=quote(status[:LONGEST_STATE])))
    if judged is Standing.UNKNOWN and not is_over and tool != POSTMORTEMS:
        option = name(f'--map "{status[:LONGEST_STATE]}={SOLVED}"')
        raise NotSolved(say("refused.row.status_unknown", status=quote(status[:LONGEST_STATE]), option=option))


def _names_no_cause(columns: Columns) -> Statement:
    held = next((header for header, role in zip(columns.headers, columns.roles, strict=True) if role is Role.ROOT_CAUSE), None)
    return say("refused.row.no_cause") if held is None else say("refused.row.cause_empty", column=quote(held))


def _assemble(
    by_role: dict[Role, list[str]], metadata: dict[str, Any], helped: list[str], columns: Columns, *, cause_later: bool
) -> Understood:
    drawn: list[str] = []
    if systems := by_role.get(Role.SYSTEM):
        metadata["system"] = ", ".join(dict.fromkeys(systems))
    summary = plain_text(" ".join(_without_repeats(by_role.get(Role.SUMMARY, ()))))
    given = take_apart(plain_text("\n".join(by_role.get(Role.DESCRIPTION, ()))))
    comments = [comment for cell in by_role.get(Role.COMMENTS, ()) for comment in comments_in(cell) if comment.text]
    work = [comment for comment in comments if not _IDLE.match(comment.text)]
    notes = [plain_text(text) for text in (*by_role.get(Role.SOLUTION, ()), *helped)]
    notes = [note for note in notes if not any(is_none(note) for is_none in (answers_nothing, ends_well, ends_unsolved, _IDLE.match))]
    notes_read = [take_apart(note, by_people_at_work=True) for note in notes]
    causes = map(plain_text, by_role.get(Role.ROOT_CAUSE, ()))
    cause = "; ".join(cause for cause in causes if not answers_nothing(cause))
    read = [take_apart(comment.text, by_people_at_work=True) for comment in work]
    if not cause:
        cause = _cause_from(given, notes_read, read)
        drawn.append("root_cause")
    if not cause and not cause_later:
        raise NotSolved(_names_no_cause(columns))
    solution = "\n".join(_without_cause(note, each) for note, each in zip(notes, notes_read, strict=True))
    if not solution:
        solution = _solution(given, read)
        drawn += ["solution"] if solution else []
    fields: dict[str, Any] = {
        "ticket_id": " ".join(by_role.get(Role.TICKET_ID, ())),
        "description": _described(summary, given.symptoms),
        "root_cause": cause,
        "solution": solution,
    }
    if listed := by_role.get(Role.ANOMALIES):
        fields["anomalies"] = plain_text("\n".join(listed))
    else:
        found = _observations(summary, given, {cause, solution})
        fields["anomalies"] = [{"description": each.description, "observation_method": each.method} for each in found]
        drawn += ["observations"] if found else []
    if code := by_role.get(Role.CAUSE_ID):
        metadata["cause_id"] = code[0]
    if written := [comment.text for comment in work] + ([] if cause else notes):  # notes may name a cause that only a model reads
        metadata[COMMENTS] = "\n\n".join(written)[:MOST_COMMENTS]
    if drawn:
        metadata[DRAWN] = drawn
    return Understood(fields, metadata)


def _without_repeats(titles: Sequence[str]) -> list[str]:
    """The titles without one that another holds: `[OPS-7] Disk full` and `Disk full`."""
    return [title for title in dict.fromkeys(titles) if not any(title in other and title != other for other in titles)]


def _without_cause(text: str, read: Told) -> str:
    """A note or comment without the sentence that names the cause; the whole of it where it says nothing else."""
    return (read.fix or read.symptoms or text) if read.cause else text


def _cause_from(given: Told, notes: list[Told], read: list[Told]) -> str:
    """The cause that the text names: in a comment (the latest first), the notes, or the description."""
    named = [each.cause for each in reversed(read)] + [note.cause for note in notes] + [given.cause]
    return next((cause for cause in named if cause and not answers_nothing(cause)), "")


def _solution(given: Told, read: list[Told]) -> str:
    """What helped, where a comment or the description names it as the fix. Another comment is no solution: only a model can tell what
    somebody did from what somebody saw or tried."""
    return next((fix for fix in (*[each.fix for each in reversed(read)], given.fix) if fix and not answers_nothing(fix)), "")


def _observations(summary: str, given: Told, answers: set[str]) -> list[Observation]:
    """Those of the description, else of the summary. What the cause or the solution says is not one of them, and what somebody says in a
    comment is none: it may be what they did."""
    stated = [_folded(answer) for answer in answers if answer]
    head = list(take_apart(summary).observations) if not given.observations else []
    found: dict[str, Observation] = {}
    for observation in (*head, *given.observations):
        folded = _folded(observation.description)
        if folded and not any(folded in answer or (12 < len(answer) > len(folded) / 2 and answer in folded) for answer in stated):
            found.setdefault(folded, observation)
    return list(found.values())[:_MOST_OBSERVATIONS]


def _described(summary: str, symptoms: str) -> str:
    if not symptoms or _folded(summary) == _folded(symptoms):
        return symptoms or summary
    return f"{summary}\n{symptoms}" if summary and _folded(summary) not in _folded(symptoms) else symptoms


def _keep(metadata: dict[str, Any], header: str, text: str) -> None:
    if header in metadata:
        metadata[header] = f"{metadata[header]}, {text}"
    else:
        metadata[header] = text


def _folded(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()
