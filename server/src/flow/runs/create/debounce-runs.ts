import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { wakeNextSoon } from "../../limits/wake-next.ts";
import { lockKeys } from "../../lock-keys.ts";
import type { NewRun } from "./new-run.ts";
import type { Settled } from "./trigger-result.ts";

/** A run that is triggered again and again starts after this many windows at the latest. */
const MAX_WINDOWS = 10;

/**
 * For jobs with a debounce window: while a run with the same concurrency key has not started, another trigger replaces
 * its payload and postpones its start. Claiming clears the key, so a started run is never changed. A trigger that was
 * prepared from an older job version changes nothing either: it is found stale later.
 */
export async function debounceRuns(
  tx: Ctx & InTransaction,
  newRuns: readonly NewRun[],
  settled: Settled,
): Promise<void> {
  const debounced = newRuns.filter((run) => run.debounce_key !== null);
  if (debounced.length === 0) return;

  await lockKeys(
    tx,
    debounced.map((run) => `debounce/${run.project_id}/${run.debounce_key}`),
  );
  for (const [first, ...others] of groupBy(debounced, (run) => `${run.project_id}/${run.debounce_key}`).values()) {
    if (!first) continue;
    const last = others.at(-1) ?? first;
    const run_id = await replacePayload(tx, last);
    if (run_id === undefined) Object.assign(first, contentOf(last));
    for (const run of run_id === undefined ? others : [first, ...others]) {
      settled.set(run, { kind: "existing", run_id: run_id ?? first.id, why: "debounce" });
    }
  }
}

type Replaced = {
  run_id: string;
  job_id: string;
  concurrency_key: string | null;
  granted_by: string | null;
  kept: string[] | null;
  limits: string[] | null;
};

/** A slot under a limit that the run was granted passes to the next one. */
async function replacePayload(tx: Ctx & InTransaction, run: NewRun): Promise<string | undefined> {
  const { rows } = await sql<Replaced>`
    with held as (
      select q.run_id, q.granted_by, q.kept, q.limits from run_queue q
      join jobs j on j.project_id = q.project_id and j.id = q.job_id and j.revision = ${run.job_revision}
        and j.deleted_at is null
      where q.project_id = ${run.project_id} and q.debounce_key = ${run.debounce_key} for update of q
    ),
    changed as (
      update runs r set payload = ${JSON.stringify(run.payload)}::jsonb, metadata = ${JSON.stringify(run.metadata)}::jsonb,
        tags = ${JSON.stringify(run.tags)}::jsonb, job_version_id = ${run.job_version_id}, debounced = r.debounced + 1,
        scheduled_at = least(clock() + ${run.debounce_window_secs} * interval '1 second',
          r.created_at + ${MAX_WINDOWS}::int * ${run.debounce_window_secs}::int * interval '1 second'),
        updated_at = clock()
      from held where r.project_id = ${run.project_id} and r.id = held.run_id and r.status = 'pending'
      returning r.id, r.scheduled_at, r.priority, held.granted_by, held.kept, held.limits
    )
    update run_queue q set run_at = c.scheduled_at, host = ${run.host},
      expires_at = q.expires_at + (c.scheduled_at - q.run_at),
      rank_at = c.scheduled_at - c.priority * interval '1 minute',
      blocked_on = case when starts_with(q.blocked_on, 'paused_job:') or q.blocked_on in ('dependency', 'budget')
        then q.blocked_on when c.scheduled_at > clock() then 'not_due' end,
      granted_by = null, kept = null, limits = null
    from changed c where q.project_id = ${run.project_id} and q.run_id = c.id
    returning q.run_id, q.job_id, q.concurrency_key, c.granted_by, c.kept, c.limits`.execute(tx.db);
  const run_id = rows[0]?.run_id;
  wakeNextSoon(
    tx,
    rows.map((queued) => ({ project_id: run.project_id, queued })),
  );
  if (run_id !== undefined && run.cancel_keys) await replaceCancelKeys(tx, { ...run, id: run_id });
  return run_id;
}

/** With another payload, other events may cancel the run. */
async function replaceCancelKeys(
  tx: Ctx & InTransaction,
  { project_id, id, environment_id, cancel_keys = [] }: NewRun,
): Promise<void> {
  await sql`
    with gone as (
      delete from cancel_keys where project_id = ${project_id} and owner_id = ${id} and event_key <> all(${cancel_keys}::text[])
    )
    insert into cancel_keys (project_id, event_key, owner_id, owner_kind, environment_id, created_at, check_at)
    select ${project_id}, k, ${id}, 'run', ${environment_id}, clock(), clock() + interval '1 minute'
    from unnest(${cancel_keys}::text[]) k
    on conflict (project_id, event_key, owner_id) do nothing`.execute(tx.db);
}

function contentOf({ payload, metadata, tags, cancel_keys }: NewRun) {
  return { payload, metadata, tags, ...(cancel_keys && { cancel_keys }) };
}
