CREATE TABLE users (
    id         text PRIMARY KEY,
    email      text NOT NULL,
    name       text NOT NULL,
    verified   boolean NOT NULL,
    factor     boolean NOT NULL,
    erased     boolean NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE TABLE members (
    organization_id text NOT NULL,
    user_id         text NOT NULL,
    role            text NOT NULL,
    joined_at       timestamptz NOT NULL,
    revision        bigint NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX members_user ON members (user_id);
CREATE TABLE invitations (
    id              text PRIMARY KEY,
    organization_id text NOT NULL,
    email           text NOT NULL,
    role            text NOT NULL,
    invited_by      text NOT NULL,
    status          text NOT NULL,
    expires_at      timestamptz NOT NULL,
    created_at      timestamptz NOT NULL
);
CREATE INDEX invitations_list ON invitations (organization_id, id DESC);
CREATE TABLE sessions (
    id              text PRIMARY KEY,
    user_id         text NOT NULL,
    organization_id text NOT NULL,
    factor          text NOT NULL,
    agent           text NOT NULL,
    address         text NOT NULL,
    started_at      timestamptz NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, id DESC);
