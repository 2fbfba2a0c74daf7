-- A key for each person and each organization, sealed with the keyring. What an
-- event holds of a person is ciphertext of that key; a row whose key is gone says
-- which event of the log destroyed it, and so tells an erased person from a lost
-- backup.
create table ops.subject_keys (
    subject    text        primary key,
    sealed     bytea,
    erased_at  bigint,
    created_at timestamptz not null default clock_timestamp(),
    check ((sealed is null) = (erased_at is not null))
);

-- Sessions of the dashboard, by the hash of what the cookie holds.
create table ops.browser_sessions (
    token      text        primary key,
    data       bytea       not null,
    expires_at timestamptz not null
);
create index browser_sessions_expires_at on ops.browser_sessions (expires_at);

-- Who may try a password again, and when.
create table ops.sign_in_attempts (
    bucket   text        primary key,
    failures int         not null,
    free_at  timestamptz not null,
    last_at  timestamptz not null
);
create index sign_in_attempts_last_at on ops.sign_in_attempts (last_at);

---- create above / drop below ----

drop table ops.sign_in_attempts;
drop table ops.browser_sessions;
drop table ops.subject_keys;
