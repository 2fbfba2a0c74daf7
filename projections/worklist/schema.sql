CREATE TABLE items (
    stream      text NOT NULL,
    kind        text NOT NULL,
    environment text NOT NULL,
    test_id     text NOT NULL,
    -- of a delivery: its endpoint
    lane        text NOT NULL,
    ord         integer NOT NULL,
    attempt     integer NOT NULL,
    due_at      timestamptz NOT NULL,
    PRIMARY KEY (stream, kind)
);
CREATE INDEX items_due ON items (kind, environment, ord, due_at);
CREATE INDEX items_of_test ON items (test_id) WHERE kind = 'session';
