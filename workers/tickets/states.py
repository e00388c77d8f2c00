"""What the states of tickets in exports say: solved, not solved, or nothing that is known here."""

import re
from collections.abc import Mapping
from enum import Enum

_OPEN = re.compile(
    r"^(?:open|opened|new|triggered|acknowledged|hold|"
    r"to ?do|backlog|in progress|in review|in development|reopened|waiting.*|on hold|pending.*|awaiting.*|"
    r"work in progress|assess|"
    r"root cause analysis|fix in progress|cancell?ed|rejected|"
    r"ouvert|nouveau|en cours.*|en attente.*|attribué|assigné|abierto|nuevo|en curso|en progreso|pendiente.*|asignado|"
    r"新規|進行中|対応中|未対応|調査中|保留|オープン|"
    r"offen|neu|in bearbeitung|warten.*|zusammengef(?:ügt|ührt)|merged|abgelehnt|erfolglos geschlossen|"
    r"打开|新建|待办|待处理|进行中|处理中|挂起|重新打开|等待.*|已取消|取消|未解决|已拒绝|激活|新|接受/处理|规划中|待复盘|待验证)$",
    re.IGNORECASE,
)
_OPEN_OF_AZURE = frozenset({"active", "doing", "committed", "approved", "proposed", "removed"})
_UNSOLVED = re.compile(
    r"^(?:unresolved|not solved.*|unsolved|not[_ ]planned|"
    r"won'?t ?(?:do|fix)|deferred|obsolete|declined|abandoned|cancell?ed|invalid|rejected|not a bug|不予处理|不修复|"
    r"不予解决|延期处理|延期解决|转为?(?:研发|产品)?需求|"
    r"未解决|无法解决|已取消|无效|不是问题)$|^(?:not reproducible|cannot reproduce|can't reproduce|无法重现|无法复现|不能重现)$",
    re.IGNORECASE,
)
_DUPLICATE = re.compile(r"^(?:duplicate.*|重复.*|closed as duplicate)$", re.IGNORECASE)
_STATE = re.compile(
    r"^(?:done|fixed|resolved|closed|complete[d]?|solved.*|closed/resolved.*|resolved by.*|closed complete.*|permanent(?:ly)?|"
    r"workaround( provided)?|solution provided|fixed and verified|verified|moved to state \w+|"
    r"known error|risk accepted|fix applied|no action.*|as designed|works as designed|user error|设计如此|外部原因|"
    r"完成|已完成|(?:已)?(?:解决|修复|关闭)\s*[（(].{1,12}[)）]|已解决|已修复|已关闭|解决|关闭|永久解决|临时解决|已处理)$",
    re.IGNORECASE,
)
_SOLVED = frozenset({
    "successful", "finished", "released", "deployed", "verified", "closed successful", "resolved/closed", "post-mortem",
    "geschlossen", "erfolgreich geschlossen", "erledigt", "gelöst", "behoben", "abgeschlossen",
    "clos", "clôturé", "fermé", "résolu", "terminé", "cerrado", "resuelto", "solucionado",
    "完了", "解決", "解決済み", "対応済み", "クローズ", "終了",
    "已复盘", "已验证", "已完结", "完结", "已结束", "结束", "已恢复", "已归档", "归档",
})  # fmt: skip
"""States of solved tickets beside those that are also ways in which a ticket ends."""
_CODES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "Freshworks": (frozenset({"4", "5"}), frozenset({"2", "3"})),
    "ServiceNow": (frozenset({"6", "7"}), frozenset({"1", "2", "8"})),
}
"""Tool → the numbers by which its interface says that a ticket is solved, and that it is not."""

LONGEST_STATE = 40
"""Characters. A longer "resolution" is a sentence on what helped."""


class Standing(Enum):
    """Where a ticket is in its life."""

    SOLVED = "solved"
    OPEN = "open"
    UNKNOWN = "unknown"


def judge(status: str, tool: str | None) -> Standing:
    """What a status says, in words or in the numbers of a tool."""
    plain = _plain(status)
    solved, still_open = _CODES.get(tool or "", (frozenset[str](), frozenset[str]()))
    if tool == "Azure DevOps" and plain.casefold() in _OPEN_OF_AZURE:
        return Standing.OPEN
    if _OPEN.match(plain) or plain in still_open or ends_unsolved(status) or repeats(status):
        return Standing.OPEN
    return Standing.SOLVED if ends_well(status) or plain.casefold() in _SOLVED or plain in solved else Standing.UNKNOWN


def ends_well(text: str) -> bool:
    """Whether a text says that a ticket was solved, and nothing more."""
    return _STATE.match(_plain(text)) is not None


def ends_unsolved(text: str) -> bool:
    """Whether a ticket ended without having been solved."""
    return _UNSOLVED.match(_plain(text)) is not None


def repeats(text: str) -> bool:
    """Whether a ticket ended because there is another one."""
    return _DUPLICATE.match(_plain(text)) is not None


def _plain(text: str) -> str:
    return text.strip().replace("\u2019", "'")
