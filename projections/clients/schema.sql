CREATE TABLE clients (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    deleted         boolean NOT NULL,
    doc             json NOT NULL
);
CREATE INDEX clients_list ON clients (organization_id, id DESC);
