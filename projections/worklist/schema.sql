CREATE TABLE items (
    stream      text NOT NULL,
    kind        text NOT NULL,
    environment text NOT NULL,
    organization_id text NOT NULL,
    test_id     text NOT NULL,
    -- of a delivery: its endpoint
    lane        text NOT NULL,
    ord         integer NOT NULL,
    attempt     integer NOT NULL,
    -- when it was put on the list, by the log's clock: the order of what is due
    listed_at   timestamptz NOT NULL,
    -- null: at once, whatever the clocks say
    due_at      timestamptz,
    -- of the event that put it on the list, for the work to go on with its trace
    traceparent text NOT NULL,
    PRIMARY KEY (stream, kind)
);
CREATE INDEX items_due ON items (kind, environment, organization_id, ord, listed_at);
-- Deliveries of both environments, the longest due first: of ten thousand that
-- wait for their next attempt only those that are due are read.
CREATE INDEX items_deliveries ON items (listed_at) WHERE kind = 'delivery' AND due_at IS NULL;
CREATE INDEX items_later ON items (kind, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX items_of_test ON items (test_id) WHERE kind = 'session';
-- Where in the log an organization was last given a session.
CREATE TABLE turns (
    organization_id text NOT NULL,
    environment     text NOT NULL,
    position        bigint NOT NULL,
    PRIMARY KEY (organization_id, environment)
);
-- Tests that have ended, for comparisons that name them later.
CREATE TABLE ended (test_id text PRIMARY KEY);
-- Comparisons and the tests that they still wait for.
CREATE TABLE awaited (
    stream      text NOT NULL,
    test_id     text NOT NULL,
    environment text NOT NULL,
    organization_id text NOT NULL,
    PRIMARY KEY (stream, test_id)
);
CREATE INDEX awaited_test ON awaited (test_id);
