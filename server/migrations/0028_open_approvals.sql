create index event_triggers_approvals_idx on event_triggers (project_id, id)
  where status = 'waiting' and wait_kind = 'approval';
