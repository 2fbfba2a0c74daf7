-- The newest signed head of the log, for the processes that do not sign. The
-- heads themselves are in a file outside of the database; this row also says
-- that there were some.
create table ops.audit_head (
    only_one  boolean     primary key default true check (only_one),
    key       text        not null,
    size      bigint      not null check (size >= 0),
    note      text        not null,
    signed_at timestamptz not null
);

---- create above / drop below ----

drop table ops.audit_head;
