-- A run that waits, perhaps for months, is told by its terms: a search then passes it over without reading it.
-- Null: not told yet. Empty: it has too many terms, or is gone.
alter table unfiled_runs add column terms int[];
create index unfiled_runs_untold_idx on unfiled_runs (run_id)
  where terms is null and ended_status is null and living_status in ('waiting', 'paused');
