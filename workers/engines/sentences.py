"""Where sentences end, in texts of any language."""


def sentences(text: str) -> list[str]:
    """The text cut behind each end of a sentence and of a line, without parts that are blank: a period within a number or a name ends
    nothing."""
    parts: list[str] = []
    for line in text.splitlines(keepends=True):
        begin = 0
        for at, sign in enumerate(line, start=1):
            if sign in "。！？；" or (sign in ".!?;" and line[at : at + 1].isspace()):
                parts.append(line[begin:at])
                begin = at
        parts.append(line[begin:])
    return [part for part in parts if part.strip()]
