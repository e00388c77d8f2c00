-- Everything that a database of this release has, a table after the other; what refers to other tables comes last.

CREATE EXTENSION IF NOT EXISTS vector;
CREATE FUNCTION refuse_transition() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
          RAISE EXCEPTION '% % may not go from % to %', TG_TABLE_NAME, OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
        END $$;

CREATE TABLE alerts (
    owner text NOT NULL,
    fingerprint text NOT NULL,
    title text NOT NULL,
    job_id uuid,
    times integer DEFAULT 1 NOT NULL,
    first_at timestamptz DEFAULT now() NOT NULL,
    last_at timestamptz DEFAULT now() NOT NULL,
    begun_at timestamptz,
    resolved_at timestamptz
);
COMMENT ON COLUMN alerts.fingerprint IS 'of the sender, or a hash of what names the alert';
COMMENT ON COLUMN alerts.job_id IS 'null: held back by the limit of new jobs';
COMMENT ON COLUMN alerts.begun_at IS 'when its job was made';
ALTER TABLE alerts ADD CONSTRAINT pk_alerts PRIMARY KEY (owner, fingerprint);
CREATE INDEX ix_alerts_begun_at ON alerts USING btree (owner, begun_at);
CREATE INDEX ix_alerts_job_id ON alerts USING btree (job_id);

CREATE TABLE answers (
    seq bigint GENERATED ALWAYS AS IDENTITY,
    address text NOT NULL,
    target text NOT NULL,
    lane text NOT NULL,
    job_id uuid,
    body jsonb NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    try_at timestamptz DEFAULT now() NOT NULL,
    held_until timestamptz,
    tries integer DEFAULT 0 NOT NULL,
    error text,
    sent_at timestamptz,
    entry text,
    memory text,
    CONSTRAINT ck_answers_lane CHECK ((lane = ANY (ARRAY['broker'::text, 'web'::text])))
);
COMMENT ON COLUMN answers.address IS 'the producer''s reply_to';
COMMENT ON COLUMN answers.target IS 'what is away together: a web server, or one stream or queue';
COMMENT ON COLUMN answers.lane IS 'web answers never hold up those of the broker';
COMMENT ON COLUMN answers.job_id IS 'its answers to an address leave in order';
COMMENT ON COLUMN answers.held_until IS 'a sender works on it';
COMMENT ON COLUMN answers.error IS 'of the last try';
COMMENT ON COLUMN answers.sent_at IS 'null: not delivered yet';
COMMENT ON COLUMN answers.entry IS 'id of the entry in the reply stream';
COMMENT ON COLUMN answers.memory IS 'of the Redis that took it; another one may have forgotten it';
ALTER TABLE answers ADD CONSTRAINT pk_answers PRIMARY KEY (seq);
CREATE INDEX ix_answers_memory ON answers USING btree (memory) WHERE (memory IS NOT NULL);
CREATE INDEX ix_answers_of_job ON answers USING btree (job_id, seq) WHERE (sent_at IS NULL);
CREATE INDEX ix_answers_sent ON answers USING btree (sent_at) WHERE (sent_at IS NOT NULL);
CREATE INDEX ix_answers_waiting ON answers USING btree (lane, target, try_at) WHERE (sent_at IS NULL);

CREATE TABLE api_keys (
    id text NOT NULL,
    secret_hash bytea NOT NULL,
    owner text NOT NULL,
    scopes text[] NOT NULL,
    label text DEFAULT ''::text NOT NULL,
    per_minute integer,
    created_at timestamptz DEFAULT now() NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    busy_until timestamptz
);
COMMENT ON COLUMN api_keys.id IS 'the readable part of a key';
COMMENT ON COLUMN api_keys.secret_hash IS 'sha256 of the secret part: it has 256 random bits';
COMMENT ON COLUMN api_keys.per_minute IS 'most requests a minute; null: the deployment''s default';
COMMENT ON COLUMN api_keys.last_used_at IS 'to the minute';
COMMENT ON COLUMN api_keys.busy_until IS 'when the requests so far would end, evenly spread';
ALTER TABLE api_keys ADD CONSTRAINT pk_api_keys PRIMARY KEY (id);

CREATE TABLE artefact_facts (
    sha256 text NOT NULL,
    kind text NOT NULL,
    parser text NOT NULL,
    read_as text NOT NULL,
    facts bytea NOT NULL,
    size_bytes integer NOT NULL,
    used_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN artefact_facts.sha256 IS 'of the artefact''s bytes';
COMMENT ON COLUMN artefact_facts.parser IS 'name and version';
COMMENT ON COLUMN artefact_facts.read_as IS 'hash of what else the facts depend on: the artefact''s name, the attempt asked for';
COMMENT ON COLUMN artefact_facts.facts IS 'zlib-compressed canonical JSON of what was parsed';
COMMENT ON COLUMN artefact_facts.size_bytes IS 'of `facts`';
COMMENT ON COLUMN artefact_facts.used_at IS 'the oldest go first';
ALTER TABLE artefact_facts ADD CONSTRAINT pk_artefact_facts PRIMARY KEY (sha256, kind, parser, read_as);
CREATE INDEX ix_artefact_facts_used_at ON artefact_facts USING btree (used_at) INCLUDE (size_bytes);

CREATE TABLE browser_logins (
    token_hash bytea NOT NULL,
    key_id text NOT NULL,
    csrf text NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    expires_at timestamptz NOT NULL
);
COMMENT ON COLUMN browser_logins.token_hash IS 'sha256 of the cookie';
ALTER TABLE browser_logins ADD CONSTRAINT pk_browser_logins PRIMARY KEY (token_hash);
CREATE INDEX ix_browser_logins_key_id ON browser_logins USING btree (key_id);

CREATE TABLE bundle_owners (
    ref text NOT NULL,
    owner text NOT NULL,
    brought_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN bundle_owners.ref IS 'sha256:..., as a request names it';
ALTER TABLE bundle_owners ADD CONSTRAINT pk_bundle_owners PRIMARY KEY (ref, owner);

CREATE TABLE call_texts (
    job_id uuid NOT NULL,
    hash text NOT NULL,
    body bytea NOT NULL
);
COMMENT ON COLUMN call_texts.hash IS 'sha256 of the text';
COMMENT ON COLUMN call_texts.body IS 'the text in UTF-8, by zlib';
ALTER TABLE call_texts ADD CONSTRAINT pk_call_texts PRIMARY KEY (job_id, hash);

CREATE TABLE calls (
    step_id uuid NOT NULL,
    call integer NOT NULL,
    place integer NOT NULL,
    attempt smallint NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    model text,
    request_hash text NOT NULL,
    request jsonb NOT NULL,
    cut jsonb,
    answer_hash text,
    outcome text NOT NULL,
    message text,
    usage jsonb,
    duration_ms integer,
    edited boolean DEFAULT false NOT NULL,
    started_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT ck_calls_kind CHECK ((kind = ANY (ARRAY['start'::text, 'model'::text, 'tool'::text])))
);
COMMENT ON COLUMN calls.call IS 'number of the model call in its step; 0: what is frozen for all attempts';
COMMENT ON COLUMN calls.place IS '0: the model call; of a tool call its position after it';
COMMENT ON COLUMN calls.attempt IS 'that made this call';
COMMENT ON COLUMN calls.name IS 'of a model call its prompt, of a tool call its tool';
COMMENT ON COLUMN calls.request_hash IS 'of what was asked, without ids of messages';
COMMENT ON COLUMN calls.request IS 'messages and their parts by hash and tokens; or what is frozen';
COMMENT ON COLUMN calls.cut IS 'what of the prompt was left out for lack of room';
COMMENT ON COLUMN calls.outcome IS 'started, answered, or the class of the error';
COMMENT ON COLUMN calls.message IS 'why it was not answered';
COMMENT ON COLUMN calls.usage IS 'paid for this call in all attempts; of call 0: for discarded calls';
COMMENT ON COLUMN calls.duration_ms IS 'null: the process ended before the call did';
COMMENT ON COLUMN calls.edited IS 'its prompt was edited by hand';
ALTER TABLE calls ADD CONSTRAINT pk_calls PRIMARY KEY (step_id, call, place);

CREATE TABLE catalogue_edges (
    from_id text NOT NULL,
    kind text NOT NULL,
    to_id text NOT NULL,
    label text NOT NULL,
    origin text NOT NULL,
    source text NOT NULL,
    content jsonb NOT NULL
);
COMMENT ON COLUMN catalogue_edges.kind IS 'references, derives, measures, answers, tagged or synonym; a parent contains';
COMMENT ON COLUMN catalogue_edges.label IS 'tells edges of a kind between the same nodes apart: the columns of a join';
COMMENT ON COLUMN catalogue_edges.source IS 'of the node that it comes from';
ALTER TABLE catalogue_edges ADD CONSTRAINT pk_catalogue_edges PRIMARY KEY (from_id, kind, to_id, label, origin);
CREATE INDEX ix_catalogue_edges_origin ON catalogue_edges USING btree (origin, source);
CREATE INDEX ix_catalogue_edges_to_id ON catalogue_edges USING btree (to_id, kind);

CREATE TABLE catalogue_node_words (
    node_id text NOT NULL,
    source text NOT NULL,
    word_count integer NOT NULL,
    words tsvector NOT NULL
);
COMMENT ON COLUMN catalogue_node_words.source IS 'of the node';
ALTER TABLE catalogue_node_words ADD CONSTRAINT pk_catalogue_node_words PRIMARY KEY (node_id);
CREATE INDEX ix_catalogue_node_words_words ON catalogue_node_words USING gin (words);

CREATE TABLE catalogue_nodes (
    node_id text NOT NULL,
    kind text NOT NULL,
    source text NOT NULL,
    key text NOT NULL,
    parent text,
    given jsonb NOT NULL,
    content jsonb NOT NULL,
    short_text text,
    long_text text,
    gone_at timestamptz,
    updated_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN catalogue_nodes.node_id IS 'made from kind, source and key';
COMMENT ON COLUMN catalogue_nodes.kind IS 'table, column, value_domain, metric, tag, query, document or term';
COMMENT ON COLUMN catalogue_nodes.source IS 'name of the source that it belongs to; empty: of none';
COMMENT ON COLUMN catalogue_nodes.key IS 'names it within its source and kind: sales.orders, sales.orders.id';
COMMENT ON COLUMN catalogue_nodes.parent IS 'node that contains it: the table of a column and of its value domain';
COMMENT ON COLUMN catalogue_nodes.given IS 'origin → what it says of the node';
COMMENT ON COLUMN catalogue_nodes.content IS 'joined from what the origins say';
COMMENT ON COLUMN catalogue_nodes.short_text IS 'what a table is called, for a vector of its own';
COMMENT ON COLUMN catalogue_nodes.long_text IS 'what a vector is made of; null: it has none';
COMMENT ON COLUMN catalogue_nodes.gone_at IS 'since when no origin has it any more';
ALTER TABLE catalogue_nodes ADD CONSTRAINT pk_catalogue_nodes PRIMARY KEY (node_id);
CREATE INDEX ix_catalogue_nodes_parent ON catalogue_nodes USING btree (parent) WHERE (parent IS NOT NULL);
CREATE INDEX ix_catalogue_nodes_source_kind_key ON catalogue_nodes USING btree (source, kind, key);

CREATE TABLE catalogue_origins (
    origin text NOT NULL,
    sources text[] NOT NULL,
    search text[] NOT NULL,
    report jsonb NOT NULL,
    imported_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN catalogue_origins.origin IS 'form and place: ddl:/data/schema.sql, source:shop';
COMMENT ON COLUMN catalogue_origins.sources IS 'whose nodes it gave';
COMMENT ON COLUMN catalogue_origins.search IS 'schemas in which the source looks for a table without one';
ALTER TABLE catalogue_origins ADD CONSTRAINT pk_catalogue_origins PRIMARY KEY (origin);

CREATE TABLE catalogue_words (
    word text NOT NULL,
    node_count integer NOT NULL
);
COMMENT ON COLUMN catalogue_words.node_count IS 'nodes whose words hold it';
ALTER TABLE catalogue_words ADD CONSTRAINT pk_catalogue_words PRIMARY KEY (word);

CREATE TABLE causes (
    cause_id text NOT NULL,
    description text NOT NULL,
    solution text NOT NULL,
    ticket_count integer DEFAULT 0 NOT NULL
);
COMMENT ON COLUMN causes.cause_id IS 'made from the cause''s code, or else its normalised wording';
COMMENT ON COLUMN causes.description IS 'of the first of its tickets by id';
COMMENT ON COLUMN causes.solution IS 'the longest of its tickets';
COMMENT ON COLUMN causes.ticket_count IS 'tickets with this cause';
ALTER TABLE causes ADD CONSTRAINT pk_causes PRIMARY KEY (cause_id);

CREATE TABLE decisions (
    job_id uuid NOT NULL,
    rev bigint NOT NULL,
    rule text NOT NULL,
    status text NOT NULL,
    moves jsonb NOT NULL,
    release text NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN decisions.rev IS 'the revision of the board that was seen';
COMMENT ON COLUMN decisions.release IS 'release whose rules decided';
ALTER TABLE decisions ADD CONSTRAINT pk_decisions PRIMARY KEY (job_id, rev);

CREATE TABLE deliverables (
    id uuid NOT NULL,
    job_id uuid NOT NULL,
    stage text NOT NULL,
    version integer NOT NULL,
    made_from text NOT NULL,
    content_hash text NOT NULL,
    content jsonb NOT NULL,
    effects jsonb,
    origin text NOT NULL,
    pinned boolean DEFAULT false NOT NULL,
    step_id uuid,
    rev bigint NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT ck_deliverables_origin CHECK ((origin = ANY (ARRAY['role'::text, 'human'::text, 'fork'::text])))
);
COMMENT ON COLUMN deliverables.effects IS 'stages it adds to the plan, or the move it chose';
ALTER TABLE deliverables ADD CONSTRAINT pk_deliverables PRIMARY KEY (id);
ALTER TABLE deliverables ADD CONSTRAINT uq_deliverables_job_id_stage_version UNIQUE (job_id, stage, version);
CREATE UNIQUE INDEX uq_deliverables_pinned ON deliverables USING btree (job_id, stage) WHERE pinned;

CREATE TABLE embedding_models (
    owner_kind text NOT NULL,
    model text NOT NULL,
    ready boolean NOT NULL
);
COMMENT ON COLUMN embedding_models.ready IS 'whether searches of this kind may go by the vectors of this model';
ALTER TABLE embedding_models ADD CONSTRAINT pk_embedding_models PRIMARY KEY (owner_kind, model);

CREATE TABLE embeddings (
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    model text NOT NULL,
    dim smallint NOT NULL,
    vector vector NOT NULL,
    CONSTRAINT ck_embeddings_dim CHECK ((vector_dims(vector) = dim))
);
ALTER TABLE embeddings ADD CONSTRAINT pk_embeddings PRIMARY KEY (owner_kind, owner_id, model);

CREATE TABLE events (
    job_id uuid NOT NULL,
    rev bigint NOT NULL,
    kind text NOT NULL,
    stage text,
    step_id uuid,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    at timestamptz DEFAULT now() NOT NULL
);
ALTER TABLE events ADD CONSTRAINT pk_events PRIMARY KEY (job_id, rev);

CREATE TABLE experience (
    experience_id text NOT NULL,
    language text NOT NULL,
    pack text NOT NULL,
    title text NOT NULL,
    tuning_class text NOT NULL,
    kinds text[] NOT NULL,
    engines text[] NOT NULL,
    remedies text[] NOT NULL,
    priority smallint NOT NULL,
    text text NOT NULL,
    words tsvector NOT NULL,
    word_count integer NOT NULL,
    content_hash text NOT NULL
);
COMMENT ON COLUMN experience.experience_id IS 'PACK/SLUG: one piece of advice, in any language';
COMMENT ON COLUMN experience.kinds IS 'of verdicts that it is about';
COMMENT ON COLUMN experience.remedies IS 'kinds of fixes that it describes';
COMMENT ON COLUMN experience.priority IS 'of its pack: decides between equals';
COMMENT ON COLUMN experience.words IS 'of title and text';
COMMENT ON COLUMN experience.content_hash IS 'of all of the piece, as its file has it';
ALTER TABLE experience ADD CONSTRAINT pk_experience PRIMARY KEY (experience_id, language);
CREATE INDEX ix_experience_words ON experience USING gin (words);

CREATE TABLE experience_feedback (
    job_id uuid NOT NULL,
    fix_id text NOT NULL,
    experience_ids text[] NOT NULL,
    fix_kind text NOT NULL,
    tuning_class text NOT NULL,
    verdict text NOT NULL,
    given_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT ck_experience_feedback_verdict CHECK ((verdict = ANY (ARRAY['adopted'::text, 'ignored'::text])))
);
COMMENT ON COLUMN experience_feedback.job_id IS 'no foreign key: what was learnt stays when the job is purged';
COMMENT ON COLUMN experience_feedback.experience_ids IS 'that the fix was taken from; none: it speaks for all of its remedy';
COMMENT ON COLUMN experience_feedback.tuning_class IS 'of the job';
ALTER TABLE experience_feedback ADD CONSTRAINT pk_experience_feedback PRIMARY KEY (job_id, fix_id);
CREATE INDEX ix_experience_feedback_tuning_class ON experience_feedback USING btree (tuning_class);

CREATE TABLE history_state (
    single boolean DEFAULT true NOT NULL,
    tickets integer DEFAULT 0 NOT NULL,
    causes integer DEFAULT 0 NOT NULL,
    words bigint DEFAULT 0 NOT NULL,
    CONSTRAINT ck_history_state_single CHECK (single)
);
COMMENT ON COLUMN history_state.tickets IS 'tickets there are';
COMMENT ON COLUMN history_state.causes IS 'causes there are';
COMMENT ON COLUMN history_state.words IS 'word_count of all tickets together';
ALTER TABLE history_state ADD CONSTRAINT pk_history_state PRIMARY KEY (single);

CREATE TABLE jobs (
    id uuid NOT NULL,
    kind text NOT NULL,
    owner text NOT NULL,
    session_id uuid,
    status text NOT NULL,
    priority smallint NOT NULL,
    rev bigint NOT NULL,
    decided_rev bigint NOT NULL,
    human_rev bigint NOT NULL,
    work_since timestamptz,
    admitted boolean NOT NULL,
    engine text NOT NULL,
    chooser text,
    budget jsonb NOT NULL,
    exceeded jsonb,
    error jsonb,
    idempotency_key text,
    body_hash text NOT NULL,
    correlation_id text,
    reply_to text,
    announced_at timestamptz,
    forked_from uuid,
    created_at timestamptz DEFAULT now() NOT NULL,
    updated_at timestamptz DEFAULT now() NOT NULL,
    finished_at timestamptz,
    result text,
    language text,
    CONSTRAINT ck_jobs_priority CHECK (((priority >= 0) AND (priority <= 9))),
    CONSTRAINT ck_jobs_revs CHECK (((decided_rev <= rev) AND (human_rev <= rev))),
    CONSTRAINT ck_jobs_status CHECK ((status = ANY (ARRAY['accepted'::text, 'running'::text, 'waiting_human'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (fillfactor='60');
COMMENT ON COLUMN jobs.rev IS 'raised by every write that the boss reads; numbers the events';
COMMENT ON COLUMN jobs.decided_rev IS 'the revision that the boss has answered';
COMMENT ON COLUMN jobs.human_rev IS 'the revision of the last human word: caps count from here';
COMMENT ON COLUMN jobs.work_since IS 'start of the wall time in the budget';
COMMENT ON COLUMN jobs.admitted IS 'false: waits until its owner has fewer jobs running';
COMMENT ON COLUMN jobs.chooser IS 'role that resolves what the rules leave open; none: a human does';
COMMENT ON COLUMN jobs.exceeded IS 'fact of the sweeper: which budget is used up, as it is said';
COMMENT ON COLUMN jobs.error IS 'why it failed, as it is said';
COMMENT ON COLUMN jobs.result IS 'stage or family that is the result; null: the last stage';
COMMENT ON COLUMN jobs.language IS 'of the user, as BCP 47 writes it; null: not known';
ALTER TABLE jobs ADD CONSTRAINT pk_jobs PRIMARY KEY (id);
ALTER TABLE jobs ADD CONSTRAINT uq_jobs_owner_idempotency_key UNIQUE (owner, idempotency_key);
CREATE INDEX ix_jobs_busy ON jobs USING btree (owner) WHERE ((finished_at IS NULL) AND admitted AND (status = ANY (ARRAY['accepted'::text, 'running'::text])));
CREATE INDEX ix_jobs_held_back ON jobs USING btree (priority, id) WHERE (NOT admitted);
CREATE INDEX ix_jobs_kind_id ON jobs USING btree (kind, id);
CREATE INDEX ix_jobs_live ON jobs USING btree (owner) WHERE (finished_at IS NULL);
CREATE INDEX ix_jobs_owner_id ON jobs USING btree (owner, id);
CREATE INDEX ix_jobs_reply_to ON jobs USING btree (reply_to, id) WHERE (reply_to IS NOT NULL);
CREATE INDEX ix_jobs_session_id_id ON jobs USING btree (session_id, id);
CREATE INDEX ix_jobs_status_id ON jobs USING btree (status, id);
CREATE INDEX ix_jobs_tail ON jobs USING btree (reverse("right"((id)::text, 12)) text_pattern_ops);
CREATE INDEX ix_jobs_unannounced ON jobs USING btree (id) WHERE ((reply_to IS NOT NULL) AND (announced_at IS NULL) AND (finished_at IS NOT NULL));
CREATE INDEX ix_jobs_waiting ON jobs USING btree (owner, priority DESC, id) WHERE (NOT admitted);

CREATE TABLE log_sources (
    name text NOT NULL,
    kind text NOT NULL,
    limits jsonb NOT NULL,
    owners text[] NOT NULL,
    sample boolean NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN log_sources.owners IS 'who may search it; empty: everyone';
ALTER TABLE log_sources ADD CONSTRAINT pk_log_sources PRIMARY KEY (name);

CREATE TABLE login_codes (
    code_hash bytea NOT NULL,
    key_id text NOT NULL,
    expires_at timestamptz NOT NULL
);
COMMENT ON COLUMN login_codes.code_hash IS 'sha256 of an address that logs in once; used up: the row is deleted';
ALTER TABLE login_codes ADD CONSTRAINT pk_login_codes PRIMARY KEY (code_hash);
CREATE INDEX ix_login_codes_key_id ON login_codes USING btree (key_id);

CREATE TABLE method_runs (
    request_id uuid NOT NULL,
    item integer NOT NULL,
    content jsonb NOT NULL
);
COMMENT ON COLUMN method_runs.item IS 'its number in the question';
ALTER TABLE method_runs ADD CONSTRAINT pk_method_runs PRIMARY KEY (request_id, item);

CREATE TABLE metric_sources (
    name text NOT NULL,
    limits jsonb NOT NULL,
    owners text[] NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN metric_sources.owners IS 'who may query it; empty: everyone';
ALTER TABLE metric_sources ADD CONSTRAINT pk_metric_sources PRIMARY KEY (name);

CREATE TABLE model_circuits (
    server text NOT NULL,
    model text NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    timeouts integer DEFAULT 0 NOT NULL,
    openings integer DEFAULT 0 NOT NULL,
    open_until timestamptz,
    known_at timestamptz,
    failed_at timestamptz,
    tried_at timestamptz,
    reason text
);
COMMENT ON COLUMN model_circuits.server IS 'address of the model''s server, without secrets';
COMMENT ON COLUMN model_circuits.failures IS 'in a row';
COMMENT ON COLUMN model_circuits.timeouts IS 'in a row';
COMMENT ON COLUMN model_circuits.openings IS 'since the last answer';
COMMENT ON COLUMN model_circuits.open_until IS 'null: closed; past: half open';
COMMENT ON COLUMN model_circuits.known_at IS 'when the server last showed that it works';
COMMENT ON COLUMN model_circuits.tried_at IS 'when the last trial began';
COMMENT ON COLUMN model_circuits.reason IS 'of the last failure';
ALTER TABLE model_circuits ADD CONSTRAINT pk_model_circuits PRIMARY KEY (server, model);

CREATE TABLE model_servers (
    server text NOT NULL,
    model text NOT NULL,
    takes_native_calls boolean NOT NULL,
    asked_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN model_servers.takes_native_calls IS 'it answered the one probe call with a call';
ALTER TABLE model_servers ADD CONSTRAINT pk_model_servers PRIMARY KEY (server, model);

CREATE TABLE operations (
    id uuid NOT NULL,
    what text NOT NULL,
    state text NOT NULL,
    progress jsonb DEFAULT '{}'::jsonb NOT NULL,
    result jsonb,
    error jsonb,
    begun_at timestamptz DEFAULT now() NOT NULL,
    beat_at timestamptz DEFAULT now() NOT NULL,
    ended_at timestamptz
);
COMMENT ON COLUMN operations.what IS 'name of the work; of each at most one runs';
COMMENT ON COLUMN operations.state IS 'running, done, failed';
COMMENT ON COLUMN operations.progress IS 'what is being done, how many of how many';
COMMENT ON COLUMN operations.error IS 'why it failed, as it is said';
COMMENT ON COLUMN operations.beat_at IS 'when its process was last heard of';
ALTER TABLE operations ADD CONSTRAINT pk_operations PRIMARY KEY (id);
CREATE UNIQUE INDEX uq_operations_running ON operations USING btree (what) WHERE (state = 'running'::text);

CREATE TABLE own_checks (
    hash text NOT NULL,
    name text NOT NULL,
    content jsonb NOT NULL,
    added_by text NOT NULL,
    added_at timestamptz DEFAULT now() NOT NULL,
    approved_by text,
    approved_at timestamptz
);
COMMENT ON COLUMN own_checks.hash IS 'of its canonical content';
COMMENT ON COLUMN own_checks.approved_by IS 'it runs unattended from then on';
ALTER TABLE own_checks ADD CONSTRAINT pk_own_checks PRIMARY KEY (hash);
CREATE UNIQUE INDEX own_checks_one_approved ON own_checks USING btree (name) WHERE (approved_at IS NOT NULL);

CREATE TABLE phenomena (
    phenomenon_id text NOT NULL,
    description text NOT NULL,
    observation_method text NOT NULL,
    words tsvector NOT NULL,
    ticket_count integer DEFAULT 0 NOT NULL,
    cause_count integer DEFAULT 0 NOT NULL
);
COMMENT ON COLUMN phenomena.phenomenon_id IS 'made from the normalised wording';
COMMENT ON COLUMN phenomena.description IS 'of the first of its tickets by id';
COMMENT ON COLUMN phenomena.observation_method IS 'the longest of its tickets';
COMMENT ON COLUMN phenomena.ticket_count IS 'tickets that show it';
COMMENT ON COLUMN phenomena.cause_count IS 'causes that show it';
ALTER TABLE phenomena ADD CONSTRAINT pk_phenomena PRIMARY KEY (phenomenon_id);
CREATE INDEX ix_phenomena_words ON phenomena USING gin (words);

CREATE TABLE phenomenon_causes (
    phenomenon_id text NOT NULL,
    cause_id text NOT NULL,
    ticket_count integer NOT NULL,
    why_relevant text NOT NULL
);
COMMENT ON COLUMN phenomenon_causes.ticket_count IS 'tickets of the cause that show the phenomenon';
COMMENT ON COLUMN phenomenon_causes.why_relevant IS 'of the first of these tickets that says it';
ALTER TABLE phenomenon_causes ADD CONSTRAINT pk_phenomenon_causes PRIMARY KEY (phenomenon_id, cause_id);
CREATE INDEX ix_phenomenon_causes_cause_id ON phenomenon_causes USING btree (cause_id, ticket_count, phenomenon_id);

CREATE TABLE quarantine (
    id uuid NOT NULL,
    source text NOT NULL,
    cause text NOT NULL,
    message text NOT NULL,
    body bytea NOT NULL,
    body_hash text NOT NULL,
    body_size bigint NOT NULL,
    state text DEFAULT 'new'::text NOT NULL,
    job_id uuid,
    step_id uuid,
    created_at timestamptz DEFAULT now() NOT NULL,
    updated_at timestamptz DEFAULT now() NOT NULL,
    note text,
    CONSTRAINT ck_quarantine_body_size CHECK ((octet_length(body) <= 65536)),
    CONSTRAINT ck_quarantine_state CHECK ((state = ANY (ARRAY['new'::text, 'replayed'::text, 'given_up'::text])))
);
COMMENT ON COLUMN quarantine.source IS 'queue, stream or sweep it came from';
COMMENT ON COLUMN quarantine.cause IS 'error class';
COMMENT ON COLUMN quarantine.body IS 'first 64 KB';
COMMENT ON COLUMN quarantine.note IS 'what helped, in an operator''s words';
ALTER TABLE quarantine ADD CONSTRAINT pk_quarantine PRIMARY KEY (id);
CREATE INDEX ix_quarantine_state ON quarantine USING btree (state, created_at);
CREATE INDEX ix_quarantine_tail ON quarantine USING btree (reverse("right"((id)::text, 12)) text_pattern_ops);

CREATE TABLE rate_limits (
    key text NOT NULL,
    tat timestamptz NOT NULL
);
COMMENT ON COLUMN rate_limits.key IS 'what is counted, e.g. model_calls';
COMMENT ON COLUMN rate_limits.tat IS 'theoretical arrival time: when the next turn is (GCRA)';
ALTER TABLE rate_limits ADD CONSTRAINT pk_rate_limits PRIMARY KEY (key);

CREATE TABLE requests (
    id uuid NOT NULL,
    job_id uuid NOT NULL,
    asker text NOT NULL,
    target text NOT NULL,
    also text[] DEFAULT '{}'::text[] NOT NULL,
    kind text NOT NULL,
    payload jsonb NOT NULL,
    payload_hash text NOT NULL,
    role text,
    task text,
    made_from text,
    about uuid,
    held boolean DEFAULT false NOT NULL,
    response jsonb,
    response_hash text,
    void boolean DEFAULT false NOT NULL,
    step_id uuid,
    rev bigint NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    answered_at timestamptz,
    announced_at timestamptz,
    CONSTRAINT ck_requests_answered CHECK ((num_nulls(response, response_hash, answered_at) = ANY (ARRAY[0, 3]))),
    CONSTRAINT ck_requests_kind CHECK ((kind = ANY (ARRAY['question'::text, 'delegation'::text, 'remark'::text, 'replay'::text]))),
    CONSTRAINT ck_requests_only_humans_respond CHECK (((response IS NULL) OR (target = 'human'::text)))
);
COMMENT ON COLUMN requests.asker IS 'a stage, or operator';
COMMENT ON COLUMN requests.target IS 'a stage, or human, or ? for an instruction not yet routed';
COMMENT ON COLUMN requests.payload_hash IS 'sha256 of the canonical JSON';
COMMENT ON COLUMN requests.role IS 'of a delegation that adds a stage';
COMMENT ON COLUMN requests.made_from IS 'the asker''s want when it asked';
COMMENT ON COLUMN requests.about IS 'the remark or instruction that a question is about';
COMMENT ON COLUMN requests.held IS 'a remark that waits for a human''s word';
COMMENT ON COLUMN requests.void IS 'as of the last decision';
COMMENT ON COLUMN requests.announced_at IS 'to the producer, of a question';
ALTER TABLE requests ADD CONSTRAINT pk_requests PRIMARY KEY (id);
CREATE INDEX ix_requests_job_id ON requests USING btree (job_id);
CREATE INDEX ix_requests_unannounced ON requests USING btree (id) WHERE ((target = 'human'::text) AND (response IS NULL) AND (NOT void) AND (announced_at IS NULL));

CREATE TABLE role_states (
    role text NOT NULL,
    state text NOT NULL,
    updated_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT ck_role_states_state CHECK ((state = ANY (ARRAY['running'::text, 'paused'::text, 'draining'::text])))
);
ALTER TABLE role_states ADD CONSTRAINT pk_role_states PRIMARY KEY (role);

CREATE TABLE sessions (
    id uuid NOT NULL,
    owner text NOT NULL,
    memory jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT ck_sessions_memory_small CHECK ((pg_column_size(memory) < 16384))
);
ALTER TABLE sessions ADD CONSTRAINT pk_sessions PRIMARY KEY (id);
CREATE INDEX ix_sessions_created_at ON sessions USING btree (created_at);
CREATE INDEX ix_sessions_tail ON sessions USING btree (reverse("right"((id)::text, 12)) text_pattern_ops);

CREATE TABLE skill_versions (
    hash text NOT NULL,
    name text NOT NULL,
    body text NOT NULL,
    procedure text,
    files jsonb NOT NULL,
    used_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN skill_versions.hash IS 'sha256 of all that a job takes from the skill';
COMMENT ON COLUMN skill_versions.body IS 'the Markdown below the front matter';
COMMENT ON COLUMN skill_versions.procedure IS 'the text of procedure.yaml';
COMMENT ON COLUMN skill_versions.files IS 'path → text of each reference';
ALTER TABLE skill_versions ADD CONSTRAINT pk_skill_versions PRIMARY KEY (hash);
CREATE INDEX ix_skill_versions_used_at ON skill_versions USING btree (used_at);

CREATE TABLE source_executions (
    id bigint GENERATED BY DEFAULT AS IDENTITY,
    source text NOT NULL,
    owner text NOT NULL,
    job_id uuid,
    step_id uuid,
    statement_hash text NOT NULL,
    statement text NOT NULL,
    started_at timestamptz DEFAULT now() NOT NULL,
    rows integer,
    result_bytes bigint,
    duration_ms bigint,
    locks jsonb DEFAULT '[]'::jsonb NOT NULL,
    error text
);
COMMENT ON COLUMN source_executions.source IS 'no foreign key: the audit stays when the source is removed';
COMMENT ON COLUMN source_executions.job_id IS 'no foreign key: the audit stays when the job is purged';
COMMENT ON COLUMN source_executions.statement_hash IS 'sha256 of the whole statement';
COMMENT ON COLUMN source_executions.statement IS 'its beginning';
COMMENT ON COLUMN source_executions.duration_ms IS 'null: the process ended before the statement did';
ALTER TABLE source_executions ADD CONSTRAINT pk_source_executions PRIMARY KEY (id);
CREATE INDEX ix_source_executions_job_id ON source_executions USING btree (job_id);
CREATE INDEX ix_source_executions_owner ON source_executions USING btree (owner, id);
CREATE INDEX ix_source_executions_source ON source_executions USING btree (source, id);

CREATE TABLE source_policies (
    source text NOT NULL,
    owner text NOT NULL,
    table_name text NOT NULL,
    predicate text,
    hidden text[] NOT NULL,
    denied boolean NOT NULL,
    exempt boolean NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN source_policies.owner IS '*: everyone';
ALTER TABLE source_policies ADD CONSTRAINT pk_source_policies PRIMARY KEY (source, owner, table_name);

CREATE TABLE source_writable_schemas (
    source text NOT NULL,
    schema_name text NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL
);
ALTER TABLE source_writable_schemas ADD CONSTRAINT pk_source_writable_schemas PRIMARY KEY (source, schema_name);

CREATE TABLE source_writes (
    id uuid NOT NULL,
    source text NOT NULL,
    script_hash text NOT NULL,
    owner text NOT NULL,
    approved_by text NOT NULL,
    job_id uuid,
    approved_at timestamptz DEFAULT now() NOT NULL,
    done_at timestamptz
);
COMMENT ON COLUMN source_writes.id IS 'the key of the ledger row in the source';
COMMENT ON COLUMN source_writes.source IS 'no foreign key: the approval stays when the source is removed';
COMMENT ON COLUMN source_writes.script_hash IS 'sha256 of source and statements';
COMMENT ON COLUMN source_writes.owner IS 'whose job it is';
COMMENT ON COLUMN source_writes.job_id IS 'no foreign key: the approval stays when the job is purged';
COMMENT ON COLUMN source_writes.done_at IS 'null: the ledger in the source decides';
ALTER TABLE source_writes ADD CONSTRAINT pk_source_writes PRIMARY KEY (id);
ALTER TABLE source_writes ADD CONSTRAINT uq_source_writes_job_id_source_script_hash UNIQUE (job_id, source, script_hash);

CREATE TABLE sources (
    name text NOT NULL,
    kind text NOT NULL,
    limits jsonb NOT NULL,
    owners text[] NOT NULL,
    insisted boolean NOT NULL,
    sample boolean NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN sources.owners IS 'who may query it; empty: everyone';
COMMENT ON COLUMN sources.insisted IS 'the operator accepted an account that could write';
ALTER TABLE sources ADD CONSTRAINT pk_sources PRIMARY KEY (name);

CREATE TABLE stages (
    job_id uuid NOT NULL,
    name text NOT NULL,
    "position" smallint NOT NULL,
    role text,
    task text NOT NULL,
    needs text[] NOT NULL,
    optional boolean NOT NULL,
    params jsonb NOT NULL
);
COMMENT ON COLUMN stages.role IS 'null: the input, which no role fills';
ALTER TABLE stages ADD CONSTRAINT pk_stages PRIMARY KEY (job_id, name);

CREATE TABLE steps (
    id uuid NOT NULL,
    job_id uuid NOT NULL,
    stage text NOT NULL,
    role text NOT NULL,
    task text NOT NULL,
    status text NOT NULL,
    outcome text,
    made_from text NOT NULL,
    params jsonb NOT NULL,
    may_ask boolean NOT NULL,
    need_ids uuid[] NOT NULL,
    request_ids uuid[] NOT NULL,
    ancestors text[] NOT NULL,
    priority smallint NOT NULL,
    attempt smallint DEFAULT 0 NOT NULL,
    max_attempts smallint NOT NULL,
    token uuid,
    reported_by uuid,
    lease_until timestamptz,
    deadline timestamptz,
    timeout_s double precision NOT NULL,
    due_at timestamptz DEFAULT now() NOT NULL,
    sent_at timestamptz DEFAULT now() NOT NULL,
    sends smallint DEFAULT 1 NOT NULL,
    dispatches smallint DEFAULT 1 NOT NULL,
    dispatch_rev bigint NOT NULL,
    ended_rev bigint,
    summary text,
    draft jsonb,
    error jsonb,
    usage jsonb,
    engine text,
    notes jsonb,
    worker text,
    created_at timestamptz DEFAULT now() NOT NULL,
    started_at timestamptz,
    finished_at timestamptz,
    optional boolean DEFAULT false NOT NULL,
    lost smallint DEFAULT 0 NOT NULL,
    CONSTRAINT ck_steps_attempts CHECK ((attempt <= max_attempts)),
    CONSTRAINT ck_steps_finished CHECK (((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT ck_steps_running_is_leased CHECK (((status = 'running'::text) = ((token IS NOT NULL) AND (lease_until IS NOT NULL)))),
    CONSTRAINT ck_steps_status CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (fillfactor='60');
COMMENT ON COLUMN steps.made_from IS 'want(stage) when it was dispatched';
COMMENT ON COLUMN steps.need_ids IS 'deliverables it is given';
COMMENT ON COLUMN steps.request_ids IS 'requests it hears';
COMMENT ON COLUMN steps.ancestors IS 'stages that it may send remarks and delegations to';
COMMENT ON COLUMN steps.token IS 'the fence: only its holder may report';
COMMENT ON COLUMN steps.reported_by IS 'the token that reported it';
COMMENT ON COLUMN steps.deadline IS 'of this attempt; past it the lease is not renewed';
COMMENT ON COLUMN steps.worker IS 'host:pid of the last claim';
COMMENT ON COLUMN steps.optional IS 'it may yield Nothing';
COMMENT ON COLUMN steps.lost IS 'attempts that ended with their process: it died or hung and renewed the lease no more';
ALTER TABLE steps ADD CONSTRAINT pk_steps PRIMARY KEY (id);
ALTER TABLE steps ADD CONSTRAINT uq_steps_job_id_stage_made_from UNIQUE (job_id, stage, made_from);
CREATE INDEX ix_steps_live ON steps USING btree (role) WHERE (finished_at IS NULL);
CREATE INDEX ix_steps_tail ON steps USING btree (reverse("right"((id)::text, 12)) text_pattern_ops);
CREATE INDEX ix_steps_used ON steps USING btree (id) WHERE (usage IS NOT NULL);

CREATE TABLE sweeps (
    part text NOT NULL,
    ok_at timestamptz,
    failed_at timestamptz,
    error text,
    failures bigint DEFAULT 0 NOT NULL,
    duration_s double precision DEFAULT 0 NOT NULL,
    worker text NOT NULL
);
COMMENT ON COLUMN sweeps.ok_at IS 'when a coordinator last finished it without an error';
COMMENT ON COLUMN sweeps.error IS 'of the last failure';
COMMENT ON COLUMN sweeps.failures IS 'in a row';
COMMENT ON COLUMN sweeps.duration_s IS 'of the last round';
COMMENT ON COLUMN sweeps.worker IS 'host:pid of the last round';
ALTER TABLE sweeps ADD CONSTRAINT pk_sweeps PRIMARY KEY (part);

CREATE TABLE symptom_words (
    word text NOT NULL,
    ticket_count integer NOT NULL
);
COMMENT ON COLUMN symptom_words.ticket_count IS 'tickets whose symptoms hold the word';
ALTER TABLE symptom_words ADD CONSTRAINT pk_symptom_words PRIMARY KEY (word);

CREATE TABLE systems (
    name text NOT NULL,
    source text,
    match text[] NOT NULL,
    owners text[] NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    logs jsonb,
    metrics jsonb
);
COMMENT ON COLUMN systems.source IS 'sources.name';
COMMENT ON COLUMN systems.match IS 'words or label=value of an incident; * for any characters';
COMMENT ON COLUMN systems.owners IS 'whose incidents; empty: everyone''s';
COMMENT ON COLUMN systems.logs IS 'log_sources.name and conditions on labels';
COMMENT ON COLUMN systems.metrics IS 'metric_sources.name and conditions on labels';
ALTER TABLE systems ADD CONSTRAINT pk_systems PRIMARY KEY (name);

CREATE TABLE ticket_anomalies (
    ticket_id text NOT NULL,
    "position" smallint NOT NULL,
    phenomenon_id text NOT NULL,
    description text NOT NULL,
    observation_method text NOT NULL,
    why_relevant text NOT NULL
);
COMMENT ON COLUMN ticket_anomalies.description IS 'as its author wrote it';
ALTER TABLE ticket_anomalies ADD CONSTRAINT pk_ticket_anomalies PRIMARY KEY (ticket_id, "position");
CREATE INDEX ix_ticket_anomalies_phenomenon_id ON ticket_anomalies USING btree (phenomenon_id, ticket_id);

CREATE TABLE ticket_batches (
    batch_id bigint GENERATED ALWAYS AS IDENTITY,
    what text NOT NULL,
    at timestamptz DEFAULT now() NOT NULL,
    undone boolean DEFAULT false NOT NULL,
    CONSTRAINT ck_ticket_batches_what CHECK ((what = ANY (ARRAY['import'::text, 'edit'::text, 'delete'::text, 'feedback'::text, 'merge'::text, 'undo'::text, 'reading'::text])))
);
COMMENT ON COLUMN ticket_batches.what IS 'import, edit, delete, feedback, merge, undo or reading';
ALTER TABLE ticket_batches ADD CONSTRAINT pk_ticket_batches PRIMARY KEY (batch_id);

CREATE TABLE ticket_changes (
    batch_id bigint NOT NULL,
    ticket_id text NOT NULL,
    before jsonb
);
COMMENT ON COLUMN ticket_changes.before IS 'the ticket as it was; null: there was none';
ALTER TABLE ticket_changes ADD CONSTRAINT pk_ticket_changes PRIMARY KEY (batch_id, ticket_id);
CREATE INDEX ix_ticket_changes_ticket_id ON ticket_changes USING btree (ticket_id);

CREATE TABLE ticket_orders (
    order_id bigint GENERATED ALWAYS AS IDENTITY,
    model text NOT NULL,
    tickets integer NOT NULL,
    tokens bigint NOT NULL,
    tickets_read integer DEFAULT 0 NOT NULL,
    tokens_used bigint DEFAULT 0 NOT NULL,
    useless integer DEFAULT 0 NOT NULL,
    changed integer,
    problem text,
    ordered_at timestamptz DEFAULT now() NOT NULL,
    ended_at timestamptz
);
COMMENT ON COLUMN ticket_orders.tickets IS 'the most that are read';
COMMENT ON COLUMN ticket_orders.tokens IS 'the most that are paid, in and out';
COMMENT ON COLUMN ticket_orders.tickets_read IS 'tickets that were read';
COMMENT ON COLUMN ticket_orders.useless IS 'tickets whose answers were of no use';
COMMENT ON COLUMN ticket_orders.changed IS 'tickets that have more than before; null: not applied yet';
COMMENT ON COLUMN ticket_orders.problem IS 'why it does not get on just now';
ALTER TABLE ticket_orders ADD CONSTRAINT pk_ticket_orders PRIMARY KEY (order_id);
CREATE UNIQUE INDEX uq_ticket_orders_open ON ticket_orders USING btree ((true)) WHERE (ended_at IS NULL);

CREATE TABLE ticket_readings (
    text_hash text NOT NULL,
    model text NOT NULL,
    reading jsonb NOT NULL,
    read_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN ticket_readings.text_hash IS 'sha256 of the prose that was read';
COMMENT ON COLUMN ticket_readings.reading IS 'quotations by what they say; {}: the answer was of no use';
ALTER TABLE ticket_readings ADD CONSTRAINT pk_ticket_readings PRIMARY KEY (text_hash);

CREATE TABLE tickets (
    ticket_id text NOT NULL,
    description text NOT NULL,
    root_cause text NOT NULL,
    solution text NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    cause_id text NOT NULL,
    content_hash text NOT NULL,
    words tsvector NOT NULL,
    word_count integer NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    updated_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN tickets.root_cause IS 'as its author wrote it; never in words or embeddings';
COMMENT ON COLUMN tickets.words IS 'of description and phenomena, never of cause or solution';
ALTER TABLE tickets ADD CONSTRAINT pk_tickets PRIMARY KEY (ticket_id);
CREATE INDEX ix_tickets_cause_id ON tickets USING btree (cause_id) INCLUDE (word_count);
CREATE INDEX ix_tickets_words ON tickets USING gin (words);

CREATE TABLE tool_calls (
    step_id uuid NOT NULL,
    number integer NOT NULL,
    attempt smallint NOT NULL,
    tool text NOT NULL,
    effect text NOT NULL,
    arguments_hash text NOT NULL,
    outcome text NOT NULL,
    message text,
    result jsonb,
    duration_ms integer,
    started_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT ck_tool_calls_effect CHECK ((effect = ANY (ARRAY['none'::text, 'read'::text, 'write'::text]))),
    CONSTRAINT ck_tool_calls_outcome CHECK ((outcome = ANY (ARRAY['started'::text, 'answered'::text, 'refused'::text, 'invalid'::text, 'failed'::text, 'unavailable'::text])))
);
COMMENT ON COLUMN tool_calls.number IS 'of the call in its step, over all attempts';
COMMENT ON COLUMN tool_calls.attempt IS 'the last attempt that made this call';
COMMENT ON COLUMN tool_calls.arguments_hash IS 'sha256 of the canonical JSON';
COMMENT ON COLUMN tool_calls.message IS 'why it was not answered';
COMMENT ON COLUMN tool_calls.result IS 'of a call with an effect, for a repeated attempt';
COMMENT ON COLUMN tool_calls.duration_ms IS 'null: the process ended before the call did';
ALTER TABLE tool_calls ADD CONSTRAINT pk_tool_calls PRIMARY KEY (step_id, number);
CREATE INDEX ix_tool_calls_tool_started_at ON tool_calls USING btree (tool, started_at);

CREATE TABLE tool_grants (
    step_id uuid NOT NULL,
    attempt smallint NOT NULL,
    granted jsonb NOT NULL,
    granted_at timestamptz DEFAULT now() NOT NULL
);
COMMENT ON COLUMN tool_grants.granted IS 'tools and the places that each may open, as they were computed';
ALTER TABLE tool_grants ADD CONSTRAINT pk_tool_grants PRIMARY KEY (step_id, attempt);

ALTER TABLE alerts ADD CONSTRAINT fk_alerts_job_id FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE;
ALTER TABLE browser_logins ADD CONSTRAINT fk_browser_logins_key_id FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE;
ALTER TABLE call_texts ADD CONSTRAINT fk_call_texts_job_id FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE;
ALTER TABLE calls ADD CONSTRAINT fk_calls_step_id FOREIGN KEY (step_id) REFERENCES steps(id) ON DELETE CASCADE;
ALTER TABLE catalogue_node_words ADD CONSTRAINT fk_catalogue_node_words_node_id_catalogue_nodes FOREIGN KEY (node_id) REFERENCES catalogue_nodes(node_id) ON DELETE CASCADE;
ALTER TABLE deliverables ADD CONSTRAINT fk_deliverables_job_id FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE;
ALTER TABLE jobs ADD CONSTRAINT fk_jobs_session_id FOREIGN KEY (session_id) REFERENCES sessions(id);
ALTER TABLE login_codes ADD CONSTRAINT fk_login_codes_key_id FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE;
ALTER TABLE method_runs ADD CONSTRAINT fk_method_runs_request_id_requests FOREIGN KEY (request_id) REFERENCES requests(id) ON DELETE CASCADE;
ALTER TABLE phenomenon_causes ADD CONSTRAINT fk_phenomenon_causes_cause_id FOREIGN KEY (cause_id) REFERENCES causes(cause_id) ON DELETE CASCADE;
ALTER TABLE phenomenon_causes ADD CONSTRAINT fk_phenomenon_causes_phenomenon_id FOREIGN KEY (phenomenon_id) REFERENCES phenomena(phenomenon_id) ON DELETE CASCADE;
ALTER TABLE requests ADD CONSTRAINT fk_requests_job_id FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE;
ALTER TABLE source_policies ADD CONSTRAINT fk_source_policies_source FOREIGN KEY (source) REFERENCES sources(name) ON DELETE CASCADE;
ALTER TABLE source_writable_schemas ADD CONSTRAINT fk_source_writable_schemas_source FOREIGN KEY (source) REFERENCES sources(name) ON DELETE CASCADE;
ALTER TABLE stages ADD CONSTRAINT fk_stages_job_id FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE;
ALTER TABLE steps ADD CONSTRAINT fk_steps_job_id FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE;
ALTER TABLE ticket_anomalies ADD CONSTRAINT fk_ticket_anomalies_phenomenon_id FOREIGN KEY (phenomenon_id) REFERENCES phenomena(phenomenon_id);
ALTER TABLE ticket_anomalies ADD CONSTRAINT fk_ticket_anomalies_ticket_id FOREIGN KEY (ticket_id) REFERENCES tickets(ticket_id) ON DELETE CASCADE;
ALTER TABLE ticket_changes ADD CONSTRAINT fk_ticket_changes_batch_id FOREIGN KEY (batch_id) REFERENCES ticket_batches(batch_id) ON DELETE CASCADE;
ALTER TABLE tickets ADD CONSTRAINT fk_tickets_cause_id FOREIGN KEY (cause_id) REFERENCES causes(cause_id);
ALTER TABLE tool_calls ADD CONSTRAINT fk_tool_calls_step_id FOREIGN KEY (step_id) REFERENCES steps(id) ON DELETE CASCADE;
ALTER TABLE tool_grants ADD CONSTRAINT fk_tool_grants_step_id FOREIGN KEY (step_id) REFERENCES steps(id) ON DELETE CASCADE;

CREATE TRIGGER jobs_transition BEFORE UPDATE OF status ON jobs FOR EACH ROW
  WHEN (old.status <> new.status AND (old.status, new.status) NOT IN (
      ('accepted', 'running'), ('accepted', 'waiting_human'), ('accepted', 'succeeded'), ('accepted', 'failed'), ('accepted', 'cancelled'),
      ('running', 'running'), ('running', 'waiting_human'), ('running', 'succeeded'), ('running', 'failed'), ('running', 'cancelled'),
      ('waiting_human', 'running'), ('waiting_human', 'waiting_human'), ('waiting_human', 'succeeded'), ('waiting_human', 'failed'), ('waiting_human', 'cancelled'),
      ('succeeded', 'running'), ('succeeded', 'waiting_human'), ('succeeded', 'succeeded'), ('succeeded', 'failed'), ('succeeded', 'cancelled'),
      ('failed', 'running'), ('failed', 'waiting_human'), ('failed', 'succeeded'), ('failed', 'failed'), ('failed', 'cancelled'),
      ('cancelled', 'running')
  ))
  EXECUTE FUNCTION refuse_transition();
CREATE TRIGGER steps_transition BEFORE UPDATE OF status ON steps FOR EACH ROW
  WHEN (old.status <> new.status AND (old.status, new.status) NOT IN (
      ('queued', 'running'), ('queued', 'cancelled'),
      ('running', 'running'), ('running', 'queued'), ('running', 'succeeded'), ('running', 'failed'), ('running', 'cancelled'),
      ('cancelled', 'queued')
  ))
  EXECUTE FUNCTION refuse_transition();

-- The one row of it, which each import keeps up to date.
INSERT INTO history_state DEFAULT VALUES;
