CREATE TABLE messages (
    test_id  text NOT NULL,
    position bigint NOT NULL,
    type     text NOT NULL,
    message  json NOT NULL,
    PRIMARY KEY (test_id, position)
);
