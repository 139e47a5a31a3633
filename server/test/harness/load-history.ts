import { runSql, type TestConnection } from "../world/database.ts";
import type { Fault, History, Seen } from "./history.ts";

/** Adds the database's records to the observations. All statements of the harness are in this file. */
export async function loadHistory(connection: TestConnection, seen: Omit<Seen, "read_at">): Promise<History> {
  const tables = await Promise.all(
    Object.entries(TABLES).map(async ([name, query]) => [name, await runSql(connection, query)] as const),
  );
  return { ...seen, read_at: Date.now(), ...(Object.fromEntries(tables) as Omit<History, keyof Seen>) };
}

/** The history of one project: other scenarios of the file do not count. */
export function ofProject(history: History, project_id: string): History {
  const runs = new Set(history.runs.filter((run) => run.project_id === project_id).map(({ id }) => id));
  const foreign = new Set(history.deliveries.filter((row) => row.project_id !== project_id).map(({ id }) => id));
  const rows = Object.entries(history).map(([name, value]) => {
    const isOwn = (row: object) => !("project_id" in row) || row.project_id === project_id;
    return [name, Array.isArray(value) ? value.filter(isOwn) : value] as const;
  });
  return {
    ...(Object.fromEntries(rows) as History),
    reports: history.reports.filter(({ run_id }) => runs.has(run_id)),
    received_deliveries: history.received_deliveries.filter(({ id }) => !foreign.has(id)),
    faults: history.faults.map(({ at, held }) => ({ at, held: held.filter(({ run_id }) => runs.has(run_id)) })),
  };
}

/**
 * Derived transitions have no row whose transaction tells when they were committed. Copies the changes of runs as they
 * are committed, to be called before anything happens.
 */
export async function keepCommits(connection: TestConnection): Promise<void> {
  const statements = [
    "create table run_commits (run_id uuid, ordinal int, primary key (run_id, ordinal))",
    `create function keep_commits() returns trigger language plpgsql as $$ begin
       insert into run_commits select * from unnest(new.ids, new.ordinals);
       return null;
     end $$`,
    `create trigger keep_commits after insert on changelog_inbox
     for each row when (new.kind = 'run') execute function keep_commits()`,
  ];
  for (const statement of statements) await runSql(connection, statement);
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
/** Needs `track_commit_timestamp`; transaction ids are not in commit order. */
const committed = (xid: string) => ms(`pg_xact_commit_timestamp(${xid}::xid)`);

const TABLES: Record<Exclude<keyof History, keyof Seen>, string> = {
  jobs: `
    select project_id, id, revision, max_concurrency, max_concurrency_per_key, rate_limit_max, rate_limit_window_secs
    from jobs`,
  runs: `
    select project_id, id, job_id, status, attempt, priority, concurrency_key, idempotency_key, parent_run_id,
      workflow_run_id, step_ref, step_generation, metadata ? 'on_failure_of' as is_on_failure, result,
      ${ms("scheduled_at")} as scheduled_at, ${ms("created_at")} as created_at
    from runs order by id`,
  transitions: `
    select t.project_id, t.run_id, t.ordinal, t.from_status, t.to_status, t.cause, t.attempt, c.xmin::text as xid,
      ${ms("t.created_at")} as at, ${committed("c.xmin")} as committed_at
    from run_history t join run_commits c on c.run_id = t.run_id and c.ordinal = t.ordinal order by t.run_id, t.ordinal`,
  changes: `
    select c.project_id, c.position::float8 as position, c.kind, m.id, m.ordinal
    from (
      select project_id, position, kind, ids, ordinals from changelog
      union all select project_id, 1e15 + id, kind, ids, ordinals from changelog_inbox
    ) c cross join lateral unnest(c.ids, c.ordinals) as m(id, ordinal)
    where c.kind in ('run', 'workflow_run') order by c.position, m.ordinal`,
  leases: `
    select q.project_id, q.run_id, r.attempt, ${ms("q.lease_until")} as lease_until,
      left(encode(sha256(convert_to(q.lease_token::text, 'UTF8')), 'hex'), 16) as lease
    from run_queue q join runs r on r.project_id = q.project_id and r.id = q.run_id
    where q.lease_until is not null`,
  workflow_runs: `
    select w.project_id, w.id, w.workflow_id, w.status, w.error_count, w.idempotency_key, w.parent_workflow_run_id, v.steps as definition
    from workflow_runs w join workflow_versions v on v.project_id = w.project_id and v.id = w.version_id order by w.id`,
  decisions: `
    select project_id, workflow_run_id, ordinal, step_ref, decision_type, detail, xmin::text as xid,
      ${committed("xmin")} as committed_at
    from workflow_decisions order by workflow_run_id, ordinal`,
  steps: `
    select project_id, workflow_run_id, step_ref, type, status, cause, generation from step_runs
    order by workflow_run_id, position`,
  items: "select project_id, workflow_run_id, step_ref, run_id, status from map_items",
  waits: `
    select t.project_id, t.id, t.wait_kind, t.status, t.workflow_run_id, s.step_ref, t.job_run_id,
      t.notify_url is not null as has_notify_url, t.xmin::text as xid, ${ms("t.expires_at")} as expires_at,
      ${ms("t.finished_at")} as finished_at
    from event_triggers t
    left join step_runs s on s.project_id = t.project_id and s.workflow_run_id = t.workflow_run_id
      and s.id = t.workflow_step_run_id`,
  // With the id that receivers see.
  deliveries: `
    select project_id, coalesce(event_id, id) as id, event_type, source_id, status from webhook_deliveries`,
  audit: `
    select project_id, id, action, resource_id, request_id, chain_no::int as chain_no, encode(hash, 'hex') as hash,
      jsonb_build_object('project_id', project_id, 'id', id, 'actor_kind', actor_kind, 'actor_id', actor_id,
        'actor_name', actor_name, 'action', action, 'resource_type', resource_type, 'resource_id', resource_id,
        'before', before, 'after', after, 'ip', ip, 'user_agent', user_agent, 'request_id', request_id,
        'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as sealed
    from audit_events order by project_id, chain_no`,
  audit_heads: "select project_id, count::int as count, encode(hash, 'hex') as hash from audit_heads",
  batches: `
    select project_id, id, kind, coalesce(request -> 'filter', '{}') as filter, ${ms("created_at")} as created_at
    from batch_operations`,
  usage: `
    select project_id, sum(completed)::int as completed, sum(failed)::int as failed, sum(timed_out)::int as timed_out,
      sum(canceled)::int as canceled, sum(dispatches)::int as dispatches
    from usage_periods group by project_id`,
};

const LIVE = `
  select 1 from (
    select project_id from runs where finished_at is null
    union all select project_id from workflow_runs where finished_at is null
    union all select project_id from outbox
  ) live where $1::uuid is null or project_id = $1 limit 1`;

/** Whether everything has ended, in one project or, without one, in all. */
export async function hasEnded(connection: TestConnection, project_id: string | null): Promise<boolean> {
  return (await runSql(connection, LIVE, [project_id])).length === 0;
}

/**
 * Whether the decisions have their partition for today. Creating it moves the rows of that day into it, which then look
 * as if they had been committed at that moment.
 */
export async function hasPartitions(connection: TestConnection): Promise<boolean> {
  const [row] = await runSql<{ count: number }>(
    connection,
    `select count(*)::int as count from pg_class
     where relname = 'workflow_decisions_' || $1`,
    [new Date().toISOString().slice(0, 10).replaceAll("-", "")],
  );
  return row?.count === 1;
}

/** The attempts leased by the last instance that was started on that port. */
export function heldBy(connection: TestConnection, port: number): Promise<Fault["held"]> {
  return runSql(
    connection,
    `select q.run_id, r.attempt from run_queue q join runs r on r.project_id = q.project_id and r.id = q.run_id
     where q.lease_until is not null and q.instance_id = (
       select id from instances where address like $1 order by started_at desc limit 1)`,
    [`%:${port}`],
  );
}
