"""What a user submits as an `etl` job."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from contracts.base import Contract, Text
from contracts.pipelines.wishes import Component, Environment, PackageForm
from contracts.sources import SourceName
from contracts.statements import LanguageCode


class EtlRequest(Contract):
    """A requirement: the table that somebody needs."""

    kind: Literal["etl"] = "etl"
    requirement: Text = Field(default="", max_length=50_000)
    """In the user's words, in any language. Empty: the specification says all."""
    spec: Text = Field(
        default="",
        max_length=200_000,
        description="A specification in YAML in the place of a requirement; `bullpen spec new` makes one. No model is needed.",
        json_schema_extra={"metavar": "FILE", "file": True},
    )
    source: SourceName | None = Field(
        default=None, description="The source whose tables are read. Default: the only one that you may query."
    )
    dialect: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{1,29}$")] | None = Field(
        default=None, description="SQL dialect of the scripts. Default: the source's."
    )
    component: Component | None = Field(default=None, description="What runs the jobs. Default: the architect chooses or asks.")
    form: PackageForm = Field(
        default=PackageForm.DBT, description="dbt: a dbt project. sql: plain SQL with a runner. airflow: plain SQL with a DAG."
    )
    environment: Environment = Field(default=Environment.DEV, description="Where the workflow is to run first.")
    write: bool = Field(
        default=False,
        description="At the end, run the scripts in the source, after you approved them by their hash. Postgres, into a schema that an "
        "operator opened with `bullpen source writable`.",
    )
    samples: bool = Field(
        default=False,
        description="Try the scripts also on rows of the source: up to 60 of a table and those that they refer to, read as you. The "
        "package shows rows of the result.",
    )
    language: LanguageCode | None = Field(default=None, description="Language of the report. Default: that of the requirement.")
    title: Text = Field(default="", max_length=400)
    """What a specification without a requirement is called in lists: its table and its description. Filled in at intake."""

    @model_validator(mode="after")
    def _says_what_is_needed(self) -> "EtlRequest":
        if not self.requirement.strip() and not self.spec.strip():
            raise ValueError("an `etl` job needs a requirement, or a specification")
        return self
