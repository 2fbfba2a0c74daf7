-- Sessions whose pictures and films are no longer kept. What happened in them stays
-- recorded; which of them are here can be found out again from their age and size.

create table ops.swept_sessions (session_id text primary key);

---- create above / drop below ----

drop table ops.swept_sessions;
