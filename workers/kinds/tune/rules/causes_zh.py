"""What is said of each possible cause, in Chinese."""

from contracts.bundles import Information
from contracts.verdicts import TuningClass, Unit, VerdictKind

TITLES: dict[VerdictKind, str] = {
    VerdictKind.DATA_SKEW: "数据倾斜",
    VerdictKind.BROADCASTABLE_JOIN: "可改为广播的 Shuffle Join",
    VerdictKind.REDUNDANT_EXCHANGE: "多余的重分布",
    VerdictKind.LATE_PROJECTION: "列裁剪过晚",
    VerdictKind.LATE_FILTER: "过滤过晚",
    VerdictKind.SHUFFLE_VOLUME: "Shuffle 数据量过大",
    VerdictKind.STRAGGLER: "非倾斜的慢任务",
    VerdictKind.SPILL: "溢写磁盘",
    VerdictKind.GC_PRESSURE: "GC 压力",
    VerdictKind.FAILURES: "失败与重试",
    VerdictKind.TINY_TASKS: "任务过碎",
    VerdictKind.TOO_FEW_TASKS: "并行度不足",
    VerdictKind.IDLE_EXECUTORS: "Executor 空闲",
    VerdictKind.WARM_UP: "预热",
    VerdictKind.CROSS_JOIN: "笛卡尔积",
    VerdictKind.MANY_JOINS: "Join 过多",
    VerdictKind.UNPARTITIONED_JOIN: "Join 前未按键分区",
    VerdictKind.MANY_GROUPINGS: "分组过多",
    VerdictKind.MANY_DISTINCTS: "去重过多",
    VerdictKind.INLINE_CODE: "内联代码",
    VerdictKind.MANY_PROCESSORS: "连续的自定义处理器",
    VerdictKind.EXCEEDED_LIMIT: "指标超限",
    VerdictKind.JOB_ERROR: "作业报错",
    VerdictKind.INCOMPLETE_LOG: "日志不完整",
}

STATEMENTS: dict[VerdictKind, str] = {
    VerdictKind.DATA_SKEW: "少数几个键值占了大部分数据，个别任务迟迟跑不完，其余任务早已结束。",
    VerdictKind.BROADCASTABLE_JOIN: "Join 的两侧都做了 Shuffle，而其中一侧小到可以广播给每个 Executor。",
    VerdictKind.REDUNDANT_EXCHANGE: "数据刚被重分布或排序，下一步又要重来，或者数据本来就已按这些键分区。",
    VerdictKind.LATE_PROJECTION: "后续根本用不到的列被带过了 Shuffle。",
    VerdictKind.LATE_FILTER: "后续会被过滤掉的行被带过了 Shuffle。",
    VerdictKind.SHUFFLE_VOLUME: "各阶段之间搬运的数据远多于作业读入的数据。",
    VerdictKind.STRAGGLER: "某个任务的数据量与其他任务相当却明显更慢：可能是节点慢，也可能在等待外部系统。",
    VerdictKind.SPILL: "任务的数据超出内存，只能写到磁盘再读回来。",
    VerdictKind.GC_PRESSURE: "Executor 堆内存吃紧，垃圾回收占去了相当一部分任务时间。",
    VerdictKind.FAILURES: "任务或阶段失败后被反复重跑。",
    VerdictKind.TINY_TASKS: "工作被切成了太多小任务，启动任务的开销超过了干活本身。",
    VerdictKind.TOO_FEW_TASKS: "大量工作集中在少数任务里，任务数比可并行的槽位还少。",
    VerdictKind.IDLE_EXECUTORS: "占着的 Executor 没有活可干。",
    VerdictKind.CROSS_JOIN: "Join 没有可用的等值键，每一行都要与每一行比较。",
    VerdictKind.MANY_JOINS: "脚本中的 Join 太多，数据被一遍遍重新分布。",
    VerdictKind.UNPARTITIONED_JOIN: "脚本按某些键做 Join，而两侧都没有按这些键分区，只好全部重新分布。",
    VerdictKind.MANY_GROUPINGS: "脚本中的分组太多，数据被一遍遍重新分布。",
    VerdictKind.MANY_DISTINCTS: "脚本中的去重太多，数据被一遍遍重新分布。",
    VerdictKind.INLINE_CODE: "每一行都要执行用户自己的代码，而优化器看不进去。",
    VerdictKind.MANY_PROCESSORS: "多个自定义处理器或归约器接连出现，每一个都要把数据过一遍。",
    VerdictKind.EXCEEDED_LIMIT: "引擎自身的统计显示某项指标超限。",
    VerdictKind.JOB_ERROR: "作业或某个顶点以报错或超时结束。",
}

VERIFICATION: dict[VerdictKind, tuple[str, ...]] = {
    VerdictKind.DATA_SKEW: (
        "逐个阶段比较最重任务与一般任务的字节数和行数，耗时也应随之变长。",
        "统计该键最常见取值的行数，空值以及 -1 之类的占位值也要算上。",
    ),
    VerdictKind.BROADCASTABLE_JOIN: ("把 Join 两侧各自写入 Shuffle 的字节数与广播上限比较。",),
    VerdictKind.REDUNDANT_EXCHANGE: ("在执行计划里找接连出现的两次重分布，以及输入已满足的重分布。",),
    VerdictKind.LATE_PROJECTION: ("比较每次重分布携带的列与其上层算子真正用到的列。",),
    VerdictKind.LATE_FILTER: ("找出位于重分布之后的过滤，统计过滤前后的行数。",),
    VerdictKind.SHUFFLE_VOLUME: ("比较写入 Shuffle 的字节数与读入的字节数。",),
    VerdictKind.STRAGGLER: (
        "找出每个阶段最长的任务，比较它与一般任务的字节数和行数。",
        "看它是否总落在同一台机器或同一个分区上。",
    ),
    VerdictKind.SPILL: ("合计各任务溢写到磁盘的字节数，并与读入量比较。",),
    VerdictKind.GC_PRESSURE: ("逐个阶段计算 GC 时间占任务时间的比例。",),
    VerdictKind.FAILURES: ("按原因统计失败的尝试次数，并合计它们花掉的时间。",),
    VerdictKind.TINY_TASKS: ("比较一般任务的耗时、数据量与启动一个任务的开销。",),
    VerdictKind.TOO_FEW_TASKS: ("比较耗时长的阶段的任务数与可同时运行的任务数。",),
    VerdictKind.IDLE_EXECUTORS: ("计算每个 Executor 干活的时间占其存活时间的比例。",),
    VerdictKind.CROSS_JOIN: ("在脚本和执行计划里找没有等值条件的 Join，并统计其输出行数。",),
    VerdictKind.MANY_JOINS: ("统计脚本中的 Join 个数，看运行时有几个真正做了 Shuffle。",),
    VerdictKind.UNPARTITIONED_JOIN: ("比较 Join 键与其输入的分区方式。",),
    VerdictKind.MANY_GROUPINGS: ("统计脚本中的分组个数，看运行时有几个真正做了 Shuffle。",),
    VerdictKind.MANY_DISTINCTS: ("统计脚本中的去重个数，看运行时有几个真正做了 Shuffle。",),
    VerdictKind.INLINE_CODE: ("在脚本中找到这段代码，查看执行它的阶段耗时。",),
    VerdictKind.MANY_PROCESSORS: ("统计连续处理器的个数，查看执行它们的阶段耗时。",),
    VerdictKind.EXCEEDED_LIMIT: ("查看作业统计中标记为超限的指标。",),
    VerdictKind.JOB_ERROR: ("查看错误码、错误信息以及它指向的顶点。",),
}

INFORMATION: dict[Information, str] = {
    Information.SCRIPT_LOGIC: "脚本逻辑",
    Information.JOIN_DETAILS: "Join 详情",
    Information.DATA_DISTRIBUTION: "数据在各任务上的分布",
    Information.PARTITIONING: "分区方式",
    Information.HOT_KEYS: "热点键",
    Information.RUN_METRICS: "内存与 GC 等运行指标",
    Information.OPERATORS: "实际执行的算子",
    Information.DATA_FLOW: "阶段之间的数据流",
    Information.SHUFFLE_STATISTICS: "Shuffle 统计",
    Information.STAGE_RUNS: "阶段与任务的耗时",
    Information.DATA_VOLUME: "输入的行数与大小",
    Information.ERRORS: "报错",
    Information.WARNINGS: "告警",
    Information.CONFIGURATION: "配置",
}

CLASSES: dict[TuningClass, str] = {
    TuningClass.NONE: "没有突出的问题",
    TuningClass.DATA_SKEW: "数据倾斜",
    TuningClass.EXCESS_SHUFFLE: "Shuffle 过多",
    TuningClass.OTHER: "其他问题",
}

UNITS: dict[Unit, str] = {
    Unit.MS: "{value} 毫秒",
    Unit.BYTES: "{value}",
    Unit.RECORDS: "{value} 行",
    Unit.TASKS: "{value} 个任务",
    Unit.RATIO: "{value} 倍",
    Unit.SHARE: "{value}",
    Unit.COUNT: "{value}",
}
