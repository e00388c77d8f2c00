"""Tables as text, as spreadsheets write them: which delimiter, and where the header is."""

DELIMITERS = ",;\t|"

_MOST_TITLES = 10
"""Lines above a header that are looked at."""


def find_table(text: str) -> tuple[str, str]:
    """The text in which the lines above the header are blank, so that lines keep their numbers; and the delimiter. A title has no
    delimiter, a header at least two; `sep=;` is what Excel reads first."""
    lines = text.split("\n", _MOST_TITLES)
    looked_at = lines[:_MOST_TITLES]
    first = next((place for place, line in enumerate(looked_at) if line.strip()), 0)
    first_text = looked_at[first].strip()
    if first_text.lower().startswith("sep=") and first_text[4:] in DELIMITERS and first_text[4:]:
        return "\n".join([*[""] * (first + 1), *lines[first + 1 :]]), first_text[4:]
    header = first
    if '"' not in first_text and not any(mark in first_text for mark in DELIMITERS):
        header = next((place for place in range(first, len(looked_at)) if max(map(looked_at[place].count, DELIMITERS)) > 1), first)
    return "\n".join([*[""] * header, *lines[header:]]), delimiter_in(lines[header])


def delimiter_in(header: str) -> str:
    """The delimiter of the line or the lines of a header."""
    return max(DELIMITERS, key=header.count)


def markdown_rows(text: str) -> list[tuple[int, list[str]]]:
    """The rows of the first table of a page in Markdown, each with its line, where the table is most of the page; else none. A `\\|` is no
    end of a cell."""
    lines = text.splitlines()
    first = next((place for place in range(1, len(lines)) if _is_rule(lines[place]) and "|" in lines[place - 1]), None)
    if first is None:
        return []
    table = [first - 1]
    for place in range(first + 1, len(lines)):
        if "|" not in lines[place]:
            break
        table.append(place)
    if (len(table) + 1) * 2 < sum(bool(line.strip()) for line in lines):
        return []
    return [(place + 1, _cells(lines[place])) for place in table]


def _is_rule(line: str) -> bool:
    """The line between header and rows: `|---|:--:|`."""
    return "|" in line and "-" in line and not set(line) - set("|:- \t")


def _cells(line: str) -> list[str]:
    plain = line.strip().replace("\\|", "\x00").removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\x00", "|") for cell in plain.split("|")]
