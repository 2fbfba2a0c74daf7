-- The oldest version of this schema whose programs can work with it as it is: they may
-- start beside a newer program, or after it. A migration that takes away or redefines
-- what they use raises it.
create table ops.compatible (
    only_one boolean primary key default true check (only_one),
    since    int     not null
);
insert into ops.compatible (since) values (9);

---- create above / drop below ----

drop table ops.compatible;
