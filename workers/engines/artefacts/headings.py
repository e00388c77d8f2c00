"""What the headings of a table mean: one field by its many names, English and Chinese, and the unit that a heading tells."""

import re
from dataclasses import dataclass
from enum import StrEnum


class Measure(StrEnum):
    """What a field holds, and so which units it may have."""

    TEXT = "text"
    COUNT = "count"
    MS = "ms"
    BYTES = "bytes"
    SHARE = "share"
    RATIO = "ratio"


UNITS: dict[Measure, dict[str, float]] = {
    Measure.MS: {
        "ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1, "msec": 1, "millis": 1, "milliseconds": 1, "毫秒": 1,
        "s": 1e3, "sec": 1e3, "secs": 1e3, "second": 1e3, "seconds": 1e3, "秒": 1e3,
        "m": 6e4, "min": 6e4, "mins": 6e4, "minutes": 6e4, "分": 6e4, "分钟": 6e4, "h": 3.6e6, "hours": 3.6e6, "小时": 3.6e6,
    },
    Measure.BYTES: {
        "b": 1, "byte": 1, "bytes": 1, "字节": 1, "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
        "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20, "兆": 1 << 20, "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
        "t": 1 << 40, "tb": 1 << 40, "tib": 1 << 40,
    },
    Measure.SHARE: {"%": 0.01, "pct": 0.01, "percent": 0.01},
    Measure.COUNT: {"万": 1e4, "亿": 1e8, "k": 1e3, "million": 1e6},
}  # fmt: skip
"""Word → how many ms, bytes or ones it is. Of bytes, kilo is 1,024 as Spark's own UI has it."""

KNOWN_UNITS = frozenset(word for words in UNITS.values() for word in words)
BARE_UNITS = frozenset(word for word in KNOWN_UNITS if len(word) > 1)
"""Those that are units without brackets too, at the end of a heading: in `task_m` the m may be anything."""

FIELDS: dict[str, tuple[Measure, str]] = {
    "stage": (Measure.TEXT, "stage|stage id|stageid|stage number|stage no|vertex|阶段|阶段id|阶段编号|阶段号|stage编号|stage号"),
    "id": (Measure.TEXT, "id|编号|序号"),
    "name": (Measure.TEXT, "name|stage name|description|vertex name|名称|阶段名|阶段名称|描述"),
    "status": (Measure.TEXT, "status|state|状态"),
    "tasks": (
        Measure.COUNT,
        "tasks|task count|num tasks|number of tasks|tasks total|total tasks|vertices|vertex count|任务数|任务总数|task数|"
        "task数量|任务数量",
    ),
    "failed_tasks": (Measure.COUNT, "failed|failed tasks|num failed tasks|tasks failed|失败任务|失败任务数|失败数"),
    "duration": (
        Measure.MS,
        "duration|time|elapsed|elapsed time|wall|wall time|wall clock|stage duration|run time|runtime|耗时|时长|运行时间|"
        "执行时间|持续时间|总耗时|阶段耗时",
    ),
    "task_total": (
        Measure.MS,
        "task time|total task time|task time total|duration sum|executor run time|executor run time sum|cpu time|任务总时间|"
        "任务总耗时",
    ),
    "task_max": (
        Measure.MS,
        "max|max task time|task time max|max task duration|max duration|duration max|longest task|max time|task max|"
        "slowest task|最大耗时|最长耗时|最大任务时间|最大任务耗时|最长任务|最慢任务|最慢任务耗时",
    ),
    "task_median": (
        Measure.MS,
        "median|p50|median task time|task time median|median task duration|median duration|duration median|median time|"
        "task median|中位数|中位耗时|中位任务时间|任务中位数|任务耗时中位数|中位数耗时",
    ),
    "task_mean": (
        Measure.MS,
        "avg|mean|average|avg task time|mean task time|average task time|task time avg|duration avg|avg duration|平均耗时|"
        "平均任务时间|任务平均耗时",
    ),
    "gc": (Measure.MS, "gc|gc time|jvm gc time|jvm gc time sum|garbage collection|gc时间|gc耗时|垃圾回收时间"),
    "input": (
        Measure.BYTES,
        "input|input size|input bytes|input bytes read|input bytes read sum|bytes read|data read|read|输入|输入大小|输入数据量|"
        "输入字节|输入量|读取量",
    ),
    "input_records": (
        Measure.COUNT,
        "input records|input rows|input records read|input records read sum|rows read|records read|输入行数|输入记录数",
    ),
    "output": (
        Measure.BYTES,
        "output|output size|output bytes|output bytes written|output bytes written sum|bytes written|输出|输出大小|输出数据量|"
        "输出字节",
    ),
    "shuffle_read": (
        Measure.BYTES,
        "shuffle read|shuffle read size|shuffle read bytes|sr total bytes read sum|shuffle read total|"
        "shuffle read size / records|total shuffle read|shuffle读|shuffle读取|shuffle读取量|shuffle 读|shuffle 读取|"
        "shuffle 读取量|洗牌读|洗牌读取|混洗读取",
    ),
    "shuffle_read_records": (
        Measure.COUNT,
        "shuffle read records|shuffle records read|shuffle read rows|shuffle读行数|shuffle读记录数|shuffle读取行数|"
        "shuffle读取记录数",
    ),
    "shuffle_write": (
        Measure.BYTES,
        "shuffle write|shuffle write size|shuffle write bytes|sw bytes written sum|shuffle written|shuffle write total|"
        "shuffle write size / records|shuffle bytes|shuffle volume|shuffle size|total shuffle write|shuffle写|shuffle写入|"
        "shuffle写入量|shuffle 写|shuffle 写入|shuffle 写入量|shuffle量|shuffle数据量|洗牌写|洗牌写入|混洗写入",
    ),
    "shuffle_write_records": (
        Measure.COUNT,
        "shuffle write records|shuffle records written|shuffle write rows|sw records written sum|shuffle写行数|shuffle写记录数|"
        "shuffle写入行数|shuffle写入记录数",
    ),
    "memory_spill": (
        Measure.BYTES,
        "memory spill|spill memory|memory bytes spilled|memory bytes spilled sum|spill (memory)|内存溢写|溢写内存|内存溢出",
    ),
    "disk_spill": (
        Measure.BYTES,
        "spill|disk spill|spill disk|disk bytes spilled|disk bytes spilled sum|spill bytes|spilled|spilled bytes|spill (disk)|"
        "溢写|溢写量|磁盘溢写|溢写磁盘|落盘",
    ),
    "max_bytes": (
        Measure.BYTES,
        "max bytes|max size|bytes max|max task bytes|max task size|max partition size|max partition bytes|max shuffle read|"
        "shuffle read max|max input|input max|largest partition|最大数据量|最大分区大小|最大字节",
    ),
    "median_bytes": (
        Measure.BYTES,
        "median bytes|median size|bytes median|median task bytes|median task size|median partition size|median partition bytes|"
        "median shuffle read|shuffle read median|median input|中位数据量|分区大小中位数|中位分区大小",
    ),
    "max_records": (
        Measure.COUNT,
        "max rows|max records|rows max|records max|max partition rows|max task rows|max task records|最大行数|最大记录数",
    ),
    "median_records": (
        Measure.COUNT,
        "median rows|median records|rows median|records median|median partition rows|median task rows|median task records|"
        "中位行数|中位记录数",
    ),
    "ratio": (
        Measure.RATIO,
        "ratio|skew|skew ratio|skew factor|skewness|max / median|max/median|max to median|倾斜度|倾斜率|倾斜比|倾斜系数|"
        "倾斜倍数",
    ),
    "table": (Measure.TEXT, "table|table name|dataset|source|表|表名|数据表"),
    "column": (Measure.TEXT, "column|column name|key column|join key|field|列|列名|字段|字段名|关联键"),
    "key": (Measure.TEXT, "key|key value|value|hot key|join key value|group key|键|键值|值|热点键|热点key|倾斜键|倾斜key"),
    "partition": (
        Measure.TEXT,
        "partition|partition id|partition number|task|task id|task index|index|bucket|vertex id|分区|分区号|分区id|分区编号|"
        "任务|任务id",
    ),
    "records": (Measure.COUNT, "rows|records|row count|record count|count|num rows|num records|行数|记录数|条数|数据量(行)|数量"),
    "size": (Measure.BYTES, "size|bytes|size bytes|data size|total size|partition size|大小|字节数|数据量|数据大小|体积"),
    "share": (Measure.SHARE, "share|percentage|percent|pct|fraction|proportion|占比|比例|百分比"),
    "exchange": (Measure.TEXT, "exchange|shuffle|shuffle id|operator|operation|partitioning|交换|算子|操作"),
    "partitions": (Measure.COUNT, "partitions|num partitions|number of partitions|partition count|分区数|分区数量"),
    "distinct": (Measure.COUNT, "distinct|cardinality|distinct values|distinct count|ndv|基数|去重数|唯一值数"),
    "type": (Measure.TEXT, "type|data type|类型|数据类型"),
}  # fmt: skip
"""Field → what it holds, and its names as `_plain` spells them."""

MEANS = {name: field for field, (_, names) in FIELDS.items() for name in names.split("|")}
HEADING_CHARS = 100
BRACKETS = re.compile(r"[(\[（【]([^()\[\]（）【】]{1,20})[)\]）】]")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
GAPS = re.compile(r"[\s_\-.:：]+")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that is understood."""

    field: str
    measure: Measure
    factor: float | None
    """Factor from its unit to ms, bytes or single items; None: the heading names no unit."""


def heading_of(text: str) -> Heading | None:
    """What a heading means; None: nothing here."""
    text = CAMEL.sub(" ", text.strip()[:HEADING_CHARS]).lower()
    unit = next((found.strip() for found in BRACKETS.findall(text) if found.strip() in KNOWN_UNITS), "")
    words = _plain(text)
    field = MEANS.get(words) or MEANS.get(_plain(BRACKETS.sub(" ", text)))
    first, _, last = words.rpartition(" ")
    if field is None and last in BARE_UNITS and first in MEANS and last in UNITS.get(FIELDS[MEANS[first]][0], {}):
        unit, field = last, MEANS[first]  # `duration_ms`; but `max_bytes` is a field of its own
    if field is None:
        return None
    measure = FIELDS[field][0]
    return Heading(field, measure, UNITS.get(measure, {}).get(unit))


def _plain(text: str) -> str:
    return GAPS.sub(" ", text).strip()
