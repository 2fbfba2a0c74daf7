CREATE TABLE personas (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    status          text NOT NULL,
    doc             json NOT NULL
);
CREATE INDEX personas_list ON personas (organization_id, environment, id DESC);
