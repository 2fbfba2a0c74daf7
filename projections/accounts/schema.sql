CREATE TABLE organizations (
    id       text PRIMARY KEY,
    revision bigint NOT NULL,
    position bigint NOT NULL,
    plan     text NOT NULL,
    doc      json NOT NULL
);
