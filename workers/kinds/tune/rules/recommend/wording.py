"""What the recommender says, in English and Chinese."""

from collections.abc import Sequence

from contracts.bundles import Information
from contracts.tune.steps import Hypothesis
from contracts.verdicts import TuningClass
from workers.engines.language import Lang
from workers.kinds.tune.rules.causes_wording import information, listed, title
from workers.kinds.tune.rules.recommend.news import Question

SENTENCES: dict[Lang, dict[str, str]] = {
    "en": {
        "tells": "It would tell {information}.",
        "decides": " That decides the class.",
        "bears": " That bears on the class.",
        "settles": " That settles {hypotheses}.",
        "helps": " That bears on {hypotheses}.",
        "more": "{shown} and {count} more",
        "hypothesis": "{hypothesis_id} ({title})",
        "joins": "The code joins in {places}.",
        "uneven": "Data lies unevenly on the tasks: {verdict}",
        "even": "No stage's data lies unevenly enough on its tasks to matter.",
        "shuffles": "The code shuffles in {places}.",
        "shuffled": "Too much is shuffled: {verdict}",
        "stages": "How the stages ran is known from {names}.",
        "place": "{name} line {line} (`{text}`)",
    },
    "zh": {
        "tells": "可得知{information}。",
        "decides": "据此可确定问题类别。",
        "bears": "对判断问题类别有帮助。",
        "settles": "可验证 {hypotheses}。",
        "helps": "对验证 {hypotheses}有帮助。",
        "more": "{shown}等 {all} 项",
        "hypothesis": "{hypothesis_id}（{title}）",
        "joins": "代码中的 Join：{places}。",
        "uneven": "数据在任务上分布不均：{verdict}",
        "even": "各阶段的数据在任务上分布均匀，不足以造成影响。",
        "shuffles": "代码中的 Shuffle 操作：{places}。",
        "shuffled": "Shuffle 过多：{verdict}",
        "stages": "已从 {names} 得知各阶段的运行情况。",
        "place": "{name} 第 {line} 行（`{text}`）",
    },
}

ASPECTS: dict[Lang, dict[TuningClass, tuple[str, ...]]] = {
    "en": {
        TuningClass.DATA_SKEW: ("script understood", "problem located", "cause explained", "ready for a plan"),
        TuningClass.EXCESS_SHUFFLE: ("script understood", "shuffles found", "performance explained", "ready for a plan"),
        TuningClass.OTHER: ("basic analysis",),
        TuningClass.NONE: ("basic analysis",),
    },
    "zh": {
        TuningClass.DATA_SKEW: ("脚本理解", "问题定位", "原因分析", "解决方案准备"),
        TuningClass.EXCESS_SHUFFLE: ("脚本理解", "Shuffle 识别", "性能分析", "优化方案准备"),
        TuningClass.OTHER: ("基本分析",),
        TuningClass.NONE: ("基本分析",),
    },
}
"""The aspects of the work, by class."""

NAMED = 4
"""Items of a list in a sentence."""

TOLERANCE = 1e-6
"""Of parts that sum to one."""

DECIDES = 0.5
"""The part of a question from which on an answer is one."""


def reason_of(tells: Sequence[Information], answers: Sequence[Question], language: Lang) -> str:
    """Why an artefact is worth reading: what it would tell, heaviest first, and what that settles or, where it settles nothing, bears
    on."""
    sentences = SENTENCES[language]
    text = sentences["tells"].format(information=_some([information(one, language) for one in tells], language))
    for one in answers:
        if one.hypothesis is None:
            text += sentences["decides" if _answered(one, tells) >= DECIDES else "bears"]
    asked = [one for one in answers if one.hypothesis is not None]
    settled = [one for one in asked if _answered(one, tells) > 1 - TOLERANCE]
    named = [_named(one.hypothesis, language) for one in settled or asked if one.hypothesis is not None]
    return text + (sentences["settles" if settled else "helps"].format(hypotheses=_some(named, language)) if named else "")


def _answered(question: Question, tells: Sequence[Information]) -> float:
    return sum(part for need, part in question.answered_by.items() if need in tells)


def _named(hypothesis: Hypothesis, language: Lang) -> str:
    return SENTENCES[language]["hypothesis"].format(hypothesis_id=hypothesis.hypothesis_id, title=title(hypothesis.kind, language))


def _some(parts: Sequence[str], language: Lang) -> str:
    """The first of a list, and how many more there are."""
    shown = listed(list(parts[:NAMED]), language)
    return shown if len(parts) <= NAMED else SENTENCES[language]["more"].format(shown=shown, count=len(parts) - NAMED, all=len(parts))
