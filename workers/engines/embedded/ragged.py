"""A CSV whose lines have different numbers of values, written again with as many in each: the reader would begin where the longer lines do
and drop the header with every line above."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path


def written_even(source: Path, target: Path, delimiter: str, quote: str) -> list[str]:
    """The names of the columns, with the text written to `target`, separated by commas; empty where the first line names none, and
    nothing is written. Where most lines have one value, the delimiter is part of the others' values."""
    try:
        lengths = Counter(len(row) for row in _rows(source, delimiter, quote))
        first = next(_rows(source, delimiter, quote), list[str]())
    except csv.Error:
        return []
    if not lengths or not _names(first):
        return []
    usual = max(lengths, key=lambda length: (lengths[length], -length))
    if usual not in (1, len(first)):
        return []
    width = 1 if usual == 1 and len(first) == 1 else max(lengths)
    names = [*first, *(f"column{place}" for place in range(len(first), width))]
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL if width == 1 else csv.QUOTE_MINIMAL, lineterminator="\n")
        for number, row in enumerate(_rows(source, delimiter, quote)):
            whole = [delimiter.join(row)] if width == 1 else [*row, *[""] * (width - len(row))]
            writer.writerow(names if number == 0 else [cell.replace("\r\n", "\n").replace("\r", "\n") for cell in whole])
    return names


def _names(row: list[str]) -> bool:
    """Texts, each once."""
    return all(cell.strip() and not cell.strip()[0].isdigit() for cell in row) and len({cell.strip().lower() for cell in row}) == len(row)


def _rows(source: Path, delimiter: str, quote: str) -> Iterator[list[str]]:
    """Those that are not empty."""
    with source.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        yield from filter(any, csv.reader(file, delimiter=delimiter, quotechar=quote))
