-- The notes by which the keys of the log have handed over to the one in the
-- row, the oldest first; empty while there was only one.
alter table ops.audit_head add column rotations text not null default '';

---- create above / drop below ----

alter table ops.audit_head drop column rotations;
