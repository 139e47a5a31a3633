-- Workflow runs are counted where they were born, and counted anew by the minute: those of a minute are found by a few
-- pages, at no cost to the writer.
create index workflow_runs_created_at_idx on workflow_runs using brin (created_at) with (autosummarize = on);
