/**
 * Statements that seed rows directly append them to the changelog, as the service does: with these CTEs, which follow a
 * CTE that returns the inserted rows. One row per project and time, because consumers find the rows by their time.
 */

/** `logged` returns the columns of `run_transitions`. */
export function appendRunChanges(logged = "logged"): string {
  const columns = ["run_id", "ordinal", "from_status", "to_status", "cause", "attempt"];
  return `
    insert into changelog_inbox (
      project_id, kind, ids, ordinals, from_statuses, to_statuses, causes, attempts, created_at)
    select project_id, 'run', ${columns.map((name) => `array_agg(${name} order by run_id, ordinal)`).join(", ")}, created_at
    from ${logged} group by project_id, created_at order by created_at`;
}

/** `written` returns the columns of `run_logs` or `run_usage`. A change has up to 100 of them, as one SDK call may. */
export function appendRunRows(kind: "run_log" | "run_usage", written = "written"): string {
  return `
    insert into changelog_inbox (project_id, kind, ids, row_ids, created_at)
    select project_id, '${kind}', array_agg(run_id order by id), array_agg(id order by id), created_at
    from (select w.*, row_number() over (order by w.created_at, w.id) / 100 as part from ${written} w) w
    group by project_id, created_at, part order by created_at, part`;
}

/** `changed` returns the project and id of deliveries or batch operations. */
export function appendStates(kind: "webhook_delivery" | "batch_operation", changed = "changed"): string {
  return `
    insert into changelog_inbox (project_id, kind, ids, created_at)
    select project_id, '${kind}', array_agg(id), clock() from ${changed} group by project_id`;
}
