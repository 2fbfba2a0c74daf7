-- A crash of Postgres, or its failover, leaves work with the workers that are at it:
-- sessions that are walked at the time are not begun again elsewhere.
alter table ops.leases set logged;

---- create above / drop below ----

alter table ops.leases set unlogged;
