"""The words of databases in Chinese and English: enough to see that two recommendations in two languages ask the same."""

import re

_TERMS = {
    "死锁": "deadlock", "锁": "lock", "等待": "wait", "阻塞": "block", "会话": "session", "连接池": "pool", "连接": "connection",
    "事务": "transaction", "查询": "query", "语句": "statement", "索引": "index", "全表扫描": "sequential scan",
    "顺序扫描": "sequential scan", "扫描": "scan", "统计信息": "statistics", "执行计划": "plan", "计划": "plan",
    "嵌套循环": "nested loop", "估算": "estimate", "行数": "row", "临时文件": "temporary file", "文件": "file", "排序": "sort",
    "磁盘": "disk", "内存": "memory", "缓存": "cache", "缓冲": "buffer", "检查点": "checkpoint", "日志": "log",
    "归档": "archive", "复制": "replication", "延迟": "lag", "主库": "primary", "备库": "standby", "从库": "standby",
    "膨胀": "bloat", "死元组": "dead tuple", "自动清理": "autovacuum", "清理": "vacuum", "分区": "partition", "网络": "network",
    "超时": "timeout", "错误": "error", "失败": "fail", "重试": "retry", "写入": "write", "读取": "read", "更新": "update",
    "删除": "delete", "插入": "insert", "使用率": "usage", "利用率": "usage", "占用率": "usage", "空间": "space",
    "目录": "directory", "进程": "process", "线程": "thread", "参数": "parameter", "慢": "slow", "大量": "many", "很多": "many",
    "许多": "many", "增长": "grow", "上升": "rise", "下降": "drop",
}  # fmt: skip
_KNOWN = re.compile("|".join(sorted(_TERMS, key=len, reverse=True)))


def in_english(text: str) -> str:
    """The terms of a Chinese text in English, with what of it is Latin, in their order; the rest of it is left out."""
    terms = _KNOWN.sub(lambda match: f" {_TERMS[match[0]]} ", text)
    return " ".join("".join(character if character.isascii() else " " for character in terms).split())
