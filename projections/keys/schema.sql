CREATE TABLE keys (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    created_by      text NOT NULL,
    hash            text NOT NULL,
    previous_hash   text NOT NULL,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz,
    previous_until  timestamptz,
    revoked         boolean NOT NULL,
    doc             json NOT NULL
);
CREATE INDEX keys_owner ON keys (organization_id, environment, id);
CREATE INDEX keys_hash ON keys (hash);
CREATE INDEX keys_previous_hash ON keys (previous_hash);
CREATE TABLE members (
    organization_id text NOT NULL,
    user_id         text NOT NULL,
    role            text NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);
CREATE TABLE plans (
    organization_id text PRIMARY KEY,
    plan            text NOT NULL
);
