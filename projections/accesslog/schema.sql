CREATE TABLE entries (
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    event_id        text NOT NULL,
    at              timestamptz NOT NULL,
    type            text NOT NULL,
    actor           text NOT NULL,
    person          text NOT NULL,
    subject         text NOT NULL,
    address         text NOT NULL,
    reason          text NOT NULL,
    request_id      text NOT NULL,
    details         text NOT NULL,
    PRIMARY KEY (organization_id, position)
);
CREATE TABLE members (
    organization_id text NOT NULL,
    user_id         text NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX members_user ON members (user_id);
CREATE TABLE credentials (
    id      text PRIMARY KEY,
    user_id text NOT NULL
);
