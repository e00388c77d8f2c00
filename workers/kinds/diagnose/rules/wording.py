"""Every sentence that the engine says, in English and Chinese. Text of users and tickets is only ever put in as data."""

from collections.abc import Sequence
from typing import Literal

from contracts.diagnose.deliverables import AnswerProblem, AnswerProblemKind, Evidence, Finding, Hypothesis, PhenomenonQuestion, Verdict
from contracts.tickets import CauseCard
from workers.engines.language import Lang

Measure = Literal["posterior", "confidence"]
"""What the share of a hypothesis is: a probability, or a score that is none."""

_SHORT = 80
_LISTED = 3


def brief(text: str, most: int = _SHORT) -> str:
    """One line of a text, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def quoted(text: str, lang: Lang) -> str:
    """A text of others on one line, in quotation marks."""
    return f"「{brief(text)}」" if lang == "zh" else f"“{brief(text)}”"


def joined(parts: Sequence[str], lang: Lang) -> str:
    """A list in a sentence."""
    return ("、" if lang == "zh" else ", ").join(parts)


def why_asked(speaks_for: Sequence[tuple[CauseCard, int]], speaks_against: Sequence[CauseCard], reason: str, lang: Lang) -> str:
    """Which causes the answer separates: those whose tickets show the phenomenon (with how many), and rivals."""
    if lang == "zh":
        named = [f"{quoted(cause.description, lang)}（{cause.ticket_count} 张工单中 {k} 张）" for cause, k in speaks_for]
    else:
        named = [f"{quoted(cause.description, lang)} ({k} of {cause.ticket_count} tickets)" for cause, k in speaks_for]
    against = joined([quoted(cause.description, lang) for cause in speaks_against], lang)
    if lang == "zh":
        text = f"若出现，支持{joined(named, lang)}" if named else "可区分各候选根因"
        text += f"；若未出现，更倾向{against}。" if against else "。"
        return text + (f"依据：{brief(reason, 200)}" if reason.strip() else "")
    text = f"If present, it speaks for {joined(named, lang)}" if named else "It separates the candidate causes"
    text += f"; if absent, rather for {against}." if against else "."
    return text + (f" A ticket says: {brief(reason, 200)}" if reason.strip() else "")


def note(problem: AnswerProblem, lang: Lang) -> str:
    """One sentence on a part of an answer that was not taken as it stands."""
    what = brief(problem.text, 40)
    if lang == "zh":
        return {
            AnswerProblemKind.OUT_OF_RANGE: f"上一问中没有第 {what} 项，已忽略。",
            AnswerProblemKind.CONTRADICTION: f"第 {what} 项的回答前后矛盾，按未知处理。",
            AnswerProblemKind.AMBIGUOUS: f"无法判断“{what}”指哪几项，请按编号回答。",
            AnswerProblemKind.ASSUMED: f"已将“{what}”理解为确认这些项。",
        }[problem.kind]
    return {
        AnswerProblemKind.OUT_OF_RANGE: f"There was no item {what}; that part was ignored.",
        AnswerProblemKind.CONTRADICTION: f"Item {what} was answered with both yes and no; it counts as unknown.",
        AnswerProblemKind.AMBIGUOUS: f"“{what}” does not say which items are meant; please answer by number.",
        AnswerProblemKind.ASSUMED: f"“{what}” was read as: these are confirmed.",
    }[problem.kind]


def invitation(lang: Lang) -> str:
    """What is said beside a question when nothing that was asked so far is there."""
    if lang == "zh":
        return "到目前为止核对的现象都不存在。若能补充一个关键症状（报错信息、异常指标、变更等），会最有帮助。"
    return (
        "Nothing that was checked so far is there. A key symptom in your own words "
        "(an error message, an odd metric, a recent change) would help most."
    )


def question_text(question: PhenomenonQuestion, lang: Lang) -> str:
    """The question as a user reads it: notes, items with how to check and why, and how to answer."""
    lines = list(question.notes)
    if not question.items:
        lines.append(
            "历史工单中没有更多可核对的现象。请用自己的话描述一个关键症状（报错信息、异常指标、变更等）。"
            if lang == "zh"
            else "The history offers nothing more to check. Please describe a key symptom in your own words "
            "(an error message, an odd metric, a recent change)."
        )
        return "\n".join(lines)
    lines.append("请核对以下现象：" if lang == "zh" else "Please check:")
    check, why = ("检查方法", "原因") if lang == "zh" else ("How to check", "Why")
    for item in question.items:
        lines.append(f"{item.number}. {item.description}")
        if item.observation_method.strip():
            lines.append(f"   {check}: {item.observation_method.strip()}")
        lines.append(f"   {why}: {item.why}")
    lines.append(
        "请按编号回答，例如“1 确认 2 否定 3 不清楚”，也可补充其他现象。"
        if lang == "zh"
        else "Answer by number, for example “1 yes 2 no 3 don't know”, and add whatever else you see."
    )
    return "\n".join(lines)


def finding_word(finding: Finding, lang: Lang) -> str:
    """What the user said of a phenomenon, in a word."""
    return {
        Finding.CONFIRMED: ("confirmed", "已确认"),
        Finding.DENIED: ("denied", "已否定"),
        Finding.UNKNOWN: ("unknown", "未知"),
    }[finding][lang == "zh"]


def said_of(one: Evidence, lang: Lang) -> str:
    """How a finding came about, in a word or two."""
    if one.source == "unsaid":
        return "未提及" if lang == "zh" else "not mentioned"
    return finding_word(one.finding, lang)


def findings(evidence: Sequence[Evidence], lang: Lang) -> str:
    """The heaviest findings with their tickets."""
    parts: list[str] = []
    for one in evidence[:_LISTED]:
        tickets = f" [{', '.join(one.tickets[:_LISTED])}]" if one.tickets else ""
        parts.append(f"{quoted(one.description, lang)} ({said_of(one, lang)}){tickets}")
    return joined(parts, lang)


def explain(
    verdict: Verdict,
    top: Hypothesis | None,
    *,
    speaks_for: Sequence[Evidence],
    speaks_against: Sequence[Evidence],
    cited: Sequence[str],
    not_checked: Sequence[str],
    total_tickets: int,
    lang: Lang,
    measure: Measure = "posterior",
) -> str:
    """Why the diagnosis is what it is: the cause, the findings for and against it, the tickets, and what is missing."""
    if total_tickets == 0:
        return (
            "历史工单为空，无法诊断。请先导入工单（bullpen tickets import FILE），再提交本问题。"
            if lang == "zh"
            else "There are no tickets in the history, so nothing can be diagnosed. "
            "Import some first (bullpen tickets import FILE), then submit the incident again."
        )
    lines = [_headline(verdict, top, lang, measure)]
    if speaks_for:
        lines.append(f"{'支持' if lang == 'zh' else 'For it'}: {findings(speaks_for, lang)}")
    if speaks_against:
        lines.append(f"{'反对' if lang == 'zh' else 'Against it'}: {findings(speaks_against, lang)}")
    if top and not speaks_for and verdict is not Verdict.UNKNOWN:
        near = f"{top.symptom_similarity:.2f}"
        lines.append(
            f"依据：问题描述与该根因工单的相似度为 {near}。"
            if lang == "zh"
            else f"Grounds: the description resembles a ticket of this cause (similarity {near})."
        )
    if cited:
        lines.append(f"{'参考工单' if lang == 'zh' else 'Tickets'}: {', '.join(cited)}")
    if not_checked and verdict is not Verdict.DIAGNOSED:
        what = joined([quoted(text, lang) for text in not_checked], lang)
        lines.append(f"{'尚未核对' if lang == 'zh' else 'Not checked yet'}: {what}")
    return "\n".join(lines)


def _headline(verdict: Verdict, top: Hypothesis | None, lang: Lang, measure: Measure) -> str:
    """The first sentence of an explanation."""
    if top is None:
        return "历史工单中没有相近的根因。" if lang == "zh" else "The history holds no cause that is near to this incident."
    cause, share = quoted(top.root_cause, lang), f"{top.confidence:.0%}"
    what = {"posterior": "后验概率", "confidence": "置信度"}[measure] if lang == "zh" else measure
    if lang == "zh":
        return {
            Verdict.DIAGNOSED: f"最可能的根因是{cause}，{what} {share}。",
            Verdict.UNCERTAIN: f"证据不足以确诊；目前最佳猜测是{cause}，{what} {share}。",
            Verdict.UNKNOWN: f"历史工单不足以支持诊断：最接近的根因{cause}{what}仅 {share}。",
        }[verdict]
    return {
        Verdict.DIAGNOSED: f"The most likely root cause is {cause}, with a {what} of {share}.",
        Verdict.UNCERTAIN: f"The evidence does not suffice; the best guess is {cause}, with a {what} of {share}.",
        Verdict.UNKNOWN: f"The history does not bear a diagnosis: its nearest cause, {cause}, reaches only {share}.",
    }[verdict]
