"""The blackboard: jobs, stages, steps, deliverables, requests, decisions, events, quarantine."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

STEP_MOVES = [
    ("queued", "running"), ("queued", "cancelled"), ("running", "running"), ("running", "queued"),
    ("running", "succeeded"), ("running", "failed"), ("running", "cancelled"), ("cancelled", "queued"),
]  # fmt: skip
ENDED = ["succeeded", "failed", "cancelled"]
JOB_MOVES = [
    *[("accepted", to) for to in ["running", "waiting_human", *ENDED]],
    *[(at, to) for at in ["running", "waiting_human"] for to in ["running", "waiting_human", *ENDED]],
    *[(at, to) for at in ENDED for to in ["running", "waiting_human", *ENDED] if at != "cancelled" or to == "running"],
]
"""What may follow what. A cancelled job runs again only by a replay."""


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.create_table(
        "decisions",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False, comment="the revision of the board that was seen"),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("moves", postgresql.JSONB(), nullable=False),
        sa.Column("release", sa.Text(), nullable=False, comment="release whose rules decided"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "rev", name=op.f("pk_decisions")),
    )
    op.create_table(
        "events",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=True),
        sa.Column("step_id", sa.Uuid(), nullable=True),
        sa.Column("detail", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "rev", name=op.f("pk_events")),
    )
    op.create_table(
        "quarantine",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False, comment="queue, stream or sweep it came from"),
        sa.Column("cause", sa.Text(), nullable=False, comment="error class"),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False, comment="first 64 KB"),
        sa.Column("body_hash", sa.Text(), nullable=False),
        sa.Column("body_size", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("'new'"), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True),
        sa.Column("step_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("state IN ('new', 'replayed', 'given_up')", name=op.f("ck_quarantine_state")),
        sa.CheckConstraint("octet_length(body) <= 65536", name=op.f("ck_quarantine_body_size")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quarantine")),
    )
    op.create_index("ix_quarantine_state", "quarantine", ["state", "created_at"], unique=False)
    op.create_table(
        "role_states",
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("state IN ('running', 'paused', 'draining')", name=op.f("ck_role_states_state")),
        sa.PrimaryKeyConstraint("role", name=op.f("pk_role_states")),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("memory", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("pg_column_size(memory) < 16384", name=op.f("ck_sessions_memory_small")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("priority", sa.SmallInteger(), nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False, comment="raised by every write that the boss reads; numbers the events"),
        sa.Column("decided_rev", sa.BigInteger(), nullable=False, comment="the revision that the boss has answered"),
        sa.Column("human_rev", sa.BigInteger(), nullable=False, comment="the revision of the last human word: caps count from here"),
        sa.Column("work_since", sa.DateTime(timezone=True), nullable=True, comment="start of the wall time in the budget"),
        sa.Column("admitted", sa.Boolean(), nullable=False, comment="false: waits until its owner has fewer jobs running"),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("chooser", sa.Text(), nullable=True, comment="role that resolves what the rules leave open; none: a human does"),
        sa.Column("budget", postgresql.JSONB(), nullable=False),
        sa.Column("exceeded", sa.Text(), nullable=True, comment="fact of the sweeper: which budget is used up"),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("body_hash", sa.Text(), nullable=False),
        sa.Column("correlation_id", sa.Text(), nullable=True),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.Column("announced_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("forked_from", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status IN ('accepted', 'running', 'waiting_human', 'succeeded', 'failed', 'cancelled')", name=op.f("ck_jobs_status")
        ),
        sa.CheckConstraint("decided_rev <= rev AND human_rev <= rev", name=op.f("ck_jobs_revs")),
        sa.CheckConstraint("priority BETWEEN 0 AND 9", name=op.f("ck_jobs_priority")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_jobs_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("owner", "idempotency_key", name=op.f("uq_jobs_owner_idempotency_key")),
    )
    op.create_index("ix_jobs_live", "jobs", ["owner"], unique=False, postgresql_where=sa.text("finished_at IS NULL"))
    op.create_index("ix_jobs_created_at", "jobs", ["created_at"], unique=False)
    op.create_index("ix_jobs_session_id", "jobs", ["session_id"], unique=False)
    op.create_index("ix_jobs_held_back", "jobs", ["priority", "id"], unique=False, postgresql_where=sa.text("NOT admitted"))
    op.create_index(
        "ix_jobs_unannounced",
        "jobs",
        ["id"],
        unique=False,
        postgresql_where=sa.text("reply_to IS NOT NULL AND announced_at IS NULL AND finished_at IS NOT NULL"),
    )
    op.create_table(
        "deliverables",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("made_from", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("content", postgresql.JSONB(), nullable=False),
        sa.Column("effects", postgresql.JSONB(), nullable=True, comment="stages it adds to the plan, or the move it chose"),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("pinned", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("step_id", sa.Uuid(), nullable=True),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("origin IN ('role', 'human', 'fork')", name=op.f("ck_deliverables_origin")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_deliverables_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliverables")),
        sa.UniqueConstraint("job_id", "stage", "version", name=op.f("uq_deliverables_job_id_stage_version")),
    )
    op.create_index("uq_deliverables_pinned", "deliverables", ["job_id", "stage"], unique=True, postgresql_where=sa.text("pinned"))
    op.create_table(
        "requests",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("asker", sa.Text(), nullable=False, comment="a stage, or operator"),
        sa.Column("target", sa.Text(), nullable=False, comment="a stage, or human, or ? for an instruction not yet routed"),
        sa.Column("also", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", postgresql.JSONB(), nullable=False),
        sa.Column("payload_hash", sa.Text(), nullable=False, comment="sha256 of the canonical JSON"),
        sa.Column("role", sa.Text(), nullable=True, comment="of a delegation that adds a stage"),
        sa.Column("task", sa.Text(), nullable=True),
        sa.Column("made_from", sa.Text(), nullable=True, comment="the asker's want when it asked"),
        sa.Column("about", sa.Uuid(), nullable=True, comment="the remark or instruction that a question is about"),
        sa.Column("held", sa.Boolean(), server_default=sa.text("false"), nullable=False, comment="a remark that waits for a human's word"),
        sa.Column("response", postgresql.JSONB(), nullable=True),
        sa.Column("response_hash", sa.Text(), nullable=True),
        sa.Column("void", sa.Boolean(), server_default=sa.text("false"), nullable=False, comment="as of the last decision"),
        sa.Column("step_id", sa.Uuid(), nullable=True),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('question', 'delegation', 'remark', 'replay')", name=op.f("ck_requests_kind")),
        sa.CheckConstraint("response IS NULL OR target = 'human'", name=op.f("ck_requests_only_humans_respond")),
        sa.CheckConstraint("num_nulls(response, response_hash, answered_at) IN (0, 3)", name=op.f("ck_requests_answered")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_requests_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_requests")),
    )
    op.create_index("ix_requests_job_id", "requests", ["job_id"], unique=False)
    op.create_table(
        "stages",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=True, comment="null: the input, which no role fills"),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("needs", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("optional", sa.Boolean(), nullable=False),
        sa.Column("params", postgresql.JSONB(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_stages_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "name", name=op.f("pk_stages")),
    )
    op.create_table(
        "steps",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("made_from", sa.Text(), nullable=False, comment="want(stage) when it was dispatched"),
        sa.Column("params", postgresql.JSONB(), nullable=False),
        sa.Column("may_ask", sa.Boolean(), nullable=False),
        sa.Column("need_ids", postgresql.ARRAY(sa.Uuid()), nullable=False, comment="deliverables it is given"),
        sa.Column("request_ids", postgresql.ARRAY(sa.Uuid()), nullable=False, comment="requests it hears"),
        sa.Column("ancestors", postgresql.ARRAY(sa.Text()), nullable=False, comment="stages that it may send remarks and delegations to"),
        sa.Column("priority", sa.SmallInteger(), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("max_attempts", sa.SmallInteger(), nullable=False),
        sa.Column("token", sa.Uuid(), nullable=True, comment="the fence: only its holder may report"),
        sa.Column("reported_by", sa.Uuid(), nullable=True, comment="the token that reported it"),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True, comment="of this attempt; past it the lease is not renewed"),
        sa.Column("timeout_s", sa.Float(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("sends", sa.SmallInteger(), server_default=sa.text("1"), nullable=False),
        sa.Column("dispatches", sa.SmallInteger(), server_default=sa.text("1"), nullable=False),
        sa.Column("dispatch_rev", sa.BigInteger(), nullable=False),
        sa.Column("ended_rev", sa.BigInteger(), nullable=True),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("draft", postgresql.JSONB(), nullable=True),
        sa.Column("error", postgresql.JSONB(), nullable=True),
        sa.Column("usage", postgresql.JSONB(), nullable=True),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("notes", postgresql.JSONB(), nullable=True),
        sa.Column("worker", sa.Text(), nullable=True, comment="host:pid of the last claim"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(status = 'running') = (token IS NOT NULL AND lease_until IS NOT NULL)", name=op.f("ck_steps_running_is_leased")
        ),
        sa.CheckConstraint("(status IN ('succeeded', 'failed', 'cancelled')) = (finished_at IS NOT NULL)", name=op.f("ck_steps_finished")),
        sa.CheckConstraint("status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')", name=op.f("ck_steps_status")),
        sa.CheckConstraint("attempt <= max_attempts", name=op.f("ck_steps_attempts")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_steps_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_steps")),
        sa.UniqueConstraint("job_id", "stage", "made_from", name=op.f("uq_steps_job_id_stage_made_from")),
    )
    op.create_index("ix_steps_live", "steps", ["role"], unique=False, postgresql_where=sa.text("finished_at IS NULL"))
    op.execute("ALTER TABLE jobs SET (fillfactor = 60)")
    op.execute("ALTER TABLE steps SET (fillfactor = 60)")

    op.execute(
        """
        CREATE FUNCTION refuse_transition() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION '% % may not go from % to %', TG_TABLE_NAME, OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
        END $$
        """
    )
    for table, moves in (("steps", STEP_MOVES), ("jobs", JOB_MOVES)):
        allowed = ", ".join(f"('{old}', '{new}')" for old, new in moves)
        op.execute(
            f"CREATE TRIGGER {table}_transition BEFORE UPDATE OF status ON {table} FOR EACH ROW "
            f"WHEN (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN ({allowed})) EXECUTE FUNCTION refuse_transition()"
        )


def downgrade() -> None:
    op.drop_table("steps")
    op.drop_table("stages")
    op.drop_table("requests")
    op.drop_table("deliverables")
    op.drop_table("jobs")
    op.drop_table("sessions")
    op.drop_table("role_states")
    op.drop_table("quarantine")
    op.drop_table("events")
    op.drop_table("decisions")
    op.execute("DROP FUNCTION refuse_transition()")
