"""One settings tree, read once from the environment (`BULLPEN_*`). docs/settings.md is generated from it."""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from contracts.jobs import EngineChoice
from workers.errors import ConfigurationError


class Settings(BaseSettings):
    """Every setting of every process. A wrong value stops the process with its name and what it takes."""

    model_config = SettingsConfigDict(env_prefix="BULLPEN_", frozen=True, extra="ignore")

    database_url: str | None = Field(
        default=None,
        description="Postgres with pgvector: `postgresql://user:password@host:5432/bullpen`. Default: the servers of `bullpen up`.",
    )
    broker_url: str | None = Field(
        default=None, description="`redis://host:6379/0` or `amqp://user:password@host:5672/vhost`. Default: the servers of `bullpen up`."
    )
    home: Path = Field(
        default=Path("~/.local/share/bullpen"), description="Data folder of `bullpen up`: embedded servers, logs, addresses."
    )
    advance: Literal["coordinator", "inline"] = Field(
        default="coordinator",
        description="Who runs the boss after a report: the coordinator task, or the reporting worker itself, which saves a hop.",
    )
    engine: EngineChoice = Field(default=EngineChoice.AUTO, description="Default engine of the roles: `auto`, `rules` or `llm`.")
    extensions: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Comma-separated Python modules with your own playbooks and role tasks, imported by every process."
    )

    lease_s: float = Field(
        default=60.0, gt=0, description="Seconds a claimed step may go without a sign of life before another worker takes it over."
    )
    step_timeout_s: float = Field(default=600.0, gt=0, description="Deadline of one attempt, in seconds.")
    max_attempts: int = Field(default=3, ge=1, le=20, description="Attempts of a step before it has failed.")
    retry_base_s: float = Field(
        default=0.5, gt=0, description="First pause before an attempt is repeated after a transport error; doubles, with jitter."
    )
    retry_max_s: float = Field(default=30.0, gt=0, description="Longest such pause, in seconds.")
    sweep_s: float = Field(default=2.0, gt=0, description="Seconds between two sweeps of a coordinator.")
    resend_after_s: float = Field(
        default=10.0, gt=0, description="Age in seconds at which a queued step's message is looked for; doubles with each sending."
    )
    owner_cap: int = Field(
        default=100, ge=1, description="Jobs of one owner that may run at once; the others wait as `accepted`, the most urgent first."
    )
    job_wall_time_s: float = Field(
        default=86_400.0, gt=0, description="Default budget of a job: seconds of work since the last human word."
    )
    newer_message_wait_s: float = Field(
        default=600.0,
        gt=0,
        description="Seconds that a message of a newer version waits in its queue (rolling deploy) before it is quarantined.",
    )
    webhooks: bool = Field(
        default=False,
        description="Whether `reply_to` may be an http(s) URL. Off: a submission must not make your servers call addresses of its choice.",
    )

    concurrency: int | None = Field(
        default=None, ge=1, le=1000, description="Steps that one worker process runs at once. Default: per role, see docs/adr/0002."
    )
    shutdown_grace_s: float = Field(
        default=30.0, ge=0, description="Seconds that a stopping `bullpen up` gives running steps before their leases are left to others."
    )
    embeddings: str = Field(
        default="wordllama",
        max_length=200,
        description="Embedding model of the knowledge base: `wordllama`, `openai:MODEL` of any server that speaks the OpenAI protocol, "
        "or `none` for full text only. After a change, `bullpen tickets reindex` makes the new vectors; the old ones are kept.",
    )
    embeddings_base_url: str = Field(
        default="https://api.openai.com/v1",
        description="Address of that server: `http://host:8000/v1`. Tickets and questions are sent to it.",
    )
    embeddings_api_key: str | None = Field(default=None, repr=False, description="Key of that server, sent to it alone.")
    embeddings_dim: int | None = Field(
        default=None, ge=1, le=4_000, description="Numbers in a vector of that model. Default: one text is embedded to see."
    )

    log_format: Literal["console", "json"] = Field(default="json", description="Form of the log lines.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Least severe level that is logged.")
    flower_port: int = Field(
        default=5555, ge=1, le=65535, description="Port Flower listens on; `bullpen up` takes a free one when it is in use."
    )
    flower_address: str = Field(
        default="127.0.0.1", description="Address Flower listens on. Other than loopback needs `flower_basic_auth`."
    )
    flower_basic_auth: str | None = Field(default=None, repr=False, description="`user:password` of Flower.")
    failpoints: str = Field(
        default="", description="For tests of the fleet only: `name=action[:probability]`, comma-separated; see workers/failpoints.py."
    )

    @field_validator("extensions", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("embeddings")
    @classmethod
    def _embedder(cls, value: str) -> str:
        if value not in ("wordllama", "none") and not (value.startswith("openai:") and value.removeprefix("openai:").strip()):
            raise ValueError("must be wordllama, none or openai:MODEL")
        return value

    @field_validator("embeddings_base_url")
    @classmethod
    def _http(cls, value: str) -> str:
        if not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        return value.rstrip("/")

    @field_validator("embeddings_api_key", "embeddings_dim", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return None if value == "" else value

    @field_validator("database_url")
    @classmethod
    def _postgres(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("postgresql://", "postgres://", "postgresql+psycopg://")):
            raise ValueError("must begin with postgresql://")
        return value

    @field_validator("broker_url")
    @classmethod
    def _broker(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("redis://", "rediss://", "amqp://", "amqps://")):
            raise ValueError("must begin with redis://, rediss://, amqp:// or amqps://")
        return value

    @property
    def data_dir(self) -> Path:
        """`home`, with `~` expanded."""
        return self.home.expanduser()


@cache
def load_settings() -> Settings:
    """The settings of this process. Raises `ConfigurationError` naming each wrong variable."""
    try:
        return Settings()
    except ValidationError as error:
        lines = [f"BULLPEN_{'_'.join(str(part) for part in item['loc']).upper()}: {item['msg']}" for item in error.errors()]
        raise ConfigurationError("Wrong settings in the environment:\n  " + "\n  ".join(lines)) from None
