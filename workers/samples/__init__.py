"""Made-up companies that several evaluations ask about: each a script of its tables and rows."""

from pathlib import Path

_HERE = Path(__file__).parent


def script_of(company: str, own: Path) -> str:
    """The statements that make the company's tables and rows, in the SQL of SQLite: those that evaluations share, otherwise the
    evaluation's own file."""
    shared = _HERE / f"{company}.sql"
    return (shared if shared.is_file() else own).read_text(encoding="utf-8")
