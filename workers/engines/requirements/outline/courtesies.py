"""Words that say nothing of the table: a greeting, thanks, a name below."""

# ruff: noqa: E501 patterns

import re

_GREETING = re.compile(
    r"^(?:(?:hi|hello|hey|dear|good (?:morning|afternoon))\b(?:\s+(?:all|team|everyone|everybody|there|colleagues|folks|(?:data |the )?[a-z]+(?: team)?))?\s*[,!:]\s*|(?:各位(?:好|同事)?|大家好|你好|您好|同事(?:们)?好|老师好|hi|hello)\s*[,，!！:：]\s*)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:many )?thanks?(?: you)?(?: in advance| a lot| very much)?|best(?: regards| wishes)?|(?:kind )?regards|cheers|greetings|sincerely|yours)(?:\s*[,!]?\s*(?:[A-Z]\w*\.?)?(?: [A-Z]\w*)?)?"
    r"|(?:多谢|谢谢|感谢|辛苦|麻烦)(?:了|大家|各位|啦|你|您)*[!！~]*|(?:hi|hello|hey|dear)(?: \w+)?|(?:各位|大家|你|您)好",
    re.IGNORECASE,
)


_STORY = re.compile(
    r"as an? [\w' -]{2,40}?,? (?:i|we)(?:'d| would)? (?:want|need|like|wish)\b.*|作为[\u3400-\u9fff]{2,12}[，,]?\s*(?:我们?)?(?:希望|想要?|需要)[^：:]*",
    re.IGNORECASE | re.DOTALL,
)


_SOURCE_SAID = re.compile(
    r"(?:we|there|they) (?:get|receive|have|are|can be|may be|is) (?:several|multiple|many|duplicate|more than one|some|duplicated) (?:rows?|records?|versions?|entries|changes|duplicates) (?:per|for (?:each|every)|of (?:each|every|the same)) \w+ in [A-Za-z_]\w*"
    r"|[A-Za-z_]\w* (?:is|holds|has) (?:a|the) (?:change|event|audit|history) (?:log|table|feed) (?:of|for) \w+(?: \(op [A-Z](?:\s*[,/]\s*[A-Z])*\))?"
    r"|(?:[A-Za-z_]\w*)\s*(?:表)?(?:中|里)?(?:会|可能)?有重复(?:数据|记录)?",
    re.IGNORECASE,
)


def is_about_source(sentence: str) -> bool:
    """`We get several rows per member in changes`: what the source looks like, which restricts nothing."""
    return _SOURCE_SAID.fullmatch(sentence.strip()) is not None


def is_story(sentence: str) -> bool:
    """`As an asset manager I need ... so that ...`: whose wish it is, in a sentence of its own."""
    return _STORY.fullmatch(sentence.strip()) is not None


def without_courtesies(sentence: str) -> str:
    """The sentence without a greeting at its beginning; empty: it is nothing else."""
    body = _GREETING.sub("", sentence.strip(), count=1).strip()
    return "" if _CLOSING.fullmatch(body.strip(" ,，.!！。~")) else body
