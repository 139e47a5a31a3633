import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { type Granted, wakeNextSoon } from "../../limits/unblock-next.ts";
import { lockKeys } from "../../lock-keys.ts";
import { leadOf } from "../turns/next-turn.ts";
import { replaceCancelKeys } from "./cancel-keys.ts";
import type { NewRun, TriggerResult, TriggerResults } from "./new-run.ts";

/**
 * For jobs with a dedup window: the same payload in the same environment within the window returns the existing run. A
 * lock on the compared values makes concurrent triggers see each other.
 */
export async function findDuplicates(
  tx: Ctx & InTransaction,
  newRuns: readonly NewRun[],
  results: TriggerResults,
): Promise<void> {
  const deduplicated = newRuns.filter((run) => run.dedup_hash !== null);
  if (deduplicated.length === 0) return;

  await lockKeys(tx, deduplicated.map(dedupLockName));
  const known = await readDuplicates(tx, deduplicated);
  const firsts = new Map<string, string>();
  for (const run of deduplicated) {
    const run_id = known.get(run.id) ?? firsts.get(dedupLockName(run));
    if (run_id !== undefined) results.set(run, { kind: "existing", run_id });
    else firsts.set(dedupLockName(run), run.id);
  }
}

/** The existing run, by the id of the new one. */
async function readDuplicates(ctx: Ctx, deduplicated: readonly NewRun[]): Promise<Map<string, string>> {
  // Without the payloads, of which only the hashes are compared.
  const wanted = deduplicated.map(({ id, project_id, job_id, environment_id, dedup_hash, dedup_window_secs }) => {
    return { id, project_id, job_id, environment_id, dedup_hash, dedup_window_secs };
  });
  const { rows } = await sql<{ id: string; run_id: string }>`
    select g.id, r.id as run_id
    from json_to_recordset(${JSON.stringify(wanted)}::json)
      as g(id uuid, project_id uuid, job_id uuid, environment_id uuid, dedup_hash text, dedup_window_secs int),
    lateral (
      select r.id from runs r
      where r.project_id = g.project_id and r.job_id = g.job_id and r.environment_id = g.environment_id
        and r.dedup_hash = decode(g.dedup_hash, 'hex')
        and r.created_at > clock() - g.dedup_window_secs * interval '1 second'
      order by r.created_at desc limit 1
    ) r`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row.run_id]));
}

function dedupLockName(run: NewRun): string {
  return `dedup/${run.project_id}/${run.job_id}/${run.environment_id}/${run.dedup_hash}`;
}

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
  results: TriggerResults,
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
      results.set(run, { kind: "existing", run_id: run_id ?? first.id });
    }
  }
}

/** The run's grant passes to the next waiter. */
async function replacePayload(tx: Ctx & InTransaction, run: NewRun): Promise<string | undefined> {
  const { rows } = await sql<Granted & { run_id: string }>`
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
      rank_at = c.scheduled_at - ${leadOf(sql`c.priority`)},
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

function contentOf({ payload, metadata, tags, cancel_keys }: NewRun) {
  return { payload, metadata, tags, ...(cancel_keys && { cancel_keys }) };
}

/** What `findDuplicates` and `debounceRuns` would return for one run now. A claimed or paused run has no debounce key. */
export async function previewWindows(
  ctx: Ctx,
  run: NewRun,
): Promise<Extract<TriggerResult, { kind: "existing" }> | undefined> {
  const duplicate = run.dedup_hash === null ? undefined : (await readDuplicates(ctx, [run])).get(run.id);
  if (duplicate !== undefined) return { kind: "existing", run_id: duplicate };
  if (run.debounce_key === null) return undefined;
  const { rows } = await sql<{ run_id: string }>`
    select run_id from run_queue
    where project_id = ${run.project_id} and debounce_key = ${run.debounce_key}`.execute(ctx.db);
  return rows[0] && { kind: "existing", run_id: rows[0].run_id };
}
