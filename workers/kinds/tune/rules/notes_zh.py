"""What parsers and verdicts note in English, in Chinese: what an artefact holds, why it was not read, what is not known, and where a
number comes from. Names, numbers and what users wrote go over as they are; a note of another form stays English."""

import re
from itertools import islice

from workers.kinds.tune.rules.notes_zh_words import TIME, WORDS

LONGEST = 2_000
"""Characters of a note; none that we make is longer."""

MARKS = 5
"""Colons behind which a note is looked for: the name before it may have some."""

_NOTES: tuple[tuple[str, str], ...] = (
    # What an artefact holds.
    (
        r"Spark (\S+|of unknown version) on (.+): (\d+) jobs, (\d+) stages, (\d+) tasks(?: in (TIME))?"
        r"(?:; (\d+) task attempts failed)?\.",
        "Spark {0:platform}（{1:platform}）：{2} 个 job，{3} 个 Stage，{4} 个 task[，共 {5:time}][；{6} 次 task 尝试失败]。",
    ),
    (r"(\d+) lines, (\d+) table operations, (\d+) joins among them\.", "{0} 行，{1} 个表操作，其中 {2} 个 join。"),
    (r"(\d+) tables, (\d+) rows in all\.", "{0} 张表，共 {1} 行。"),
    (r"(\d+) stages; the longest is (.+) with (TIME)\.", "{0} 个 Stage；最长的是 {1}，用了 {2:time}。"),
    (r"(\d+) stages\.", "{0} 个 Stage。"),
    (r"A table of stages without rows\.", "一张没有行的 Stage 表。"),
    (r"(\d+) settings of weight for speed, (\d+) others\.", "{0} 项与性能有关的配置，另有 {1} 项。"),
    (r"(\d+) lines, (\d+) errors, (\d+) warnings(?:; (.+))?\.", "{0} 行，{1} 条错误，{2} 条警告[；{3:events}]。"),
    (r"(\d+) shuffles, ([\d.,]+ \S+) written in all\.", "{0} 次 shuffle，共写出 {1}。"),
    (r"(\d+) entries on keys or partitions; key (.*) carries ([\d.]+) %\.", "{0} 条键或分区的统计；键 {1} 占 {2} %。"),
    (r"(\d+) entries on keys or partitions; partition (.*) carries ([\d.]+) %\.", "{0} 条键或分区的统计；分区 {1} 占 {2} %。"),
    (r"(\d+) entries on keys or partitions, (\d+) stages\.", "{0} 条键或分区的统计，{1} 个 Stage。"),
    (
        r"(\d+) stages(?: in (TIME))?(?:, longest (.+) with (TIME))?, skewed tasks: (\d+)(?: \((.+)\))?"
        r", metrics exceeded: (\d+) of (\d+)",
        "{0} 个 Stage[，共 {1:time}][，最长的是 {2}]，[用了 {3:time}，]倾斜的 task：{4} 个[（{5}）]，{7} 项指标中 {6} 项超限。",
    ),
    (
        r"(\d+) vertices, (\d+) edges; (.+) go from stage to stage, (.+) are read",
        "{0} 个 vertex，{1} 条边；Stage 之间传输 {2}，读取 {3}。",
    ),
    (
        r"(SCOPE|U-SQL), (\d+) lines, (\d+) statements: (.+)",
        "{0}，{1} 行，{2} 条语句：{3:operations}。",
    ),
    (r"Job (.+): (\S+|state not told)(?:, ran (TIME))?", "作业 {0}：{1:state}[，运行了 {2:time}]。"),
    (r"(\d+) warnings(?:: (.+))?", "{0} 条告警[：{1}]"),
    (r"(\d+) diagnostics(?:: (.+))?", "{0} 条诊断[：{1}]"),
    (r"(\d+) errors: (.+)", "{0} 个错误：{1}"),
    (r"Error: (.+)", "错误：{0}"),
    (r"Empty: the job ended without an error\.", "空文件：作业没有报错。"),
    (r"(\d+) inputs of (.+), (\d+) outputs", "{0} 个输入（{1}），{2} 个输出。"),
    (r"(\d+) vertices((?:; most \w+: [^;]+)*)", "{0} 个 vertex{1:tops}"),
    (r"(\d+) counters, (\d+) operators", "{0} 个计数器，{1} 个算子。"),
    (r"(\d+) numbers by name in (\d+) lines", "{1} 行里有 {0} 个带名称的数字。"),
    (r"(\d+) vertex operators(?:: (.+))?", "{0} 个 vertex 算子[：{1:operations}]"),
    (r"(\d+) operators(?:: (.+))?", "{0} 个算子[：{1:operations}]"),
    (r"(\d+) classes in (\d+) lines", "{0} 个类，{1} 行。"),
    (r"(\d+) options: (.+)", "{0} 个选项：{1}"),
    # Why it was not read, or not whole.
    (r"The bundle has no artefact of this name\.", "文件包里没有这个名称的文件。"),
    (r"There is no attempt '(.+)'; there (?:is|are) (.+)\.", "没有第 {0} 次尝试（attempt）；有的是：{1}。"),
    (
        r"Attempt '(.+)' was asked for, and the log tells of no attempts: it was read as it is\.",
        "指定了第 {0} 次尝试（attempt），但日志没有说明尝试次数，因此按原样读取。",
    ),
    (r"It breaks off \((.+)\)\.", "内容中断（{0:break}）。"),
    (r"It breaks off: (.+)\.", "内容中断：{0:break}。"),
    (r"(\d+) lines are no events\.", "{0} 行不是事件。"),
    (r"It is empty\.", "文件为空。"),
    (r"It is binary: no text, and no compression that is known\.", "这是二进制文件：不是文本，也不是已知的压缩格式。"),
    (r"Give the text it was made from\.", "请提供它的原始文本。"),
    (r"Give the part that matters\.", "请只提供有用的部分。"),
    (r"It is binary(?: \(.+\))? and holds no text to read\.", "这是二进制文件，没有可读的文本。"),
    (r"It cannot be (?:read|opened): (.+)\.", "无法读取：{0}。"),
    (r"Check who may read it\.", "请检查读取权限。"),
    (r"It is damaged: (.+)\.", "文件已损坏：{0}。"),
    (r"Copy it again\.", "请重新复制。"),
    (r"It is ([\d.]+ \S+), more than the ([\d.]+ \S+) (?:that are taken|read of this kind)\.", "大小为 {0}，超过 {1} 的上限。"),
    (
        r"It has (?:more than the )?([\d.]+ MiB)(?: that are read of this kind\.|; at most (\d+ MiB) of this kind are read\.)",
        "超过大小上限（{0}）。",
    ),
    (r"It is larger than the (\d+ MiB) of text that are read\.", "超过文本 {0} 的上限。"),
    (r"Its name is too long\.", "文件名太长。"),
    (r"Another file has the same name\.", "有同名的文件。"),
    (r"'(.+)' is of no kind that is known, and is not read\.", "{0} 不属于任何已知类型，没有读取。"),
    (r"The parser '(.+)' failed on it: (\w+)\. See the worker's log\.", "解析器 {0} 处理失败：{1}。详见 worker 的日志。"),
    (r"It is not UTF-8 and was read as GB18030\.", "不是 UTF-8，按 GB18030 读取。"),
    (r"It describes no table that can be read: .+", "没有可读的表描述：应为以表名为键的对象，或含 table 与 rows 列的 CSV。"),
    (r"It has no table with a column of stages that can be read: .+", "没有含 Stage 列的可读表格：表头应有 stage、duration、tasks 等。"),
    (r"It makes no setting of Spark \(spark\.\*\) that can be read\.", "没有可读的 Spark 配置（spark.*）。"),
    (r"It tells no volume of a shuffle that can be read, .+", "没有可读的 shuffle 数据量，例如 `stage 3: shuffle write 12.3 GB`。"),
    (
        r"It names no key, partition or stage with rows, bytes or a share that can be read\.",
        "没有给出键、分区或 Stage 的行数、字节数或占比。",
    ),
    (r"It names neither vertices nor edges\.", "没有给出 vertex 和边。"),
    (r"It has neither stages nor metrics under a name that is known\.", "没有已知名称的 Stage 或指标。"),
    (r"It holds no .+ under a name that is known\.", "没有已知名称的内容。"),
    (r"No error is told in it\.", "其中没有报错。"),
    (
        r"No Spark event log was found in (.+) \(its lines begin with .+",
        '{0} 里没有 Spark 事件日志（每行应以 {"Event": 开头）。它在 spark.eventLog.dir 下。',
    ),
    # Scripts.
    (r"No script was given\.", "没有提供脚本。"),
    (r"The script is longer than (\d+) characters\.", "脚本超过 {0} 个字符。"),
    (r"The script is no Python: (.+), line (\d+)\.", "脚本不是 Python：第 {1} 行，{0}。"),
    (r"The script cannot be parsed: (\w+)\.", "脚本无法解析：{0}。"),
    (r"The script is not all Scala: see line (\d+)\.", "脚本不全是 Scala：见第 {0} 行。"),
    (r"The script is nested too deeply to be read to its end\.", "脚本嵌套太深，没有读完。"),
    (r"The script has no statement that works on tables\.", "脚本里没有操作表的语句。"),
    # What is not known.
    (r"Lines cannot be named\.", "无法指出是哪一行。"),
    (r"Lines of that part cannot be named\.", "无法指出这部分的行。"),
    (r"Script: none was read\. Lines cannot be named\.", "脚本：没有读到，无法指出是哪一行。"),
    (
        r"Table metadata: none was (?:given|read)\. Heavy keys and sizes of tables cannot be named\.",
        "表元数据：没有读到，无法指出热点键和表的大小。",
    ),
    (r"Plans: the log has none\. Operators and their columns cannot be named from it\.", "执行计划：日志里没有，无法指出算子和列。"),
    (
        r"Job statistics: none were read\. Times of stages and skewed tasks cannot be named\.",
        "作业统计：没有读到，无法指出各 Stage 的耗时和倾斜的 task。",
    ),
    (r"Data flow: none was read\. The volume of the shuffles cannot be named\.", "数据流：没有读到，无法给出 shuffle 的数据量。"),
    (
        r"Plan: neither algebra nor vertex definition was read\. Stages are tied to lines by their names alone\.",
        "执行计划：没有读到 Algebra 或 vertex 定义，Stage 只能按名称对应到脚本的行。",
    ),
    (r"(\d+) verdicts beyond the (\d+) heaviest of their kind are left out\.", "另有 {0} 条同类发现没有列出（每类只列最重的 {1} 条）。"),
    (
        r"Nothing measured of the run was read: without an event log, statistics or a report there are no verdicts\.",
        "没有读到这次运行的实测数据：没有事件日志、统计或报告，就无法下结论。",
    ),
    # Where a number comes from.
    (r"event log, stage (\d+), task metrics", "事件日志，Stage {0} 的 task 指标"),
    (r"event log, stage (\d+) attempt (\d+), task metrics", "事件日志，Stage {0} 第 {1} 次尝试的 task 指标"),
    (r"event log, stages ([\d, ]+), task metrics", "事件日志，Stage {0} 的 task 指标"),
    (r"event log, stages of (?:execution|job) (\d+)", "事件日志，执行或 job {0} 的各 Stage"),
    (r"event log, executed plans", "事件日志，已执行的计划"),
    (r"table metadata, (.+)", "表元数据，{0}"),
    (r"table metadata", "表元数据"),
    (r"event log, plan of execution (\d+), node (\d+)", "事件日志，执行 {0} 的计划，节点 {1}"),
    (r"event log, plan of execution (\d+)", "事件日志，执行 {0} 的计划"),
    (r"event log, task metrics", "事件日志，task 指标"),
    (r"event log, task ends", "事件日志，task 结束事件"),
    (r"event log, stage ends", "事件日志，Stage 结束事件"),
    (r"event log, stage events", "事件日志，Stage 事件"),
    (r"event log, job ends", "事件日志，job 结束事件"),
    (r"event log, executors", "事件日志，executor"),
    (r"event log", "事件日志"),
    (r"(.+), stage (\S+), skewed task (.+)", "{0}，Stage {1}，倾斜的 task {2}"),
    (r"(.+), stage (\S+)", "{0}，Stage {1}"),
    (r"(.+), lines ([\d, .]+)", "{0}，第 {1} 行"),
    (r"(.+), line (\d+)", "{0}，第 {1} 行"),
    (r"(.+), metric (.+)", "{0}，指标 {1}"),
    (r"(.+), edges between stages", "{0}，Stage 之间的边"),
    (r"(.+), edge (\S+) to (\S+)", "{0}，从 {1} 到 {2} 的边"),
    (r"(.+), inputs", "{0}，输入"),
    (r"(.+), overall", "{0}，合计"),
    (r"(.+), operator (.+)", "{0}，算子 {1}"),
)
"""A note's English form → its Chinese one, with the groups by number; what stands in [] is told only if its groups are."""

_COUNTED = re.compile(r"(\\d\+\)|\[\\d,\]\+\)) ((?:\w+ )?)(vertices|classes|entries|\w+s)\b")
_SINGULAR = {"vertices": "vert(?:ices|ex)", "classes": "class(?:es)?", "entries": "entr(?:ies|y)"}


def _form(written: str) -> re.Pattern[str]:
    """A note's form: counts may have separators, what is counted may be one, and TIME stands for a time."""
    counted = written.replace(r"(\d+)", r"([\d,]+)").replace("TIME", TIME)
    return re.compile(_COUNTED.sub(lambda one: f"{one[1]} {one[2]}{_SINGULAR.get(one[3], one[3] + '?')}", counted), re.DOTALL)


_FORMS = tuple((_form(written), chinese) for written, chinese in _NOTES)
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_PLACE = re.compile(r"\{(\d)(?::(\w+))?\}")
_SENTENCE_END = re.compile(r"(?<=\.) ")


def in_chinese(note: str) -> str:
    """A note for a Chinese reader: as a whole, else what stands before a colon by itself (a file's name), else sentence by sentence."""
    if not note or len(note) > LONGEST:
        return note
    whole = _told(note)
    if whole is not None:
        return whole
    for mark in islice(re.finditer(": ", note), MARKS):
        name, rest = note[: mark.start()], note[mark.end() :]
        chinese = "".join(_told(one) or one for one in _SENTENCE_END.split(rest))
        if chinese != "".join(_SENTENCE_END.split(rest)):
            return f"{_HEADS.get(name, name)}：{chinese}"
    sentences = _SENTENCE_END.split(note)
    told = [_told(one) for one in sentences]
    return "".join(chinese or one for chinese, one in zip(told, sentences, strict=True)) if any(told) else note


_HEADS = {"Script": "脚本"}


def _told(note: str) -> str | None:
    for form, chinese in _FORMS:
        found = form.fullmatch(note)
        if found is not None:
            return _filled(chinese, found.groups())
    return None


def _filled(chinese: str, groups: tuple[str | None, ...]) -> str:
    """The groups in their places, put in at once, so that a brace in one of them is no place."""

    def optional(part: re.Match[str]) -> str:
        return part[1] if all(groups[int(place)] is not None for place, _ in _PLACE.findall(part[1])) else ""

    shown = _OPTIONAL.sub(optional, chinese)
    return _PLACE.sub(lambda place: WORDS[place[2]](groups[int(place[1])] or "") if place[2] else groups[int(place[1])] or "", shown)
