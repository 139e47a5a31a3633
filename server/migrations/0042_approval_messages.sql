-- What an approval asks, as it was rendered when it began to wait. Null: it says nothing, or has not begun.
alter table step_runs add column message text;
alter table step_runs alter column message set statistics 0;
