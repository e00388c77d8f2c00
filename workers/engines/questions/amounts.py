"""Columns that hold amounts: those that make sense as a sum."""

import re

from workers.engines.questions.comments import names_in

_ADDED_UP = re.compile(
    r"amount|revenue|sales|freight|fee|cost|quantity|qty|volume|payment|refund|tax|spend|expense|paid|income|profit|commission|compensation|amt|turnover|shares|hours|points|consumption|usage|kilos|tonnes|lit(?:er|re)s",
    re.IGNORECASE,
)
_ADDED_UP_ZH = re.compile(r"量$|金额|费用|费$|件数|次数|人数|时长|工时|销售额|里程|积分")
_NOT_ADDED_UP_ZH = re.compile(r"^[年月]|率|比|均|单价|余额|限额|额度|上限|能力|(?:容|重|质|含|剂|存|流|能|限|浓)量|每")
_NOT_ADDED_UP = re.compile(r"price|rate|ratio|avg|average|per_|percent|pct|balance|limit|budget|unit|annual|yearly|monthly", re.IGNORECASE)


def is_added_up(column: str, comment: str = "") -> bool:
    """Whether values of a column of this name make sense as a sum: freight and quantities, but not prices. A Chinese comment says it too:
    用水量（立方米）."""
    if _NOT_ADDED_UP.search(column):
        return False
    name = next(iter(names_in(comment)), "")
    return bool(_ADDED_UP.search(column)) or (bool(_ADDED_UP_ZH.search(name)) and not _NOT_ADDED_UP_ZH.search(name))
