-- No plan depends on the contents of these columns: they are read by key, or indexed by the search. Sampling and sorting
-- them was half of the cost of analyzing a table, and reads large values from TOAST.
alter table runs
  alter column payload set statistics 0, alter column metadata set statistics 0, alter column result set statistics 0,
  alter column error set statistics 0, alter column state set statistics 0, alter column progress set statistics 0,
  alter column checkpoint set statistics 0, alter column parent_outputs set statistics 0;
alter table run_transitions alter column detail set statistics 0;
alter table run_logs alter column fields set statistics 0;
alter table workflow_runs
  alter column payload set statistics 0, alter column metadata set statistics 0, alter column error set statistics 0,
  alter column planned_end set statistics 0;
alter table step_runs
  alter column output set statistics 0, alter column error set statistics 0, alter column input set statistics 0,
  alter column compensation_error set statistics 0, alter column message set statistics 0;
alter table workflow_decisions alter column reason set statistics 0, alter column detail set statistics 0;
alter table event_triggers alter column payload set statistics 0, alter column error set statistics 0;

-- The other columns get a fifth of the usual sample: these tables are analyzed each time they have grown by a tenth, every
-- few seconds while they are young. They are read by key or in the order of an index. The columns listed here keep
-- the usual sample.
do $$
declare c record;
begin
  for c in
    select attrelid::regclass as of_table, attname from pg_attribute
    where attrelid in ('runs'::regclass, 'run_queue'::regclass, 'run_transitions'::regclass, 'workflow_runs'::regclass,
      'step_runs'::regclass, 'workflow_decisions'::regclass, 'event_triggers'::regclass)
      and attnum > 0 and coalesce(attstattarget, -1) = -1
      and (attrelid::regclass::text, attname) not in (
        ('runs', 'created_by_id'), ('runs', 'derived_moves'), ('runs', 'end_http_status'), ('runs', 'end_duration_ms'),
        ('run_queue', 'workflow_run_id'), ('run_queue', 'stopped'), ('run_queue', 'granted_by'), ('run_queue', 'kept'),
        ('run_queue', 'refusals'), ('run_queue', 'refused_at'), ('run_queue', 'released_at'), ('run_queue', 'limits'),
        ('workflow_runs', 'created_by_id'), ('workflow_runs', 'stopped'), ('workflow_runs', 'pause_inherited'),
        ('workflow_decisions', 'decided_by'), ('workflow_decisions', 'decided_by_id'), ('event_triggers', 'sent_by_id'))
  loop
    execute format('alter table %s alter column %I set statistics 20', c.of_table, c.attname);
  end loop;
end $$;
