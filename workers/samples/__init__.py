"""Made-up companies that several evaluations ask about: each a script of its tables and rows."""

from pathlib import Path

_HERE = Path(__file__).parent


def has_script(company: str) -> bool:
    """Whether the company is one of these."""
    return (_HERE / f"{company}.sql").is_file()


def script_of(company: str) -> str:
    """The statements that make the company's tables and rows, in the SQL of SQLite.

    Raises:
        FileNotFoundError: no such company.
    """
    return (_HERE / f"{company}.sql").read_text(encoding="utf-8")
