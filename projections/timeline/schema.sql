CREATE TABLE messages (
    test_id  text NOT NULL,
    position bigint NOT NULL,
    type     text NOT NULL,
    message  json NOT NULL,
    PRIMARY KEY (test_id, position)
);
CREATE UNIQUE INDEX messages_position ON messages (position);
CREATE INDEX messages_end ON messages (test_id, type, position) WHERE type IN
    ('test.completed', 'test.failed', 'test.cancelled', 'session.completed', 'session.failed', 'session.cancelled');
