CREATE TABLE webhooks (
    id              text PRIMARY KEY,
    revision        bigint NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    status          text NOT NULL,
    doc             json NOT NULL
);
CREATE INDEX webhooks_list ON webhooks (organization_id, environment, id DESC);

-- Every status and subscription an endpoint ever had, from which position on: an event goes to
-- the endpoints as they stood when it was recorded.
CREATE TABLE states (
    webhook_id      text NOT NULL,
    position        bigint NOT NULL,
    organization_id text NOT NULL,
    environment     text NOT NULL,
    status          text NOT NULL,
    events          text[] NOT NULL,
    PRIMARY KEY (organization_id, environment, webhook_id, position)
);
CREATE INDEX states_of_webhook ON states (webhook_id, position DESC);
