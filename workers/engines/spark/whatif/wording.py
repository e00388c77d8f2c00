"""What an estimate says of itself, in English and Chinese."""

from collections.abc import Mapping

from contracts.whatif import ChangeKind
from workers.engines.language import Lang

METHOD: Mapping[Lang, str] = {
    "en": "Replay of {stages} stages on {slots} slots, with {draws} draws of what is not known.",
    "zh": "按 {slots} 个并行槽位重放 {stages} 个 Stage，对未知量抽样 {draws} 次。",
}
NOTHING: Mapping[Lang, str] = {
    "en": "Nothing to replay: the log tells no tasks.",
    "zh": "无可重放：日志中没有任务。",
}
SCALED: Mapping[Lang, str] = {
    "en": "The replay without a change took {factor} of the measured time, so task times are scaled to it.",
    "zh": "不作改动的重放耗时为实测的 {factor}，任务时间已据此换算。",
}
NO_WALL: Mapping[Lang, str] = {
    "en": "The log does not tell how long the run took: the time before is that of the replay.",
    "zh": "日志未给出运行总时长：改动前的时间取自重放。",
}
NO_SLOTS: Mapping[Lang, str] = {
    "en": "The log does not tell the number of slots: one is taken per task that was seen running at a time.",
    "zh": "日志未给出槽位数：按实际观察到的并发任务数估计。",
}
UNKNOWN_STAGES: Mapping[Lang, str] = {
    "en": "Stages that the run does not have are passed over: {stages}.",
    "zh": "运行中不存在的 Stage 已忽略：{stages}。",
}
ASSUMED: Mapping[Lang, Mapping[ChangeKind, str]] = {
    "en": {
        ChangeKind.BALANCE: "The work of the heavy tasks can be spread and stays the same in sum. Copies of a salted join's other side are "
        "written and read like other bytes; one more stage of an aggregation is left out.",
        ChangeKind.DROP_ROWS: "Rows cost alike; those dropped come from the tasks that stand out first, and are read but not shuffled.",
        ChangeKind.BROADCAST: "The large side no longer writes its shuffle, joins as it reads, and takes over what the join's stage "
        "computed beyond the exchange; that part is not known.",
        ChangeKind.DROP_EXCHANGE: "What the stages computed beyond their exchange is done by those before them; that part is not known.",
        ChangeKind.FEWER_BYTES: "Bytes cost alike, and each record costs as much as about 100 of them; computing stays.",
        ChangeKind.PARTITIONS: "The work is the same in sum, each task has its fixed cost, and a heavy key stays in one task.",
        ChangeKind.NO_RETRIES: "Only the time of failed attempts is saved, and what was run again for them.",
        ChangeKind.NO_SPILL: "Spilled bytes cost what other bytes cost, twice; a slow disk makes them dearer.",
        ChangeKind.NO_GC: "GC above 5 % of a stage's time goes, from all tasks alike.",
        ChangeKind.STRAGGLERS: "A second attempt is made at once and takes as long as the median task.",
        ChangeKind.SLOTS: "More slots do not slow each other down.",
    },
    "zh": {
        ChangeKind.BALANCE: "重任务的工作量可以分散且总量不变；加盐 join 另一侧的副本按普通字节计入写出和读取，"
        "未计入两阶段聚合多出一个 Stage 的开销。",
        ChangeKind.DROP_ROWS: "每行开销相同；去掉的行先从突出的任务中扣除，仍要读取但不再 shuffle。",
        ChangeKind.BROADCAST: "大表不再写 shuffle，读取时即完成连接，并承担连接 Stage 中与交换无关的计算；这部分所占比例未知。",
        ChangeKind.DROP_EXCHANGE: "这些 Stage 中与交换无关的计算改由上游完成；这部分所占比例未知。",
        ChangeKind.FEWER_BYTES: "每字节开销相同，每条记录约等于 100 字节的开销；计算量不变。",
        ChangeKind.PARTITIONS: "总工作量不变，每个任务有固定开销，热点键仍在同一任务中。",
        ChangeKind.NO_RETRIES: "只节省失败尝试及因其重跑所用的时间。",
        ChangeKind.NO_SPILL: "溢写的字节按其他字节的开销计两次；磁盘慢时代价更高。",
        ChangeKind.NO_GC: "Stage 中超过 5 % 的 GC 时间被去除，各任务同比例。",
        ChangeKind.STRAGGLERS: "第二次尝试立即开始，耗时与中位任务相同。",
        ChangeKind.SLOTS: "增加槽位不会使任务互相变慢。",
    },
}
