"""The words by which prose.py tells observations from headings, chatter, commands, causes and fixes, in English and Chinese."""

import re

FENCE = re.compile(r"```[^\n`]*\n?(.*?)(?:```|\Z)", re.DOTALL)
BULLET = re.compile(r"^\s*(?:[-*•·▪●◦>#]+\s+|\d{1,2}(?:[.．](?!\d)|[)）、])\s*|[（(]\d{1,2}[)）]\s*|[①-⑳]\s*)")
FULL_STOP = (
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bno\.)(?<!\bapprox\.)(?<!\bca\.)(?<!\betc\.)"
    r"(?:(?<=\w\w\.)|(?<=[)\"'%]\.)|(?<=\d \w\.))\s+(?=\S)|(?<=\d\.)\s+(?=[A-Z\u4e00-\u9fff])"
)
"""A full stop behind a word, behind a figure with a unit of one letter ("40 s."), or behind a figure; no abbreviation."""
SENTENCE_END = re.compile(rf"(?<=[。；！？!?])\s*|(?<=;)\s+(?!(?:try|retry|please)\b)|{FULL_STOP}", re.IGNORECASE)
CJK_CLAUSE_END = re.compile(
    r"(?:，|(?<!\d),|,(?!\d))\s*(?!(?:平时|正常|往常|以前|之前|一般|所以|因此|导致|因为|但|然后|并|而|且|之后|随后|同时|仍|也|还|才|就|怀疑|估计|重启|再))"
)
"""Where a Chinese sentence that lists observations may be parted; not within a number."""

LABEL = re.compile(r"^\s*([A-Za-z\u4e00-\u9fff][^:：\n`]{0,40}?)\s*(?:：|:(?=\s|$|[^\s/\\\d:]))\s*(.*)$", re.DOTALL)

_SAYS = (
    r"what we see|what i see|what happened|what happens|symptoms?|observed|observations?|observed behaviou?r|actual(?: result|"
    r" behaviou?r)?|"
    r"problem|issue|details?|description|summary|findings?|monitoring|metrics?|现象|故障现象|问题现象\s*\d*|异常现象|问题描述|"
    r"故障描述|描述|"
    r"现场情况|表现|监控|告警|指标|实际结果|发现"
)
_LOGS = (
    r"logs?|log file|error(?: message| log)?s?|stack ?trace|trace|output|message|exception|日志|报错|报错信息|错误|错误信息|"
    r"错误日志|堆栈|输出"
)
LEADS_ON = re.compile(rf"^(?:{_SAYS})$", re.IGNORECASE)
"""Labels before an observation."""
QUOTES = re.compile(rf"^(?:{_LOGS})$", re.IGNORECASE)
"""Labels before a line of a log."""
BRACKETED = re.compile(r"^\s*[\[【]([^\]】\n]{1,40})[\]】]\s*[:：]?\s*(.*)$", re.DOTALL)
"""A label in brackets, as the forms of some trackers have it above each part."""
CAUSE_LABEL = re.compile(
    r"^(?:probable |likely |the )?(?:root[- ]?cause(?: analysis)?|rca|cause|reason)$|^(?:根因|根本原因|故障原因|问题原因|原因|"
    r"原因分析|根因分析|根因定位)$",
    re.IGNORECASE,
)
FIX_LABEL = re.compile(
    r"^(?:the )?(?:solution|resolution|fix|workaround|remedy|mitigation|resolved by|fixed by|corrective actions?|action taken|"
    r"actions? taken)$|"
    r"^(?:解决方案|解决办法|解决方法|解决措施|处理方案|处理措施|处理方法|处理结果|修复|解决|规避措施|恢复措施)$",
    re.IGNORECASE,
)
SKIPPED = re.compile(
    r"^(?:steps?(?: to reproduce)?|how to reproduce|repro(?:duction)?|expected(?: result| behaviou?r)?|impact|business impact|"
    r"affected(?: users| services)?|"
    r"environment|env|versions?|.{0,20} versions?|host(?:name)?s?|server|cluster|region|severity|priority|sla|reporter|"
    r"reported by|contact|phone|"
    r"e?-?mail|ticket|case|timeline|time(?: window)?|date|start(?:ed)?|end|duration|attachments?|links?|dashboard|background|"
    r"context|notes?|todo|"
    r"next steps?|action items?|follow[- ]?ups?|questions?|request|customer|team|owner|eta|cc|"
    r".{0,8}版本|环境|影响|影响范围|业务影响|优先级|级别|严重程度|联系人|电话|时间|发生时间|开始时间|结束时间|时间线|附件|链接|背景|步骤|"
    r"复现步骤|重现步骤|操作步骤|处理步骤|排查步骤|期望|期望结果|预期结果|备注|主机|服务器|集群|后续|后续措施|改进措施|建议|客户|"
    r"负责人)\s*\d*$",
    re.IGNORECASE,
)

_COMMANDS = (
    r"SELECT|SHOW|EXPLAIN|DESCRIBE|ANALYZE|kubectl|docker|crictl|helm|curl|wget|grep|egrep|zgrep|tail|ls|df|du|top|htop|free|ps|"
    r"iostat|vmstat|"
    r"sar|iotop|pidstat|mpstat|netstat|ss|lsof|strace|perf|dmesg|journalctl|systemctl|nslookup|dig|ping|traceroute|openssl|jstack|"
    r"jmap|jstat|"
    r"jcmd|nodetool|mysql|mysqladmin|psql|redis-cli|mongo|mongosh|rabbitmqctl|etcdctl|airflow|spark-submit|yarn|hdfs|pt-[a-z-]+|"
    r"kafka-[a-z-]+(?:\.sh)?|zkCli\.sh|aws|gcloud|az"
)
PROMPT = re.compile(r"^\s*(?:\$|[\w.-]+@[\w.-]+[:~\w/ .-]*[$#]|mysql>|MySQL \[[^\]]*\]>|\w+=[#>]|SQL>|>>>|PS [A-Z]:\\[^>]*>)\s*(.+)$")
COMMAND_LINE = re.compile(rf"^\s*(?:sudo )?(?:{_COMMANDS})(?:\s+\S|\s*$)")
INLINE_COMMAND = re.compile(
    r"\b(?:SHOW (?:FULL |GLOBAL |ENGINE )?(?:[A-Z]+)(?: (?:STATUS|LIKE '[^']+'))?|EXPLAIN(?: ANALYZE)?|kubectl (?:get|describe|"
    r"logs|top) [\w-]+|(?i:show (?:full )?processlist)|rabbitmqctl \w+|redis-cli \w+|"
    r"(?:df|ls|du|free|ss|netstat|iostat|vmstat|top|lsof) -\w+|(?:GET /?)?_cat/\w+|nodetool \w+|kafka-[a-z-]+(?:\.sh)?|jstack|jmap|"
    r"pt-[a-z-]+)(?![\w-])"
)
BACKTICKED = re.compile(r"`([^`\n]{3,200})`")

_TIMESTAMP = (
    r"\[?(?:\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?|"
    r"[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2})\]?"
)
LOG_START = re.compile(rf"^\s*(?:{_TIMESTAMP}\s*)")
LOG_LEVEL = re.compile(
    r"^\s*(?:\[[^\]]{0,60}\]\s*)*[\[(]?(ERROR|FATAL|WARN(?:ING)?|SEVERE|CRITICAL|PANIC|Caused by)\b[\])]?[:\s-]", re.IGNORECASE
)
INFO_LEVEL = re.compile(r"^\s*(?:\[[^\]]{0,60}\]\s*)*[\[(]?(?:INFO|DEBUG|TRACE|NOTICE)\b")
EXCEPTION = re.compile(r"^\s*[A-Z]{2,6}\d?-\d{3,5}\b|^\s*(?:[a-z_]\w*\.)+[A-Z]\w*(?:Exception|Error)\b|^\s*\w*(?:Exception|Error): ")
FRAME = re.compile(r"^\s*(?:at [\w.$<>]+\(|\.\.\. \d+ more|File \"[^\"]+\", line|Traceback )")
VARIES = re.compile(r"(?:\bthread[- ]?\d+|\bpid[ =:]\d+|\[\d+\]|0x[0-9a-f]{6,}|\b[0-9a-f]{8}-[0-9a-f-]{27,}\b)", re.IGNORECASE)

CHATTER = re.compile(
    r"^(?:hi|hello|hey|dear|good (?:morning|afternoon)|thanks?|thank you|thx|best|regards|br|cheers|please|pls|kindly|fyi|urgent|"
    r"ok(?:ay)?|done|closing|"
    r"closed|resolved|fixed|solved|reopen(?:ed|ing)?|duplicate of|see |same as|any (?:update|news)|can (?:you|someone|we|anyone)|"
    r"could (?:you|someone|we)|"
    r"we (?:should|will|need|must|are going|plan)|i (?:will|am going|'ll|think|guess)|let(?:'s| us| me)|will |to be |looking into|"
    r"investigating|"
    r"checking|assigned|escalat|taking over|on it|waiting for|asked |call(?:ed|ing) |opened (?:a )?(?:case|ticket)|"
    r"customer (?:informed|confirmed)|"
    r"screenshots?|attached|see attach|as discussed|ticket )"
    r"|^(?:你好|您好|各位|大家好|谢谢|感谢|请|麻烦|辛苦|烦请|正在(?:排查|处理|查看|跟进)|收到|已(?:关闭|解决|恢复|处理|修复|联系|通知|"
    r"转|反馈|重启)|稍后|见附件|详见|如图|截图|"
    r"待|帮忙|建议|需要|后续|计划|申请)"
    r"|^(?:昨天|前天|上周|上个?月|之前|以前|平时|往常)(?:还|都|只|才|也)|^.{0,8}就这样(?:了)?[。.]?$"
    r"|^\W*(?:[\w-]+ ){0,3}again\W*$",
    re.IGNORECASE,
)
REFERENCE = re.compile(
    r"\b(?:same (?:as|like|issue as|problem as)|see(?: also)?|as in|like in|duplicate of|dup of|cf\.?|refer to) (?:ticket |issue )?#?"
    r"(?:[A-Z][A-Z0-9]+-\d+|[A-Z]{2,}\d{3,}|\d{4,})|(?:同|见|参见|参考|类似|重复)(?:于)?\s*(?:工单|单号|问题单)?\s*[:：#]?\s*(?:[A-Z][A-Z0-9]*-?\d{2,}|\d{4,})",
    re.IGNORECASE,
)
"""Another ticket that is said to be the same: nobody can see that on a system."""
QUESTION = re.compile(r"[?？]\s*$")
CJK = re.compile(r"[\u4e00-\u9fff]")
WORD = re.compile(r"[A-Za-z0-9_]+|[\u4e00-\u9fff]")
STATEMENT = re.compile(
    r"\d|\b(?:is|are|was|were|has|have|had|no|not|cannot|can't|does|do|did|full|empty|still|hung|frozen|missing|slow|slower|fast|down|up|stuck|"
    r"hang(?:s|ing)?|fail(?:s|ed|ing)?|"
    r"error|errors|exceed(?:s|ed)?|grow(?:s|ing)?|rises?|rose|drops?|dropped|increas\w+|decreas\w+|reject\w+|refus\w+|kill\w*|"
    r"crash\w*|restart\w*|"
    r"wait\w*|lock\w*|block\w*|time(?:s|d)? ?out|timeouts?|lag\w*|high|low|only|every|all|nearly|since|after|says?|shows?|stays?|"
    r"stopped|stops|never|"
    r"always|nothing|nobody|none|before|until|while|again|one|two|three|four|five|six|seven|eight|ten|half|twice|keeps?|sits?|arrives?|"
    r"duplicates?|exhausted|reached|spills?|spilled|unavailable|unreachable|red|yellow|read-only)\b|[\u4e00-\u9fff]",
    re.IGNORECASE,
)

VERB_FORM = re.compile(
    r"(?<=\w )(?:[a-z]{2,}(?:[^s\W]s|ed)|queue|spin|lose|get|see|take|go|run|come|return|disappear|appear|turn|answer)\b"
)
"""A word after the first that can be a verb by its ending."""

CAUSE_SAID = re.compile(
    r"(?:\b(?:the )?(?:actual |real |true |probable )?(?:root[- ]?cause|rca|the (?:cause|reason|culprit)|cause|"
    r"culprit)(?: of (?:this|the \w+))?\s*(?:is|was|were|turned out to be|[:=]|[-–—]+)\s*(?:that )?"
    r"|\b(?:was|were|is|got) caused by\s+|\bturned out (?:to be|that)\s+|\b(?:issue|problem|incident|outage|this) (?:was|"
    r"is) due to\s+|\btraced (?:it )?(?:back )?to\s+"
    r"|(?:根本原因|根因|故障原因|问题原因|具体原因|原因)\s*(?:是|为|在于|[:：=])\s*(?:因为|由于)?|(?:最终)?定位(?:到|为|"
    r"是)\s*[:：]?(?:由于)?|确认是\s*|经(?:排查|"
    r"分析)[，,]?(?:确认|发现)?是\s*)"
    r"(?P<cause>[^\n]{4,400})",
    re.IGNORECASE,
)
CAUSE_BEHIND = re.compile(r"(?:是|为)?(?:由于|由|因为|因)(?P<cause>[^\n，,。；]{3,120}?)(?:引起|导致|造成|所致)")
FIX_SAID = re.compile(
    r"(?:\b(?:fix(?:ed)?|solved|resolved|mitigated|solution|resolution|workaround|remedy)\s*(?:is|was|by|:|=|[-–—]+|with|via)\s*(?:to )?|"
    r"\bwhat helped(?: was| is|:)\s*|(?:解决方案|解决办法|解决方法|处理方案|处理方法|处理措施|修复方法|修复)\s*(?:是|为|"
    r"[:：=])\s*|通过(?=[^\n]{2,80}(?:解决|恢复|修复)))"
    r"(?P<fix>[^\n]{3,2000})",
    re.IGNORECASE,
)
CJK_COMMA = re.compile(r"\s*，\s*")
DEED = re.compile(
    r"^(?:(?:\w+ )?(?:we|i|he|she|they|ops|dba) (?:have |has |then )?)?(?:[\w-]+ly )?"
    r"(?:added|created|deleted|removed|dropped|raised|lowered|"
    r"increased|reduced|restarted|rebooted|rebuilt|rolled back|reverted|redeployed|upgraded|downgraded|patched|replaced|disabled|enabled|"
    r"switched|moved|cleared|purged|killed|scaled|resized|changed|set|reset|configured|renewed|rotated)\b"
    r"|^(?!.*\b(?:is|are|not|still|shows?) )"
    r"(?:the )?(?:[\w`'\".-]+ ){1,4}?(?:(?:has been|have been|was|were) )?(?:set|raised|lowered|increased|reduced|changed|rolled back|"
    r"reverted|switched|upgraded|downgraded|added|deleted|removed|rebuilt|replaced|patched) (?:to|from|by hand|and|on|in|with|again)\b"
    r"(?!.*\bby (?:the|an?|some) )"
    r"|^[\w.]+\s?=\s?[\w.'\"]+(?:[,;]|\s*$)|^(?!.*\b(?:is|are|was|were|has|shows?|says?|grew|went) )[^.]{0,80}\d\S*\s?(?:->|→|=>)\s?\d"
    r"|^(?:ALTER|KILL|SYSTEM|DROP|CREATE|VACUUM|OPTIMIZE|TRUNCATE|FLUSH|PURGE) [A-Z]"
    r"|已(?:经)?(?:添加|新增|增加|调整|修改|扩容|重启|回滚|清理|升级|降级|设置|删除|重建|切换|替换|关停|补充|加上|优化|更换|续期)",
    re.IGNORECASE,
)
"""What somebody at work did. It is no observation: the next incident does not have it."""
