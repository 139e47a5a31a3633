-- No plan depends on what these hold: they are read by key, or filed for the search. Sampling and sorting them was half
-- of what it costs to analyze a table, and reads large ones from where they are put aside.
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
  alter column compensation_error set statistics 0;
alter table workflow_decisions alter column reason set statistics 0, alter column detail set statistics 0;
alter table event_triggers alter column payload set statistics 0, alter column error set statistics 0;

-- Of the rest a fifth of the usual sample: these tables are analyzed each time they have grown by a tenth, every few
-- seconds while they are young. What is asked of them is looked up by keys, or read in the order of an index.
do $$
declare c record;
begin
  for c in
    select attrelid::regclass as of_table, attname from pg_attribute
    where attrelid in ('runs'::regclass, 'run_queue'::regclass, 'run_transitions'::regclass, 'workflow_runs'::regclass,
      'step_runs'::regclass, 'workflow_decisions'::regclass, 'event_triggers'::regclass)
      and attnum > 0 and not attisdropped and attstattarget is null
  loop
    execute format('alter table %s alter column %I set statistics 20', c.of_table, c.attname);
  end loop;
end $$;
