"""Where a dialogue stands, in words: the reply to "why?", "what do you know so far?" and "which causes are possible?"."""

from collections.abc import Sequence

from contracts.diagnose.deliverables import AnswerReading, Evidence, Finding, Hypothesis, PhenomenonQuestion, UserQuery
from contracts.tickets import TicketEvidence
from workers.engines.language import Lang
from workers.kinds.diagnose.rules.known import Dialogue, latest_findings
from workers.kinds.diagnose.rules.wording import brief, finding_word, joined, quoted, said_of

_NAMED = 3
"""Causes that are named in passing."""
_LISTED = 5
"""Causes that are listed, phenomena for and against each, and tickets of each."""


def reply(
    queries: Sequence[UserQuery],
    question: PhenomenonQuestion,
    hypotheses: Sequence[Hypothesis],
    turns: Dialogue,
    readings: Sequence[AnswerReading],
    evidence: TicketEvidence,
    lang: Lang,
    *,
    concluded: bool = False,
) -> tuple[str, ...]:
    """The lines that answer `queries`, which were asked in the place of, or beside, an answer to `question`. `turns` are
    those that count, each with its reading. `concluded`: the hypotheses are the ones beside the diagnosis."""
    lines: list[str] = []
    for query in queries:
        if query is UserQuery.WHY:
            lines += _why(question, lang)
        elif query is UserQuery.PROGRESS:
            lines += _progress(turns, readings, evidence, () if concluded else hypotheses, lang)
        else:
            lines += _causes(hypotheses, lang, concluded=concluded)
    return tuple(lines)


def _why(question: PhenomenonQuestion, lang: Lang) -> list[str]:
    if not question.items:
        return [
            "之所以请您描述：历史工单中已没有可区分各根因的现象；您自己的描述可以找到其他相近的工单。"
            if lang == "zh"
            else "Why you are asked for a symptom: nothing that the history could have you check tells the causes apart any more; "
            "your own words may lead to other tickets."
        ]
    between = _shares(question.hypotheses[:_NAMED], lang)
    if lang == "zh":
        head = f"为什么问这些：它们的答案最能区分{between}。" if between else "为什么问这些："
        return [head, *(f"- {item.number}. {quoted(item.description, lang)}：{item.why}" for item in question.items)]
    head = f"Why these were asked: their answers tell most about which cause it is ({between})." if between else "Why these were asked:"
    return [head, *(f"- {item.number}. {quoted(item.description, lang)}: {item.why}" for item in question.items)]


def _shares(hypotheses: Sequence[Hypothesis], lang: Lang) -> str:
    return joined([f"{quoted(one.root_cause, lang)} {one.confidence:.0%}" for one in hypotheses], lang)


def _progress(
    turns: Dialogue, readings: Sequence[AnswerReading], evidence: TicketEvidence, hypotheses: Sequence[Hypothesis], lang: Lang
) -> list[str]:
    said = latest_findings(turns, readings).values()
    told = [text for reading in readings for text in reading.observations]
    lines = [f"目前已知（已完成 {len(turns)} 轮问答）：" if lang == "zh" else f"Known so far (questions answered: {len(turns)}):"]
    for finding in Finding:
        named = [quoted(item.description, lang) for item, found in said if found is finding]
        if named:
            lines.append(_line(finding_word(finding, lang), joined(named, lang), lang))
    if told:
        lines.append(
            _line("您还说过" if lang == "zh" else "you also told", joined([_told(text, evidence, lang) for text in told], lang), lang)
        )
    if len(lines) == 1:
        lines.append(
            "- 除问题描述外，尚无确认或否定的现象。" if lang == "zh" else "- nothing beyond your description is confirmed or denied yet"
        )
    if hypotheses:
        lines.append(_line("目前最可能" if lang == "zh" else "most likely now", _shares(hypotheses[:_NAMED], lang), lang))
    return lines


def _line(label: str, text: str, lang: Lang) -> str:
    return f"- {label}：{text}" if lang == "zh" else f"- {label}: {text}"


def _told(text: str, evidence: TicketEvidence, lang: Lang) -> str:
    """What the user told, with the known phenomenon that it comes nearest to."""
    best = max((match for match in evidence.observations if match.text == text), key=lambda match: match.similarity, default=None)
    near = next((card for card in evidence.phenomena if best and card.phenomenon_id == best.phenomenon_id), None)
    if near is None or near.description == text:
        return quoted(text, lang)
    return (
        f"{quoted(text, lang)}（近似{quoted(near.description, lang)}）"
        if lang == "zh"
        else f"{quoted(text, lang)} (like {quoted(near.description, lang)})"
    )


def _causes(hypotheses: Sequence[Hypothesis], lang: Lang, *, concluded: bool) -> list[str]:
    if not hypotheses:
        return ["历史工单中没有相近的根因。" if lang == "zh" else "The history holds no other cause near to this incident."]
    if lang == "zh":
        head = "其他考虑过的根因：" if concluded else "目前考虑的根因："
    else:
        head = "Causes considered beside it:" if concluded else "Causes in question:"
    return [head, *(_cause(one, lang) for one in hypotheses[:_LISTED])]


def _cause(one: Hypothesis, lang: Lang) -> str:
    """One line a cause: its share, the findings for and against it, its tickets."""
    zh = lang == "zh"
    parts = [f"- {quoted(one.root_cause, lang)} {one.confidence:.0%}"]
    speaks_for = [evidence for evidence in one.evidence if evidence.weight > 0]
    speaks_against = [evidence for evidence in one.evidence if evidence.weight < 0]
    if speaks_for:
        parts.append(f"{'支持' if zh else 'for it'} {_findings(speaks_for, lang)}")
    if speaks_against:
        parts.append(f"{'反对' if zh else 'against it'} {_findings(speaks_against, lang)}")
    if one.ticket_ids:
        parts.append(f"{'工单' if zh else 'tickets'} {joined([brief(ticket) for ticket in one.ticket_ids[:_LISTED]], lang)}")
    return ("；" if zh else "; ").join(parts)


def _findings(found: Sequence[Evidence], lang: Lang) -> str:
    return joined([f"{quoted(one.description, lang)} ({said_of(one, lang)})" for one in found[:_LISTED]], lang)
