"""Two reports that copy one error text report one thing, in any words around it."""

import pytest

from workers.tickets.quotations import quote_alike

OPEN_FILES = "The broker log says 'too many open files'"


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("另外 broker 日志里有 too many open files", OPEN_FILES),
        ("also there is too many open files in the log", OPEN_FILES),
        ("java.io.IOException: Too many open files (accept)", OPEN_FILES),
        ("日志报错：磁盘空间不足，无法写入", "写入时提示「磁盘空间不足」"),
        (
            "log says Error 1213: Deadlock found when trying to get lock",
            "Deadlock found when trying to get lock; try restarting transaction",
        ),
    ],
)
def test_the_same_copied_text_is_found(text: str, other: str) -> None:
    assert quote_alike(text, other)
    assert quote_alike(other, text)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("we don't know whether it's open", OPEN_FILES),
        ("many files are open", OPEN_FILES),
        ("the state is 'idle'", "Sessions are 'idle' for hours"),
        ("log: connection refused by peer", "log: connection reset by peer"),
        ("", OPEN_FILES),
    ],
)
def test_names_and_other_texts_are_none(text: str, other: str) -> None:
    assert not quote_alike(text, other)
