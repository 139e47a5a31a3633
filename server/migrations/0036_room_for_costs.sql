-- A pass of the sums updates the day, the hour and the minute of every job that had a run. Without room on its page, each
-- of these updates wrote a new entry of the index, too.
alter table cost_rollups set (fillfactor = 70);
