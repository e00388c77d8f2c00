"""The blackboard's tables, with states and rules as constraints. Migrations create them; a test compares the two.

A job's row is updated twice a step, a step's row three times. No index names a column that these updates change (a
partial index names those of its condition too), and pages have room: so Postgres keeps the new version beside the old one
and touches no index (HOT). The exception is the status of a job, which lists are narrowed by: it changes once when the job starts,
and at a question; when the job ends the indexes are written anyway.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    literal_column,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from contracts.jobs import JobStatus, StepStatus

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def _one_of(column: str, values: type[JobStatus] | type[StepStatus] | tuple[str, ...]) -> str:
    quoted = ", ".join(f"'{value}'" for value in values)
    return f"{column} IN ({quoted})"


def _now(name: str = "created_at") -> Column[object]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=func.now())


def _job_id(*, primary_key: bool = False) -> Column[object]:
    return Column("job_id", Uuid, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=primary_key, nullable=False)


def _by_tail(table: str) -> Index:
    """The last group of an id read backwards: people name rows by the end of their ids, and an index finds beginnings."""
    tail = literal_column("reverse(right(id::text, 12))", Text()).label("tail")
    return Index(f"ix_{table}_tail", tail, postgresql_ops={"tail": "text_pattern_ops"})


sessions = Table(
    "sessions",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("memory", JSONB, nullable=False, server_default=text("'{}'")),
    _now(),
    CheckConstraint("pg_column_size(memory) < 16384", name="memory_small"),
    Index("ix_sessions_created_at", "created_at"),
    _by_tail("sessions"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("session_id", Uuid, ForeignKey("sessions.id"), nullable=True),
    Column("status", Text, nullable=False),
    Column("priority", SmallInteger, nullable=False),
    Column("rev", BigInteger, nullable=False, comment="raised by every write that the boss reads; numbers the events"),
    Column("decided_rev", BigInteger, nullable=False, comment="the revision that the boss has answered"),
    Column("human_rev", BigInteger, nullable=False, comment="the revision of the last human word: caps count from here"),
    Column("work_since", DateTime(timezone=True), nullable=True, comment="start of the wall time in the budget"),
    Column("admitted", Boolean, nullable=False, comment="false: waits until its owner has fewer jobs running"),
    Column("engine", Text, nullable=False),
    Column("chooser", Text, nullable=True, comment="role that resolves what the rules leave open; none: a human does"),
    Column("result", Text, nullable=True, comment="stage or family that is the result; null: the last stage"),
    Column("language", Text, nullable=True, comment="of the user, as BCP 47 writes it; null: not known"),
    Column("budget", JSONB, nullable=False),
    Column("exceeded", JSONB, nullable=True, comment="fact of the sweeper: which budget is used up, as it is said"),
    Column("error", JSONB, nullable=True, comment="why it failed, as it is said"),
    Column("idempotency_key", Text, nullable=True),
    Column("body_hash", Text, nullable=False),
    Column("correlation_id", Text, nullable=True),
    Column("reply_to", Text, nullable=True),
    Column("announced_at", DateTime(timezone=True), nullable=True),
    Column("forked_from", Uuid, nullable=True),
    _now(),
    _now("updated_at"),
    Column("finished_at", DateTime(timezone=True), nullable=True),
    CheckConstraint(_one_of("status", JobStatus), name="status"),
    CheckConstraint("priority BETWEEN 0 AND 9", name="priority"),
    CheckConstraint("decided_rev <= rev AND human_rev <= rev", name="revs"),
    UniqueConstraint("owner", "idempotency_key"),
    Index("ix_jobs_live", "owner", postgresql_where=text("finished_at IS NULL")),
    Index("ix_jobs_held_back", "priority", "id", postgresql_where=text("NOT admitted")),
    Index("ix_jobs_busy", "owner", postgresql_where=text("finished_at IS NULL AND admitted AND status IN ('accepted', 'running')")),
    Index("ix_jobs_waiting", "owner", text("priority DESC"), "id", postgresql_where=text("NOT admitted")),
    Index("ix_jobs_unannounced", "id", postgresql_where=text("reply_to IS NOT NULL AND announced_at IS NULL AND finished_at IS NOT NULL")),
    Index("ix_jobs_reply_to", "reply_to", "id", postgresql_where=text("reply_to IS NOT NULL")),
    Index("ix_jobs_status_id", "status", "id"),
    Index("ix_jobs_kind_id", "kind", "id"),
    Index("ix_jobs_owner_id", "owner", "id"),
    Index("ix_jobs_session_id_id", "session_id", "id"),
    _by_tail("jobs"),
)

stages = Table(
    "stages",
    metadata,
    _job_id(primary_key=True),
    Column("name", Text, primary_key=True),
    Column("position", SmallInteger, nullable=False),
    Column("role", Text, nullable=True, comment="null: the input, which no role fills"),
    Column("task", Text, nullable=False),
    Column("needs", ARRAY(Text), nullable=False),
    Column("optional", Boolean, nullable=False),
    Column("params", JSONB, nullable=False),
)

steps = Table(
    "steps",
    metadata,
    Column("id", Uuid, primary_key=True),
    _job_id(),
    Column("stage", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("outcome", Text, nullable=True),
    Column("made_from", Text, nullable=False, comment="want(stage) when it was dispatched"),
    Column("params", JSONB, nullable=False),
    Column("may_ask", Boolean, nullable=False),
    Column("optional", Boolean, nullable=False, server_default=text("false"), comment="it may yield Nothing"),
    Column("need_ids", ARRAY(Uuid), nullable=False, comment="deliverables it is given"),
    Column("request_ids", ARRAY(Uuid), nullable=False, comment="requests it hears"),
    Column("ancestors", ARRAY(Text), nullable=False, comment="stages that it may send remarks and delegations to"),
    Column("priority", SmallInteger, nullable=False),
    Column("attempt", SmallInteger, nullable=False, server_default=text("0")),
    Column("max_attempts", SmallInteger, nullable=False),
    Column(
        "lost",
        SmallInteger,
        nullable=False,
        server_default=text("0"),
        comment="attempts that ended with their process: it died or hung and renewed the lease no more",
    ),
    Column("token", Uuid, nullable=True, comment="the fence: only its holder may report"),
    Column("reported_by", Uuid, nullable=True, comment="the token that reported it"),
    Column("lease_until", DateTime(timezone=True), nullable=True),
    Column("deadline", DateTime(timezone=True), nullable=True, comment="of this attempt; past it the lease is not renewed"),
    Column("timeout_s", Float, nullable=False),
    Column("due_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("sent_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("sends", SmallInteger, nullable=False, server_default=text("1")),
    Column("dispatches", SmallInteger, nullable=False, server_default=text("1")),
    Column("dispatch_rev", BigInteger, nullable=False),
    Column("ended_rev", BigInteger, nullable=True),
    Column("summary", Text, nullable=True),
    Column("draft", JSONB, nullable=True),
    Column("error", JSONB, nullable=True),
    Column("usage", JSONB, nullable=True),
    Column("engine", Text, nullable=True),
    Column("notes", JSONB, nullable=True),
    Column("worker", Text, nullable=True, comment="host:pid of the last claim"),
    _now(),
    Column("started_at", DateTime(timezone=True), nullable=True),
    Column("finished_at", DateTime(timezone=True), nullable=True),
    UniqueConstraint("job_id", "stage", "made_from"),
    CheckConstraint(_one_of("status", StepStatus), name="status"),
    CheckConstraint("(status = 'running') = (token IS NOT NULL AND lease_until IS NOT NULL)", name="running_is_leased"),
    CheckConstraint("attempt <= max_attempts", name="attempts"),
    CheckConstraint("(status IN ('succeeded', 'failed', 'cancelled')) = (finished_at IS NOT NULL)", name="finished"),
    Index("ix_steps_live", "role", postgresql_where=text("finished_at IS NULL")),
    Index("ix_steps_used", "id", postgresql_where=text("usage IS NOT NULL")),
    _by_tail("steps"),
)

call_texts = Table(
    "call_texts",
    metadata,
    _job_id(primary_key=True),
    Column("hash", Text, primary_key=True, comment="sha256 of the text"),
    Column("body", LargeBinary, nullable=False, comment="the text in UTF-8, by zlib"),
)

calls = Table(
    "calls",
    metadata,
    Column("step_id", Uuid, ForeignKey("steps.id", ondelete="CASCADE"), primary_key=True),
    Column("call", Integer, primary_key=True, comment="number of the model call in its step; 0: what is frozen for all attempts"),
    Column("place", Integer, primary_key=True, comment="0: the model call; of a tool call its position after it"),
    Column("attempt", SmallInteger, nullable=False, comment="that made this call"),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False, comment="of a model call its prompt, of a tool call its tool"),
    Column("model", Text, nullable=True),
    Column("request_hash", Text, nullable=False, comment="of what was asked, without ids of messages"),
    Column("request", JSONB, nullable=False, comment="messages and their parts by hash and tokens; or what is frozen"),
    Column("cut", JSONB, nullable=True, comment="what of the prompt was left out for lack of room"),
    Column("answer_hash", Text, nullable=True),
    Column("outcome", Text, nullable=False, comment="started, answered, or the class of the error"),
    Column("message", Text, nullable=True, comment="why it was not answered"),
    Column("usage", JSONB, nullable=True, comment="paid for this call in all attempts; of call 0: for discarded calls"),
    Column("duration_ms", Integer, nullable=True, comment="null: the process ended before the call did"),
    Column("edited", Boolean, nullable=False, server_default=text("false"), comment="its prompt was edited by hand"),
    _now("started_at"),
    CheckConstraint("kind IN ('start', 'model', 'tool')", name="kind"),
)

model_servers = Table(
    "model_servers",
    metadata,
    Column("server", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("takes_native_calls", Boolean, nullable=True, comment="it answered the one probe call with a call; null: not asked"),
    _now("asked_at"),
    Column("learnt", JSONB, nullable=True, comment="what was learnt of its requests, and of which requests"),
    Column("learnt_at", DateTime(timezone=True), nullable=True),
)

model_probes = Table(
    "model_probes",
    metadata,
    Column("server", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("task", Text, primary_key=True, comment="the prompt that was asked"),
    Column("prompts", ARRAY(Text), nullable=False, comment="all prompts of its sort"),
    Column("is_right", Boolean, nullable=False),
    Column("tries", Integer, nullable=False, comment="up to the right answer, or all of them"),
    Column("fault", Text, nullable=False, server_default="", comment="of the last wrong answer"),
    _now("asked_at"),
)

deliverables = Table(
    "deliverables",
    metadata,
    Column("id", Uuid, primary_key=True),
    _job_id(),
    Column("stage", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("made_from", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("content", JSONB, nullable=False),
    Column("effects", JSONB, nullable=True, comment="stages it adds to the plan, or the move it chose"),
    Column("origin", Text, nullable=False),
    Column("pinned", Boolean, nullable=False, server_default=text("false")),
    Column("step_id", Uuid, nullable=True),
    Column("rev", BigInteger, nullable=False),
    _now(),
    UniqueConstraint("job_id", "stage", "version"),
    CheckConstraint("origin IN ('role', 'human', 'fork')", name="origin"),
    Index("uq_deliverables_pinned", "job_id", "stage", unique=True, postgresql_where=text("pinned")),
)

requests = Table(
    "requests",
    metadata,
    Column("id", Uuid, primary_key=True),
    _job_id(),
    Column("asker", Text, nullable=False, comment="a stage, or operator"),
    Column("target", Text, nullable=False, comment="a stage, or human, or ? for an instruction not yet routed"),
    Column("also", ARRAY(Text), nullable=False, server_default=text("'{}'")),
    Column("kind", Text, nullable=False),
    Column("payload", JSONB, nullable=False),
    Column("payload_hash", Text, nullable=False, comment="sha256 of the canonical JSON"),
    Column("role", Text, nullable=True, comment="of a delegation that adds a stage"),
    Column("task", Text, nullable=True),
    Column("made_from", Text, nullable=True, comment="the asker's want when it asked"),
    Column("about", Uuid, nullable=True, comment="the remark or instruction that a question is about"),
    Column("held", Boolean, nullable=False, server_default=text("false"), comment="a remark that waits for a human's word"),
    Column("response", JSONB, nullable=True),
    Column("response_hash", Text, nullable=True),
    Column("void", Boolean, nullable=False, server_default=text("false"), comment="as of the last decision"),
    Column("step_id", Uuid, nullable=True),
    Column("rev", BigInteger, nullable=False),
    _now(),
    Column("answered_at", DateTime(timezone=True), nullable=True),
    Column("announced_at", DateTime(timezone=True), nullable=True, comment="to the producer, of a question"),
    CheckConstraint("kind IN ('question', 'delegation', 'remark', 'replay')", name="kind"),
    CheckConstraint("num_nulls(response, response_hash, answered_at) IN (0, 3)", name="answered"),
    CheckConstraint("response IS NULL OR target = 'human'", name="only_humans_respond"),
    Index("ix_requests_job_id", "job_id"),
    Index(
        "ix_requests_unannounced",
        "id",
        postgresql_where=text("target = 'human' AND response IS NULL AND NOT void AND announced_at IS NULL"),
    ),
)

decisions = Table(
    "decisions",
    metadata,
    Column("job_id", Uuid, primary_key=True),
    Column("rev", BigInteger, primary_key=True, comment="the revision of the board that was seen"),
    Column("rule", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("moves", JSONB, nullable=False),
    Column("release", Text, nullable=False, comment="release whose rules decided"),
    _now(),
)

events = Table(
    "events",
    metadata,
    Column("job_id", Uuid, primary_key=True),
    Column("rev", BigInteger, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("stage", Text, nullable=True),
    Column("step_id", Uuid, nullable=True),
    Column("detail", JSONB, nullable=False, server_default=text("'{}'")),
    _now("at"),
)

role_states = Table(
    "role_states",
    metadata,
    Column("role", Text, primary_key=True),
    Column("state", Text, nullable=False),
    _now("updated_at"),
    CheckConstraint("state IN ('running', 'paused', 'draining')", name="state"),
)

sweeps = Table(
    "sweeps",
    metadata,
    Column("part", Text, primary_key=True),
    Column("ok_at", DateTime(timezone=True), nullable=True, comment="when a coordinator last finished it without an error"),
    Column("failed_at", DateTime(timezone=True), nullable=True),
    Column("error", Text, nullable=True, comment="of the last failure"),
    Column("failures", BigInteger, nullable=False, server_default=text("0"), comment="in a row"),
    Column("duration_s", Float, nullable=False, server_default=text("0"), comment="of the last round"),
    Column("worker", Text, nullable=False, comment="host:pid of the last round"),
)

rate_limits = Table(
    "rate_limits",
    metadata,
    Column("key", Text, primary_key=True, comment="what is counted, e.g. model_calls"),
    Column("tat", DateTime(timezone=True), nullable=False, comment="theoretical arrival time: when the next turn is (GCRA)"),
)

model_circuits = Table(
    "model_circuits",
    metadata,
    Column("server", Text, primary_key=True, comment="address of the model's server, without secrets"),
    Column("model", Text, primary_key=True),
    Column("failures", Integer, nullable=False, server_default=text("0"), comment="in a row"),
    Column("timeouts", Integer, nullable=False, server_default=text("0"), comment="in a row"),
    Column("openings", Integer, nullable=False, server_default=text("0"), comment="since the last answer"),
    Column("open_until", DateTime(timezone=True), nullable=True, comment="null: closed; past: half open"),
    Column("known_at", DateTime(timezone=True), nullable=True, comment="when the server last showed that it works"),
    Column("failed_at", DateTime(timezone=True), nullable=True),
    Column("tried_at", DateTime(timezone=True), nullable=True, comment="when the last trial began"),
    Column("reason", Text, nullable=True, comment="of the last failure"),
)

answers = Table(
    "answers",
    metadata,
    Column("seq", BigInteger, Identity(always=True), primary_key=True),
    Column("address", Text, nullable=False, comment="the producer's reply_to"),
    Column("target", Text, nullable=False, comment="what is away together: a web server, or one stream or queue"),
    Column("lane", Text, nullable=False, comment="web answers never hold up those of the broker"),
    Column("job_id", Uuid, nullable=True, comment="its answers to an address leave in order"),
    Column("body", JSONB, nullable=False),
    _now(),
    _now("try_at"),
    Column("held_until", DateTime(timezone=True), nullable=True, comment="a sender works on it"),
    Column("tries", Integer, nullable=False, server_default=text("0")),
    Column("error", Text, nullable=True, comment="of the last try"),
    Column("sent_at", DateTime(timezone=True), nullable=True, comment="null: not delivered yet"),
    Column("entry", Text, nullable=True, comment="id of the entry in the reply stream"),
    Column("memory", Text, nullable=True, comment="of the Redis that took it; another one may have forgotten it"),
    CheckConstraint("lane IN ('broker', 'web')", name="lane"),
    Index("ix_answers_waiting", "lane", "target", "try_at", postgresql_where=text("sent_at IS NULL")),
    Index("ix_answers_of_job", "job_id", "seq", postgresql_where=text("sent_at IS NULL")),
    Index("ix_answers_sent", "sent_at", postgresql_where=text("sent_at IS NOT NULL")),
    Index("ix_answers_memory", "memory", postgresql_where=text("memory IS NOT NULL")),
)

quarantine = Table(
    "quarantine",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("source", Text, nullable=False, comment="queue, stream or sweep it came from"),
    Column("cause", Text, nullable=False, comment="error class"),
    Column("message", Text, nullable=False),
    Column("body", LargeBinary, nullable=False, comment="first 64 KB"),
    Column("body_hash", Text, nullable=False),
    Column("body_size", BigInteger, nullable=False),
    Column("state", Text, nullable=False, server_default=text("'new'")),
    Column("note", Text, nullable=True, comment="what helped, in an operator's words"),
    Column("job_id", Uuid, nullable=True),
    Column("step_id", Uuid, nullable=True),
    _now(),
    _now("updated_at"),
    CheckConstraint("state IN ('new', 'replayed', 'given_up')", name="state"),
    CheckConstraint("octet_length(body) <= 65536", name="body_size"),
    Index("ix_quarantine_state", "state", "created_at"),
    _by_tail("quarantine"),
)
