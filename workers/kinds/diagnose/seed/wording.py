"""The one sentence that only this profile says: how the score of a recommendation came about."""

from workers.engines.language import Lang
from workers.kinds.diagnose.seed.recommend import Recommendation


def score_said(one: Recommendation, lang: Lang) -> str:
    """The score with its four grounds."""
    if lang == "zh":
        return (
            f"得分 {one.score:.2f}：流行度 {one.popularity:.2f}、特异性 {one.specificity:.2f}、"
            f"假设优先级 {one.priority:.2f}、信息增益 {one.gain:.2f}。"
        )
    return (
        f"Score {one.score:.2f}: popularity {one.popularity:.2f}, specificity {one.specificity:.2f}, "
        f"hypothesis priority {one.priority:.2f}, information gain {one.gain:.2f}."
    )
