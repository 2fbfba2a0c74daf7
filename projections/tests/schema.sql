CREATE TABLE tests (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    status          text NOT NULL,
    created_at      timestamptz NOT NULL,
    -- hashes of address and task, by which tests of the same are found
    url             text NOT NULL,
    task            text NOT NULL,
    doc             json NOT NULL
);
CREATE INDEX tests_list ON tests (organization_id, environment, id DESC);
CREATE INDEX tests_running ON tests (status) WHERE status = 'running';
CREATE INDEX tests_alike ON tests (organization_id, environment, task, url, id DESC);
