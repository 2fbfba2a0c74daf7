-- At which event a reactor has stopped, and why; null while it goes on. The position of
-- one that has stopped before it had any is -1.

alter table ops.reactor_checkpoints add column stopped text;
alter table ops.reactor_checkpoints drop constraint reactor_checkpoints_position_check;
alter table ops.reactor_checkpoints add constraint reactor_checkpoints_position_check check (position >= -1);

---- create above / drop below ----

delete from ops.reactor_checkpoints where position < 0;
alter table ops.reactor_checkpoints drop constraint reactor_checkpoints_position_check;
alter table ops.reactor_checkpoints add constraint reactor_checkpoints_position_check check (position >= 0);
alter table ops.reactor_checkpoints drop column stopped;
