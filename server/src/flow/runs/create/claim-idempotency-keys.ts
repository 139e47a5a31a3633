import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { NewRun, TriggerResult, TriggerResults } from "./new-run.ts";

type Holder = { id: string; run_id: string; body_hash: string; is_expired: boolean };

/** A run, or a workflow run, that may have a key. */
export type Keyed = Pick<NewRun, "id" | "project_id" | "environment_id" | "idempotency_key" | "body_hash"> &
  ({ job_id: string } | { workflow_id: string });

/** The key was used before, for the same request or for another. */
export type Repeated = Extract<TriggerResult, { kind: "existing" | "conflict" }>;

/**
 * One run per (project, job, environment, key) for 24 hours. The first insert of the key wins; a concurrent request
 * with the same key waits here for that commit, then reads the owner. Keys are taken in order, to avoid deadlocks
 * between batches. The row names the first request; its body hash shows whether this one is the same.
 */
export async function claimIdempotencyKeys<T extends Keyed>(
  tx: Ctx & InTransaction,
  newRuns: readonly T[],
  results: { set: (run: T, result: Repeated) => unknown },
): Promise<void> {
  const firsts = firstOfEachKey(newRuns.filter((run) => run.idempotency_key !== null));
  if (firsts.size === 0) return;

  const taken = await insertKeys(tx, [...firsts.values()]);
  const holders = await readHolders(
    tx,
    [...firsts.values()].filter((run) => !taken.has(run.id)),
  );
  for (const run of newRuns) {
    const first = run.idempotency_key === null ? undefined : firsts.get(scopeOf(run));
    if (!first || (first === run && taken.has(run.id))) continue;
    results.set(run, compare(run, holders.get(first.id) ?? { run_id: first.id, body_hash: first.body_hash }));
  }
}

/** What `claimIdempotencyKeys` would return for one run now, without claiming its key. Undefined: the key is free. */
export async function findRepeated(ctx: Ctx, run: Keyed): Promise<Repeated | undefined> {
  if (run.idempotency_key === null) return undefined;
  const holder = (await readHolders(ctx, [run])).get(run.id);
  return holder && !holder.is_expired ? compare(run, holder) : undefined;
}

function compare(run: Keyed, { run_id, body_hash }: Pick<Keyed, "body_hash"> & { run_id: string }): Repeated {
  return body_hash === run.body_hash ? { kind: "existing", run_id } : { kind: "conflict" };
}

/** When a duplicate or a debounced run is returned instead of the new one, its key points there. */
export async function redirectIdempotencyKeys(
  tx: Ctx & InTransaction,
  keyed: readonly NewRun[],
  results: TriggerResults,
): Promise<void> {
  for (const run of keyed) {
    const result = results.get(run);
    if (result?.kind !== "existing") continue;
    await sql`
      update idempotency_keys set run_id = ${result.run_id}
      where project_id = ${run.project_id} and run_id = ${run.id} and target_id = ${targetOf(run)}
        and environment_id = ${run.environment_id} and key = ${run.idempotency_key}`.execute(tx.db);
  }
}

/** Releases the keys of runs that were not created. */
export async function releaseIdempotencyKeys(tx: Ctx & InTransaction, refused: readonly Keyed[]): Promise<void> {
  for (const run of refused) {
    await sql`
      delete from idempotency_keys
      where project_id = ${run.project_id} and run_id = ${run.id} and target_id = ${targetOf(run)}
        and environment_id = ${run.environment_id} and key = ${run.idempotency_key}`.execute(tx.db);
  }
}

async function insertKeys(tx: Ctx & InTransaction, runs: Keyed[]): Promise<Set<string>> {
  const { rows } = await sql<{ run_id: string }>`
    insert into idempotency_keys as k (project_id, target_id, environment_id, key, body_hash, run_id, expires_at)
    select g.project_id, g.target_id, g.environment_id, g.idempotency_key, decode(g.body_hash, 'hex'), g.id,
      clock() + interval '24 hours'
    from ${keysOf(runs)}
    order by g.project_id, g.target_id, g.environment_id, g.idempotency_key
    on conflict (project_id, target_id, environment_id, key) do update
    set body_hash = excluded.body_hash, run_id = excluded.run_id, expires_at = excluded.expires_at
    where k.expires_at <= clock()
    returning k.run_id`.execute(tx.db);
  return new Set(rows.map((row) => row.run_id));
}

async function readHolders(ctx: Ctx, runs: Keyed[]): Promise<Map<string, Holder>> {
  if (runs.length === 0) return new Map();
  const { rows } = await sql<Holder>`
    select g.id, k.run_id, encode(k.body_hash, 'hex') as body_hash, k.expires_at <= clock() as is_expired
    from ${keysOf(runs)}
    join idempotency_keys k on k.project_id = g.project_id and k.target_id = g.target_id
      and k.environment_id = g.environment_id and k.key = g.idempotency_key`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}

function keysOf(runs: Keyed[]) {
  const rows = runs.map((run) => {
    const { id, project_id, environment_id, idempotency_key, body_hash } = run;
    return { id, project_id, target_id: targetOf(run), environment_id, idempotency_key, body_hash };
  });
  return sql`json_to_recordset(${JSON.stringify(rows)}::json)
    as g(id uuid, project_id uuid, target_id uuid, environment_id uuid, idempotency_key text, body_hash text)`;
}

function firstOfEachKey<T extends Keyed>(runs: T[]): Map<string, T> {
  const firsts = new Map<string, T>();
  for (const run of runs) if (!firsts.has(scopeOf(run))) firsts.set(scopeOf(run), run);
  return firsts;
}

function scopeOf(run: Keyed): string {
  return `${run.project_id}/${targetOf(run)}/${run.environment_id}/${run.idempotency_key}`;
}

function targetOf(run: Keyed): string {
  return "workflow_id" in run ? run.workflow_id : run.job_id;
}
