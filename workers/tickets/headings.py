"""Headings and labels under which people write the cause and the fix, compared without case, numbering, marks and plurals in brackets."""

_NAMES = {
    "root_cause": (
        "root cause|root causes|root cause analysis|rca|cause|causes|probable cause|actual cause|cause of the incident|what caused it|"
        "what caused this|what was the cause|what was the root cause|why did it happen|why did this happen|why it happened|"
        "ursache|ursachen|grundursache|ursachenanalyse|根因|根本原因|故障原因|问题原因|原因分析|根因分析"
    ),
    "solution": (
        "resolution|resolutions|solution|solutions|fix|fixes|remediation|what fixed it|what was the fix|what was done to fix it|"
        "how was it fixed|how was this fixed|how it was fixed|how we fixed it|how did we fix it|how was it resolved|how was this resolved|"
        "how it was resolved|how we resolved it|how did we resolve it|how was it solved|how we solved it|what we did to fix it|"
        "lösung|behebung|wie behoben|解决方案|解决办法|解决方法|解决措施|处理措施|如何解决|怎么解决的"
    ),
}
_FIELDS = {name: field for field, names in _NAMES.items() for name in names.split("|")}
_MARKS = " \t*_`#:：?？!！."
_NUMBERING = "0123456789.)、 "


def plain_heading(heading: str) -> str:
    """A heading as it is compared: `## 2. **Root-cause(s)**:` is `root cause`."""
    text = heading.casefold().replace("\u2019", "'").replace("(s)", "").replace("（s）", "").strip(_MARKS)
    if text[:1].isdigit():
        text = text.lstrip(_NUMBERING)
    return " ".join(text.replace("-", " ").replace("_", " ").strip(_MARKS).split()).removeprefix("the ")


def field_under(heading: str) -> str | None:
    """`root_cause` or `solution`, where a heading says that its text is that; None for every other."""
    return _FIELDS.get(plain_heading(heading))
