"""Chinese names, and the sentence that a verdict's figures make. Each clause is told only if the verdict has its figures."""

from dataclasses import dataclass, field

from contracts.tune.plan import Risk
from contracts.verdicts import Severity, TuningClass, VerdictKind

CLASSES: dict[TuningClass, str] = {
    TuningClass.NONE: "没有主导问题",
    TuningClass.DATA_SKEW: "数据倾斜",
    TuningClass.EXCESS_SHUFFLE: "过多 Shuffle",
    TuningClass.OTHER: "其他问题",
}
SEVERITIES: dict[Severity, str] = {Severity.PROBLEM: "问题", Severity.HINT: "提示", Severity.NOTE: "说明"}
RISKS: dict[Risk, str] = {Risk.LOW: "低", Risk.MEDIUM: "中", Risk.HIGH: "高"}
KINDS: dict[VerdictKind, str] = {
    VerdictKind.DATA_SKEW: "数据倾斜",
    VerdictKind.BROADCASTABLE_JOIN: "可以广播的 join",
    VerdictKind.REDUNDANT_EXCHANGE: "多余的 Exchange",
    VerdictKind.LATE_PROJECTION: "shuffle 携带无用列",
    VerdictKind.LATE_FILTER: "shuffle 之后才过滤",
    VerdictKind.SHUFFLE_VOLUME: "shuffle 远多于读取",
    VerdictKind.STRAGGLER: "拖慢的 task",
    VerdictKind.SPILL: "内存溢写（spill）",
    VerdictKind.GC_PRESSURE: "垃圾回收压力",
    VerdictKind.FAILURES: "失败与重试",
    VerdictKind.TINY_TASKS: "task 过小过多",
    VerdictKind.TOO_FEW_TASKS: "task 过少",
    VerdictKind.IDLE_EXECUTORS: "空闲的 executor",
    VerdictKind.WARM_UP: "启动预热",
    VerdictKind.CROSS_JOIN: "笛卡尔积",
    VerdictKind.MANY_JOINS: "join 过多",
    VerdictKind.UNPARTITIONED_JOIN: "join 的输入没有分区",
    VerdictKind.MANY_GROUPINGS: "分组过多",
    VerdictKind.MANY_DISTINCTS: "DISTINCT 过多",
    VerdictKind.INLINE_CODE: "内联代码",
    VerdictKind.MANY_PROCESSORS: "processor 过多",
    VerdictKind.EXCEEDED_LIMIT: "引擎标为超限",
    VerdictKind.JOB_ERROR: "作业报错",
    VerdictKind.INCOMPLETE_LOG: "日志不完整",
}

FIGURES: dict[str, str] = {
    "heaviest task": "最重的 task",
    "usual task at most": "普通 task 最多",
    "usual task": "普通 task",
    "heaviest to usual": "最重与普通之比",
    "share of the stage's data in one task": "一个 task 占该 Stage 数据的比例",
    "its time to the usual": "用时与普通之比",
    "time beyond the usual": "比普通多用的时间",
    "of the stage's wall clock": "占该 Stage 墙钟时间",
    "rows of the small side, in memory": "小的一侧在内存中的大小",
    "large side to small side": "大侧与小侧之比",
    "shuffled for the large side": "大侧的 shuffle 量",
    "tasks' time in stages that read both": "读取两侧的 Stage 占 task 时间",
    "exchanges in vain": "多余的 Exchange",
    "exchanges": "Exchange 总数",
    "shuffled in vain": "白白 shuffle 的数据",
    "of all that is shuffled": "占全部 shuffle",
    "tasks' time in stages that exist for it": "为此存在的 Stage 占 task 时间",
    "columns carried": "携带的列数",
    "columns not used": "没有用到的列占比",
    "shuffled before it": "过滤前的 shuffle 量",
    "shuffled to read": "shuffle 与读取之比",
    "shuffled": "shuffle 量",
    "tasks' time in its stages, in proportion": "相关 Stage 按比例占 task 时间",
    "rows before the filter": "过滤前的行数",
    "rows kept": "保留的行占比",
    "tasks' time in the exchange's stages, in proportion": "相关 Stage 按比例占 task 时间",
    "read by a task at most": "每个 task 最多读取",
    "read by a task": "每个 task 读取",
    "read": "读取量",
    "executions or jobs that do so": "这样的执行或作业数",
    "tasks' time in their shuffling stages": "shuffle 的 Stage 占 task 时间",
    "longest task": "最长的 task",
    "longest to usual": "最长与普通之比",
    "its data to the usual at most": "它的数据量与普通之比最多",
    "second longest to longest": "次长与最长之比",
    "spilled from memory": "从内存溢写",
    "spilled to disk": "溢写到磁盘",
    "spilled to read": "溢写与读取之比",
    "tasks that could run at once": "可同时运行的 task",
    "tasks' time in the stage": "该 Stage 占 task 时间",
    "tasks": "task 数",
    "collection in these stages": "这些 Stage 的垃圾回收",
    "on the clock, about": "约合墙钟时间",
    "of the task time of the worst stage": "占最重 Stage 的 task 时间",
    "task time of the worst stage": "最重 Stage 的 task 时间",
    "of all task time": "占全部 task 时间",
    "failed task attempts": "失败的 task 尝试",
    "of all attempts": "占全部尝试",
    "time lost in them": "因此损失的时间",
    "failed stages": "失败的 Stage",
    "failed jobs": "失败的 job",
    "jobs in all": "job 总数",
    "aborted stages": "中止的 Stage",
    "stages with such tasks": "有这种 task 的 Stage",
    "task time outside of the work": "task 用在干活之外的时间",
    "such stages": "这样的 Stage",
    "wall clock that full use would save": "充分利用可省的墙钟时间",
    "of the time in which stages ran": "占 Stage 运行时间",
    "idle executors": "空闲的 executor",
    "of those that lived for a minute": "占存活一分钟以上的",
    "busy part of an idle one at most": "空闲者的忙碌比例最多",
    "unfinished stages": "未完成的 Stage",
    "malformed lines": "损坏的行",
    "rows with": "键的行占比",
    "out of memory": "内存不足（OOM）",
    "killed for memory": "因内存超限被杀",
    "fetch failed": "拉取 shuffle 数据失败",
    "executor lost": "executor 丢失",
    "heartbeat": "心跳超时",
    "connection reset": "连接被重置",
    "disk full": "磁盘已满",
    "broadcast timeout": "广播超时",
    "result too large": "返回 driver 的结果过大",
    "task failed": "task 失败",
    "stage aborted": "Stage 中止",
    "tasks that the engine calls skewed": "引擎标为倾斜的 task",
    "joins without partitioning": "没有分区的 join",
    "cross joins": "笛卡尔积",
    "Inline C#": "内联 C#",
    "User processors, reducers or combiners": "用户 processor、reducer 或 combiner",
    "joins": "join 数",
    "groupings (GROUP BY)": "分组（GROUP BY）数",
    "DISTINCTs": "DISTINCT 数",
    "errors": "错误",
    "lines of level ERROR": "ERROR 级别的行",
    "heaviest partition": "最重的分区",
    "usual partition": "普通分区",
    "share in one partition": "一个分区的占比",
    "share of key": "键的占比",
    "rows of key": "键的行数",
    "largest exchange": "最大的一次传输",
    "large side": "大的一侧",
    "small side": "小的一侧",
    "large to small": "大侧与小侧之比",
    "memory limit": "内存上限",
    "peak memory": "内存峰值",
    "peak to limit": "峰值与上限之比",
    "moved by it": "由它传输的数据",
    "operators that do so": "这样的算子",
    "of all stages' time": "占全部 Stage 时间",
    "of task time": "占 task 时间",
    "of the job's time": "占作业时间",
    "time in garbage collection": "垃圾回收时间",
    "time of its stage": "所在 Stage 的时间",
    "time of the stages that shuffle": "shuffle 的 Stage 的时间",
    "time of the stage": "该 Stage 的时间",
    "spilled": "溢写",
}
"""The beginning of a figure's English name → its Chinese one; the longest that fits is taken."""


MEASURES: dict[str, str] = {
    "shuffle_read_bytes": "shuffle 读取量",
    "shuffle_read_records": "shuffle 读取行数",
    "shuffle_write_bytes": "shuffle 写出量",
    "shuffle_write_records": "shuffle 写出行数",
    "input_bytes": "输入量",
    "input_records": "输入行数",
    "output_bytes": "输出量",
    "output_records": "输出行数",
    "task_ms": "task 用时",
}
"""A number of the tasks that a figure's name ends in."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence, with a placeholder for each figure (the beginning of its name)."""

    template: str
    figures: dict[str, str] = field(default_factory=dict[str, str])
    needs_more_than_zero: bool = False


SENTENCES: dict[VerdictKind, tuple[Clause, ...]] = {
    VerdictKind.DATA_SKEW: (
        Clause(
            "{stages}最重的 task 有 {a}，普通 task 只有 {b}，相差 {c}", {"a": "heaviest task", "b": "usual task", "c": "heaviest to usual"}
        ),
        Clause(
            "{stages}最重的分区有 {a}，普通分区只有 {b}，相差 {c}",
            {"a": "heaviest partition", "b": "usual partition", "c": "heaviest to usual"},
        ),
        Clause("一个分区占 {a}", {"a": "share in one partition"}),
        Clause("它占该 Stage 数据的 {a}", {"a": "share of the stage's data"}),
        Clause("用时是普通 task 的 {a}，多用 {b}", {"a": "its time to the usual", "b": "time beyond the usual"}),
    ),
    VerdictKind.BROADCASTABLE_JOIN: (
        Clause("一个 join 对两侧都做 shuffle，而小的一侧在内存中只有 {a}，每个 executor 都放得下", {"a": "rows of the small side"}),
        Clause("大的一侧为此 shuffle 了 {a}", {"a": "shuffled for the large side"}),
    ),
    VerdictKind.REDUNDANT_EXCHANGE: (
        Clause("{b} 次 Exchange 中有 {a} 次是多余的", {"a": "exchanges in vain", "b": "exchanges"}),
        Clause("白白 shuffle 了 {a}", {"a": "shuffled in vain"}),
        Clause("为此存在的 Stage 占 task 时间的 {a}", {"a": "tasks' time"}),
    ),
    VerdictKind.LATE_PROJECTION: (
        Clause(
            "一次 {a} 的 Exchange 携带 {b} 列，其中 {c} 后面没有用到（{columns}）",
            {"a": "shuffled", "b": "columns carried", "c": "columns not used"},
        ),
    ),
    VerdictKind.LATE_FILTER: (
        Clause("shuffle 了 {a} 之后才过滤：{b}里只保留 {c}", {"a": "shuffled before it", "b": "rows before", "c": "rows kept"}),
    ),
    VerdictKind.SHUFFLE_VOLUME: (
        Clause("读取 {a}，却 shuffle 了 {b}，是读取量的 {c}", {"a": "read", "b": "shuffled", "c": "shuffled to read"}),
        Clause("这些 Stage 占 task 时间的 {a}", {"a": "tasks' time"}),
    ),
    VerdictKind.STRAGGLER: (
        Clause(
            "{stages}有 task 用了 {a}，普通 task 只要 {b}，而它的数据并不更多：慢的原因不在数据", {"a": "longest task", "b": "usual task"}
        ),
    ),
    VerdictKind.WARM_UP: (
        Clause(
            "{stages}的首批 task 用了 {a}，普通 task 只要 {b}：这是 executor 启动预热，数据量相近，不是倾斜",
            {"a": "longest task", "b": "usual task"},
        ),
    ),
    VerdictKind.SPILL: (
        Clause("{stages}从内存溢写 {a}", {"a": "spilled from memory"}),
        Clause("落盘 {a}", {"a": "spilled to disk"}, needs_more_than_zero=True),
        Clause("{a} 个 task，每个读取 {b}", {"a": "tasks", "b": "read by a task"}),
    ),
    VerdictKind.GC_PRESSURE: (
        Clause("垃圾回收用了 {a}，占全部 task 时间的 {b}", {"a": "collection in these stages", "b": "of all task time"}),
        Clause("在最重的 Stage 里占 {a}", {"a": "of the task time of the worst"}),
    ),
    VerdictKind.FAILURES: (
        Clause("{first_stage}中止", {"a": "aborted stages"}, needs_more_than_zero=True),
        Clause("{b} 个 job 中有 {a} 个失败", {"a": "failed jobs", "b": "jobs in all"}, needs_more_than_zero=True),
        Clause("{a} 次 task 尝试失败，占全部尝试的 {b}", {"a": "failed task attempts", "b": "of all attempts"}),
        Clause("共损失 {a}", {"a": "time lost"}, needs_more_than_zero=True),
    ),
    VerdictKind.TINY_TASKS: (
        Clause("{stages}有 {a} 个 task，每个只用 {b}、读取 {c}", {"a": "tasks", "b": "usual task", "c": "read by a task"}),
        Clause("启动和收尾共用 {a}，占全部 task 时间的 {b}", {"a": "task time outside", "b": "of all task time"}),
    ),
    VerdictKind.TOO_FEW_TASKS: (
        Clause("{stages}只有 {a} 个 task，而同时可以跑 {b} 个", {"a": "tasks", "b": "tasks that could run"}),
        Clause("每个用 {a}、读取 {b}", {"a": "usual task", "b": "read by a task"}),
        Clause("充分利用可省 {a}", {"a": "wall clock"}),
    ),
    VerdictKind.IDLE_EXECUTORS: (
        Clause("{a} 个 executor 几乎没有工作，占存活一分钟以上的 {b}", {"a": "idle executors", "b": "of those that lived"}),
    ),
    VerdictKind.INCOMPLETE_LOG: (
        Clause("日志在应用结束之前就断了，各项合计只是下限"),
        Clause("{a} 个 Stage 没有结束", {"a": "unfinished stages"}, needs_more_than_zero=True),
    ),
    VerdictKind.CROSS_JOIN: (Clause("有笛卡尔积：每一行与每一行配对"),),
    VerdictKind.MANY_JOINS: (Clause("一个脚本里有 {a} 个 join", {"a": ""}),),
    VerdictKind.UNPARTITIONED_JOIN: (Clause("按 {columns} 的 join，两侧都没有按连接键分区"),),
    VerdictKind.MANY_GROUPINGS: (Clause("一个脚本里有 {a} 个分组", {"a": ""}),),
    VerdictKind.MANY_DISTINCTS: (Clause("一个脚本里有 {a} 个 DISTINCT", {"a": ""}),),
    VerdictKind.INLINE_CODE: (Clause("脚本里有优化器看不进去的内联代码"),),
    VerdictKind.MANY_PROCESSORS: (Clause("脚本里有 {a} 个用户 processor 或 reducer", {"a": ""}),),
    VerdictKind.EXCEEDED_LIMIT: (Clause("{stages}{metric} 被引擎标为超限"), Clause("数值为 {a}", {"a": ""})),
    VerdictKind.JOB_ERROR: (Clause("作业以错误结束"),),
}
"""Kind → its clauses, in order. An empty figure name means the first figure."""
