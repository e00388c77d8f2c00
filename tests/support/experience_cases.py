"""What is known of slow jobs, and the experience that should be found for it: written by us, in both languages."""

from dataclasses import dataclass

from contracts.verdicts import TuningClass, VerdictKind

SKEW, SHUFFLE, OTHER = TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE, TuningClass.OTHER


@dataclass(frozen=True)
class Case:
    """What is known of a job, in two languages, and the advice that it should be given among the first three."""

    tuning_class: TuningClass
    kinds: tuple[VerdictKind, ...]
    en: str
    zh: str
    wanted: str


CASES = (
    Case(
        SKEW,
        (VerdictKind.DATA_SKEW,),
        "join on customer_id, line 14: key -1 carries 38 % of the rows",
        "按 customer_id 连接，键值 -1 占 38% 的行",
        "tune-skew/sentinel-keys",
    ),
    Case(
        SKEW,
        (VerdictKind.DATA_SKEW,),
        "half of the keys are null in the left join",
        "左连接的键有一半是空值 NULL",
        "tune-skew/sentinel-keys",
    ),
    Case(
        SKEW,
        (VerdictKind.DATA_SKEW,),
        "adaptive execution is off, sort-merge join with one partition of 3 GB",
        "AQE 没有开启，SortMergeJoin 有一个 3 GB 的分区",
        "tune-skew/aqe-skew-join",
    ),
    Case(
        SKEW,
        (VerdictKind.DATA_SKEW,),
        "two sellers, the marketplace's own accounts, are hot keys",
        "两个自营卖家账号是热点键",
        "tune-skew/split-hot-keys",
    ),
    Case(
        SKEW,
        (VerdictKind.DATA_SKEW,),
        "groupByKey and collect_list, one task gets all rows of a heavy key",
        "groupByKey 之后 collect_list，一个任务拿到热点键的全部明细",
        "tune-skew/two-stage-aggregation",
    ),
    Case(
        SKEW,
        (VerdictKind.DATA_SKEW, VerdictKind.SPILL),
        "row_number over a window partitioned by user_id spills in one task",
        "按 user_id 的窗口函数 row_number 有一个任务溢写",
        "tune-skew/skewed-window",
    ),
    Case(
        SKEW,
        (VerdictKind.DATA_SKEW,),
        "many hot keys, not known beforehand; random number added to the key",
        "热点键很多且事先不知道，想加随机盐值",
        "tune-skew/salt-join",
    ),
    Case(
        SKEW,
        (VerdictKind.DATA_SKEW, VerdictKind.SHUFFLE_VOLUME),
        "the join multiplies rows, duplicates of the key on both sides",
        "Join 之后行数膨胀，两侧的键都有重复",
        "tune-skew/many-to-many-join",
    ),
    Case(SHUFFLE, (VerdictKind.BROADCASTABLE_JOIN,), "the job is slow", "作业很慢", "tune-shuffle/broadcast-small-side"),
    Case(
        SHUFFLE,
        (VerdictKind.REDUNDANT_EXCHANGE,),
        "repartition(200) on line 9, then a join by another key",
        "第 9 行 repartition(200)，之后按别的键 Join",
        "tune-shuffle/redundant-repartition",
    ),
    Case(SHUFFLE, (VerdictKind.LATE_PROJECTION,), "", "", "tune-shuffle/early-projection"),
    Case(SHUFFLE, (VerdictKind.LATE_FILTER,), "", "", "tune-shuffle/early-filter"),
    Case(
        SHUFFLE,
        (VerdictKind.SHUFFLE_VOLUME,),
        "clicks are joined with users and then summed by segment",
        "点击明细先连接用户再按分群汇总",
        "tune-shuffle/aggregate-before-join",
    ),
    Case(
        SHUFFLE,
        (VerdictKind.MANY_DISTINCTS,),
        "four count distinct in one query",
        "一个查询里四个 count distinct 去重计数",
        "tune-shuffle/fewer-distincts",
    ),
    Case(
        SHUFFLE,
        (VerdictKind.UNPARTITIONED_JOIN,),
        "the same two tables are joined every day",
        "同样两张表天天 Join",
        "tune-shuffle/bucketed-tables",
    ),
    Case(SHUFFLE, (VerdictKind.MANY_JOINS,), "", "", "tune-shuffle/join-order"),
    Case(OTHER, (VerdictKind.SPILL,), "", "", "tune-other/spill"),
    Case(OTHER, (VerdictKind.GC_PRESSURE,), "", "", "tune-other/gc-pressure"),
    Case(OTHER, (VerdictKind.FAILURES,), "executors are lost with exit code 137", "Executor 丢失，退出码 137", "tune-other/executor-oom"),
    Case(
        OTHER,
        (VerdictKind.FAILURES,),
        "FetchFailedException, stages are attempted again",
        "FetchFailedException，阶段反复重试",
        "tune-other/fetch-failures",
    ),
    Case(OTHER, (VerdictKind.TINY_TASKS,), "", "", "tune-other/tiny-tasks"),
    Case(OTHER, (VerdictKind.TOO_FEW_TASKS,), "", "", "tune-other/too-few-tasks"),
    Case(OTHER, (VerdictKind.IDLE_EXECUTORS,), "", "", "tune-other/idle-executors"),
    Case(OTHER, (VerdictKind.STRAGGLER,), "", "", "tune-other/stragglers"),
    Case(OTHER, (VerdictKind.WARM_UP,), "", "", "tune-other/warm-up"),
    Case(OTHER, (VerdictKind.INLINE_CODE,), "", "", "tune-other/built-in-functions"),
    Case(OTHER, (VerdictKind.CROSS_JOIN,), "", "", "tune-other/cross-join"),
    Case(OTHER, (VerdictKind.EXCEEDED_LIMIT,), "", "", "tune-other/exceeded-limits"),
    Case(OTHER, (VerdictKind.INCOMPLETE_LOG,), "", "", "tune-other/incomplete-log"),
)

WORDS_ALONE = tuple(case for case in CASES if len(case.en) > 20)
"""Those that a user's words tell."""
