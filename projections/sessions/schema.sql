CREATE TABLE sessions (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    test_id         text NOT NULL,
    idx             integer NOT NULL,
    status          text NOT NULL,
    -- what lists are narrowed by; not read from doc, as seconds are not
    outcome         text NOT NULL,
    viewport        text NOT NULL,
    persona         text NOT NULL,
    ended_at        timestamptz,
    -- how long it took; not read from doc, because no function of Postgres
    -- reads a document with \u0000 in it, and a page may show one
    seconds         double precision,
    -- the answer without the trace, the trace, pictures and film, and what
    -- reports are built of
    doc             json NOT NULL,
    trace           json NOT NULL,
    evidence        json NOT NULL,
    findings        json NOT NULL
);
CREATE UNIQUE INDEX sessions_of_test ON sessions (test_id, idx);
CREATE INDEX sessions_tally ON sessions (test_id, status, outcome, viewport);
CREATE INDEX sessions_recent ON sessions (environment, ended_at DESC) WHERE status = 'completed';

CREATE TABLE artifacts (
    id           text PRIMARY KEY,
    session_id   text NOT NULL,
    sha256       text NOT NULL,
    bytes        bigint NOT NULL,
    content_type text NOT NULL
);
