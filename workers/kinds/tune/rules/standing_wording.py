"""How a hypothesis stands, said in English and Chinese."""

from contracts.verdicts import VerdictKind
from workers.engines.language import Lang

SENTENCES: dict[Lang, dict[str, str]] = {
    "en": {
        "supported": "Supported: {verdict}",
        "light": "Refuted: it is there, but touches no more than {share} of the run's time: {verdict}",
        "uncertain": "Open: it is there, and not certain to be what costs the time: {verdict}",
        "refuted_by": "Refuted: {measure}.",
        "refuted": "Refuted: what it needs was read ({needs}), and no finding says so.",
        "unweighed": "Open: the script has it, and nothing measured says what it costs: {verdict}",
        "seen": "Open: {measure}, and nothing says what that costs.",
        "no_judge": "Open: nothing that was read of this engine judges it.",
        "missing": "Open: not known yet: {needs}.",
    },
    "zh": {
        "supported": "成立：{verdict}",
        "light": "不成立：确实存在，但至多涉及运行时间的 {share}：{verdict}",
        "uncertain": "待定：确实存在，但不能肯定时间就花在这里：{verdict}",
        "refuted_by": "不成立：{measure}。",
        "refuted": "不成立：所需信息已读到（{needs}），没有发现这样的问题。",
        "unweighed": "待定：脚本中确有此写法，但没有数据说明它的代价：{verdict}",
        "seen": "待定：{measure}，但没有数据说明它的代价。",
        "no_judge": "待定：读到的内容不足以判断该引擎上是否如此。",
        "missing": "待定：尚不清楚{needs}。",
    },
}

MEASURES: dict[Lang, dict[VerdictKind, str]] = {
    "en": {
        VerdictKind.DATA_SKEW: "the heaviest task of any stage that matters has {value} the bytes of the usual one",
        VerdictKind.STRAGGLER: "the longest task of any stage that matters takes {value} as long as the usual one",
        VerdictKind.SPILL: "the tasks spilled {value} in all",
        VerdictKind.GC_PRESSURE: "garbage collection took {value} of the tasks' time",
        VerdictKind.FAILURES: "{value} failed",
        VerdictKind.SHUFFLE_VOLUME: "the run shuffled {value} the bytes that it read",
        VerdictKind.TINY_TASKS: "no stage has more than {value}",
        VerdictKind.BROADCASTABLE_JOIN: "joins that shuffle both sides in its plans: {value}",
        VerdictKind.REDUNDANT_EXCHANGE: "exchanges in its plans: {value}",
        VerdictKind.CROSS_JOIN: "joins without a key in its plans: {value}",
    },
    "zh": {
        VerdictKind.DATA_SKEW: "在占时较多的阶段中，最重的任务的数据量只有一般任务的 {value}",
        VerdictKind.STRAGGLER: "在占时较多的阶段中，最长的任务的耗时只有一般任务的 {value}",
        VerdictKind.SPILL: "各任务总共溢写 {value}",
        VerdictKind.GC_PRESSURE: "GC 占任务时间的 {value}",
        VerdictKind.FAILURES: "有 {value}失败",
        VerdictKind.SHUFFLE_VOLUME: "Shuffle 数据量是读入量的 {value}",
        VerdictKind.TINY_TASKS: "任务最多的阶段只有 {value}",
        VerdictKind.BROADCASTABLE_JOIN: "执行计划中两侧都做 Shuffle 的 Join 数：{value}",
        VerdictKind.REDUNDANT_EXCHANGE: "执行计划中的重分布次数：{value}",
        VerdictKind.CROSS_JOIN: "执行计划中没有键的 Join 数：{value}",
    },
}
