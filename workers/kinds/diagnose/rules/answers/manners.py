"""What is said to us and is no answer: small talk, orders, refusals, questions back, and "sorry, I was wrong before".

None of it is a symptom, and none of it is a finding.
"""

import re

_TAKES_BACK = re.compile(
    r"\b(?:correction|scratch that|(?:scrap|forget|ignore|disregard|discard|strike|drop) (?:what|everything|all) i|"
    r"(?:answer|reply|statement)s?(?: \w+){0,4} (?:was|were|is) (?:wrong|a mistake|incorrect|nonsense)|"
    r"i (?:was|got (?:it|that)|mis\w+) ?(?:wrong|mistaken|confused)?|my (?:mistake|"
    r"bad)|i mixed|mixed (?:it|them|up)|i meant|forget what i|"
    r"take (?:that|it) back|disregard (?:my|what)|ignore what i said|earlier i said|(?:was|were) wrong (?:before|"
    r"earlier)|i take back|not what i said)\b"
    r"|说错了|搞错了|弄错了|看错了|记错了|更正|纠正一下|收回|刚才(?:那个|说的)?.{0,6}(?:不对|错)|前面.{0,6}(?:不对|错)|之前.{0,6}(?:不对|说错)|(?:刚才|前面|之前|先前|上面).{0,24}(?:不算|"
    r"作废|说错|看错)",
    re.IGNORECASE,
)
_APOLOGY = re.compile(
    r"\b(?:sorry|apologies|my apologies|to my last (?:message|answer)|before|earlier|actually|oops)\b|其实|抱歉|不好意思|刚才|那个",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |your |the |any |every |previous |prior |these |those )+(?:instructions?|"
    r"rules|prompts?)|\bmark (?:all|every|each|them|item)|"
    r"\byou are now\b|\bfrom now on\b|\b(?:system|assistant|developer) ?:|\bpretend\b|\bact as\b|\bset (?:all|"
    r"every) (?:items?|findings?)|\btreat (?:all|every)|"
    r"\banswer only with\b|\bprint your\b|\breveal\b|<\|?(?:im_start|system)"
    r"|忽略.{0,8}(?:指令|指示|规则|提示)|(?:全部|都|所有).{0,4}标记为|标记为(?:已)?确认|从现在起|你现在是",
    re.IGNORECASE,
)
_ORDER_LINE = re.compile(rf"(?:{_ORDERS.pattern})[^\n]{{0,400}}", re.IGNORECASE)
_TALK_WORDS = frozenset(
    [
        "ok",
        "okay",
        "thanks",
        "thank",
        "you",
        "thx",
        "cheers",
        "hello",
        "hi",
        "hey",
        "sure",
        "fine",
        "great",
        "go",
        "on",
        "next",
        "continue",
        "please",
        "sorry",
        "well",
        "hm",
        "hmm",
        "one",
        "a",
        "an",
        "moment",
        "wait",
        "hold",
        "hang",
        "just",
        "sec",
        "second",
        "minute",
        "brb",
        "i",
        "i'll",
        "ill",
        "we",
        "we'll",
        "check",
        "look",
        "see",
        "let",
        "me",
        "come",
        "back",
        "will",
        "do",
        "good",
        "got",
        "it",
        "understood",
        "alright",
        "and",
        "then",
        "later",
        "to",
        "the",
        "at",
        "into",
        "this",
        "that",
        "again",
        "bye",
        "morning",
        "looking",
        "checking",
        "btw",
        "ty",
        "anyone",
        "anybody",
        "here",
        "sir",
        "team",
        "all",
        "right",
        "are",
        "there",
        "in",
        "have",
    ]
)
_TALK_CJK = re.compile(
    r"(?:好的?|谢谢|多谢|辛苦|稍等|等一下|等下|等等|继续|下一个|嗯|哦|你好|您好|收到|明白|我|去|看|查|一下|马上|吧|了|啊|哈|呢|再|先|早|大家)+"
)
_REFUSES = re.compile(
    r"\b(?:stop|enough|quit|cancel|abort)\b.{0,30}\b(?:ask\w*|question\w*|this|it)\b|^\s*(?:stop|enough|quit|"
    r"cancel|exit|abort)\b|\bi (?:don'?t|do not|won'?t) want to (?:answer|do)|\bi give up\b|"
    r"\bmakes? no sense\b|\b(?:just )?(?:tell me|give me) (?:what|the (?:answer|cause|fix|solution))|\bno more questions\b|"
    r"\bi'?m (?:done|out)\b|\bescalate\b|\bget me a (?:human|person)\b"
    r"|别问|不要(?:再)?问|不想(?:再)?(?:回答|答|查)|没有意义|直接(?:给|说|告诉)|算了|放弃|不用(?:再)?问|停(?:止|下)|转人工|结束吧|到此为止",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:^|(?<=[.,;!?\n，。；！？]))[ \t]{0,4}(?:(?:but|and|so|then|ok|但是?|不过|那)[ ,]{0,3})?[0-9]?[ \t]{0,4}"
    r"(?:how (?:do|can|could|would|should|to|is|am)|what(?:'s| is| does| are| will| would| do i| should)|where (?:is|"
    r"do|can|are)|who (?:are|is)|can (?:i|you|we)|could (?:i|you)|is there (?:a|any)|do (?:i|we)\b"
    r"|should (?:i|we)|are you|does (?:it|this|that)|which \w+ (?:do|should|is|are|shows?|would|did) (?:you|i|we|it|the|that)\b|"
    r"which (?:command|log|view|tool|query|metric)|what (?:command|log|view|tool|query|metric|table|menu)|"
    r"why (?:do|are|should|would|does) (?:you|i|we)\b(?![^.?!\n]{0,99}\b(?:while|when|since|because)\b)|怎么|如何|啥|什么是|"
    r"哪里|哪个|在哪|能不能|可不可以|要不要|是不是要|你是)(?:[^.?!。？！\n]|\.(?=\w)){0,300}(?:[?？]|$)"
    r"|[^.,;?!，。；？！\n]{0,40}(?:怎么(?:查|看|做|弄|办|确认|检查|知道)|啥意思|什么意思|在哪(?:里|儿)?(?:看|查)?)[^.?!。？！\n]{0,300}(?:[?？]|"
    r"$)|^[ \t]{0,9}help[ .!?]{0,9}$",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:^|(?<=[.,;!?\n，。；！？]))[ \t]{0,4}(?:(?:but|and|so|then|ok|well|hm+)[ ,]{0,3})?"
    r"(?:is|are|am|do|does|did|have|has|can|could|will|would|should|shall|was|were|what|when|which|who|whom|whose|where|how)(?:'s)? "
    r"[^.?!\n，。；！？]{1,200}\?"
    r"|[^，。；！？,;.!?\n]{1,60}吗[ \t]{0,3}(?:[?？]|(?=[，。；\n]|$))",
    re.IGNORECASE,
)
"""A sentence in the form of a question. Without a mark at its end it may be a symptom."""
_HOW = re.compile(
    r"\b(?:how|where|which|check|find|see|look|command|log|view|tool|query|metric|table|menu|help)\b|怎|如何|哪|查|看|命令|日志",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^\W{0,5}(?:(?:please|pls|just|can you|could you) ){0,3}(?:fix|show|give|tell|send|explain|help|list|print|summari[sz]e) (?:me|"
    r"us|it|this|that|the)\b"
    r"|^\W{0,5}(?:(?:hi|hello|hey)\W{1,3})?(?:thanks|thank you|thx|cheers)\b[^;\n]{0,40}$|^\W{0,5}(?:谢谢|多谢|感谢)[^;\n]{0,8}$"
    r"|^\W{0,5}(?:请|麻烦)?(?:帮我|给我|告诉我)|给我(?:看)?(?:一下|看看)",
    re.IGNORECASE,
)
"""What the user wants of us, and thanks: about the dialogue, not about the system."""


def takes_back(text: str) -> bool:
    """Whether the text withdraws or corrects an earlier answer."""
    return _TAKES_BACK.search(text) is not None


def without_taking_back(text: str) -> str:
    """The text without the words that announce a correction, and what introduces it."""
    return _APOLOGY.sub(" ", _TAKES_BACK.sub(" ", text))


def orders_us(text: str) -> bool:
    """Whether the text is an order to the program, as injected text has them, and no answer of a person."""
    return _ORDERS.search(text) is not None


def without_orders(text: str) -> str:
    """The text without its orders to us, each up to the end of its line: words in an injected order are no answer."""
    return _ORDER_LINE.sub(lambda order: " " * len(order[0]), text)


def is_symptom(text: str) -> bool:
    """Whether prose that answers nothing may be a new observation: no small talk, no order, no refusal, no question, nothing taken back."""
    return not (is_talk(text) or any(pattern.search(text) for pattern in (_TAKES_BACK, _ORDERS, _REFUSES, _REQUEST)))


def is_talk(text: str) -> bool:
    """Whether the text is small talk and nothing else."""
    words = re.findall(r"[a-z']+|[\u4e00-\u9fff]+", text.lower().replace("’", "'"))
    return bool(words) and all(word in _TALK_WORDS or _TALK_CJK.fullmatch(word) for word in words) and not re.search("[0-9]", text)


def without_questions(text: str) -> str:
    """The text without what is asked in it ("how do I check 2?"), with positions kept. "Why is the disk full" stays: a symptom."""
    for pattern in (_QUESTION, _ASKED):
        text = pattern.sub(lambda question: " " * len(question[0]), text)
    return text


def questions_in(text: str) -> list[str]:
    """What is asked in the text: "how do I check 2?"."""
    asked = _QUESTION.findall(text)
    rest = _QUESTION.sub(lambda question: " " * len(question[0]), text)
    return [question.strip() for question in (*asked, *_ASKED.findall(rest)) if question.strip()]


def asks_how(question: str) -> bool:
    """Whether a question is about how or where to look, and not about what is meant."""
    return _HOW.search(question) is not None


def refuses(text: str) -> bool:
    """Whether the user does not want to answer."""
    return _REFUSES.search(text) is not None
