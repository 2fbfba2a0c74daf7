CREATE TABLE grants (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    user_id         text NOT NULL,
    client_id       text NOT NULL,
    revoked         boolean NOT NULL,
    redeemed        boolean NOT NULL,
    ends_at         timestamptz NOT NULL,
    code_expires_at timestamptz NOT NULL,
    doc             json NOT NULL
);
CREATE INDEX grants_list ON grants (organization_id, environment, user_id, id DESC);
CREATE INDEX grants_of_client ON grants (client_id, id) WHERE NOT revoked;

-- What clients are called, and whether they are still there: a grant counts no longer than its client.
CREATE TABLE clients (
    id      text PRIMARY KEY,
    name    text NOT NULL,
    deleted boolean NOT NULL
);
