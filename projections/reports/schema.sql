CREATE TABLE reports (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    test_id         text NOT NULL,
    created_at      timestamptz NOT NULL,
    doc             json NOT NULL
);
CREATE INDEX reports_list ON reports (organization_id, environment, id DESC);
CREATE INDEX reports_of_test ON reports (test_id, id DESC);
