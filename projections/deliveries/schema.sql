CREATE TABLE deliveries (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    webhook_id      text NOT NULL,
    status          text NOT NULL,
    event           text NOT NULL,
    test_id         text NOT NULL,
    message_id      text NOT NULL,
    created_at      timestamptz NOT NULL,
    -- position of the event that made it
    scheduled       bigint NOT NULL,
    doc             json NOT NULL
);
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, id DESC);
CREATE INDEX deliveries_of_message ON deliveries (message_id);
