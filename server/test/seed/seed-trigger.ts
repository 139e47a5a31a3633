import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { seedRun } from "./seed-run.ts";

/** Inserts triggers directly, in any state, for tests that read and end them. */

export type SeedTrigger = Partial<{
  id: string;
  event_key: string;
  environment_id: string;
  status: "waiting" | "received" | "timed_out" | "canceled";
  wait_kind: "event" | "sleep" | "child" | "approval";
  payload: unknown;
  timeout_secs: number;
  notify_url: string;
  /** The waiting run; created if absent. */
  job_run_id: string;
  workflow_run_id: string;
  /** How long ago it ended. */
  ended_days_ago: number;
}>;

export type SeededTrigger = { id: string; event_key: string; job_run_id: string | null };

/** A wait of a run in `waiting`; with `workflow_run_id`, of a step. The counters include it. */
export async function seedTrigger(
  connection: TestConnection,
  project_id: string,
  trigger: SeedTrigger = {},
): Promise<SeededTrigger> {
  const id = trigger.id ?? newId();
  const { status = "waiting", wait_kind = "event", workflow_run_id = null } = trigger;
  const event_key = trigger.event_key ?? (wait_kind === "event" ? `key-${id}` : `${wait_kind}:${id}`);
  const job_run_id = workflow_run_id === null ? await runOf(connection, project_id, trigger) : null;
  await runSql(connection, INSERT, [
    ...[project_id, id, event_key, trigger.environment_id ?? null, workflow_run_id, job_run_id, wait_kind, status],
    ...[status === "received" ? JSON.stringify(trigger.payload ?? null) : null, trigger.timeout_secs ?? 3_600],
    ...[trigger.notify_url ?? null, trigger.ended_days_ago ?? 0],
  ]);
  return { id, event_key, job_run_id };
}

function runOf(connection: TestConnection, project_id: string, trigger: SeedTrigger): Promise<string> | string {
  if (trigger.job_run_id !== undefined) return trigger.job_run_id;
  const { status = "waiting", environment_id } = trigger;
  return seedRun(connection, project_id, {
    status: status === "waiting" ? "waiting" : "completed",
    ...(environment_id !== undefined && { environment_id }),
  });
}

const INSERT = `
  with inserted as (
    insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
      workflow_run_id, workflow_step_run_id, generation, job_run_id, ordinal, status, prev_status, timeout_secs, payload,
      sent_by, notify_url, expires_at, requested_at, received_at, finished_at, created_at, updated_at)
    select $1, $2, $3, coalesce($4::uuid, e.id), case when $5::uuid is null then 'job_run' else 'workflow_step' end,
      case $7 when 'sleep' then 'sleep' else 'event' end, $7, $5, case when $5::uuid is not null then gen_random_uuid() end,
      case when $5::uuid is not null then 1 end, $6, case when $6::uuid is not null then 1 end, $8,
      case when $8 <> 'waiting' then 'waiting' end, $10, $9::jsonb, case when $8 = 'received' then 'seed' end, $11,
      clock() + $10::int * interval '1 second', clock(), case when $8 = 'received' then clock() - $12 * interval '1 day' end,
      case when $8 <> 'waiting' then clock() - $12 * interval '1 day' end, clock(), clock()
    from environments e where e.project_id = $1 and e.slug = 'production'
    returning project_id, id, status, wait_kind
  ),
  waited as (update runs set waits = 1 where project_id = $1 and id = $6)
  insert into event_trigger_counts as c (project_id, shard, active, waiting, received, timed_out, canceled)
  select project_id, ('x' || right(id::text, 1))::bit(4)::int, (status = 'waiting' and wait_kind = 'event')::int,
    (status = 'waiting')::int, (status = 'received')::int, (status = 'timed_out')::int, (status = 'canceled')::int
  from inserted
  on conflict (project_id, shard) do update set active = c.active + excluded.active,
    waiting = c.waiting + excluded.waiting, received = c.received + excluded.received,
    timed_out = c.timed_out + excluded.timed_out, canceled = c.canceled + excluded.canceled`;
