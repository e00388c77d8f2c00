"""Headings and labels under which people write the cause and the fix, compared without case, numbering, marks and plurals in brackets."""

import re

_NAMES = {
    "root_cause": (
        "root cause|root causes|root cause analysis|rca|cause|causes|probable cause|actual cause|cause of the incident|what caused it|"
        "what caused this|what was the cause|what was the root cause|why did it happen|why did this happen|why it happened|"
        "ursache|ursachen|grundursache|ursachenanalyse|cause racine|causes racines|causa raíz|causa principal|"
        "根因|根本原因|故障原因|问题原因|原因分析|根因分析|根本原因分析|故障根因|故障根因分析|故障原因分析|事故根因|事故根因分析|"
        "事故原因|事故原因分析|问题根因|発生原因|直接原因"
    ),
    "solution": (
        "resolution|resolutions|solution|solutions|fix|fixes|remediation|what fixed it|what was the fix|what was done to fix it|"
        "how was it fixed|how was this fixed|how it was fixed|how we fixed it|how did we fix it|how was it resolved|how was this resolved|"
        "how it was resolved|how we resolved it|how did we resolve it|how was it solved|how we solved it|what we did to fix it|"
        "lösung|behebung|wie behoben|résolution|solution apportée|solución|resolución|対応内容|対処|対処方法|解決策|"
        "解决方案|解决办法|解决方法|解决措施|处理措施|如何解决|怎么解决的"
    ),
}
_JOINED = re.compile(r"\s*[/&+]\s*|\s+(?:and|und|et|y)\s+|[与和及、]")
"""Between two names of one heading."""
_FIELDS = {name: field for field, names in _NAMES.items() for name in names.split("|")}
_ANY_NUMBER = "#0123456789.)、:- "
"""Before a heading that names a field: `2 Root cause`, `3: Resolution`."""
_MARKS = " \t*_`#:：?？!！."
_NUMBERING = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){0,3}(?:[.)、．]|(?<=\.\d)(?=\s))|[一二三四五六七八九十]{1,3}[、.．])\s*")
"""`2.`, `2.3.`, `3)`, `三、`: but not the number of `5 Whys`."""


def unnumbered(heading: str) -> str:
    """A heading without the number of its section."""
    return _NUMBERING.sub("", heading, count=1) if _NUMBERING.match(heading) else heading


def plain_heading(heading: str) -> str:
    """A heading as it is compared: `## 2. **Root-cause(s)**:` is `root cause`."""
    text = heading.casefold().replace("\u2019", "'").replace("(s)", "").replace("（s）", "").strip(_MARKS)
    text = unnumbered(text)
    return " ".join(text.replace("-", " ").replace("_", " ").strip(_MARKS).split()).removeprefix("the ")


def names_in(heading: str) -> list[str]:
    """The names that a heading joins, plain: `Mitigation / Resolution`, `Resolution and recovery`; one for any other."""
    return [plain_heading(part) for part in _JOINED.split(plain_heading(heading.lstrip(_ANY_NUMBER))) if part]


def field_under(heading: str) -> str | None:
    """`root_cause` or `solution`, where a heading says that its text is that; None for every other, and for one that names both."""
    if alone := field_alone(heading):
        return alone
    named = {_FIELDS[part] for part in names_in(heading) if part in _FIELDS}
    return named.pop() if len(named) == 1 else None


def field_alone(heading: str) -> str | None:
    """The same of a heading with one name: `Resolution`, and not `Resolution / Status`."""
    return _FIELDS.get(plain_heading(heading)) or _FIELDS.get(plain_heading(heading.lstrip(_ANY_NUMBER)))
