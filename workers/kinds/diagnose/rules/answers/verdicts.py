"""Which way a clause goes: it holds, it does not, nobody knows, or it will be looked up later. Negation is read with its scope.

"is fine" and "is gone" deny, "holds" and "is full" confirm, and a negation turns either round: "isn't normal" confirms. Two
negations cancel each other. "not just", "不仅" and names with a "not" inside (`ModuleNotFoundError`) negate nothing. A hedge ("probably",
好像) takes its side.
"""

import re
from dataclasses import dataclass
from enum import Enum

from contracts.diagnose.deliverables import Finding


class Says(Enum):
    """What a clause does."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"
    LATER = "later"
    """Will be looked up: asked again."""
    NOTHING = "nothing"
    """Neither verdict nor negation: its content decides."""


@dataclass(frozen=True)
class Verdict:
    """How a clause goes, and whether it said so in a word of its own (`fine`, `yes`) or only by a negation before its content."""

    says: Says
    own_word: bool

    @property
    def finding(self) -> Finding | None:
        """As a finding; None where it gives none."""
        return {Says.HOLDS: Finding.CONFIRMED, Says.FAILS: Finding.DENIED, Says.UNKNOWN: Finding.UNKNOWN}.get(self.says)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_LATER = _any(
    r"\b(?:i'?ll|i will|we'?ll|we will|let me|going to|gonna|about to)\b(?! (?:be|say))",
    r"\b(?:one moment|one sec|hang on|hold on|give me a|in a (?:minute|moment|sec)|(?:still )?waiting (?:for|"
    r"on) (?:the |my |our |an? )?(?:\w+ )?(?:teams?|colleagues?|dbas?|admins?|ops|vendor|access|approval|someone|"
    r"him|her|them|answer|reply)|(?:just )?waiting (?:for you|"
    r"on)|will (?:check|look|get back)|checking now|later|"
    r"asking|have to (?:ask|check|look)|need to (?:ask|check|look)|tbd)\b",
    r"^\W{0,3}(?:now |still |currently |just ){0,2}(?:checking|looking (?:at|into|up|for)|verifying|querying|grepping|testing)\b"
    r"(?!.{0,60}\b(?:shows?|gives?|returns?|says?|is|are|was|found)\b)",
    r"^\W{0,3}(?:正在|在)(?:查|看|核对|检查|确认)",
    r"稍等|等一下|等下|等会|待会|一会儿?再|马上(?:看|查)|(?:我|我们)?(?:去|再|先)(?:看|查|问)|要等|还在(?:查|看|等)|回头|晚点",
)
_UNKNOWN = _any(
    r"\b(?:can ?not|can'?t(?! be\W{0,3}$)|could ?n[o']t|couldn'?t|could not|not able to|unable to|no way to|not allowed to|"
    r"no (?:access|permissions?|rights?|idea|clue|means))\b(?![^.;]*\bany\b)",
    r"\b(?:do not|don'?t|dont|did not|didn'?t) (?:really )?know\b(?! why)|\bdunno\b|\bidk\b|\bno one knows\b|"
    r"\bunknown\b|\bunclear\b|\bnot (?:so |really |entirely |quite )?(?:sure|certain|clear|known)\b",
    r"\b(?:have ?n[o']t|haven'?t|havent|have not|had no time to|did ?n[o']t|didn'?t|not|never|nobody|without) (?:yet )?(?:look|"
    r"check|cheq|tr[iy]|verif|measur|test|chk)\w*",
    r"\b(?:i'?d|would|we'?d) need\b|\b(?:do not|don'?t|dont) have (?:the |any )?(?:access|keys?|api key|password|"
    r"login|rights?|permissions?|tools?|credentials)\b|\bwhich i (?:do not|don'?t) have\b",
    r"\bno way (?:for us |for me )?to (?:see|check|tell|know|look)\b|\bwon'?t be able\b|\bhard to (?:say|tell)\b|\b(?:maybe|perhaps|"
    r"50/50|fifty[- ]fifty|could go either way|"
    r"might be|n/?a|skip)\b|\bwho knows\b|\bhow would i (?:know|see)\b",
    r"没(?:有)?(?:权限|办法|法|条件|时间|来得及|机会)|无法(?=看|查|确|判|检|得|获|登|访)|没(?:有)?(?:去)?(?:看|查|测|检查|确认|"
    r"关注|注意|留意)(?!到|见)过?|"
    r"看不(?:到|了|出|见)|查不(?:到|了|出)|登不上|连不上|进不去",
    r"不(?:太|是很|大|怎么)?(?:清楚|知道(?!为)|确定|了解|好说|晓得|懂|明白|敢说|能确认)|说不(?:准|清|好)|不一定|也许|可能吧|或许|"
    r"未知|拿不准|没数",
)
_NORMAL = _any(
    r"\b(?:fine|ok|okay|normal|healthy|good|fresh|clean|green|quiet|idle|alright|all right|no (?:problems?|"
    r"issues?|trouble)|nothing (?:unusual|abnormal|odd|special)|"
    r"as usual|up to date|in order|stable|calm|great|perfect|nominal|works?|working|plenty|caught up|keeps up|in sync|right behind)\b",
    r"(?<![a-z])正常|健康|还好|挺好|良好|没问题|没有问题|没毛病|没啥问题|无异常|没有异常|没异常|没事|稳定|平稳|挺空|很空|很闲",
)
_ABSENT = _any(
    r"\b(?:gone|(?<!went )(?<!goes )(?<!go )(?<!going )(?<!set )off(?! the| to| and on| by)|can'?t be|cannot be|cleared|disabled|"
    r"fixed|solved|resolved|disappeared|vanished|stopped|false|wrong|incorrect|negative|absent|exclude|"
    r"ruled out|rule out|rule it out|excluded|untrue|rubbish|nonsense|no longer|not any ?more|"
    r"out of the question|zero|0 hits|nothing|clear of)\b",
    r"可以排除|能排除|排除了?|不存在|消失|好了|恢复了|已解决|否|不对|不是的|木有|冇|没了|为零|为0|是0",
)
_PRESENT = _any(
    r"\b(?:true|right|correct|holds?|the case|happening|happens|present|positive|confirmed?|exactly|indeed|"
    r"affirmative|there|applies|spot on|yes|yep|yeah|yup|sure|certainly is|"
    r"(?:think|believe|guess|suppose|reckon|assume) so|abnormal|visible|so it is|does occur|occurs|bad|terrible|broken)\b",
    r"是的|确实|属实|对的|没错|成立|存在|(?:^|[^没])有的|确认|符合|异常|出现",
)
_NO = re.compile(r"\b(?:no|nope|nah|nay|negative|nein|non)\b", re.IGNORECASE)
_NOT = _any(
    r"\b(?:not(?! (?:just|only|merely|every|to mention|sure|least))|never|none|neither|nor|without|hardly|barely|"
    r"aint|cannot)\b|n't\b|\b(?:isnt|arent|dont|doesnt|didnt|wasnt|werent|hasnt|havent|cant)\b",
    r"没有|没(?!错)|未(?!分配|知)|无(?![法论])|不(?![仅只光单但过错同断少足太一])|并非|非(?!常)|别(?=的)(?!的)",
)
_FEW = re.compile(
    r"\b(?:low|lower|small|short|few|little|tiny|empty|quick|fast|free)\b|很低|不高|较低|很小|很少|不大|很短|很快|才|只有|空闲",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"\b(?:high|higher|full|many|lots?|tons|huge|long|slow|growing|rising|loads?|plenty of|constantly|always|"
    r"often|keeps?|again and again|all (?:the time|day|night)|stuck|still|hang(?:s|ing)?|every|everywhere)\b"
    r"|很高|偏高|太高|满|很多|大量|不断|一直|频繁|反复|总是|卡|堵|全是|到处|老是|还在|爆",
    re.IGNORECASE,
)
_FAST = re.compile(
    r"\b(grow|ris|increas|climb|fill|pil|leak|happen|com|spread|escalat|eat)(\w* )(?:up |in |on |really |very |so |too |pretty ){0,2}"
    r"(?:fast|quick(?:ly)?|rapid(?:ly)?)\b",
    re.IGNORECASE,
)
"""How fast something grows is no small value."""
_LEADING_NO = re.compile(
    r"^\W{0,3}(?:no|nope|nah)\W{1,3}(?=(?:it|they|we|there|that|this|the)(?:'s|s|'re)?\b[^.;\n]{0,60}(?:\bnot\b|n't\b))", re.IGNORECASE
)
"""The "no" of "no, it's not growing" says once more what follows."""
_SMALL_CJK = re.compile(r"(?:不|没(?:有)?)(?:那么|怎么|算|太|是很|很)?(?:高|大|多|长|满|慢|频繁|严重)")
_NAME = re.compile(r"(?<![A-Za-z])[A-Za-z]+[a-z][A-Z]\w*|(?<!\w)(?:\w+_\w+|\w+\.\w+\.\w+|\w+-\w+-\w+)")


def verdict_of(clause: str, upward: int = 0, *, denies: bool = False) -> Verdict:
    """How a clause about an item goes. `upward`: 1 where the item asks whether something is much, -1 whether it is little. `denies`: the
    item itself says that something is missing ("does not move")."""
    clause = _LEADING_NO.sub("", _SMALL_CJK.sub("很低", clause))
    clause = _FAST.sub(r"\1\2constantly", _NAME.sub(" ", clause.replace("’", "'")))
    if _LATER.search(clause):
        return Verdict(Says.LATER, own_word=True)
    if _UNKNOWN.search(clause):
        return Verdict(Says.UNKNOWN, own_word=True)
    normal = _NORMAL.search(clause)
    rest = _NORMAL.sub(" ", clause)
    absent = _ABSENT.search(rest)
    rest = _ABSENT.sub(" ", rest)
    present = _PRESENT.search(rest)
    no = _NO.search(rest)
    negated = len(_NOT.findall(_PRESENT.sub(" ", rest) if not present else rest)) % 2 == 1
    if normal or absent:
        return _verdict(fails=not negated)
    if present and not no:
        return _verdict(fails=negated)
    if no and present:  # "yeah no"
        return _verdict(fails=True)
    if no:
        alone = not re.sub(r"[\s\W_]+", "", _NO.sub("", rest))
        return Verdict(Says.FAILS, own_word=alone) if not negated else Verdict(Says.HOLDS, own_word=False)
    few, many = _FEW.search(rest), _MANY.search(rest)
    if upward and bool(few) != bool(many):
        goes_up = bool(many) != negated
        return _verdict(fails=goes_up != (upward > 0))
    if negated != denies:
        return Verdict(Says.FAILS, own_word=False)
    return Verdict(Says.HOLDS, own_word=False) if many and not negated else Verdict(Says.NOTHING, own_word=False)


def _verdict(*, fails: bool) -> Verdict:
    return Verdict(Says.FAILS if fails else Says.HOLDS, own_word=True)
