-- Nobody asks for the runs of a batch by it: they are found by their blocks, and the items of a batch name theirs. Each
-- item of a bulk call entered it.
drop index runs_batch_idx;
