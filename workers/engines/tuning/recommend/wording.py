"""What the recommender says, in English and Chinese."""

from collections.abc import Sequence

from contracts.tuning_bundle import Information
from contracts.tuning_verdicts import TuningClass
from workers.engines.tuning.causes_wording import information, listed, title
from workers.engines.tuning.language import Lang
from workers.engines.tuning.recommend.news import Question

SENTENCES: dict[Lang, dict[str, str]] = {
    "en": {
        "tells": "It would tell {information}.",
        "decides": " That decides the class.",
        "bears": " That bears on the class.",
        "settles": " That settles {hypotheses}.",
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
        "settles": "据此可验证 {hypotheses}。",
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

DECIDES = 0.5
"""The part of a question from which on an answer is one."""


def reason_of(tells: Sequence[Information], answers: Sequence[Question], language: Lang) -> str:
    """Why an artefact is worth reading: what it would tell, and what that settles."""
    sentences = SENTENCES[language]
    text = sentences["tells"].format(information=listed([information(one, language) for one in tells], language))
    for one in answers:
        if one.hypothesis is None:
            part = sum(weight for need, weight in one.answered_by.items() if need in tells)
            text += sentences["decides" if part >= DECIDES else "bears"]
    named = [
        sentences["hypothesis"].format(hypothesis_id=one.hypothesis.hypothesis_id, title=title(one.hypothesis.kind, language))
        for one in answers
        if one.hypothesis is not None
    ]
    return text + (sentences["settles"].format(hypotheses=listed(named, language)) if named else "")
