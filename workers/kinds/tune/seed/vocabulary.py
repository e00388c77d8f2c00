"""The words of the `seed` profile: what each type of problem needs, by which words a file's description offers it, and by which words a
text is taken to have it.

They are kept as the source document has them, with their faults: recommending and judging sufficiency use two vocabularies (`Join操作详情`
and `Join操作`), and half of the types of information have no words at all, so that nothing can ever offer or satisfy them."""

from contracts.bundles import Information
from contracts.verdicts import TuningClass

PROBLEM_TYPES: dict[TuningClass, str] = {
    TuningClass.DATA_SKEW: "数据倾斜",
    TuningClass.EXCESS_SHUFFLE: "过多Shuffle",
    TuningClass.OTHER: "其他",
    TuningClass.NONE: "其他",
}

REQUIRED: dict[str, tuple[str, ...]] = {
    "数据倾斜": ("用户脚本逻辑", "Join操作详情", "数据分布情况", "分区策略", "热点键分析", "运行性能指标"),
    "过多Shuffle": ("用户脚本逻辑", "算子使用情况", "数据流转路径", "Shuffle操作统计", "Stage运行情况", "数据规模信息"),
}
"""What the recommender asks for."""

OFFERED_BY: dict[str, tuple[str, ...]] = {
    "用户脚本逻辑": ("脚本", "代码", "逻辑", "算法"),
    "Join操作详情": ("join", "连接", "关联"),
    "数据分布情况": ("分布", "倾斜", "热点", "统计"),
    "Stage运行情况": ("stage", "阶段", "运行", "执行"),
    "Shuffle操作统计": ("shuffle", "重分区", "数据传输"),
    "数据规模信息": ("数据量", "规模", "大小", "行数"),
}
"""Words of a file's description that offer a type of information."""

SUFFICIENT_WITH: dict[str, tuple[str, ...]] = {
    "数据倾斜": ("用户脚本逻辑", "Join操作", "数据分布", "性能指标"),
    "过多Shuffle": ("用户脚本逻辑", "Shuffle操作", "Stage信息", "数据流"),
}
"""What the judge of sufficiency asks for."""

SUFFICIENT_FROM: dict[str, float] = {"数据倾斜": 0.7, "过多Shuffle": 0.7}
SUFFICIENT_FROM_OTHER = 0.5
"""Met without anything: no information is required of other problems, and nothing of nothing counts as all."""

PRESENT_BY: dict[str, tuple[str, ...]] = {
    "用户脚本逻辑": ("def ", "class ", "import", "脚本"),
    "Join操作": ("join", "连接", "关联"),
    "数据分布": ("分布", "倾斜", "热点", "统计"),
    "Stage信息": ("stage", "阶段", "执行"),
    "Shuffle操作": ("shuffle", "重分区", "数据传输"),
    "性能指标": ("时间", "延迟", "耗时", "性能"),
}
"""Words of any text, the user's question included, by which information counts as present."""

ASPECTS: dict[str, tuple[str, ...]] = {
    "数据倾斜": ("脚本理解", "问题定位", "原因分析", "解决方案"),
    "过多Shuffle": ("脚本理解", "Shuffle识别", "性能分析", "优化建议"),
}
OTHER_ASPECTS = ("基本分析",)

AS_INFORMATION: dict[str, Information] = {
    "用户脚本逻辑": Information.SCRIPT_LOGIC,
    "Join操作": Information.JOIN_DETAILS,
    "数据分布": Information.DATA_DISTRIBUTION,
    "性能指标": Information.RUN_METRICS,
    "Shuffle操作": Information.SHUFFLE_STATISTICS,
    "Stage信息": Information.STAGE_RUNS,
    "数据流": Information.DATA_FLOW,
}
"""What the judge's types are among ours, to be shown in one shape."""


def has_word(text: str, words: tuple[str, ...]) -> bool:
    """One of the words is somewhere in the text, in upper or lower case."""
    lowered = text.lower()
    return any(word.lower() in lowered for word in words)
