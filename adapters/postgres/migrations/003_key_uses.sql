-- When keys were last used: written in batches, and no business fact.

create table ops.key_uses (
    key_id       text        primary key,
    last_used_at timestamptz not null
) with (fillfactor = 70);

---- create above / drop below ----

drop table ops.key_uses;
