CREATE TABLE organizations (
    id       text PRIMARY KEY,
    revision bigint NOT NULL,
    position bigint NOT NULL,
    plan     text NOT NULL,
    doc      json NOT NULL
);
CREATE TABLE keys (
    hash            text PRIMARY KEY,
    id              text NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    scopes          text[] NOT NULL
);
