"""The user's explicit wish for a skill, or for no skill: "use the capacity skill", "切换到容量分析", "without a skill"."""

import re
from dataclasses import dataclass

from workers.engines.language import CJK
from workers.skills.skill import Library, Skill, name_key

_REFUSED = re.compile(
    r"\b(?:don'?t|do not|not|never|no need to|why)\b[^.,;!?]{0,12}$|(?:不要|别|不用|不想|不需要|为什么|为何|为啥)[^。，；！？]{0,4}$",
    re.IGNORECASE,
)
"""Words before a verb that turn the wish around: "do not switch to ..."."""

_BEFORE = 40
"""Characters before a verb in which such words are looked for."""

_ASK_EN = re.compile(
    r"\b(?:switch(?:\s+over)?\s+to|change\s+to|go\s+(?:over\s+)?to|use|try|take|follow|run|apply|activate|select)\s+"
    r"(?:the\s+|a\s+|your\s+|our\s+)?(?P<what>[^.,;:!?\n]{1,100})",
    re.IGNORECASE,
)
_ASK_ZH = re.compile(
    r"(?:切换到|切换为|切换成|切到|换成|换到|换用|改成|改用|改为|改做|转到|转为|使用|采用|启用|按照|按|用|选择|选)(?P<what>[^。，；：！？,;:!?\n]{1,60})"
)
_SKILL_WORD = re.compile(r"\bskills?\b|技能", re.IGNORECASE)

_NO_NAME = re.compile(r"another|other|any|no|this|that|same|a different|哪个|什么|别的|其他|任何|这个|那个|一个", re.IGNORECASE)

_INSIDE_A_WORD = re.compile(rf"[^\W{CJK}]{{2}}")
"""The last character of a name and the one behind it, where the name ends inside a longer word."""

_DEFAULT = re.compile(
    r"\b(?:without|no|stop\s+(?:using|following)|leave|exit|drop|forget|disable|turn\s+off|don'?t\s+use|do\s+not\s+use)\s+"
    r"(?:a\s+|any\s+|the\s+|this\s+|that\s+)?skills?\b(?!\s+(?:fits?|for|that|which|is|are|can|could))"
    r"|\b(?:back\s+to\s+|use\s+|switch\s+to\s+)?(?:the\s+)?default\s+mode\b"
    r"|(?:不用|不使用|不要用?|取消|退出|停用|关闭|别用|离开)(?:任何|这个|该|当前|此)?技能|默认模式|普通模式",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asks for by name."""

    skill: Skill | None = None
    is_default: bool = False
    """No skill is wanted."""
    unknown: str = ""
    """The words for a skill that the library does not have."""


def read_wish(library: Library, text: str) -> Wish | None:
    """The wish in a message. None: the user asks for no skill by name, so the best one is chosen.

    Somebody who says "use matplotlib" names a tool of the work and perhaps a skill; the wish is explicit when the named text is the skill's
    name or title. `unknown` is set only when the user says the word "skill".
    """
    found = _named(library, text)
    if found is not None:
        return found
    default = _DEFAULT.search(text)
    return Wish(is_default=True) if default else None


def _named(library: Library, text: str) -> Wish | None:
    unknown: Wish | None = None
    for asked in (*_ASK_EN.finditer(text), *_ASK_ZH.finditer(text)):
        if _REFUSED.search(text[max(asked.start() - _BEFORE, 0) : asked.start()]):
            continue
        what = asked["what"]
        skill = _begins_with(library, _SKILL_WORD.sub(" ", what))
        if skill is not None:
            return Wish(skill=skill)
        word = _SKILL_WORD.search(what)
        if word is not None and unknown is None:
            named = what[: word.start()].strip(" '\"“”《》「」`的")
            if named and not _NO_NAME.fullmatch(named):
                unknown = Wish(unknown=named[:60])
    return unknown


def _begins_with(library: Library, what: str) -> Skill | None:
    """The skill whose name or title these words begin with; the longest such name counts."""
    wanted = _folded(what)
    best: tuple[int, Skill] | None = None
    for skill in library.skills:
        for known in {_folded(skill.name), _folded(skill.title)}:
            if not known or not wanted.startswith(known):
                continue
            if _INSIDE_A_WORD.fullmatch(wanted[len(known) - 1 : len(known) + 1]):
                continue
            if best is None or len(known) > best[0]:
                best = (len(known), skill)
    return best[1] if best else None


def _folded(text: str) -> str:
    return name_key(text).replace("-", " ").strip(" '\"“”《》「」`")
