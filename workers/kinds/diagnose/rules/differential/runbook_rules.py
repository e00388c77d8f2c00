"""Rules of a runbook as what they look for: "search the log for `exit(0)`; if it does not appear the database did not end normally" asks
whether `exit(0)` does not appear in the log. Its conclusion is the author's, and no person can see it."""

import re

_CONCLUDES = re.compile(r"[，,]?\s*(?:则|就)(?:可以?|能)?(?:认为|说明|表明|判断|断定|确定)[^\n]*$")
_CONDITION = re.compile(
    r"[，,；;]?\s*(?:如果|若|如)?(?:(?P<denial>未出现|没有出现|未发现|没有发现|没有|未|无|不存在)|(?:有|出现|存在|发现)(?:此关键字|该关键字)?)\s*$"
)
_WHETHER = re.compile(
    r"(?P<where>[^，,。；]{0,60}?)\s*(?:观察|查看|检查|确认)?\s*是否(?P<is>存在|有|出现|包含)\s*(?P<what>[^，,。；]{2,80})"
)
_SEARCH = re.compile(
    r"^(?:\d+[.、)]\s*)?(?:首先|先|再)?(?:进入|打开|登录|在|查看)?\s*(?:(?P<where>[^，,。；]{2,60}?日志)(?:中|里|下)?[，,]?\s*)?"
    r"(?:搜索|查找|检索)(?:关键字|关键词)?\s*(?P<what>[^，,。；]{2,80})$"
)
_LOOK = re.compile(r"^(?:观察|查看|检查|确认)\s*")
_NOT = {"存在": "不存在", "有": "没有", "出现": "没有出现", "包含": "不包含"}


def looked_for(text: str) -> str:
    """What a rule looks for; a text that is no such rule as it is."""
    concluded = _CONCLUDES.search(text)
    if concluded is None:
        return text
    head = text[: concluded.start()]
    condition = _CONDITION.search(head)
    is_denied = condition is not None and bool(condition["denial"])
    head = (head[: condition.start()] if condition else head).strip()
    if whether := _WHETHER.search(head):
        seen = _NOT[whether["is"]] if is_denied else whether["is"]
        return f"{head[: whether.start()]}{_LOOK.sub('', whether['where'])}{seen}{whether['what']}".strip()
    if searched := _SEARCH.match(head):
        return f"{(searched['where'] or '').strip()}{'没有出现' if is_denied else '出现'} {searched['what'].strip()}"
    return "" if condition else text
