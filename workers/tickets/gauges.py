"""Readings that say that all is well: "CPU is at 30 %", "memory is fine", 磁盘使用率 40%. Nobody finds a cause by being asked for them."""

import re

_GAUGE = (
    r"(?:the |its |host |server |database |db |system |current |avg\.? |average )*"
    r"(?:cpus?|memory|mem|ram|disks?(?: space)?|swap|heap|network|bandwidth|i/?o|iowait|load)"
    r"(?: (?:usage|use|utili[sz]ation|consumption|load|average|avg))*(?: (?:of|on) [\w.-]+)?"
)
_SMALL = r"(?:[0-9]|[1-5]\d|60)(?:\.\d+)?\s*(?:%|percent)|[0-4](?:\.\d+)?(?!\.?\d|\s*[\w%])"
"""A percentage in the lower half, or a load that any machine bears."""
_WELL = r"(?:quite |all |completely |totally )?(?:fine|normal|ok(?:ay)?|healthy|good|unremarkable|as usual|as always|inconspicuous)"
_ENGLISH = rf"{_GAUGE}(?: and {_GAUGE})?(?:\s*(?:is|are|was|were|looks?|stays?|at|around|about|of|[:=~≈,]))*\s*(?:{_SMALL}|{_WELL})"
_CHINESE = (
    r"(?:主机|服务器|数据库|系统|当前)?(?:的)?\s*(?:cpu|内存|磁盘|硬盘|网络|带宽|io|堆|负载)\s*(?:空间|平均)?(?:使用率|利用率|占用率|占用|使用|负载)?\s*"
    r"(?:都|均|也)?(?:为|是|在|约|大约|只有|仅|[:：=])*\s*"
    r"(?:(?:[0-9]|[1-5]\d|60)(?:\.\d+)?\s*%(?:左右|以下)?|(?:正常|无异常|没有异常|不高|空闲|没问题))"
)
_ONE = rf"(?:{_ENGLISH}|{_CHINESE})"
_WELL_ONLY = re.compile(rf"^\W*{_ONE}(?:(?:\s*[,，、;；/]\s*|\s+)(?:and |also |同时|且)?{_ONE})*\W*$", re.IGNORECASE)
_MOST = 200
"""Characters of such a statement."""


def is_all_well(text: str) -> bool:
    """Whether a statement consists of readings that are as they should be."""
    plain = " ".join(text.split())
    return len(plain) <= _MOST and _WELL_ONLY.match(plain) is not None
