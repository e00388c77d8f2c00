"""The words by which users tell what is wrong with a job, in English and Chinese, and what each of them speaks for."""

import re
from dataclasses import dataclass

from contracts.verdicts import TuningClass, VerdictKind

FLAGS = re.IGNORECASE | re.ASCII
"""ASCII: a Latin word ends where Chinese begins, as in `但shuffle量大`."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """Words of one meaning, with the weight by which they suggest each kind of problem: 1 for the problem's own name, less for symptoms
    that other problems show as well."""

    words: re.Pattern[str]
    speaks_for: dict[VerdictKind, float]
    is_remedy: bool = False
    """They name what helps against the problem, so that denying them affirms it: `joined without broadcast`."""


def _symptom(words: str, *, is_remedy: bool = False, **speaks_for: float) -> Symptom:
    return Symptom(re.compile(words, FLAGS), {VerdictKind(kind): weight for kind, weight in speaks_for.items()}, is_remedy)


SYMPTOMS: tuple[Symptom, ...] = (
    _symptom(r"\b(?:data[ -]?)?skew(?:ed|ness)?\b|(?:数据)?倾斜", data_skew=1.0),
    _symptom(r"\bhot[ -]?keys?\b|\bheavy keys?\b|热点(?:键|key|值|数据)?|大\s?key", data_skew=0.9),
    _symptom(r"\bunevenly?\b|\bunbalanced\b|\bimbalanced?\b|不均(?:匀|衡)?", data_skew=0.7),
    _symptom(
        r"(?:stuck|hangs?|hanging|waits?|stays?)\b.{0,30}?\b9\d(?:\.\d+)?\s*%|卡.{0,8}?9\d(?:\.\d+)?\s*%", data_skew=0.6, straggler=0.3
    ),
    _symptom(
        r"\b(?:the )?(?:last|one|single|few) (?:\w+ )?(?:tasks?|reducers?|vertex|vertices)\b"
        r"|(?:最后|个别|某个|某一个|少数|一个)(?:几个|一个)?(?:任务|task|reducer?|顶点)",
        data_skew=0.5,
        straggler=0.35,
    ),
    _symptom(r"长尾", data_skew=0.5, straggler=0.4),
    _symptom(r"\bstragglers?\b|\bslow (?:node|host|machine|executor)s?\b|慢(?:节点|任务|机器)", straggler=0.9),
    _symptom(r"\bshuffl(?:e|es|ed|ing)\b|洗牌", shuffle_volume=0.8, broadcastable_join=0.3, redundant_exchange=0.3, late_projection=0.2),
    _symptom(r"\b(?:re-?partition(?:s|ed|ing)?|redistribut\w{1,5})\b|\bexchanges?\b|重分区|重分布|重新分布", redundant_exchange=0.7),
    _symptom(r"\bbroadcast(?:s|ed|ing)?\b|\bmap[ -]?join\b|广播|小表", broadcastable_join=0.7, is_remedy=True),
    _symptom(r"\b(?:unused|unneeded|too many|all) columns\b|\bselect \*|宽表|多余的?列|无用的?列|列裁剪", late_projection=0.7),
    _symptom(r"\b(?:late filter|filters? late|filter(?:ed)? after)\b|谓词下推|过滤(?:太晚|过晚)", late_filter=0.7, is_remedy=True),
    _symptom(r"\bspill(?:s|ed|ing)?\b|溢写|溢出到磁盘|落盘", spill=1.0),
    _symptom(
        r"\bOOM\b|\bOutOfMemory\w*|\bout of memory\b|\bmemory limits?\b|内存(?:溢出|不足|不够|超限|爆)|爆内存",
        failures=0.6,
        gc_pressure=0.5,
        spill=0.5,
    ),
    _symptom(r"\bGC\b|\bgarbage collect(?:ion|or|ing)\b|垃圾回收|Full\s?GC", gc_pressure=1.0),
    _symptom(r"\bfail(?:s|ed|ing|ures?)?\b|\bretr(?:y|ies|ied|ying)\b|\bFetchFailed\w*|失败|重试|报错", failures=0.7, job_error=0.3),
    _symptom(
        r"\btime(?:s|d)?[ -]?outs?\b|\bconnection reset\b|\blost executors?\b|\bheartbeat\w*|超时|连接(?:重置|断开)|心跳",
        failures=0.6,
        job_error=0.4,
    ),
    _symptom(r"\b(?:small|tiny|many) (?:files?|tasks?|partitions?)\b|小文件|(?:任务|分区)(?:太多|过多|过碎)", tiny_tasks=0.9),
    _symptom(
        r"\b(?:low|little|no) parallelism\b|\btoo few (?:tasks?|partitions?)\b|并行度(?:太低|不够|不足|低)|分区(?:太少|过少)",
        too_few_tasks=0.9,
    ),
    _symptom(
        r"\bidle (?:executors?|cores?|slots?|resources?)\b|\b(?:executors?|cores?) (?:are |is |sit )?(?:mostly )?idle\b"
        r"|空闲|资源(?:浪费|闲置)",
        idle_executors=0.9,
    ),
    _symptom(r"\bcross[ -]?joins?\b|\bcartesian\b|笛卡尔积?", cross_join=1.0),
    _symptom(r"\b(?:UDFs?|user[ -]defined functions?|inline (?:code|C#))|自定义函数|内联代码", inline_code=0.6),
)

NAMES: dict[TuningClass, re.Pattern[str]] = {
    TuningClass.DATA_SKEW: re.compile(r"\b(?:data[ -]?)?skew(?:ed|ness)?\b|(?:数据)?倾斜", FLAGS),
    TuningClass.EXCESS_SHUFFLE: re.compile(r"\b(?:excess\w*|too m(?:uch|any)) shuffl\w+|\bshuffl(?:e|es|ed|ing)\b", FLAGS),
    TuningClass.OTHER: re.compile(r"\bother\w*\b|\bsomething else\b|其[他它]", FLAGS),
}
"""How the classes themselves are called: a text that has all three of them asks a question, and answers none."""

PROGRESS = re.compile(r"\b(\d{2,7})\s?/\s?(\d{2,7})\b", FLAGS)
"""`199/200`: tasks that are done, of all."""

ALMOST_DONE = 0.9
"""The part of its tasks from which on a stage described as stuck waits for its last tasks."""
