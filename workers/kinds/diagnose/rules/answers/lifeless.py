"""Things that are dead, gone or failing: there "does not answer" and "no process left" say what the item says, and deny nothing."""

import re

_ITEM = re.compile(
    r"\b(?:dead|died|dies|gone|down|crash\w*|kill\w*|terminat\w*|exit(?:ed|s)|abort\w*|fail\w*|hang(?:s|ing)?|hung|frozen|unreachable|"
    r"unavailable|unresponsive|offline|stopped|missing|lost|refus\w*|timed? ?outs?|timeouts?|disconnected|broken)\b|"
    r"\b(?:no|not|n't|never|without|cannot)\b.{0,30}\b(?:respon\w*|answer\w*|reach\w*|connect\w*|start\w*|heartbeat|repl(?:y|ies))\b|"
    r"[挂死崩杀宕]|失败|无响应|没有?响应|不响应|不可用|不可达|无法|断开|中断|超时|丢失|掉线|离线|退出|停止|停了|起不来|连不上|异常终止",
    re.IGNORECASE,
)
_FUNCTIONS = (
    r"(?:respon(?:d|ds|ding|se|ses|sive)|answer(?:s|ed|ing)?|repl(?:y|ies|ied)|react(?:s|ed|ing)?|connect(?:s|ed|ing|ion)?|reach(?:ed|able)?|"
    r"start(?:s|ed|ing)?|come (?:back|up)|boot(?:s|ed|ing)?|listen(?:s|ing)?|running|alive|up|work(?:s|ing)?|pingable|available|"
    r"accept(?:s|ing)?|heartbeats?|log ?in|ssh|ping|process(?:es)?(?= (?:left|there|running|any ?more|found|listen)|\W*$))"
)
_DEAD = r"(?:dead|die|died|gone|crash\w*|kill\w*|hung|frozen|unreachable|unresponsive|offline|down|terminated|vanished|disappeared)"
_SAID = re.compile(
    rf"(?:\bnot|n['’]t|\bnever|\bno longer|\bcannot|\bunable to|\bfails? to|\brefuses to|\bno|\bwithout)\s(?:\w+[ -]){{0,3}}?{_FUNCTIONS}\b"
    rf"(?!\W{{1,2}}(?:errors?|time|problems?|issues?|fail|refus|loss|lost|reset|attempts?))|\b{_DEAD}\b|"
    r"(?:没有?|无|不)(?:任何|再)?(?:响应|反应|应答|回应|心跳|进程了?$|在线|在运行|运行|可用|可达|能?连接|能?启动|能?访问)(?!失败|超时|异常|错误|报错)|"
    r"(?:连|起|登|拉|ping ?)不(?:上|来|通|起来)|无法(?:连接|启动|访问|登录|响应)|不在了|没了|没有了|[挂死崩宕]|被杀|掉线|离线|断了|不通",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"\b(?:errors?|problems?|issues?|alerts?|alarms?|warnings?|exceptions?|symptoms?|messages?|crash(?:es)?|kills?|restarts?|timeouts?|it)\b"
    r"[^,;.]{0,20}\b(?:gone|disappeared|vanished)|(?:问题|报错|告警|错误|现象|异常).{0,6}(?:没了|没有了|不在了)",
    re.IGNORECASE,
)
"""What is gone is the trouble: "the errors are gone"."""
_ALIVE = re.compile(
    rf"(?:\bnot|n['’]t|\bno|\bnone|\bnothing|\bnever|\bno longer|\bwithout)\b (?:[\w.-]+ ){{0,3}}{_DEAD}\b"
    r"|(?:没有?|未|不)(?:再|任何)?(?:进程|节点)?(?:[挂死崩宕]|被杀|掉线|离线|断)|还活着"
    r"|\b(?<!not )(?:alive|up and running)\b",
    re.IGNORECASE,
)


def is_lifeless(item: str) -> bool:
    """Whether an item says that something is dead, gone or failing."""
    return _ITEM.search(item) is not None


def says_lifeless(clause: str) -> bool:
    """Whether a clause says that something does not work or is not there any more."""
    return _SAID.search(clause) is not None and not (_TROUBLE.search(clause) or says_alive(clause))


def says_alive(clause: str) -> bool:
    """Whether a clause says that something is not dead."""
    return _ALIVE.search(clause) is not None
