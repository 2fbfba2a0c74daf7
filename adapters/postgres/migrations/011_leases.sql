-- Who walks a session holds its lease through a crash of Postgres, and on the standby that
-- takes over: taken by another, the session would be begun again, which it is three times
-- at most. Claims wait for no disk all the same.
alter table ops.leases set logged;

---- create above / drop below ----

alter table ops.leases set unlogged;
