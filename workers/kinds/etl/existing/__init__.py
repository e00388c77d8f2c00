"""SQL that somebody has already, as a specification: statements of files, or a model of a dbt project."""

from contracts.existing_sql import ExistingSql
from workers.kinds.base import DraftedSpec
from workers.kinds.etl.existing.dbt_models import read_model
from workers.kinds.etl.existing.sql_files import read_files
from workers.kinds.etl.existing.written import as_spec


def existing_spec(given: ExistingSql, source: str, dialect: str) -> DraftedSpec:
    """A specification of it. Reads files of this machine. Raises `InvalidInput` or `NotFound`, with file and line."""
    return as_spec(read_model(given, dialect) if given.dbt else read_files(given, dialect), given, source)


__all__ = ["existing_spec"]
