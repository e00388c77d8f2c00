"""SQL that somebody has already, as a command line names it: files, or a model of a dbt project. Paths stay where the command runs."""

from pydantic import Field, model_validator

from contracts.base import Contract, Text
from contracts.sql_review import WriteMode


class ExistingSql(Contract):
    """Where the SQL is, and what it does not say of itself."""

    sql: Text = Field(
        default="",
        description="A .sql file that you have already, or a folder of them, to be reviewed and tried as it is. No model is needed.",
        json_schema_extra={"metavar": "FILE"},
    )
    dbt: Text = Field(
        default="",
        description="A dbt project, of which --select names the model to review and try; best after `dbt compile`.",
        json_schema_extra={"metavar": "PROJECT"},
    )
    select: Text = Field(default="", description="With --dbt: the model's name.", json_schema_extra={"metavar": "MODEL"})
    target: Text = Field(
        default="",
        max_length=200,
        description="With --sql: the table that is made, where the statements do not name one or make several.",
        json_schema_extra={"metavar": "TABLE"},
    )
    mode: WriteMode | None = Field(
        default=None, description="With --sql or --dbt: how the table is to be written. Default: what the statements or the model say."
    )
    grain: Text = Field(
        default="",
        max_length=2_000,
        description="With --sql or --dbt: the columns that make a row unique. Default: what the statements or the model's tests say.",
        json_schema_extra={"metavar": "COLUMN,..."},
    )

    @property
    def key(self) -> tuple[str, ...]:
        """The columns of `grain`."""
        return tuple(part.strip() for part in self.grain.split(",") if part.strip())

    @model_validator(mode="after")
    def _names_one_thing(self) -> "ExistingSql":
        if self.sql and self.dbt:
            raise ValueError("give --sql or --dbt, not both")
        if bool(self.dbt) != bool(self.select):
            raise ValueError("--dbt and --select go together: the project, and the model in it")
        if not (self.sql or self.dbt) and (self.target or self.mode or self.grain):
            raise ValueError("--target, --mode and --grain belong to --sql or --dbt")
        return self
