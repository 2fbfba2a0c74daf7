CREATE TABLE deliveries (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    webhook_id      text NOT NULL,
    status          text NOT NULL,
    doc             json NOT NULL
);
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, id DESC);
