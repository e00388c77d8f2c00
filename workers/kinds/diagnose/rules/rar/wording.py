"""The sentences that RAR and the hybrid say, in English and Chinese. Text of models, users and tickets is only data."""

from collections.abc import Sequence

from contracts.diagnose.deliverables import Evidence, Verdict
from workers.engines.language import Lang
from workers.kinds.diagnose.rules.wording import brief, findings, joined, quoted

_LISTED = 3
_REASONING = 600
"""Characters of a reasoning that an explanation shows."""


def listed(texts: Sequence[str], lang: Lang) -> str:
    """The first of these texts, quoted."""
    return joined([quoted(text, lang) for text in texts[:_LISTED]], lang)


def why_proposed(related: Sequence[str], lang: Lang) -> str:
    """Why something is asked that no ticket has."""
    if related:
        causes = listed(related, lang)
        return f"可能与{causes}有关；历史工单中没有这一现象。" if lang == "zh" else f"It may bear on {causes}; no ticket has it."
    return "由推理提出；历史工单中没有这一现象。" if lang == "zh" else "Proposed by the reasoner; no ticket has it."


def voted(own: int, total: int, share: float, lang: Lang) -> str:
    """The grounds of the vote."""
    if lang == "zh":
        return f"最相近的 {total} 张工单中有 {own} 张属于该根因，加权得票 {share:.0%}。"
    return f"{own} of the {total} nearest tickets have this cause; by likeness and findings they hold {share:.0%} of the vote."


def headline(verdict: Verdict, cause: str | None, confidence: float, lang: Lang, *, forced: bool) -> str:
    """The first sentence of an explanation."""
    if cause is None:
        return "历史工单中没有相近的根因。" if lang == "zh" else "The history holds no cause that is near to this incident."
    named, share = quoted(cause, lang), f"{confidence:.0%}"
    if lang == "zh":
        text = {
            Verdict.DIAGNOSED: f"根据相近工单，根因是{named}，置信度 {share}。",
            Verdict.UNCERTAIN: f"证据不足以确诊；目前最佳猜测是{named}，置信度 {share}。",
            Verdict.UNKNOWN: f"相近工单不足以支持诊断：最接近的根因{named}置信度仅 {share}。",
        }[verdict]
        return text + ("（强制结论：未达到确诊标准。）" if forced else "")
    text = {
        Verdict.DIAGNOSED: f"Going by the nearest tickets the root cause is {named}, with a confidence of {share}.",
        Verdict.UNCERTAIN: f"The evidence does not suffice; the best guess is {named}, with a confidence of {share}.",
        Verdict.UNKNOWN: f"The nearest tickets do not bear a diagnosis: their first cause, {named}, reaches only {share}.",
    }[verdict]
    return text + (" (A forced conclusion: the bar was not reached.)" if forced else "")


def explain(
    head: str,
    *,
    reasoning: str,
    speaks_for: Sequence[Evidence],
    speaks_against: Sequence[Evidence],
    beyond: Sequence[str],
    cited: Sequence[str],
    dropped: int,
    not_checked: Sequence[str],
    lang: Lang,
) -> str:
    """Why the diagnosis is what it is, line by line. `beyond`: what was confirmed though no ticket has it."""
    zh = lang == "zh"
    lines = [head]
    if reasoning.strip():
        lines.append(f"{'推理' if zh else 'Reasoning'}: {brief(reasoning, _REASONING)}")
    if speaks_for:
        lines.append(f"{'支持' if zh else 'For it'}: {findings(speaks_for, lang)}")
    if speaks_against:
        lines.append(f"{'反对' if zh else 'Against it'}: {findings(speaks_against, lang)}")
    if beyond:
        lines.append(f"{'另已确认（工单中没有）' if zh else 'Also confirmed, though no ticket has it'}: {listed(beyond, lang)}")
    if cited:
        lines.append(f"{'参考工单' if zh else 'Tickets'}: {', '.join(cited)}")
    if dropped:
        lines.append(f"已忽略 {dropped} 个不存在的工单引用。" if zh else f"Citations of tickets that were not shown, left out: {dropped}.")
    if not_checked:
        lines.append(f"{'尚未核对' if zh else 'Not checked yet'}: {listed(not_checked, lang)}")
    return "\n".join(lines)


def no_citation(cause: str, lang: Lang) -> str:
    """A diagnosis that cites no ticket that was shown."""
    named = quoted(cause, lang)
    if lang == "zh":
        return f"结论{named}没有引用任何已检索到的工单，因此不予采信。"
    return f"{named} was concluded without citing any ticket that was shown, so it is not believed."


def other_cause(cause: str, lang: Lang) -> str:
    """A diagnosis whose tickets have another cause."""
    named = quoted(cause, lang)
    if lang == "zh":
        return f"所引用的工单并不属于根因{named}，因此不予采信。"
    return f"The tickets cited for {named} have another cause, so it is not believed."


def no_such_cause(cause: str, instead: str | None, lang: Lang) -> str:
    """A cause that no ticket has; `instead`: the one cause of the tickets cited for it."""
    named = quoted(cause, lang)
    if lang == "zh":
        return f"没有工单记录根因{named}" + (f"；所引用的工单记录的是{quoted(instead, lang)}。" if instead else "，因此不予采信。")
    if instead:
        return f"No ticket has the cause {named}; the tickets cited for it have {quoted(instead, lang)}."
    return f"No ticket has the cause {named}, so it is not believed."


def not_linked(cause: str, lang: Lang) -> str:
    """A cause of RAR's to which nothing that the user said is linked."""
    named = quoted(cause, lang)
    if lang == "zh":
        return f"检索推理给出根因{named}，但用户所述与该根因没有已知关联，工单也不够相近，因此不予采信。"
    return (
        f"RAR named {named}, but nothing the user confirmed or told is linked to it and no cited ticket is near enough, "
        "so it is not believed."
    )


def more_denied(cause: str, denied: int, confirmed: int, lang: Lang) -> str:
    """A cause of RAR's against which more was denied than confirmed."""
    named = quoted(cause, lang)
    if lang == "zh":
        return f"检索推理给出根因{named}，但其现象被否定 {denied} 项、仅确认 {confirmed} 项，因此不予采信。"
    return f"RAR named {named}, but of its phenomena {denied} were denied and only {confirmed} confirmed, so it is not believed."
