CREATE TABLE comparisons (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    status          text NOT NULL,
    test_a          text NOT NULL,
    test_b          text NOT NULL,
    created_at      timestamptz NOT NULL,
    doc             json NOT NULL
);
CREATE INDEX comparisons_list ON comparisons (organization_id, environment, id DESC);
