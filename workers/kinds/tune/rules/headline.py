"""The first sentences of a report: what failed, what the run suffers from, and where; they speak of what the first fix answers."""

from collections.abc import Sequence

from contracts.tune.plan import Fix
from contracts.tune.steps import Classification
from contracts.verdicts import Findings, TuningClass, Verdict
from workers.engines import human
from workers.kinds.tune.rules.advice.telling import shown
from workers.kinds.tune.rules.classify import CLASS_OF, has_failed
from workers.kinds.tune.rules.wording import CLASSES, KINDS, key_value, summary

WORDS = {
    "en": {
        "problem": "{kind}: {summary}",
        "line": " Line {line}: `{text}`.",
        "key": " {table}.{column} = {value} carries {share} of the rows.",
        "failed": "Failed: {summary}",
        "error": " The error: `{error}`.",
        "slow": " Beside that: {summary}",
        "larger": " More of the time is touched by {kind} ({share}), but {why}.",
        "gains_less": "{fix} against it is estimated to bring less",
        "sure_less": "{fix} against it is less certain to bring much",
        "no_fix": "no fix is advised for it",
        "first_is_other": " {fix} answers something else, {kind}: for this nothing is advised.",
        "small": "No problem dominates the run: the largest one touches {share} of its time.",
        "nothing": "What was read shows no problem of the run.",
        "unmeasured": "Nothing measured of the run was read, so nothing can be said of it: add its event log, statistics or a report.",
        "supposed": "{kind} is supposed, by the description and the code alone: nothing measured of the run was read.",
    },
    "zh": {
        "problem": "{kind}：{summary}",
        "line": "第 {line} 行：`{text}`。",
        "key": "{table}.{column} = {value} 占全部行的 {share}。",
        "failed": "运行失败：{summary}",
        "error": "报错：`{error}`。",
        "slow": "此外：{summary}",
        "larger": "涉及时间更多的是{kind}（{share}），但{why}。",
        "gains_less": "针对它的 {fix} 估计收益更小",
        "sure_less": "针对它的 {fix} 收益把握更小",
        "no_fix": "对它没有建议",
        "first_is_other": "{fix} 针对的是另一个问题（{kind}）；对这一个没有建议。",
        "small": "没有主导问题：最大的一个只涉及运行时间的 {share}。",
        "nothing": "读到的内容里没有发现问题。",
        "unmeasured": "没有读到这次运行的任何实测数据，无法判断：请补充事件日志、统计或报告。",
        "supposed": "推测为{kind}：依据只有描述和代码，没有读到这次运行的任何实测数据。",
    },
}


def preliminary(classification: Classification, language: str) -> str:
    """Nothing measured was read: what is supposed, and that it is no more."""
    words, supposed = WORDS[language], classification.tuning_class
    if supposed is TuningClass.NONE:
        return words["unmeasured"]
    return words["supposed"].format(kind=_capital(CLASSES[language][supposed]))


def headline(findings: Findings, fixes: Sequence[Fix], language: str) -> str:
    """What failed, else what the first fix answers: class, place and figure; and what touches more time, if anything does. Where no
    fix answers the class, the heaviest verdict of it."""
    words = WORDS[language]
    carried = _carried(findings)
    if findings.tuning_class is TuningClass.NONE or not carried:
        best = max((score.score for score in findings.scores if score.tuning_class is not TuningClass.NONE), default=0.0)
        return words["small"].format(share=human.share(best)) if best else words["nothing"]
    failed = next((one for one in findings.verdicts if has_failed(one)), None)
    others = [place for place in carried if not has_failed(findings.verdicts[place])]
    if failed is not None:
        text = words["failed"].format(summary=summary(failed, language)) + _error(failed, language)
        if not others:
            return text
        slow = findings.verdicts[_leading(findings, others, [fix for fix in fixes if _of(findings, fix) is not failed])]
        return text + words["slow"].format(summary=summary(slow, language))
    lead = _leading(findings, carried, fixes)
    verdict = findings.verdicts[lead]
    kind = _kind(verdict, findings, language)
    text = words["problem"].format(kind=_capital(kind), summary=summary(verdict, language)) + _place(verdict, language)
    return text + _why_not(findings, carried, lead, fixes, language)


def _carried(findings: Findings) -> list[int]:
    return next((list(score.carried_by) for score in findings.scores if score.tuning_class is findings.tuning_class), list[int]())


def _of(findings: Findings, fix: Fix) -> Verdict | None:
    return next((findings.verdicts[place] for place in fix.verdicts[:1] if place < len(findings.verdicts)), None)


def _leading(findings: Findings, carried: Sequence[int], fixes: Sequence[Fix]) -> int:
    """What the first fix answers, if it is of the class; else the heaviest that speaks for that."""
    verdicts = findings.verdicts
    of_class = (place for fix in fixes[:1] for place in fix.verdicts[:1] if CLASS_OF.get(verdicts[place].kind) is findings.tuning_class)
    first = next(of_class, None)
    return max(carried, key=lambda place: verdicts[place].share) if first is None else first


def _why_not(findings: Findings, carried: Sequence[int], lead: int, fixes: Sequence[Fix], language: str) -> str:
    """Why the sentences before speak of something else than the first fix, or than what touches the most time."""
    words = WORDS[language]
    first = next(iter(fixes), None)
    answered = _of(findings, first) if first else None
    if first is not None and answered is not None and first.verdicts[0] != lead:
        return words["first_is_other"].format(fix=first.fix_id, kind=KINDS[language][answered.kind])
    heaviest = findings.verdicts[max(carried, key=lambda place: findings.verdicts[place].share)]
    if first is None or heaviest.share <= findings.verdicts[lead].share or heaviest.kind is findings.verdicts[lead].kind:
        return ""
    own = next((fix for fix in fixes if _of(findings, fix) is heaviest), None)
    is_estimated = own is not None and own.gain is not None and first.gain is not None
    reason = "no_fix" if own is None else "gains_less" if is_estimated else "sure_less"
    why = words[reason].format(fix=own.fix_id if own else "")
    return words["larger"].format(kind=KINDS[language][heaviest.kind], share=human.share(heaviest.share), why=why)


def _error(failed: Verdict, language: str) -> str:
    """Unless its sentence has it already."""
    error = shown(failed.error)
    return WORDS[language]["error"].format(error=error) if error and error not in summary(failed, language) else ""


def _kind(verdict: Verdict, findings: Findings, language: str) -> str:
    """The class, where that says what it is."""
    is_other = findings.tuning_class is TuningClass.OTHER
    return KINDS[language][verdict.kind] if is_other else CLASSES[language][findings.tuning_class]


def _place(verdict: Verdict, language: str) -> str:
    words, text = WORDS[language], ""
    for spot in verdict.blame.spots[:1]:
        text += words["line"].format(line=spot.line, text=shown(spot.text))
    for key in verdict.blame.keys[:1]:
        text += words["key"].format(
            table=shown(key.column.table), column=shown(key.column.column), value=shown(key_value(key)), share=human.share(key.share)
        )
    return text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
