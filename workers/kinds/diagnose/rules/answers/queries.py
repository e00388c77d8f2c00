"""Questions of the user in an answer: "why?", "what do you know so far?", "可能的原因有哪些".

A clause that is such a question and nothing else is taken out of the answer: it is neither a finding nor a symptom. A
sentence that only begins like one ("why do you ask about the pool while the disk is full") is a question and stays where
it is as well, so that no symptom is lost. "Why is the disk full" is no question to us.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from contracts.diagnose.deliverables import Finding, UserQuery
from workers.kinds.diagnose.rules.answers.tokens import lex
from workers.kinds.diagnose.rules.answers.words import Kind


@dataclass(frozen=True)
class AskedBack:
    """A question of the user, and its position in the answer."""

    query: UserQuery
    start: int
    end: int
    whole: bool
    """Whether the clause contains nothing else. Otherwise it stays in the answer."""
    bare: bool
    """A mere noun ("status"), which beside prose may be part of a pasted table."""


_WORDS_BEFORE = 40
"""Answer words of a clause behind which a question is looked for: "1 yes 2 no why?"."""

_LEAD = (
    "(?:(?:so|then|and|but|ok|okay|well|hm+|sorry|please|hey|first|can you|could you|would you|explain|tell me|i wonder"
    "|那么|那|可是|但是|但|请问一下|请问|请|告诉我|解释一下|解释|说明|想问一下|我想知道|能说说|说说|说一下|讲讲|show me)[,，]? ?){0,4}"
)
_ONE = "(?:(?:items?|numbers?|no[.]|nr[.]?|questions?|points?|第|#) ?)?(?:[0-9]{1,2}|[一二三四五六七八九十])(?: ?[个项条点号])?(?:问题)?"
_ITEMS = f"{_ONE}(?: ?(?:,|，|、|and|or|&|和|与|跟|及) ?{_ONE}){{0,9}}"
_THAT = (
    f"(?:{_ITEMS}|it|this|that|these|those|them"
    f"|(?:this|that|these|those|the) (?:questions?|items?|things?|phenomena|checks?)(?: {_ITEMS})?)"
)
_ASK = "(?:ask(?:ing)?|want(?:ing)? to know|need(?:ing)? to know|want|need|care|check(?:ing)?)"
_YOU_ASK = f"(?:do|are|did|would|should|must) (?:you|we|i|they) (?:be )?{_ASK}"
_ZH_THAT = f"(?:{_ITEMS}|[这那](?:个|些|[一二三两]?项|几个|几项|三个|两个|一点|样)?(?:问题|现象)?|它们?|我)"
_ZH_ASK = "(?:问|查|检查|核对|确认|核实|看|了解|关心|关注)"
_ZH_WHY = "(?:为什么|為什麼|为何|為何|为啥|凭什么)"
_ZH_YOU_ASK = f"(?:你们|你)?{_ZH_WHY}(?:你们|你)?(?:要|会|还|需要|先|得){{0,3}}"
_NOW = "(?:到目前为止|截至目前|目前|现在|当前|至今|迄今)?"
_SO_FAR = "(?: (?:already|so far|until now|by now|now|yet|at the moment)){0,2}"
_KNOW = "(?:know|known|got|learned|learnt|found out|found|find out|find|ruled out|have)"
_KIND_OF = "(?:most|possible|likely|probable|candidate|current|root|top)"
_CAUSES = "(?:causes?|hypothes[ie]s|candidates|suspects?|suspicions?|guess|guesses|theory|theories)"

_TELL = "(?:t(?:old|ell)|sa(?:id|y)|answer|answered|report|reported|given|give|confirm|confirmed|denied|deny)"
_ZH_TELL = "(?:说|讲|提|回答|反馈|提供|告诉|确认|否认|描述|报告)"
_ZH_JUST = "(?:刚才|刚刚|之前|前面|先前|已经|目前|到目前为止|到底|都)"
_SOMETHING = r"[^,，;；。.?？!！\r\n]{1,60}?"

_WHOLE: dict[UserQuery, tuple[str, ...]] = {
    UserQuery.WHY: (
        f"why(?: (?:so|is that|that|this|these|those|not|though|exactly))?(?: {_ITEMS})?",
        f"why (?:{_YOU_ASK}|you {_ASK})(?: me)?(?: (?:about|for|to check))?(?: {_THAT})?",
        f"why (?:is|are|does|do|would|should) {_THAT} (?:asked|important|relevant|needed|necessary|useful|interesting|matter|help)",
        f"how (?:is|are|does|do|would) {_THAT} (?:relevant|important|help|matter)",
        f"(?:what is|what's|what are) {_THAT} (?:good )?for|what for|how come|for what reason|on what grounds|based on what",
        f"(?:what is|what's|what are) (?:the|your) (?:reasons?|reasoning|rationale|basis|point)(?: (?:for|behind|of) (?:asking )?{_THAT})?",
        f"what makes you ask(?: {_THAT})?|reasons? for (?:asking )?{_THAT}|explain {_THAT}",
        f"{_ITEMS} ?:? ?(?:why|{_ZH_WHY})",
        f"{_ZH_WHY}(?:这么说|这样说|这么问|这样问)?|{_ZH_WHY}是?{_ZH_THAT}|{_ZH_YOU_ASK}{_ZH_ASK}(?:{_ZH_THAT})?",
        f"{_ZH_ASK}(?:{_ZH_THAT})?的?(?:依据|原因|理由|目的|意义|用意)(?:是什么|何在)?",
        f"{_ZH_ASK}{_ZH_THAT}(?:干什么|干嘛|做什么|有什么用|有啥用)",
        "(?:你的|有什么|有何|什么)(?:依据|理由|根据)|(?:你的)?(?:依据|理由)(?:是什么|是啥|何在|在哪)|根据什么|何出此言",
    ),
    UserQuery.PROGRESS: (
        f"what (?:(?:do|did|have) )?(?:you|we)(?: already)? {_KNOW}{_SO_FAR}",
        f"(?:the |your )?(?:current )?(?:status|progress|summary)(?: (?:so far|please|report|update))|any progress{_SO_FAR}|so far",
        f"(?:the |your )?current (?:status|progress)|sum (?:it )?up{_SO_FAR}|summari[sz]e{_SO_FAR}",
        f"(?:what is|what's|how is) (?:the |your )?(?:current )?(?:status|progress|state of things|summary){_SO_FAR}",
        f"where (?:do|are) (?:we|you|things)(?: stand)?{_SO_FAR}|how far (?:are we|are you|along are we)",
        f"what (?:is|has been|was) (?:known|confirmed|established|found|denied|ruled out){_SO_FAR}",
        f"{_NOW}(?:你们|你|我们)?(?:都|已经){{0,2}}(?:知道|了解|掌握|确认|确定|排除|发现)到?了?(?:些什么|什么|啥|哪些|多少|什么信息|什么情况)",
        f"{_NOW}的?(?:诊断|排查|分析)?(?:进展|进度|状态|状况|情况)(?:如何|怎么样|怎样|是什么|到哪了|到哪一步了)",
        "(?:目前|现在|当前)的?(?:诊断|排查|分析)?(?:进展|进度|状态|状况|情况)|(?:诊断|排查|分析)(?:进展|进度)",
        f"(?:目前|现在|当前)是?(?:什么|啥|怎样的|怎么样的?)(?:情况|状态|进展|进度)|{_NOW}(?:进行|查|诊断|排查|分析)到(?:哪里|哪儿|哪一步|哪)了?",
        "(?:总结|汇总|小结)一下|(?:目前|现在)的?(?:结论|总结|小结)(?:是什么)?",
        f"what (?:have|did) (?:i|we)(?: already| just)? {_TELL}(?: you| to you)?{_SO_FAR}",
        f"what (?:i|we) (?:have )?{_TELL}(?: you)?{_SO_FAR}",
        f"(?:what do you|do you) (?:remember|understand)(?: of)?(?: what i {_TELL}(?: you)?)?{_SO_FAR}",
        f"recap|what (?:did|have) you noted?{_SO_FAR}",
        f"(?:repeat|list|recap|show me) what (?:i|we) (?:have )?{_TELL}(?: you)?{_SO_FAR}",
        f"{_ZH_JUST}?我{_ZH_JUST}{{0,3}}(?:跟你|和你|对你|给你)?{_ZH_TELL}(?:过|了|的)?你?(?:过|了|的)?(?:是)?些?(?:什么|哪些|啥)(?:内容|信息|现象)?",
        f"你(?:都|还)?记(?:得|住|下)(?:了)?(?:我{_ZH_TELL}(?:过|了|的)?)?(?:什么|哪些|啥)",
    ),
    UserQuery.HYPOTHESES: (
        f"(?:what|which)(?: (?:are|is))?(?: (?:the|your))?(?: {_KIND_OF}){{0,4}} {_CAUSES}"
        "(?: (?:are|is|do you|could be|would be|seem|look)){0,2}"
        "(?: (?:possible|likely|left|open|in question|under consideration|considered|see|consider|have|suspected|suspect|most likely"
        "|now|so far|at the moment|it|be)){0,3}",
        "what (?:(?:do|are) )?you (?:suspecting|suspect|think (?:it is|is wrong)|think|guess)(?: (?:so far|now))?",
        "what (?:could|might|may|would|can) (?:it be|cause (?:it|this|that)|be (?:the|a) (?:root )?cause|be behind (?:it|this|that))",
        "(?:the |your )?(?:current|possible|likely|root) (?:root )?(?:hypothes[ie]s|suspects|candidates|causes?)(?: (?:so far|please))?",
        f"{_NOW}都?有?(?:哪些|什么|哪几个|几个)最?(?:可能|候选|潜在|疑似)的?(?:根因|根本原因|原因|假设)",
        f"{_NOW}最?(?:可能|候选|潜在|疑似)的?(?:根因|根本原因|原因|假设)(?:都有|还有|有|是)?(?:哪些|什么|啥|哪几个|几个)?",
        f"{_NOW}(?:还有|都有|有)(?:哪些|什么|哪几个)(?:可能性|可能|假设|嫌疑|怀疑对象|怀疑|候选根因|候选)",
        f"{_NOW}(?:你们|你)?{_NOW}最?(?:怀疑|猜测|推测|认为|觉得)的?(?:可能是|会是|是)?(?:什么|啥|哪些|哪个|谁|哪里)(?:原因|问题|根因)?",
        f"{_NOW}的?(?:假设|猜测|怀疑对象|候选根因|嫌疑|根因|根本原因|原因)(?:可能)?(?:会是|是|有)(?:什么|哪些|啥)",
        "(?:会|可能)是什么(?:原因|问题)|是什么原因",
    ),
    UserQuery.MEANING: (
        f"what do you mean(?: (?:by|with) {_SOMETHING})?|what (?:does|do|did) {_SOMETHING} mean|what do you want(?: from me| to know)?",
        f"what (?:is|are) (?:the )?meaning of {_SOMETHING}|what is meant(?: by {_SOMETHING})?",
        f"meaning(?: of {_SOMETHING})?|pardon|come again|huh",
        f"i (?:do not|don't|dont|did not|didn't) (?:understand|get)"
        f"(?: (?:you|it|that|this|the question|{_ITEMS}|what you (?:mean|want|ask)))?",
        f"(?:rephrase|clarify|reword)(?: (?:it|that|this|the question|{_ITEMS}))?",
        f"(?:{_SOMETHING})?(?:到底)?是?(?:什么|啥|何)意思|(?:{_SOMETHING})?(?:的)?含义(?:是什么)?|什么是{_SOMETHING}|我?(?:没|看不|听不)(?:看|听)?懂",
    ),
}
"""Clauses that are a question to us from one end to the other. A space stands for any, but for no line break."""

_BARE: dict[UserQuery, str] = {
    UserQuery.WHY: "reasons?|explain|依据|理由|原因",
    UserQuery.PROGRESS: "status|progress|summary|进展|进度|状态|状况|情况|总结|小结",
    UserQuery.HYPOTHESES: "(?:(?:the|your) )?(?:hypothes[ie]s|suspects|candidates)|(?:root )?causes?|假设|怀疑对象|候选根因|根因|根本原因",
}

_BEGUN: dict[UserQuery, tuple[str, ...]] = {
    UserQuery.WHY: (f"why {_YOU_ASK}(?![a-z])", f"{_ZH_YOU_ASK}(?:问|查|检查|核对|确认|核实)"),
    UserQuery.PROGRESS: (
        "what (?:do|have) (?:you|we)(?: already)? (?:know|learned|learnt|found out)(?![a-z])",
        f"{_NOW}(?:你们|你)知道(?:什么|哪些)",
    ),
    UserQuery.HYPOTHESES: (
        "(?:what|which)(?: (?:possible|likely|root)){0,2} (?:causes?|hypothes[ie]s) (?:do|are|is|would|could)(?![a-z])",
        "what do you suspect(?![a-z])",
        "可能的(?:根因|原因)[有是](?:哪些|什么)|(?:你们|你)怀疑(?:什么|哪些)",
    ),
}
"""How a sentence begins that asks us something and goes on."""

_BLANK = r"[^\S\r\n]"
_TAIL = rf"(?:{_BLANK}*(?:呢|啊|呀|吗|吧|嘛|then|though|please|now|exactly)){{0,2}}{_BLANK}*[\"'”’)\]]?[?？!！]{{0,9}}[\"'”’)\]]?"
_END = rf"(?={_BLANK}*(?:[,，;；。!！\r\n]|[.](?:\s|$)|[.]{{3}}|…|$)|(?<=[?？]))"
_SEPARATOR = re.compile(r"[,，、;；。!！?？\r\n]|[.](?=\s)")


def _spaced(pattern: str) -> str:
    """A pattern with its spaces as any blanks: " ?" may be missing."""
    return re.sub(r" (\?)?", lambda found: _BLANK + ("*" if found[1] else "+"), pattern)


def _any_of(found: dict[UserQuery, tuple[str, ...]], end: str) -> re.Pattern[str]:
    each = "|".join(f"(?P<{query.value}>{_spaced('|'.join(patterns))})" for query, patterns in found.items())
    return re.compile(f"{_spaced(_LEAD)}(?:{each}){end}", re.IGNORECASE)


_QUESTION = _any_of(_WHOLE, _TAIL + _END)
_NOUN = _any_of({query: (pattern,) for query, pattern in _BARE.items()}, _TAIL + _END)
_OPENING = _any_of(_BEGUN, "")


def asked_back(text: str) -> list[AskedBack]:
    """The questions to us in an answer, in order, none inside another. `text` is `narrow`."""
    found: list[AskedBack] = []
    at = 0
    while at < len(text):
        separator = _SEPARATOR.search(text, at)
        end = separator.start() if separator else len(text)
        question = next((query for place in _places(text[:end], at) if (query := _question_at(text, place)) is not None), None)
        if question is not None:
            found.append(question)
            at = question.end
            if question.whole:
                continue
            separator = _SEPARATOR.search(text, at)
        at = separator.end() if separator else len(text)
    return found


def taken_out(text: str, found: list[AskedBack]) -> str:
    """The answer with line breaks in the place of these questions, so that all positions stay."""
    for query in found:
        if query.whole:
            text = text[: query.start] + "\n" * (query.end - query.start) + text[query.end :]
    return text


def _places(text: str, clause: int) -> Iterator[int]:
    """Where a question may begin in the clause that the text ends with: first, or behind an answer, but not behind "don't
    know": "don't know why" asks nothing."""
    at = len(text) - len(text[clause:].lstrip(" \t\r\n\"'“‘(["))
    yield at
    for token in lex(text, at, limit=_WORDS_BEFORE):
        if token.kind is Kind.VERDICT and token.word.finding is not Finding.UNKNOWN:
            yield len(text) - len(text[token.end :].lstrip(" \t"))


def _question_at(text: str, at: int) -> AskedBack | None:
    for pattern, whole, bare in ((_QUESTION, True, False), (_NOUN, True, True), (_OPENING, False, False)):
        if (match := pattern.match(text, at)) is not None:
            asked = bare and not match[0].rstrip("\"'”’)]").endswith(("?", "？"))
            return AskedBack(UserQuery(match.lastgroup or ""), match.start(), match.end(), whole, asked)
    return None
