-- One window a bucket, counted by the database's clock. Logged, because a crash must
-- not give anybody a second window; committed without waiting for the disk.
drop table ops.rate_windows;
create table ops.rate_windows (
    bucket       text        primary key,
    window_start timestamptz not null,
    used         int         not null
) with (fillfactor = 50);
create index rate_windows_start on ops.rate_windows (window_start);

-- Live sessions of tests that are about to be recorded. Those that are count by the
-- read model usage.
create table ops.quota_reservations (
    test_id         text        primary key,
    organization_id text        not null,
    month           text        not null,
    sessions        int         not null check (sessions > 0),
    reserved_at     timestamptz not null
);
create index quota_reservations_month on ops.quota_reservations (organization_id, month);
create index quota_reservations_at on ops.quota_reservations (reserved_at);

---- create above / drop below ----

drop table ops.quota_reservations;
drop table ops.rate_windows;
create unlogged table ops.rate_windows (
    bucket       text        not null,
    window_start timestamptz not null,
    used         int         not null,
    primary key (bucket, window_start)
) with (fillfactor = 70);
create index rate_windows_start on ops.rate_windows (window_start);
