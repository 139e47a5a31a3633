import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import type { Counters } from "./admit-runs.ts";
import { candidateOf, type JobLimits, windowsOf } from "./job-limits.ts";
import { emptyWindow, type RateWindow, windowAt } from "./rate-window.ts";

type QueuedRun = JobLimits & { run_id: string; concurrency_key: string | null; payload: unknown };

/** Locks every counter these runs need, made if new, in order of their keys. The time is read after the locks. */
export async function lockCounters(
  tx: Ctx & InTransaction,
  project_id: string,
  runs: readonly QueuedRun[],
): Promise<Counters> {
  const slotKeys = new Set(runs.flatMap((run) => candidateOf(run, run).slots.map(({ key }) => key)));
  const lengths = new Map(
    runs.flatMap((run) => windowsOf(run, run).map(({ key, window_secs }) => [key, window_secs] as const)),
  );
  const jobs = new Map(runs.flatMap((run) => windowsOf(run, run).map(({ key }) => [key, run.job_id] as const)));
  const active = slotKeys.size === 0 ? new Map() : await lockSlots(tx, project_id, [...slotKeys]);
  const windows = lengths.size === 0 ? new Map() : await lockWindows(tx, project_id, lengths, jobs);
  return { active, windows };
}

async function lockSlots(tx: Ctx & InTransaction, project_id: string, keys: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; active: number }>`
    insert into concurrency_counters as c (project_id, key)
    select ${project_id}, k from unnest(${keys}::text[]) as k order by k
    on conflict (project_id, key) do update set active = c.active
    returning c.key, c.active`.execute(tx.db);
  return new Map(rows.map((row) => [row.key, row.active]));
}

async function lockWindows(
  tx: Ctx & InTransaction,
  project_id: string,
  lengths: Map<string, number>,
  jobs: Map<string, string>,
): Promise<Map<string, RateWindow>> {
  const asked = Array.from(lengths, ([key, window_secs]) => ({
    key,
    job_id: jobs.get(key),
    ...emptyWindow(window_secs),
  }));
  const { rows } = await sql<RateWindow & { key: string }>`
    insert into rate_windows as w (project_id, key, job_id, window_secs, starts, last_slot, updated_at)
    select ${project_id}, g.key, g.job_id, g.window_secs, g.starts, g.last_slot, clock()
    from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
      as g(key text, job_id uuid, window_secs int, starts int[], last_slot bigint)
    order by g.key
    on conflict (project_id, key) do update set updated_at = excluded.updated_at
    returning w.key, w.window_secs, w.starts, w.last_slot`.execute(tx.db);
  const nowMs = await readTime(tx);
  return new Map(rows.map((row) => [row.key, windowAt(row, lengths.get(row.key) ?? row.window_secs, nowMs)]));
}

async function readTime(tx: Ctx & InTransaction): Promise<number> {
  const { rows } = await sql<{ now_ms: number }>`
    select (extract(epoch from clock()) * 1000)::float8 as now_ms`.execute(tx.db);
  return rows[0]?.now_ms ?? 0;
}

/** Writes what the decision made of them, and when each full window has room again. */
export async function writeCounters(
  tx: Ctx & InTransaction,
  project_id: string,
  { active, windows }: Counters,
  nextRoomMs: Map<string, number>,
): Promise<void> {
  if (active.size > 0) {
    await sql`
      update concurrency_counters c set active = g.active
      from unnest(${[...active.keys()]}::text[], ${[...active.values()]}::int[]) as g(key, active)
      where c.project_id = ${project_id} and c.key = g.key`.execute(tx.db);
  }
  if (windows.size > 0) await writeWindows(tx, project_id, windows, nextRoomMs);
}

async function writeWindows(
  tx: Ctx & InTransaction,
  project_id: string,
  windows: Map<string, RateWindow>,
  nextRoomMs: Map<string, number>,
): Promise<void> {
  const written = Array.from(windows, ([key, window]) => ({ key, ...window, next_ms: nextRoomMs.get(key) ?? null }));
  await sql`
    update rate_windows w set starts = g.starts, last_slot = g.last_slot, window_secs = g.window_secs,
      next_at = coalesce(to_timestamp(g.next_ms / 1000.0), w.next_at), updated_at = clock()
    from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
      as g(key text, starts int[], last_slot bigint, window_secs int, next_ms float8)
    where w.project_id = ${project_id} and w.key = g.key`.execute(tx.db);
}
