"""A new question in the place of an answer: typed while a question of ours is open, it replaces what was asked before.

An answer to "what do you mean by it?" is short, or explains. Taken for a new question is only what opens like a question or an order, is
long enough to be complete, and points at nothing that was said before. What is not sure stays an answer.
"""

import re
from collections.abc import Sequence

from workers.engines.whole_messages import Cues, is_whole_message
from workers.kinds.ask.rules.following import definitions_in

_LEAVES = r"^\W*(?:(?:no|ok(?:ay)?|well|sorry|actually|wait|never mind|forget (?:it|that)|another question|new question)\b\W*)*"
_ENGLISH = Cues(
    least=4,
    order=re.compile(
        _LEAVES
        + r"(?:(?:please|can you|could you)\W+)*(?:list|show(?: me)?|give me|count|compare|plot|draw|find|write|generate|explain|fix|"
        r"delete|remove|drop|update|insert|top \d+)\b",
        re.IGNORECASE,
    ),
    question=re.compile(
        _LEAVES + r"(?:how (?:many|much|long|often)|which|whose|who|when|where|what(?:'s| (?:is|are|was|were|share|percentage))|"
        r"(?:is|are|was|were) there|do we|did we)\b",
        re.IGNORECASE,
    ),
)
_CHINESE = Cues(
    least=6,
    order=re.compile(
        r"^\W*(?:(?:算了|不了|换个问题|另外|请|帮我|麻烦)\W*)*"
        r"(?:列出|统计|查询|查一下|显示|展示|给我|比较|对比|写|生成|画|解释|修复|删除|更新|按.{1,8}(?:统计|汇总))"
    ),
    question=re.compile(r"多少|几[个家条次名人种位]|哪|谁|什么|是否|有没有|最[高低多少大小新早近晚]|占比|比例|怎么|如何"),
)
_POINTS_BACK = re.compile(
    r"\b(?:you|mean|meant|it|them|they|those|these|ones?|instead|same)\b|我(?:说|指)的|意思|你|它|他们|她|这[个些样种]|那[个些样种]|就是|也就是|指的是",
    re.IGNORECASE,
)


def is_new_question(reply: str) -> bool:
    """Whether a reply to a question of ours is a complete question or order of its own."""
    text = reply.strip()
    if definitions_in(text) or _POINTS_BACK.search(text):
        return False
    return is_whole_message(text, _ENGLISH, _CHINESE)


def since_new_question(parts: Sequence[str]) -> tuple[str, ...]:
    """The question and the replies to ours, from the newest complete question on."""
    begin = next((place for place in range(len(parts) - 1, 0, -1) if is_new_question(parts[place])), 0)
    return tuple(parts[begin:])
