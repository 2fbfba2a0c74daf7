CREATE TABLE tests (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    key_id          text COLLATE "C" NOT NULL,
    month           text NOT NULL,
    created_at      timestamptz NOT NULL,
    sessions        int NOT NULL,
    made            int NOT NULL,
    started         int NOT NULL,
    ended           int NOT NULL,
    over            boolean NOT NULL,
    failed          boolean NOT NULL,
    used            int NOT NULL,
    reserved        int NOT NULL,
    returned        int NOT NULL
);
CREATE INDEX tests_month ON tests (organization_id, environment, month) INCLUDE (used, reserved);
CREATE INDEX tests_created_at ON tests (organization_id, environment, created_at);
