"""The vocabulary of answers: words for yes, no and don't know, for all, the rest and except, in English and Chinese.

Every word says how far it reaches (`Hold`), because "no" is an answer and "no space left on device" is a symptom.
"""

import re
from dataclasses import dataclass
from enum import Enum, IntEnum

from contracts.diagnose.deliverables import Finding


class Kind(Enum):
    """What a token does in an answer."""

    NUMBER = "number"
    VERDICT = "verdict"
    UNCLEAR = "unclear"
    """Half an answer: "not all", "some of them"."""
    ALL = "all"
    REST = "rest"
    ONLY = "only"
    EXCEPT = "except"
    LINK = "link"
    """`but`, `and`, `also`: ends prose, carries no answer."""
    FILL = "fill"
    """`is`, `:`, `thanks`: carries nothing."""


class Hold(IntEnum):
    """When a verdict that prose follows without a separator is still an answer."""

    ALONE = 0
    """Never: "normal users are blocked"."""
    NUMBERED = 1
    """After a number: "1 no errors at all", but not "no errors at all"."""
    PRONOUN = 2
    """Also where the prose goes on like a sentence: "no it is idle", but not "no space left"."""
    FREE = 3
    """Always: "yes the disk is full"."""


@dataclass(frozen=True)
class Word:
    """One entry of the vocabulary."""

    kind: Kind
    finding: Finding | None = None
    hold: Hold = Hold.ALONE
    leads: bool = False
    """Speaks of the numbers after it only: "I see 1 and 3", "not 2"."""
    needs_subject: bool = False
    """Too weak on its own: "1 ok" says that item 1 is normal, "ok" may be a mere acknowledgement."""


_YES, _NO, _UNKNOWN = Finding.CONFIRMED, Finding.DENIED, Finding.UNKNOWN

OPPOSITE = {_YES: _NO, _NO: _YES}
"""What a denial of a finding says. Nothing is the opposite of "don't know"."""

_NOT_ITEM = "not item"
"""What a "not" directly before a number becomes: "1 and 2, not 3". It speaks of that number only."""

_HOLDS = "the case|true|happening|there|present|right|correct|so|abnormal|visible|possible"
_NEGATED = ("is not", "isn't", "are not", "aren't", "was not", "wasn't", "does not seem to be", "not")
_NOT_HOLDING = "|".join(f"{negation} {holds}" for negation in _NEGATED for holds in _HOLDS.split("|") if holds not in ("abnormal", "so"))
_NOT_BAD = "|".join(
    f"{negation} {bad}"
    for negation in _NEGATED
    for bad in ("wrong", "false", "untrue", "fine", "ok", "okay", "normal", "good", "healthy", "clean")
)
_CANNOT = "|".join(
    f"{who}{cannot} {do}"
    for who in ("", "i ", "we ", "that i ", "which i ")
    for cannot in ("can't", "cannot", "can not", "cant", "could not", "couldn't", "am not able to", "have no way to")
    for do in (
        "check",
        "check that",
        "check it",
        "tell",
        "say",
        "verify",
        "see that",
        "look",
        "chk",
        "access",
        "judge",
        "check now",
        "check right now",
        "tell you",
    )
)
_NOT_LOOKED = "|".join(
    f"{who}{have} {done}"
    for who in ("", "i ", "we ")
    for have in ("haven't", "have not", "havent", "did not", "didn't", "have not yet", "not")
    for done in ("checked", "looked", "tested", "verified", "check", "look", "looked at", "checked yet", "looked yet")
    if (done in ("check", "look")) == (have in ("did not", "didn't"))
)

_ENTRIES: tuple[tuple[Word, str], ...] = (
    (
        Word(Kind.VERDICT, _UNKNOWN, Hold.PRONOUN),
        f"{_CANNOT}|{_NOT_LOOKED}|"
        "not sure|not so sure|not really sure|unsure|don't know|do not know|i don't know|i do not know|dont know|dunno|idk"
        "|❓|🤷|unknown|no idea|no clue|unclear|not clear|not checked|n/a|skip|maybe|perhaps|not known"
        "|not yet checked|no access|50/50|fifty fifty|who knows|no means to check|no way to see that|no way to see that here|"
        "hard to say|hard to tell|difficult to say|难说|"
        "no way to check|no way to tell|?"
        "|不是很清楚|不是很确定|不太清楚|不太确定|不清楚|不知道|不确定|不了解|不明确|不明|未知|没查|没查过|没有查|没看|没看过|"
        "没有看|没有看过|没有去看|没有测|没有测过|没测过|没去查|没有去查|"
        "没去看|没测|没注意|没关注|没权限|没有权限|没权限看|未检查|没检查"
        "|没有检查|没法查|没法看|没办法查|没有办法|没办法|无法确认|无法判断|无法检查|无法查看|无法确定|看不出|看不到|查不到"
        "|不好说|说不准|说不清|跳过|可能|也许|不一定|不能确定|不能确认",
    ),
    (
        Word(Kind.VERDICT, _NO, Hold.FREE),
        f"{_NOT_HOLDING}|"
        "nope|nah|yeah no|denied|deny|definitely not|certainly not|i don't think so|i do not think so|not that i know of|"
        "not that i know|not to my knowledge|no it isn't|"
        "no it is not|don't think so|do not think so|nein|non|нет|it isn't|it is not|it doesn't|it does not|they aren't|"
        "they don't|木有|是no|都是no"
        "|否定|不是的|不对|不存在|不成立|不符合|不属实|没有的|否认|没这个现象|没有这个现象|没有这种现象|没看到|没有看到|未发现|没发现"
        "|没有发现|没见到|未见|没出现|没有出现|未出现",
    ),
    (Word(Kind.VERDICT, _NO, Hold.PRONOUN), "no"),
    (Word(Kind.VERDICT, _NO, Hold.NUMBERED), "n|没有|不是|isn't|is not|doesn't|does not|aren't|are not|wasn't|not"),
    (
        Word(Kind.VERDICT, _NO, Hold.ALONE),
        "not really|not in the least|impossible|false|absent|negative|normal|looks normal|isn't there|is not there|doesn't exist"
        "|not there|not seen|not present|not observed|not confirmed|not the case"
        "|not true|not happening|not found|not at all|not visible|not that|not abnormal|didn't see|did not see|don't see it"
        "|don't see that|do not see it|nothing abnormal|no problem|no problems|no issue|no issues|nothing unusual|incorrect"
        "|❌|✗|✘|👎|否|不|没|无|未|非|正常|正常的|均正常|没问题|没有问题|无异常|没有异常|未见异常|没异常|不正确|不会|不确认|错|✖",
    ),
    (
        Word(Kind.VERDICT, _NO, Hold.ALONE, needs_subject=True),
        "ok|okay|fine|good|healthy|clean|is wrong|wrong|好的|没事|还好|良好",
    ),
    (
        Word(Kind.VERDICT, _NO, Hold.ALONE, leads=True),
        "you can exclude|i can exclude|can exclude|i can rule out|you can rule out|can rule out|i don't see|i do not see|"
        "we don't see|we do not see|don't see|do not see|i don't have|we don't have|but not|and not",
    ),
    (
        Word(Kind.VERDICT, _YES, Hold.FREE),
        f"{_NOT_BAD}|no doubt|no doubt about it|without doubt|without a doubt|absolutely|of course|for sure|totally|"
        "yes|yep|yeah|yup|yse|yess|yees|ye|yea|sí|ja|oui|是yes|no yeah|i believe so|i guess so|i suppose so|believe so|"
        "think so|confirm了|不是没有|并非没有|it is|it does|it has|they are|they do|confirmed|confirm|affirmative|indeed|"
        "i think so|yes it is|yes it does|是的|确认|有的|对的|属实|确实是"
        "|确实有|确实|没错|符合|成立|不错",
    ),
    (Word(Kind.VERDICT, _YES, Hold.NUMBERED), "y|有|存在|出现了|出现|发现|发现了|看到了|有出现|能看到|可以看到"),
    (
        Word(Kind.VERDICT, _YES, Hold.ALONE),
        "true|present|seen|observed|positive|correct|visible|exists|happens|happening|the case|abnormal"
        "|not normal|not ok|not okay|not fine|not good|unhealthy|✓|✔|✅|👍|是|对|嗯|异常|不正常|不正常的|有异常|有问题|正确",
    ),
    (Word(Kind.VERDICT, _YES, Hold.ALONE, needs_subject=True), "there|sure|found|does|do|right|high|可以|在|偏高|很高"),
    (
        Word(Kind.VERDICT, _YES, Hold.ALONE, leads=True),
        "i can confirm|can confirm|i confirm|i see|we see|i can see|we can see|i have|we have|only see",
    ),
    (Word(Kind.UNCLEAR), "not all|not all of them|not both|some|some of them|some of these|不全是|不都是|不全|部分是|部分|有的是有的不是"),
    (
        Word(Kind.ALL),
        "all|all of them|all of these|all of those|all of it|both|both of them|everything|each|every one|any of them"
        "|any of these|every one of them|all three|all items|all phenomena|全部|全部都|全都|全|都|均|所有|所有的|每个|每一个"
        "|一个都|两个都|三个都|两项都|三项都|各项|上述|以上|以上都|以上全部|这些都|统统",
    ),
    (
        Word(Kind.REST),
        "the other two|the other three|other two|other three|the other one|the remaining|the remaining ones|remaining ones|"
        "the two others|别的|别的都|另外的|另外两个|另两个|其他两个"
        "|the rest|rest|others|the others|the other|all others|all the others|all the rest|everything else|the other ones"
        "|其他|其它|其余|其他的|其它的|其余的|其他都|其它都|其余都|其他均|其余均|剩下的|剩下|余下的",
    ),
    (Word(Kind.ONLY), "only|just|only the|just the|只有|仅|仅有|只|就"),
    (Word(Kind.EXCEPT), "except|except for|apart from|other than|excluding|besides|除了|除|除去|除开"),
    (
        Word(Kind.LINK),
        "but|and|or|nor|also|plus|however|though|as well|in addition|additionally|besides that|moreover|because|since"
        "|另外|还有|而且|但是|但|同时|此外|并且|和|与|跟|及|以及|不过|然后|因为|且|&|/|+",
    ),
    (Word(Kind.VERDICT, _NO, Hold.ALONE, leads=True), _NOT_ITEM),
    (
        Word(Kind.FILL),
        "is|are|was|were|it is|it's|looks|look|to|for|the answer is|answer|i think|i guess"
        "|definitely|certainly|probably|likely|most likely|still|too|sry|oh|ah|oh well|either way|i'd say|seems|"
        "seems to be|appears to be|apparently|pretty sure|quite sure|fairly sure|i'm sure|i am sure|i'm pretty sure|"
        "肯定|绝对|一定|明显|应该|好像|大概|似乎|估计|基本"
        "|of them|of these|on|for|regarding|关于|please|thanks|thank you|hi|hello|well|hmm|um|sorry|about|"
        "也|的|了|吧|啊|呢|呀|哦|外|以外|之外|项|个|号"
        "|请|谢谢|你好|您好|为|:|=|->|=>|→|-|–|—|.|)|(|]|[|}|\"|'|“|”|`|*|…|~|>",
    ),
)

_NONE = (
    "none|none of them|none of these|none of those|none of the above|none of that|nothing of that|nothing of the kind|"
    "nothing like that|none of the three|none of the two|none of the four|none of these three|neither|neither of them|"
    "nothing|not any|not one|一个也没有"
)
NONE_KEYS = frozenset(_NONE.split("|"))
"""Words for "all of them: no"; they become two tokens."""


def key_of(text: str) -> str:
    """The spelling of a word in the vocabulary: lower case, single spaces, no apostrophe."""
    return " ".join(text.lower().replace("'", "").replace("’", "").split()) or text


VOCABULARY: dict[str, Word] = {key_of(entry): word for word, entries in _ENTRIES for entry in entries.split("|")}


def _pattern(entry: str) -> str:
    """A regular expression for one entry; a Latin word must end where the next letter would make it another word."""
    body = r"\s+".join(re.escape(part).replace("'", "['’]?") if part != "'" else part for part in entry.split())
    return body + r"(?![a-z_'’]|-[a-z])" if entry[-1].isascii() and entry[-1].isalpha() else body


def _any_of(entries: list[str]) -> re.Pattern[str]:
    """One expression for all entries, the longest first, so that negation is seen before what it negates."""
    return re.compile("|".join(_pattern(e) for e in sorted(entries, key=lambda e: (-len(e), e))), re.IGNORECASE)


WORD = _any_of([entry for _, entries in _ENTRIES for entry in entries.split("|")] + _NONE.split("|"))

PRONOUN = re.compile(r"(?:the|it|its|i|we|they|this|that|these|those|there|there's|my|our|he|she|you|everything|all)\b", re.IGNORECASE)
"""How prose goes on after "no" when "no" was an answer."""

_LABEL = r"(?:(?:items?|numbers?|questions?|points?|nr\.?|q|第|#|\()\s*)?"
_END = r"(?![0-9]|[.:][0-9]|\s*%|\s*percent)"
_DIGITS = _LABEL + r"([0-9]{1,9})(?:st\b|nd\b|rd\b|th\b)?" + _END
NUMBER = re.compile(_DIGITS + r"(?:\s*(?:-|–|—|~|to\b|through\b|至|到)\s*" + _DIGITS + r")?", re.IGNORECASE)
"""An item or a range of items; never the 95 of "95 %", 1.5, 12:30 or a number of ten digits."""

ORDINAL = re.compile(
    r"(?<!\ba )(?<!\bper )(?:the\s+)?(first|second|third|fourth|fifth|last|former|latter)(?:\s+(?:one|item|point))?(?![a-z])|"
    r"第([一二三四五六七八九十])[个项条点]?"
    r"|(最后)一?[个项条]|(前者|后者)",
    re.IGNORECASE,
)
ORDINALS = {
    word: index
    for words in (("first", "second", "third", "fourth", "fifth"), ("former",), ("前者",), tuple("一二三四五六七八九十"))
    for index, word in enumerate(words, start=1)
}

LINK_WORDS = re.compile(
    r"(?:also|and|but|plus|additionally|in addition|however|moreover|另外|还有|而且|但是|此外|同时|并且|不过)(?![a-z'’-])",
    re.IGNORECASE,
)
"""Text before an observation that does not belong to it."""
