-- Histograms are added to by appending, so that a stretch of the log is written by one statement without reading what is
-- there. This is how long one was when it was last put in order: past twice that it is put in order again.
alter table rollups add column sketch_packed integer not null default 0;
