-- What this node and its peers need to remember that is no business fact.

create table ops.idempotency (
    key_id      text        not null,
    idem_key    text        not null,
    method_path text        not null,
    body_hash   bytea       not null,
    resource_id text        not null,
    state       text        not null default 'started' check (state in ('started', 'finished')),
    status      int         not null default 0,
    headers     jsonb       not null default '{}',
    response    bytea,
    created_at  timestamptz not null,
    primary key (key_id, idem_key)
);
create index idempotency_created_at on ops.idempotency (created_at);

-- Counts that a crash may forget: no write-ahead log for a row a request.
create unlogged table ops.rate_windows (
    bucket       text        not null,
    window_start timestamptz not null,
    used         int         not null,
    primary key (bucket, window_start)
) with (fillfactor = 70);
create index rate_windows_start on ops.rate_windows (window_start);

-- Claims that a crash may forget: what must not happen twice is decided by the
-- event store, and workers claim and release all the time.
create unlogged table ops.leases (
    name       text        primary key,
    owner      text        not null,
    expires_at timestamptz not null
) with (fillfactor = 70);

create table ops.reactor_checkpoints (
    name       text        primary key,
    position   bigint      not null check (position >= 0),
    updated_at timestamptz not null
) with (fillfactor = 70);

---- create above / drop below ----

drop table ops.reactor_checkpoints;
drop table ops.leases;
drop table ops.rate_windows;
drop table ops.idempotency;
