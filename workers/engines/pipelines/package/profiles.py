"""Where a dbt project connects to: a profile for each dialect, with nothing secret in it."""

from typing import Any


def profile(name: str, dialect: str) -> dict[str, Any]:
    """The profile of a project. Hosts, users and passwords come from the environment."""
    return {name: {"target": "dev", "outputs": {"dev": _output(dialect)}}}


def _output(dialect: str) -> dict[str, Any]:
    at = {"host": _env("DBT_HOST", "localhost"), "user": _env("DBT_USER", ""), "password": _env("DBT_PASSWORD", "")}
    schema = _env("DBT_SCHEMA", "main" if dialect == "duckdb" else "public")
    match dialect:
        case "duckdb":
            return {"type": "duckdb", "path": _env("DBT_DUCKDB_PATH", "warehouse.duckdb"), "schema": schema, "threads": 1}
        case "sqlite":
            path = _env("DBT_SQLITE_PATH", "warehouse.sqlite")
            return {
                "type": "sqlite",
                "threads": 1,
                "database": "database",
                "schema": "main",
                "schemas_and_paths": {"main": path},
                "schema_directory": ".",
            }
        case "postgres":
            return {
                "type": "postgres",
                **at,
                "port": _env("DBT_PORT", "5432", " | as_number"),
                "dbname": _env("DBT_DATABASE", ""),
                "schema": schema,
            }
        case "mysql":
            port = _env("DBT_PORT", "3306", " | as_number")
            return {
                "type": "mysql",
                "server": at["host"],
                "port": port,
                "username": at["user"],
                "password": at["password"],
                "schema": schema,
            }
        case "trino":
            port = _env("DBT_PORT", "8080", " | as_number")
            return {"type": "trino", **at, "port": port, "method": "ldap", "database": _env("DBT_DATABASE", ""), "schema": schema}
        case "hive":
            port = _env("DBT_PORT", "10000", " | as_number")
            return {"type": "hive", **at, "port": port, "auth_type": "ldap", "schema": schema}
        case _:
            port = _env("DBT_PORT", "10000", " | as_number")
            return {"type": "spark", "method": "thrift", **at, "port": port, "schema": schema}


def _env(variable: str, default: str, conversion: str = "") -> str:
    return "{{ env_var('" + variable + "', '" + default + "')" + conversion + " }}"
