-- When a session of the dashboard was in use last, to the minute.
alter table ops.browser_sessions add column seen_at timestamptz not null default clock_timestamp();

---- create above / drop below ----

alter table ops.browser_sessions drop column seen_at;
