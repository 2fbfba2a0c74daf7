CREATE TABLE gates (
    id       text PRIMARY KEY,
    revision bigint NOT NULL,
    position bigint NOT NULL,
    verdict  json NOT NULL
);
