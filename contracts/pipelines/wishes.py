"""What a user may wish for a pipeline: where it runs, what runs it, and in what form it is delivered."""

from enum import StrEnum


class Environment(StrEnum):
    """Where a workflow runs."""

    DEV = "dev"
    STG = "stg"
    PROD = "prod"


class Component(StrEnum):
    """What runs a job."""

    HIVE = "HIVE"
    SPARK_SQL = "SPARK_SQL"
    SHELL = "SHELL"
    DATAX = "DATAX"
    FLINK = "FLINK"
    PYTHON = "PYTHON"
    SQL = "SQL"
    """Statements of a database, by its own client or a runner: Postgres, DuckDB, MySQL, Trino."""


class PackageForm(StrEnum):
    """In what form the package is delivered."""

    DBT = "dbt"
    SQL = "sql"
    """Plain SQL, with a runner."""
    AIRFLOW = "airflow"
    """Plain SQL, with a DAG."""
